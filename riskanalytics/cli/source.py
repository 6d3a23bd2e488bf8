"""Which data a command reads, and who does its work: refused in one line where they are not there."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riskanalytics.errors import RiskAnalyticsError, SettingsError
from riskanalytics.settings import Settings, load_settings
from riskanalytics.settings.databases import Place
from riskanalytics.work.progress import ProgressReport

if TYPE_CHECKING:
    from riskanalytics.client import Client

BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Address of a risk-rating data service.")]
Database = Annotated[
    str | None,
    typer.Option(
        "--database", metavar="FILE", help="File of an ingested database, or postgresql://...; the demo without it."
    ),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="FILE",
        help="File of an ingested database, postgresql://..., or folder of pulls; the demo without it.",
    ),
]
"""Of commands that only read."""
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster that does the work, such as tcp://HOST:8786."
    ),
]


Replace = Annotated[bool, typer.Option("--replace", help="Let a page take the place of one of another source.")]


def _named(text: str) -> Any:
    """Return the option for a database that must be named."""
    return typer.Option("--database", metavar="FILE", help=text, show_default=False)


Written = Annotated[str, _named("File, or postgresql://..., to write or to add to.")]
Labelled = Annotated[str, _named("Ingested database that holds the labelled texts.")]


def chosen_source(base_url: str | None, database: str | None) -> Settings:
    """Return which service or database the data come from; the arguments hide what stands in the environment.

    Parameters
    ----------
    base_url : str, optional
    database : str, optional
        A file, its address on a server, or a folder of pulls.

    Raises
    ------
    SettingsError
        If both are given, or the database is not there.
    """
    settings = load_settings(base_url=base_url, database=database)
    if settings.database is not None:
        check_there(settings.database, folder=True)  # which holds pulls
    return settings


def end_of(client: Client, settings: Settings) -> object:
    """Return the newest day of data; empty for the demo, and where it is not told.

    Parameters
    ----------
    client : Client
    settings : Settings
        What a person named.
    """
    from riskanalytics.dataset.connecting import origin_of
    from riskanalytics.dataset.loading import data_day

    named = settings.base_url or settings.database
    with suppress(RiskAnalyticsError):  # who reads the data says what of them cannot be read
        return data_day(client) if named and not origin_of(client).is_demo else ""
    return ""


def tell_age(end: object) -> None:
    """Say on stderr when data end, and how many days ago.

    Parameters
    ----------
    end : date or str
        Their newest day, as YYYY-MM-DD where it is a text; nothing is said where it is none.
    """
    from riskanalytics.text.wording import aged

    if told := aged(str(end or "")):
        typer.echo(told, err=True)


def check_there(database: Place, *, folder: bool = False) -> None:
    """Refuse a file that is not there, with the command that makes it; who opens a server's database is told by it.

    Parameters
    ----------
    database : Path or Server
    folder : bool
        Whether it may be a folder.

    Raises
    ------
    SettingsError
    """
    if isinstance(database, Path) and not (database.is_file() or (folder and database.is_dir())):
        raise SettingsError(
            f"there is no database {database}: make one with 'riskanalytics ingest COLLECTION --database {database}'"
        )


def database_or_demo(database: str | Place | None) -> Place:
    """Give the database to work on; the demo, built where needed, when none is named.

    Parameters
    ----------
    database : str, Path or Server, optional
    """
    settings = load_settings(database=database)
    if settings.database is not None:
        return settings.database
    from riskanalytics.demo import demo_database

    with ProgressReport() as progress:
        return demo_database(settings.cache, progress)
