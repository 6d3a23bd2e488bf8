"""Pulls answer as the service did: the requests of the client, from what was kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

from riskanalytics._http import Kept
from riskanalytics.frames.layouts import change_of
from riskanalytics.pulls.moves import moment_of
from riskanalytics.pulls.reading import NotKnown, Pulls
from riskanalytics.pulls.tables import CHANGES, COVERAGE, INDEX, LIST, MACHINE, Answers, Json

_PAGE: Final = 500
_ARCHIVE: Final = "/archive/"
_LOST: Final = 424
"""Status of a platform that the pull could not read (RFC 4918, failed dependency): no retry helps."""


def answer(pulls: Pulls, path: str, asked: Mapping[str, str]) -> Kept:
    """Answer one request from pulls.

    Parameters
    ----------
    pulls : Pulls
    path : str
        Unquoted.
    asked : mapping
        Query.

    Returns
    -------
    Kept
        404 for what a pull does not hold, such as searches; 400 for a day that is not known.
    """
    if path.startswith(_ARCHIVE):
        body = pulls.snapshot(path.removeprefix(_ARCHIVE))
        return Kept(200, "text/markdown; charset=utf-8", body) if body is not None else _refused(404, "not in the pull")
    if path == CHANGES:
        return _changes(pulls, asked)
    told = _TOLD.get(path) or (_machine if path.startswith(MACHINE) else None)
    if told is None or "" in asked:
        return _refused(404, "a pull answers no searches and no questions: ask the service or a database")
    try:
        day = date.fromisoformat(asked["as_of"]) if "as_of" in asked else None
        return told(path, pulls.at(day), asked)
    except NotKnown as error:
        return _refused(400, str(error))


def _machine(path: str, state: Answers, asked: Mapping[str, str]) -> Kept:
    """Answer with one platform."""
    slug = path.removeprefix(MACHINE)
    if slug in state.records:
        return _json({**state.records[slug], **_echo(asked)})
    if slug in state.failed:
        return _refused(_LOST, f"not in the pull: {state.failed[slug]}")
    return _refused(404, "not tracked in the pull")


def _list(_path: str, state: Answers, asked: Mapping[str, str]) -> Kept:
    """Answer with a page of the list of platforms."""
    return _paged({**(state.listed or {}), **_echo(asked)}, state.platforms, asked)


def _coverage(_path: str, state: Answers, asked: Mapping[str, str]) -> Kept:
    """Answer with the counts."""
    return _json({**state.coverage, **_echo(asked)})


def _index(_path: str, state: Answers, _asked: Mapping[str, str]) -> Kept:
    """Answer with the list for agents."""
    if state.index is None:
        return _refused(404, "not in the pull")
    return Kept(200, "text/plain; charset=utf-8", state.index.encode("utf-8", "replace"))


_TOLD: Final[dict[str, Callable[[str, Answers, Mapping[str, str]], Kept]]] = {
    LIST: _list,
    COVERAGE: _coverage,
    INDEX: _index,
}


def _changes(pulls: Pulls, asked: Mapping[str, str]) -> Kept:
    """Answer with a page of the changes that the newest pull holds."""
    changes = pulls.changes()
    if changes is None:
        return _refused(
            pulls.newest.not_shown.get("changes", 404), "the service did not show changes when it was pulled"
        )
    return _paged({"object": "list"}, [row for row in changes if is_asked_for(row, asked)], asked)


def is_asked_for(row: Json, asked: Mapping[str, str]) -> bool:
    """Say whether a change, in whatever layout it came, is of the class and of the days (UTC) that a query names.

    Parameters
    ----------
    row : mapping
    asked : mapping
        `class`, `since` and `until`, each or none of them. A change whose day cannot be read is of any day.
    """
    change = change_of(row)
    moment = moment_of(change.get("reviewed_at"))
    within = moment is None or asked.get("since", "") <= str(moment.date()) <= asked.get("until", "9999")
    return within and asked.get("class") in (None, change.get("class"))


def _paged(envelope: Json, rows: list[Json], asked: Mapping[str, str]) -> Kept:
    """Answer with a page of rows."""
    limit, offset = (int(asked.get(name, default)) for name, default in (("limit", "50"), ("offset", "0")))
    page = {"total": len(rows), "limit": min(limit, _PAGE), "offset": offset}
    return _json({**envelope, **page, "data": rows[offset : offset + min(limit, _PAGE)]})


def _echo(asked: Mapping[str, str]) -> Json:
    """Return the day that was asked for."""
    return {"as_of": asked["as_of"]} if "as_of" in asked else {}


def _json(record: Json) -> Kept:
    return Kept(200, "application/json", json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))


def _refused(status: int, detail: str) -> Kept:
    """Refuse as the service does (RFC 9457)."""
    return _json({"status": status, "detail": detail})._replace(status=status)
