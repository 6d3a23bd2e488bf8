"""Compare findings with fully labelled documents: a finding without a label is wrong.

A finding hits a label if both are on the same surface and their spans overlap by at least half of the shorter one. Every
finding of the document is judged: if it hits no label, it is wrong. If the readers who made the labels were not sure of a label
(`sure` is False), the extraction may find its clause, but need not.

Clauses of related vendors (a family) are not independent. So the 95 % interval of a share comes from resampling the families
(cluster bootstrap; Davison and Hinkley 1997, section 3.8; 1,000 resamples, 2.5 % to 97.5 %) with a fixed seed. If all results
are right, or all are wrong, resampling gives no width: then each family counts as one trial (Clopper and Pearson 1934). With
fewer than two families, the interval is (0, 1).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, NamedTuple, TypeVar

from riskanalytics.extraction import ClauseFinding
from riskanalytics.surfaces import SURFACES

from .labels import WholeDocument, WholeLabel

_TAIL: Final = 0.025
Counts = tuple[str, int, int]
"""A family (group of related vendors), a numerator and a denominator."""


@dataclass(frozen=True)
class Share:
    """A share, such as 500 right findings of 506, with its counts for each family of related vendors.

    Parameters
    ----------
    counts : mapping of str to (int, int)
        Family (group of related vendors) -> numerator and denominator; both are 0 for a family without a result.
    """

    counts: Mapping[str, tuple[int, int]]

    @classmethod
    def of(cls, counted: Iterable[Counts]) -> Share:
        """Add counts, separately for each family (group of related vendors), and return them as one share.

        Parameters
        ----------
        counted : iterable of (str, int, int)
            Family, numerator and denominator. A family may occur several times. One right result is (family, 1, 1), one wrong
            result is (family, 0, 1).
        """
        counts: dict[str, tuple[int, int]] = {}
        for family, part, whole in counted:
            parts, wholes = counts.get(family, (0, 0))
            counts[family] = parts + part, wholes + whole
        return cls(counts)

    @cached_property
    def part(self) -> int:
        """Numerator of the share: the sum of the numerators of all families (groups of related vendors)."""
        return sum(part for part, _ in self.counts.values())

    @cached_property
    def whole(self) -> int:
        """Denominator of the share: the sum of the denominators of all families (groups of related vendors)."""
        return sum(whole for _, whole in self.counts.values())

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None if its denominator is 0."""
        return self.part / self.whole if self.whole else None

    @property
    def families(self) -> int:
        """Number of families (groups of related vendors) that add to the denominator."""
        return sum(whole > 0 for _, whole in self.counts.values())

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound of the 95 % interval of the share; (0, 1) for fewer than two families of vendors.

        The docstring of the module describes the method: it resamples families (groups of related vendors), not single results.
        """
        if self.families < 2:
            return 0.0, 1.0
        bound = _TAIL ** (1 / self.families)
        if self.part == self.whole:
            return bound, 1.0
        if not self.part:
            return 0.0, 1 - bound
        pairs = sorted(self.counts.values())
        sums = (map(sum, zip(*map(pairs.__getitem__, chosen), strict=True)) for chosen in _draws(len(pairs)))
        values = sorted(part / whole for part, whole in sums if whole)
        place = int(_TAIL * len(values))
        return values[place], values[-1 - place]

    def __str__(self) -> str:
        """Share, interval and counts for a person: `0.988 [0.97-0.99] 500/506`; `-` if the denominator is 0."""
        if self.value is None:
            return "-"
        low, high = self.interval
        return f"{self.value:.3f} [{low:.2f}-{high:.2f}] {self.part}/{self.whole}"

    def record(self) -> dict[str, float]:
        """Return the share as a JSON object.

        `part` is the numerator, `whole` the denominator, and `families` the number of families (groups of related vendors) with a
        result. If `whole` is not 0, also `value`, the share, and `low` and `high`, the bounds of its interval (0 to 1).
        """
        counts: dict[str, float] = {"part": self.part, "whole": self.whole, "families": self.families}
        if self.value is None:
            return counts
        numbers = zip(("value", "low", "high"), (self.value, *self.interval), strict=True)
        return {name: round(number, 3) for name, number in numbers} | counts


def sum_of(shares: Iterable[Share]) -> Share:
    """Return one share from several shares: for each family of vendors, numerators and denominators are added."""
    return Share.of((family, *counts) for share in shares for family, counts in share.counts.items())


@cache
def _draws(families: int) -> list[list[int]]:
    """Return the numbers of the families in each resample."""
    chance = random.Random(0)  # noqa: S311 (no secret: the same draws each time are wanted)
    return [chance.choices(range(families), k=families) for _ in range(1000)]


_MEASURES: Final = ("precision", "recall", "high", "level", "polarity", "sure", "leads")
ALL, BY_HAND, LEARNED = "all", "hand_written", "learned"


@dataclass(frozen=True)
class JudgedDocument:
    """A fully labelled document, and what the extraction found in it.

    Parameters
    ----------
    document : WholeDocument
        The document with its labels, as read from its line in the file of labels.
    text : str
        The full text of the document.
    labels : tuple of WholeLabel
        Its valid labels: those whose quotes are at their offsets.
    findings, leads : tuple of ClauseFinding
        Findings and leads of the extraction in the document. Of the leads, only those are included that are among the 15 surest
        of the platform, because the service shows no others.
    """

    document: WholeDocument
    text: str
    labels: tuple[WholeLabel, ...]
    findings: tuple[ClauseFinding, ...]
    leads: tuple[ClauseFinding, ...] = ()

    @cached_property
    def verdicts(self) -> tuple[tuple[ClauseFinding, WholeLabel | None], ...]:
        """Each finding with the label that confirms it, or with None in place of a label if the finding is wrong."""
        return tuple((finding, next(iter(_hits(finding, self.labels)), None)) for finding in self.findings)

    @property
    def missed(self) -> list[WholeLabel]:
        """Labels of the clauses that the extraction must find, but did not find: no finding on the surface overlaps them."""
        return [label for label in self.labels if label.sure and not _hits(label, self.findings)]


class Bin(NamedTuple):
    """Findings with a confidence from `low` to `high`: their mean confidence, and the share of them that is right.

    `stated` is the mean confidence, None without findings; `right` is the share that a label confirms.
    """

    low: float
    high: float
    stated: float | None
    right: Share


@dataclass(frozen=True)
class Figures:
    """Accuracy of some findings: shares by name, and how far their confidence can be trusted.

    Parameters
    ----------
    shares : dict of str to Share
        `precision`: of the findings, those that a label confirms. `recall`: of the labelled clauses that must be found, those
        with a finding. `high`: of the findings with the level HIGH, those that a label confirms as HIGH. `level`, `polarity`: of
        the confirmed findings, those whose level, or whose polarity, their label accepts. `sure`: of the findings with a
        confidence of .95 or more, those that a label confirms. `leads`: of the labelled clauses that must be found, but have no
        finding, those with a lead.
    bins : tuple of Bin
        The findings in ten ranges of confidence.
    """

    shares: dict[str, Share]
    bins: tuple[Bin, ...]

    @property
    def error(self) -> float | None:
        """Expected calibration error (Naeini et al. 2015), 0 to 1; None without findings.

        The findings are divided into ten ranges of confidence. In each range, the mean confidence differs from the share of right
        findings. The error is the mean of these differences, weighted by the number of findings in each range.
        """
        whole = sum(one.right.whole for one in self.bins)
        apart = (abs((one.stated or 0) * one.right.whole - one.right.part) for one in self.bins)
        return sum(apart) / whole if whole else None


Span = TypeVar("Span", WholeLabel, ClauseFinding)


def overlaps(start: int, end: int, span: WholeLabel | ClauseFinding) -> bool:
    """Return whether `start` to `end` (in code points) and a label or finding overlap by at least half of the shorter one."""
    common = min(end, span.end) - max(start, span.start)
    return common > 0 and 2 * common >= min(end - start, span.end - span.start)


def _hits(one: WholeLabel | ClauseFinding, others: Iterable[Span]) -> list[Span]:
    """Return the labels on the same surface that a finding overlaps, the largest overlap first."""
    hits = [other for other in others if other.surface == one.surface and overlaps(one.start, one.end, other)]
    return sorted(hits, key=lambda other: max(other.start, one.start) - min(other.end, one.end))


def score_clauses(documents: Collection[JudgedDocument]) -> dict[str, Figures]:
    """Return the accuracy of the findings in labelled documents, for several groups of findings.

    Parameters
    ----------
    documents : collection of JudgedDocument
        Labelled documents with their findings.

    Returns
    -------
    dict of str to Figures
        Group -> its accuracy. The groups are: all findings (`all`); those that the trained model made (`learned`); those that
        hand-written rules made (`hand_written`); and those on each surface of `riskanalytics.surfaces.SURFACES`.
    """
    return {
        ALL: figures(documents),
        BY_HAND: figures(documents, learned={False}),
        LEARNED: figures(documents, learned={True}),
        **{surface: figures(documents, (surface,)) for surface in SURFACES},
    }


def figures(
    documents: Iterable[JudgedDocument], surfaces: Collection[str] = SURFACES, learned: Collection[bool] = (False, True)
) -> Figures:
    """Return the accuracy of the findings in labelled documents, by default of all findings.

    Parameters
    ----------
    documents : iterable of JudgedDocument
        Labelled documents with their findings.
    surfaces : collection of str
        Surfaces whose findings and labels are counted.
    learned : collection of bool
        Findings that are counted: those that hand-written rules made (False), those that the trained model made (True).

    Returns
    -------
    Figures
    """
    counted: dict[str, list[Counts]] = {name: [] for name in _MEASURES}
    stated: list[tuple[str, float, bool]] = []
    for judged in documents:
        family = judged.document.family
        shown = [
            (finding, label)
            for finding, label in judged.verdicts
            if finding.surface in surfaces and (".learned" in finding.rule) in learned
        ]
        found, right = [finding for finding, _ in shown], [(finding, label) for finding, label in shown if label]
        labels = [label for label in judged.labels if label.sure and label.surface in surfaces]
        verdicts = {
            "precision": [label is not None for _, label in shown],
            "recall": [bool(_hits(label, found)) for label in labels],
            "high": [bool(label and "HIGH" in label.risks) for finding, label in shown if finding.risk == "HIGH"],
            "level": [finding.risk in label.risks for finding, label in right],
            "polarity": [finding.polarity in label.polarities for finding, label in right],
            "sure": [label is not None for finding, label in shown if finding.confidence >= 0.95],
            "leads": [bool(_hits(label, judged.leads)) for label in judged.missed if label.surface in surfaces],
        }
        for name, true in verdicts.items():
            counted[name].append((family, sum(true), len(true)))
        stated += [(family, finding.confidence, label is not None) for finding, label in shown]
    shares = {name: Share.of(counts) for name, counts in counted.items()}
    return Figures(shares, _bins(stated, shares["precision"].counts))


def _bins(stated: list[tuple[str, float, bool]], families: Collection[str]) -> tuple[Bin, ...]:
    """Return ten bins of stated confidence; the last includes 1."""
    bins = []
    for place in range(10):
        inside = [one for one in stated if min(int(one[1] * 10), 9) == place]
        mean = sum(confidence for _, confidence, _ in inside) / len(inside) if inside else None
        right = Share.of([*((family, 0, 0) for family in families), *((family, true, 1) for family, _, true in inside)])
        bins.append(Bin(place / 10, (place + 1) / 10, mean, right))
    return tuple(bins)
