"""What the rooms of the service ask of a database, whichever keeps it.

A connection to SQLite gives it as it is, one to PostgreSQL through `server`. All statements are written so that both
understand them: `?` and `:name` for values, `ON CONFLICT`, `RETURNING`, no word of one of them alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

Values = Sequence[Any] | Mapping[str, Any]
"""What a statement is given: by place, or by name."""


class NamedRow(Protocol):
    """A row whose columns are had by place and by name."""

    def keys(self) -> Iterable[str]:
        """Return the names of the columns."""

    def __getitem__(self, column: Any, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...


class Cursor(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """Rows that it wrote."""

    def fetchone(self) -> Any:
        """Return the next row; None where there is none."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return so many of the next rows, or those that are left."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection that begins transactions by a statement only."""

    @property
    def in_transaction(self) -> bool:
        """Whether one is open."""

    def execute(self, sql: str, values: Values = ..., /) -> Cursor:
        """Run one statement."""

    def executemany(self, sql: str, values: Iterable[Values], /) -> Cursor:
        """Run one writing statement for each of some values."""

    def close(self) -> None:
        """Close it; what is open in it is taken back."""
