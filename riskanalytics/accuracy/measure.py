"""Write down how well the extraction reads: the figures that confidence and coverage show.

`tests/accuracy/train.py` calls this after it has learned the weights. `rules/measured.toml` then keeps the figures on
the labels that the rules were written with, on the same labels with each vendor left out, and on labels of platforms
from which no rule was written and no weight learned; and, of each rule and each kind of the model's findings, how many
were judged and right on the latter two, from which each finding's confidence and its interval follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from riskanalytics import extraction
from riskanalytics.accuracy.clauses import LabelledText, Tally, total
from riskanalytics.accuracy.scoring import Score
from riskanalytics.accuracy.vendors import VendorsLeftOut, count_rules, leave_vendors_out
from riskanalytics.extraction.confidence import wilson

TARGET: Final = Path(extraction.__file__).parent / "rules" / "measured.toml"


def written(result: Score, left_out: Sequence[LabelledText], unseen: Score, day: date) -> str:
    """Write the figures as TOML.

    Parameters
    ----------
    result : Score
        On the labels that the rules were written with.
    left_out : sequence of LabelledText
        The same texts, each with what is found in it by weights that were learned without its vendor.
    unseen : Score
        On labels of platforms from which no rule was written and no weight learned.
    day : date
        When it was measured.
    """
    whole = total(result.surfaces)
    lines = [
        "# Written by riskanalytics.accuracy.measure; [rules]: of the labelled clauses that a rule took, their vendor",
        "# left out of the learning or never seen, how many rightly.",
        "[figures]",
        f"precision = {whole.precision.value or 0:.3f}",
        f"recall = {whole.recall.value or 0:.3f}",
        f"f1 = {whole.f1 or 0:.3f}",
        f"labelled_clauses = {whole.labelled}",
        "tuned_on_them = true",
        f'measured_on = "{day}"',
        f'rules = "{result.rules.rpartition(".")[0]}"',  # without what this file adds to the version
        "",
        *_left_out(leave_vendors_out(left_out), day),
        "",
        *_unseen(unseen, day),
        "",
        "[rules]",
    ]
    for rule, (right, judged) in count_rules([*left_out, *unseen.texts]).items():
        low, high = wilson(right, judged)
        lines.append(f'"{rule}" = {{ judged = {judged}, right = {right} }} # {low:.2f} to {high:.2f}')
    return "\n".join(lines) + "\n"


def _unseen(unseen: Score, day: date) -> list[str]:
    """Lines about platforms never seen."""
    whole = total(unseen.surfaces)
    return [
        "[figures.never_seen]",
        f'measured_on = "{day}"',
        f"platforms = {len({text.platform for text in unseen.texts})}",
        f"texts = {len(unseen.texts)}",
        f"lookalikes = {whole.negatives}",
        f"lookalikes_reported = {whole.negatives_hit}",
        f"levels_right = {whole.level_right}",
        "",
        "[figures.never_seen.surfaces]",
        *_counts(unseen.surfaces),
    ]


def _counts(surfaces: Mapping[str, Tally]) -> list[str]:
    """A line a surface."""
    return [
        f"{name} = {{ right = {tally.right}, judged = {tally.judged}, found = {tally.hit}, labelled = {tally.labelled} }}"
        for name, tally in surfaces.items()
    ]


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
        *_counts(left_out.surfaces),
    ]
