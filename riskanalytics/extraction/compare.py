"""What is different between two texts of one document, judged against all texts before.

A statement is the same when its words are (links, ids, marks, case, dates and addresses aside). Three of four
recorded changes of policies are noise, so the classes are, in the order in which they are tried:

`capture_failure`  one of the two texts is no good capture of the document; nothing is concluded.
`format`           no statement differs.
`revert`           every statement that is new stood in an earlier text, and no finding is gone that all
                   earlier texts had: the document flipped back to what it said before.
`material`         on some surface a finding is added or removed, or changes level, scope or polarity.
`wording`          statements differ, and no finding moved.

A statement that was rewritten and is read in the same way is no material change, unless the words that differ
carry weight (a negation, a figure, an exception, a new recipient).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from riskanalytics.extraction.align import Pairs, carries_weight, paired
from riskanalytics.extraction.capture import SUBSTANTIAL, check_capture
from riskanalytics.extraction.reading import extract, statement_key, statements
from riskanalytics.extraction.records import Altered, ClauseFinding, Comparison, Reading

_WEIGHT: Final = {"HIGH": 3, "MED": 2, "LOW": 1}
_MOST_SHOWN: Final = 40
_TELLING: Final = 24
_TELLING_CHINESE: Final = 10
"""Characters from which words tell where they stand."""
_LIST_MARKS: Final = frozenset(
    ["ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", *"abcdefghijklmnop"]
)

FindingSaid = tuple[str, str]
"""Surface and statement key of a finding."""


@dataclass(frozen=True)
class _Text:
    """What a comparison needs of one text."""

    words: dict[str, str]
    """Statement key -> what a reader sees."""
    findings: dict[FindingSaid, ClauseFinding]
    state: int
    """Hash of all statement keys."""

    @cached_property
    def flow(self) -> str:
        """All words one after the other, whatever the sentences they stand in."""
        return "".join(self.flows)

    @cached_property
    def flows(self) -> dict[str, str]:
        """The same, statement by statement, with the words that a reader sees."""
        return {_flow(key): said for key, said in self.words.items()}

    def repeats(self, key: str, other: _Text) -> bool:
        """Say whether the words of a statement stand in another text as often, in whatever sentences and markup.

        Not where they are part of a statement there that limits or turns them ("never ..., except ..."), unless the
        rest of that statement stands here too: then sentences were joined or parted.
        """
        words = _flow(key)
        if len(words) < (_TELLING if words.isascii() else _TELLING_CHINESE):
            return False
        if other.flow.count(words) < self.flow.count(words):
            return False
        longer = [flow for flow in other.flows if words in flow and flow != words]
        return not any(
            carries_weight(key, other.flows[flow]) and flow.replace(words, "", 1) not in self.flow for flow in longer
        )


class _Moves(NamedTuple):
    """Findings that moved between two texts."""

    added: list[FindingSaid]
    removed: list[FindingSaid]
    changed: list[tuple[FindingSaid, FindingSaid]]
    """Rewritten, or read otherwise: before and after."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


class Comparer:
    """Compares the good texts of one document one after the other, remembering all that was said before.

    Memory and time grow with new statements, not with the number of texts.
    """

    def __init__(self) -> None:
        self._last: _Text | None = None
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
        after, before = _text(text, reading), self._last
        result = None if before is None else self._compared(before, after)
        self._always = set(after.findings) if before is None else self._always & after.findings.keys()
        self._last = after
        self._said.update(after.words)
        self._states.add(after.state)
        return result

    def _compared(self, before: _Text, after: _Text) -> Comparison:
        """Classify the difference between two texts."""
        kept = len(before.findings.keys() & after.findings.keys())
        new = [key for key in after.words if key not in before.words]
        gone = [key for key in before.words if key not in after.words]
        pairs = paired(gone, new)
        moves = _moves(before, after, pairs)
        if not new and not gone and not moves:
            return Comparison("format", kept=kept, summary="Only links, marks, dates or spacing differ.")
        altered = _altered(before, after, pairs)
        if self._is_revert(new, moves, after.state):
            return _described("revert", before, after, moves, altered=altered, kept=kept)
        if moves:
            return _described("material", before, after, moves, altered=altered, kept=kept)
        summary = f"{len(new)} statements new or reworded, {len(gone)} gone; no finding moved."
        return Comparison("wording", altered=altered, kept=kept, summary=summary)

    def _is_revert(self, new: list[str], moves: _Moves, state: int) -> bool:
        """Say whether the document flipped back to what it said before."""
        if state in self._states and not (self._last and state == self._last.state):
            return True
        gone = [*moves.removed, *(old for old, _ in moves.changed)]
        back = bool(new) or bool(moves.removed)
        return back and all(key in self._said for key in new) and not any(key in self._always for key in gone)


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
    grown = len(before) >= SUBSTANTIAL  # a policy in itself: it grew
    check = check_capture(before) if grown else check_capture(before, last_good=after)
    if check.state != "good":
        summary = f"The earlier capture was no good copy of the document ({check.check}); it is back."
        return Comparison("capture_failure", summary=summary)
    comparer = Comparer()
    for text in earlier:
        comparer.step(text, extract(text))
    first, second = readings or (extract(before), extract(after))
    comparer.step(before, first)
    result = comparer.step(after, second)
    assert result is not None  # noqa: S101 (a text stood before)
    return result


def _text(text: str, reading: Reading) -> _Text:
    """Cut a text into what is compared."""
    words = {statement.key: statement.words for statement in statements(text) if statement.key}
    findings: dict[FindingSaid, ClauseFinding] = {}
    for finding in reading.findings:
        findings.setdefault((finding.surface, statement_key(finding.quote)), finding)
    return _Text(words, findings, hash(frozenset(words)))


def _flow(key: str) -> str:
    """Give the words of a statement without the spaces and the marks of lists between them."""
    return "".join([word for word in key.split() if word not in _LIST_MARKS])


def _moves(before: _Text, after: _Text, pairs: Pairs) -> _Moves:
    """Findings added and removed, and those that say something else now.

    A finding whose words still stand, or stood before, in other sentences or other markup has not moved. One whose
    statement was rewritten has moved where the words that differ carry weight, or it is read otherwise.
    """
    added = [key for key in after.findings if key not in before.findings and not after.repeats(key[1], before)]
    gone = [key for key in before.findings if key not in after.findings and not before.repeats(key[1], after)]
    removed = dict.fromkeys(gone)
    changed = [
        (key, key)
        for key in after.findings.keys() & before.findings.keys()
        if _turned(before.findings[key], after.findings[key])
        and not _of_model(before.findings[key], after.findings[key])
    ]
    fresh = []
    for new in added:
        old = (new[0], pairs.get(new[1], ""))
        if old in removed:
            del removed[old]
            if _turned(before.findings[old], after.findings[new]) or _rewritten(before, after, old[1], new[1]):
                changed.append((old, new))
        elif not old[1] or _rewritten(before, after, old[1], new[1]):
            fresh.append(new)
    for new_words, old_words in pairs.items():
        if not _rewritten(before, after, old_words, new_words):
            for key in [key for key in removed if key[1] == old_words]:
                del removed[key]
    return _Moves(fresh, list(removed), sorted(changed))


def _rewritten(before: _Text, after: _Text, old: str, new: str) -> bool:
    """Say whether the words that differ between two statements could change what they mean."""
    return carries_weight(before.words.get(old, ""), after.words.get(new, ""))


def _of_model(*findings: ClauseFinding) -> bool:
    """Say whether the model decided on all of them: another heading alone may move what it makes of the same words."""
    return all(".learned." in finding.rule for finding in findings)


def _turned(before: ClauseFinding, after: ClauseFinding) -> bool:
    """Say whether two findings of the same surface say something else: effect, answer on training, or whom it is for.

    The level alone does not turn a finding: it may follow from another clause, which is compared itself.
    """
    audiences = {before.scope.audience, after.scope.audience}
    return (
        before.polarity != after.polarity
        or before.stance != after.stance
        or before.scope.product != after.scope.product
        or (len(audiences) > 1 and None not in audiences)
    )


def _described(
    change_class: str, before: _Text, after: _Text, moves: _Moves, *, altered: tuple[Altered, ...], kept: int
) -> Comparison:
    """Describe a difference by the findings that it moves."""
    touched = Counter(key[0] for key in (*moves.added, *moves.removed, *(new for _, new in moves.changed)))
    surfaces = tuple(sorted(touched, key=lambda name: (name != "training_use", -touched[name], name)))
    added = tuple(after.findings[key] for key in (*moves.added, *(new for _, new in moves.changed)))
    removed = tuple(before.findings[key] for key in (*moves.removed, *(old for old, _ in moves.changed)))
    return Comparison(
        change_class,
        surfaces,
        _direction(before, after, moves, surfaces[0]) if surfaces else "none",
        added=added,
        removed=removed,
        altered=altered,
        kept=kept,
        summary=_summary(change_class, surfaces, moves),
    )


def _direction(before: _Text, after: _Text, moves: _Moves, surface: str) -> str:
    """Say whether the risk rises, falls or both on a surface; both needs weight on either side."""
    steps = [_effect(after.findings[key]) for key in moves.added if key[0] == surface]
    steps += [-_effect(before.findings[key]) for key in moves.removed if key[0] == surface]
    steps += [
        _effect(after.findings[new]) - _effect(before.findings[old]) for old, new in moves.changed if new[0] == surface
    ]
    up, down = sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0)
    if not up and not down:
        return "none"
    if 2 * min(up, down) > max(up, down):
        return "mixed"
    return "up" if up > down else "down"


def _effect(finding: ClauseFinding) -> int:
    """What a finding does to the risk: its level, signed; nothing where it is neutral."""
    if finding.polarity == "raises_risk":
        return _WEIGHT[finding.risk]
    return _WEIGHT[finding.risk] - 4 if finding.polarity == "mitigates_risk" else 0


def _altered(before: _Text, after: _Text, pairs: Pairs) -> tuple[Altered, ...]:
    """Rewritten statements, those with findings first."""
    surface_of = {key: surface for surface, key in (*before.findings, *after.findings)}
    rows = [
        Altered(before.words[old], after.words[new], surface_of.get(new) or surface_of.get(old))
        for new, old in pairs.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.surface is None)[:_MOST_SHOWN])


def _summary(change_class: str, surfaces: tuple[str, ...], moves: _Moves) -> str:
    """One plain line about a difference."""
    if not moves:
        return "Back to an earlier text; no finding moved."
    named = ", ".join(name.replace("_", " ") for name in surfaces[:3])
    more = f" and {len(surfaces) - 3} more" if len(surfaces) > 3 else ""
    counts = [
        f"{count} {word}"
        for count, word in (
            (len(moves.added), "added"),
            (len(moves.removed), "removed"),
            (len(moves.changed), "rewritten"),
        )
        if count
    ]
    back = "Back to earlier words. " if change_class == "revert" else ""
    return f"{back}Findings on {named}{more}: {', '.join(counts)}."
