"""The service of a database for clients in this process, and what of it was loaded before.

The reports of a batch share what was loaded for all: a client that holds such data answers from them, and asks its service
for all else, which is opened and imported when it is first asked. So the process that kernels are forked from holds them
for all of its kernels, without a connection of its own.
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
    """An ASGI application without limits, for clients that have the rights of who holds the file.

    It answers from the file that it opened: where another one took its place, it refuses, so that what one client loads is
    never of two databases.

    Parameters
    ----------
    place : Path or Server
        The database.

    Attributes
    ----------
    key : str
        What a client may show; any other does as well, as nobody else can ask.
    """

    def __init__(self, place: Place) -> None:
        self.place, self.key, self._file = place, token_hex(16), _file_of(place)
        self._opened: tuple[Any, ...] = ()

    def opened(self) -> tuple[Any, ...]:
        """Open the database, where it is not, and return it with its keys and its application.

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
        """Answer one request; refuse it where the file was replaced."""
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
    """Return what distinguishes a file from another one of its name; None of a server, or if it is missing."""
    found = place.stat() if isinstance(place, Path) and place.exists() else None
    return found and (found.st_dev, found.st_ino)


def checksum_of(path: Path) -> str:
    """Return the word that names the state of a database; empty where an older version wrote it.

    Parameters
    ----------
    path : Path
    """
    address = f"{path.resolve().as_uri()}?mode=ro"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(address, uri=True, timeout=10)) as file:
        return str((file.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() or ("",))[0])
    return ""


def captures_of(database: Place, hashes: Iterable[str]) -> dict[str, list[Json]]:
    """Return the history of the documents that some texts are of.

    Parameters
    ----------
    database : Path or Server
    hashes : iterable of str
        SHA-256 of the texts.

    Returns
    -------
    dict
        SHA-256 -> captures of its documents, the oldest first, as `captures_with` gives them; texts that the database does
        not have are left out.

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
    """Data of one service.

    Attributes
    ----------
    source : dict
        The settings that name the service.
    answers : dict
        What functions of `loading` and `history` gave, by name and arguments, and frames of all platforms, by day; each
        with what of it could not be read.
    bodies : dict
        SHA-256 -> snapshot.
    """

    source: dict[str, str]
    answers: dict[tuple[object, ...], tuple[Any, list[Problem]]] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)


class HeldClient(Client):
    """A client that keeps what it was answered, and does not ask for it again.

    Parameters
    ----------
    *arguments : object
        As `Client` takes them.
    held : Held
    **named : object
    """

    def __init__(self, *arguments: Any, held: Held, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.held = held

    def snapshots(self, hashes: Sequence[str]) -> Iterator[tuple[str, bytes | ServiceError]]:
        """Give several snapshots, as `Client.snapshots` does."""
        bodies = self.held.bodies
        for sha256, body in super().snapshots([sha256 for sha256 in hashes if sha256 not in bodies]):
            if isinstance(body, bytes):
                bodies[sha256] = body
            else:
                yield sha256, body
        yield from ((sha256, bodies[sha256]) for sha256 in hashes if sha256 in bodies)

    def known(self, key: tuple[object, ...], load: Callable[[], Any]) -> Any:
        """Return what is held under a key, loaded where it is not; what of it could not be read is noted again.

        Changes of a reader do not reach others.
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
"""What this process holds; the newest last."""


def hold(held: Held) -> None:
    """Have the clients of this process, and of its forks, answer from data."""
    _HERE.append(held)


def held_for(settings: Settings) -> Held | None:
    """Return the data that this process holds of the service which settings name."""
    return next((held for held in reversed(_HERE) if held.source == settings.environment()), None)


def held(load: Load) -> Load:
    """Have a function that loads something not ask for what its client holds."""

    @wraps(load)
    def loaded(client: Client, *arguments: Any, **named: Any) -> Any:
        if not isinstance(client, HeldClient):
            return load(client, *arguments, **named)
        return client.known((load.__name__, repr((arguments, named))), lambda: load(client, *arguments, **named))

    return cast("Load", loaded)
