"""Reports made on other computers, by an executor such as Dask's: what travels to a worker, and what it does.

The key does not travel: whoever reads along, or sees a scheduler's tasks, finds none. A worker takes it from its own
environment, and proves that it is the same.
"""

from __future__ import annotations

import hmac
import multiprocessing
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import ReportError
from riskanalytics.reporting.manifest import named_paths
from riskanalytics.reporting.parameters import defaults_of, parameters_of, read_notebook
from riskanalytics.reporting.placing import Contents, Job
from riskanalytics.reporting.warm import ROOMS, made, warm
from riskanalytics.settings import ENVIRONMENT, Settings, load_settings
from riskanalytics.settings.databases import Server
from riskanalytics.work.executors import apart

_MOST_BYTES: Final = 100_000_000
"""Of the files that travel with one report."""


class Reading(NamedTuple):
    """Which data the reports of a batch read, as workers are told it.

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

    def __repr__(self) -> str:
        return "<what is read>"  # an address may hold a login, and workers log arguments

    @classmethod
    def of(cls, settings: Settings) -> Reading:
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
    """Return what shows that somebody has a key, and not the key."""
    return hmac.digest((key or "").encode(), challenge, "sha256")


class Order(NamedTuple):
    """A report to make on another computer: a job with the files that it needs.

    Parameters
    ----------
    job : Job
        Its notebook is a name.
    source : Reading
    notebook : bytes
        The notebook's file.
    files : mapping
        Files that parameters name -> their content; they stand in the folder in which the notebook runs.
    there : mapping
        Files that parameters name and that do not travel -> SHA-256.
    state : str
        Checksum of the database that the batch began with; empty where none is known, or there is none.
    """

    job: Job
    source: Reading
    notebook: bytes
    files: Mapping[str, bytes]
    there: Mapping[str, str]
    state: str = ""

    def __repr__(self) -> str:
        return "<a report>"


def check_source(source: Reading) -> Exception | None:
    """Return why a worker cannot make the reports of a batch; None where it can."""
    try:
        source.here()
    except Exception as error:  # noqa: BLE001 (raised where it was asked for)
        return error
    return None


def order_of(job: Job, source: Reading, state: str) -> Order:
    """Return a report with the files that its parameters name, also by the notebook's own values.

    Raises
    ------
    ReportError
        If one names a folder that cannot travel, or the files are too many bytes.
    """
    declared = parameters_of(read_notebook(job.notebook))
    files = list(_files(named_paths(defaults_of(declared) | dict(job.values)), ours=job.ours))
    travelling = [path for path in files if _travels(path)]
    if (size := sum(path.stat().st_size for path in travelling)) > _MOST_BYTES:
        raise ReportError(
            f"the files that its parameters name have {size // 1_000_000:,} MB, and {_MOST_BYTES // 1_000_000} travel"
        )
    return Order(
        job._replace(notebook=Path(job.notebook.name), settings=source.settings),
        source,
        job.notebook.read_bytes(),
        {str(path): path.read_bytes() for path in travelling},
        {str(path): sha256(path.read_bytes()).hexdigest() for path in files if not _travels(path)},
        "" if source.settings.base_url else state,
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
    """Say whether a file of a parameter can have the same name in the folder of a worker's report."""
    return not path.is_absolute() and ".." not in path.parts


def page_elsewhere(order: Order, held: bytes = b"") -> Contents | Exception:
    """Make a report on a worker, in a folder of its own; errors are returned, as a worker would log what is raised.

    Parameters
    ----------
    order : Order
    held : bytes
        What was loaded for the batch.
    """
    multiprocessing.current_process().daemon = False  # a worker of Dask is one, and may then start no kernel
    warm(*ROOMS)
    try:
        settings = order.source.here()
        _check_there(order, settings)
        with tempfile.TemporaryDirectory(prefix="riskanalytics-") as folder:
            files, notebook, kept = (Path(folder) / name for name in ("files", order.job.notebook.name, "held"))
            for path, content in {
                notebook: order.notebook,
                kept: held,
                **{files / name: content for name, content in order.files.items()},
            }.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            files.mkdir(exist_ok=True)
            job = order.job._replace(notebook=notebook, settings=settings, folder=str(files))
            contents: Contents = apart(made, job._replace(held=str(kept) if held else ""))
            return contents
    except Exception as error:  # noqa: BLE001 (raised where the page was asked for)
        return error


def _check_there(order: Order, settings: Settings) -> None:
    """Refuse to make a report of other data than those of the batch."""
    here = f"the worker on {socket.gethostname()}"
    for name, digest in order.there.items():
        if not Path(name).is_file() or sha256(Path(name).read_bytes()).hexdigest() != digest:
            raise ReportError(f"{here} has no such {name}: name files from the folder that you are in, and they travel")
    if order.state:
        from riskanalytics.reporting.loading import state_of  # noqa: PLC0415 (needs the service)

        if state_of(settings) != order.state:
            raise ReportError(f"{here} finds its database in another state than this command did")
