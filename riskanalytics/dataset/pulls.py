"""Pulls read again: a client that answers from them as the service did, each day from the pull of that day.

`answers` holds the answers as they came, `record` of `changes` the changes: all else can be made from these two. The
other tables are frames, so that a pull is a plain data set for others.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache, partial
from secrets import token_hex
from typing import Any, Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import PAGE, Client
from riskanalytics.client.connection import recorded
from riskanalytics.dataset.storage import MANIFEST, PULL, Manifest, Storage, named_pulls, snapshot_file
from riskanalytics.errors import MissingExtraError, PullError
from riskanalytics.frames.building import MISSING, mapping_of, moment_of, records_of
from riskanalytics.models.records import Change

Json = dict[str, Any]
Reply = tuple[int, str, bytes]
"""Status, media type and body."""

LIST: Final = "/api/v1/platforms"
CHANGES: Final = "/api/v1/changes"
COVERAGE: Final = "/api/coverage"
MACHINE: Final = "/api/machine/platform/"
_ANSWERS: Final[frames.Columns] = {
    "path": ("str", "Path of the endpoint."),
    "status": ("Int64", "HTTP status."),
    "body": ("str", "The answer, or why it is missing."),
}
_LOST: Final = 424
"""Status of a platform that the pull could not read (RFC 4918, failed dependency): no retry helps."""


@dataclass
class Answers:
    """What a service answered, as it came.

    Parameters
    ----------
    coverage : dict
    listed : list of dict, optional
        The list of platforms; None where no key was there to ask with.
    records : dict
        Slug -> machine platform.
    failed : dict
        Slug -> why its machine platform is missing.
    changes : list of dict, optional
        None where the service does not show them.
    """

    coverage: Json = field(default_factory=dict)
    listed: list[Json] | None = None
    records: dict[str, Json] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    changes: list[Json] | None = None

    @property
    def platforms(self) -> list[Json]:
        """The platforms as of the list; as of their machine records where no list is kept."""
        machine = ((slug, one.get("verification_status"), one) for slug, one in self.records.items())
        made = [{"id": slug, "verification": verification, **one} for slug, verification, one in machine]
        return made if self.listed is None else self.listed

    @property
    def snapshots(self) -> list[str]:
        """SHA-256 of the texts that documents, findings, leads and the clauses of changes name, each once, in order."""
        named: dict[str, None] = {}
        for record in [*self.records.values(), *(self.changes or [])]:
            for part in (part for parts in record.values() for part in records_of(parts)):
                place = mapping_of(part.get("provenance")) or part
                named[str(place.get("snapshot_sha256"))] = None
        return [name for name in named if len(name) == 64 and set(name) <= set("0123456789abcdef")]

    @property
    def table(self) -> pd.DataFrame:
        """The table `answers`: all except the changes."""
        rows = [(COVERAGE, 200, _text(self.coverage))]
        rows += [(LIST, 200, _text({"data": self.listed}))] if self.listed is not None else []
        known = {slug: (200, _text(record)) for slug, record in self.records.items()}
        known |= {slug: (0, why) for slug, why in self.failed.items()}
        rows += [(MACHINE + slug, *answered) for slug, answered in sorted(known.items())]
        return frames.frame_of(_ANSWERS, rows)

    @classmethod
    def read(cls, content: bytes, file: str) -> Answers:
        """Return what a service answered, except its changes, from the table `answers`."""
        answers = cls()
        for path, status, body in _columns(content, file, *_ANSWERS):
            slug = str(path).removeprefix(MACHINE)
            if path == COVERAGE:
                answers.coverage = json.loads(body)
            elif path == LIST:
                answers.listed = json.loads(body)["data"]
            elif slug != path and status == 200:
                answers.records[slug] = json.loads(body)
            elif slug != path:
                answers.failed[slug] = body
        return answers


def _columns(content: bytes, file: str, *names: str) -> list[tuple[Any, ...]]:
    """Return the rows of some columns of a Parquet file."""
    try:
        frame = pd.read_parquet(io.BytesIO(content), engine="pyarrow", columns=list(names))
    except ImportError as error:
        raise MissingExtraError(MISSING) from error
    except (ValueError, OSError, KeyError) as error:
        raise PullError(f"{file} is not what a pull holds; restore it from a copy") from error
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def _text(record: Mapping[str, object]) -> str:
    """Return a record as JSON text."""
    return json.dumps(record, ensure_ascii=False)


def changes_of(storage: Storage, manifest: Manifest) -> list[Json] | None:
    """Return the changes that a pull holds, as they came; None where they were not shown.

    Parameters
    ----------
    storage : Storage
    manifest : Manifest

    Raises
    ------
    PullError
        If the table is damaged.
    """
    table = manifest.tables.get("changes")
    if table is None:
        return None
    rows = _columns(storage.read(table.file, table.sha256), table.file, "record")
    return [json.loads(record) for (record,) in rows]


class Pulls:
    """A folder of pulls of one source, read.

    Parameters
    ----------
    folder : str or Path
        The folder, its address, or the folder of one pull in it, which is then read alone.

    Attributes
    ----------
    days : dict
        Day -> the last pull of it, in order.
    newest : Manifest
        The pull of the newest day.

    Raises
    ------
    PullError
        If there is no pull, a manifest is damaged, or the pulls are of several sources.
    """

    def __init__(self, folder: object) -> None:
        head, _, only = str(folder).rstrip("/").rpartition("/")
        alone = PULL.fullmatch(only) is not None
        self.storage = Storage((head or ".") if alone else str(folder))
        names = [name for name in named_pulls(self.storage) if name == only or not alone]
        if not names:
            raise PullError(f"there is no pull {only} in {self.storage.shown}")
        manifests = list(map(self.storage.manifest, names))
        sources = sorted({manifest.source for manifest in manifests})
        if len(sources) > 1:
            held = " and of ".join(sources)
            raise PullError(f"{self.storage.shown} holds pulls of {held}: keep each in its own folder")
        self._snapshots = {name for manifest in manifests for name in manifest.snapshots}
        manifests.sort(key=lambda manifest: (manifest.day, manifest.name))
        self.days = {manifest.day: manifest for manifest in manifests}
        self.newest = manifests[-1]
        self.at = lru_cache(3)(self._at)
        self.changes = lru_cache(1)(lambda: changes_of(self.storage, self.newest))

    def _at(self, day: date) -> Answers:
        """Return what the service said at the end of a day that a pull is of."""
        manifest = self.days[day]
        table = manifest.tables.get("answers")
        if table is None:
            raise PullError(f"{self.storage.shown}/{manifest.name}/{MANIFEST} is damaged: it names no answers")
        answers = Answers.read(self.storage.read(table.file, table.sha256), table.file)
        if frames.coverage_frame(answers.coverage)["as_of"].isna().all():
            answers.coverage["as_of"] = day.isoformat()  # else a reader takes today for its day
        return answers

    def snapshot(self, sha256: str) -> bytes | None:
        """Return a policy text byte for byte; None where it is not kept."""
        return self.storage.read(snapshot_file(sha256), sha256) if sha256 in self._snapshots else None


class PullsClient(Client):
    """A client that answers from pulls, as the service did.

    Parameters
    ----------
    folder : str
        The folder of pulls, its address, or the folder of one pull.

    Attributes
    ----------
    folder : str
    days : list of date
        Those whose states the pulls hold, in order.
    newest : Manifest
        The pull of the newest day.

    Raises
    ------
    PullError
        If there is no pull, or one is damaged.
    """

    def __init__(self, folder: str) -> None:
        pulls = Pulls(folder)
        self.folder, self.days, self.newest = folder, list(pulls.days), pulls.newest
        source = f"pulls of {pulls.newest.source} in {pulls.storage.shown}"
        transport = recorded(partial(answer, pulls, self._note))
        super().__init__("https://pulls.localhost", token_hex(), transport=transport, source=source)
        self._note(pulls.newest)

    def _note(self, manifest: Manifest) -> None:
        """Have the problems of a pull be those of its readers."""
        for line in manifest.problems:
            self.problems.add(line, manifest.name)


def answer(pulls: Pulls, note: Callable[[Manifest], None], path: str, asked: Mapping[str, str]) -> Reply:
    """Answer one request from pulls.

    Parameters
    ----------
    pulls : Pulls
    note : callable
        Called with the pull that the answer comes from.
    path : str
        Unquoted.
    asked : mapping
        Query.

    Returns
    -------
    tuple of int, str and bytes
        404 for what a pull does not hold, such as searches; 400 for a day without a pull.
    """
    if path.startswith("/archive/"):
        body = pulls.snapshot(path.removeprefix("/archive/"))
        return _refused(404, "not in the pull") if body is None else (200, "text/markdown; charset=utf-8", body)
    if path == CHANGES:
        if (changes := pulls.changes()) is not None:
            return _paged([row for row in changes if is_asked_for(row, asked)], pulls.at(pulls.newest.day), asked)
        status = pulls.newest.not_shown.get("changes", 404)
        return _refused(status, "the service did not show changes when it was pulled")
    if (path not in (LIST, COVERAGE) and not path.startswith(MACHINE)) or "" in asked:
        return _refused(404, "a pull answers no searches and no questions: ask the service or a database")
    day = date.fromisoformat(asked["as_of"]) if "as_of" in asked else pulls.newest.day
    if day not in pulls.days:
        known = ", ".join(map(str, list(pulls.days)[-6:]))
        return _refused(400, f"the pulls in {pulls.storage.shown} are of {known}: ask for one of these days")
    note(pulls.days[day])
    return _of_state(pulls.at(day), path, asked)


def _of_state(state: Answers, path: str, asked: Mapping[str, str]) -> Reply:
    """Answer from one state: the list of platforms, the counts, or one platform."""
    slug = path.removeprefix(MACHINE)
    if path == LIST:
        return _paged(state.platforms, state, asked)
    if path == COVERAGE or slug in state.records:
        return _json({**(state.coverage if path == COVERAGE else state.records[slug]), **_echo(asked)})
    if slug in state.failed:
        return _refused(_LOST, f"not in the pull: {state.failed[slug]}")
    return _refused(404, "not tracked in the pull")


def is_asked_for(row: Json, asked: Mapping[str, str]) -> bool:
    """Say whether a change is of the class and of the days (UTC) that a query names.

    Parameters
    ----------
    row : mapping
        As it came.
    asked : mapping
        `class`, `since` and `until`, each or none of them. A change whose day cannot be read is of any day.
    """
    moment = moment_of(frames.field_of(row, Change, "reviewed_at"))
    within = moment is pd.NaT or asked.get("since", "") <= str(moment.date()) <= asked.get("until", "9999")
    return within and asked.get("class") in (None, frames.field_of(row, Change, "change_class"))


def _paged(rows: list[Json], state: Answers, asked: Mapping[str, str]) -> Reply:
    """Answer with a page of rows."""
    limit, offset = min(int(asked.get("limit", "50")), PAGE), int(asked.get("offset", "0"))
    page = {"total": len(rows), "limit": limit, "offset": offset, "data": rows[offset : offset + limit]}
    return _json({"object": "list", **page, "disclaimer": state.coverage.get("disclaimer"), **_echo(asked)})


def _echo(asked: Mapping[str, str]) -> Json:
    """Return the day that was asked for."""
    return {"as_of": asked["as_of"]} if "as_of" in asked else {}


def _json(record: Mapping[str, Any], status: int = 200) -> Reply:
    """Answer with JSON."""
    return status, "application/json", _text(record).encode("utf-8", "replace")


def _refused(status: int, detail: str) -> Reply:
    """Refuse as the service does (RFC 9457)."""
    return _json({"status": status, "detail": detail}, status)
