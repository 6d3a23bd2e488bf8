"""Measure the precision of each rule on labelled clauses and write it into the rules' data.

Run `python -m riskanalytics.accuracy.measure LABELS --database FILE --write` from a checkout after the rules
changed; without `--write` the counts are only printed. `rules/measured.toml` keeps, of each rule, how many of
its findings were judged and right, from which each finding's confidence and its interval follow.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from riskanalytics import extraction
from riskanalytics.accuracy.clauses import total
from riskanalytics.accuracy.scoring import Score, score
from riskanalytics.accuracy.vendors import VendorsLeftOut, count_rules, leave_vendors_out
from riskanalytics.extraction.confidence import wilson

TARGET: Final = Path(extraction.__file__).parent / "rules" / "measured.toml"


def written(result: Score, day: date) -> str:
    """Write the counts as TOML.

    Parameters
    ----------
    result : Score
    day : date
        When it was measured.
    """
    whole, left_out = total(result.surfaces), leave_vendors_out(result.texts)
    lines = [
        "# Written by riskanalytics.accuracy.measure; [rules]: of the labelled clauses that a rule took, how many rightly.",
        "[figures]",
        f"precision = {whole.precision.value or 0:.3f}",
        f"recall = {whole.recall.value or 0:.3f}",
        f"f1 = {whole.f1 or 0:.3f}",
        f"labelled_clauses = {whole.labelled}",
        "tuned_on_them = true",
        f'measured_on = "{day}"',
        f'rules = "{result.rules}"',
        "",
        *_left_out(left_out, day),
        "",
        "[rules]",
    ]
    for rule, (right, judged) in count_rules(result.texts).items():
        low, high = wilson(right, judged)
        lines.append(f'"{rule}" = {{ judged = {judged}, right = {right} }} # {low:.2f} to {high:.2f}')
    return "\n".join(lines) + "\n"


def _left_out(left_out: VendorsLeftOut, day: date) -> list[str]:
    """Lines about the vendors left out in turn."""
    figures = {
        "mean_confidence": left_out.mean_confidence,
        "share_right": left_out.share_right,
        "brier": left_out.brier,
    }
    return [
        "[figures.vendors_left_out]",
        f'measured_on = "{day}"',
        f"families = {len(left_out.families)}",
        *(f"{name} = {value or 0:.4f}" for name, value in figures.items()),
        "",
        "[figures.vendors_left_out.surfaces]",
        *(
            f"{name} = {{ right = {tally.right}, judged = {tally.judged}, found = {tally.hit}, labelled = {tally.labelled} }}"
            for name, tally in left_out.surfaces.items()
        ),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print or write the counts.

    Parameters
    ----------
    arguments : list of str, optional
        Words after the program's name; the process's own where None.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    result = score(given.labels, given.database)
    body = written(result, datetime.now(UTC).date())
    if given.write:
        TARGET.write_text(body, encoding="utf-8")
    sys.stdout.write(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
