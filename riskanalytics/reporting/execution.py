"""Run a notebook with papermill in its own kernel, make its page, and list the pages of a folder.

No page contains a key or a path of this machine. `index.html` lists the pages of a folder; `feed.json` is the same list for
machines (JSON Feed 1.1). Both are made from the pages themselves, so deleted or copied pages are listed correctly.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from papermill.engines import papermill_engines
from papermill.exceptions import PapermillExecutionError
from papermill.execute import raise_for_execution_errors
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from riskanalytics import errors
from riskanalytics.errors import ReportError, RiskAnalyticsError, cut_inside
from riskanalytics.files import reported_as, write_file
from riskanalytics.frames.building import mapping_of
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.print import pdf_of
from riskanalytics.pages.rows import below, columns
from riskanalytics.pages.section import DETAILS, encode
from riskanalytics.pages.values import PAGE_TYPE, Group, Heading, Link, Paragraph, Parts, Row, Table, Text, Words
from riskanalytics.text.wording import plural

from . import placing
from .engine import WarmKernelEngine
from .exporter import page_of, prepare
from .kernel import KERNEL, KernelManager
from .placing import Contents, Job, part_of

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST: Final = 1_000
"""Maximum number of characters of an error."""
_ENGINE: Final = "riskanalytics"
papermill_engines.register(_ENGINE, WarmKernelEngine)


def executed(job: Job, kernel: KernelManager, progress: Callable[[int, int], None]) -> NotebookNode:
    """Run the notebook of a report.

    Parameters
    ----------
    job : Job
        The report to make: its notebook, parameters and settings.
    kernel : KernelManager
        Manager of a started kernel.
    progress : callable
        Called with the numbers of cells done and of all cells.

    Returns
    -------
    notebook node
        The notebook with its outputs, without keys and timings. Its metadata contain the name and SHA-256 of the notebook's file,
        and the texts that identify the portfolio and the source of the data (`job.marks`).

    Raises
    ------
    ReportError
        If a cell fails or the kernel ends. Errors of this package keep their class.
    """
    secrets = job.settings.secrets
    try:
        with ThreadPoolExecutor(1) as while_it_runs:
            while_it_runs.submit(prepare)
            # as `papermill.execute_notebook`, but without writing the notebook, which takes 0.25 seconds
            notebook = load_notebook_node(str(job.notebook))
            if job.values:
                notebook = parameterize_notebook(notebook, dict(job.values), kernel_name=KERNEL, engine_name=_ENGINE)
            notebook = papermill_engines.execute_notebook_with_engine(
                _ENGINE, notebook, KERNEL, progress_bar=False, report=kernel, progress=progress
            )
            raise_for_execution_errors(notebook, None)
    except PapermillExecutionError as error:
        failed = _failure(error, secrets)
        if isinstance(failed, ReportError) and not job.ours:  # errors of built-in notebooks explain themselves
            failed.cell = error.cell_index + 1 - bool(job.values)  # papermill adds a cell for given parameters
        raise failed from ReportError(without_key(str(error), secrets))
    except (RuntimeError, TimeoutError) as error:
        raise ReportError(f"the notebook's kernel ended early: {said(str(error), secrets)}") from None
    if secrets:
        notebook = nbformat.from_dict(json.loads(without_key(json.dumps(notebook), secrets)))
    digest = placing.hash_of(job.notebook)
    notebook.metadata[DETAILS] = {"notebook": job.notebook.stem, "sha256": digest, **job.marks}
    return notebook


def _failure(error: PapermillExecutionError, secrets: Sequence[str]) -> RiskAnalyticsError:
    """Return the error of a failed cell: errors of this package unchanged, others with the name of their class; never a key."""
    kind, what = getattr(errors, str(error.ename), None), said(str(error.evalue), secrets)
    if not isinstance(kind, type) or not issubclass(kind, RiskAnalyticsError):
        return ReportError(f"the notebook failed: {said(str(error.ename), secrets)}: {what}")
    return kind(what)


def said(text: str, secrets: Sequence[str]) -> str:
    """Return the message of an error in one line, without terminal colours and without the `secrets` (keys and passwords).

    A long message is shortened in its middle.
    """
    return cut_inside(" ".join(_ANSI.sub("", without_key(text, secrets)).split()), _LONGEST)


def without_key(text: str, secrets: Sequence[str]) -> str:
    """Return a text with `***` in place of each of the `secrets` (keys, passwords), also of their encoded forms, such as Base64."""
    for secret in secrets:
        packed = base64.b64encode(secret.encode()).decode()
        for form in (secret, secret[::-1], packed, quote(secret, safe=""), json.dumps(secret)[1:-1], escape(secret)):
            text = text.replace(form, "***")
    return text


def contents_of(notebook: NotebookNode, stem: str, *, part: str = "", pdf: bool = False) -> Contents:
    """Return the page of an executed notebook, its PDF if requested, and one line on the data that the page lacks.

    Parameters
    ----------
    notebook : notebook node
        The executed notebook.
    stem : str
        Name of the notebook's file without its extension.
    part : str
        Second part of the page's file name, after `stem`, if the notebook sets none (`Report.headline(name=...)`).
    pdf : bool
        Whether to make a PDF.
    """
    body, gathered = page_of(notebook)
    report = gathered["report"]
    name, printed = str(report.get("name") or part), None
    if pdf:
        printed = pdf_of(
            report["parts"], report, page=placing.named(stem, name), disclaimer=DISCLAIMER, made=report["made"],
            quotes=report["quotes"],
        )  # fmt: skip
    unmatched = mapping_of(report.get("unmatched")).get("said")
    lacks = str(report.get("incomplete") or unmatched or placing.unverified(report))
    again = bool(report.get("incomplete") or report.get("quotes_failed"))
    return Contents(name, body, printed, lacks, again, str(report.get("data_end") or ""))


def publish(contents: Contents, stem: str, out: Path, *, replace: bool = False) -> Path:
    """Write a page completely or not at all, and list it in its folder.

    Parameters
    ----------
    contents : Contents
        The page and its PDF.
    stem : str
        Name of the notebook; the page's file name consists of it and `contents.name`.
    out : Path
        Folder of the page; created if missing.
    replace : bool
        Whether the page may replace an existing page that shows data of another source.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ReportError
        If the page cannot be written; the previous page is kept.
    """
    out.mkdir(parents=True, exist_ok=True)
    page = out / placing.named(stem, contents.name)
    placing.place(contents, page, replace=replace)
    list_pages(out)
    return page


def list_pages(folder: Path, _progress: object = None) -> Path:
    """Write the index and the feed of a folder of pages, and return the path of the index.

    Parameters
    ----------
    folder : Path
        Folder of the pages.
    _progress : object
        Not used; `executors.apart` passes it.

    Raises
    ------
    ReportError
        If the index or the feed cannot be written, or an existing one was not made by riskanalytics.
    """
    placing.check_list(folder)
    with reported_as(ReportError, f"the list of reports in {folder} cannot be written"):
        for _ in range(3):
            pages = placing.pages_of(folder)
            write_file(folder / placing.FEED, _feed(pages))
            write_file(folder / placing.INDEX, _index(pages))
            if placing.pages_of(folder) == pages:  # otherwise another run has published a page meanwhile
                break
    return folder / placing.INDEX


def _index(pages: list[dict[str, object]]) -> str:
    """Return the index as a page like any other."""
    newest = max((str(page.get("as_of", ""))[:10] for page in pages), default="")
    count = plural(len(pages), "report") + (f"; the newest data end on {newest}" if newest else "")
    shown: Parts = (Group((Heading("Reports", 1), Paragraph(count, "meta")), "header"),)
    if pages:
        heads = columns("Report", "whole:Data as of", "Scope", "whole:Clauses")
        shown += (Table(tuple(map(_row, pages)), heads, style="sortable text stack"),)
    details = {DETAILS: {"report": {"title": "Reports", "description": count}}}
    output = new_output("display_data", data={PAGE_TYPE: encode(shown)}, metadata=details)
    return page_of(new_notebook(cells=[new_code_cell("", outputs=[output])]))[0]


def _row(page: Mapping[str, object]) -> Row:
    """Return one page: its title, lead, day, scope, counts and verified quotes."""
    file, checked, failed = str(page["file"]), page.get("quotes_checked"), page.get("quotes_failed")
    title: Words = Link(Text(str(page.get("title") or file), "name"), quote(file))
    printed: Words = (" · ", Link("PDF", quote(str(page["pdf"])))) if "pdf" in page else ""
    counts = " · ".join(f"{key}: {value}" for key, value in part_of(page, "counts").items())
    portfolio = part_of(page, "provenance").get("parameter portfolio", "(empty)")
    own: Words = ("portfolio ", Text(str(portfolio), "name")) if portfolio != "(empty)" else ""
    clauses: Words = "no clauses verified"
    if isinstance(checked, int) and isinstance(failed, int) and checked:
        clauses = f"all {checked:,} clauses verified"
        if failed:
            clauses = Text(Text(f"{failed:,} of {checked:,} clauses not verified", "strong"), "bad")
    heading = (title, printed, below(str(page.get("lead") or "")), below(counts))
    return Row((heading, str(page.get("as_of") or "")[:10], (str(page.get("scope") or ""), below(own)), clauses))


def _feed(pages: list[dict[str, object]]) -> str:
    """Return the pages as a JSON Feed (jsonfeed.org/version/1.1); addresses are relative to the feed."""
    items: list[dict[str, object]] = []
    for page in pages:
        file, title = quote(str(page["file"])), str(page.get("title") or page["file"])
        item: dict[str, object] = {"id": file, "url": file, "title": title}
        item["content_text"] = str(page.get("description") or title)
        item["_riskanalytics"] = {
            key: value for key, value in page.items() if key not in ("title", "description", "file", "pdf")
        }
        if page.get("as_of"):
            item["date_published"] = f"{str(page['as_of'])[:10]}T00:00:00Z"
        if "pdf" in page:
            item["attachments"] = [{"url": quote(str(page["pdf"])), "mime_type": "application/pdf"}]
        items.append(item)
    feed = {"version": placing.FEED_VERSION, "title": "AI platform risk reports", "items": items}
    return json.dumps(feed, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
