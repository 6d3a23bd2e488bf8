"""Reports made by the workers of a Dask cluster, which need no disk of ours.

A worker keeps a `Workers` for the run: its reports are forked from one zygote that holds the data, as they are here. The key
does not travel: whoever reads along, or sees a scheduler's tasks, finds none. A worker takes it from its own environment, and
proves that it is the same.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple, Self

from riskanalytics.databases import Server
from riskanalytics.errors import ReportError
from riskanalytics.executors import Cluster
from riskanalytics.executors.runs import kept
from riskanalytics.reporting.job import Contents, Job, Loaded, Order
from riskanalytics.reporting.manifest import named_paths
from riskanalytics.reporting.parameters import defaults_of, parameters_of, read_notebook
from riskanalytics.reporting.workers import Workers
from riskanalytics.settings import ENVIRONMENT, Settings, load_settings

_MOST_BYTES: Final = 100_000_000
"""Of the files that travel with one report."""


class Source(NamedTuple):
    """Which data the reports of a run read, as workers are told it.

    Parameters
    ----------
    settings : Settings
        Without a key, and without what is of one computer only.
    challenge, proof : bytes
        What the key makes of the challenge; without a key, an empty one.
    server : str
        A PostgreSQL database, as it may be shown; workers take its address, with its password, from their environment.
    """

    settings: Settings
    challenge: bytes
    proof: bytes
    server: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Source:
        """Return what workers are told of settings."""
        place, challenge = settings.database, secrets.token_bytes(32)
        file = place.expanduser().resolve() if isinstance(place, Path) else None
        server = str(place) if isinstance(place, Server) else ""
        told = Settings(settings.base_url, database=file, deadline=settings.deadline)
        return cls(told, challenge, _proof(settings.api_key, challenge), server)

    def here(self) -> Settings:
        """Return the settings of a worker: its own key and folders, our service.

        Raises
        ------
        ReportError
            If its key or database is another one, or the database is not there.
        """
        own = ("api_key", "cache", "answers", *(["database"] if self.server else []))
        found = load_settings(environment={ENVIRONMENT[name]: os.environ.get(ENVIRONMENT[name], "") for name in own})
        told, here = self.settings, f"the worker on {socket.gethostname()}"
        if told.base_url is not None and _proof(found.api_key, self.challenge) != self.proof:
            raise ReportError(
                f"{here} has another key than this command: set RISKANALYTICS_API_KEY where it is started"
            )
        if self.server and str(found.database) != self.server:
            raise ReportError(
                f"{here} has another database: set RISKANALYTICS_DATABASE to {self.server} where it is started"
            )
        file = told.database
        if isinstance(file, Path) and not file.exists():
            raise ReportError(
                f"{here} has no {file}: a batch over a file needs it there under the same name; "
                "over a service (--base-url) it needs none"
            )
        database = found.database if self.server else file
        return replace(found, base_url=told.base_url, database=database, deadline=told.deadline)


def _proof(key: str | None, challenge: bytes) -> bytes:
    """Return what tells that somebody has a key, and not the key."""
    return hmac.digest((key or "").encode(), challenge, "sha256")


class ClusterWorkers:
    """Makes reports on a cluster, as `Workers` makes them here; a context manager.

    Parameters
    ----------
    address : str
        Of the scheduler.
    settings : Settings
        Which service the data come from.
    at_once : int, optional
        Reports made at the same time; as many as the workers have threads where None.

    Raises
    ------
    ExecutorError, MissingExtraError, ReportError
        If the cluster, or a worker of it, cannot do it: one line.
    """

    def __init__(self, address: str, settings: Settings, at_once: int | None = None) -> None:
        self._cluster = Cluster(address, at_most=at_once, apart=False)
        self._source, self._state, self._held = Source.of(settings), "", list[object]()
        try:
            self._cluster.begin(workers_here, self._source)
        except BaseException:
            self._cluster.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._cluster.__exit__(*raised)

    def prepare(self) -> None:
        """Have nothing made here: each worker does what `Workers.prepare` does with its first report."""

    def hold(self, loaded: Loaded) -> None:
        """Have data travel to the workers, to each once, as `Workers.hold` has them held here."""
        self._state = loaded.digest
        if loaded.file:
            self._held = [self._cluster.shared(Path(loaded.file).read_bytes())]

    def submit(self, job: Job) -> Future[Contents]:
        """Have a report made; its contents come with the future, as does what `page_on_worker` raises."""
        try:
            order = self._order(job)
        except (ReportError, OSError) as error:
            refused = Future[Contents]()
            refused.set_exception(error)
            return refused
        return self._cluster.submit(page_on_worker, order, self._source, *self._held)

    def _order(self, job: Job) -> Order:
        """Return a report with the files that its parameters name, also by the notebook's own values.

        Raises
        ------
        ReportError
            If one names a folder that cannot travel, or the files are too many bytes.
        """
        declared = parameters_of(read_notebook(job.notebook))
        values = defaults_of(declared) | dict(job.values)
        files = list(_files(named_paths(values), ours=job.ours))
        travelling = [path for path in files if _travels(path)]
        if (size := sum(path.stat().st_size for path in travelling)) > _MOST_BYTES:
            raise ReportError(
                f"the files that its parameters name have {size // 1_000_000:,} MB, and {_MOST_BYTES // 1_000_000} travel"
            )
        return Order(
            job._replace(notebook=Path(job.notebook.name), settings=self._source.settings),
            job.notebook.read_bytes(),
            {str(path): path.read_bytes() for path in travelling},
            {str(path): sha256(path.read_bytes()).hexdigest() for path in files if not _travels(path)},
            "" if self._source.settings.base_url else self._state,
        )


def _files(named: Sequence[Path], *, ours: bool) -> Iterator[Path]:
    """Give the files that parameters name, those in folders too; of a notebook of ours, none is a folder."""
    for path in named:
        if path.is_file():
            yield path
        elif not ours and path.name not in ("", ".."):  # words, as a rule: a blank, a separator
            if not _travels(path):
                raise ReportError(f"the folder {path} does not travel: name one in the folder that you are in")
            yield from (file for file in sorted(path.rglob("*")) if file.is_file())


def _travels(path: Path) -> bool:
    """Say whether a file of a parameter can stand under the same name in the folder of a worker's report."""
    return not path.is_absolute() and ".." not in path.parts


def page_on_worker(order: Order, source: Source, held: bytes = b"") -> Contents:
    """Make a report on a worker.

    Parameters
    ----------
    order : Order
    source : Source
    held : bytes
        What was loaded for the batch.

    Raises
    ------
    ReportError
        If the data are not those of the batch; else as `Workers.result`.
    """
    workers = kept(workers_here, source)
    kept(_prepared, workers, held)
    contents: Contents = workers.result("order", order._replace(job=order.job._replace(settings=source.here())))
    return contents


def workers_here(source: Source) -> Workers:
    """Return what makes the reports of a run on this worker."""
    return Workers(source.here())


@contextlib.contextmanager
def _prepared(workers: Workers, held: bytes) -> Iterator[None]:
    """Have the reports of a run find what was loaded for them."""
    workers.prepare()
    workers.hold(Loaded([], "", workers.kept_file(held) if held else ""))
    yield
