"""Processes beside this one that serve a database to it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics._http import greeted_by
from riskanalytics.embedded import file_of
from riskanalytics.settings import Settings, load_settings


class Beside(NamedTuple):
    """A process that serves a database.

    Parameters
    ----------
    place : str
        Its socket.
    database : Path
    file : object
        Which file the database was when it was opened (`file_of`).
    """

    place: str
    database: Path
    file: object


_KNOWN: Final[list[tuple[dict[str, str], Beside]]] = []
"""Settings that name a service -> the process."""


def ask_beside(place: str) -> Beside | None:
    """Have clients of the service that the settings name ask the process beside this one.

    Parameters
    ----------
    place : str
        Its socket; empty where there is none.

    Returns
    -------
    Beside or None
        Once it can be asked; None where it has ended, or could not begin: the service in this process answers then.
    """
    if not place:  # also where no process has such sockets
        return None
    with suppress(OSError, EOFError):
        beside = Beside(place, *greeted_by(place))
        _KNOWN.append((load_settings().environment(), beside))
        return beside
    return None


def beside_for(settings: Settings) -> Beside | None:
    """Return the process beside this one that serves the database which settings name, if it is still that file."""
    said = settings.environment()
    return next((one for names, one in _KNOWN if names == said and file_of(one.database) == one.file), None)
