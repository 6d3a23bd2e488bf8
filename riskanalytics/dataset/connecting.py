"""Connect to the source of the data: a service, a database, a folder of pulls, or the demo."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.client import Client
from riskanalytics.client.answers import KnownAnswers
from riskanalytics.client.connection import AT_ONCE, InProcessTransport
from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.settings import Settings, load_settings
from riskanalytics.settings.databases import Server, is_server, without_login
from riskanalytics.work import ProgressReport

from .embedded import ADDRESS, EmbeddedService, Held, HeldClient, checksum_of, held_for
from .pulls import PullsClient
from .storage import is_store

Source = Client | str | Path
"""A client from `connect`, an address of a service, a database, or a folder of pulls."""

DEMO: Final = "Demo: invented platforms"
_NAMED: list[Settings] = []
"""The source that this session used last, if any."""


def connect(
    source: str | Path | None = None,
    *,
    base_url: str | None = None,
    database: str | Path | None = None,
    settings: Settings | None = None,
    deadline: float | None = None,
) -> Client:
    """Return a client for a service, database or folder of pulls: by default that of the environment, otherwise the demo.

    Parameters
    ----------
    source : str or path, optional
        Address of a service (`https://...`), file of an ingested database (`genai.sqlite`), address of a database on a server
        (`postgresql://...`), or folder of pulls. Later calls of `ra.load`, `ra.report` and `ra.batch` without a source use
        this source again: the last source applies to the whole session.
    base_url : str, optional
        Address of a service; its key comes from `RISKANALYTICS_API_KEY`.
    database : path, optional
        An ingested database, served in this process, or a folder of pulls.
    settings : Settings, optional
        Settings to use instead of the arguments and the environment.
    deadline : float, optional
        Maximum number of seconds for one load. By default `RISKANALYTICS_DEADLINE`, or 120 plus one for each platform.

    Returns
    -------
    Client
        Close it, or use it as a context manager. A client of an embedded service also works in a notebook with a running event
        loop; it has its own key and no rate limit.

    Raises
    ------
    SettingsError
        If more than one source is given, or an address is not valid.
    DatabaseError
        If there is no such file, or it is not a database of riskanalytics.

    Examples
    --------
    >>> with ra.connect() as client:
    ...     client.coverage()["tracked"]
    320
    """
    if sum(given is not None for given in (source, settings, base_url or database)) > 1:
        raise SettingsError(
            "more than one source of the data was given: keep one of source, settings, base_url and database"
        )
    if settings is None:
        settings = load_settings(base_url=base_url, database=database) if source is None else settings_of(source)
        _NAMED[:] = [settings]
    if not holds_pulls(settings):
        return _connected(settings, held_for(settings), deadline)
    client = PullsClient(str(settings.base_url or settings.database))
    client.settings = settings
    return client


def connect_to(source: Source | None = None) -> Client:
    """Return a client for a source; a client is returned unchanged.

    Parameters
    ----------
    source : Client, str or Path, optional
        A client, an address of a service, a database (file or `postgresql://` address) or a folder of pulls. By default the last
        source of this session, otherwise the source in the environment.
    """
    if isinstance(source, Client):
        return source
    return connect(settings=settings_of(None)) if source is None else connect(source)


def connect_held(settings: Settings) -> Client:
    """Return a client that keeps all loaded data in memory; its attribute `held` can be passed to other processes.

    Parameters
    ----------
    settings : Settings
        Settings that name a service, a database or the demo; a folder of pulls is not accepted.

    Raises
    ------
    DatabaseError
        If there is no such database, or it cannot be read.
    """
    return _connected(settings, Held(settings.environment()))


def _connected(chosen: Settings, held: Held | None, deadline: float | None = None) -> Client:
    """Return a client for a service or database that uses held data, if there are any."""
    make: Callable[..., Client] = Client if held is None else partial(HeldClient, held=held)
    deadline = chosen.deadline if deadline is None else deadline
    if chosen.base_url is not None:
        known = KnownAnswers(chosen.cache / "answers", chosen.answers << 20)
        client = make(chosen.base_url, chosen.api_key, known=known, deadline=deadline)
    else:
        place = chosen.database.expanduser() if isinstance(chosen.database, Path) else chosen.database
        if isinstance(place, Path) and not place.is_file():
            ingest = f"make one with 'riskanalytics ingest COLLECTION --database {chosen.database}'"
            raise DatabaseError(f"there is no database {chosen.database}: {ingest}, or give the address of a service")
        service = EmbeddedService(place or _demo(chosen.cache))
        # with held data, the database is opened on first use
        if held is None or not held.answers:
            service.opened()
        transport = InProcessTransport(service, AT_ONCE if isinstance(place, Server) else 1)
        source = chosen.database.name if chosen.database else "demo"
        inside = {"transport": transport, "on_close": service.close, "source": source, "deadline": deadline}
        client = make(ADDRESS, service.key, **inside)
    client.settings = chosen
    return client


def _demo(cache: Path) -> Path:
    """Return the demo's database, and show the progress if it must be built."""
    from riskanalytics.demo import demo_database  # noqa: PLC0415

    with ProgressReport.for_reader() as progress:
        return demo_database(cache, progress)


def settings_of(source: Source | None) -> Settings:
    """Return the settings of a source. Without a source: the last source of this session, otherwise the environment.

    Parameters
    ----------
    source : Client, str or Path, optional
        A client, an address of a service, a database (file or `postgresql://` address) or a folder of pulls.

    Raises
    ------
    SettingsError
        If the source is a malformed address, or a client that was not made by `connect`.
    """
    if source is None:
        return _NAMED[-1] if _NAMED else load_settings()
    if not isinstance(source, Client):
        service = "://" in str(source) and not is_server(str(source))
        return load_settings(base_url=str(source)) if service else load_settings(database=source)
    if source.settings is None:
        raise SettingsError(
            "this client was not made by ra.connect: give the address of its service, or its database file, instead"
        )
    return source.settings


def holds_pulls(settings: Settings) -> bool:
    """Return whether the settings name a folder of pulls, local or in an object store."""
    if settings.base_url is not None:
        return is_store(settings.base_url)
    return isinstance(settings.database, Path) and settings.database.expanduser().is_dir()


class Origin(NamedTuple):
    """The source of the data in the form in which pages name it: without paths of this machine and without passwords.

    Parameters
    ----------
    line : str
        Description of the source, such as `Database genai.sqlite, data 9fb138253148`.
    option : str
        Command-line option that selects the source, such as `--database genai.sqlite`; empty for the demo.
    place : str
        Name of the file or folder in `option`, without its path; empty if the source is not a file or folder.
    """

    line: str
    option: str = ""
    place: str = ""

    @property
    def is_demo(self) -> bool:
        """Whether the source is the demo, whose platforms are invented."""
        return self.line.startswith(DEMO)


def origin_of(client: Client) -> Origin:
    """Return the source of a client's data as a page names it.

    Parameters
    ----------
    client : Client
    """
    settings = client.settings
    if isinstance(client, PullsClient):
        newest, place = client.newest, "" if is_store(client.folder) else Path(client.folder).resolve().name
        shown = place or client.folder
        line = f"Pulls of {without_login(newest.source)} in {shown}, newest {newest.name} of {newest.day}"
        if newest.source == "demo":
            line = f"{DEMO}, pulls in {shown}"
    elif settings is None or settings.base_url is not None:
        address = without_login(client.source)
        return Origin(f"Service {address}", f"--base-url {shlex.quote(address)}")
    elif settings.database is None:
        return Origin(DEMO)
    else:
        place = "" if isinstance(settings.database, Server) else settings.database.name
        shown = place or str(settings.database)
        state = checksum_of(settings.database.expanduser()) if isinstance(settings.database, Path) else ""
        line = f"Database {shown}{f', data {state[:12]}' if state else ''}"
    return Origin(line, f"--database {shlex.quote(shown)}", place)
