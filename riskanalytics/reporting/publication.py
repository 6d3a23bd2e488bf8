"""The page of an executed notebook, and its PDF."""

from __future__ import annotations

from pathlib import Path

from nbformat import NotebookNode

from riskanalytics.frames.building import mapping_of
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.print import pdf_of
from riskanalytics.reporting.exporter import page_of
from riskanalytics.reporting.folder import list_pages
from riskanalytics.reporting.job import Contents
from riskanalytics.reporting.placing import named, place
from riskanalytics.reporting.told import unverified


def contents_of(notebook: NotebookNode, stem: str, *, part: str = "", pdf: bool = False) -> Contents:
    """Return the page of a notebook.

    Parameters
    ----------
    notebook : notebook node
        Executed.
    stem : str
        Name of the notebook.
    part : str
        What names the file of a page that gives itself no name.
    pdf : bool
        Whether a PDF is made, too.
    """
    body, gathered = page_of(notebook)
    report = gathered["report"]
    name, printed = str(report.get("name") or part), None
    if pdf:
        told = {"disclaimer": DISCLAIMER, "made": report["made"], "quotes": report["quotes"]}
        printed = pdf_of(report["parts"], report, page=named(stem, name), **told)
    lacks = str(report.get("incomplete") or mapping_of(report.get("unmatched")).get("said") or unverified(report))
    again = bool(report.get("incomplete") or report.get("quotes_failed"))
    return Contents(name, body, printed, lacks, again, str(report.get("data_end") or ""))


def publish(contents: Contents, stem: str, out: Path, *, replace: bool = False) -> Path:
    """Write a page, whole or not at all, and list it in its folder.

    Parameters
    ----------
    contents : Contents
    stem : str
        Name of the notebook; the page is named after it and what it speaks of.
    out : Path
        Folder of the page.
    replace : bool
        As of `place`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ReportError
        If it cannot be written; what was there stays.
    """
    page = out / named(stem, contents.name)
    place(contents, page, replace=replace)
    list_pages(out)
    return page
