"""Find the findings that moved (were added, removed or rewritten) between two texts of one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final

from riskanalytics.text.substance import TURNING, WEIGHTY, differ_in, excepted_more

from .align import Pairs, covered, effect, paired, particulars, recut, rewriting, weight
from .evidence import is_duty
from .plain import flip, language_of, question, sentence_key, spelled, words_and_key
from .records import ClauseFinding, Move, Reading
from .segment import parts_of

_MEANINGFUL: Final = 24
_MEANINGFUL_CHINESE: Final = 10
"""Number of characters from which words are long enough to be recognised elsewhere."""
_LIST_MARKS: Final = frozenset(
    ["ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", *"abcdefghijklmnop"]
)

SurfaceKey = tuple[str, str]
"""Surface and statement key of a finding."""


@dataclass(frozen=True)
class Text:
    """One text, prepared for a comparison. A statement is a clause.

    The key of a statement is its words without case, punctuation, dates and addresses (`plain.sentence_key`).

    Parameters
    ----------
    order : list of str
        Statement keys in the order of the text.
    words : dict of str to str
        Statement key -> plain words.
    above : dict of str to str
        Statement key -> words that introduce the statement: the lead-in of its list, or the first row of its table.
    titles : dict of str to str
        Statement key of a list item without a lead-in -> heading of its list.
    findings : dict of SurfaceKey to ClauseFinding
        Surface and statement key -> the first finding with both.
    leads : tuple of ClauseFinding
        All leads of the text.
    state : int
        Hash of all statement keys.
    language : str
        ISO 639-1 code, or `und` for a text too short to identify.
    """

    order: list[str]
    words: dict[str, str]
    above: dict[str, str]
    titles: dict[str, str]
    findings: dict[SurfaceKey, ClauseFinding]
    leads: tuple[ClauseFinding, ...]
    state: int
    language: str

    @cached_property
    def flow(self) -> str:
        """The words of all clauses as one string, in the order of the text.

        Case, punctuation, dates, addresses, spaces and list marks are left out.
        """
        return "".join(map(_flow, self.order))

    @cached_property
    def flows(self) -> dict[str, str]:
        """For each clause: its words without case, punctuation, dates, addresses, spaces and list marks -> its plain words."""
        return {_flow(key): words for key, words in self.words.items()}

    def with_leads(self) -> Text:
        """Return a copy of this text in which the leads are findings, too, so that they are compared."""
        leads = {surface_key(lead): lead for lead in reversed(self.leads)}
        return replace(self, findings=leads | self.findings, leads=())

    def repeats(self, key: str, other: Text) -> bool:
        """Return whether another text has the words of a statement at least as often as this text.

        The words may be in other sentences and markup there. The answer is no if the statement is very short, or if the
        words are inside a longer statement that limits or negates them ("never ..., except ..."). But if this text also
        has the rest of that longer statement, sentences were only joined or split, and the answer is yes.

        Parameters
        ----------
        key : str
            Key of a statement (clause) of this text: its words without case, punctuation, dates and addresses; see
            `plain.sentence_key`.
        other : Text
            The text in which the words are sought.

        Returns
        -------
        bool
        """
        words = _flow(key)
        if len(words) < (_MEANINGFUL if words.isascii() else _MEANINGFUL_CHINESE):
            return False
        if other.flow.count(words) < self.flow.count(words):
            return False
        return not any(
            words in flow
            and flow != words
            and differ_in(WEIGHTY, key, shown)
            and flow.replace(words, "", 1) not in self.flow
            for flow, shown in other.flows.items()
        )


def text_of(text: str, reading: Reading) -> Text:
    """Prepare a text for a comparison.

    Parameters
    ----------
    text : str
        The decoded text.
    reading : Reading
        The findings and leads of the text.

    Returns
    -------
    Text
        The statements (clauses) of the text, with their words and findings.
    """
    order: list[str] = []
    words: dict[str, str] = {}
    above: dict[str, str] = {}
    titles: dict[str, str] = {}
    lead = heading = header = ""
    for clause, _, shown, own in chain.from_iterable(part.statements for _, part in parts_of(text)):
        key = sentence_key(spelled(shown)) if clause.kind == "row" else own
        if clause.kind == "row":
            header = header or shown
            above[key] = header
        elif clause.kind == "item":
            (above if lead else titles)[key] = lead or heading
        elif clause.kind == "heading":
            lead, heading, header = "", shown, ""
        else:
            lead, header = shown if shown.endswith((":", "-")) else "", ""
        if key:
            order.append(key)
            words[key] = shown
    findings: dict[SurfaceKey, ClauseFinding] = {}
    for finding in reading.findings:
        findings.setdefault(surface_key(finding), finding)
    return Text(order, words, above, titles, findings, reading.leads, hash(frozenset(words)), language_of(text))


def surface_key(finding: ClauseFinding) -> SurfaceKey:
    """Return the surface of a finding and the key of its clause, by which the finding is recognised in another text.

    Parameters
    ----------
    finding : ClauseFinding

    Returns
    -------
    SurfaceKey
        Surface, and the words of the clause without case, punctuation, dates and addresses (`plain.sentence_key`).
    """
    return finding.surface, words_and_key(spelled(finding.quote))[1]


@lru_cache(32_768)
def _flow(key: str) -> str:
    """Join the words of a statement without spaces and list marks."""
    return "".join([word for word in key.split() if word not in _LIST_MARKS])


class Moving:
    """The findings that moved (were added, removed or rewritten) between two texts.

    A finding whose words both texts contain has not moved, even if sentences or markup differ. A finding whose statement was
    rewritten has moved only if a word that differs may change the meaning. The findings that moved are in `moves`.

    Parameters
    ----------
    before, after : Text
        The earlier and the later text.
    """

    def __init__(self, before: Text, after: Text) -> None:
        self.before, self.after = before, after
        self.new = [key for key in after.words if key not in before.words]
        self.gone = [key for key in before.words if key not in after.words]
        rows = {question(before.words[key]): key for key in self.gone}
        keys = {key: question(after.words[key]) for key in self.new}
        self.pairs: Pairs = {key: rows.pop(row) for key, row in keys.items() if row and row in rows}
        """New statement -> old statement: table rows in which only answers differ, then rewritten statements."""
        left = set(self.gone) - set(self.pairs.values())
        new = [key for key in self.new if key not in self.pairs]
        self.pairs |= paired([key for key in self.gone if key in left], new)
        self.replaced_by = {old: new for new, old in self.pairs.items()}
        self.moves: Sequence[Move] = self._moves()
        """The findings that moved, the weightiest move first."""

    def _moves(self) -> list[Move]:
        """Return the findings that were added, removed or rewritten, except findings that say the same in other words."""
        old, new = (
            {key: found for key, found in side.findings.items() if found.scope.product != "feedback"}
            for side in (self.before, self.after)
        )
        added = [key for key in new if key not in old and self._counts(key, later=True)]
        removed = [key for key in old if key not in new and self._counts(key, later=False)]
        twins = {
            key: twin
            for key in added
            if (twin := (key[0], self.pairs.get(key[1], ""))) in removed and effect(old[twin]) * effect(new[key]) >= 0
        }
        same = self._same({key for _, key in (*added, *removed)})
        unchanged = {key for key, twin in twins.items() if key[1] in same or self._reworded(old[twin], new[key])}
        gone = [old[key] for key in removed if key not in {twins[key] for key in unchanged}]
        present = [*new.values(), *self.after.leads]
        moves = [
            Move(old[key], new[key], effect(new[key]) - effect(old[key]))
            for key in new
            if key in old and _turned(old[key], new[key]) and self._lead_in_turned(key[1])
        ]
        for key in added:
            if key in twins and key not in unchanged:
                before, after = old[twins[key]], new[key]
                moves.append(Move(before, after, rewriting(before, after, self._words(before, after))))
            elif key not in twins and key[1] not in same and not covered(new[key], gone):
                moves.append(Move(None, new[key], effect(new[key])))
        ended = (old[key] for key in removed if key not in twins.values() and key[1] not in same)
        moves += [Move(found, None, -effect(found)) for found in ended if not covered(found, present)]
        return sorted(map(self._answered, moves), key=weight, reverse=True)

    def _words(self, before: ClauseFinding, after: ClauseFinding) -> tuple[str, str]:
        """Return the plain words of a finding and of the finding that replaced it."""
        return self.before.words.get(surface_key(before)[1], ""), self.after.words.get(surface_key(after)[1], "")

    def _reworded(self, before: ClauseFinding, after: ClauseFinding) -> bool:
        """Return whether a rewritten finding says the same: equal effect, stance and particulars, and no turning word differs."""
        old, new = surface_key(before)[1], surface_key(after)[1]
        if effect(before) != effect(after) or before.stance != after.stance or self._flip(old, new):
            return False
        words = self._words(before, after)
        turned = differ_in(TURNING, *words) or excepted_more(*words)
        return not turned and particulars(before) == particulars(after)

    def _same(self, keys: set[str]) -> set[str]:
        """Return the statements of both texts that say the same in other words, or were joined or split."""
        same: set[str] = set()
        groups = chain((([old], [new]) for new, old in self.pairs.items()), recut(self.gone, self.new))
        for gone, new in groups if keys else ():
            if keys.isdisjoint((*gone, *new)):
                continue
            first = " ".join([spelled(self.before.words[key]) for key in gone])
            second = " ".join([spelled(self.after.words[key]) for key in new])
            single = len(gone) == len(new) == 1
            alike = not self._flip(gone[0], new[0]) if single else self._read_alike(gone, new)
            if alike and not differ_in(WEIGHTY, first, second):
                same.update(gone, new)
        return same

    def _read_alike(self, gone: Sequence[str], new: Sequence[str]) -> bool:
        """Return whether old and new statements have findings of the same surfaces and polarities, or a side has none."""
        read = [
            {(surface, found.polarity) for (surface, key), found in side.findings.items() if key in keys}
            for side, keys in ((self.before, gone), (self.after, new))
        ]
        return not all(read) or read[0] == read[1]

    def _flip(self, old: str, new: str) -> int:
        """Return the effect on the risk of the answers that flipped in a table row."""
        before, after = self.before.words.get(old, ""), self.after.words.get(new, "")
        return flip(before, after, self.after.above.get(new, ""))

    def _counts(self, key: SurfaceKey, *, later: bool) -> bool:
        """Return whether a finding of one text counts as added or removed: not a duty of users, nor repeated in the other."""
        here, there = (self.after, self.before) if later else (self.before, self.after)
        above = here.above.get(key[1]) or here.titles.get(key[1], "")
        if is_duty(here.findings[key], here.words.get(key[1], ""), above):
            return False
        if key[1] in here.words and key[1] in there.words:
            return self._lead_in_turned(key[1])
        return not here.repeats(key[1], there)

    def _lead_in_turned(self, key: str) -> bool:
        """Return whether a negation, limit or exception was added to or removed from the lead-in of a statement."""
        return differ_in(TURNING, self.before.above.get(key, ""), self.after.above.get(key, ""))

    def _answered(self, move: Move) -> Move:
        """Return a move whose step follows from flipped answers, if its statement is a table row with such answers."""
        key = surface_key(move.shown)[1]
        new = self.replaced_by.get(key, "") if move.after is None else key
        answers = self._flip(self.pairs.get(new, ""), new)
        return Move(move.before, move.after, 3 * answers) if answers else move


def _turned(before: ClauseFinding, after: ClauseFinding) -> bool:
    """Return whether two findings of the same surface differ in polarity, stance, product or audience.

    A different level alone does not count, because it may follow from another clause, which is compared separately.
    """
    sides = [(found.polarity, found.stance, found.scope.product) for found in (before, after)]
    audiences = {before.scope.audience, after.scope.audience}
    return sides[0] != sides[1] or (len(audiences) > 1 and None not in audiences)
