"""Connections to a PostgreSQL server that understand the statements of all rooms.

Values stand in statements as `?` or `:name` and are handed to the server apart. PostgreSQL keeps no U+0000 in a text:
such a character is written as two others and read back as it was, so that what policies say is told to the letter.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import selectors
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from riskanalytics.databases import Server
from riskanalytics.errors import DatabaseError, MissingExtraError, one_line
from riskanalytics.service.store.connections import NoneLeftError
from riskanalytics.service.store.seam import Cursor, Values

if TYPE_CHECKING:
    import psycopg

SCHEMA: Final = "riskanalytics"
"""Where our tables stand in a database, unless its address says otherwise (`?options=-csearch_path%3DNAME`)."""
_MISSING: Final = 'a PostgreSQL database needs psycopg: pip install "riskanalytics[postgres]"'
_ALWAYS: Final = {"search_path": SCHEMA, "jit": "off", "lock_timeout": "10s"}
READING: Final = {"default_transaction_read_only": "on", "statement_timeout": "20s"}
"""Settings of a connection that only reads."""
_SIGNS: Final = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|\?|(?<![:\w]):([a-z_]+)|%""")
_TEXT: Final = 25
"""Number of PostgreSQL's type for text."""
_Selector: Final = getattr(selectors, "PollSelector", selectors.SelectSelector)
"""One that costs no descriptor of its own; `select` takes none above 1,023."""
_NUL, _MARK = "\0", "\x1a"
_NONE_LEFT: Final = re.compile("FATAL: .*(?:too many (?:clients|connections)|connection slots are reserved)")
"""What PostgreSQL says with SQLSTATE 53300; of a connection that was not made its words are all that is told."""
_TOLD: Final = {
    "55P03": "another process is writing {}: wait until it has ended",
    "57014": "{} took too long to answer",
    "42P01": "{} holds no tables of riskanalytics: ingest a collection into it first",
}
"""What a person is told, by SQLSTATE."""


class Row(dict[str, Any]):
    """A row whose columns are had by place and by name; as of SQLite's, its values are what is iterated over."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values())

    def __missing__(self, place: int) -> Any:
        return tuple(self.values())[place]


class ServerConnection:
    """A connection to a server that begins transactions by a statement only.

    Parameters
    ----------
    server : Server
    connection : psycopg.Connection
    """

    def __init__(self, server: Server, connection: psycopg.Connection[Row]) -> None:
        self._server = server
        self._connection = connection

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.info.transaction_status.name in ("ACTIVE", "INTRANS", "INERROR")

    @property
    def lasting(self) -> bool:
        """Whether it may be used again."""
        return not self._connection.closed

    @property
    def alive(self) -> bool:
        """Whether it has not ended while idle: what a server says that nobody asked is, as a rule, that it ends."""
        with _Selector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            return not selector.select(0)

    def replace(self, other: ServerConnection) -> None:
        """Go on with another connection, which is not used by itself any more, and as patiently as before."""
        before: Any = self._connection
        other._connection.patience = before.patience  # type: ignore[attr-defined]
        before.close()
        self._connection = other._connection

    def execute(self, sql: str, values: Values = (), /) -> Cursor:
        """Run one statement, or several without values in one round trip: the last one's rows are returned.

        Raises
        ------
        DatabaseError
        """
        with self._errors():
            cursor = self._connection.execute(translated(sql).encode(), _kept(values))
            while cursor.nextset():
                pass
            return cursor

    def executemany(self, sql: str, values: Iterable[Values], /) -> Cursor:
        """Run one writing statement for each of some values.

        Raises
        ------
        DatabaseError
        """
        with self._errors():
            cursor = self._connection.cursor()
            cursor.executemany(translated(sql).encode(), [_kept(each) for each in values])
            return cursor

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Give each statement of a block less time to be answered."""
        raw: Any = self._connection
        usual, raw.patience = raw.patience, seconds
        try:
            yield
        finally:
            raw.patience = usual

    def together(self, *asked: tuple[str, Values]) -> list[Cursor]:
        """Run statements in one round trip.

        Raises
        ------
        DatabaseError
        """
        with self._errors(), self._connection.pipeline():
            return [self._connection.execute(translated(sql).encode(), _kept(values)) for sql, values in asked]

    def close(self) -> None:
        """Close it; what is open in it is taken back."""
        self._connection.close()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Tell in one line what the server refused."""
        try:
            yield
        except _driver().Error as error:
            told = _TOLD.get(error.sqlstate or "", "{} cannot be used: ")
            reason = "" if error.sqlstate in _TOLD else error.diag.message_primary or one_line(error)
            raise DatabaseError(told.format(self._server) + reason) from error


def opened(server: Server, patience: float | None = None, **settings: str) -> ServerConnection:
    """Open a connection.

    Parameters
    ----------
    server : Server
    patience : float, optional
        Seconds in which each statement must be answered, or the connection is given up: a server that stands still
        ends no statement itself.
    **settings : str
        Of the server, for this connection.

    Raises
    ------
    NoneLeftError
        If all connections that it admits are in use.
    DatabaseError
        One line: the server cannot be reached, or refuses.
    MissingExtraError
        If psycopg is not installed.
    """
    driver = _driver()
    try:
        scheme, rest = server.address.split(":", 1)
        told = driver.conninfo.conninfo_to_dict(f"{scheme.lower()}:{rest}")
        options = " ".join(f"-c {name}={value}" for name, value in (_ALWAYS | settings).items())
        told["options"] = f"{options} {told.get('options') or os.environ.get('PGOPTIONS', '')}".strip()
        told = {
            "connect_timeout": str(int(min(10, patience or 10))),
            "tcp_user_timeout": "30000",
            "application_name": "riskanalytics",
        } | told
        raw = _in_time().connect(**(told | {"client_encoding": "UTF8"}), autocommit=True, row_factory=_rows)
    except driver.ProgrammingError:
        raise DatabaseError(
            f"the address of {server} holds what PostgreSQL cannot read: see its options and signs"
        ) from None
    except driver.Error as error:
        kind = NoneLeftError if _NONE_LEFT.search(str(error)) else DatabaseError
        raise kind(f"{server} cannot be reached: {one_line(error)}") from None
    raw.patience = patience
    return ServerConnection(server, raw)


@functools.cache
def _in_time() -> Any:
    """Return the kind of psycopg's connections that give themselves up where an answer takes too long."""
    driver = _driver()

    class InTime(driver.Connection):  # type: ignore[misc,name-defined]
        patience: float | None = None

        def wait(self, asked: Any, *rest: Any, **more: Any) -> Any:
            patience = self.patience
            return super().wait(asked if patience is None else self._answered(asked, patience), *rest, **more)

        def _answered(self, asked: Any, patience: float) -> Generator[Any, Any, Any]:
            deadline = time.monotonic() + patience
            try:
                wanted = next(asked)
                while True:
                    ready = yield wanted
                    if not ready and time.monotonic() > deadline:
                        self.close()
                        raise driver.OperationalError(f"no answer in {patience:g} seconds")
                    wanted = asked.send(ready)
            except StopIteration as ended:
                return ended.value

    return InTime


def _driver() -> Any:
    """Return psycopg."""
    try:
        return importlib.import_module("psycopg")  # an extra, and slow to load for all who need it not
    except ImportError as error:
        raise MissingExtraError(_MISSING) from error


@functools.lru_cache(512)
def translated(sql: str) -> str:
    """Return a statement with the places of its values as psycopg takes them.

    Parameters
    ----------
    sql : str
    """

    def place(found: re.Match[str]) -> str:
        if found[1]:
            return f"%({found[1]})s"
        return "%s" if found[0] == "?" else found[0].replace("%", "%%")

    return _SIGNS.sub(place, sql)


def _kept(values: Values) -> Any:
    """Return values as the server keeps them."""
    if isinstance(values, Mapping):
        return {name: _written(value) for name, value in values.items()}
    return [_written(value) for value in values]


def _written(value: Any) -> Any:
    """Return a value without U+0000."""
    if value.__class__ is str and (_NUL in value or _MARK in value):
        return value.replace(_MARK, f"{_MARK}1").replace(_NUL, f"{_MARK}0")
    return value


def _read(value: Any) -> Any:
    """Return a value as it was before `_written`."""
    if value is not None and _MARK in value:
        return value.replace(f"{_MARK}0", _NUL).replace(f"{_MARK}1", _MARK)
    return value


def _rows(cursor: Any) -> Callable[[Sequence[Any]], Row]:
    """Return what makes rows of what a statement gave."""
    result = cursor.pgresult
    names = [result.fname(number).decode() for number in range(result.nfields if result else 0)]
    if len(set(names)) < len(names):  # as two counts have; they are had by place
        names = [f"{name} {place}" for place, name in enumerate(names)]
    texts = [number for number in range(len(names)) if result.ftype(number) == _TEXT]

    def made(values: Sequence[Any]) -> Row:
        for number in texts:
            text = values[number]
            if text is not None and _MARK in text:
                values = [_read(value) if place in texts else value for place, value in enumerate(values)]
                break
        return Row(zip(names, values))  # noqa: B905

    return made
