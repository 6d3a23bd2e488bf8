"""Typesetting in a process that ends: typst keeps what it once took, and a service would grow with every report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from riskanalytics.errors import ReportError
from riskanalytics.typesetting import check_installed, typeset

MOST_SECONDS: Final = 60
_NICE: Final = 10
"""What a service answers meanwhile goes first."""


def typeset_apart(
    template: str, data: Mapping[str, object], *, timestamp: datetime, files: Mapping[str, str] | None = None
) -> bytes:
    """Typeset a document as `typeset` does, in a process of its own.

    `multiprocessing` and its pools are not used: they import the caller's script again, and cannot end a work that
    takes too long.

    Parameters
    ----------
    template, data, timestamp, files
        As of `typeset`.

    Returns
    -------
    bytes

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If the document cannot be typeset, or not within a minute.
    """
    check_installed()
    try:
        made = subprocess.run(  # noqa: S603 (our own interpreter)
            [sys.executable, "-P", "-m", __name__],
            input=json.dumps([template, data, timestamp.isoformat(), files]).encode(),
            capture_output=True,
            timeout=MOST_SECONDS,
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for the process that asks
        ).stdout
    except (subprocess.SubprocessError, OSError):
        raise ReportError("the PDF cannot be typeset: that took too long or too much memory") from None
    if not made.startswith(b"%PDF"):
        raise ReportError(made.decode())
    return made


def _answer() -> None:
    """Typeset what `typeset_apart` in another process sends, or say why not."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    template, data, timestamp, files = json.load(sys.stdin.buffer)
    try:
        made = typeset(template, data, timestamp=datetime.fromisoformat(timestamp), files=files)
    except ReportError as error:
        made = str(error).encode()
    sys.stdout.buffer.write(made)


if __name__ == "__main__":
    _answer()
