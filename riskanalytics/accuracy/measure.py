"""Measure the precision of each rule on labelled clauses and write it into the rules' data.

Run `python -m riskanalytics.accuracy.measure LABELS --database FILE --write` from a checkout after the rules
changed; without `--write` the counts are only printed. `rules/measured.toml` keeps, of each rule, how many of
its findings were judged and right, from which each finding's confidence and its interval follow.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from riskanalytics import extraction
from riskanalytics.accuracy.clauses import LabelledText, Tally, judge, total
from riskanalytics.accuracy.scoring import score
from riskanalytics.extraction.confidence import wilson

TARGET: Final = Path(extraction.__file__).parent / "rules" / "measured.toml"

Counts = dict[str, tuple[int, int]]
"""Right and judged findings of each rule."""


def count_rules(texts: Iterable[LabelledText]) -> Counts:
    """Count the right and the judged findings of each rule.

    Parameters
    ----------
    texts : iterable of LabelledText

    Returns
    -------
    dict of str to (int, int)
        Rules of which a finding was judged, by name.
    """
    right: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for text in texts:
        for finding in text.findings:
            verdict = judge(finding, text)
            right[finding.rule] += verdict == "right"
            judged[finding.rule] += verdict in ("right", "wrong")
    return {rule: (right[rule], judged[rule]) for rule in sorted(judged) if judged[rule]}


def written(counts: Counts, whole: Tally) -> str:
    """Write the counts as TOML.

    Parameters
    ----------
    counts : dict of str to (int, int)
    whole : Tally
        All surfaces together.
    """
    lines = [
        "# Written by riskanalytics.accuracy.measure: of the labelled clauses that a rule took, how many rightly.",
        "[figures]",
        f"precision = {whole.precision.value or 0:.3f}",
        f"recall = {whole.recall.value or 0:.3f}",
        f"f1 = {whole.f1 or 0:.3f}",
        f"labelled_clauses = {whole.labelled}",
        "tuned_on_them = true",
        "",
        "[rules]",
    ]
    for rule, (right, judged) in counts.items():
        low, high = wilson(right, judged)
        lines.append(f'"{rule}" = {{ judged = {judged}, right = {right} }} # {low:.2f} to {high:.2f}')
    return "\n".join(lines) + "\n"


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
    body = written(count_rules(result.texts), total(result.surfaces))
    if given.write:
        TARGET.write_text(body, encoding="utf-8")
    sys.stdout.write(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
