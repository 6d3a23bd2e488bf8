"""Where a database is: in a file, or on a PostgreSQL server whose password is never shown."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from riskanalytics.errors import SettingsError

_SCHEME: Final = "(?i)postgres(?:ql)?://"
_NO_PATH: Final = re.compile(r"(?is).*(?:://|password\s*=)|(?![/\\.~]|[a-z]:[/\\]).*:.*@")
"""A text similar to an address, which may contain a password, must not be taken for a path, because messages repeat paths."""
_HELD: Final = re.compile(rf"{_SCHEME}|://[^/?#@\s]*:[^@\s]*@|\bpassword\s*=\s*\S")
_LOGIN: Final = re.compile(r"://[^/?#@:\s]*(?::(?!\d{1,5}[/?#])[^@\s]*)?@")
"""Login before a host; a password may contain reserved characters, and a port followed by a path is not a password."""
_NO_ADDRESS: Final = (
    "the address of a PostgreSQL database is postgresql://USER@HOST:PORT/NAME; write @ / ? # in a name or password as "
    "%40 %2F %3F %23"
)


@dataclass(frozen=True, repr=False)
class Server:
    """A database on a PostgreSQL server; its text form contains host and name only.

    Parameters
    ----------
    address : str
        `postgresql://USER:PASSWORD@HOST:PORT/NAME?OPTIONS`, as for PostgreSQL's own programs.

    Raises
    ------
    SettingsError
        If the address is malformed; the message does not repeat it.
    """

    address: str

    def __post_init__(self) -> None:
        if not _is_address(self.address):
            raise SettingsError(_NO_ADDRESS)

    @property
    def name(self) -> str:
        """Name of the database, to show to people; `postgresql` if the address contains no name."""
        return urlsplit(self.address).path.strip("/") or "postgresql"

    def __str__(self) -> str:
        parts = urlsplit(self.address)
        return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def __repr__(self) -> str:
        return f"Server({str(self)!r})"


Place = Path | Server
"""Where a database is: a file, or a server."""


def _is_address(text: str) -> bool:
    """Return whether a text is an address whose password cannot be mistaken for the host or the name."""
    try:
        parts = urlsplit(text)
        login, _, hosts = parts.netloc.rpartition("@")
        ports = all(urlsplit(f"//{host}").port != 0 for host in hosts.split(","))
    # of a port or an IPv6 address
    except ValueError:
        return False
    plain = "@" not in login + parts.path and parts.path.count("/") < 2 and not re.search(r"[#\s]", text)
    return ports and plain and is_server(text)


def is_server(text: str) -> bool:
    """Return whether a text begins like the address of a PostgreSQL database: with `postgresql://` or `postgres://`."""
    return bool(re.match(_SCHEME, text))


def holds_password(text: str) -> bool:
    """Return whether a text contains the address of a database, or a password in an address or a setting.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> [holds_password(text) for text in ("see postgresql://ann:secret@db.example/archive", "host=db password=secret")]
    [True, True]
    >>> holds_password("https://alalix.example/chat")
    False
    """
    return bool(_HELD.search(text))


def without_password(text: str, secrets: Sequence[str] = ()) -> str:
    """Return a text, or `(not shown)` if it contains the address of a database, a password or a secret.

    Parameters
    ----------
    text : str
    secrets : sequence of str
        Further texts to hide, such as `Settings.secrets`.
    """
    return "(not shown)" if holds_password(text) or any(secret in text for secret in secrets) else text


def without_login(text: str) -> str:
    """Return a text without the logins (names and passwords) of its addresses.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> without_login("there is no file http://ann:secret@db.example/archive")
    'there is no file http://db.example/archive'
    >>> without_login("http://127.0.0.1:8000/people/@ann gave no answer")
    'http://127.0.0.1:8000/people/@ann gave no answer'
    """
    return _LOGIN.sub("://", text)


def place_of(text: str | os.PathLike[str] | Server) -> Place:
    """Return where a database is: a `Server` if the text is its address, else a `Path`.

    Parameters
    ----------
    text : str, path or Server
        An address that begins with `postgresql://`, or a path, as a person typed it.

    Raises
    ------
    SettingsError
        If the text is a malformed address; the message does not repeat it.
    """
    if isinstance(text, Server):
        return text
    named = os.fspath(text)
    if is_server(address := named.strip()):
        return Server(address)
    if _NO_PATH.match(named):
        raise SettingsError(_NO_ADDRESS)
    return Path(text)


def written_out(place: Place) -> str:
    """Return a database as text for another process: the full path, or the address with its password. Never show it to people.

    Parameters
    ----------
    place : Path or Server
    """
    return place.address if isinstance(place, Server) else str(place.resolve())


def folder_of(place: Place) -> Path:
    """Return the folder for other files of a database, such as mails to send: that of its file, or for a server the current one."""
    return place.parent if isinstance(place, Path) else Path()
