"""A notebook run by papermill on a kernel that is handed in; what comes back holds no key and no machine path."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

import nbformat
from nbformat import NotebookNode
from papermill.engines import papermill_engines
from papermill.exceptions import PapermillExecutionError
from papermill.execute import prepare_notebook_metadata, raise_for_execution_errors, remove_error_markers
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from riskanalytics import errors
from riskanalytics.errors import ReportError, RiskAnalyticsError
from riskanalytics.pages.section import DETAILS
from riskanalytics.reporting.engine import WarmKernelEngine
from riskanalytics.reporting.managers import KERNEL, ReportKernel

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")


_ENGINE: Final = "riskanalytics"
papermill_engines.register(_ENGINE, WarmKernelEngine)


def executed(
    path: Path,
    values: Mapping[str, object],
    kernel: ReportKernel,
    secrets: Sequence[str],
    told: Callable[[int, int], None],
    *,
    ours: bool = False,
    marks: Mapping[str, str] = {},
) -> NotebookNode:
    """Run a notebook.

    Parameters
    ----------
    path : Path
        The notebook.
    values : mapping
        Its parameters, checked.
    kernel : ReportKernel
    secrets : sequence of str
        Keys and passwords.
        Secret that nothing of the notebook may hold.
    told : callable
        Called with the cells done and the cells in all.
    ours : bool
        Whether the notebook is one of ours, whose errors tell no cell.
    marks : mapping
        As of `Job`.

    Returns
    -------
    notebook node
        With its outputs, without keys, machine paths and timings; its metadata tell what it was made from.

    Raises
    ------
    ReportError
        One line: what the cell that failed said, or that the kernel ended. Errors of ours keep their kind.
    """
    try:
        notebook = _ran(path, dict(values), kernel, told)
    except PapermillExecutionError as error:
        raise _failure(error, secrets, cell=error.cell_index + 1 - bool(values), ours=ours) from error
    except (RuntimeError, TimeoutError) as error:
        raise ReportError(f"the notebook's kernel ended early: {one_line(without_key(str(error), secrets))}") from error
    notebook = _scrubbed(notebook, secrets)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    notebook.metadata[DETAILS] = {"notebook": path.stem, "sha256": digest, **marks}
    return notebook


def _ran(path: Path, values: dict[str, object], kernel: ReportKernel, told: Callable[[int, int], None]) -> NotebookNode:
    """Run a notebook as `papermill.execute_notebook` does, which also writes it as text, where nobody reads it."""
    notebook = load_notebook_node(str(path))
    if values:
        notebook = parameterize_notebook(notebook, values, kernel_name=KERNEL, engine_name=_ENGINE)
    notebook = remove_error_markers(prepare_notebook_metadata(notebook, str(path), None))
    notebook = papermill_engines.execute_notebook_with_engine(
        _ENGINE, notebook, kernel_name=KERNEL, progress_bar=False, log_output=False, km=kernel.manager, told=told
    )
    raise_for_execution_errors(notebook, None)
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
    """Return a text in one line, without colours, cut at 400 characters.

    Parameters
    ----------
    text : str
    """
    return " ".join(_ANSI.sub("", text).split())[:400]


def without_key(text: str, secrets: Sequence[str]) -> str:
    """Return a text without keys and passwords, however they are written.

    Parameters
    ----------
    text : str
    secrets : sequence of str
        Keys and passwords.
    """
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
