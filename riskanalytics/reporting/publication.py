"""The page of an executed notebook, in its folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ReportError
from riskanalytics.reporting.exporter import RiskReportExporter
from riskanalytics.reporting.folder import list_pages, write_file

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9._-]+")


def published(notebook: Any, stem: str, out: Path) -> Path:
    """Write the page, whole or not at all, and list it in its folder.

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
        write_file(page, body)
    except OSError as error:
        raise ReportError(f"the page {page} cannot be written: {error.strerror}") from error
    list_pages(out)
    return page
