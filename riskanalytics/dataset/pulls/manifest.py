"""What a pull holds: the service's answers as Parquet tables, and `manifest.json`, which files are checked against.

`answers` holds the answers as they came, `record` of `changes` the changes: all else can be made from these two. The
other tables are frames, so that a pull is a plain data set for others.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from riskanalytics import frames
from riskanalytics.dataset.pulls.storage import MANIFEST, Storage
from riskanalytics.errors import MissingExtraError, PullError
from riskanalytics.frames.building import mapping_of, records_of
from riskanalytics.frames.plain import MISSING, as_parquet, plain_frame
from riskanalytics.frames.records import parts_of
from riskanalytics.work.progress import Told

_NAME: Final = r"\d{8}T\d{6}Z-[0-9a-f]{4}"
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class StoredTable(_Frozen):
    """A Parquet file of a pull; unchanged tables are those of an earlier pull.

    Parameters
    ----------
    file : str
        Below the folder of pulls: `<pull>/<table>.parquet`.
    sha256 : str
        Of the file.
    bytes, rows : int
    """

    file: Annotated[str, StringConstraints(pattern=rf"^{_NAME}/[a-z_]+\.parquet$")]
    sha256: Sha256
    bytes: Annotated[int, Field(ge=0)]
    rows: Annotated[int, Field(ge=0)]


class Manifest(_Frozen):
    """A dated copy of what a service said.

    Parameters
    ----------
    form : int
        Of this file.
    name : str
        Of the pull: its folder.
    source : str
        Address of the service without user, query and key, or name of the database.
    day : date
        Day that the data speak of: that of the newest capture, or the one that was asked for.
    pulled_at, finished_at : datetime
        UTC.
    access : str
        What the key was shown: `pro` (changes too), `starter` (no changes), `open` (no key), `embedded`.
    versions : dict
        Of riskanalytics, and of what read the texts (`rules`, where the service gives it).
    tables : dict
        Table -> its file.
    snapshots : tuple of str
        SHA-256 of the policy texts that are kept: `snapshots/<sha256>.md`.
    not_shown : dict
        What the service did not show -> HTTP status; empty of what was read.
    problems : tuple of str
        What could not be read, a line each.
    """

    form: Literal[1] = 1
    name: Annotated[str, StringConstraints(pattern=rf"^{_NAME}$")]
    source: str
    day: date
    pulled_at: datetime
    finished_at: datetime
    access: str
    versions: dict[str, str]
    tables: dict[str, StoredTable]
    snapshots: tuple[Sha256, ...] = ()
    not_shown: dict[str, int] = {}
    problems: tuple[str, ...] = ()

    @property
    def files(self) -> dict[str, str]:
        """File below the folder of pulls -> its SHA-256."""
        return {table.file: table.sha256 for table in self.tables.values()} | {
            snapshot_file(name): name for name in self.snapshots
        }


def snapshot_file(sha256: str) -> str:
    """Return where a policy text is kept below the folder of pulls."""
    return f"snapshots/{sha256}.md"


def read_manifest(storage: Storage, name: str) -> Manifest:
    """Read the manifest of a pull.

    Parameters
    ----------
    storage : Storage
    name : str
        Of the pull.

    Raises
    ------
    PullError
        If it is damaged.
    """
    try:
        manifest = Manifest.model_validate_json(storage.read(f"{name}/{MANIFEST}"))
    except (ValidationError, OSError) as error:
        why = "it cannot be read" if isinstance(error, OSError) else "it is not what a manifest holds"
        raise PullError(_damaged(storage, f"{name}/{MANIFEST}", why)) from error
    if manifest.name != name:
        raise PullError(_damaged(storage, f"{name}/{MANIFEST}", f"it is that of {manifest.name}"))
    return manifest


def read_file(storage: Storage, file: str, digest: str) -> bytes:
    """Return the content of a file of a pull, whose hash is as its manifest says.

    Parameters
    ----------
    storage : Storage
    file : str
        Below the folder of pulls.
    digest : str
        SHA-256 as the manifest says.

    Raises
    ------
    PullError
        If it is missing or damaged.
    """
    try:
        content = storage.read(file)
    except FileNotFoundError as error:
        raise PullError(_damaged(storage, file, "it is missing")) from error
    except OSError as error:
        raise PullError(_damaged(storage, file, "it cannot be read")) from error
    if sha256(content).hexdigest() != digest:
        raise PullError(_damaged(storage, file, "its hash is not the one of its manifest"))
    return content


def is_intact(storage: Storage, file: str, digest: str) -> bool:
    """Say whether a file is there and of its hash; parameters as `read_file` takes them."""
    try:
        read_file(storage, file, digest)
    except PullError:
        return False
    return True


def _damaged(storage: Storage, file: str, why: str) -> str:
    """Return what is said of a damaged file."""
    again = ", or move this one file away: what other pulls name stays"
    if not file.endswith(MANIFEST):
        again = "; a new pull (--snapshots for texts) restores it where the service still says the same"
    return f"{storage.shown}/{file} is damaged: {why}; restore it from a copy{again}"


class Checked(NamedTuple):
    """What a check found.

    Parameters
    ----------
    pulls, files : int
        How many were checked; a file of several pulls counts once.
    damaged : tuple of str
        A line for each file that is missing or damaged.
    """

    pulls: int
    files: int
    damaged: tuple[str, ...]


def check_pulls(folder: str | Path, progress: Told | None = None) -> Checked:
    """Check every manifest and file of a folder of pulls.

    Parameters
    ----------
    folder : str or Path
    progress : callable, optional
        Called with a phase, how many files are done, and how many there are.

    Raises
    ------
    PullError
        If there is no pull.
    """
    storage = Storage(folder)
    names = named_pulls(storage)
    files: set[tuple[str, str]] = set()  # two manifests may give two hashes of one file
    damaged: list[str] = []
    for name in names:
        try:
            files |= read_manifest(storage, name).files.items()
        except PullError as error:
            damaged.append(str(error))
    for done, (file, digest) in enumerate(sorted(files), 1):
        try:
            read_file(storage, file, digest)
        except PullError as error:
            damaged.append(str(error))
        if progress is not None:
            progress("checking the files", done, len(files))
    return Checked(len(names), len(files), tuple(damaged))


def named_pulls(storage: Storage) -> list[str]:
    """Return the names of the pulls of a folder; refuse a folder without any."""
    if names := storage.pulls():
        return names
    raise PullError(
        f"there is no pull in {storage.shown}: make one with 'riskanalytics pull --archive {storage.shown}'"
    )


Json = dict[str, Any]

LIST: Final = "/api/v1/platforms"
CHANGES: Final = "/api/v1/changes"
COVERAGE: Final = "/api/coverage"
INDEX: Final = "/llms-full.txt"
MACHINE: Final = "/api/machine/platform/"
_ANSWERS: Final[frames.Columns] = {
    "path": ("str", "Path of the endpoint."),
    "status": ("Int64", "HTTP status."),
    "body": ("str", "The answer, or why it is missing."),
}


@dataclass
class Answers:
    """What a service answered, as it came.

    Parameters
    ----------
    coverage : dict
    listed : dict, optional
        The list of platforms, whole; None where no key was there to ask with.
    records : dict
        Slug -> machine platform.
    failed : dict
        Slug -> why its machine platform could not be had.
    changes : list of dict, optional
        None where the service does not show them.
    index : str, optional
        The list for agents.
    """

    coverage: Json = field(default_factory=dict)
    listed: Json | None = None
    records: dict[str, Json] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    changes: list[Json] | None = None
    index: str | None = None

    @property
    def platforms(self) -> list[Json]:
        """The platforms as of the list; as of their machine records where no list is kept."""
        if self.listed is not None:
            return [dict(row) for row in records_of(self.listed.get("data"))]
        return [
            {"id": slug, "verification": record.get("verification_status"), **record}
            for slug, record in self.records.items()
        ]

    @property
    def snapshots(self) -> list[str]:
        """SHA-256 of the texts that documents, findings, leads and the clauses of changes name, each once, in order."""
        told: dict[str, None] = {}
        for record in [*self.records.values(), *(self.changes or [])]:
            for part in (part for parts in record.values() for part in records_of(parts)):
                place = mapping_of(part.get("provenance")) or part
                told[str(place.get("snapshot_sha256"))] = None
        return [name for name in told if len(name) == 64 and set(name) <= set("0123456789abcdef")]


def tables_of(answers: Answers) -> dict[str, pd.DataFrame]:
    """Return the tables of a pull: `answers`, and each frame that was shown.

    Parameters
    ----------
    answers : Answers
    """
    records = list(answers.records.values())
    told = {
        "answers": frames.frame_of(_ANSWERS, _rows(answers)),
        "platforms": frames.platforms_frame(answers.platforms),
        "findings": frames.findings_frame(parts_of(records, "findings")),
        "leads": frames.findings_frame(parts_of(records, "leads")),
        "surfaces": frames.surfaces_frame(records),
        "training_use": frames.training_use_frame(records),
        "documents": frames.documents_frame(records),
        "coverage": frames.coverage_frame(answers.coverage),
    }
    if answers.changes is not None:
        raw = pd.Series(list(map(_text, answers.changes)), dtype="str")
        told["changes"] = frames.changes_frame(answers.changes).assign(record=raw)
    return told


def stored(frame: pd.DataFrame) -> bytes:
    """Return a table as it is stored: Parquet, nested values as JSON text."""
    return as_parquet(plain_frame(frame))


def read_answers(content: bytes, file: str) -> Answers:
    """Return what a service answered, but for its changes, from the table `answers`.

    Parameters
    ----------
    content : bytes
    file : str
        Name for messages.
    """
    answers = Answers()
    for path, status, body in _columns(content, file, *_ANSWERS):
        if path == INDEX:
            answers.index = body
        elif path == COVERAGE:
            answers.coverage = json.loads(body)
        elif path == LIST:
            answers.listed = json.loads(body)
        elif status == 200:
            record = json.loads(body)
            answers.records[str(record["slug"])] = record
        else:
            answers.failed[str(path).removeprefix(MACHINE)] = body
    return answers


def read_changes(content: bytes, file: str) -> list[Json]:
    """Return the changes as they came, from the table `changes`; parameters as `read_answers` takes them."""
    return [json.loads(record) for (record,) in _columns(content, file, "record")]


def _columns(content: bytes, file: str, *names: str) -> list[tuple[Any, ...]]:
    """Return the rows of some columns of a Parquet file."""
    try:
        frame = pd.read_parquet(io.BytesIO(content), engine="pyarrow", columns=list(names))
    except ImportError as error:
        raise MissingExtraError(MISSING) from error
    except (ValueError, OSError, KeyError) as error:
        raise PullError(f"{file} is not what a pull holds; restore it from a copy") from error
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def _rows(answers: Answers) -> list[tuple[object, ...]]:
    """Return what was answered, a row for each answer, without the changes."""
    rows: list[tuple[object, ...]] = [(COVERAGE, 200, _text(answers.coverage))]
    if answers.index is not None:
        rows.append((INDEX, 200, answers.index))
    if answers.listed is not None:
        rows.append((LIST, 200, _text(answers.listed)))
    known = {slug: (200, _text({**record, "slug": slug})) for slug, record in answers.records.items()}
    failed = {slug: (0, why) for slug, why in answers.failed.items()}
    return rows + [(MACHINE + slug, *told) for slug, told in sorted((known | failed).items())]


def _text(record: Mapping[str, object]) -> str:
    """Return a record as JSON text."""
    return json.dumps(record, ensure_ascii=False)
