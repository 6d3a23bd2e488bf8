"""The page of an executed notebook, and its PDF, in their folder."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from nbformat import NotebookNode

from riskanalytics.errors import ReportError
from riskanalytics.files import write_file
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.print import pdf_of
from riskanalytics.reporting.exporter import RiskReportExporter
from riskanalytics.reporting.folder import list_pages

_LONGEST: Final = 80
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9._-]+")


def published(notebook: NotebookNode, stem: str, out: Path, *, pdf: bool = False) -> Path:
    """Write the page, whole or not at all, and list it in its folder.

    Parameters
    ----------
    notebook : notebook node
        Executed.
    stem : str
        Name of the notebook; the page is named after it and what it speaks of.
    out : Path
        Folder of the page.
    pdf : bool
        Whether a PDF of the same name is written beside it; it is made before either is written. Where none is asked
        for, one that was made with another page of this name goes with that page.

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
    part = _part_of_name(str(gathered["report"].get("name", "")))
    page = out / (f"{stem}-{part}.html" if part else f"{stem}.html")
    printed = page.with_suffix(".pdf")
    if pdf:
        report = gathered["report"]
        told = {"page": page.name, "disclaimer": DISCLAIMER, "made": report["made"], "quotes": report["quotes"]}
        _write(printed, pdf_of(report["parts"], report, **told))
    elif printed.is_file() and not (page.is_file() and page.read_text(encoding="utf-8", errors="replace") == body):
        printed.unlink()  # it was made with another page of this name
    _write(page, body)
    list_pages(out)
    return page


def _part_of_name(name: str) -> str:
    """Return a name as part of a file's; where something of it fell, a hash keeps it apart from others."""
    lowered = name.lower()
    part = _NOT_IN_NAMES.sub("-", lowered).strip("-.")
    if part == lowered and len(part) <= _LONGEST:
        return part
    digest = sha256(name.encode("utf-8", errors="replace")).hexdigest()[:8]
    return f"{part[: _LONGEST - 9]}-{digest}".strip("-.")


def _write(path: Path, content: str | bytes) -> None:
    """Write one file."""
    try:
        write_file(path, content)
    except OSError as error:
        kind = "PDF" if path.suffix == ".pdf" else "page"
        raise ReportError(f"the {kind} {path} cannot be written: {error.strerror}") from error
