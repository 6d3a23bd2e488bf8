"""Measure the precision of each rule on labelled clauses and write it into the rule data.

Run `python -m tests.accuracy.measure --write` from the checkout (needs ../shared) after the rules changed;
without `--write` the counts are only printed. A rule's finding counts as judged and right as in the scorer;
`rules/measured.toml` keeps the two counts, from which each finding's confidence and its interval follow.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from riskanalytics.extraction.confidence import wilson
from tests.accuracy.labels import Labels, by_document, open_labels
from tests.accuracy.scorer import Tally, judge, ours, score_all, total

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "riskanalytics" / "extraction" / "rules" / "measured.toml"


def measure(labels: Labels) -> dict[str, tuple[int, int]]:
    """Right and judged findings of each rule."""
    right: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    quotes, negatives = by_document(labels.quotes), by_document(labels.negatives)
    for sha256, blob in labels.blobs().items():
        for item in ours(labels.text(blob)):
            verdict = judge(item, quotes.get(sha256, []), negatives.get(sha256, []))
            right[item.rule] += verdict == "right"
            judged[item.rule] += verdict in ("right", "wrong")
    return {rule: (right[rule], judged[rule]) for rule in sorted(judged) if judged[rule]}


def written(counts: dict[str, tuple[int, int]], whole: Tally) -> str:
    """The counts as TOML."""
    lines = [
        "# Written by tests/accuracy/measure.py: of the labelled clauses that a rule took, how many rightly.",
        "[figures]",
        f"precision = {whole.precision:.3f}",
        f"recall = {whole.recall:.3f}",
        f"f1 = {whole.f1:.3f}",
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
    """Print or write the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as workplace:
        labels = open_labels(given.shared, Path(workplace))
        body = written(measure(labels), total(score_all(labels, ours)))
    if given.write:
        TARGET.write_text(body, encoding="utf-8")
    print(body, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
