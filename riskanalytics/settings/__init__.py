"""Settings, taken from arguments, then the environment, then defaults.

| variable | meaning | default |
| --- | --- | --- |
| `RISKANALYTICS_BASE_URL` | address of a risk-rating data service | the embedded demo |
| `RISKANALYTICS_API_KEY` | key for that service; read from the environment only | none |
| `RISKANALYTICS_DATABASE` | file of an ingested database, or `postgresql://...` | the embedded demo |
| `RISKANALYTICS_CACHE` | folder for files that can be made again | the user's cache folder |
| `RISKANALYTICS_ANSWERS` | MiB of cached responses in that folder, for conditional requests; 0 for no cache | 256 |
| `RISKANALYTICS_DEADLINE` | maximum number of seconds for one load | 120, plus one for each platform |
| `RISKANALYTICS_SMTP` | mail server for keys and alerts, `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS` | the outbox folder |
"""

import contextlib
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import platformdirs

from riskanalytics.errors import MissingExtraError, SettingsError

from .databases import Place, Server, place_of, written_out


def _cache(named: str | None = None) -> Path:
    """Return the folder for files that can be made again."""
    return Path(named or platformdirs.user_cache_dir("riskanalytics"))


@dataclass(frozen=True)
class Settings:
    """The source of the data, the cache, the deadline and the mail server.

    Parameters
    ----------
    base_url : str, optional
        Address of a service, without a trailing slash.
    api_key : str, optional
        Key for the service; never part of the repr.
    database : Path or Server, optional
        File or PostgreSQL server of an ingested database, or a folder of pulls.
    cache : Path
        Folder for files that can be made again.
    answers : int
        Maximum size in MiB of the cached responses in that folder.
    deadline : float, optional
        Maximum number of seconds for one load.
    smtp : str, optional
        Mail server for sending keys and alerts; read from the environment only, never part of the repr.
    """

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    database: Place | None = None
    cache: Path = field(default_factory=_cache)
    answers: int = 256
    deadline: float | None = None
    smtp: str | None = field(default=None, repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts to remove from pages and errors: the API key, and a PostgreSQL address that has a password.

        The password by itself is included only if it has at least 8 characters and not only letters: ordinary sentences could
        contain a shorter one, or a word.
        """
        address = self.database.address if isinstance(self.database, Server) else ""
        password = urlsplit(address).password or ""
        alone = [word for word in (password, unquote(password)) if len(word) >= 8 and not word.isalpha()]
        return tuple(dict.fromkeys(filter(None, (self.api_key, password and address, *alone))))

    def environment(self) -> dict[str, str]:
        """Return the environment variables that give another process the same settings, except for the mail server."""
        values = {**vars(self), "database": self.database and written_out(self.database)}
        given = {variable: values[name] for name, variable in ENVIRONMENT.items() if name != "smtp"}
        return {variable: "" if value is None else str(value) for variable, value in given.items()}


ENVIRONMENT = {setting.name: f"RISKANALYTICS_{setting.name.upper()}" for setting in fields(Settings)}
"""Setting -> environment variable."""


def load_settings(
    *,
    base_url: str | None = None,
    database: str | os.PathLike[str] | Server | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings from arguments, then the environment, then defaults.

    Parameters
    ----------
    base_url : str, optional
        Address of a service; overrides both the address and the database of the environment.
    database : str, path or Server, optional
        File of an ingested database, or its address on a server; overrides both the address and the database of the environment.
    environment : mapping of str to str, optional
        Replaces the process's environment.

    Returns
    -------
    Settings

    Raises
    ------
    SettingsError
        If both an address and a database are given, the API key contains a space, a line break or a
        non-ASCII character, or a number is malformed.
    """
    values = os.environ if environment is None else environment
    read = {name: values.get(variable, "").strip() or None for name, variable in ENVIRONMENT.items()}
    if base_url is None and database is None:
        base_url, database = read["base_url"], read["database"]
    if base_url is not None and database is not None:
        raise SettingsError("both a database and the address of a service were given: give only one of them")
    key = values.get(ENVIRONMENT["api_key"], "")
    # the key must be valid in a header; the message does not repeat it
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SettingsError("RISKANALYTICS_API_KEY contains a space, line break or non-ASCII character: set it again")
    return Settings(
        base_url=base_url and base_url.rstrip("/"),
        api_key=key or None,
        database=None if database is None else place_of(database),
        cache=_cache(read["cache"]),
        answers=_mebibytes(read["answers"] or "256"),
        deadline=_seconds(read["deadline"]),
        smtp=read["smtp"],
    )


def _mebibytes(text: str) -> int:
    """Read a number of MiB."""
    if re.fullmatch("[0-9]{1,7}", text):
        return int(text)
    raise SettingsError(f"RISKANALYTICS_ANSWERS must be a whole number of MiB (0 for no cache), not {text[:40]!r}")


def _seconds(text: str | None) -> float | None:
    """Read a number of seconds."""
    with contextlib.suppress(ValueError):
        if text is None or 0 < float(text) < math.inf:
            return None if text is None else float(text)
    raise SettingsError(f"RISKANALYTICS_DEADLINE must be a number of seconds above 0, not {str(text)[:40]!r}")


def optional_module(name: str, needed: str, extra: str) -> Any:
    """Import and return a module that is installed only with an extra of riskanalytics.

    Parameters
    ----------
    name : str
        Name of the module.
    needed : str
        What needs it, such as "Excel files need openpyxl"; beginning of the error's message.
    extra : str
        The extra, such as `excel`.

    Raises
    ------
    MissingExtraError
        If the module is not installed; the message says what to install.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(f'{needed}: pip install "riskanalytics[{extra}]"') from error


@cache
def package_hash() -> str:
    """Return one text: the version number of this package, a space, and a hash of all its files, including data files.

    Notebooks are left out, because they are in the package only after installation.
    """
    package = Path(__file__).parents[1]
    seen = sha256()
    for file in sorted(package.rglob("*")):
        parts = file.relative_to(package).parts
        if file.is_file() and "__pycache__" not in parts and parts[0] != "notebooks":
            seen.update(f"{'/'.join(parts)}\0".encode() + sha256(file.read_bytes()).digest())
    return f"{version('riskanalytics')} {seen.hexdigest()}"
