"""Which findings moved between two texts of one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final

from .align import (
    TURNING,
    WEIGHTY,
    Pairs,
    covered,
    differ_in,
    effect,
    excepted_more,
    paired,
    particulars,
    recut,
    rewriting,
    weight,
)
from .evidence import is_duty
from .plain import flip, language_of, question, sentence_key, spelled, words_and_key
from .records import ClauseFinding, Move, Reading
from .segment import parts_of

_MEANINGFUL: Final = 24
_MEANINGFUL_CHINESE: Final = 10
"""Characters from which words identify their place."""
_LIST_MARKS: Final = frozenset(
    ["ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", *"abcdefghijklmnop"]
)

FindingSaid = tuple[str, str]
"""Surface and statement key of a finding."""


@dataclass(frozen=True)
class Text:
    """What a comparison needs of one text.

    Parameters
    ----------
    order : list of str
        Statement keys in the order of the text.
    words : dict of str to str
        Statement key -> what a reader sees.
    above : dict of str to str
        Statement key -> what leads in an item of a list, or the first row of a row's table.
    titles : dict of str to str
        Statement key -> heading of the list that nothing else leads in.
    findings : dict of FindingSaid to ClauseFinding
    leads : tuple of ClauseFinding
    state : int
        Hash of all statement keys.
    language : str
    """

    order: list[str]
    words: dict[str, str]
    above: dict[str, str]
    titles: dict[str, str]
    findings: dict[FindingSaid, ClauseFinding]
    leads: tuple[ClauseFinding, ...]
    state: int
    language: str

    @cached_property
    def flow(self) -> str:
        """All words one after the other, whatever their sentences."""
        return "".join(map(_flow, self.order))

    @cached_property
    def flows(self) -> dict[str, str]:
        """The same, statement by statement, with the words that a reader sees."""
        return {_flow(key): words for key, words in self.words.items()}

    def with_leads(self) -> Text:
        """Return the same text with its leads among the findings."""
        more = {said(lead): lead for lead in reversed(self.leads)}
        return replace(self, findings=more | self.findings, leads=())

    def repeats(self, key: str, other: Text) -> bool:
        """Say whether another text has the words of a statement as often, in whatever sentences and markup.

        Not where they are part of a statement there that limits or turns them ("never ..., except ..."), unless the
        rest of that statement is here too: then sentences were joined or parted.

        Parameters
        ----------
        key : str
        other : Text

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
    """Cut a text into what is compared.

    Parameters
    ----------
    text : str
    reading : Reading
        Its findings.

    Returns
    -------
    Text
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
    findings: dict[FindingSaid, ClauseFinding] = {}
    for finding in reading.findings:
        findings.setdefault(said(finding), finding)
    return Text(order, words, above, titles, findings, reading.leads, hash(frozenset(words)), language_of(text))


def said(finding: ClauseFinding) -> FindingSaid:
    """Return surface and statement of a finding.

    Parameters
    ----------
    finding : ClauseFinding

    Returns
    -------
    FindingSaid
    """
    return finding.surface, words_and_key(spelled(finding.quote))[1]


@lru_cache(32_768)
def _flow(key: str) -> str:
    """Give the words of a statement without the spaces and the marks of lists between them."""
    return "".join([word for word in key.split() if word not in _LIST_MARKS])


class Moving:
    """What moved between two texts.

    A finding whose words remain, or were there before, in other sentences or markup has not moved. One whose
    statement was rewritten has moved where the words that differ carry weight.

    Parameters
    ----------
    before, after : Text
    """

    def __init__(self, before: Text, after: Text) -> None:
        self.before, self.after = before, after
        self.new = [key for key in after.words if key not in before.words]
        self.gone = [key for key in before.words if key not in after.words]
        rows = {question(before.words[key]): key for key in self.gone}
        keys = {key: question(after.words[key]) for key in self.new}
        self.pairs: Pairs = {key: rows.pop(row) for key, row in keys.items() if row and row in rows}
        """Rows of tables in which only answers flipped, then statements that were rewritten."""
        gone = set(self.gone) - set(self.pairs.values())
        self.pairs |= paired(
            [key for key in self.gone if key in gone], [key for key in self.new if key not in self.pairs]
        )
        self.replaced_by = {old: new for new, old in self.pairs.items()}
        self.moves: Sequence[Move] = self._moves()
        """The weightiest first."""

    def _moves(self) -> list[Move]:
        """Give the findings that came, went or were rewritten; not those that say the same in other words."""
        old, now = (
            {key: found for key, found in side.findings.items() if found.scope.product != "feedback"}
            for side in (self.before, self.after)
        )
        came = [key for key in now if key not in old and self._counts(key, later=True)]
        went = [key for key in old if key not in now and self._counts(key, later=False)]
        twins = {
            key: twin
            for key in came
            if (twin := (key[0], self.pairs.get(key[1], ""))) in went and effect(old[twin]) * effect(now[key]) >= 0
        }
        same = self._same({key for _, key in (*came, *went)})
        done = {key for key, twin in twins.items() if key[1] in same or self._reworded(old[twin], now[key])}
        gone = [old[key] for key in went if key not in {twins[key] for key in done}]
        there = [*now.values(), *self.after.leads]
        moves = [
            Move(old[key], now[key], effect(now[key]) - effect(old[key]))
            for key in now
            if key in old and _turned(old[key], now[key]) and self._led_otherwise(key[1])
        ]
        for key in came:
            if key in twins and key not in done:
                before, after = old[twins[key]], now[key]
                moves.append(Move(before, after, rewriting(before, after, self._words(before, after))))
            elif key not in twins and key[1] not in same and not covered(now[key], gone):
                moves.append(Move(None, now[key], effect(now[key])))
        ended = (old[key] for key in went if key not in twins.values() and key[1] not in same)
        moves += [Move(found, None, -effect(found)) for found in ended if not covered(found, there)]
        return sorted(map(self._answered, moves), key=weight, reverse=True)

    def _words(self, before: ClauseFinding, after: ClauseFinding) -> tuple[str, str]:
        """Give what a reader sees of a finding and of the one that replaced it."""
        return self.before.words.get(said(before)[1], ""), self.after.words.get(said(after)[1], "")

    def _reworded(self, before: ClauseFinding, after: ClauseFinding) -> bool:
        """Say whether a rewritten finding names and holds what it named and held."""
        old, new = said(before)[1], said(after)[1]
        if effect(before) != effect(after) or before.stance != after.stance or self._flip(old, new):
            return False
        words = self._words(before, after)
        turned = differ_in(TURNING, *words) or excepted_more(*words)
        return not turned and particulars(before) == particulars(after)

    def _same(self, keys: set[str]) -> set[str]:
        """Give the statements, of either text, that say the same in other words or cut otherwise."""
        same: set[str] = set()
        groups = chain((([old], [new]) for new, old in self.pairs.items()), recut(self.gone, self.new))
        for gone, new in groups if keys else ():
            if keys.isdisjoint((*gone, *new)):
                continue
            first = " ".join([spelled(self.before.words[key]) for key in gone])
            second = " ".join([spelled(self.after.words[key]) for key in new])
            one = len(gone) == len(new) == 1
            alike = not self._flip(gone[0], new[0]) if one else self._read_alike(gone, new)
            if alike and not differ_in(WEIGHTY, first, second):
                same.update(gone, new)
        return same

    def _read_alike(self, gone: Sequence[str], new: Sequence[str]) -> bool:
        """Say whether statements hold findings of the same surfaces and effects: a promise for a practice is not the same."""
        held = [
            {(surface, found.polarity) for (surface, key), found in side.findings.items() if key in keys}
            for side, keys in ((self.before, gone), (self.after, new))
        ]
        return not all(held) or held[0] == held[1]

    def _flip(self, old: str, new: str) -> int:
        """Say what the answers of a row that flipped do to the risk."""
        before, after = self.before.words.get(old, ""), self.after.words.get(new, "")
        return flip(before, after, self.after.above.get(new, ""))

    def _counts(self, key: FindingSaid, *, later: bool) -> bool:
        """Say whether a finding that only one text has came or went: not where the other has its words too."""
        here, there = (self.after, self.before) if later else (self.before, self.after)
        above = here.above.get(key[1]) or here.titles.get(key[1], "")
        if is_duty(here.findings[key], here.words.get(key[1], ""), above):
            return False
        if key[1] in here.words and key[1] in there.words:
            return self._led_otherwise(key[1])
        return not here.repeats(key[1], there)

    def _led_otherwise(self, key: str) -> bool:
        """Say whether the lead-in of a statement that both texts have turned."""
        return differ_in(TURNING, self.before.above.get(key, ""), self.after.above.get(key, ""))

    def _answered(self, move: Move) -> Move:
        """Let the answers of a row decide on its move, whatever was read out of it."""
        key = said(move.shown)[1]
        new = self.replaced_by.get(key, "") if move.after is None else key
        answers = self._flip(self.pairs.get(new, ""), new)
        return Move(move.before, move.after, 3 * answers) if answers else move


def _turned(before: ClauseFinding, after: ClauseFinding) -> bool:
    """Say whether two findings of the same surface say something else: effect, answer on training, or whom it is for.

    The level alone does not turn a finding: it may follow from another clause, which is compared itself.
    """
    sides = [(one.polarity, one.stance, one.scope.product) for one in (before, after)]
    audiences = {before.scope.audience, after.scope.audience}
    return sides[0] != sides[1] or (len(audiences) > 1 and None not in audiences)
