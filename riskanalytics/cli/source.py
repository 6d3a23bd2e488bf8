"""Which data a command reads: refused in one line where they are not there, before anything is loaded."""

from __future__ import annotations

from pathlib import Path

from riskanalytics.errors import SettingsError
from riskanalytics.settings import Settings, load_settings


def chosen_source(base_url: str | None, database: Path | None) -> Settings:
    """Return which service or database the data come from; the arguments hide what stands in the environment.

    Parameters
    ----------
    base_url : str, optional
    database : Path, optional

    Raises
    ------
    SettingsError
        If both are given, or the database is not there.
    """
    settings = load_settings(base_url=base_url, database=database)
    if settings.database is not None:
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
