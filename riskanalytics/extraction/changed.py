"""The clauses that differ between two texts of a document, and the direction of a change as readers (language models) judge it.

The package compares findings, so it does not always see that a new clause replaces a removed clause. A reader sees the removed
and the new clauses together, and unchanged clauses around them. It answers whether the risk goes `up`, `down`, `both` or `none`,
for the whole change and by surface.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import chain
from typing import Final, NamedTuple

from riskanalytics.surfaces import SURFACES, surface_name

from .reading import extract
from .records import ClauseFinding, Comparison, Course, Reading
from .segment import parts_of
from .units import Unit, units_of

_MEASURE: Final = (
    r"(?!\W{0,2}(?i:business|calendar|working|hours?|days?|weeks?|months?|years?|%|[天日周月年岁个小倍元]))"
)
"""Not followed by a unit of measurement, whose number carries meaning."""
_NUMBER: Final = re.compile(
    rf"\((?:\d{{1,2}}|[a-z]|[ivx]+)\){_MEASURE}|^\W*(?:(?:\d+|[a-z]|[ivx]+)[.)]\s"
    rf"|\d+(?:\.\d+)+\.?{_MEASURE}(?:\s+(?=[^\W\d_a-z])|(?=[\u4e00-\u9fff])))"
)
"""A number or letter of a clause: in parentheses, such as `(a)`, or in front of it, such as `15.9 `."""
_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|(?<=[。！？])")
"""The end of a sentence."""
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_SHORT, _LONG = 8, 24
"""Number of bytes from which the words of a clause are looked for inside other clauses, by their number and as whole sentences."""
_ROUNDS: Final = 8
"""Maximum number of times that clauses are compared again after others turned out to be changed; two or three suffice."""
_LONGEST_WORDING: Final = 20_000
"""Maximum number of characters of a change of wording that readers judge."""
GONE, NEW, SAME = "gone", "new", "same"
"""Where a unit of a change is: in the earlier text only, in the later text only, or in both."""


class Changed(NamedTuple):
    """The units (clauses with their headings) that differ between two texts of a document.

    Parameters
    ----------
    gone : tuple of Unit
        Units of the earlier text whose words are not in the later one, in the order of the text. Numbers of
        clauses do not count, nor does it matter where clauses begin and end.
    new : tuple of Unit
        Units of the later text whose words are not in the earlier one, in the same way.
    """

    gone: tuple[Unit, ...]
    new: tuple[Unit, ...]

    @property
    def key(self) -> str:
        """24 hexadecimal digits that identify the change: a hash of the keys of its units."""
        return change_key([unit.key for unit in self.gone], [unit.key for unit in self.new])


def change_key(gone: Iterable[str], new: Iterable[str]) -> str:
    """Return the key of a change, given the keys of its units: of the removed units (`gone`), and of the new ones."""
    return sha256(f"{' '.join(gone)}\0{' '.join(new)}".encode()).hexdigest()[:24]


def changed_units(before: str, after: str) -> Changed:
    """Return the units (clauses with their headings) that differ between two texts of a document.

    Parameters
    ----------
    before, after : str
        The two texts, decoded, not normalised.
    """
    old, came = ([(_letters(unit), unit) for unit in units_of(text)] for text in (before, after))
    earlier, later = _statements(before), _statements(after)
    gone, new = _only(old, came, earlier, later), _only(came, old, later, earlier)
    for _ in range(_ROUNDS):
        shown = len(gone) + len(new)
        # a clause to which a changed clause adds words, such as "unless you opt out", is changed, too
        rest = _without(earlier, gone), _without(later, new)
        gone, new = _only(old, came, earlier, rest[1]), _only(came, old, later, rest[0])
        if shown == len(gone) + len(new):
            break
    return Changed(tuple(gone), tuple(new))


def views(before: str, after: str, kind: str, readings: tuple[Reading, Reading] | None = None) -> Iterator[Changed]:
    """Yield the forms in which readers (language models) may judge a change.

    The first one that at least two readers judged decides.

    Parameters
    ----------
    before, after : str
        The two texts, decoded, not normalised.
    kind : str
        Class of the change, `material` or `wording`.
    readings : tuple of Reading, optional
        What the package alone finds in `before` and in `after`, if that is already known.

    Yields
    ------
    Changed
        The whole change. Then, for a material change, its units with a finding or lead of the package: they are judged if the
        whole change is too long for a request, or contains words that address a language model. No finding moved in a change of
        wording, so a long one is mostly a banner or another page in the capture: with more than 20,000 characters, it has no form.
    """
    changed = changed_units(before, after)
    if kind == "material" or sum(len(unit.words) + len(unit.lead_in) for unit in chain(*changed)) <= _LONGEST_WORDING:
        yield changed
    if kind == "material":
        readings = readings or (extract(before), extract(after))
        starts = [{row.start for row in (*one.findings, *one.leads)} for one in readings]
        gone, new = (
            tuple(unit for unit in units if unit.clause.start in found)
            for units, found in zip(changed, starts, strict=True)
        )
        yield Changed(gone, new)


def in_context(before: str, after: str, changed: Changed, around: int) -> list[tuple[Unit, str]]:
    """Return the units of a change in the order of the text, together with unchanged units around them.

    Parameters
    ----------
    before, after : str
        The two texts.
    changed : Changed
        Their difference.
    around : int
        Maximum number of unchanged units before and after a changed one.

    Returns
    -------
    list of (Unit, str)
        The units, each with `gone` (in the earlier text only), `new` (in the later text only) or `same`.
    """
    old, new = units_of(before), units_of(after)
    gone, came = ({unit.clause.start for unit in side} for side in changed)
    matcher = SequenceMatcher(None, [*map(_letters, old)], [*map(_letters, new)], autojunk=False)
    rows: list[tuple[Unit, str]] = []
    for group in matcher.get_grouped_opcodes(around):
        part = []
        for tag, start, end, later, last in group:
            part += [(unit, GONE) for unit in old[start:end] if unit.clause.start in gone]
            part += [
                (unit, NEW if unit.clause.start in came else SAME)
                for unit in new[later:last]
                if tag == "equal" or unit.clause.start in came
            ]
        rows += part if any(side != SAME for _, side in part) else []
    return rows


def _only(
    units: Sequence[tuple[str, Unit]], others: Sequence[tuple[str, Unit]], own: Sequence[str], other: Sequence[str]
) -> list[Unit]:
    """Return the units of a text whose letters and digits another text does not have.

    Parameters
    ----------
    units, others : sequence of (str, Unit)
        The units of the two texts, each after its letters and digits.
    own, other : sequence of str
        The statements of the two texts (`_statements`).
    """
    known = {letters for letters, _ in others}
    mine, theirs = ("".join(side).replace("\n", "") for side in (own, other))
    sentences = "".join(other)

    def within(letters: str, unit: Unit) -> bool:
        """Return whether the other text has the unit as whole sentences, or its words as often as the text of the unit.

        A part of a sentence does not count: the rest may limit it, as in "if you opt in, we do that".
        """
        size = len(letters.encode())
        if size < _SHORT or letters not in theirs:
            return False
        whole = size >= _LONG and _sentences(unit.words) in sentences
        return whole or mine.count(letters) <= theirs.count(letters)

    return [unit for letters, unit in units if letters not in known and not within(letters, unit)]


def _statements(text: str) -> list[str]:
    """Return the sentences of each statement (`_sentences`); headings too, as a clause may become one."""
    return [_sentences(words) for _, part in parts_of(text) for _, _, words, _ in part.statements]


def _without(statements: Sequence[str], units: Sequence[Unit]) -> list[str]:
    """Return statements with a mark in place of those of some units, so that no clause is found across it."""
    changed = {*map(_letters, units)}
    return ["\n\0\n" if statement.replace("\n", "") in changed else statement for statement in statements]


def _letters(unit: Unit) -> str:
    """Return the letters and digits of a unit without the numbers of clauses."""
    return _sentences(unit.words).replace("\n", "")


def _sentences(words: str) -> str:
    """Return the letters and digits of words, without the numbers of clauses; before and after each sentence a line break."""
    plainest = (_NOT_LETTERS.sub("", sentence.casefold()) for sentence in _END.split(_NUMBER.sub("", words)))
    return "".join(f"\n{letters}\n" for letters in plainest if letters)


def in_substance(comparison: Comparison, changed: Changed, texts: tuple[str, str], read_by: str) -> Comparison:
    """Return a change of wording as `material` if readers (language models), at least two, all say that it changes the risk.

    Parameters
    ----------
    comparison : Comparison
        A change without moved findings, with the judgements of its readers (`courses`).
    changed : Changed
        Its clauses. Those that a reader named as decisive, or all if none is named, become the clauses that the change removed and
        added, without surface and level.
    texts : tuple of str
        The earlier and the later text.
    read_by : str
        Names of the readers.

    Returns
    -------
    Comparison
        Its surfaces are those on which more than half of the readers say that the risk changed, with the directions that `agreed`
        gives. The direction of the whole change is the answer of all readers, or `unclear`: no finding confirms it.
    """
    courses = comparison.courses
    if len(courses) < 2 or any(one.whole == "none" for one in courses):
        return comparison
    named = Counter(surface for one in courses for surface, way in one.surfaces if way != "none")
    surfaces = tuple(surface for surface in SURFACES if 2 * named[surface] > len(courses))
    whole, directions = agreed(courses, "", dict.fromkeys(surfaces, ""))
    whole = whole if len({one.whole for one in courses}) == 1 else "unclear"
    decide = {key for one in courses for key in one.units}
    shown = [[unit for unit in units if unit.key in decide] for units in changed]
    sides = shown if any(shown) else changed
    removed, added = (
        tuple(_quoted(unit, text, read_by) for unit in units) for text, units in zip(texts, sides, strict=True)
    )
    on = f" on {', '.join(map(surface_name, surfaces))}" if surfaces else ""
    return replace(
        comparison, change_class="material", surfaces=surfaces, direction=whole, directions=directions, added=added,
        removed=removed, summary=f"Language models agree on a change in substance{on}; no finding changed.",
    )  # fmt: skip


def _quoted(unit: Unit, text: str, read_by: str) -> ClauseFinding:
    """Return a unit as a clause of a change that only readers (language models) found."""
    start, end = unit.clause.start, unit.clause.end
    unknown = "", "", "changed_in_substance", 0.0, (0.0, 0.0)
    return ClauseFinding("", start, end, text[start:end], *unknown, lead_in=unit.before, read_by=read_by)


def agreed(courses: Sequence[Course], whole: str, directions: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return the directions of a change by the majority of its readers (language models), if at least two readers judged it.

    Parameters
    ----------
    courses : sequence of Course
        The judgement of each reader.
    whole : str
        Direction of the whole change as the package computed it (see `Comparison`).
    directions : dict of str to str
        Direction for each surface as the package computed it.

    Returns
    -------
    tuple of str and dict
        The direction of the whole change, and for each surface of `directions` its direction. Each is the answer of more than
        half of the readers: `up`, `down`, `mixed` for "both", or `unclear` for "none". Without such a majority it is `mixed` if
        the only answers are "both" and "up", or "both" and "down"; else `unclear`. If all readers answer "none" for the whole
        change, its direction is `none`. With fewer than two readers, the directions of the package are returned unchanged.
    """
    if len(courses) < 2:
        return whole, directions
    said = [dict(one.surfaces) for one in courses]
    by_surface = {surface: _one([ways.get(surface, "none") for ways in said]) for surface in directions}
    wholes = [one.whole for one in courses]
    return "none" if {*wholes} == {"none"} else _one(wholes), by_surface


def _one(said: Sequence[str]) -> str:
    """Return the direction that more than half of the readers give, as a value of `Comparison.direction`."""
    ways = Counter(said)
    way, votes = ways.most_common(1)[0]
    if 2 * votes > len(said):
        return {"both": "mixed", "none": "unclear"}.get(way, way)
    return "mixed" if "both" in ways and not ways["none"] and len(ways) == 2 else "unclear"
