"""Vendors left out: an honest proxy for texts never seen.

The rules are written by hand with the labelled clauses in sight, so figures on those clauses flatter them. Here
each family of vendors is held out in turn and scored with what the other families justify. A rule is here also a kind
of the model's findings (`surface.learned.kind`):

1. A rule counts only if it took at least one labelled clause of another family rightly; one that never did may
   have been written for the held-out family, and is switched off. The clause is not given to a later rule, so
   recall is, if anything, too low by this step.
2. The confidence of each rule is the one that the other families' clauses give (`riskanalytics.extraction.confidence`);
   it is compared with whether the rule's findings in the held-out family were right.

Nothing is learned again here: the texts come with what was found in them. `tests/accuracy/train.py` gives texts that
were read by weights learned without their vendor, and so do the recorded figures come about; `riskanalytics score`
gives texts read by the package's weights, so on documents that those were learned from the figures flatter.

It stays a proxy: a pattern inside a rule that others justify may still have been written for one vendor, and the
clauses that a rule must leave alone were seen too. Intervals take clauses as independent, though those of one
vendor are not: they are too narrow rather than too wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from riskanalytics.accuracy.clauses import LabelledText, Tally, judge, score_clauses
from riskanalytics.extraction.confidence import Counts, shrunk
from riskanalytics.models import SURFACES


class Prediction(NamedTuple):
    """The confidence given to a finding of a held-out vendor, and whether it was right."""

    surface: str
    rule: str
    confidence: float
    right: bool


@dataclass(frozen=True)
class VendorsLeftOut:
    """Each family scored with what the others justify.

    Parameters
    ----------
    surfaces : dict of str to Tally
        Pooled over the families.
    families : dict of str to Tally
        Each family's, all surfaces together.
    switched_off : dict of str to tuple of str
        By family, the rules and kinds that fired in its texts and that no other family justifies.
    predictions : tuple of Prediction
        Of every judged finding of the rules that counted.
    """

    surfaces: dict[str, Tally]
    families: dict[str, Tally]
    switched_off: dict[str, tuple[str, ...]]
    predictions: tuple[Prediction, ...]

    @property
    def mean_confidence(self) -> float | None:
        """Mean of the confidences given, 0 to 1; None where nothing was judged."""
        return _mean([prediction.confidence for prediction in self.predictions])

    @property
    def share_right(self) -> float | None:
        """Share of the predictions that were right, 0 to 1: what the mean confidence should be."""
        return _mean([float(prediction.right) for prediction in self.predictions])

    @property
    def brier(self) -> float | None:
        """Mean squared distance of confidence and outcome (Brier 1950, MWR 78:1): 0 is perfect, 1 always wrong."""
        return _mean([(prediction.confidence - prediction.right) ** 2 for prediction in self.predictions])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def count_rules(texts: Sequence[LabelledText]) -> Counts:
    """Count the right and the judged findings of each rule.

    Parameters
    ----------
    texts : sequence of LabelledText

    Returns
    -------
    dict of str to (int, int)
        Right and judged, of the rules of which a finding was judged; by name.
    """
    counts: dict[str, tuple[int, int]] = {}
    for text in texts:
        for finding in text.findings:
            verdict = judge(finding, text)
            if verdict in ("right", "wrong"):
                right, judged = counts.get(finding.rule, (0, 0))
                counts[finding.rule] = right + (verdict == "right"), judged + 1
    return dict(sorted(counts.items()))


def leave_vendors_out(texts: Sequence[LabelledText]) -> VendorsLeftOut:
    """Hold out each family of vendors in turn and score it with what the others justify.

    Parameters
    ----------
    texts : sequence of LabelledText
        Labelled texts; a text belongs to the family of its first label.

    Returns
    -------
    VendorsLeftOut
    """
    pooled = {surface: Tally() for surface in SURFACES}
    families, switched_off, predictions = {}, {}, list[Prediction]()
    for family in sorted({text.family for text in texts}):
        held_out = [text for text in texts if text.family == family]
        others = count_rules([text for text in texts if text.family != family])
        fired = {finding.rule for text in held_out for finding in text.findings}
        unjustified = sorted(rule for rule in fired if not others.get(rule, (0, 0))[0])
        families[family] = Tally()
        for surface, tally in score_clauses(held_out, without=frozenset(unjustified)).items():
            pooled[surface].add(tally)
            families[family].add(tally)
        switched_off[family] = tuple(unjustified)
        predictions += _predictions(held_out, others, unjustified)
    return VendorsLeftOut(pooled, families, switched_off, tuple(predictions))


def _predictions(held_out: Sequence[LabelledText], others: Counts, without: Sequence[str]) -> list[Prediction]:
    """The confidence of each judged finding of a held-out family, as the others give it."""
    found = []
    for text in held_out:
        for finding in text.findings:
            verdict = judge(finding, text)
            if finding.rule not in without and verdict in ("right", "wrong"):
                confidence, _ = shrunk(finding.rule, others)
                found.append(Prediction(finding.surface, finding.rule, confidence, verdict == "right"))
    return found
