"""The service of a database for clients in this process, opened and imported when it is first asked."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from riskanalytics.settings.databases import Place

if TYPE_CHECKING:
    from riskanalytics.service import Access, Store

ADDRESS: Final = "https://embedded.localhost"
_REPLACED: Final = "the database is another file than the one that was opened: connect again, and load again"
_REFUSAL: Final[tuple[dict[str, Any], ...]] = (
    {"type": "http.response.start", "status": 409, "headers": [(b"content-type", b"application/problem+json")]},
    {"type": "http.response.body", "body": json.dumps({"status": 409, "detail": _REPLACED}).encode()},
)
"""Messages of an answer (ASGI, RFC 9457)."""


class EmbeddedService:
    """An ASGI application without limits, for clients that have the rights of who holds the file.

    It answers from the file that it opened: where another one took its place, it refuses, so that what one client loads is
    never of two databases.

    Parameters
    ----------
    place : Path or Server
        The database.
    file : object
        As `file_of` gave it, where some was read of it before: it is answered from no other.

    Attributes
    ----------
    key : str
        What a client may show; any other does as well, as nobody else can ask.
    """

    def __init__(self, place: Place, file: object = None) -> None:
        self.place, self.key, self._file = place, token_hex(16), file
        self._opened: tuple[Store, Access, Any] | None = None

    @property
    def file(self) -> tuple[Path, object] | None:
        """The database, and which file it was when it was opened; None of a server's."""
        self.opened()
        return (self.place, self._file) if isinstance(self.place, Path) else None

    def opened(self) -> tuple[Store, Access, Any]:
        """Open the database, where it is not, and return it with its keys and its application.

        Raises
        ------
        DatabaseError
        """
        if self._opened is None:
            from riskanalytics.service import UNLIMITED, Access, Store, create_app  # noqa: PLC0415

            self._file = self._file or file_of(self.place)
            store, access = Store(self.place), Access.embedded()
            self._opened = store, access, create_app(store, access, public_url=ADDRESS, pace=UNLIMITED)
        return self._opened

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request; refuse it where the file was replaced before the answer was whole."""
        told: list[Any] = []

        async def hold_back(message: Any) -> None:
            told.append(message)

        _, access, application = self.opened()
        own = f"Bearer {access.embedded_key}".encode()
        headers = [(name, own if name == b"authorization" else value) for name, value in scope.get("headers", ())]
        await application({**scope, "headers": headers}, receive, hold_back)
        for message in told if file_of(self.place) == self._file else _REFUSAL:
            await send(message)

    def close(self) -> None:
        """Close the database and the keys."""
        if self._opened is not None:
            for part in self._opened[:2]:
                part.close()


def file_of(place: Place) -> tuple[int, int] | None:
    """Return what tells a file from another one under its name; None where there is none, and of a server."""
    if not isinstance(place, Path):
        return None
    with contextlib.suppress(OSError):
        found = place.stat()
        return found.st_dev, found.st_ino
    return None


def checksum_of(path: Path) -> str:
    """Return the word that names the state of a database; empty where an older version wrote it.

    Parameters
    ----------
    path : Path
    """
    address = f"{path.resolve().as_uri()}?mode=ro"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(address, uri=True, timeout=10)) as told:
        return str((told.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() or ("",))[0])
    return ""
