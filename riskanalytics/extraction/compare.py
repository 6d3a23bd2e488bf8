"""What is different between two texts of one document, judged against all texts before.

A sentence is the same when its words are (links, marks, dates and addresses aside). Three of four recorded
changes are noise; material is only what adds, removes or changes a finding's level, scope or polarity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from rapidfuzz import fuzz, process

from riskanalytics.extraction.plain import plain, sentence_key
from riskanalytics.extraction.reading import extract
from riskanalytics.extraction.records import Altered, ClauseFinding, Comparison, Reading
from riskanalytics.extraction.segment import segment

_ALIKE: Final = 60.0
_SAME_FINDING: Final = 88.0
_MOST_PAIRED: Final = 400
_WEIGHT: Final = {"HIGH": 3, "MED": 2, "LOW": 1}
_DIGITS: Final = re.compile(r"\d+")
_BANNER: Final = re.compile(r"\b(?:consent|cookies?|banner|storage|preferences)\b")


class _Text(NamedTuple):
    """What a comparison needs of one text."""

    sentences: dict[str, str]
    """Key -> plain words, of every clause that is not a heading."""
    findings: dict[tuple[str, str], ClauseFinding]
    """(surface, key) -> finding."""
    reading: Reading


def _text(text: str, reading: Reading) -> _Text:
    """Cut a text into what is compared."""
    sentences: dict[str, str] = {}
    for clause in segment(text):
        words = plain(text[clause.start : clause.end])
        if key := sentence_key(words):
            sentences.setdefault(key, words)
    findings = {(finding.surface, sentence_key(plain(finding.quote))): finding for finding in reading.findings}
    return _Text(sentences, findings, reading)


class Comparer:
    """Compares the good texts of one document one after the other, remembering all that was said before.

    Memory and time grow with new sentences, not with the number of texts.
    """

    def __init__(self) -> None:
        self._last: _Text | None = None
        self._said: set[str] = set()
        self._found: set[tuple[str, str]] = set()

    def step(self, text: str, reading: Reading) -> Comparison | None:
        """Compare a text with the one before and with all before that.

        Parameters
        ----------
        text : str
            The next good text.
        reading : Reading
            Its findings.

        Returns
        -------
        Comparison or None
            None for the first text.
        """
        after, before = _text(text, reading), self._last
        result = None if before is None else _compared(before, after, self._said, self._found)
        self._last = after
        self._said.update(after.sentences)
        self._found.update(after.findings)
        return result


def compare(before: str, after: str, earlier: Sequence[str] = ()) -> Comparison:
    """Compare two texts of one document.

    Parameters
    ----------
    before, after : str
        The texts, decoded, not normalised.
    earlier : sequence of str
        Texts before `before`, oldest first: a sentence that one of them had is not new.

    Returns
    -------
    Comparison
    """
    comparer = Comparer()
    for text in (*earlier, before):
        comparer.step(text, extract(text))
    result = comparer.step(after, extract(after))
    assert result is not None  # noqa: S101 (a text stood before)
    return result


def _compared(before: _Text, after: _Text, said: set[str], found: set[tuple[str, str]]) -> Comparison:
    """Classify the difference between two texts."""
    new = [key for key in after.sentences if key not in before.sentences]
    gone = [key for key in before.sentences if key not in after.sentences]
    kept = len(before.findings.keys() & after.findings.keys())
    if not new and not gone:
        return Comparison("format", kept=kept, summary="Only marks, links or spacing differ.")
    pairs = _paired(before, after, gone, new)
    added, removed, levels = _moved_findings(before, after, pairs)
    if not added and not removed and not levels:
        return Comparison("wording", altered=_altered(before, after, pairs), kept=kept, summary=_wording(new, gone))
    unseen = [key for key in added if key not in found]
    if not unseen and not levels and all(key in said for key in new):
        return _material("revert", before, after, (added, removed, levels), pairs, kept)
    return _material("material", before, after, (added, removed, levels), pairs, kept)


def _paired(before: _Text, after: _Text, gone: list[str], new: list[str]) -> dict[str, str]:
    """New sentence -> the one that it replaced, where one is alike."""
    pairs: dict[str, str] = {}
    left = gone[:_MOST_PAIRED]
    for key in new[:_MOST_PAIRED]:
        best = process.extractOne(key, left, scorer=fuzz.token_sort_ratio, score_cutoff=_ALIKE)
        if best is not None:
            pairs[key] = best[0]
            left.remove(best[0])
    return pairs


_Moves = tuple[list[tuple[str, str]], list[tuple[str, str]], list[tuple[tuple[str, str], tuple[str, str]]]]


def _moved_findings(before: _Text, after: _Text, pairs: dict[str, str]) -> _Moves:
    """Findings added, removed, and those whose sentence was rewritten with another level, scope or polarity."""
    added = [key for key in after.findings if key not in before.findings]
    removed = [key for key in before.findings if key not in after.findings]
    for surface, key in tuple(added):
        old = (surface, pairs.get(key, ""))
        if old in removed and _same_saying(before.findings[old], after.findings[surface, key], old[1], key):
            added.remove((surface, key))
            removed.remove(old)
    levels = []
    for new_key in tuple(added):
        old_key = (new_key[0], pairs.get(new_key[1], ""))
        if old_key in removed:
            added.remove(new_key)
            removed.remove(old_key)
            levels.append((old_key, new_key))
    return added, removed, levels


def _same_saying(before: ClauseFinding, after: ClauseFinding, old: str, new: str) -> bool:
    """Say whether a rewritten sentence still says the same: level, polarity, scope, stance and figures."""
    same = (
        before.risk == after.risk
        and before.polarity == after.polarity
        and before.stance == after.stance
        and before.scope == after.scope
    )
    figures = Counter(_DIGITS.findall(old)) == Counter(_DIGITS.findall(new))
    figures = figures or before.surface not in ("data_retention", "terms_changes")
    return same and figures and (before.rule == after.rule or fuzz.token_sort_ratio(old, new) >= _SAME_FINDING)


def _material(
    change_class: str, before: _Text, after: _Text, moves: _Moves, pairs: dict[str, str], kept: int
) -> Comparison:
    """Describe a difference that moves findings."""
    added, removed, levels = moves
    touched = Counter(key[0] for key in (*added, *removed, *(new for _, new in levels)))
    surfaces = tuple(sorted(touched, key=lambda name: (name != "training_use", -touched[name], name)))
    up = sum(_effect(after.findings[key]) > 0 for key in added)
    up += sum(_effect(before.findings[key]) < 0 for key in removed)
    down = sum(_effect(after.findings[key]) < 0 for key in added)
    down += sum(_effect(before.findings[key]) > 0 for key in removed)
    for old, new in levels:
        step = _effect(after.findings[new]) - _effect(before.findings[old])
        up, down = up + (step > 0), down + (step < 0)
    new_findings = [after.findings[key] for key in (*added, *(new for _, new in levels))]
    old_findings = [before.findings[key] for key in (*removed, *(old for old, _ in levels))]
    return Comparison(
        change_class,
        surfaces,
        "mixed" if up and down else "up" if up else "down" if down else "none",
        added=tuple(new_findings),
        removed=tuple(old_findings),
        altered=_altered(before, after, pairs),
        kept=kept,
        summary=_summary(change_class, surfaces, len(new_findings), len(old_findings)),
    )


def _effect(finding: ClauseFinding) -> int:
    """What a finding does to the risk: its level, signed; nothing where it is neutral."""
    sign = {"raises_risk": 1, "mitigates_risk": -1}.get(finding.polarity, 0)
    return sign * (_WEIGHT[finding.risk] if sign > 0 else 4 - _WEIGHT[finding.risk])


def _altered(before: _Text, after: _Text, pairs: dict[str, str]) -> tuple[Altered, ...]:
    """Rewritten sentences, those with findings first; at most forty."""
    surface_of = {key: surface for surface, key in (*before.findings, *after.findings)}
    rows = [
        Altered(before.sentences[old], after.sentences[new], surface_of.get(new) or surface_of.get(old))
        for new, old in pairs.items()
        if before.sentences[old] != after.sentences[new]
    ]
    return tuple(sorted(rows, key=lambda row: row.surface is None)[:40])


def _wording(new: list[str], gone: list[str]) -> str:
    """One line about a difference that moves no finding."""
    if len(new) > 20 and sum(bool(_BANNER.search(key)) for key in new) * 3 > len(new):
        return "A consent banner or menu was captured with the document."
    return f"{len(new)} sentences reworded or new, {len(gone)} gone; no finding moved."


def _summary(change_class: str, surfaces: tuple[str, ...], added: int, removed: int) -> str:
    """One line about a difference that moves findings."""
    named = ", ".join(name.replace("_", " ") for name in surfaces[:3])
    more = f" and {len(surfaces) - 3} more" if len(surfaces) > 3 else ""
    back = "Back to earlier words on " if change_class == "revert" else "On "
    return f"{back}{named}{more}: {added} clauses added or rewritten, {removed} removed or replaced."
