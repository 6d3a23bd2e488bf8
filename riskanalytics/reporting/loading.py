"""Load once the data that the reports of a batch share, and send reports to workers on other computers (a Dask cluster).

The service's key is not sent, only its hash. Each worker takes the key from its own environment.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pandas as pd

from riskanalytics.dataset import Dataset, Span, load
from riskanalytics.dataset.connecting import connect, connect_held, holds_pulls
from riskanalytics.dataset.embedded import HeldClient
from riskanalytics.dataset.embedded import hold as hold_held
from riskanalytics.dataset.loading import listed_slugs
from riskanalytics.demo import demo_database
from riskanalytics.errors import ReportError, RiskAnalyticsError
from riskanalytics.service import Store
from riskanalytics.settings import ENVIRONMENT, Settings, load_settings
from riskanalytics.settings.databases import Server
from riskanalytics.work import OnProgress
from riskanalytics.work.executors import apart

from .exporter import prepare
from .parameters import parameters_of
from .placing import Contents, Job, hash_of, named_paths
from .runner import ROOMS, made, warm

prepare()  # the fork server of a batch imports this module: all its pages share the results

Values = Mapping[str, object]
"""The parameters of a report: name -> value."""
_MOST_DAYS: Final = 12
"""Maximum number of days whose data are shared; a report on another day loads its own data."""
_NAMING: Final = {"platform_dossier": "platform", "comparison": "platforms"}
"""Notebook that shows clauses of some platforms only -> parameter that names them."""
_ALONE: Final = ("platform_dossier", "coverage")
"""Notebooks that read more than the shared data: their data are the whole database, if its checksum is known."""


def load_for(
    settings: Settings,
    notebook: str,
    values: Sequence[Values] | None,
    file: Path,
    progress: OnProgress,
    most_days: int = _MOST_DAYS,
) -> tuple[Sequence[Values], str, str, list[str]]:
    """Load the data that the reports of a batch share, and write them to a file.

    Parameters
    ----------
    settings : Settings
        Settings of the source.
    notebook : str
        Name of the built-in notebook; empty for any other notebook, whose reports load their own data.
    values : list of dict, optional
        The parameters of each report; None for a report on each platform.
    file : Path
        File to write the data to.
    progress : callable
        Called with the phase.
    most_days : int
        Maximum number of different days to load; reports on other days load their own data.

    Returns
    -------
    tuple of (list of dict, str, str, list of str)
        The parameters of each report; the checksum of the whole database, empty if unknown; the path of the file, empty if no
        data were loaded; and for each report the SHA-256 of its data, empty if unknown.
    """
    progress("loading data", 0, None)
    pulled = holds_pulls(settings)
    with connect(settings=settings) if pulled or not notebook else connect_held(settings) as client:
        if values is None:
            values = [{"platform": slug} for slug in listed_slugs(client, None)]
        state = "" if pulled else state_of(settings)
        if not isinstance(client, HeldClient):
            return values, state, "", [state] * len(values)
        days: dict[tuple[str, ...], str] = {}
        for times in list(dict.fromkeys(map(_time, values)))[:most_days]:
            with suppress(RiskAnalyticsError):  # the report requests it again, and reports the error
                days[times] = _day(notebook, client, times, [given for given in values if _time(given) == times])
        # the data are keyed by a service name of their own
        file.write_bytes(pickle.dumps(replace(client.held, source={}), pickle.HIGHEST_PROTOCOL))
        whole = state if notebook in _ALONE else ""
        return values, state, str(file), [whole or days.get(_time(given), state) for given in values]


def hold(file: str) -> None:
    """Make this process and its forks use the data in a file that `load_for` wrote, instead of loading them from the source."""
    held = pickle.loads(Path(file).read_bytes())  # noqa: S301 (a process of our own, in a folder of our own)
    hold_held(replace(held, source=load_settings().environment()))


def _time(values: Values) -> tuple[str, ...]:
    """Return the parameters of a report that select its time: day, month, and the day after which it begins."""
    return tuple(str(values.get(name) or "") for name in ("as_of", "month", "since"))


def _day(notebook: str, client: HeldClient, times: tuple[str, ...], values: Sequence[Values]) -> str:
    """Make the client load the data for reports on a day, and return their SHA-256."""
    as_of, month, since = times
    monthly = notebook in ("monthly_report", "portfolio")
    data = load(client, month=month, since=since) if monthly else load(client, as_of)
    slugs, given = data.slugs, [one.get(_NAMING.get(notebook, "")) for one in values]
    if all(given):
        named = {slug for one in given for slug in (one if isinstance(one, list) else [str(one)])}
        slugs = [slug for slug in slugs if slug in named]
    data.hold(slugs)
    return digest_of(data, [data.changes(), *_also_read(notebook, data, data.span)])


def _also_read(notebook: str, data: Dataset, span: Span | None) -> Iterator[object]:
    """Yield further data that a built-in notebook reads, besides a day and all changes, so that they are loaded for its kernels."""
    if span is not None:
        yield from (data.changes(span.recorded_from), data.history(), data.at(span.before).platforms)
    elif notebook == "training_use":
        yield from (data.changes(months=24), data.history(24))
    elif notebook == "comparison":
        yield data.changes(months=12)
    elif notebook == "coverage":
        yield from (data.changes(change_class="capture_failure"), data.coverage_history(), *data.contract())
    elif notebook == "platform_dossier":
        yield data.history()  # in place of many requests for the past of each platform


def digest_of(data: Dataset, read: Sequence[object]) -> str:
    """Return one SHA-256 of all data that reports use.

    Parameters
    ----------
    data : Dataset
        The data set. The SHA-256 covers all its platforms, and its list of data that could not be read (`problems`).
    read : sequence
        Further data that the reports use, such as frames of changes.
    """
    parts = [str(data.day), data.extraction, data.records, data.unfinished, data.tracked, data.coverage, *read]
    said = [part.to_json(date_format="iso") if isinstance(part, pd.DataFrame) else part for part in parts]
    return sha256(json.dumps([*said, data.problems.to_json()], sort_keys=True).encode()).hexdigest()


def state_of(settings: Settings) -> str:
    """Return the checksum of the database that the settings name; each write to the database changes it. Empty for a service."""
    if settings.base_url:
        return ""
    place = settings.database or demo_database(settings.cache)
    with closing(Store(place if isinstance(place, Server) else place.expanduser())) as store:
        return store.version()


@dataclass(frozen=True, repr=False)  # workers log arguments, and an address may contain a login
class Reading:
    """The source of a batch's data, as workers on other computers need it.

    Parameters
    ----------
    settings : Settings
        Settings of the source: its address or file, and the time limit for loading. The key and cache folder are left out.
    key : str
        SHA-256 of the key.
    server : str
        Host and name of a PostgreSQL database; workers take its full address and password from their environment.
    """

    settings: Settings
    key: str
    server: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Reading:
        """Return the `Reading` that workers need to load the data of the source in `settings`."""
        place = settings.database
        file = place.expanduser().resolve() if isinstance(place, Path) else None
        known = Settings(settings.base_url, database=file, deadline=settings.deadline)
        return cls(known, _hash_of_key(settings), str(place) if isinstance(place, Server) else "")

    def here(self) -> Settings:
        """Return the settings to use on this worker: its own key and folders, and the source of the batch.

        Raises
        ------
        ReportError
            If the worker's key or database differs from those of the batch, or its database is missing.
        """
        own = ("api_key", "cache", "answers", *(["database"] if self.server else []))
        found = load_settings(environment={ENVIRONMENT[name]: os.environ.get(ENVIRONMENT[name], "") for name in own})
        known, file = self.settings, self.settings.database
        if known.base_url is not None and _hash_of_key(found) != self.key:
            raise _refusal(
                "the worker uses a different key from this command; "
                "set RISKANALYTICS_API_KEY to the key of this command where the worker is started"
            )
        if self.server and str(found.database) != self.server:
            raise _refusal(
                "the worker uses a different database from this command; "
                f"set RISKANALYTICS_DATABASE to {self.server} where the worker is started"
            )
        if isinstance(file, Path) and not file.exists():
            raise _refusal(
                f"the worker has no file {file}; copy the file to the same path there, "
                "or use a service with --base-url instead"
            )
        return replace(found, base_url=known.base_url, database=found.database or file, deadline=known.deadline)


def _hash_of_key(settings: Settings) -> str:
    """Return a hash of the key, even if the key is empty."""
    return sha256((settings.api_key or "").encode()).hexdigest()


def _refusal(why: str) -> ReportError:
    """Return the error of a worker that cannot make a report."""
    return ReportError(f"the worker on {socket.gethostname()} cannot make the report: {why}")


@dataclass(frozen=True, repr=False)
class Order:
    """A request to make a report on another computer: a job with the files that it needs.

    Parameters
    ----------
    job : Job
        The report to make; its `notebook` is a file name without a folder.
    source : Reading
        Where the worker finds the data.
    state : str
        Checksum of the database at the beginning of the batch; empty if unknown.
    notebook : bytes
        Content of the notebook's file.
    files : mapping
        Path of each file that a parameter names -> its content, which the worker writes to the notebook's working folder; or,
        for a file outside the current folder, its SHA-256: the worker must have the same file at this path.
    """

    job: Job
    source: Reading
    state: str
    notebook: bytes
    files: Mapping[str, bytes | str]


def order_of(job: Job, source: Reading, state: str) -> Order:
    """Return the request to make one report on another computer, with the files that the report's parameters name.

    Parameters
    ----------
    job : Job
        The report to make. Files that default parameters of its notebook name are included, too.
    source : Reading
        Where the worker finds the data.
    state : str
        Checksum of the database; empty if unknown.

    Raises
    ------
    ReportError
        If a parameter names a folder that cannot be sent.
    """
    own, files = {one.name: one.default for one in parameters_of(job.notebook).values()}, dict[str, bytes | str]()
    for named in named_paths(own | dict(job.values)):
        travels = not named.is_absolute() and ".." not in named.parts
        # not a text that only happens to name a folder, such as a separator
        folder = named.is_dir() and not job.ours and named.name not in ("", "..")
        if folder and not travels:
            raise ReportError(f"the folder {named} cannot be sent to workers: name a folder inside the current folder")
        for path in sorted(named.rglob("*")) if folder else [named]:
            if path.is_file():
                files[str(path)] = path.read_bytes() if travels else hash_of(path)
    sent = job._replace(notebook=Path(job.notebook.name), settings=source.settings)
    return Order(sent, source, "" if source.settings.base_url else state, job.notebook.read_bytes(), files)


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function and return its result or, if it raises an error, the error, because workers log errors that are raised."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 (raised where it was asked for)
        return error


def check_source(source: Reading) -> None:
    """Raise a `ReportError` if this worker does not have the key or the data of a batch."""
    source.here()


def page_elsewhere(order: Order, held: bytes = b"") -> Contents:
    """Make a report on a worker, in a new folder, and return its page.

    Parameters
    ----------
    order : Order
        The report to make, with the files that it needs.
    held : bytes
        Content of the file that `load_for` wrote. If empty, the report loads its own data.
    """
    multiprocessing.current_process().daemon = False  # workers of Dask are daemons, which may not start a kernel
    warm(*ROOMS)
    settings = order.source.here()
    if order.state and state_of(settings) != order.state:
        raise _refusal(
            "the worker's database has other content than the database of this command; "
            "copy the database to the worker again"
        )
    with tempfile.TemporaryDirectory(prefix="riskanalytics-") as folder:
        files, notebook, kept = (Path(folder, name) for name in ("files", order.job.notebook.name, "held"))
        files.mkdir()
        notebook.write_bytes(order.notebook)
        kept.write_bytes(held)
        for name, content in order.files.items():
            if isinstance(content, bytes):
                (files / name).parent.mkdir(parents=True, exist_ok=True)
                (files / name).write_bytes(content)
            elif not Path(name).is_file() or hash_of(Path(name)) != content:
                raise _refusal(
                    f"the worker has no file {name}, or a different version of this file; "
                    "give a relative path inside the current folder, so that the file is sent"
                )
        job = order.job._replace(notebook=notebook, settings=settings, folder=str(files))
        contents: Contents = apart(made, job._replace(held=str(kept) if held else ""))
        return contents
