"""Run a notebook and publish its page: all checks first, one kernel, one move into place at the end."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping
from datetime import date
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.reporting.forms import NOTEBOOKS, check_forms
from riskanalytics.reporting.parameters import Parameter, checked, parameters_of, read_notebook, refuse_secrets
from riskanalytics.reporting.placing import Job, check_list, last_reported, marks_of
from riskanalytics.reporting.warm import ROOMS, newest_day, published, silent, warm
from riskanalytics.settings import Settings, load_settings
from riskanalytics.text.arguments import LAST, as_month
from riskanalytics.typesetting import check_installed
from riskanalytics.work.executors import apart

if TYPE_CHECKING:
    from riskanalytics.dataset.connecting import Source

_MONTH_OF_A_SHEET: Final = re.compile(r"(\d{4}-\d{2})-01")
"""Excel makes a day of a month that is typed as 2026-07: its first."""
Progress = Callable[[str, int, int | None], None]


def notebooks_folder() -> Path:
    """Return the folder of our notebooks: the checkout's, else the one shipped in the package."""
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
        A file, or the name of one of ours, such as `training_use`.
    out : str or Path
        Folder of the page; made where it is not there.
    source : Client, str or Path, optional
        As of `ra.load`: without it the source that this session named last, else what the environment names, else the demo.
        The key of a service comes from `RISKANALYTICS_API_KEY`.
    pdf : bool
        Whether a PDF of the same name is made beside the page.
    replace : bool
        Whether the page may take the place of one of another source.
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
    return run_report(notebook, parameters, Path(out), settings=named_settings(source), pdf=pdf, replace=replace)


def named_settings(source: Source | None) -> Settings:
    """Return the settings that name a source, as `connecting.settings_of` does; a command has its own, and begins sooner."""
    from riskanalytics.dataset.connecting import settings_of  # noqa: PLC0415

    return settings_of(source)


def run_monthly(  # noqa: PLR0913 (what a person can say of a report)
    month: str,
    portfolio: Path | None,
    out: Path,
    *,
    since: str = "",
    settings: Settings | None = None,
    pdf: bool = False,
    replace: bool = False,
    progress: Progress | None = None,
    ended: Callable[[str], None] | None = None,
) -> Path:
    """Make the monthly report.

    Parameters
    ----------
    month : str
        YYYY-MM, or `last`, the calendar month before today's; empty for the last complete month of the data.
    portfolio : Path, optional
        CSV or XLSX, as `read_portfolio` reads it.
    out : Path
        Folder of the page.
    since : str
        Instead of a month: YYYY-MM-DD, the day after which the report begins, or `last`, the day that the newest report
        of the same portfolio in the folder speaks of, of those from before the newest data.
    settings : Settings, optional
        Which service the data come from; those of the environment where None.
    pdf : bool
        Whether a PDF of the same name is made beside the page.
    replace : bool
        Whether the page may take the place of one of another source.
    progress : callable, optional
        Told the phase, the steps done and the steps in all.
    ended : callable, optional
        Told the newest day of the data, once the page is made; an empty text where it is not known, and of the demo.

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
    return run_report(
        "monthly_report", given, out, settings=settings, pdf=pdf, replace=replace, progress=progress, ended=ended
    )


def run_report(
    notebook: str | Path,
    parameters: Mapping[str, object],
    out: Path,
    *,
    settings: Settings | None = None,
    pdf: bool = False,
    replace: bool = False,
    progress: Progress | None = None,
    ended: Callable[[str], None] | None = None,
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
    replace : bool
        Whether the page may take the place of one of another source.
    progress : callable, optional
    ended : callable, optional
        As of `run_monthly`.

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
    path = found_notebook(notebook)
    declared, tell, settings = parameters_of(read_notebook(path)), progress or silent, settings or load_settings()
    refuse_secrets(parameters, settings.secrets)
    made = writable_folder(out)
    try:
        warm(*(ROOMS if "riskanalytics" in path.read_text(encoding="utf-8") else ()))
        make_demo(settings, tell)
        values = checked_values(path, declared, parameters, out, lambda: apart(newest_day, settings))
        tell("starting the kernel", 0, None)
        marks = marks_of(values, settings, out)
        job = Job(path, values, settings, pdf=pdf, ours=is_ours(path), marks=marks)
        page, end = apart(published, job, out, replace, tell=tell)
    except BaseException:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    if ended is not None:
        ended(end)
    return page


def checked_values(
    path: Path, declared: Mapping[str, Parameter], given: Mapping[str, object], out: Path, newest: Callable[[], date]
) -> dict[str, object]:
    """Return the parameters of a report as papermill takes them.

    Parameters
    ----------
    path : Path
        The notebook.
    declared : mapping
        Its parameters.
    given : mapping
        Name -> value; `since` may be the last report in the folder.
    out : Path
        Folder of the page.
    newest : callable
        Asked for the day of the newest data, where `since` is the last report.

    Raises
    ------
    ParameterError
        One line.
    """
    values, ours = checked(declared, given), is_ours(path)
    if ours and values.get("month"):
        month = str(values["month"])
        values["month"] = as_month(match[1] if (match := _MONTH_OF_A_SHEET.fullmatch(month)) else month)
    if values.get("since") == LAST and not values.get("month"):
        values["since"] = str(last_reported(out, path.stem, values, newest))
    if ours:
        check_forms(values)
    return values


def is_ours(path: Path) -> bool:
    """Say whether a notebook is one of ours."""
    return path.stem in NOTEBOOKS and path.resolve().parent == notebooks_folder().resolve()


def make_demo(settings: Settings, tell: Progress) -> None:
    """Make the demo where the data come from it and there is none: here a person sees how far it is, not in a kernel."""
    if settings.base_url or settings.database or any(settings.cache.glob(f"demo-{version('riskanalytics')}-*.sqlite")):
        return
    from riskanalytics.demo import demo_database  # noqa: PLC0415

    demo_database(settings.cache, tell)


def found_notebook(notebook: str | Path) -> Path:
    """Return the file of a notebook that was named."""
    path = Path(notebook)
    if path.stem.lower() == "index":
        raise ParameterError(f"the page of {path.name} would be the list of reports, index.html: rename the notebook")
    if path.is_file():
        return path
    ours = notebooks_folder() / f"{path.name.removesuffix('.ipynb')}.ipynb"
    if path.parent == Path() and ours.is_file():
        return ours
    known = ", ".join(sorted(file.stem for file in notebooks_folder().glob("*.ipynb")))
    raise ParameterError(f"there is no notebook {notebook}; ours are: {known}")


def writable_folder(out: Path) -> list[Path]:
    """Make the folder, try to write in it and see whose list it holds; give the folders that were made, innermost first."""
    missing = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise ReportError(f"the folder {out} cannot be written: {error.strerror}") from error
    check_list(out)
    return missing
