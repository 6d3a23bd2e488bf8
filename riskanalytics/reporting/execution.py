"""A notebook run by papermill on a kernel of its own, and its page; neither holds a key or a path of this machine."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from html import escape
from typing import Final
from urllib.parse import quote

import nbformat
from nbformat import NotebookNode
from papermill import execute_notebook
from papermill.engines import papermill_engines
from papermill.exceptions import PapermillExecutionError
from papermill.iorw import load_notebook_node

from riskanalytics import errors
from riskanalytics.errors import ReportError, RiskAnalyticsError, cut_inside
from riskanalytics.frames.building import mapping_of
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.print import pdf_of
from riskanalytics.pages.section import DETAILS
from riskanalytics.reporting.engine import WarmKernelEngine
from riskanalytics.reporting.exporter import page_of, prepare
from riskanalytics.reporting.kernel import KERNEL, KernelManager
from riskanalytics.reporting.placing import Contents, Job, named, unverified

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST: Final = 1_000
"""Characters of an error."""
_ENGINE: Final = "riskanalytics"
papermill_engines.register(_ENGINE, WarmKernelEngine)


def executed(job: Job, kernel: KernelManager, told: Callable[[int, int], None]) -> NotebookNode:
    """Run the notebook of a report.

    Parameters
    ----------
    job : Job
    kernel : KernelManager
        Of a started kernel.
    told : callable
        Called with the cells done and the cells in all.

    Returns
    -------
    notebook node
        With its outputs, without keys, machine paths and timings; its metadata say what it was made from.

    Raises
    ------
    ReportError
        One line: what the cell that failed said, or that the kernel ended. Errors of ours keep their kind.
    """
    secrets, notebook = job.settings.secrets, load_notebook_node(str(job.notebook))
    try:
        with ThreadPoolExecutor(1) as while_it_runs:
            while_it_runs.submit(prepare)
            notebook = execute_notebook(
                notebook, None, dict(job.values), engine_name=_ENGINE, kernel_name=KERNEL, progress_bar=False,
                report=kernel, told=told,
            )  # fmt: skip
    except PapermillExecutionError as error:
        failed = _failure(error, secrets, cell=error.cell_index + 1 - bool(job.values), ours=job.ours)
        raise failed from ReportError(without_key(str(error), secrets))
    except (RuntimeError, TimeoutError) as error:
        said = one_line(without_key(str(error), secrets))
        raise ReportError(f"the notebook's kernel ended early: {said}") from None
    notebook = _scrubbed(notebook, secrets)
    digest = sha256(job.notebook.read_bytes()).hexdigest()
    notebook.metadata[DETAILS] = {"notebook": job.notebook.stem, "sha256": digest, **job.marks}
    return notebook


def _failure(error: PapermillExecutionError, secrets: Sequence[str], *, cell: int, ours: bool) -> RiskAnalyticsError:
    """Return the error of a failed cell: ours as it was, any other with its name; never with a key."""
    kind = getattr(errors, str(error.ename), None)
    said = one_line(without_key(str(error.evalue), secrets))
    if isinstance(kind, type) and issubclass(kind, RiskAnalyticsError):
        failure = kind(said) if not issubclass(kind, errors.RateLimited) else ReportError(said)
        if ours or not isinstance(failure, ReportError):
            return failure
    else:
        failure = ReportError(f"the notebook failed: {one_line(without_key(str(error.ename), secrets))}: {said}")
    failure.cell = cell  # one of ours says what is wrong; this one may only be named like it
    return failure


def one_line(text: str) -> str:
    """Return a text in one line, without colours; a long one is cut in its middle."""
    return cut_inside(" ".join(_ANSI.sub("", text).split()), _LONGEST)


def without_key(text: str, secrets: Sequence[str]) -> str:
    """Return a text without keys and passwords, however they are written."""
    for secret in secrets:
        packed = base64.b64encode(secret.encode()).decode()
        for form in (secret, secret[::-1], packed, quote(secret, safe=""), json.dumps(secret)[1:-1], escape(secret)):
            text = text.replace(form, "***")
    return text


def _clean(value: object, secrets: Sequence[str]) -> object:
    """Return JSON without keys and passwords in any of its texts."""
    if isinstance(value, str):
        return without_key(value, secrets)
    if isinstance(value, list):
        return [_clean(item, secrets) for item in value]
    if isinstance(value, dict):
        return {without_key(str(name), secrets): _clean(item, secrets) for name, item in value.items()}
    return value


def _scrubbed(notebook: NotebookNode, secrets: Sequence[str]) -> NotebookNode:
    """Return an executed notebook without keys, machine paths and timings."""
    if secrets:
        notebook = nbformat.from_dict(_clean(notebook, secrets))
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
    return notebook


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
        printed = pdf_of(
            report["parts"], report, page=named(stem, name), disclaimer=DISCLAIMER, made=report["made"],
            quotes=report["quotes"],
        )  # fmt: skip
    lacks = str(report.get("incomplete") or mapping_of(report.get("unmatched")).get("said") or unverified(report))
    again = bool(report.get("incomplete") or report.get("quotes_failed"))
    return Contents(name, body, printed, lacks, again, str(report.get("data_end") or ""))
