"""Pulls read again: a client that answers from them as the service did, each day from the pull of that day."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from secrets import token_hex
from threading import RLock
from typing import Any, Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.client.http import Kept, RecordedTransport
from riskanalytics.dataset.pulls.manifest import (
    CHANGES,
    COVERAGE,
    INDEX,
    LIST,
    MACHINE,
    Answers,
    Json,
    Manifest,
    named_pulls,
    read_answers,
    read_changes,
    read_file,
    read_manifest,
    snapshot_file,
)
from riskanalytics.dataset.pulls.storage import MANIFEST, PULL, Storage
from riskanalytics.errors import PullError
from riskanalytics.frames.building import moment_of
from riskanalytics.frames.records import field_of
from riskanalytics.models import Change

_ADDRESS: Final = "https://pulls.localhost"
_PAGE: Final = 500
_ARCHIVE: Final = "/archive/"
_LOST: Final = 424
"""Status of a platform that the pull could not read (RFC 4918, failed dependency): no retry helps."""


class NotKnown(PullError):  # noqa: N818 (it says what is not known, as errors of the client do)
    """No pull is of the day."""


class Pulls:
    """A folder of pulls of one source, read.

    Parameters
    ----------
    folder : str or Path
        The folder, its address, or the folder of one pull in it, which is then read alone.
    heard : callable, optional
        Called with each pull that an answer comes from.

    Attributes
    ----------
    days : dict
        Day -> the last pull of it, in order.

    Raises
    ------
    PullError
        If there is no pull, a manifest is damaged, or the pulls are of several sources.
    """

    def __init__(self, folder: object, heard: Callable[[Manifest], None] = lambda _: None) -> None:
        self._heard = heard
        head, _, only = str(folder).rstrip("/").rpartition("/")
        alone = PULL.fullmatch(only) is not None
        self.storage = Storage((head or ".") if alone else str(folder))
        names = [name for name in named_pulls(self.storage) if name == only or not alone]
        if not names:
            raise PullError(f"there is no pull {only} in {self.storage.shown}")
        manifests = [read_manifest(self.storage, name) for name in names]
        sources = sorted({manifest.source for manifest in manifests})
        if len(sources) > 1:
            raise PullError(
                f"{self.storage.shown} holds pulls of {' and of '.join(sources)}: keep each in its own folder"
            )
        self._snapshots = {name for manifest in manifests for name in manifest.snapshots}
        manifests.sort(key=lambda manifest: (manifest.day, manifest.name))
        self.days = {manifest.day: manifest for manifest in manifests}
        self._lock = RLock()
        self._answers = lru_cache(3)(self._read_answers)
        self._changes = lru_cache(1)(self._read_changes)

    @property
    def newest(self) -> Manifest:
        """The pull of the newest day."""
        return self.days[max(self.days)]

    def changes(self) -> list[Json] | None:
        """Return the changes that the newest pull holds; None where they were not shown."""
        with self._lock:
            return self._changes(self.newest.day)

    def at(self, day: date | None = None) -> Answers:
        """Return what the service said at the end of a day; of the newest where None.

        Raises
        ------
        NotKnown
            If no pull is of that day.
        """
        manifest = self.newest if day is None else self.days.get(day)
        if manifest is None:
            known = ", ".join(map(str, list(self.days)[-6:]))
            raise NotKnown(f"the pulls in {self.storage.shown} are of {known}: ask for one of these days")
        self._heard(manifest)
        with self._lock:
            return self._answers(manifest.day)

    def snapshot(self, sha256: str) -> bytes | None:
        """Return a policy text byte for byte; None where it is not kept."""
        return read_file(self.storage, snapshot_file(sha256), sha256) if sha256 in self._snapshots else None

    def _read_answers(self, day: date) -> Answers:
        """Read what a pull holds, except its changes."""
        manifest = self.days[day]
        table = manifest.tables.get("answers")
        if table is None:
            raise PullError(f"{self.storage.shown}/{manifest.name}/{MANIFEST} is damaged: it names no answers")
        answers = read_answers(read_file(self.storage, table.file, table.sha256), table.file)
        if frames.coverage_frame(answers.coverage)["as_of"].isna().all():
            answers.coverage["as_of"] = day.isoformat()  # else a reader takes today for its day
        return answers

    def _read_changes(self, day: date) -> list[Json] | None:
        """Read the changes that a pull holds."""
        table = self.days[day].tables.get("changes")
        return None if table is None else read_changes(read_file(self.storage, table.file, table.sha256), table.file)


class PullsClient(Client):
    """A client that answers from pulls, as the service did.

    Parameters
    ----------
    folder : str or Path
        The folder of pulls, its address, or the folder of one pull.

    Attributes
    ----------
    days : list of date
        Those whose states the pulls hold, in order.

    Raises
    ------
    PullError
        If there is no pull, or one is damaged.
    """

    def __init__(self, folder: str | Path | None) -> None:
        pulls = Pulls(folder, self._tell)
        self.days = list(pulls.days)
        source = f"pulls of {pulls.newest.source} in {pulls.storage.shown}"
        super().__init__(_ADDRESS, token_hex(), transport=RecordedTransport(partial(answer, pulls)), source=source)
        self._tell(pulls.newest)

    def _tell(self, manifest: Manifest) -> None:
        """Have the problems of a pull be those of its readers."""
        for line in manifest.problems:
            self.problems.add(line, manifest.name)


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
        404 for what a pull does not hold, such as searches; 400 for a day without a pull.
    """
    if path.startswith(_ARCHIVE):
        body = pulls.snapshot(path.removeprefix(_ARCHIVE))
        return Kept(200, "text/markdown; charset=utf-8", body) if body is not None else _refused(404, "not in the pull")
    if path == CHANGES:
        return _answer_changes(pulls, asked)
    if (path not in (LIST, COVERAGE, INDEX) and not path.startswith(MACHINE)) or "" in asked:
        return _refused(404, "a pull answers no searches and no questions: ask the service or a database")
    try:
        state = pulls.at(date.fromisoformat(asked["as_of"]) if "as_of" in asked else None)
    except NotKnown as error:
        return _refused(400, str(error))
    return _answer_platform(path, state, asked) if path.startswith(MACHINE) else _answer_whole(path, state, asked)


def _answer_whole(path: str, state: Answers, asked: Mapping[str, str]) -> Kept:
    """Answer with a page of the list of platforms, with the counts, or with the list for agents."""
    if path == LIST:
        return _paged({**(state.listed or {}), **_echo(asked)}, state.platforms, asked)
    if path == COVERAGE:
        return _json({**state.coverage, **_echo(asked)})
    if state.index is None:
        return _refused(404, "not in the pull")
    return Kept(200, "text/plain; charset=utf-8", state.index.encode("utf-8", "replace"))


def _answer_platform(path: str, state: Answers, asked: Mapping[str, str]) -> Kept:
    """Answer with one platform."""
    slug = path.removeprefix(MACHINE)
    if slug in state.records:
        return _json({**state.records[slug], **_echo(asked)})
    if slug in state.failed:
        return _refused(_LOST, f"not in the pull: {state.failed[slug]}")
    return _refused(404, "not tracked in the pull")


def _answer_changes(pulls: Pulls, asked: Mapping[str, str]) -> Kept:
    """Answer with a page of the changes that the newest pull holds."""
    changes = pulls.changes()
    if changes is None:
        status = pulls.newest.not_shown.get("changes", 404)
        return _refused(status, "the service did not show changes when it was pulled")
    return _paged({"object": "list"}, [row for row in changes if is_asked_for(row, asked)], asked)


def is_asked_for(row: Json, asked: Mapping[str, str]) -> bool:
    """Say whether a change is of the class and of the days (UTC) that a query names.

    Parameters
    ----------
    row : mapping
        As it came.
    asked : mapping
        `class`, `since` and `until`, each or none of them. A change whose day cannot be read is of any day.
    """
    moment = moment_of(field_of(row, Change, "reviewed_at"))
    within = moment is pd.NaT or asked.get("since", "") <= str(moment.date()) <= asked.get("until", "9999")
    return within and asked.get("class") in (None, field_of(row, Change, "change_class"))


def _paged(envelope: Json, rows: list[Json], asked: Mapping[str, str]) -> Kept:
    """Answer with a page of rows."""
    limit, offset = (int(asked.get(name, default)) for name, default in (("limit", "50"), ("offset", "0")))
    page = {"total": len(rows), "limit": min(limit, _PAGE), "offset": offset}
    return _json({**envelope, **page, "data": rows[offset : offset + min(limit, _PAGE)]})


def _echo(asked: Mapping[str, str]) -> Json:
    """Return the day that was asked for."""
    return {"as_of": asked["as_of"]} if "as_of" in asked else {}


def _json(record: Mapping[str, Any], status: int = 200) -> Kept:
    """Answer with JSON."""
    return Kept(status, "application/json", json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))


def _refused(status: int, detail: str) -> Kept:
    """Refuse as the service does (RFC 9457)."""
    return _json({"status": status, "detail": detail}, status)
