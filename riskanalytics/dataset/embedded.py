"""Serve a database to clients in this process, and hold loaded data in memory for several reports.

The reports of a batch share data: a client with held data answers from them, and sends everything else to its service, which
is opened and imported on first use. The process from which kernels are forked holds the data for all kernels, without
a connection.
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
    """An ASGI application without rate limits, for clients with the rights of the file's owner.

    It answers from the file that it opened. If another file replaces that file, it refuses all requests, so that one client
    never loads data of two databases.

    Parameters
    ----------
    place : Path or Server
        The database.

    Attributes
    ----------
    key : str
        Key for its client; any other key works too, because nobody else can send requests.
    """

    def __init__(self, place: Place) -> None:
        self.place, self.key, self._file = place, token_hex(16), _file_of(place)
        self._opened: tuple[Any, ...] = ()

    def opened(self) -> tuple[Any, ...]:
        """Open the database on first use, and return it with its keys and its application.

        Raises
        ------
        DatabaseError
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
        """Close the database and the keys."""
        for part in self._opened[:2]:
            part.close()


def _file_of(place: Place) -> tuple[int, int] | None:
    """Return the identity of a file; None for a server, or if the file is missing."""
    found = place.stat() if isinstance(place, Path) and place.exists() else None
    return found and (found.st_dev, found.st_ino)


def checksum_of(path: Path) -> str:
    """Return the text that identifies the state of a database; empty if the file has no such text or cannot be read.

    Parameters
    ----------
    path : Path
    """
    address = f"{path.resolve().as_uri()}?mode=ro"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(address, uri=True, timeout=10)) as file:
        return str((file.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() or ("",))[0])
    return ""


def captures_of(database: Place, hashes: Iterable[str]) -> dict[str, list[Json]]:
    """Return, for each of some texts, the captures of the documents that at some time had this text.

    Parameters
    ----------
    database : Path or Server
    hashes : iterable of str
        SHA-256 of the texts.

    Returns
    -------
    dict
        SHA-256 -> captures of its documents, oldest first, as `captures_with` returns them; texts that the database does not
        have are left out.

    Raises
    ------
    DatabaseError
    """
    from riskanalytics.service import Store  # noqa: PLC0415
    from riskanalytics.service.store.evidence import captures_with  # noqa: PLC0415

    with contextlib.closing(Store(database)) as store:
        return {sha256: captures for sha256 in hashes if (captures := captures_with(store, sha256))}


@dataclass
class Held:
    """Data of one service, held in memory.

    Attributes
    ----------
    source : dict
        The settings that name the service.
    answers : dict
        Name and arguments of a function of `loading` or `history` -> its result, and (`day`, day) -> frames of all platforms;
        each with the problems of loading it.
    bodies : dict
        SHA-256 -> snapshot.
    """

    source: dict[str, str]
    answers: dict[tuple[object, ...], tuple[Any, list[Problem]]] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)


class HeldClient(Client):
    """A client that keeps its answers and does not request them again.

    Parameters
    ----------
    *arguments : object
        Arguments of `Client`.
    held : Held
    **named : object
    """

    def __init__(self, *arguments: Any, held: Held, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.held = held

    def snapshots(self, hashes: Sequence[str]) -> Iterator[tuple[str, bytes | ServiceError]]:
        """Yield several snapshots, as `Client.snapshots` does."""
        bodies = self.held.bodies
        for sha256, body in super().snapshots([sha256 for sha256 in hashes if sha256 not in bodies]):
            if isinstance(body, bytes):
                bodies[sha256] = body
            else:
                yield sha256, body
        yield from ((sha256, bodies[sha256]) for sha256 in hashes if sha256 in bodies)

    def known(self, key: tuple[object, ...], load: Callable[[], Any]) -> Any:
        """Return the value held under a key, loaded on first use. The problems of loading it are recorded again.

        A frame is returned as a copy, so that changes by one caller do not affect others.
        """
        if key not in self.held.answers:
            before = set(self.problems)
            value = load()
            self.held.answers[key] = value, [problem for problem in self.problems if problem not in before]
        known, problems = self.held.answers[key]
        for problem in problems:
            self.problems.add(problem.what, problem.where, problem.slug)
        return known.copy(deep=False) if isinstance(known, pd.DataFrame) else known


_HERE: Final[list[Held]] = []
"""Data held by this process, the newest last."""


def hold(held: Held) -> None:
    """Make the clients of this process, and of its forks, answer from held data."""
    _HERE.append(held)


def held_for(settings: Settings) -> Held | None:
    """Return the data that this process holds for the service of the settings."""
    return next((held for held in reversed(_HERE) if held.source == settings.environment()), None)


def held(load: Load) -> Load:
    """Decorate a function that loads data: with a `HeldClient`, it returns the data that the client holds."""

    @wraps(load)
    def loaded(client: Client, *arguments: Any, **named: Any) -> Any:
        if not isinstance(client, HeldClient):
            return load(client, *arguments, **named)
        return client.known((load.__name__, repr((arguments, named))), lambda: load(client, *arguments, **named))

    return cast("Load", loaded)
