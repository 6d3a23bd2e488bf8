"""Typesetting in a process that ends: typst keeps what it once took, and a service would grow with every report."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from riskanalytics.errors import ReportError
from riskanalytics.processes import ask, serve, start, stop
from riskanalytics.typesetting import check_installed, typeset

MOST_SECONDS: Final = 60
_NICE: Final = 10
"""What a service answers meanwhile goes first."""


def typeset_apart(
    template: str, data: Mapping[str, object], *, timestamp: datetime, files: Mapping[str, str] | None = None
) -> bytes:
    """Typeset a document as `typeset` does, in a process of its own.

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
    process = start(__name__, "typeset_for_others")
    if process is None:
        return typeset(template, data, timestamp=timestamp, files=files)
    late = threading.Timer(MOST_SECONDS, process.kill)
    late.start()
    try:
        made: bytes | ReportError = ask(process, (template, dict(data), timestamp, dict(files or {})))
    except EOFError:
        raise ReportError("the PDF cannot be typeset: that took too long or too much memory") from None
    finally:
        late.cancel()
        stop(process)
    if isinstance(made, ReportError):
        raise made
    return made


def typeset_for_others() -> None:
    """Typeset what `typeset_apart` in another process sends."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    serve(_typeset)


def _typeset(asked: tuple[str, dict[str, object], datetime, dict[str, str]]) -> bytes | ReportError:
    """Typeset one document, or say why not."""
    template, data, timestamp, files = asked
    try:
        return typeset(template, data, timestamp=timestamp, files=files)
    except ReportError as error:
        return error
