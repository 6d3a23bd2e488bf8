"""Which data a command reads: refused in one line where they are not there, before anything is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from riskanalytics.errors import SettingsError
from riskanalytics.progress import ProgressReport
from riskanalytics.settings import Settings, load_settings

BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Address of a risk-rating data service.")]
Database = Annotated[
    Path | None,
    typer.Option("--database", help="File of an ingested database; the embedded demo without it."),
]
Source = Annotated[
    Path | None,
    typer.Option("--database", help="File of an ingested database, or folder of pulls; the demo without it."),
]
"""Of commands that only read."""


def chosen_source(base_url: str | None, database: Path | None) -> Settings:
    """Return which service or database the data come from; the arguments hide what stands in the environment.

    Parameters
    ----------
    base_url : str, optional
    database : Path, optional
        A file, or a folder of pulls.

    Raises
    ------
    SettingsError
        If both are given, or the database is not there.
    """
    settings = load_settings(base_url=base_url, database=database)
    if settings.database is not None and not settings.database.is_dir():  # a folder holds pulls
        check_there(settings.database)
    return settings


def check_there(database: Path) -> None:
    """Refuse a database that is not there, with the command that makes it.

    Parameters
    ----------
    database : Path

    Raises
    ------
    SettingsError
    """
    if not database.is_file():
        raise SettingsError(
            f"there is no database {database}: make one with 'riskanalytics ingest COLLECTION --database {database}'"
        )


def database_or_demo(database: Path | None) -> Path:
    """Give the database to work on; the demo, built where needed, when none is named.

    Parameters
    ----------
    database : Path, optional
    """
    settings = load_settings(database=database)
    if settings.database is not None:
        return settings.database
    from riskanalytics.demo import demo_database

    with ProgressReport() as progress:
        return demo_database(settings.cache, progress)
