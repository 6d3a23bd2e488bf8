"""A notebook run by papermill on a kernel that is handed in; what comes back holds no key and no machine path."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from html import escape
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import nbformat
from nbformat import NotebookNode
from papermill import execute_notebook
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, NotebookExecutionManager, papermill_engines
from papermill.exceptions import PapermillExecutionError

from riskanalytics import errors
from riskanalytics.errors import ReportError, RiskAnalyticsError
from riskanalytics.pages.section import DETAILS
from riskanalytics.reporting.engine import KERNEL, WarmKernel

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")


class WarmKernelEngine(NBClientEngine):
    """Runs a notebook on a kernel that was started before."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: NotebookExecutionManager, kernel_name: str, **options: Any) -> object:
        """Run the cells.

        Parameters
        ----------
        nb_man : papermill.engines.NotebookExecutionManager
        kernel_name : str
        **options
            `km`: the started kernel's manager; `told`: called with cells done and cells in all.
        """
        if told := options.get("told"):
            _tell_each(nb_man, told)
        client = PapermillNotebookClient(
            nb_man, km=options["km"], timeout=600, kernel_name=kernel_name, shutdown_kernel="immediate"
        )
        return client.execute(cleanup_kc=True)


def _tell_each(nb_man: NotebookExecutionManager, told: Callable[[int, int], None]) -> None:
    """Have each finished cell told."""
    finish, total, done = nb_man.cell_complete, len(nb_man.nb.cells), count(1)

    def complete(*arguments: object, **named: object) -> object:
        told(next(done), total)
        return finish(*arguments, **named)

    nb_man.cell_complete = complete


papermill_engines.register("riskanalytics", WarmKernelEngine)


def executed(
    path: Path, values: Mapping[str, object], kernel: WarmKernel, key: str | None, told: Callable[[int, int], None]
) -> NotebookNode:
    """Run a notebook.

    Parameters
    ----------
    path : Path
        The notebook.
    values : mapping
        Its parameters, checked.
    kernel : WarmKernel
    key : str or None
        Secret that nothing of the notebook may hold.
    told : callable
        Called with the cells done and the cells in all.

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
        notebook = execute_notebook(
            str(path), None, parameters=dict(values), engine_name="riskanalytics", kernel_name=KERNEL,
            progress_bar=False, log_output=False, km=kernel.manager, told=told,
        )  # fmt: skip
    except PapermillExecutionError as error:
        raise _failure(error, key) from error
    except (RuntimeError, TimeoutError) as error:
        raise ReportError(f"the notebook's kernel ended early: {_one_line(str(error))}") from error
    return _scrubbed(notebook, path, key)


def _failure(error: PapermillExecutionError, key: str | None) -> RiskAnalyticsError:
    """Return the error of a failed cell: ours as it was, any other with its name; never with a key."""
    kind = getattr(errors, str(error.ename), None)
    said = _one_line(_without_key(str(error.evalue), key))
    if isinstance(kind, type) and issubclass(kind, RiskAnalyticsError):
        return kind(said) if not issubclass(kind, errors.RateLimited) else ReportError(said)
    return ReportError(f"the notebook failed: {error.ename}: {said}")


def _one_line(text: str) -> str:
    """Return a text in one line, without colours."""
    return " ".join(_ANSI.sub("", text).split())[:400]


def _without_key(text: str, key: str | None) -> str:
    """Return a text without the key, however it is written."""
    if not key:
        return text
    packed = base64.b64encode(key.encode()).decode()
    for form in (key, key[::-1], packed, quote(key, safe=""), json.dumps(key)[1:-1], escape(key)):
        text = text.replace(form, "***")
    return text


def _clean(value: object, key: str | None) -> object:
    """Return JSON without the key in any of its texts."""
    if isinstance(value, str):
        return _without_key(value, key)
    if isinstance(value, list):
        return [_clean(item, key) for item in value]
    if isinstance(value, dict):
        return {_without_key(str(name), key): _clean(item, key) for name, item in value.items()}
    return value


def _scrubbed(notebook: NotebookNode, path: Path, key: str | None) -> NotebookNode:
    """Return an executed notebook without keys, machine paths and timings; it tells what it was made from."""
    notebook = nbformat.from_dict(_clean(notebook, key))
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    notebook.metadata[DETAILS] = {"notebook": path.stem, "sha256": digest}
    return notebook
