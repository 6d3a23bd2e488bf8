"""Run a notebook and publish its page: all checks first, one kernel, one move into place at the end."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from riskanalytics import errors
from riskanalytics.errors import ParameterError, ReportError, RiskAnalyticsError
from riskanalytics.reporting.display import DETAILS
from riskanalytics.reporting.engine import KERNEL, WarmKernel
from riskanalytics.reporting.parameters import checked, parameters_of, read_notebook
from riskanalytics.settings import ENVIRONMENT

Progress = Callable[[str, int, int | None], None]

_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")
_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9._-]+")


def notebooks_folder() -> Path:
    """Return the folder of our notebooks: the checkout's, else the one shipped in the package."""
    package = Path(str(resources.files("riskanalytics")))
    checkout = package.parent / "notebooks"
    return checkout if (checkout / "monthly_report.ipynb").is_file() else package / "notebooks"


def run_monthly(month: str, portfolio: Path | None, out: Path, *, progress: Progress | None = None) -> Path:
    """Make the monthly report.

    Parameters
    ----------
    month : str
        YYYY-MM; empty for the last complete month of the data.
    portfolio : Path, optional
        CSV with a column `slug`, `name` or `website`.
    out : Path
        Folder of the page.
    progress : callable, optional
        Told the phase, the steps done and the steps in all.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ParameterError, ReportError, IncompleteReportError
        One line; nothing is published then.
    """
    if month and not _MONTH.fullmatch(month):
        raise ParameterError(f"a month is YYYY-MM, not {month[:40]!r}")
    if portfolio is not None and not portfolio.is_file():
        raise ParameterError(f"there is no portfolio {portfolio}")
    given: dict[str, object] = {"month": month}
    if portfolio is not None:
        given["portfolio"] = str(portfolio)
    return run_report("monthly_report", given, out, progress=progress)


def run_report(
    notebook: str | Path, parameters: Mapping[str, object], out: Path, *, progress: Progress | None = None
) -> Path:
    """Run a notebook with parameters and publish it as one HTML file.

    Parameters
    ----------
    notebook : str or Path
        A file, or the name of one of ours.
    parameters : mapping
        Name -> value, checked against the notebook's own.
    out : Path
        Folder of the page; made where it is not there.
    progress : callable, optional

    Returns
    -------
    Path
        The page: named after the notebook and what it speaks of.

    Raises
    ------
    ParameterError, ReportError, IncompleteReportError
        One line; nothing is published then, and what was there stays.
    """
    path = _found(notebook)
    declared = parameters_of(read_notebook(path))
    values = checked(declared, parameters)
    if values.get("month") and not _MONTH.fullmatch(str(values["month"])):
        raise ParameterError(f"a month is YYYY-MM, not {str(values['month'])[:40]!r}")
    tell = progress or _silent
    made = _writable(out)
    try:
        with WarmKernel() as kernel, tempfile.TemporaryDirectory(prefix="riskanalytics-") as scratch:
            tell("starting the kernel", 0, None)
            executed = _executed(path, values, Path(scratch) / "executed.ipynb", kernel, tell)
        tell("writing the page", 0, None)
        return _published(executed, path.stem, out)
    except BaseException:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _silent(phase: str, done: int, total: int | None) -> None:
    """Take no note of progress."""


def _found(notebook: str | Path) -> Path:
    """Return the file of a notebook that was named."""
    path = Path(notebook)
    if path.is_file():
        return path
    ours = notebooks_folder() / f"{path.name.removesuffix('.ipynb')}.ipynb"
    if path.parent == Path() and ours.is_file():
        return ours
    known = ", ".join(sorted(file.stem for file in notebooks_folder().glob("*.ipynb")))
    raise ReportError(f"there is no notebook {notebook}; ours are: {known}")


def _writable(out: Path) -> list[Path]:
    """Make the folder and try to write in it; give the folders that were made, innermost first."""
    missing = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise ReportError(f"the folder {out} cannot be written: {error.strerror}") from error
    return missing


def _executed(path: Path, values: Mapping[str, Any], target: Path, kernel: WarmKernel, tell: Progress) -> Any:
    """Run the notebook and return it with its outputs, without keys and paths."""
    import_of = _papermill()
    try:
        notebook = import_of.execute_notebook(
            str(path), str(target), parameters=dict(values), engine_name="riskanalytics", kernel_name=KERNEL,
            progress_bar=False, log_output=False, km=kernel.manager,
            told=lambda done, total: tell("running the notebook", done, total),
        )  # fmt: skip
    except import_of.PapermillExecutionError as error:
        raise _failure(error) from error
    except (RuntimeError, TimeoutError) as error:
        raise ReportError(f"the notebook's kernel ended early: {_one_line(str(error))}") from error
    return _scrubbed(notebook, path)


def _papermill() -> Any:
    """Return the module that runs notebooks, imported while the kernel starts."""
    from riskanalytics.reporting import execution  # noqa: PLC0415 (papermill takes a second to import)

    return execution


def _failure(error: Any) -> RiskAnalyticsError:
    """Return the error of a failed cell: ours as it was, any other with its name; never with a key."""
    kind = getattr(errors, str(error.ename), None)
    said = _one_line(_without_key(str(error.evalue)))
    if isinstance(kind, type) and issubclass(kind, RiskAnalyticsError):
        return kind(said) if not issubclass(kind, errors.RateLimited) else ReportError(said)
    return ReportError(f"the notebook failed: {error.ename}: {said}")


def _one_line(text: str) -> str:
    """Return a text in one line, without colours."""
    return " ".join(_ANSI.sub("", text).split())[:400]


def _without_key(text: str) -> str:
    """Return a text without the key, however it is written."""
    key = os.environ.get(ENVIRONMENT["api_key"], "").strip()
    if not key:
        return text
    for form in (
        key,
        key[::-1],
        base64.b64encode(key.encode()).decode(),
        quote(key, safe=""),
        json.dumps(key)[1:-1],
        escape(key),
    ):
        text = text.replace(form, "***")
    return text


def _clean(value: Any) -> Any:
    """Return JSON without the key in any of its texts."""
    if isinstance(value, str):
        return _without_key(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_without_key(str(key)): _clean(item) for key, item in value.items()}
    return value


def _scrubbed(notebook: Any, path: Path) -> Any:
    """Return an executed notebook without keys, machine paths and timings; it tells what it was made from."""
    import nbformat  # noqa: PLC0415 (as above)

    notebook = nbformat.from_dict(_clean(notebook))
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    notebook.metadata[DETAILS] = {"notebook": path.stem, "sha256": digest}
    return notebook


def _published(executed: Any, stem: str, out: Path) -> Path:
    """Export the page beside its place, and move it there when it is whole and on the disk."""
    from riskanalytics.reporting.exporter import RiskReportExporter  # noqa: PLC0415 (as above)

    body, gathered = RiskReportExporter().from_notebook_node(executed)
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
