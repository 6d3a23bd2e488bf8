"""Settings: arguments before environment before defaults.

| variable | meaning | default |
| --- | --- | --- |
| `RISKANALYTICS_BASE_URL` | address of a risk-rating data service | the embedded demo |
| `RISKANALYTICS_API_KEY` | key for that service; read from the environment only | none |
| `RISKANALYTICS_DATABASE` | file of an ingested database, or `postgresql://...`, served in the process | the embedded demo |
| `RISKANALYTICS_CACHE` | folder for what can be made again | the user's cache folder |
| `RISKANALYTICS_ANSWERS` | MiB of a service's answers in that folder, which it need only confirm; 0 keeps none | 256 |
| `RISKANALYTICS_DEADLINE` | seconds that one load may take | 120, and one more for each platform |
| `RISKANALYTICS_SMTP` | mail server for keys, `smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS` | the outbox folder |
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import platformdirs

from riskanalytics.errors import SettingsError
from riskanalytics.settings.databases import Place, Server, place_of, written_out

ENVIRONMENT = {
    name: f"RISKANALYTICS_{name.upper()}"
    for name in ("base_url", "api_key", "database", "cache", "answers", "deadline", "smtp")
}
"""Setting -> environment variable."""
_SHORTEST: Final = 8
"""Characters of a password that is taken out of other texts by itself."""


@dataclass(frozen=True)
class Settings:
    """Where data come from and where files go.

    Parameters
    ----------
    base_url : str, optional
        Address of a service, without a trailing slash.
    api_key : str, optional
        Key for it; has no text form.
    database : Path or Server, optional
        An ingested database, served in the process, or a folder of pulls.
    cache : Path
        Folder for what can be made again.
    answers : int
        MiB of a service's answers that are kept in it.
    deadline : float, optional
        Seconds that one load may take.
    smtp : str, optional
        Mail server that hands out keys; read from the environment only, has no text form.
    """

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    database: Place | None = None
    cache: Path = field(default_factory=lambda: Path(platformdirs.user_cache_dir("riskanalytics")))
    answers: int = 256
    deadline: float | None = None
    smtp: str | None = field(default=None, repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What is taken out of pages and errors: the key, and the address of a server with its password.

        The password by itself only where it is long and no word: vendors' sentences hold words, and stay as they are.
        """
        address = self.database.address if isinstance(self.database, Server) else ""
        password = urlsplit(address).password or ""
        alone = [word for word in (password, unquote(password)) if len(word) >= _SHORTEST and not word.isalpha()]
        return tuple(dict.fromkeys(filter(None, (self.api_key, address if password else None, *alone))))

    def environment(self) -> dict[str, str]:
        """Return the variables that name the same service and cache to another process, and its key."""
        values = {name: getattr(self, name) for name in ENVIRONMENT if name not in ("database", "smtp")}
        values["database"] = None if self.database is None else written_out(self.database)
        return {ENVIRONMENT[name]: "" if value is None else str(value) for name, value in values.items()}


def load_settings(
    *,
    base_url: str | None = None,
    database: str | os.PathLike[str] | Server | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings: arguments first, then the environment, then defaults.

    Parameters
    ----------
    base_url : str, optional
        Address of a service; hides the environment's address and database.
    database : str, path or Server, optional
        File of an ingested database, or its address on a server; hides the environment's address and database.
    environment : mapping of str to str, optional
        Used instead of the process's environment.

    Returns
    -------
    Settings

    Raises
    ------
    SettingsError
        If an address and a database are given at once, the key cannot be a header, or a number is ill-formed.
    """
    values = os.environ if environment is None else environment
    read = {name: values.get(variable, "").strip() or None for name, variable in ENVIRONMENT.items()}
    if base_url is None and database is None:
        base_url, database = read["base_url"], read["database"]
    if base_url is not None and database is not None:
        raise SettingsError("an address and a database were given at once: keep one of the two")
    return Settings(
        base_url=None if base_url is None else base_url.rstrip("/"),
        api_key=_checked_key(values.get(ENVIRONMENT["api_key"], "")),
        database=None if database is None else place_of(database),
        cache=Path(read["cache"] or platformdirs.user_cache_dir("riskanalytics")),
        answers=_mebibytes(read["answers"]),
        deadline=_seconds(read["deadline"]),
        smtp=read["smtp"],
    )


def _checked_key(key: str) -> str | None:
    """Refuse a key that could not be sent as a header, without repeating it."""
    if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
        raise SettingsError("RISKANALYTICS_API_KEY holds a space, line break or non-ASCII character: set it again")
    return key or None


def _mebibytes(text: str | None) -> int:
    """Read a number of MiB."""
    if text is None:
        return Settings.answers
    if text.isascii() and text.isdigit() and len(text) < 8:
        return int(text)
    raise SettingsError(f"RISKANALYTICS_ANSWERS is a whole number of MiB, 0 for none, not {text[:40]!r}")


def _seconds(text: str | None) -> float | None:
    """Read a number of seconds."""
    if text is None:
        return None
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) < math.inf:
            return seconds
    raise SettingsError(f"RISKANALYTICS_DEADLINE is a number of seconds above 0, not {text[:40]!r}")


@cache
def package_hash() -> str:
    """Return the version of this package with the hash of its files, data files included.

    Notebooks are left out: an installed package holds them, a checkout has them beside it.
    """
    package = Path(__file__).parents[1]
    seen = sha256()
    for file in sorted(package.rglob("*")):
        parts = file.relative_to(package).parts
        if file.is_file() and "__pycache__" not in parts and parts[0] != "notebooks":
            seen.update(f"{'/'.join(parts)}\0".encode() + sha256(file.read_bytes()).digest())
    return f"{version('riskanalytics')} {seen.hexdigest()}"
