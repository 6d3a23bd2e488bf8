"""What is different between two texts of one document, judged against all texts before.

A statement is the same when its words are (links, ids, marks, case, dates and addresses aside). Three of four
recorded changes of policies are noise, so the classes are, in the order in which they are tried:

`capture_failure`  one of the two texts is no good capture of the document, or holds another one besides, or they are in
                   different languages; nothing is concluded.
`format`           no statement differs.
`revert`           every new statement was in an earlier text, and no finding is gone that all
                   earlier texts had: the document flipped back to what it said before.
`material`         on some surface a finding is added or removed, or changes level, scope or polarity.
`wording`          statements differ, and no finding moved.

A statement that was rewritten is no material change unless the words that differ carry weight (a negation, a figure,
an exception, a new recipient), nor is one that was joined, parted, or put into or out of a table or a list. A statement
in both texts has not moved, however it is read there, unless its lead-in turned. What users must do
or must not do is no practice of the vendor.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple, cast

from riskanalytics.surfaces import surface_name

from .align import balances_of, directions_of, overall, weight
from .capture import SUBSTANTIAL, check_capture, holds_another, other_region
from .moving import FindingSaid, Moving, Text, said, text_of
from .reading import extract
from .records import Altered, CaptureCheck, Comparison, Move, Reading

_MOST_SHOWN: Final = 40


class Comparer:
    """Compares the good texts of one document one after the other, remembering all that was said before.

    Memory and time grow with new statements, not with the number of texts.
    """

    def __init__(self) -> None:
        self._last: Text | None = None
        self._said: set[str] = set()
        self._always: set[FindingSaid] = set()
        self._states: set[int] = set()

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
        after, before = text_of(text, reading), self._last
        result = None if before is None else self._compared(before, after)
        self._always = set(after.findings) if before is None else self._always & after.findings.keys()
        self._last = after
        self._said.update(after.words)
        self._states.add(after.state)
        return result

    def _compared(self, before: Text, after: Text) -> Comparison:
        """Classify the difference between two texts."""
        kept = len(before.findings.keys() & after.findings.keys())
        if unlike := _unlike(before, after):
            return Comparison("capture_failure", kept=kept, summary=f"{unlike}: nothing is concluded.")
        moving = Moving(before, after)
        new, gone, moves = moving.new, moving.gone, moving.moves
        if not new and not gone and not moves:
            return Comparison("format", kept=kept, summary="Only links, marks, dates or spacing differ.")
        surface_of = {key: surface for surface, key in (*before.findings, *after.findings)}
        rewritten = [
            Altered(before.words[old], after.words[now], surface_of.get(now) or surface_of.get(old))
            for now, old in moving.pairs.items()
        ]
        altered = tuple(sorted(rewritten, key=lambda row: row.surface is None)[:_MOST_SHOWN])
        back = self._is_revert(new, moves, before.state, after.state)
        if not back and not moves:
            summary = f"{len(new)} statements new or reworded, {len(gone)} gone; no finding moved."
            return Comparison("wording", altered=altered, kept=kept, summary=summary)
        whole = before.with_leads(), after.with_leads()
        sides = tuple(whole[0].findings.values()), tuple(after.findings.values())
        weighed = tuple(Moving(*whole).moves)
        change_class = "revert" if back else "material"
        return _described(Comparison(change_class, altered=altered, kept=kept, weighed=weighed, findings=sides), moves)

    def _is_revert(self, new: Sequence[str], moves: Sequence[Move], before: int, after: int) -> bool:
        """Say whether the document flipped back to what it said before."""
        if before != after and after in self._states:
            return True
        gone = {said(move.before) for move in moves if move.before}
        back = new or any(move.after is None for move in moves)
        return bool(back) and self._said.issuperset(new) and self._always.isdisjoint(gone)


def _unlike(before: Text, after: Text) -> str:
    """Say in one line why two good texts cannot be compared clause by clause; nothing where they can."""
    if before.language != after.language and "und" not in (before.language, after.language):
        return "The two texts are in different languages"
    if holds_another(after.words, before.words):
        return "The later text holds another document besides"
    if holds_another(before.words, after.words):
        return "The earlier text held another document besides"
    return "One of the two texts is the variant for another region" if other_region(before.words, after.words) else ""


def compare(
    before: str, after: str, earlier: Sequence[str] = (), *, readings: tuple[Reading, Reading] | None = None
) -> Comparison:
    """Compare two texts of one document.

    Parameters
    ----------
    before, after : str
        The texts, decoded, not normalised.
    earlier : sequence of str
        Texts before `before`, oldest first: a statement that one of them had is not new.
    readings : tuple of Reading, optional
        What was read out of `before` and `after`, where it is known already.

    Returns
    -------
    Comparison
        `capture_failure` where `after`, or `before`, is no good capture of the document.
    """
    check = check_capture(after, last_good=before)
    if check.state != "good":
        summary = f"The later capture is no good copy of the document ({check.check}): nothing is concluded."
        return Comparison("capture_failure", summary=summary)
    # a text that is a policy in itself may grow
    check = check_capture(before, last_good=after if len(before) < SUBSTANTIAL else None)
    if check.state != "good":
        summary = f"The earlier capture was no good copy of the document ({check.check}); it is back."
        return Comparison("capture_failure", summary=summary)
    comparer = Comparer()
    for text in earlier:
        comparer.step(text, extract(text))
    first, second = readings or (extract(before), extract(after))
    comparer.step(before, first)
    return cast("Comparison", comparer.step(after, second))


def without(comparison: Comparison, left_out: Callable[[Move], bool]) -> Comparison:
    """Return a comparison that does not count some of its moves.

    Parameters
    ----------
    comparison : Comparison
    left_out : callable
        From a move to whether it does not count.

    Returns
    -------
    Comparison
        Of the class `wording` where it was material and nothing is left of it.
    """
    moves = [move for move in comparison.moves if not left_out(move)]
    if len(moves) == len(comparison.moves):
        return comparison
    if not moves and comparison.change_class == "material":
        summary = f"{len(comparison.moves)} findings went to or came from another document of the platform."
        return Comparison("wording", altered=comparison.altered, kept=comparison.kept, summary=summary)
    weighed = tuple(move for move in comparison.weighed if not left_out(move))
    return _described(replace(comparison, weighed=weighed), moves)


def _described(found: Comparison, moves: Sequence[Move]) -> Comparison:
    """Describe a difference by the findings that it moves."""
    balances, moved = balances_of(found.weighed, found.findings), {move.shown.surface for move in moves}
    directions = directions_of(balances, moved)

    def decides(move: Move) -> tuple[bool, int]:
        """Whether it leads to where its surface goes, and its weight."""
        direction = directions[move.shown.surface]
        return direction == "mixed" or move.step * {"up": 1, "down": -1}.get(direction, 0) > 0, weight(move)

    moves = sorted(moves, key=decides, reverse=True)
    return replace(
        found,
        surfaces=tuple(directions),
        direction=overall(balances, directions),
        directions=directions,
        moves=tuple(moves),
        added=tuple(move.after for move in moves if move.after is not None),
        removed=tuple(move.before for move in moves if move.before is not None),
        summary=_summary(found.change_class, tuple(directions), moves),
    )


def _summary(change_class: str, surfaces: tuple[str, ...], moves: Sequence[Move]) -> str:
    """One plain line about a difference."""
    if not moves:
        return "Back to an earlier text; no finding moved."
    named = ", ".join(map(surface_name, surfaces[:3]))
    more = f" and {len(surfaces) - 3} more" if len(surfaces) > 3 else ""
    kinds = Counter(move.kind for move in moves)
    counts = [f"{kinds[word]} {word}" for word in ("added", "removed", "rewritten") if kinds[word]]
    back = "Back to earlier words. " if change_class == "revert" else ""
    return f"{back}Findings on {named}{more}: {', '.join(counts)}."


_LASTS: Final = timedelta(days=30)
"""How long a much shorter text must last before it is the document: a day's fault in an archive's declaration that
pasted other documents in must not make every right capture after it look collapsed, and a fault of some days must
not remove findings."""


class Kept(NamedTuple):
    """A capture as a database keeps it.

    Parameters
    ----------
    at : str
        When it was made, ISO 8601.
    sha256 : str
        Of its text.
    body : bytes
        Its text in UTF-8, packed by zlib.
    reading : Reading or None
        What the present rules read in it, where they have read it already.
    """

    at: str
    sha256: str
    body: bytes
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What a walk made of one capture.

    Parameters
    ----------
    check : CaptureCheck
    reading : Reading or None
        None where the capture is no good one, or is the last good text again.
    comparison : Comparison or None
        With the good text before; None for the first one, or if nothing happened.
    """

    check: CaptureCheck
    reading: Reading | None = None
    comparison: Comparison | None = None


class Walk:
    """Takes the captures of one document in the order of its history."""

    def __init__(self) -> None:
        self._comparer = Comparer()
        self._good: tuple[str, str] | None = None
        self._shorter_since: str | None = None
        self._broken = False

    def step(self, at: str, sha256: str, text: str, read: Callable[[str], Reading] = extract) -> Taken:
        """Check a capture, and read and compare it where it is a good one.

        A text that is a policy in itself and has been below a share of the last good one for thirty days is good by the
        check `shorter_for_good`.

        Parameters
        ----------
        at : str
            When it was made, ISO 8601.
        sha256 : str
            Of the text.
        text : str
            Decoded, not normalised.
        read : callable, optional
            Reads a text; called only if needed.

        Returns
        -------
        Taken
        """
        before = self._good
        if before and before[0] == sha256:  # it need not be looked at
            self._shorter_since, self._broken = None, False
            return Taken(CaptureCheck("good", "passed"))
        check = self._checked(at, text, before and before[1])
        if check.state != "good":
            summary = f"The capture failed the check {check.check.replace('_', ' ')}; the last good text stays current."
            failed = Comparison("capture_failure", summary=summary) if before and not self._broken else None
            self._broken = True
            return Taken(check, None, failed)
        self._good, self._broken = (sha256, text), False
        reading = read(text)
        return Taken(check, reading, self._comparer.step(text, reading))

    def _checked(self, at: str, text: str, last_good: str | None) -> CaptureCheck:
        """Check a capture, and remember since when the document has been much shorter than its last good text."""
        check = check_capture(text, last_good=last_good)
        if check.check != "collapsed" or len(text) < SUBSTANTIAL or check_capture(text).state != "good":
            self._shorter_since = None
            return check
        self._shorter_since = self._shorter_since or at
        if datetime.fromisoformat(at) - datetime.fromisoformat(self._shorter_since) < _LASTS:
            return check
        self._shorter_since = None
        return CaptureCheck("good", "shorter_for_good")


def unpacked(body: bytes) -> str:
    """Return the text of a snapshot.

    Parameters
    ----------
    body : bytes
        As the table `snapshot` keeps it.
    """
    return zlib.decompress(body).decode("utf-8", errors="replace")


def walked(captures: Iterable[Kept]) -> list[Taken]:
    """Take all captures of one document.

    Parameters
    ----------
    captures : iterable of Kept
        In the order of its history.

    Returns
    -------
    list of Taken
        In the same order.
    """
    walk = Walk()
    return [walk.step(one.at, one.sha256, unpacked(one.body), partial(_read, one.reading)) for one in captures]


def _read(known: Reading | None, text: str) -> Reading:
    """Read a text where that was not done before."""
    return known or extract(text)
