"""The full-text index over the findings of the newest states: FTS5 of SQLite, text search of PostgreSQL.

Words are kept by their stems (Porter's), without diacritics; the characters of scripts without spaces stand apart, and are
found as phrases. FTS5 cuts the words for both, so both find the same. SQLite orders by BM25, PostgreSQL by how much of a
clause its words are.
"""

from __future__ import annotations

import functools
import re
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from sqlalchemy import Connection

from riskanalytics.service.store.engine import run_each


class Matches(NamedTuple):
    """Parts of a statement that finds rows of `live_search`.

    Parameters
    ----------
    source : str
        `FROM` and `WHERE`.
    score : str
        Column by which they are ordered, the best first.
    values : dict
        Of both.
    """

    source: str
    score: str
    values: dict[str, str]


UNSPACED: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Kana, Han with its extension A, and Hangul, as ranges inside a character class."""
_CHARACTER: Final = re.compile(f"([{UNSPACED}])")
_FILE: Final = (
    'CREATE VIRTUAL TABLE IF NOT EXISTS live_search USING fts5 (words, tokenize = "porter unicode61 remove_diacritics 2")',
)
_SERVER: Final = (
    "CREATE TABLE IF NOT EXISTS live_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
    "CREATE INDEX IF NOT EXISTS live_search_words ON live_search USING gin (words)",
)
_JOINED: Final = (
    "FROM live_search CROSS JOIN live_finding l WHERE l.rowid = live_search.rowid AND l.surface = :surface AND "
)
_LONGEST: Final = 500
"""Characters of a word that PostgreSQL keeps; a longer one is kept by its hash."""


def make_index(connection: Connection) -> None:
    """Make the index where it is missing.

    Parameters
    ----------
    connection : Connection
        With a transaction that writes.
    """
    for statement in _FILE if _is_file(connection) else _SERVER:
        connection.exec_driver_sql(statement)


def matches(connection: Connection, spelled: Sequence[Sequence[str]], surface: str | None) -> Matches:
    """Return what finds the clauses that hold all of some words.

    Parameters
    ----------
    connection : Connection
    spelled : sequence of sequence of str
        Each word in its spellings, of which one must be there.
    surface : str or None
        Only findings of this surface.
    """
    source = "FROM live_search WHERE " if surface is None else _JOINED
    named = {} if surface is None else {"surface": surface}
    if _is_file(connection):
        wanted = " AND ".join(f"({' OR '.join(map(_phrase, forms))})" for forms in spelled)
        return Matches(f"{source}live_search MATCH :wanted", "rank", named | {"wanted": wanted})
    parts = [" | ".join(filter(None, map(_followed, forms))) for forms in spelled]
    # a rank by any of the words is that of all, and does not ask how near they are
    wanted, any_ = (sign.join(f"({part})" for part in parts if part) for sign in (" & ", " | "))
    score = "-ts_rank(live_search.words, CAST(:any AS tsquery), 2)"
    return Matches(f"{source}words @@ CAST(:wanted AS tsquery)", score, named | {"wanted": wanted, "any": any_})


def add_words(connection: Connection, quotes: Mapping[str, str]) -> None:
    """Put the words of findings into the index.

    Parameters
    ----------
    connection : Connection
        With a transaction open.
    quotes : mapping of str to str
        Public identifier of a row of `live_finding` -> its quote.
    """
    words, cut = (":words", spaced) if _is_file(connection) else ("CAST(:words AS tsvector)", _vector)
    run_each(
        connection, f"INSERT INTO live_search (rowid, words) SELECT rowid, {words} FROM live_finding WHERE id = :id",
        [{"words": cut(quote), "id": public} for public, quote in quotes.items()],
    )  # fmt: skip


def _is_file(connection: Connection) -> bool:
    """Say whether SQLite has the database."""
    return connection.dialect.name == "sqlite"


def _vector(text: str) -> str:
    """Return the words of a text and their places, as PostgreSQL keeps them."""
    return " ".join(f"'{word}':{place}" for place, word in enumerate(_words(text), 1))


def _followed(text: str) -> str:
    """Return the words of a text as PostgreSQL looks for them, one after the other."""
    return " <-> ".join(f"'{word}'" for word in _words(text))


def _words(text: str) -> list[str]:
    """Return the words that SQLite would keep of a text, by their stems; only letters and digits stand in them."""
    return [word if len(word) <= _LONGEST else sha256(word.encode()).hexdigest() for word in _cutter().cut(text)]


class _Cutter:
    """Cuts texts as FTS5 does, by an index in memory: there is no other way to ask it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._index = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._index.execute(*_FILE)
        self._index.execute("CREATE VIRTUAL TABLE cut USING fts5vocab (live_search, instance)")

    def cut(self, text: str) -> list[str]:
        """Return the words of a text, in their order."""
        with self._turn:
            self._index.execute("BEGIN")
            try:
                self._index.execute("INSERT INTO live_search (words) VALUES (?)", (spaced(text),))
                return [word for (word,) in self._index.execute("SELECT term FROM cut ORDER BY offset")]
            finally:
                self._index.execute("ROLLBACK")


_cutter: Final = functools.cache(_Cutter)


def _phrase(word: str) -> str:
    """Return a word as FTS5 looks for it."""
    return '"' + " ".join(spaced(word).split()).replace('"', '""') + '"'


def spaced(text: str) -> str:
    """Set the characters of scripts without spaces apart, so that words of any length are found as phrases.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return _CHARACTER.sub(r" \1 ", text)
