"""What a pull says of itself, `manifest.json`, and whether its files are as it says."""

from __future__ import annotations

from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from riskanalytics.dataset.pulls.storage import MANIFEST, Storage
from riskanalytics.errors import PullError
from riskanalytics.progress import Told

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
