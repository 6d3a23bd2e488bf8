"""Run a notebook and publish its page: all checks first, one kernel, one move into place at the end."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Final

from jupyter_core.utils import ensure_event_loop

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.models.asked import LAST
from riskanalytics.reporting.engine import WarmKernel
from riskanalytics.reporting.forms import NOTEBOOKS, check_forms
from riskanalytics.reporting.parameters import checked, parameters_of, read_notebook
from riskanalytics.settings import Settings, load_settings
from riskanalytics.typesetting import check_installed

Progress = Callable[[str, int, int | None], None]

_NAMED: Final = ("month", "since", "as_of", "platform", "platforms", "surface")
"""Parameters of our notebooks that the data may lack."""
_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")


def notebooks_folder() -> Path:
    """Return the folder of our notebooks: the checkout's, else the one shipped in the package."""
    package = Path(str(resources.files("riskanalytics")))
    checkout = package.parent / "notebooks"
    return checkout if (checkout / "monthly_report.ipynb").is_file() else package / "notebooks"


def report(
    notebook: str | Path,
    *,
    out: str | Path = "reports",
    base_url: str | None = None,
    database: str | Path | None = None,
    pdf: bool = False,
    **parameters: object,
) -> Path:
    """Run a notebook with parameters and publish it as one HTML file, as `riskanalytics report` does.

    Parameters
    ----------
    notebook : str or Path
        A file, or the name of one of ours, such as `training_use`.
    out : str or Path
        Folder of the page; made where it is not there.
    base_url : str, optional
        Address of a service; its key comes from `RISKANALYTICS_API_KEY`.
    database : path, optional
        An ingested database. Without either the settings of the environment hold, else the embedded demo.
    pdf : bool
        Whether a PDF of the same name is made beside the page.
    **parameters : object
        Of the notebook, such as `as_of="2026-06-30"`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    SettingsError, ParameterError, ReportError, IncompleteReportError, MissingExtraError
        One line; nothing is published then.

    Examples
    --------
    >>> import riskanalytics as ra
    >>> ra.report("training_use", as_of="2026-06-30", out=folder).name
    'training_use-2026-06-30.html'
    """
    settings = load_settings(base_url=base_url, database=database)
    with ThreadPoolExecutor(1) as apart:  # a notebook that calls this has a loop of its own running
        return apart.submit(_run_and_close, notebook, parameters, Path(out), settings, pdf).result()


def run_monthly(
    month: str,
    portfolio: Path | None,
    out: Path,
    *,
    since: str = "",
    settings: Settings | None = None,
    pdf: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Make the monthly report.

    Parameters
    ----------
    month : str
        YYYY-MM; empty for the last complete month of the data.
    portfolio : Path, optional
        CSV or XLSX, as `read_portfolio` reads it.
    out : Path
        Folder of the page.
    since : str
        Instead of a month: YYYY-MM-DD, the day after which the report begins, or `last`, the day that the newest report
        of the same portfolio in the folder speaks of.
    settings : Settings, optional
        Which service the data come from; those of the environment where None.
    pdf : bool
        Whether a PDF of the same name is made beside the page.
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
    given = {"month": month, "since": since, **({} if portfolio is None else {"portfolio": str(portfolio)})}
    return run_report("monthly_report", given, out, settings=settings, pdf=pdf, progress=progress)


def run_report(
    notebook: str | Path,
    parameters: Mapping[str, object],
    out: Path,
    *,
    settings: Settings | None = None,
    pdf: bool = False,
    progress: Progress | None = None,
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
    settings : Settings, optional
        Which service the data come from; those of the environment where None.
    pdf : bool
        Whether a PDF of the same name is made beside the page: `page.with_suffix(".pdf")`.
    progress : callable, optional

    Returns
    -------
    Path
        The page: named after the notebook and what it speaks of.

    Raises
    ------
    ParameterError, ReportError, IncompleteReportError, MissingExtraError
        One line; nothing is published then, and what was there stays. The extra is missed before anything runs.
    """
    if pdf:
        check_installed()
    path = _found(notebook)
    declared = parameters_of(read_notebook(path))
    values = checked(declared, parameters)
    if values.get("month") and not _MONTH.fullmatch(str(values["month"])):
        raise ParameterError(f"a month is YYYY-MM, not {str(values['month'])[:40]!r}")
    if values.get("since") == LAST and not values.get("month"):
        from riskanalytics.reporting.folder import last_reported  # noqa: PLC0415

        values["since"] = str(last_reported(out, path.stem, Path(str(values.get("portfolio") or "")).name))
    tell, settings = progress or _silent, settings or load_settings()
    ours = path.stem in NOTEBOOKS and path.resolve().parent == notebooks_folder().resolve()
    if ours:
        check_forms(values)
    made = _writable(out)
    try:
        with WarmKernel(settings) as kernel:
            tell("starting the kernel", 0, None)
            if ours and (portfolio := values.get("portfolio")):
                from riskanalytics.topics.monthly.portfolio_file import read_portfolio  # noqa: PLC0415

                read_portfolio(str(portfolio))  # a bad file is refused before anything is loaded
            _make_demo(settings, tell)
            if ours and any(values.get(name) for name in _NAMED):
                from riskanalytics.reporting.asked import check_asked  # noqa: PLC0415

                check_asked(path.stem, values, settings)
            # papermill and nbconvert take a second to import: time in which the kernel starts
            from riskanalytics.reporting.execution import executed  # noqa: PLC0415
            from riskanalytics.reporting.publication import published  # noqa: PLC0415

            notebook = executed(path, values, kernel, settings.api_key, partial(tell, "running the notebook"))
        tell("writing the page and its PDF" if pdf else "writing the page", 0, None)
        return published(notebook, path.stem, out, pdf=pdf)
    except BaseException:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _run_and_close(
    notebook: str | Path, parameters: Mapping[str, object], out: Path, settings: Settings, pdf: bool
) -> Path:
    """Run a notebook in a thread of its own, and close the event loop that Jupyter's client made for the thread."""
    try:
        return run_report(notebook, parameters, out, settings=settings, pdf=pdf)
    finally:
        ensure_event_loop().close()


def _silent(phase: str, done: int, total: int | None) -> None:
    """Take no note of progress."""


def _make_demo(settings: Settings, tell: Progress) -> None:
    """Make the demo where the data come from it and there is none: here a person sees how far it is, not in a kernel."""
    if settings.base_url or settings.database or any(settings.cache.glob("demo-*.sqlite")):
        return
    from riskanalytics.demo import demo_database  # noqa: PLC0415

    demo_database(settings.cache, tell)


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
