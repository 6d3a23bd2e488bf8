"""Run a notebook and publish its page: check everything first, run one kernel, then move the page into place.

This module imports neither papermill nor pandas, so that errors are reported at once; the process that makes the page imports them
while its kernel starts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import date
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from riskanalytics.errors import ParameterError, ReportError, RiskAnalyticsError
from riskanalytics.settings import Settings, load_settings
from riskanalytics.text.arguments import LAST, as_month
from riskanalytics.typesetting import check_installed
from riskanalytics.work import OnProgress
from riskanalytics.work.executors import apart, follow_parent, start_fork_server

from .parameters import NOTEBOOKS, Parameter, checked, parameters_of, refuse_secrets
from .placing import Contents, Job, check_list, last_reported, marks_of

if TYPE_CHECKING:
    from riskanalytics.dataset.connecting import Source

_NAMES: Final = ("dataset", "analysis", "charts", "sections", "reporting.layout", "service", "demo")
ROOMS: Final = tuple(f"riskanalytics.{name}" for name in _NAMES)
"""Packages of riskanalytics that notebooks import."""
_MONTH_OF_A_SHEET: Final = re.compile(r"(\d{4}-\d{2})-01")
"""Excel turns a month typed as 2026-07 into its first day."""


def notebooks_folder() -> Path:
    """Return the folder of the built-in notebooks: in the checkout of the repository, if there is one; else in the package."""
    package = Path(str(resources.files("riskanalytics")))
    checkout = package.parent / "notebooks"
    return checkout if (checkout / "monthly_report.ipynb").is_file() else package / "notebooks"


def report(
    notebook: str | Path,
    *,
    out: str | Path = "reports",
    source: Source | None = None,
    pdf: bool = False,
    replace: bool = False,
    **parameters: object,
) -> Path:
    """Run a notebook with parameters and publish it as one HTML file, as `riskanalytics report` does.

    Parameters
    ----------
    notebook : str or Path
        A file, or the name of a built-in notebook, such as `training_use`.
    out : str or Path
        Folder of the page; created if missing.
    source : Client, str or Path, optional
        As for `ra.load`. By default the last source of this session, otherwise the source in the environment, otherwise the demo.
        The key of a service comes from `RISKANALYTICS_API_KEY`.
    pdf : bool
        Whether to write a PDF with the same name next to the page.
    replace : bool
        Whether the page may replace an existing page that shows data of another source.
    **parameters : object
        Parameters of the notebook, such as `as_of="2026-06-30"`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    SettingsError, ParameterError, ReportError, IncompleteReportError, MissingExtraError
        If the report cannot be made; nothing is published then.

    Examples
    --------
    >>> import riskanalytics as ra
    >>> ra.report("platform_dossier", platform="alalix-chat", as_of="2026-06-30", out=folder).name
    'platform_dossier-alalix-chat-2026-06-30.html'
    """
    return run_report(notebook, parameters, Path(out), settings=named_settings(source), pdf=pdf, replace=replace)


def named_settings(source: Source | None) -> Settings:
    """Return the settings with which the data of a source are read; `source` is the same as for `report`."""
    from riskanalytics.dataset.connecting import settings_of  # noqa: PLC0415

    return settings_of(source)


def run_report(
    notebook: str | Path,
    parameters: Mapping[str, object],
    out: Path,
    *,
    settings: Settings | None = None,
    pdf: bool = False,
    replace: bool = False,
    progress: OnProgress | None = None,
    ended: Callable[[str], None] | None = None,
) -> Path:
    """Run a notebook and publish its page as `report` does, with given settings and with callbacks for progress.

    Parameters
    ----------
    notebook, out, pdf, replace
        As for `report`.
    parameters : mapping
        Name -> value. For the monthly report, `month` may be `last`: the calendar month before today's. And `since` may be
        `last`: the day of the last complete report in the folder `out` on the same portfolio. Reports on the day of the newest
        data are skipped, so that a report repeated on that day begins on the same day as before.
    settings : Settings, optional
        Settings of the source. By default those of the environment.
    progress : callable, optional
        Called with the phase, the number of its steps done, and the number of all its steps (None if unknown).
    ended : callable, optional
        Called with the newest day of the data when the page is done; with an empty text for the demo, or if the day is unknown.

    Returns
    -------
    Path
        The page, named after the notebook and its subject.

    Raises
    ------
    ParameterError, ReportError, IncompleteReportError, MissingExtraError
        If the report cannot be made; nothing is published then, and previous pages are kept.
    """
    if pdf:
        check_installed()
    path = found_notebook(notebook)
    declared, settings = parameters_of(path), settings or load_settings()
    refuse_secrets(dict(parameters), settings.secrets)
    check_folder(out)
    warm(*(ROOMS if "riskanalytics" in path.read_text(encoding="utf-8") else ()))
    make_demo(settings, progress)
    values = checked_values(path, declared, parameters, out, lambda: apart(newest_day, settings))
    if progress:
        progress("starting the kernel", 0, None)
    job = Job(path, values, settings, pdf=pdf, ours=is_ours(path), marks=marks_of(values, settings, out))
    page, end = apart(_published, job, out, replace, progress=progress)
    if ended is not None:
        ended(end)
    return page


def checked_values(
    path: Path, declared: Mapping[str, Parameter], given: Mapping[str, object], out: Path, newest: Callable[[], date]
) -> dict[str, object]:
    """Return the validated parameters of a report for papermill.

    Parameters
    ----------
    path : Path
        The notebook.
    declared : mapping
        Its parameters.
    given : mapping
        Name -> value; `since` may be `last`: the day of the last complete report in the folder `out`.
    out : Path
        Folder of the page.
    newest : callable
        Returns the day of the newest data; called only if `since` is `last`.

    Raises
    ------
    ParameterError
        If a name or value is wrong, or `since` is `last` and there is no earlier report.
    """
    values = checked(declared, given)
    if is_ours(path) and values.get("month"):
        month = str(values["month"])
        values["month"] = as_month(match[1] if (match := _MONTH_OF_A_SHEET.fullmatch(month)) else month)
    if values.get("since") == LAST and not values.get("month"):
        values["since"] = str(last_reported(out, path.stem, values, newest))
    return values


def is_ours(path: Path) -> bool:
    """Return whether a notebook is a built-in one."""
    return path.stem in NOTEBOOKS and path.resolve().parent == notebooks_folder().resolve()


def make_demo(settings: Settings, progress: OnProgress | None) -> None:
    """Build the database of the demo if it is missing and the settings name no other source, and report the progress."""
    if settings.base_url or settings.database or any(settings.cache.glob(f"demo-{version('riskanalytics')}-*.sqlite")):
        return
    from riskanalytics.demo import demo_database  # noqa: PLC0415 (once a version)

    demo_database(settings.cache, progress)


def found_notebook(notebook: str | Path) -> Path:
    """Return the file of a notebook, given by its path or by the name of a built-in notebook.

    Raises
    ------
    ParameterError
        If there is no such notebook, or its page would replace `index.html`, the list of pages.
    """
    path = Path(notebook)
    if path.stem.lower() == "index":
        raise ParameterError(
            f"the page of {path.name} would replace the list of reports, index.html: rename the notebook"
        )
    if path.is_file():
        return path
    ours = notebooks_folder() / f"{path.name.removesuffix('.ipynb')}.ipynb"
    if path.parent == Path() and ours.is_file():
        return ours
    known = ", ".join(sorted(file.stem for file in notebooks_folder().glob("*.ipynb")))
    raise ParameterError(f"there is no notebook {notebook}; the built-in ones are {known}")


def check_folder(out: Path) -> None:
    """Raise an error if a folder cannot be written, or its list of pages was not made by riskanalytics; do not create it."""
    there = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise ReportError(f"the folder {out} cannot be written: give another one")
    check_list(out)


def warm(*modules: str) -> None:
    """Start importing, in the background, what kernels need and the given `modules`, so that later kernels start at once."""
    kernel = ("riskanalytics.reporting.kernel", "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell")
    start_fork_server(*kernel, *modules)


def newest_day(settings: Settings, _progress: OnProgress) -> date:
    """Return the day of the newest data of a source; to be called in a separate process (`executors.apart`).

    Parameters
    ----------
    settings : Settings
        Settings of the source.
    _progress : callable
        Not used; `executors.apart` passes it.
    """
    from riskanalytics.dataset.connecting import connect  # noqa: PLC0415
    from riskanalytics.dataset.loading import data_day  # noqa: PLC0415

    with connect(settings=settings) as client:
        return data_day(client)


def made(job: Job, progress: OnProgress) -> Contents:
    """Run the notebook of a report and return its page; to be called in a separate process (`executors.apart`).

    Parameters
    ----------
    job : Job
        The report to make: its notebook, parameters and settings.
    progress : callable
        Called with the phase, the number of cells done, and the number of all cells (None while the page is written).

    Raises
    ------
    ReportError
        If the notebook fails; the message contains no key. Errors of this package keep their class.
    """
    from .kernel import report_kernel  # noqa: PLC0415

    try:
        with report_kernel(job.environment, job.held, job.folder) as kernel:
            follow_parent()  # only now, because the kernel must be forked before any thread starts
            from .execution import contents_of, executed  # noqa: PLC0415 (while the kernel begins)

            notebook = executed(job, kernel, lambda done, total: progress("running the notebook", done, total))
        progress("writing the page and its PDF" if job.pdf else "writing the page", 0, None)
        return contents_of(notebook, job.notebook.stem, part=job.part, pdf=job.pdf)
    except (RiskAnalyticsError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is fails this report only)
        from .execution import said  # noqa: PLC0415

        why = said(str(error), job.settings.secrets)
        raise ReportError(f"the report could not be made: {type(error).__name__}: {why}") from None


def _published(job: Job, out: Path, replace: bool, progress: OnProgress) -> tuple[Path, str]:
    """Make a report and publish it; return the page and the newest day of its data."""
    contents = made(job, progress)
    from .execution import publish  # noqa: PLC0415

    return publish(contents, job.notebook.stem, out, replace=replace), contents.end
