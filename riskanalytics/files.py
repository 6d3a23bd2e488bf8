"""Files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_MARK: Final = ".riskanalytics-"
_UNFINISHED: Final = re.compile(re.escape(_MARK) + r"[a-z0-9_]{8}\.(?:html|json|pdf)")
"""Name of a page, its manifest or its PDF before it is whole, as `tempfile` gives it; nobody else has such names."""
_SECONDS: Final = 300
"""How long nobody takes to write one file."""
_BEGINNING: Final = 1.0
"""Seconds in which a file that was made is locked."""


def write_file(path: Path, content: str | bytes, *, mode: int = 0o644, sync: bool = True) -> None:
    """Write a file beside its place, and move it there when it is whole and on the disk.

    Parameters
    ----------
    path : Path
        Its folder is there.
    content : str or bytes
        Text is written as UTF-8.
    mode : int
        Who may read it.
    sync : bool
        Whether it is brought onto the disk first; what can be made again need not be.

    Raises
    ------
    OSError
        What was there stays then.
    """
    handle, made = tempfile.mkstemp(prefix=_MARK, suffix=path.suffix, dir=path.parent)
    try:
        with _held(handle):
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode("utf-8") if isinstance(content, str) else content)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
            Path(made).chmod(mode)
            Path(made).replace(path)
        if sync:
            sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            Path(made).unlink()
        raise


@contextlib.contextmanager
def _held(handle: int) -> Iterator[None]:
    """Lock a file that is written, to its end and until it is moved: the lock of a writer that was killed ends with it."""
    held = os.dup(handle)
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a file system without locks: its files are left by their age
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(held)


def clear_unfinished(folder: Path) -> None:
    """Take away what writers that were killed have left in a folder; where files cannot be locked, after minutes.

    Parameters
    ----------
    folder : Path
    """
    for path in folder.glob(f"{_MARK}*"):
        with contextlib.suppress(OSError):
            if _UNFINISHED.fullmatch(path.name) and _is_left(path, time.time() - path.stat().st_mtime):
                path.unlink()


def _is_left(path: Path, seconds: float) -> bool:
    """Say whether nobody writes a file any more that was written so long ago."""
    if fcntl is None or seconds < _BEGINNING:
        return seconds > _SECONDS
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return seconds > _SECONDS
    return True


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder onto the disk, where the system knows how to.

    Parameters
    ----------
    folder : Path
    """
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
