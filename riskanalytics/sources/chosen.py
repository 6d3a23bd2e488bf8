"""Which source a call means where none is named, and what readers of its data are told of it."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.client import Client
from riskanalytics.databases import Server, is_server, without_login
from riskanalytics.embedded import checksum_of
from riskanalytics.errors import PullError, SettingsError
from riskanalytics.pulls import Pulls, is_store
from riskanalytics.settings import Settings, load_settings

Source = Client | str | Path
"""A client as `connect` gives it; else an address of a service, a database, or a folder of pulls."""

DEMO: Final = "Demo: invented platforms"
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_HASH: Final = 12
_DEMO_PULLED: Final = "demo"
"""What pulls call the demo."""
_NAMED: list[Settings] = []
"""What this session named last, if anything."""


class Origin(NamedTuple):
    """Where data come from, for readers of a page: no machine path, no password.

    Parameters
    ----------
    told : str
        One line, such as `Database genai.sqlite, data 9fb138253148`.
    option : str
        What names the source on a command line; empty for the demo.
    place : str
        File or folder that the option names without its path; empty where there is none.
    """

    told: str
    option: str = ""
    place: str = ""

    @property
    def is_demo(self) -> bool:
        """Whether the platforms are invented."""
        return self.told.startswith(DEMO)


def settings_of(source: Source | None) -> Settings:
    """Return the settings that name a source; where None, what this session named last, else those of the environment.

    Parameters
    ----------
    source : Client, str or Path, optional

    Raises
    ------
    SettingsError
        If it is no address, or a client that `connect` did not give.
    """
    if source is None:
        return _NAMED[-1] if _NAMED else load_settings()
    if not isinstance(source, Client):
        service = _ADDRESS.match(str(source)) is not None and not is_server(str(source))
        return load_settings(base_url=str(source)) if service else load_settings(database=source)
    if source.settings is None:
        raise SettingsError("name the address or the file instead of this client, which ra.connect did not give")
    return source.settings


def remember(settings: Settings | None) -> None:
    """Have calls without a source read this one.

    Parameters
    ----------
    settings : Settings or None
        None where they are to read what the environment names again.
    """
    _NAMED[:] = filter(None, [settings])


def holds_pulls(settings: Settings) -> bool:
    """Say whether the settings name a folder of pulls, here or in an object store, not a service or database."""
    if settings.base_url is not None:
        return is_store(settings.base_url)
    return isinstance(settings.database, Path) and settings.database.expanduser().is_dir()


def origin_of(client: Client) -> Origin:
    """Return where the data of a client come from.

    Parameters
    ----------
    client : Client
    """
    settings = client.settings
    if settings is None:
        return Origin(
            f"Service {without_login(client.source)}", f"--base-url {shlex.quote(without_login(client.source))}"
        )
    if holds_pulls(settings):
        return _origin_of_pulls(settings)
    if settings.base_url is not None:
        address = without_login(settings.base_url)
        return Origin(f"Service {address}", f"--base-url {shlex.quote(address)}")
    if isinstance(settings.database, Server):
        return Origin(f"Database {settings.database}", f"--database {shlex.quote(str(settings.database))}")
    if settings.database is None:
        return Origin(DEMO)
    name, state = settings.database.name, checksum_of(settings.database.expanduser())
    told = f"Database {name}{f', data {state[:_HASH]}' if state else ''}"
    return Origin(told, f"--database {shlex.quote(name)}", name)


def _origin_of_pulls(settings: Settings) -> Origin:
    """Return where the data of pulls come from: what was pulled, their folder and the newest day."""
    place = settings.base_url or settings.database
    name = str(place) if settings.base_url else Path(str(place)).resolve().name
    told = f"Pulls in {name}"
    with suppress(PullError):
        newest = Pulls(place).newest
        if newest.source == _DEMO_PULLED:
            return Origin(f"{DEMO}, pulls in {name}", f"--database {shlex.quote(name)}", name)
        told = f"Pulls of {without_login(newest.source)} in {name}, newest {newest.name} of {newest.day}"
    return Origin(told, f"--database {shlex.quote(name)}", "" if settings.base_url else name)
