"""What a pull says of itself: `manifest.json`."""

from __future__ import annotations

from datetime import date, datetime
from hashlib import sha256
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from riskanalytics.errors import PullError
from riskanalytics.pulls.storage import MANIFEST, Storage

_NAME: Final = r"\d{8}T\d{6}Z-[0-9a-f]{4}"
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoredTable(_Strict):
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


class Manifest(_Strict):
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
    newest : date or None
        Newest day that the service had data of.
    pulled_at, finished_at : datetime
        UTC.
    access : str
        What the key was shown: `pro` (changes too), `starter` (no changes), `open` (no key), `embedded`.
    versions : dict
        Of riskanalytics, and of what read the texts (`rules`, where the service tells it).
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
    newest: date | None = None
    pulled_at: datetime
    finished_at: datetime
    access: str
    versions: dict[str, str]
    tables: dict[str, StoredTable]
    snapshots: tuple[Sha256, ...] = ()
    not_shown: dict[str, int] = {}
    problems: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the data tell how the day ended: there were later ones. Of the newest day, more may have come."""
        return self.newest is not None and self.day < self.newest

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
