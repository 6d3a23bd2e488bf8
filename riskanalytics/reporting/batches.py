"""Many reports of one notebook: one for each row of a table, or for each platform; made several at once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout

from riskanalytics.errors import ClusterGoneError, ParameterError, ReportError, RiskAnalyticsError
from riskanalytics.files import clear_unfinished
from riskanalytics.reporting.manifest import Known, files_of, origin, stamps, unknown, write_manifest
from riskanalytics.reporting.parameters import (
    ALL,
    Parameter,
    Row,
    check_all,
    defaults_of,
    parameters_of,
    read_notebook,
    rows_of_platforms,
    rows_of_table,
)
from riskanalytics.reporting.placing import Contents, Job, marks_of, named, parts_of_names, place
from riskanalytics.reporting.remote import Reading, check_source, order_of, page_elsewhere
from riskanalytics.reporting.runner import (
    checked_values,
    found_notebook,
    is_ours,
    make_demo,
    named_settings,
    writable_folder,
)
from riskanalytics.reporting.warm import ROOMS, Loaded, listed, loaded, made, newest_day, silent, warm
from riskanalytics.settings import Settings, load_settings
from riskanalytics.typesetting import check_installed
from riskanalytics.work.executors import Workers, apart, cores, dask_cluster, end_processes, lost
from riskanalytics.work.progress import Told

if TYPE_CHECKING:
    from riskanalytics.dataset.connecting import Source

_LOCK: Final = ".batch.lock"
_THREADS: Final = "riskanalytics-report"
_FOR_MANY: Final = tuple(f"riskanalytics.reporting.{name}" for name in ("execution", "loading", "prepared"))


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


def batch(  # noqa: PLR0913 (what a person can say of a batch)
    notebook: str | Path,
    over: str | Path = ALL,
    *,
    out: str | Path = "reports",
    jobs: int | None = None,
    source: Source | None = None,
    pdf: bool = False,
    replace: bool = False,
    dask: str | None = None,
    executor: Executor | None = None,
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
        Reports made at the same time on this machine; as many as there are cores where None. A cluster or an executor
        decides for itself.
    source : Client, str or Path, optional
        As of `ra.load` and `ra.report`.
    pdf : bool
        Whether a PDF of the same name is made beside each page.
    replace : bool
        Whether pages may take the place of those of another source.
    dask : str, optional
        Address of a Dask scheduler, such as `tcp://10.0.0.5:8786`, whose workers make the reports.
    executor : concurrent.futures.Executor, optional
        Makes the reports, such as `get_executor(pure=False)` of a Dask client.

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
    return run_batch(
        notebook, over, Path(out), jobs=jobs, settings=settings, pdf=pdf, replace=replace, dask=dask, executor=executor
    )


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
    executor: Executor | None = None,
    progress: Told | None = None,
    failed: Callable[[Row, str], None] | None = None,
) -> Batch:
    """Make the reports of a batch.

    Parameters
    ----------
    notebook, over, out, jobs, pdf, replace, dask, executor
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
    run = _Run(path, declared, settings, out, pdf, failed or _unheard, replace=replace)
    try:
        with (
            FileLock(out / _LOCK, timeout=0),
            _workers(dask, executor, at_once) as workers,
            TemporaryDirectory() as place,
        ):
            clear_unfinished(out)
            make_demo(settings, tell)
            run.begin(rows, Path(place), tell)
            run.make(workers, tell, remote=bool(dask or executor))
            run.batch.index = apart(listed, out)
    except Timeout as error:
        raise ReportError(f"another batch writes into {out}: wait for its end, or give another folder") from error
    except ClusterGoneError as error:
        raise ClusterGoneError(f"{error}; the pages made so far are kept, the same command goes on") from error
    return run.batch


@contextmanager
def _workers(dask: str | None, executor: Executor | None, at_once: int) -> Iterator[Workers]:
    """Give what makes the reports."""
    if executor is not None:
        yield Workers(executor, at_once)
    elif dask is not None:
        with dask_cluster(dask) as workers:
            yield workers
    else:
        warm(*ROOMS, *_FOR_MANY)
        with ThreadPoolExecutor(at_once, _THREADS) as threads:
            try:
                yield Workers(threads, at_once)
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                while any(thread.name.startswith(_THREADS) for thread in threading.enumerate()):
                    end_processes()  # again and again: a thread may be about to start one
                    time.sleep(0.05)
                raise


def _unheard(row: Row, why: str) -> None:
    """Take no note of a row without a page."""


def _whole(contents: Contents | Exception) -> Contents:
    """Return the contents of a page; raise the error that a worker elsewhere returned in their place."""
    if isinstance(contents, Exception):
        raise contents
    return contents


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
        self._loaded: Loaded

    def begin(self, rows: list[Row] | None, place: Path, tell: Told) -> None:
        """Load the data once, and find out what is to be made."""
        ours = is_ours(self._path)
        values: dict[Row, dict[str, object]] = {}
        equal: dict[str, Row] = {}
        newest = cache(lambda: apart(newest_day, self._settings))
        for row in rows or ():
            try:
                given = checked_values(self._path, self._declared, row.given, self._out, newest)
                values[equal.setdefault(json.dumps(given, sort_keys=True), row)] = given
            except RiskAnalyticsError as error:
                self._fail(row, error)
        asked = self._settings, self._path.stem if ours else "", rows is None, list(values.values()), place
        self._loaded = data = apart(loaded, *asked, tell=tell)
        if rows is None:
            values = {row: dict(row.given) for row in rows_of_platforms(data.slugs)}
        known = Known(self._out)
        parts = parts_of_names(list(values.values()))
        for (row, given), part in zip(values.items(), parts, strict=True):
            try:
                self._stamps[row] = stamps(self._path, self._all(given), *self._data)
                marks = marks_of(given, self._settings, self._out)
                made_from = origin(self._path, self._all(given), data.digest_for(given), self._settings.secrets)
                made_from["origin"] = marks["origin"]
            except OSError as error:
                self._fail(row, error)
                continue
            self.batch.anew = self.batch.anew or unknown(made_from)
            if there := known.page(made_from, pdf=self._pdf):
                self._keep(row, *there, self.batch.fresh)
                continue
            job = Job(self._path, given, self._settings, pdf=self._pdf, ours=ours, part=part, marks=marks)
            self._jobs[row] = job, made_from

    def make(self, workers: Workers, tell: Told, *, remote: bool) -> None:
        """Have the reports made, and write each as soon as it is there."""
        asked = self._submitted(workers, remote=remote)
        done, total = len(self.batch.fresh) + len(self.batch.failed), len(asked)
        for count, future in enumerate(as_completed(asked)):
            tell("making reports", done + count, done + total)
            row = asked.pop(future)
            try:
                self._write(row, _whole(future.result()))
            except (RiskAnalyticsError, OSError) as error:
                self._fail(row, error)
            except Exception as error:
                if type(error).__name__ != "KilledWorker":  # Dask's, which need not be installed
                    raise
                self._fail(row, ReportError(lost(error)))

    def _submitted(self, workers: Workers, *, remote: bool) -> dict[Future[Contents | Exception], Row]:
        """Ask for the reports."""
        held, asked = self._loaded.held, dict[Future[Contents | Exception], Row]()
        if not self._jobs:
            return asked
        if remote:
            source = Reading.of(self._settings)
            if refused := workers.executor.submit(check_source, source).result():
                raise refused
            shared = [workers.share(Path(held).read_bytes())] if held else []
            for row, (job, _) in self._jobs.items():
                try:
                    order = order_of(job, source, self._loaded.digest)
                    asked[workers.executor.submit(page_elsewhere, order, *shared)] = row
                except (ReportError, OSError) as error:
                    self._fail(row, error)
            return asked
        for row, (job, _) in self._jobs.items():
            asked[workers.executor.submit(apart, made, job._replace(held=held))] = row
        return asked

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
