"""Findings beside labelled clauses: which are right, which clauses were missed.

A finding hits a label where the text is the same, the surface is the same, and the spans overlap by at least
half of the shorter one. Precision is taken on judged text only: a finding that touches neither a labelled
clause nor a negative is not judged, except that on `training_use` every sentence with a training word was
judged in the texts that were read. Recall outside `training_use` is against a sample of the clauses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from riskanalytics.accuracy.labels import Span
from riskanalytics.accuracy.share import Share
from riskanalytics.extraction import ClauseFinding
from riskanalytics.models import SURFACES

_TRAINING_WORD: Final = re.compile(r"\btrain(?!\w*ers?\b)|fine-?tun|训练", re.IGNORECASE)

Finder = Callable[[str, str], Sequence[ClauseFinding]]
"""From a text's hash and the text to what is found in it."""


@dataclass(frozen=True)
class LabelledText:
    """One text with its labels and what was found in it."""

    sha256: str
    family: str
    platform: str
    document: str
    quotes: tuple[Span, ...]
    negatives: tuple[Span, ...]
    findings: tuple[ClauseFinding, ...]


@dataclass(frozen=True)
class Sorted:
    """Labels beside the texts that they speak about.

    Parameters
    ----------
    texts : tuple of LabelledText
        In the order in which labels first name them.
    refused : tuple of str
        A line each: where, and what is wrong.
    missing : tuple of str
        A line for each text that the database does not hold, with the number of labels left out.
    """

    texts: tuple[LabelledText, ...]
    refused: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass
class Tally:
    """Counts of one surface, and what went wrong.

    Parameters
    ----------
    found, judged, right : int
        Findings; those on judged text; those that a label confirms.
    labelled, hit, level_right : int
        Labelled clauses; those found; those found at the labelled level.
    negatives, negatives_hit : int
        Clauses that only seem to speak to the surface; those reported nevertheless.
    wrong : list of (LabelledText, ClauseFinding)
    missed : list of Span
    off_level : list of (Span, ClauseFinding)
    """

    found: int = 0
    judged: int = 0
    right: int = 0
    labelled: int = 0
    hit: int = 0
    level_right: int = 0
    negatives: int = 0
    negatives_hit: int = 0
    wrong: list[tuple[LabelledText, ClauseFinding]] = field(default_factory=list)
    missed: list[Span] = field(default_factory=list)
    off_level: list[tuple[Span, ClauseFinding]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take the counts and faults of another tally in.

        Parameters
        ----------
        other : Tally
        """
        for name in ("found", "judged", "right", "labelled", "hit", "level_right", "negatives", "negatives_hit"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.wrong += other.wrong
        self.missed += other.missed
        self.off_level += other.off_level

    @property
    def precision(self) -> Share:
        """Right of the findings on judged text."""
        return Share(self.right, self.judged)

    @property
    def recall(self) -> Share:
        """Found of the labelled clauses."""
        return Share(self.hit, self.labelled)

    @property
    def level(self) -> Share:
        """At the labelled level, of the labelled clauses that were found."""
        return Share(self.level_right, self.hit)

    @property
    def reported(self) -> Share:
        """Reported of the negatives: the fewer the better."""
        return Share(self.negatives_hit, self.negatives)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None where either is not known."""
        precision, recall = self.precision.value, self.recall.value
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def sort_labels(
    quotes: Iterable[Span], negatives: Iterable[Span], text_of: Callable[[str], str | None], finder: Finder
) -> Sorted:
    """Put labels beside their texts; refuse those that do not stand where they say.

    Parameters
    ----------
    quotes, negatives : iterable of Span
    text_of : callable
        Text by its hash; None where it is not held.
    finder : callable
        What is found in a text.

    Returns
    -------
    Sorted
    """
    sides = (_by_text(quotes), _by_text(negatives))
    texts, refused, missing = [], list[str](), []
    for sha256 in dict.fromkeys((*sides[0], *sides[1])):
        here = tuple(side.get(sha256, []) for side in sides)
        first, text = (*here[0], *here[1])[0], text_of(sha256)
        if text is None:
            count = len(here[0]) + len(here[1])
            missing.append(f"{first.platform}, {first.document}, sha256 {sha256}: {count} labels")
            continue
        kept_quotes = _standing(here[0], text, refused, set())
        kept_negatives = _standing(here[1], text, refused, {_key(span) for span in kept_quotes})
        texts.append(
            LabelledText(
                sha256, first.family, first.platform, first.document, kept_quotes, kept_negatives,
                tuple(finder(sha256, text)),
            )
        )  # fmt: skip
    return Sorted(tuple(texts), tuple(refused), tuple(missing))


def _by_text(spans: Iterable[Span]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(span.sha256, []).append(span)
    return found


def _key(span: Span) -> tuple[int, int, str]:
    return span.start, span.end, span.surface


def _standing(
    spans: Sequence[Span], text: str, refused: list[str], taken: set[tuple[int, int, str]]
) -> tuple[Span, ...]:
    """Labels that stand where they say, each once; the others are refused with a line."""
    kept = []
    for span in spans:
        if text[span.start : span.end] != span.quote:
            refused.append(f"{span.where}: the quote does not stand at characters {span.start} to {span.end}")
        elif _key(span) in taken:
            refused.append(f"{span.where}: this clause is already labelled on {span.surface}")
        else:
            taken.add(_key(span))
            kept.append(span)
    return tuple(kept)


def overlaps(start: int, end: int, span: Span) -> bool:
    """Say whether two spans overlap by at least half of the shorter one.

    Parameters
    ----------
    start, end : int
        Offsets in code points.
    span : Span
    """
    common = min(end, span.end) - max(start, span.start)
    return common > 0 and 2 * common >= min(end - start, span.end - span.start)


def judge(finding: ClauseFinding, text: LabelledText) -> str:
    """Judge a finding.

    Parameters
    ----------
    finding : ClauseFinding
    text : LabelledText
        What it was found in.

    Returns
    -------
    str
        `right`, `wrong`, `elsewhere` (the clause is labelled on another surface only) or `unjudged`.
    """
    touched = [span for span in text.quotes if overlaps(finding.start, finding.end, span)]
    if any(span.surface == finding.surface for span in touched):
        return "right"
    if any(span.surface == finding.surface and overlaps(finding.start, finding.end, span) for span in text.negatives):
        return "wrong"
    if finding.surface == "training_use" and _TRAINING_WORD.search(finding.quote):
        return "wrong"
    return "elsewhere" if touched else "unjudged"


def score_clauses(texts: Iterable[LabelledText], without: Collection[str] = ()) -> dict[str, Tally]:
    """Count precision, recall, levels and reported negatives.

    Parameters
    ----------
    texts : iterable of LabelledText
    without : collection of str
        Rules whose findings are left out.

    Returns
    -------
    dict of str to Tally
        Each of `riskanalytics.models.SURFACES`.
    """
    tallies = {surface: Tally() for surface in SURFACES}
    for text in texts:
        found = [finding for finding in text.findings if finding.rule not in without]
        for finding in found:
            _count_finding(tallies[finding.surface], finding, text)
        for span in text.quotes:
            _count_clause(tallies[span.surface], span, found)
        for span in text.negatives:
            tallies[span.surface].negatives += 1
            tallies[span.surface].negatives_hit += any(
                judge(finding, text) != "right" for finding in _hits(span, found)
            )
    return tallies


def total(tallies: Mapping[str, Tally]) -> Tally:
    """Return all surfaces together.

    Parameters
    ----------
    tallies : mapping of str to Tally
    """
    whole = Tally()
    for tally in tallies.values():
        whole.add(tally)
    return whole


def _count_finding(tally: Tally, finding: ClauseFinding, text: LabelledText) -> None:
    verdict = judge(finding, text)
    tally.found += 1
    tally.right += verdict == "right"
    tally.judged += verdict in ("right", "wrong")
    if verdict == "wrong":
        tally.wrong.append((text, finding))


def _hits(span: Span, found: Iterable[ClauseFinding]) -> list[ClauseFinding]:
    return [item for item in found if item.surface == span.surface and overlaps(item.start, item.end, span)]


def _count_clause(tally: Tally, span: Span, found: Iterable[ClauseFinding]) -> None:
    tally.labelled += 1
    hits = _hits(span, found)
    if not hits:
        tally.missed.append(span)
        return
    tally.hit += 1
    best = max(hits, key=lambda item: min(item.end, span.end) - max(item.start, span.start))
    tally.level_right += best.risk == span.risk
    if best.risk != span.risk:
        tally.off_level.append((span, best))
