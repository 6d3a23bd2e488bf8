"""Many reports of one notebook: one for each row of a table, or for each platform; made several at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future, as_completed
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout

from riskanalytics.errors import ClusterGoneError, ParameterError, ReportError, RiskAnalyticsError
from riskanalytics.executors.processes import cores
from riskanalytics.files import clear_unfinished
from riskanalytics.progress import Told
from riskanalytics.reporting.job import Ask, Contents, Job
from riskanalytics.reporting.manifest import Known, files_of, origin, stamps, unknown, write_manifest
from riskanalytics.reporting.parameters import Parameter, defaults_of, parameters_of, read_notebook
from riskanalytics.reporting.placing import named, parts_of_names, place
from riskanalytics.reporting.remote import ClusterWorkers
from riskanalytics.reporting.rows import ALL, Row, check_all, rows_of_platforms, rows_of_table
from riskanalytics.reporting.runner import (
    checked_values,
    found_notebook,
    is_ours,
    make_demo,
    named_settings,
    silent,
    writable_folder,
)
from riskanalytics.reporting.told import marks_of
from riskanalytics.reporting.workers import Workers
from riskanalytics.settings import Settings, load_settings
from riskanalytics.typesetting import check_installed

if TYPE_CHECKING:
    from riskanalytics.dataset.connecting import Source

_LOCK: Final = ".batch.lock"
Makers = Workers | ClusterWorkers
"""What makes reports: here, or on a cluster."""


@dataclass
class Batch:
    """What became of the reports of a batch.

    Attributes
    ----------
    made, fresh : list of Path
        Pages that were written, and those that were there already, made from the same.
    lacking : dict
        Page -> what it says of itself that it lacks.
    failed : dict
        Row -> why there is no page.
    end : str
        Newest day of the data, where a page was made of them; empty of the demo.
    anew : str
        Why pages are made anew each time; empty where all can be told to be up to date.
    index : Path or None
        The page that lists the folder.
    """

    made: list[Path] = field(default_factory=list)
    fresh: list[Path] = field(default_factory=list)
    lacking: dict[Path, str] = field(default_factory=dict)
    failed: dict[Row, str] = field(default_factory=dict)
    anew: str = ""
    end: str = ""
    index: Path | None = None

    @property
    def pages(self) -> list[Path]:
        """All pages, by name."""
        return sorted({*self.made, *self.fresh})


def batch(
    notebook: str | Path,
    over: str | Path = ALL,
    *,
    out: str | Path = "reports",
    jobs: int | None = None,
    source: Source | None = None,
    pdf: bool = False,
    replace: bool = False,
    dask: str | None = None,
) -> Batch:
    r"""Make a report of a notebook for each row of a table, or for each tracked platform, as `riskanalytics batch` does.

    Data are loaded once, kernels are forked, and a page that is there already and was made from the same notebook,
    parameters, data and version is not made again.

    Parameters
    ----------
    notebook : str or Path
        A file, or the name of one of ours, such as `platform_dossier`.
    over : str or Path
        A CSV file or workbook whose headings are parameters of the notebook; or `all`: each tracked platform as `platform`.
    out : str or Path
        Folder of the pages; made where it is not there.
    jobs : int, optional
        Reports made at the same time; as many as there are cores where None.
    source : Client, str or Path, optional
        As of `ra.load` and `ra.report`.
    pdf : bool
        Whether a PDF of the same name is made beside each page.
    replace : bool
        Whether pages may take the place of those of another source.
    dask : str, optional
        Address of a Dask scheduler, such as `tcp://10.0.0.5:8786`, whose workers make the reports.

    Returns
    -------
    Batch
        Its `failed` tells the rows without a page.

    Raises
    ------
    SettingsError, ParameterError, ReportError, ExecutorError, MissingExtraError
        If the batch cannot begin, or its cluster goes away: one line.

    Examples
    --------
    >>> table = folder / "ours.csv"
    >>> _ = table.write_text("platform\nalalix-chat\norvewick-voice\nno-such-platform\n")
    >>> done = ra.batch("platform_dossier", table, out=folder)
    >>> [page.name for page in done.pages]
    ['platform_dossier-alalix-chat-2026-10-31.html', 'platform_dossier-orvewick-voice-2026-10-31.html']
    >>> [str(row) for row in done.failed]
    ['row 3 (platform=no-such-platform)']
    """
    settings = named_settings(source)
    return run_batch(notebook, over, Path(out), jobs=jobs, settings=settings, pdf=pdf, replace=replace, dask=dask)


def run_batch(  # noqa: PLR0913 (what a person can say of a batch)
    notebook: str | Path,
    over: str | Path,
    out: Path,
    *,
    jobs: int | None = None,
    settings: Settings | None = None,
    pdf: bool = False,
    replace: bool = False,
    dask: str | None = None,
    progress: Told | None = None,
    failed: Callable[[Row, str], None] | None = None,
) -> Batch:
    """Make the reports of a batch.

    Parameters
    ----------
    notebook, over, out, jobs, pdf, replace, dask
        As of `batch`.
    settings : Settings, optional
        Which service the data come from; those of the environment where None.
    progress : callable, optional
        Told the phase, the reports done and the reports in all.
    failed : callable, optional
        Told each row without a page, and why, as soon as that is known.

    Returns
    -------
    Batch

    Raises
    ------
    ParameterError, ReportError, ExecutorError, MissingExtraError
        If the batch cannot begin, or its cluster goes away: what was made stays.
    """
    if pdf:
        check_installed()
    path, settings = found_notebook(notebook), settings or load_settings()
    declared = parameters_of(read_notebook(path))
    rows: list[Row] | None = None
    if str(over) == ALL:
        check_all(declared)
    else:
        rows = rows_of_table(Path(over), declared, settings.secrets)
    if jobs is not None and jobs < 1:
        raise ParameterError(f"reports made at the same time are 1 or more, not {jobs}")
    at_once = min(jobs or cores(), len(rows or [None] * cores()))
    writable_folder(out)
    tell = progress or silent
    try:
        with (
            FileLock(out / _LOCK, timeout=0),
            Workers(settings, at_once) as workers,
            nullcontext(workers) if dask is None else ClusterWorkers(dask, settings, jobs) as makers,
        ):
            clear_unfinished(out)
            make_demo(settings, tell)
            run = _Run(path, declared, settings, out, pdf, failed or _untold, replace=replace)
            run.begin(workers, makers, rows, tell)
            run.make(makers, tell)
            clear_unfinished(out)  # also what was still too new at the begin
            run.batch.index = workers.result("index", Ask(settings, out=out))
    except Timeout as error:
        raise ReportError(f"another batch writes into {out}: wait for its end, or give another folder") from error
    return run.batch


def _untold(row: Row, why: str) -> None:
    """Take no note of a row without a page."""


class _Run:
    """The way of one batch."""

    def __init__(
        self,
        path: Path,
        declared: Mapping[str, Parameter],
        settings: Settings,
        out: Path,
        pdf: bool,
        told: Callable[[Row, str], None],
        *,
        replace: bool,
    ) -> None:
        self.batch = Batch()
        self._path, self._declared, self._settings, self._out, self._pdf = path, declared, settings, out, pdf
        self._told, self._replace = told, replace
        self._data = files_of(settings.database) if isinstance(settings.database, Path) else []
        self._jobs: dict[Row, tuple[Job, dict[str, object]]] = {}
        self._stamps: dict[Row, dict[str, tuple[int, ...]]] = {}
        self._rows_of: dict[Path, Row] = {}

    def begin(self, workers: Workers, makers: Makers, rows: list[Row] | None, tell: Told) -> None:
        """Load the data once, and find out what is to be made."""
        ours = is_ours(self._path)
        values: dict[Row, dict[str, object]] = {}
        equal: dict[str, Row] = {}
        newest = cache(lambda: workers.result("newest", Ask(self._settings)))
        for row in rows or ():
            try:
                given = checked_values(self._path, self._declared, row.given, self._out, newest)
                values[equal.setdefault(json.dumps(given, sort_keys=True), row)] = given
            except RiskAnalyticsError as error:
                self._fail(row, error)
        ask = Ask(self._settings, self._path.stem if ours else "", rows is None, list(values.values()), self._out)
        loaded = workers.result("data", ask, tell, makers.prepare)
        if rows is None:
            values = {row: dict(row.given) for row in rows_of_platforms(loaded.slugs)}
        known = Known(self._out)
        parts = parts_of_names(list(values.values()))
        for (row, given), part in zip(values.items(), parts, strict=True):
            try:
                self._stamps[row] = stamps(self._path, self._all(given), *self._data)
                marks = marks_of(given, self._settings, self._out)
                made_from = origin(self._path, self._all(given), loaded.digest_for(given), self._settings.secrets)
                made_from["origin"] = marks["origin"]
            except OSError as error:
                self._fail(row, error)
                continue
            self.batch.anew = self.batch.anew or unknown(made_from)
            if there := known.page(made_from, pdf=self._pdf):
                self._keep(row, *there, self.batch.fresh)
                continue
            job = Job(self._path, given, self._settings, None, self._pdf, ours, part, marks)
            self._jobs[row] = job, made_from
        if self._jobs:
            makers.hold(loaded)

    def make(self, makers: Makers, tell: Told) -> None:
        """Have the reports made, and write each as soon as it is there."""
        made: dict[Future[Contents], Row] = {makers.submit(job): row for row, (job, _) in self._jobs.items()}
        done, total = len(self.batch.fresh) + len(self.batch.failed), len(made)
        for count, future in enumerate(as_completed(made)):
            tell("making reports", done + count, done + total)
            row = made.pop(future)
            try:
                self._write(row, future.result())
            except ClusterGoneError as error:
                raise ClusterGoneError(f"{error}; the pages made so far are kept, the same command goes on") from error
            except (RiskAnalyticsError, OSError) as error:
                self._fail(row, error)

    def _write(self, row: Row, contents: Contents) -> None:
        """Write a page, and what it was made from."""
        page = self._out / named(self._path.stem, contents.name)
        if page in self._rows_of:
            raise ReportError(
                f"its page {page.name} is that of {self._rows_of[page]}: only one of the two can be there"
            )
        self.batch.end = contents.end
        job, made_from = self._jobs[row]
        place(contents, page, replace=self._replace)
        now = stamps(self._path, self._all(job.values), *self._data)
        if now == self._stamps[row]:  # else the page may be made of what came since
            write_manifest(page, made_from, contents)
        self._keep(row, page, contents.lacks, self.batch.made)

    def _all(self, given: Mapping[str, object]) -> dict[str, object]:
        """Return the parameters that a report is made with: those given, and the notebook's own for the others."""
        return defaults_of(self._declared) | dict(given)

    def _keep(self, row: Row, page: Path, lacks: str, pages: list[Path]) -> None:
        """Take note of a page."""
        self._rows_of[page] = row
        pages.append(page)
        if lacks:
            self.batch.lacking[page] = lacks

    def _fail(self, row: Row, error: Exception) -> None:
        """Take note of a row without a page."""
        cell = f"cell {error.cell}: " if isinstance(error, ReportError) and error.cell else ""
        self.batch.failed[row] = f"{cell}{error}"
        self._told(row, self.batch.failed[row])
