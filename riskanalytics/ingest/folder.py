"""Collections kept as a dataset folder: `<service>/<terms type>/<date>.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from riskanalytics.errors import IngestError
from riskanalytics.ingest.collection import Capture, Collection, Known
from riskanalytics.provenance import sha256_of

_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T_ -]+(\d{2})[-:_]?(\d{2})(?:[-:_]?(\d{2}))?(?:\.\d+)?Z?)?$")


class FolderCollection(Collection):
    """The dated files of a dataset folder.

    Parameters
    ----------
    path : Path
        Folder of the services.
    name : str, optional
        OWNER/NAME of its public home; the folder's name where None.

    Raises
    ------
    IngestError
        If nothing in it has the form `<service>/<terms type>/<date>.md`.
    """

    by_time = True

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or path.resolve().name
        root = path.resolve()
        dated = [(_date(file), file) for file in path.glob("*/*/*.md") if file.resolve().is_relative_to(root)]
        self._files = sorted((at, file) for at, file in dated if at is not None)
        self._root = path
        if not self._files:
            raise IngestError(
                f"{path} is no collection: neither a git repository nor files like SERVICE/TERMS TYPE/2026-01-31.md"
            )

    @property
    def head(self) -> str:
        """Hash of the names of all files."""
        names = "\n".join(str(file.relative_to(self._root)) for _, file in self._files)
        return sha256_of(names.encode("utf-8", errors="surrogateescape"))

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Give the captures of all files that are not known, oldest first.

        Parameters
        ----------
        known : callable
            See `riskanalytics.ingest.collection.Known`.
        """
        yield len(self._files)
        for sequence, (at, file) in enumerate(self._files):
            folder, document = file.parent.parent.name, file.parent.name
            if known(file.stem, f"{folder}/{document}", sequence):
                continue
            try:
                body = file.read_bytes()
            except OSError as error:
                raise IngestError(f"{file} cannot be read: {error.strerror}") from error
            yield Capture(folder, document, at, file.stem, sequence, "change", body)


def _date(file: Path) -> datetime | None:
    """Read the date that a file is named by; UTC."""
    match = _DATE.fullmatch(file.stem)
    if match is None or not file.is_file():
        return None
    try:
        return datetime(*(int(part or 0) for part in match.groups()), tzinfo=UTC)  # type: ignore[arg-type, misc]
    except ValueError:
        return None
