"""Serve a database to clients in this process, without a network, and keep loaded data in memory for several reports.

The reports of a batch share loaded data (`Held`). A `HeldClient` returns these data, and sends any other request to its service,
which is imported and opened on first use. Notebook kernels are forked from a process that holds the data, so that every kernel
has them without a connection.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, TypeVar, cast

import pandas as pd

from riskanalytics.client import Client, Json, Problem
from riskanalytics.errors import ServiceError
from riskanalytics.settings import Settings
from riskanalytics.settings.databases import Place

Load = TypeVar("Load", bound=Callable[..., Any])
ADDRESS: Final = "https://embedded.localhost"


class EmbeddedService:
    """The service as an ASGI application in this process: without rate limits, and its client may read everything.

    If another file replaces the database file, all later requests fail with status 409, so that one client never loads data of
    two databases.

    Parameters
    ----------
    place : Path or Server
        The database: a SQLite file, or a PostgreSQL server.

    Attributes
    ----------
    key : str
        Key for its client; any other key works too, because nobody else can send requests.
    """

    def __init__(self, place: Place) -> None:
        self.place, self.key, self._file = place, token_hex(16), _file_of(place)
        self._opened: tuple[Any, ...] = ()

    def opened(self) -> tuple[Any, ...]:
        """Return the database, its keys and the ASGI application that answers from it; open them on first use.

        Returns
        -------
        tuple of (Store, Access, application)

        Raises
        ------
        DatabaseError
            If the database cannot be opened.
        """
        if not self._opened:
            from riskanalytics.service import UNLIMITED, Access, Store, create_app  # noqa: PLC0415

            store, access = Store(self.place), Access.embedded()
            self._opened = store, access, create_app(store, access, public_url=ADDRESS, pace=UNLIMITED)
        return self._opened

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request; refuse it if the file was replaced."""
        if _file_of(self.place) != self._file:
            why = b'{"detail": "the database file was replaced: connect again, and load again"}'
            kind = [(b"content-type", b"application/problem+json")]
            await send({"type": "http.response.start", "status": 409, "headers": kind})
            await send({"type": "http.response.body", "body": why})
            return
        _, access, application = self.opened()
        own = f"Bearer {access.embedded_key}".encode()
        headers = [(name, own if name == b"authorization" else value) for name, value in scope["headers"]]
        await application({**scope, "headers": headers}, receive, send)

    def close(self) -> None:
        """Close the database and the store of its keys, if they are open."""
        for part in self._opened[:2]:
            part.close()


def _file_of(place: Place) -> tuple[int, int] | None:
    """Return the identity of a file; None for a server, or if the file is missing."""
    found = place.stat() if isinstance(place, Path) and place.exists() else None
    return found and (found.st_dev, found.st_ino)


def checksum_of(path: Path) -> str:
    """Return the stored hash that identifies the state of a database; empty if the file has none or cannot be read.

    Parameters
    ----------
    path : Path
        A SQLite file.
    """
    address = f"{path.resolve().as_uri()}?mode=ro"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(address, uri=True, timeout=10)) as file:
        return str((file.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() or ("",))[0])
    return ""


def captures_of(database: Place, hashes: Iterable[str]) -> dict[str, list[Json]]:
    """Return the history of some texts: for each text, all captures of every document that had this text at some time.

    Parameters
    ----------
    database : Path or Server
        A SQLite file, or a PostgreSQL server.
    hashes : iterable of str
        SHA-256 of each text.

    Returns
    -------
    dict
        SHA-256 of a text -> its captures, sorted by platform, document and time. Each is a dict with `slug`, `document`,
        `captured_at`, `snapshot_sha256`, `archive_url` and others. Texts that the database does not have are left out.

    Raises
    ------
    DatabaseError
        If the database cannot be opened or read.
    """
    from riskanalytics.service import Store  # noqa: PLC0415
    from riskanalytics.service.store.evidence import captures_with  # noqa: PLC0415

    with contextlib.closing(Store(database)) as store:
        return {sha256: captures for sha256 in hashes if (captures := captures_with(store, sha256))}


@dataclass
class Held:
    """Loaded data of one service, kept in memory so that nothing is loaded twice.

    Attributes
    ----------
    source : dict
        Environment variables that select the service, as `Settings.environment` returns them.
    answers : dict
        What was loaded. A key is the name and the arguments of a function that loads data (in `loading.py` or `history.py`), or
        (`day`, day) for the frames of all platforms on that day. A value is a pair: the result, and the problems that occurred
        while it was loaded.
    bodies : dict
        SHA-256 -> bytes of the snapshot.
    """

    source: dict[str, str]
    answers: dict[tuple[object, ...], tuple[Any, list[Problem]]] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)


class HeldClient(Client):
    """A client that keeps loaded data in memory and does not request them again.

    Parameters
    ----------
    *arguments, **named : object
        Arguments of `Client`.
    held : Held
        The data kept so far; the client adds to them what it loads.
    """

    def __init__(self, *arguments: Any, held: Held, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.held = held

    def snapshots(self, hashes: Sequence[str]) -> Iterator[tuple[str, bytes | ServiceError]]:
        """Yield several snapshots, as `Client.snapshots` does; request only those that are not in memory yet."""
        bodies = self.held.bodies
        for sha256, body in super().snapshots([sha256 for sha256 in hashes if sha256 not in bodies]):
            if isinstance(body, bytes):
                bodies[sha256] = body
            else:
                yield sha256, body
        yield from ((sha256, bodies[sha256]) for sha256 in hashes if sha256 in bodies)

    def known(self, key: tuple[object, ...], load: Callable[[], Any]) -> Any:
        """Return the value that is kept under a key; on first use, load it and keep it.

        The problems that occurred while it was loaded are added to `problems` on every call. A frame is returned as a copy, so
        that changes by one caller do not affect others.

        Parameters
        ----------
        key : tuple
            Key in `Held.answers`.
        load : callable
            Returns the value; called without arguments, on first use only.
        """
        if key not in self.held.answers:
            before = set(self.problems)
            value = load()
            self.held.answers[key] = value, [problem for problem in self.problems if problem not in before]
        known, problems = self.held.answers[key]
        self.problems.update(dict.fromkeys(problems))
        return known.copy(deep=False) if isinstance(known, pd.DataFrame) else known


_HERE: Final[list[Held]] = []
"""Data held by this process, the newest last."""


def hold(held: Held) -> None:
    """Make this process, and processes forked from it, reuse the loaded data `held` for each new client of the same service."""
    _HERE.append(held)


def held_for(settings: Settings) -> Held | None:
    """Return the loaded data that `hold` keeps in this process for the service of the settings; or None."""
    return next((held for held in reversed(_HERE) if held.source == settings.environment()), None)


def held(load: Load) -> Load:
    """Decorate a function that loads data with a client, so that a `HeldClient` keeps its results in memory.

    With a `HeldClient`, the function loads the data once for the same arguments, and later calls return the kept result. With
    any other client, it loads the data on every call.
    """

    @wraps(load)
    def loaded(client: Client, *arguments: Any, **named: Any) -> Any:
        if not isinstance(client, HeldClient):
            return load(client, *arguments, **named)
        return client.known((load.__name__, repr((arguments, named))), lambda: load(client, *arguments, **named))

    return cast("Load", loaded)
