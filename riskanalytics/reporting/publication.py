"""The page of an executed notebook, moved into its place when it is whole."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ReportError
from riskanalytics.reporting.exporter import RiskReportExporter

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9._-]+")


def published(notebook: Any, stem: str, out: Path) -> Path:
    """Export the page beside its place, and move it there when it is whole and on the disk.

    Parameters
    ----------
    notebook : notebook node
        Executed.
    stem : str
        Name of the notebook; the page is named after it and what it speaks of.
    out : Path
        Folder of the page.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ReportError
        If it cannot be written; what was there stays.
    """
    body, gathered = RiskReportExporter().from_notebook_node(notebook)
    part = _NOT_IN_NAMES.sub("-", str(gathered["report"].get("name", "")).lower()).strip("-.")[:80]
    page = out / (f"{stem}-{part}.html" if part else f"{stem}.html")
    try:
        handle, name = tempfile.mkstemp(prefix=".", suffix=".html", dir=out)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(page)
    except OSError as error:
        with contextlib.suppress(OSError, UnboundLocalError):
            Path(name).unlink()
        raise ReportError(f"the page {page} cannot be written: {error.strerror}") from error
    return page
