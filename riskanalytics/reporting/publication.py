"""The page of an executed notebook, and its PDF, moved into their places when both are whole."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ReportError
from riskanalytics.reporting.exporter import RiskReportExporter
from riskanalytics.reporting.pdf import pdf_of

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9._-]+")


def published(notebook: Any, stem: str, out: Path, *, pdf: bool = False) -> Path:
    """Export the page beside its place, and move it there when it is whole and on the disk.

    Parameters
    ----------
    notebook : notebook node
        Executed.
    stem : str
        Name of the notebook; the page is named after it and what it speaks of.
    out : Path
        Folder of the page.
    pdf : bool
        Whether a PDF of the same name is made beside it.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ReportError
        If it cannot be made or written; what was there stays.
    """
    body, gathered = RiskReportExporter().from_notebook_node(notebook)
    part = _NOT_IN_NAMES.sub("-", str(gathered["report"].get("name", "")).lower()).strip("-.")[:80]
    page = out / (f"{stem}-{part}.html" if part else f"{stem}.html")
    files = {page: body.encode()}
    if pdf:
        files = {page.with_suffix(".pdf"): pdf_of(gathered["report"], page=page.name), **files}
    _place(files)
    return page


def _place(files: Mapping[Path, bytes]) -> None:
    """Write all files beside their places, then move them there, one after the other."""
    written: list[tuple[Path, Path]] = []
    try:
        for place, content in files.items():
            handle, name = tempfile.mkstemp(prefix=".", suffix=place.suffix, dir=place.parent)
            written.append((Path(name), place))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o644)
        for made, place in written:
            made.replace(place)
    except OSError as error:
        for made, _ in written:
            with contextlib.suppress(OSError):
                made.unlink()
        raise ReportError(f"{' and '.join(map(str, files))} cannot be written: {error.strerror}") from error
