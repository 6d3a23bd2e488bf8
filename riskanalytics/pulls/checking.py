"""A folder of pulls checked: every file against the hash of its manifest."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from riskanalytics.errors import PullError
from riskanalytics.pulls.manifest import read_file, read_manifest
from riskanalytics.pulls.storage import open_storage

Progress = Callable[[str, int, int | None], None]


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


def check_pulls(folder: object, progress: Progress | None = None) -> Checked:
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
    storage = open_storage(str(folder))
    names = storage.pulls()
    files: set[tuple[str, str]] = set()  # two manifests may tell two hashes of one file
    damaged: list[str] = []
    if not names:
        raise PullError(
            f"there is no pull in {storage.shown}: make one with 'riskanalytics pull --archive {storage.shown}'"
        )
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
