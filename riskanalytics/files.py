"""Files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file beside its place, and move it there when it is whole and on the disk.

    Parameters
    ----------
    path : Path
        Its folder is there.
    content : str or bytes
        Text is written as UTF-8.

    Raises
    ------
    OSError
        What was there stays then.
    """
    handle, made = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        Path(made).chmod(0o644)
        Path(made).replace(path)
        sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            Path(made).unlink()
        raise


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
