"""Settings: arguments before environment before defaults.

| variable | meaning | default |
| --- | --- | --- |
| `RISKANALYTICS_BASE_URL` | address of a risk-rating data service | the embedded demo |
| `RISKANALYTICS_API_KEY` | key for that service; read from the environment only | none |
| `RISKANALYTICS_DATABASE` | file of an ingested database, served in the process | the embedded demo |
| `RISKANALYTICS_CACHE` | folder for what can be made again | the user's cache folder |
| `RISKANALYTICS_DEADLINE` | seconds that one load may take | 120, and one more for each platform |
| `RISKANALYTICS_SMTP` | mail server for keys, `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS` | the outbox folder |
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from riskanalytics.errors import SettingsError

ENVIRONMENT = {
    "base_url": "RISKANALYTICS_BASE_URL",
    "api_key": "RISKANALYTICS_API_KEY",
    "database": "RISKANALYTICS_DATABASE",
    "cache": "RISKANALYTICS_CACHE",
    "deadline": "RISKANALYTICS_DEADLINE",
    "smtp": "RISKANALYTICS_SMTP",
}
"""Setting -> environment variable."""


@dataclass(frozen=True)
class Settings:
    """Where data come from and where files go.

    Parameters
    ----------
    base_url : str, optional
        Address of a service, without a trailing slash.
    api_key : str, optional
        Key for it; has no text form.
    database : Path, optional
        An ingested database, served in the process, or a folder of pulls.
    cache : Path
        Folder for what can be made again.
    deadline : float, optional
        Seconds that one load may take.
    smtp : str, optional
        Mail server that hands out keys; read from the environment only, has no text form.
    """

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    database: Path | None = None
    cache: Path = field(default_factory=lambda: Path(platformdirs.user_cache_dir("riskanalytics")))
    deadline: float | None = None
    smtp: str | None = field(default=None, repr=False)

    def environment(self) -> dict[str, str]:
        """Return the variables that name the same service and cache to another process, and its key."""
        database = None if self.database is None else str(self.database.resolve())
        deadline = None if self.deadline is None else str(self.deadline)
        told = {"base_url": self.base_url, "database": database, "api_key": self.api_key, "cache": str(self.cache)}
        told["deadline"] = deadline
        return {ENVIRONMENT[name]: value or "" for name, value in told.items()}


def load_settings(
    *,
    base_url: str | None = None,
    database: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings: arguments first, then the environment, then defaults.

    Parameters
    ----------
    base_url : str, optional
        Address of a service; hides the environment's address and database.
    database : path, optional
        File of an ingested database; hides the environment's address and database.
    environment : mapping of str to str, optional
        Used instead of the process's environment.

    Returns
    -------
    Settings

    Raises
    ------
    SettingsError
        If an address and a database are given at once, the key cannot be a header, or the deadline is no number of
        seconds.
    """
    values = os.environ if environment is None else environment
    read = {name: values.get(variable, "").strip() or None for name, variable in ENVIRONMENT.items()}
    key = values.get(ENVIRONMENT["api_key"], "")
    if base_url is None and database is None:
        base_url, database = read["base_url"], read["database"]
    if base_url is not None and database is not None:
        raise SettingsError("an address and a database were given at once: keep one of the two")
    cache = read["cache"] or platformdirs.user_cache_dir("riskanalytics")
    return Settings(
        base_url=None if base_url is None else base_url.rstrip("/"),
        api_key=_checked_key(key),
        database=None if database is None else Path(database),
        cache=Path(cache),
        deadline=_seconds(read["deadline"]),
        smtp=read["smtp"],
    )


def _checked_key(key: str) -> str | None:
    """Refuse a key that could not be sent as a header, without repeating it."""
    if not key:
        return None
    if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
        raise SettingsError("RISKANALYTICS_API_KEY holds a space, line break or non-ASCII character: set it again")
    return key


def _seconds(text: str | None) -> float | None:
    """Read a number of seconds."""
    if text is None:
        return None
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) < math.inf:
            return seconds
    raise SettingsError(f"RISKANALYTICS_DEADLINE is a number of seconds above 0, not {text[:40]!r}")
