"""What a feed of changes settles of the days between pulls: which platforms stayed as they were, and how they were rated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Final, NamedTuple

from riskanalytics.frames.building import Json, records_of
from riskanalytics.frames.layouts import change_of

_FACTS: Final = ("rating", "training_use", "findings", "documents")
"""What no platform changes without a change on record."""


class _Move(NamedTuple):
    """One change of a platform."""

    moment: datetime
    slug: str
    before: object
    after: object
    held: bool


class Moves:
    """The changes of a feed by platform, as far back as it reaches.

    A feed settles nothing where it was not read whole; where a change cannot be placed, as that may be of any platform and day;
    nor where it is not newest first (specification section 4), as it may then end before the newest.

    Parameters
    ----------
    feed : iterable of mapping
        Changes as they came.
    platforms : iterable of mapping
        All that are listed on either side: changes name them by slug or by name, in any case.
    held : iterable of mapping
        Changes that the earlier pull knew of: its records tell what they led to.
    whole : bool
        Whether all of it was read, but for the oldest.
    """

    def __init__(
        self, feed: Iterable[Json], platforms: Iterable[Json], held: Iterable[Json] = (), *, whole: bool = True
    ) -> None:
        known, told = _slugs(platforms), {_text(change) for change in held}
        placed: list[_Move] = []
        self._whole = whole
        for row in feed:
            change = change_of(row)
            moment = moment_of(change.get("reviewed_at"))
            slug = known.get(_folded(change.get("platform"))) or known.get(_folded(change.get("name")))
            if moment is None or slug is None:
                self._whole = False
            else:
                ratings = change.get("rating_before"), change.get("rating_after")
                placed.append(_Move(moment, slug, *ratings, held=_text(row) in told))
        self._whole &= bool(placed) and all(one.moment >= other.moment for one, other in pairwise(placed))
        self._reaches = min((move.moment.date() for move in placed), default=date.max)
        self._of: dict[str, list[_Move]] = {}
        for move in placed:
            self._of.setdefault(move.slug, []).append(move)

    def none(self, slug: str, first: date, last: date = date.max) -> bool:
        """Say whether it is known that a platform did not change from one day to another, both included, after the first pull."""
        return self._whole and self._reaches < first and not self.moved(slug, first, last)

    def moved(self, slug: str, first: date, last: date = date.max) -> bool:
        """Say whether a change is on record from one day to another, both included, that the earlier pull did not hold."""
        return any(first <= move.moment.date() <= last and not move.held for move in self._of.get(slug, []))

    def began(self, slug: str, day: date) -> bool:
        """Say whether a platform changed on a day or before it: then it was tracked."""
        return any(move.moment.date() <= day for move in self._of.get(slug, []))

    def rated(self, slug: str, day: date) -> dict[str, object]:
        """Return the rating that a platform had at the end of a day, as its next change tells it; nothing where none does.

        Changes of one moment tell it where each begins with the rating that the one before it ended with.
        """
        later = [move for move in self._of.get(slug, []) if move.moment.date() > day]
        if not self._whole or not later:
            return {}
        first = [move for move in later if move.moment == later[-1].moment]
        chained = all(newer.before == older.after for newer, older in pairwise(first))
        rating = first[-1].before
        return {"rating": rating} if chained and isinstance(rating, str) and rating else {}


def side_of(slug: str, first: date, day: date, sides: tuple[Json | None, Json | None], moves: Moves) -> int | None:
    """Return which of two records of a platform is that of a day between them.

    Parameters
    ----------
    slug : str
    first : date
        First day of which the first record may lack a change.
    day : date
    sides : tuple of mapping or None
        Its records before and after the day, None where a pull has none.
    moves : Moves

    Returns
    -------
    int or None
        0 or 1; None where it cannot be told exactly.
    """
    before, after = sides
    if after is None:
        return None
    seen = set(_seen(after))
    if before is not None and _stood(before, after) and not moves.moved(slug, first):
        return 0
    if moves.none(slug, _next(day)) and seen and all(at is not None and at.date() <= day for _, _, at in seen):
        return 1
    # a change or capture of the first day may have come after the pull
    if before is None or not moves.none(slug, first, day):
        return None
    if any(at is None or at.date() <= day for _, _, at in seen - set(_seen(before))):
        return None
    same = all(before.get(name) == after.get(name) for name in _FACTS)
    return 0 if same or not moves.none(slug, first) else None


def _stood(before: Json, after: Json) -> bool:
    """Say whether two records show that nothing was captured between them: then nothing changed, whatever a feed lacks."""
    documents = records_of(after.get("documents"))
    captured = bool(documents) and all(moment_of(document.get("newest_capture_at")) for document in documents)
    return captured and all(before.get(name) == after.get(name) for name in _FACTS)


def moment_of(value: object) -> datetime | None:
    """Return a time of the wire, in UTC; None where it is none."""
    try:
        moment = datetime.fromisoformat(str(value))
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _text(change: Json) -> str:
    """Return all that a change holds."""
    return json.dumps(change, sort_keys=True)


def _next(day: date) -> date:
    return date.fromordinal(day.toordinal() + 1)


def _seen(record: Json) -> Iterator[tuple[str, str, datetime | None]]:
    """Give the times at which the documents of a platform were seen."""
    for document in records_of(record.get("documents")):
        for name in ("captured_at", "newest_capture_at"):
            if name in document:
                yield str(document.get("document")), name, moment_of(document[name])


def _slugs(platforms: Iterable[Json]) -> dict[str, str]:
    """Return the slugs of platforms by what changes name them by: their slug, else a name that no two have."""
    rows = [(str(row.get("id", row.get("slug"))), _folded(row.get("name"))) for row in platforms]
    owners: dict[str, set[str]] = {}
    for slug, name in rows:
        owners.setdefault(name, set()).add(slug)
    named = {name: next(iter(slugs)) for name, slugs in owners.items() if name and len(slugs) == 1}
    return named | {slug.casefold(): slug for slug, _ in rows}


def _folded(value: object) -> str:
    """Return a text without case; empty where it is none."""
    return value.casefold() if isinstance(value, str) else ""
