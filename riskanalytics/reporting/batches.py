"""Make many reports of one notebook, one for each row of a table or for each platform, several at a time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from filelock import FileLock, Timeout

from riskanalytics.errors import ClusterGoneError, ParameterError, ReportError, RiskAnalyticsError
from riskanalytics.files import clear_unfinished
from riskanalytics.settings import Settings
from riskanalytics.typesetting import check_installed
from riskanalytics.work import OnProgress, silent
from riskanalytics.work.executors import Workers, apart, cores, dask_cluster, end_processes, lost

from . import placing, runner
from .parameters import Parameter, Row, parameters_of, rows_of_table
from .placing import Contents, Job

if TYPE_CHECKING:
    from riskanalytics.dataset.connecting import Source

ALL: Final = "all"
"""Word in place of a table: makes a report for each tracked platform."""
_LOCK: Final = ".batch.lock"
_THREADS: Final = "riskanalytics-report"
_LOADING: Final = "riskanalytics.reporting.loading"
_EXECUTION: Final = "riskanalytics.reporting.execution"


@dataclass
class Batch:
    """The result of a batch.

    Attributes
    ----------
    made : list of Path
        Pages that this run wrote.
    fresh : list of Path
        Existing pages that were up to date and were kept.
    lacking : dict
        Path of an incomplete page -> one line on what it lacks, such as data that could not be read.
    failed : dict
        Row (`Row`: number and parameters) of a report that could not be made -> the reason.
    end : str
        Newest day of the data, YYYY-MM-DD, if this run made a page; else empty. Always empty for the demo.
    anew : str
        Why a later run cannot find out which pages are up to date, and so makes all of them again; empty if it can.
    index : Path or None
        The page that lists the reports in the folder; None until the batch is done.
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
        """All pages of the batch, new and kept, sorted by file name."""
        return sorted({*self.made, *self.fresh})


def batch(  # noqa: PLR0913 (what a person can say of a batch)
    notebook: str | Path,
    over: str | Path = ALL,
    out: str | Path = "reports",
    *,
    platforms: Sequence[str] = (),
    jobs: int | None = None,
    source: Source | Settings | None = None,
    pdf: bool = False,
    replace: bool = False,
    dask: str | None = None,
    executor: Executor | None = None,
    progress: OnProgress = silent,
    failed: Callable[[Row, str], object] | None = None,
) -> Batch:
    r"""Make a report of a notebook for each row of a table, or for each tracked platform, as `riskanalytics batch` does.

    The reports of a built-in notebook share data that are loaded once. An existing page is kept if it was made from the same
    notebook, parameters and data by the same version of this package.

    Parameters
    ----------
    notebook : str or Path
        A file, or the name of a built-in notebook, such as `platform_dossier`.
    over : str or Path
        A CSV file or workbook with a row for each report, whose headings are parameters of the notebook; or `all`, for a report
        on each tracked platform, whose slug becomes the parameter `platform`.
    out : str or Path
        Folder of the pages; created if missing.
    platforms : sequence of str
        With `all`, slugs of the platforms to make reports on, such as `data.slugs` of a portfolio. If empty, all.
    jobs : int, optional
        Number of reports made at the same time on this machine. By default the number of cores. Ignored with `dask` or
        `executor`.
    source : Client, Settings, str or Path, optional
        Source of the data, as for `ra.report`, or its settings.
    pdf : bool
        Whether to write a PDF with the same name next to each page.
    replace : bool
        Whether pages may replace existing pages that show data of another source.
    dask : str, optional
        Address of a Dask scheduler, such as `tcp://10.0.0.5:8786`, whose workers make the reports.
    executor : concurrent.futures.Executor, optional
        Makes the reports, such as `get_executor(pure=False)` of a Dask client.
    progress : callable, optional
        Called with the phase, the number of its steps (such as reports) done, and the number of all its steps (None if unknown).
    failed : callable, optional
        Called with each failed row and the reason, as soon as it fails.

    Returns
    -------
    Batch
        Its `failed` lists the rows without a page.

    Raises
    ------
    SettingsError, ParameterError, ReportError, ExecutorError, MissingExtraError
        If the batch cannot begin, or the processes or cluster that make the reports are lost; pages already made are kept.

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
    if pdf:
        check_installed()
    settings = source if isinstance(source, Settings) else runner.named_settings(source)
    path, out = runner.found_notebook(notebook), Path(out)
    declared = parameters_of(path)
    rows = None if str(over) == ALL else rows_of_table(Path(over), declared, settings.secrets)
    if rows and len(platforms):
        raise ParameterError(
            "a portfolio does not go with a table, whose rows name the platforms: leave out the portfolio, or give --over all"
        )
    if rows is None and "platform" not in declared:
        raise ParameterError(
            "the notebook has no parameter 'platform', so --over all has nothing to vary; give a CSV file"
        )
    if len(platforms):
        rows = [Row(number, {"platform": slug}) for number, slug in enumerate(platforms, 1)]
    runner.check_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    run = _Run(path, declared, settings, out, pdf, replace, failed)
    try:
        with (
            FileLock(out / _LOCK, timeout=0),
            _workers(dask, executor, jobs or cores()) as workers,
            TemporaryDirectory() as folder,
        ):
            clear_unfinished(out)
            runner.make_demo(settings, progress)
            run.begin(rows, Path(folder, "held"), progress)
            run.make(workers, progress, remote=bool(dask or executor))
            run.batch.index = apart(f"{_EXECUTION}:list_pages", out)
    except Timeout as error:
        raise ReportError(f"another batch is writing to {out}: wait until it ends, or give another folder") from error
    except ClusterGoneError as error:
        raise ClusterGoneError(
            f"{error}; the pages made so far are kept; run the same command again to continue"
        ) from error
    return run.batch


@contextmanager
def _workers(dask: str | None, executor: Executor | None, at_once: int) -> Iterator[Workers]:
    """Yield the executor that makes the reports."""
    if executor is not None:
        yield Workers(executor, at_once)
    elif dask is not None:
        with dask_cluster(dask) as workers:
            yield workers
    else:
        runner.warm(*runner.ROOMS, _EXECUTION, _LOADING)
        with ThreadPoolExecutor(at_once, _THREADS) as threads:
            try:
                yield Workers(threads, at_once)
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                while any(thread.name.startswith(_THREADS) for thread in threading.enumerate()):
                    end_processes()  # repeatedly, because a thread may be starting another one
                    time.sleep(0.05)
                raise


@dataclass
class _Run:
    """One run of a batch."""

    path: Path
    declared: Mapping[str, Parameter]
    settings: Settings
    out: Path
    pdf: bool
    replace: bool
    on_failure: Callable[[Row, str], object] | None
    batch: Batch = field(default_factory=Batch)
    jobs: dict[Row, tuple[Job, dict[str, Any]]] = field(default_factory=dict)
    """Row -> its report, and the origin of its page."""
    state: str = ""
    """Checksum of the database."""
    stamps: list[int] = field(default_factory=list)

    def begin(self, rows: list[Row] | None, held: Path, progress: OnProgress) -> None:
        """Load the data once, and find out which pages must be made."""
        self.stamps = self._stamps()
        newest = cache(lambda: apart(runner.newest_day, self.settings))
        equal: dict[str, tuple[Row, dict[str, object]]] = {}
        for row in rows or ():
            try:
                given = runner.checked_values(self.path, self.declared, row.given, self.out, newest)
                equal.setdefault(json.dumps(given, sort_keys=True), (row, given))
            except RiskAnalyticsError as error:
                self._fail(row, error)
        requested = None if rows is None else [given for _, given in equal.values()]
        ours = runner.is_ours(self.path)
        values, self.state, loaded, digests = apart(
            f"{_LOADING}:load_for", self.settings, self.path.stem if ours else "", requested, held, progress=progress
        )
        todo = [row for row, _ in equal.values()] or [Row(number, given) for number, given in enumerate(values, 1)]
        manifests = placing.manifests_in(self.out)
        for row, given, digest, part in zip(todo, values, digests, placing.parts_of_names(values), strict=True):
            try:
                marks = placing.marks_of(given, self.settings, self.out)
                origin = self._origin(given, digest, marks)
            except OSError as error:
                self._fail(row, error)
                continue
            self.batch.anew = self.batch.anew or placing.unknown(origin)
            there = next((one for one in manifests if one.get("made_from") == origin), None)
            if there and placing.up_to_date(self.out, there, pdf=self.pdf):
                self._keep(self.out / there["page"], there["lacks"], self.batch.fresh)
                continue
            job = Job(self.path, given, self.settings, pdf=self.pdf, ours=ours, part=part, marks=marks, held=loaded)
            self.jobs[row] = job, origin

    def make(self, workers: Workers, progress: OnProgress, *, remote: bool) -> None:
        """Make the reports, and write each page as soon as it is ready."""
        if remote and self.jobs:
            futures = self._sent(workers)
        else:
            futures = {workers.executor.submit(apart, runner.made, job): row for row, (job, _) in self.jobs.items()}
        done = len(self.batch.fresh) + len(self.batch.failed)
        total = done + len(futures)
        for count, future in enumerate(as_completed(futures)):
            progress("making reports", done + count, total)
            row = futures.pop(future)
            try:
                self._write(row, _whole(future))
            except (RiskAnalyticsError, OSError) as error:
                self._fail(row, error)
            except Exception as error:
                if type(error).__name__ != "KilledWorker":  # of Dask, which need not be installed
                    raise
                self._fail(row, ReportError(lost(error)))

    def _sent(self, workers: Workers) -> dict[Future[Any], Row]:
        """Make the reports on other computers."""
        from . import loading  # noqa: PLC0415 (data need not be imported here else)

        source, futures = loading.Reading.of(self.settings), dict[Future[Any], Row]()
        _whole(workers.executor.submit(loading.quietly, loading.check_source, source))
        held = next(iter(self.jobs.values()))[0].held
        shared = [workers.share(Path(held).read_bytes())] if held else []
        for row, (job, _) in self.jobs.items():
            try:
                order = loading.order_of(job, source, self.state)
                futures[workers.executor.submit(loading.quietly, loading.page_elsewhere, order, *shared)] = row
            except (ReportError, OSError) as error:
                self._fail(row, error)
        return futures

    def _write(self, row: Row, contents: Contents) -> None:
        """Write a page and its manifest."""
        page = self.out / placing.named(self.path.stem, contents.name)
        if page in self.batch.pages:
            raise ReportError(
                f"another row of this batch already made the page {page.name}: make this row in a batch with another folder"
            )
        self.batch.end = contents.end
        job, origin = self.jobs[row]
        placing.place(contents, page, replace=self.replace)
        # otherwise the page may contain newer data than its origin says
        if self._stamps() == self.stamps and self._origin(job.values, origin["data_sha256"], job.marks) == origin:
            placing.write_manifest(page, origin, contents)
        self._keep(page, contents.lacks, self.batch.made)

    def _origin(self, given: Mapping[str, object], digest: str, marks: Mapping[str, str]) -> dict[str, Any]:
        """Return the origin of a report's page: the given parameters, and the notebook's defaults for the others."""
        values = {name: one.default for name, one in self.declared.items()} | dict(given)
        origin = placing.made_from(self.path, values, digest, self.settings.secrets)
        return {**origin, "origin": marks["origin"]}

    def _stamps(self) -> list[int]:
        """Return a token that changes whenever the database is written; an empty log is ignored."""
        database = self.settings.database
        files = [database, database.with_name(f"{database.name}-wal")] if isinstance(database, Path) else []
        return [file.stat().st_mtime_ns for file in files if file.is_file() and file.stat().st_size]

    def _keep(self, page: Path, lacks: str, pages: list[Path]) -> None:
        """Record a page."""
        pages.append(page)
        if lacks:
            self.batch.lacking[page] = lacks

    def _fail(self, row: Row, error: Exception) -> None:
        """Record a row without a page."""
        cell = f"cell {error.cell}: " if isinstance(error, ReportError) and error.cell else ""
        self.batch.failed[row] = f"{cell}{error}"
        if self.on_failure is not None:
            self.on_failure(row, self.batch.failed[row])


def _whole(future: Future[Any]) -> Any:
    """Return the result of a worker; raise the error if it returned one."""
    if isinstance(made := future.result(), Exception):
        raise made
    return made
