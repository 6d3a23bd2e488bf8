"""Files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Final

_MARK: Final = ".riskanalytics-"
_UNFINISHED: Final = re.compile(re.escape(_MARK) + r"[a-z0-9_]{8}\.(?:html|json|pdf)")
"""Name of a page, its manifest or its PDF before it is whole, as `tempfile` gives it; nobody else has such names."""
_SECONDS: Final = 300
"""Nobody takes longer to write one file."""


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


def clear_unfinished(folder: Path) -> None:
    """Remove what killed writers left in a folder some minutes ago.

    Parameters
    ----------
    folder : Path
    """
    for path in folder.glob(f"{_MARK}*"):
        with contextlib.suppress(OSError):
            if _UNFINISHED.fullmatch(path.name) and time.time() - path.stat().st_mtime > _SECONDS:
                path.unlink()


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
