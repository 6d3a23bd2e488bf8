"""The service of a database in this process, opened when it is first asked."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, Final

from riskanalytics.databases import Place
from riskanalytics.service import UNLIMITED, Access, Store, create_app

ADDRESS: Final = "https://embedded.localhost"
_REPLACED: Final = "the database is another file than the one that was opened: connect again, and load again"
_REFUSAL: Final[tuple[dict[str, Any], ...]] = (
    {"type": "http.response.start", "status": 409, "headers": [(b"content-type", b"application/problem+json")]},
    {"type": "http.response.body", "body": json.dumps({"status": 409, "detail": _REPLACED}).encode()},
)
"""Messages of an answer (ASGI, RFC 9457)."""


class EmbeddedService:
    """An ASGI application, with a key of its own and no limits.

    It answers from the file that it opened: where another one took its place, it refuses, so that what one client loads is
    never of two databases.

    Parameters
    ----------
    place : Path or Server
        The database.
    checked : object
        State of the file that was found whole, as `checked` gives it: it is not read through again.
    file : object
        As `file_of` gave it, where some was read of it before: it is answered from no other.
    """

    def __init__(self, place: Place, checked: object = None, file: object = None) -> None:
        self.place, self._known = place, checked
        self._access = Access.embedded()
        self._opened: tuple[Store, Any] | None = None
        self._file = file

    @property
    def key(self) -> str:
        """The key that it accepts."""
        return self._access.embedded_key

    @property
    def checked(self) -> object:
        """The state of the database's file that was found whole."""
        return self.opened()[0].checked

    def opened(self) -> tuple[Store, Any]:
        """Open the database, where it is not, and return it with its application.

        Raises
        ------
        DatabaseError
        """
        if self._opened is None:
            self._file = self._file or file_of(self.place)
            store = Store(self.place, self._known)
            self._opened = store, create_app(store, self._access, public_url=ADDRESS, pace=UNLIMITED)
        return self._opened

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request; refuse it where the file was replaced before the answer was whole."""
        told: list[Any] = []

        async def hold_back(message: Any) -> None:
            told.append(message)

        await self.opened()[1](scope, receive, hold_back)
        for message in told if file_of(self.place) == self._file else _REFUSAL:
            await send(message)

    def close(self) -> None:
        """Close the database and the keys."""
        if self._opened is not None:
            self._opened[0].close()
        self._access.close()


def file_of(place: Place) -> tuple[int, int] | None:
    """Return what tells a file from another one under its name; None where there is none, and of a server."""
    if not isinstance(place, Path):
        return None
    with contextlib.suppress(OSError):
        found = place.stat()
        return found.st_dev, found.st_ino
    return None
