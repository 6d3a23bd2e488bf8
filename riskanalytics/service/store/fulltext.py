"""The full-text index over the findings of the newest states: FTS5 of SQLite, text search of PostgreSQL.

Words are kept by their stems (Porter's), without diacritics; the characters of scripts without spaces stand apart, and are
found as phrases. FTS5 cuts the words for both, so both find the same. SQLite orders by BM25, PostgreSQL by how much of a
clause its words are.
"""

from __future__ import annotations

import functools
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from riskanalytics.databases import Place
from riskanalytics.service.store.scripts import spaced
from riskanalytics.service.store.seam import Connection
from riskanalytics.service.store.tables import statements


class Matches(NamedTuple):
    """Parts of a statement that finds rows of `live_search`.

    Parameters
    ----------
    source : str
        `FROM` and `WHERE`.
    values : tuple
        Of `source`.
    score : str
        Column by which they are ordered, the best first.
    score_values : tuple
        Of `score`.
    """

    source: str
    values: tuple[Any, ...]
    score: str
    score_values: tuple[Any, ...] = ()


_ON_SURFACE: Final = "JOIN live_finding l ON l.rowid = live_search.rowid "
_LONGEST: Final = 500
"""Characters of a word that PostgreSQL keeps; a longer one is kept by its hash."""


def matches(place: Place, spelled: Sequence[Sequence[str]], surface: str | None) -> Matches:
    """Return what finds the clauses that hold all of some words.

    Parameters
    ----------
    place : Path or Server
    spelled : sequence of sequence of str
        Each word in its spellings, of which one must stand there.
    surface : str or None
        Only findings of this surface.
    """
    if not isinstance(place, Path):
        return _on_server(spelled, surface)
    match = " AND ".join(f"({' OR '.join(map(_phrase, forms))})" for forms in spelled)
    if surface is None:
        return Matches("FROM live_search WHERE live_search MATCH ?", (match,), "rank")
    return Matches(
        f"FROM live_search CROSS {_ON_SURFACE}WHERE live_search MATCH ? AND l.surface = ?", (match, surface), "rank"
    )


def add_words(connection: Connection, quotes: Mapping[str, str]) -> None:
    """Put the words of findings into the index.

    Parameters
    ----------
    connection : Connection
        With a transaction open.
    quotes : mapping of str to str
        Public identifier of a row of `live_finding` -> its quote.
    """
    file = isinstance(connection, sqlite3.Connection)
    words, cut = ("?", spaced) if file else ("?::tsvector", _vector)
    connection.executemany(
        f"INSERT INTO live_search (rowid, words) SELECT rowid, {words} FROM live_finding WHERE id = ?",
        [(cut(quote), public) for public, quote in quotes.items()],
    )


def _on_server(spelled: Sequence[Sequence[str]], surface: str | None) -> Matches:
    """Do what `matches` does on a server. A rank by any of the words is that of all, and does not ask how near they stand."""
    forms = tuple(_followed(form) for form in chain(*spelled))
    wanted = " && ".join(f"({' || '.join(['?::tsquery'] * len(each))})" for each in spelled)
    score = f"-ts_rank(live_search.words, {' || '.join(['?::tsquery'] * len(forms))}, 2)"
    source = f"FROM live_search WHERE words @@ ({wanted})"
    if surface is None:
        return Matches(source, forms, score, forms)
    source = source.replace("WHERE", f"{_ON_SURFACE}WHERE") + " AND l.surface = ?"
    return Matches(source, (*forms, surface), score, forms)


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
        (made,) = (one for one in statements("schema.sql") if "CREATE VIRTUAL TABLE live_search" in one)
        self._index.execute(made)
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
