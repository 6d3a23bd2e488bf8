"""Read pulls: a client that answers requests from a folder of pulls, as the service did.

A request for a day is answered from the last pull of that day, any other request from the last pull of the newest day.

The table `answers` contains the answers of the service, and the column `record` of the table `changes` contains the changes of
policies, both as the service sent them. The client reads only these two tables of a pull. The others are frames made from them,
for other programs.
"""

import io
import json
import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache, partial
from secrets import token_hex
from typing import Any, Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import CHANGES, COVERAGE, LIST, MACHINE, PAGE, Client
from riskanalytics.client.connection import recorded
from riskanalytics.errors import PullError
from riskanalytics.frames.building import check_parquet, mapping_of, records_of

from .storage import MANIFEST, PULL, Manifest, Storage, StoredTable, snapshot_file

Json = dict[str, Any]
Reply = tuple[int, str, bytes]
"""Status, media type and body."""
Answers = dict[str, Any]
"""Path -> unchanged answer of a service (with the rows of the list under `data`), or a text that says why it is missing."""

_ANSWERS: Final = {"path": "str", "status": "Int64", "body": "str"}
"""Column of the table `answers` -> dtype: path of the endpoint, HTTP status, and the answer, or why it is missing."""
_text: Final = partial(json.dumps, ensure_ascii=False)


def machines_in(answers: Answers) -> dict[str, Json]:
    """Return the answers of `/api/machine/platform/{slug}` in a pull: slug -> record; `answers` maps path to answer."""
    return {
        path.removeprefix(MACHINE): got
        for path, got in answers.items()
        if path.startswith(MACHINE) and isinstance(got, dict)
    }


def platforms_in(answers: Answers) -> list[Json]:
    """Return the rows of `/api/v1/platforms` in the answers of a pull (path -> answer).

    A pull without a key does not have this list: the rows are then made from the answers of `/api/machine/platform/{slug}`.
    """
    if LIST in answers:
        return list(answers[LIST]["data"])
    made = machines_in(answers).items()
    return [{"id": slug, "verification": one.get("verification_status"), **one} for slug, one in made]


def snapshots_in(records: list[Json]) -> list[str]:
    """Return the SHA-256 of every text that records of platforms or changes refer to, each once, in order of first use."""
    parts = (part for record in records for parts in record.values() for part in records_of(parts))
    named = (str((mapping_of(part.get("provenance")) or part).get("snapshot_sha256")) for part in parts)
    return [name for name in dict.fromkeys(named) if re.fullmatch("[0-9a-f]{64}", name)]


def answers_frame(answers: Answers) -> pd.DataFrame:
    """Return a service's answers (path -> answer) as the table `answers` of a pull: columns `path`, `status` and `body`."""
    rows = [(path, 200, _text(got)) if isinstance(got, dict) else (path, 0, got) for path, got in answers.items()]
    return pd.DataFrame(rows, columns=[*_ANSWERS]).astype(_ANSWERS)


def read_answers(storage: Storage, table: StoredTable) -> Answers:
    """Return the table `answers` of a pull as a dict: path -> the service's answer, or a text that says why there is no answer."""
    rows = _rows(storage, table, *_ANSWERS)
    return {path: json.loads(body) if status == 200 else body for path, status, body in rows}


def _rows(storage: Storage, table: StoredTable, *names: str) -> list[tuple[Any, ...]]:
    """Return the rows of some columns of a table."""
    content = io.BytesIO(storage.read(table.file, table.sha256))
    try:
        frame = pd.read_parquet(content, engine="pyarrow", columns=list(names))
    except (ValueError, OSError, KeyError) as error:
        raise storage.damaged(
            table.file, f"the file is not a Parquet table with the columns {', '.join(names)}"
        ) from error
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def changes_of(storage: Storage, manifest: Manifest) -> list[Json] | None:
    """Return the changes that a pull contains, as the service sent them; None if the service did not show changes.

    Parameters
    ----------
    storage : Storage
        The folder of pulls.
    manifest : Manifest
        The manifest of the pull.

    Raises
    ------
    PullError
        If the pull's table of changes is damaged.
    """
    table = manifest.tables.get("changes")
    return None if table is None else [json.loads(record) for (record,) in _rows(storage, table, "record")]


class PullsClient(Client):
    """A client that answers requests from pulls of one source, as the service did.

    Parameters
    ----------
    folder : str
        A folder of pulls, or its address for fsspec; or the folder of one pull, to read that pull only.

    Attributes
    ----------
    folder : str
        The folder as given.
    days : dict
        Day -> manifest of the last pull of that day, oldest day first.
    newest : Manifest
        Manifest of the last pull of the newest day.

    Raises
    ------
    PullError
        If there is no pull, a manifest is damaged, or the pulls are of several sources.
    MissingExtraError
        If pyarrow is not installed.
    """

    def __init__(self, folder: str) -> None:
        head, _, only = folder.rstrip("/").rpartition("/")
        alone = PULL.fullmatch(only) is not None
        storage = Storage((head or ".") if alone else folder)
        manifests = [storage.manifest(name) for name in ([only] if alone else storage.pulls())]
        check_parquet()
        manifests.sort(key=lambda manifest: (manifest.day, manifest.name))
        if len(sources := sorted({manifest.source for manifest in manifests})) > 1:
            held = " and of ".join(sources)
            raise PullError(f"{storage.shown} contains pulls of {held}: keep each source in its own folder")
        self.folder, self.newest, self._storage = folder, manifests[-1], storage
        self.days = {manifest.day: manifest for manifest in manifests}
        self._snapshots = {name for manifest in manifests for name in manifest.snapshots}
        self._at = lru_cache(3)(self._read)
        self._changes = lru_cache(4)(self._filtered)
        source = f"pulls of {sources[0]} in {storage.shown}"
        super().__init__("https://pulls.localhost", token_hex(), transport=recorded(self._answer), source=source)
        self._note(self.newest)

    def _note(self, manifest: Manifest) -> None:
        """Report the problems of a pull to its readers."""
        for line in manifest.problems:
            self.problems.add(line, manifest.name)

    def _read(self, day: date) -> Answers:
        """Return the answers of the service at the end of a day with a pull."""
        manifest = self.days[day]
        if "answers" not in manifest.tables:
            raise self._storage.damaged(f"{manifest.name}/{MANIFEST}", "the manifest lists no table of answers")
        answers = read_answers(self._storage, manifest.tables["answers"])
        if frames.covered_day(answers[COVERAGE]) is None:
            # without a day, a reader would assume today
            answers[COVERAGE]["as_of"] = day.isoformat()
        return answers

    def _filtered(self, since: str, until: str, change_class: str) -> list[Json] | None:
        """Return the changes of some days (UTC) and of a class; a change with an unreadable day matches any day."""
        if (rows := changes_of(self._storage, self.newest)) is None:
            return None
        changes = frames.changes_frame(rows)
        days = changes["reviewed_at"].dt.strftime("%Y-%m-%d")
        wanted = days.isna() | days.between(since, until)
        if change_class:
            wanted &= changes["change_class"] == change_class
        return [row for row, is_wanted in zip(rows, wanted, strict=True) if is_wanted]

    def _answer(self, path: str, query: Mapping[str, str]) -> Reply:
        """Answer a request: 404 for endpoints that a pull does not contain, such as searches; 400 for a day without a pull."""
        if path.startswith("/archive/"):
            if (name := path.removeprefix("/archive/")) not in self._snapshots:
                return _refused(404, "not in the pull")
            return 200, "text/markdown; charset=utf-8", self._storage.read(snapshot_file(name), name)
        if (path not in (LIST, COVERAGE, CHANGES) and not path.startswith(MACHINE)) or "" in query:
            return _refused(404, "a pull answers no searches and no questions: use the service or a database")
        return self._of_state(path, query)

    def _of_state(self, path: str, query: Mapping[str, str]) -> Reply:
        """Answer from the pull of a day."""
        day = date.fromisoformat(query["as_of"]) if "as_of" in query else self.newest.day
        if day not in self.days:
            known = ", ".join(map(str, list(self.days)[-6:]))
            return _refused(400, f"the pulls in {self._storage.shown} are of {known}: give one of these days")
        named = [query.get(name, otherwise) for name, otherwise in (("since", ""), ("until", "9999"), ("class", ""))]
        rows = self._changes(*named) if path == CHANGES else None
        if path == CHANGES and rows is None:
            status = self.newest.not_shown.get("changes", 404)
            return _refused(status, "the service did not show changes when it was pulled")
        self._note(self.days[day])
        answers = self._at(day)
        got = answers.get(path)
        if path in (LIST, CHANGES):
            rows = platforms_in(answers) if rows is None else rows
            limit, offset = int(query.get("limit", PAGE)), int(query.get("offset", 0))
            page = {"total": len(rows), "limit": limit, "offset": offset, "data": rows[offset : offset + limit]}
            got = {"object": "list", **page, "disclaimer": answers[COVERAGE].get("disclaimer")}
        if got is None:
            return _refused(404, "not tracked in the pull")
        # failed dependency (RFC 4918): a retry does not help
        if not isinstance(got, dict):
            return _refused(424, f"not in the pull: {got}")
        return _json({**got, **({"as_of": query["as_of"]} if "as_of" in query else {})})


def _json(record: Json, status: int = 200) -> Reply:
    """Answer with JSON."""
    return status, "application/json", _text(record).encode("utf-8", "replace")


def _refused(status: int, detail: str) -> Reply:
    """Refuse as the service does (RFC 9457)."""
    return _json({"status": status, "detail": detail}, status)
