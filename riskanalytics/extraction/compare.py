"""Compare two texts of one document, given all earlier texts.

A statement is a clause of a text. Two statements are the same if their words are the same, apart from links, ids, punctuation,
case, dates and addresses. Three quarters of the recorded changes of policies do not change what a policy says. Therefore each
change gets one of these classes, tried in this order:

`capture_failure`  One of the two texts is not a good capture of the document, contains a second document, is meant for
                   another region, or is in another language. The texts are not compared.
`format`           No statement differs, or the same words in the same order are only divided into other statements.
`revert`           The document went back to what it said before: every new statement was in an earlier text, and every
                   finding that all earlier texts had is still there.
`wording`          Statements differ, but no finding was added, removed or changed in meaning.
`material`         A finding moved: it was added, removed, or rewritten so that it may mean something else. Or no finding
                   moved, but all readers (language models) that judged the change, at least two, say that the text changed
                   in substance.

A rewritten statement moves its finding only if a word that differs may change the meaning (a negation, a figure, an
exception, a new recipient). Joining or splitting statements, or moving them into or out of a table or list, moves no finding. A
finding whose statement is in both texts has not moved, unless a negation, limit or exception was added to or removed from its
lead-in. A finding that only states a duty of users never counts as added or removed.
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined

from .align import balances_of, directions_of, overall, weight
from .capture import SUBSTANTIAL, CaptureCheck, check_capture, holds_another, other_region
from .changed import Changed, agreed, in_substance, views
from .moving import Moving, SurfaceKey, Text, surface_key, text_of
from .plain import DATE_OR_ADDRESS, words_and_key
from .reading import extract
from .records import Altered, Comparison, Course, Move, Reading
from .shipped import readers_with
from .training import read_whole
from .verdicts import Readers

_MOST_SHOWN: Final = 40
_FIGURE: Final = re.compile(
    r"[<>$€£¥] ?\d[\d.,]*|\d[\d.,]* ?(?:%|(?:business |calendar |working )?(?i:minute|hour|day|week|month|year|million|billion)"
    r"|[天日周月年岁万亿])"
)
"""A figure with a sign or a unit, whose change is no matter of form."""


class Comparer:
    """Compares the good texts of one document one after the other, and remembers all earlier clauses.

    Memory and time grow with new clauses, not with the number of texts.
    """

    def __init__(self) -> None:
        self._last: Text | None = None
        self._known: set[str] = set()
        self._always: set[SurfaceKey] = set()
        self._states: set[int] = set()

    def step(self, text: str, reading: Reading) -> Comparison | None:
        """Compare a text with the previous one, given all earlier texts.

        Parameters
        ----------
        text : str
            The next good text.
        reading : Reading
            Its findings and leads.

        Returns
        -------
        Comparison or None
            None for the first text.
        """
        after, before = text_of(text, reading), self._last
        result = None if before is None else self._compared(before, after)
        self._always = set(after.findings) if before is None else self._always & after.findings.keys()
        self._last = after
        self._known.update(after.words)
        self._states.add(after.state)
        return result

    def _compared(self, before: Text, after: Text) -> Comparison:
        """Classify the difference between two texts."""
        kept = len(before.findings.keys() & after.findings.keys())
        if unlike := _unlike(before, after):
            return Comparison("capture_failure", kept=kept, summary=f"{unlike}: not compared.")
        moving = Moving(before, after)
        new, gone, moves = moving.new, moving.gone, moving.moves
        if not moves and (before.flow == after.flow or not (new or gone)):
            if _figures(before) != _figures(after):
                return Comparison(
                    "wording", kept=kept, summary="Only figures or their signs differ; no finding changed."
                )
            return Comparison("format", kept=kept, summary="Only links, punctuation, dates or spacing differ.")
        surface_of = {key: surface for surface, key in (*before.findings, *after.findings)}
        rewritten = [
            Altered(before.words[old], after.words[new_key], surface_of.get(new_key) or surface_of.get(old))
            for new_key, old in moving.pairs.items()
        ]
        altered = tuple(sorted(rewritten, key=lambda row: row.surface is None)[:_MOST_SHOWN])
        back = self._is_revert(new, moves, before.state, after.state)
        if not back and not moves:
            summary = f"Statements: {len(new)} new or reworded, {len(gone)} removed; no finding changed."
            return Comparison("wording", altered=altered, kept=kept, summary=summary)
        whole = before.with_leads(), after.with_leads()
        sides = tuple(whole[0].findings.values()), tuple(after.findings.values())
        weighed = tuple(Moving(*whole).moves)
        change_class = "revert" if back else "material"
        return _described(Comparison(change_class, altered=altered, kept=kept, weighed=weighed, findings=sides), moves)

    def _is_revert(self, new: Sequence[str], moves: Sequence[Move], before: int, after: int) -> bool:
        """Return whether the document went back to what it said before."""
        if before != after and after in self._states:
            return True
        gone = {surface_key(move.before) for move in moves if move.before}
        back = new or any(move.after is None for move in moves)
        return bool(back) and self._known.issuperset(new) and self._always.isdisjoint(gone)


def _turned(move: Move) -> bool:
    """Return whether a finding has the opposite effect with the same words."""
    before, after = move.before, move.after
    if before is None or after is None or before.polarity == after.polarity:
        return False
    return words_and_key(before.quote)[1] == words_and_key(after.quote)[1]


def _figures(text: Text) -> Counter[str]:
    """Return the figures of a text that have a sign or a unit, which keys of sentences do not fully keep; without dates."""
    return Counter(
        figure.replace(" ", "")
        for words in text.words.values()
        for figure in _FIGURE.findall(DATE_OR_ADDRESS.sub(" ", words))
    )


def _unlike(before: Text, after: Text) -> str:
    """Return one line that says why two good texts cannot be compared clause by clause; empty if they can."""
    if before.language != after.language and "und" not in (before.language, after.language):
        return "The two texts are in different languages"
    if holds_another(after.words, before.words):
        return "The later text also contains another document"
    if holds_another(before.words, after.words):
        return "The earlier text also contained another document"
    return "One of the two texts is meant for another region" if other_region(before.words, after.words) else ""


def without(comparison: Comparison, left_out: Callable[[Move], bool]) -> Comparison:
    """Return a comparison without some of its moves (added, removed or rewritten findings).

    Parameters
    ----------
    comparison : Comparison
    left_out : callable
        Takes a move and returns whether to leave it out.

    Returns
    -------
    Comparison
        With the surfaces, directions and summary of the moves that are left. Its class is `wording` if it was `material` and no
        move is left; else unchanged.
    """
    moves = [move for move in comparison.moves if not left_out(move)]
    if len(moves) == len(comparison.moves):
        return comparison
    if not moves and comparison.change_class == "material":
        summary = f"Findings moved between documents of the platform: {len(comparison.moves)}."
        return Comparison("wording", altered=comparison.altered, kept=comparison.kept, summary=summary)
    weighed = tuple(move for move in comparison.weighed if not left_out(move))
    return _described(replace(comparison, weighed=weighed), moves)


def _described(found: Comparison, moves: Sequence[Move]) -> Comparison:
    """Add surfaces, directions and summary to a comparison, given the findings that moved."""
    balances, moved = balances_of(found.weighed, found.findings), {move.shown.surface for move in moves}
    directions = directions_of(balances, moved)
    whole, directions = agreed(found.courses, overall(balances, directions), directions)

    def decides(move: Move) -> tuple[bool, int]:
        """Return whether a move agrees with the direction of its surface, and the weight of the move."""
        direction = directions[move.shown.surface]
        return direction == "mixed" or move.step * {"up": 1, "down": -1}.get(direction, 0) > 0, weight(move)

    moves = sorted(moves, key=decides, reverse=True)
    by = " Language models judged the direction." if len(found.courses) > 1 else ""
    return replace(
        found,
        surfaces=tuple(directions),
        direction=whole,
        directions=directions,
        moves=tuple(moves),
        added=tuple(move.after for move in moves if move.after is not None),
        removed=tuple(move.before for move in moves if move.before is not None),
        summary=f"{_summary(found.change_class, tuple(directions), moves)}{by}",
    )


def _summary(change_class: str, surfaces: tuple[str, ...], moves: Sequence[Move]) -> str:
    """Return one line about a difference."""
    if not moves:
        return "Back to an earlier text; no finding changed."
    named = ", ".join(map(surface_name, surfaces[:3]))
    more = f" and {len(surfaces) - 3} more" if len(surfaces) > 3 else ""
    kinds = Counter(move.kind for move in moves)
    counts = [f"{kinds[word]} {word}" for word in ("added", "removed", "rewritten") if kinds[word]]
    back = "Back to earlier words. " if change_class == "revert" else ""
    return f"{back}Findings on {named}{more}: {', '.join(counts)}."


_LASTS: Final = timedelta(days=30)
"""A much shorter text is accepted as the document if the document stays so short for this time. If never, one faulty capture into
which other documents were pasted would make all later captures look collapsed; if after a short time, a fault of some days would
remove findings."""


class Kept(NamedTuple):
    """A capture as stored in a database.

    Parameters
    ----------
    at : str
        Time of the capture, ISO 8601.
    sha256 : str
        Hash of its text.
    body : bytes
        Its text in UTF-8, compressed by zlib.
    """

    at: str
    sha256: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Taken:
    """What `Walk.step` found in one capture of a document: whether it is good, its findings, and what changed.

    Parameters
    ----------
    check : CaptureCheck
        Whether the capture is good, and which check decided that.
    reading : Reading or None
        Findings and leads of the capture; None if the capture is not good, or if it repeats the last good text.
    comparison : Comparison or None
        Comparison with the previous good text; None if there is no such text yet, if the capture repeats that text, and for
        a failed capture that follows another failed capture.
    """

    check: CaptureCheck
    reading: Reading | None = None
    comparison: Comparison | None = None


class Walk:
    """Checks, reads and compares the captures of one document, oldest first.

    Language models (`Readers`) find more clauses than the package alone, so a finding in only one of two texts might not be a
    change by the vendor. Therefore a comparison uses the verdicts of language models only if they read both texts completely.

    Parameters
    ----------
    groups : sequence of Readers
        Groups of language models, the preferred one first.
    """

    def __init__(self, groups: Sequence[Readers] = ()) -> None:
        self._groups = groups
        self._comparer, self._of_readers = Comparer(), Comparer()
        self._good: tuple[str, str, Reading] | None = None
        self._shorter_since: str | None = None
        self._broken = False

    def step(self, at: str, sha256: str, text: str, alone: Reading | None = None) -> Taken:
        """Check a capture; read and compare it if it is good.

        A text with less than a fifth of the last good text's length at first fails the check `collapsed`. If it is a policy of
        4,000 characters or more, it counts as good once the document has been that short for thirty days (`shorter_for_good`).

        Parameters
        ----------
        at : str
            Time of the capture, ISO 8601.
        sha256 : str
            Hash of the text.
        text : str
            The capture, decoded, not normalised.
        alone : Reading, optional
            What the package alone finds in it, if that is already known.

        Returns
        -------
        Taken
            The result of the check and, for a good text, its findings and leads and its comparison with the last good text.
        """
        before = self._good
        if before and before[0] == sha256:  # the last good text again
            self._shorter_since, self._broken = None, False
            return Taken(CaptureCheck("good", "passed"))
        check = self._checked(at, text, before and before[1])
        if check.state != "good":
            summary = f"The capture failed the check {check.check.replace('_', ' ')}; the last good text stays current."
            failed = Comparison("capture_failure", summary=summary) if before and not self._broken else None
            self._broken = True
            return Taken(check, None, failed)
        alone = alone or extract(text)
        self._good, self._broken = (sha256, text, alone), False
        reading, comparison = read_whole(text, alone, self._groups), self._comparer.step(text, alone)
        if reading.read_by:
            found = self._of_readers.step(text, reading)
            if found and comparison and comparison.change_class in ("wording", "material"):
                comparison = found
        else:
            self._of_readers = Comparer()
        if before and comparison and comparison.change_class in ("wording", "material"):
            forms = [*views(before[1], text, comparison.change_class, (before[2], alone))]
            said = max(map(self._said, forms), key=lambda said: min(len(said), 2), default=[])
            # readers do not see a clause with the same words that went, say, from "we will not:" to "we will:"
            said = [] if any(map(_turned, comparison.moves)) else said
            comparison = replace(comparison, courses=tuple(course for course, _ in said))
            if said and comparison.change_class == "material":
                comparison = _described(comparison, comparison.moves)
            elif said:
                read_by = joined(list(dict.fromkeys(group.read_by for _, group in said)))
                comparison = in_substance(comparison, forms[0], (before[1], text), read_by)
        return Taken(check, reading, comparison)

    def _said(self, changed: Changed) -> list[tuple[Course, Readers]]:
        """Return the judgements of language models on a change, each with the group to which the model belongs."""
        return [(of[changed.key], one) for one in self._groups for of in one.courses.values() if changed.key in of]

    def _checked(self, at: str, text: str, last_good: str | None) -> CaptureCheck:
        """Check a capture, and remember since when the document has been much shorter than the last good text."""
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
        The text in UTF-8, compressed by zlib, as in the table `snapshot` of a database.
    """
    return zlib.decompress(body).decode("utf-8", errors="replace")


def walked(captures: Iterable[Kept], chosen: Readers | None = None) -> list[Taken]:
    """Check, read and compare all captures of one document (see `Walk`).

    Parameters
    ----------
    captures : iterable of Kept
        Oldest first.
    chosen : Readers, optional
        The language models that the database uses. The verdicts that the package ships are always used, too.

    Returns
    -------
    list of Taken
        One result for each capture, in the same order.
    """
    walk = Walk(readers_with(chosen))
    return [walk.step(kept.at, kept.sha256, unpacked(kept.body)) for kept in captures]
