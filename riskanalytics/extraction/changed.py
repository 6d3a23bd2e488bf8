"""The clauses that differ between two texts of a document, and the direction of a change as readers (language models) judge it.

The package compares findings, so it does not always see that a new clause replaces a removed clause. A reader sees the removed
and the new clauses together. It answers whether the risk goes `up`, `down`, `both` or `none`, for the whole change and by surface.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from .reading import extract
from .records import Course, Reading
from .units import Unit, units_of

_MOST: Final = 20_000
"""Maximum number of characters of a change that readers see whole. Of a longer change, they see clauses with a finding or lead."""


class Changed(NamedTuple):
    """The units (clauses with their headings) that differ between two texts of a document.

    Parameters
    ----------
    gone : tuple of Unit
        Units of the earlier text whose words are not in the later one, in the order of the text.
    new : tuple of Unit
        Units of the later text whose words are not in the earlier one, in the order of the text.
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


def changed_units(before: str, after: str, readings: tuple[Reading, Reading] | None = None) -> Changed:
    """Return the units (clauses with their headings) that differ between two texts of a document.

    Parameters
    ----------
    before, after : str
        The two texts, decoded, not normalised.
    readings : tuple of Reading, optional
        What the package alone finds in `before` and in `after`, if that is already known.

    Returns
    -------
    Changed
        All units that differ, if they have at most 20,000 characters together; else those with a finding or lead of the package.
    """
    gone, new = _only(units_of(before), units_of(after)), _only(units_of(after), units_of(before))
    if sum(len(unit.words) + len(unit.lead_in) for unit in (*gone, *new)) > _MOST:
        first, second = readings or (extract(before), extract(after))
        gone, new = _found(first, gone), _found(second, new)
    return Changed(tuple(gone), tuple(new))


def _only(units: Sequence[Unit], others: Sequence[Unit]) -> list[Unit]:
    """Return the units whose words, apart from case and punctuation, are not in the others."""
    known = {_letters(unit) for unit in others}
    return [unit for unit in units if _letters(unit) not in known]


def _letters(unit: Unit) -> str:
    """Return the letters and digits of a unit."""
    return "".join(filter(str.isalnum, unit.words.casefold()))


def _found(reading: Reading, units: Sequence[Unit]) -> list[Unit]:
    """Return the units in which the package has a finding or lead."""
    starts = {row.start for row in (*reading.findings, *reading.leads)}
    return [unit for unit in units if unit.clause.start in starts]


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
        the only answers are "both" and "up", or "both" and "down"; else `unclear`. With fewer than two readers, the directions
        of the package are returned unchanged.
    """
    if len(courses) < 2:
        return whole, directions
    said = [dict(one.surfaces) for one in courses]
    by_surface = {surface: _one([ways.get(surface, "none") for ways in said]) for surface in directions}
    return _one([one.whole for one in courses]), by_surface


def _one(said: Sequence[str]) -> str:
    """Return the direction that more than half of the readers give, as a value of `Comparison.direction`."""
    ways = Counter(said)
    way, votes = ways.most_common(1)[0]
    if 2 * votes > len(said):
        return {"both": "mixed", "none": "unclear"}.get(way, way)
    return "mixed" if "both" in ways and not ways["none"] and len(ways) == 2 else "unclear"
