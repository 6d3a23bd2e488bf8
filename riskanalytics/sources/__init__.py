"""Which server, database or demo the reader's data come from, and loading them into frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from riskanalytics._http import AT_ONCE, BesideTransport, InProcessTransport, KnownAnswers
from riskanalytics.client import Client
from riskanalytics.databases import Server
from riskanalytics.embedded import ADDRESS, EmbeddedService
from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.progress import ProgressReport
from riskanalytics.settings import Settings, load_settings
from riskanalytics.sources.accuracy import Accuracy, load_accuracy
from riskanalytics.sources.beside import Beside, ask_beside, beside_for
from riskanalytics.sources.chosen import Origin, Source, holds_pulls, origin_of, remember, settings_of
from riskanalytics.sources.contract import Contract, load_contract
from riskanalytics.sources.course import Course, load_course
from riskanalytics.sources.held import Held, HeldClient, held_for, hold, hold_soon
from riskanalytics.sources.history import load_coverage_history, load_history
from riskanalytics.sources.loading import (
    load_changes,
    load_coverage,
    load_findings,
    load_leads,
    load_platforms,
    with_listed_slugs,
)
from riskanalytics.sources.pulled import connect_pulls
from riskanalytics.sources.records import coverage_record, data_day, listed_slugs, load_records
from riskanalytics.sources.verification import read_findings, verify_findings

__all__ = [
    "Accuracy",
    "Beside",
    "Contract",
    "Course",
    "Held",
    "HeldClient",
    "Origin",
    "Source",
    "ask_beside",
    "connect",
    "connect_held",
    "connect_to",
    "coverage_record",
    "data_day",
    "hold",
    "hold_soon",
    "holds_pulls",
    "listed_slugs",
    "load_accuracy",
    "load_changes",
    "load_contract",
    "load_course",
    "load_coverage",
    "load_coverage_history",
    "load_findings",
    "load_history",
    "load_leads",
    "load_platforms",
    "load_records",
    "origin_of",
    "read_findings",
    "settings_of",
    "verify_findings",
    "with_listed_slugs",
]


def connect(
    source: str | Path | None = None,
    *,
    base_url: str | None = None,
    database: str | Path | None = None,
    settings: Settings | None = None,
    deadline: float | None = None,
) -> Client:
    """Return a client of a service or database; of what the settings name, or the embedded demo, where none is given.

    Parameters
    ----------
    source : str or path, optional
        Address of a service (`https://...`), file of an ingested database (`genai.sqlite`), its address on a server
        (`postgresql://...`), or folder of pulls. `ra.load`, `ra.report` and `ra.batch` read it too where they are given
        none: the source that was named last holds for the session.
    base_url : str, optional
        Address of a service; its key comes from `RISKANALYTICS_API_KEY`.
    database : path, optional
        An ingested database, served in this process, or a folder of pulls.
    settings : Settings, optional
        Used instead of arguments and environment.
    deadline : float, optional
        Seconds that one load may take, whatever the server does; `RISKANALYTICS_DEADLINE`, or 120 and one more for each
        platform, where None.

    Returns
    -------
    Client
        Close it, or use it as a context manager. An embedded one works inside a running notebook loop, with a
        key of its own and no limits.

    Raises
    ------
    SettingsError
        If more than one source is given, or an address is none.
    DatabaseError
        If there is no such file, or it is not one of our databases.

    Examples
    --------
    >>> with ra.connect() as client:
    ...     client.coverage()["tracked"]
    320
    """
    if sum(given is not None for given in (source, settings, database if base_url is None else base_url)) > 1:
        raise SettingsError("more than one source was given: keep one of them")
    chosen = settings or (
        load_settings(base_url=base_url, database=database) if source is None else settings_of(source)
    )
    if settings is None:
        remember(chosen)
    deadline = chosen.deadline if deadline is None else deadline
    if holds_pulls(chosen):
        client = connect_pulls(chosen.base_url or (chosen.database if isinstance(chosen.database, Path) else None))
    else:
        client = _connected(chosen, held_for(chosen), deadline)
    client.settings = chosen
    return client


def connect_to(source: Source | None = None) -> Client:
    """Return a client of a source: one that is given as it is; of what this session named last where None.

    Parameters
    ----------
    source : Client, str or Path, optional
    """
    if isinstance(source, Client):
        return source
    return connect(settings=settings_of(None)) if source is None else connect(source)


def _connected(chosen: Settings, held: Held | None, deadline: float | None) -> Client:
    """Return a client that answers from what is held, where anything is."""
    made: Callable[..., Client] = Client if held is None else partial(HeldClient, held=held)
    if chosen.base_url is not None:
        known = KnownAnswers(chosen.cache / "answers", chosen.answers << 20)
        return made(chosen.base_url, chosen.api_key, deadline=deadline, known=known)
    beside = beside_for(chosen)
    service = _embedded(chosen, held, beside)
    source = chosen.database.name if chosen.database is not None else "demo"
    inside = InProcessTransport(service, AT_ONCE if isinstance(chosen.database, Server) else 1)
    transport = inside if beside is None else BesideTransport(beside.place, inside)
    return made(ADDRESS, service.key, transport=transport, on_close=service.close, deadline=deadline, source=source)


def connect_held(settings: Settings) -> HeldClient:
    """Return a client that keeps all that it is answered, for others to hold; not of pulls.

    Parameters
    ----------
    settings : Settings

    Raises
    ------
    DatabaseError
    """
    held = Held(settings.environment())
    if (beside := beside_for(settings)) is not None:
        held.file = beside.database, beside.file
    elif settings.base_url is None:
        service = _embedded(settings, None, None)
        held.file = service.file
        service.close()
    client = _connected(settings, held, settings.deadline)
    assert isinstance(client, HeldClient)  # noqa: S101 (given above)
    client.settings = settings
    return client


def _embedded(chosen: Settings, held: Held | None, beside: Beside | None) -> EmbeddedService:
    """Return the service of a database; it is opened when it is asked, where another process serves it or data of it are held."""
    if beside is not None:
        return EmbeddedService(beside.database, file=beside.file)
    place = chosen.database.expanduser() if isinstance(chosen.database, Path) else chosen.database
    if isinstance(place, Path) and not place.is_file():
        make = f"riskanalytics ingest COLLECTION --database {chosen.database}"
        raise DatabaseError(
            f"there is no database {chosen.database}: make one with '{make}', or give the address of a service (https://...)"
        )
    service = EmbeddedService(place or _demo(chosen.cache), held and held.file and held.file[1])
    if held is None:
        try:
            service.opened()
        except DatabaseError:
            service.close()
            raise
    return service


def _demo(cache: Path) -> Path:
    """Return the demo's database; a person who waits for it sees how far it is."""
    from riskanalytics.demo import demo_database  # noqa: PLC0415

    with ProgressReport.for_reader() as told:
        return demo_database(cache, told)
