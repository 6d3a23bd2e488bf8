"""Full-text search of clauses, and search of platforms by name.

Words of clauses are indexed by their Porter stems without diacritics, in SQLite FTS5 or PostgreSQL text search.
Characters of scripts without spaces are indexed one by one and found as phrases. SQLite's FTS5 splits texts into
words for both databases, so both find the same clauses. SQLite ranks by BM25, PostgreSQL by the share of a clause that matches.
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final

from rapidfuzz import fuzz
from sqlalchemy import Connection

from riskanalytics.text.wording import spellings

from .engine import run_each
from .evidence import LIVE, live_record
from .read import Store
from .records import Json, bare

MOST_CHARACTERS: Final = 500
"""Maximum number of characters in a query."""
UNSPACED: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Ranges for a character class of a pattern: Kana, Han with extension A, and Hangul."""
_CHARACTER: Final = re.compile(f"([{UNSPACED}])")
WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 500
"""Maximum length of a word in PostgreSQL; longer words are replaced by their hash."""
_FTS5: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS live_search USING fts5 "
    '(words, tokenize = "porter unicode61 remove_diacritics 2")'
)
_SERVER: Final = (
    "CREATE TABLE IF NOT EXISTS live_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
    "CREATE INDEX IF NOT EXISTS live_search_words ON live_search USING gin (words)",
)
# ranks before joining, because a common word has thousands of hits and a page has fifty
_PAGE: Final = (
    "WITH hit AS MATERIALIZED (SELECT live_search.rowid AS place, {score} AS score {source} "
    f"ORDER BY score, place LIMIT :limit OFFSET :offset) {LIVE}JOIN hit ON hit.place = l.rowid "
    "ORDER BY hit.score, hit.place"
)


def make_index(db: Connection) -> None:
    """Create the full-text index if it is missing; a transaction must be open."""
    for statement in (_FTS5,) if db.dialect.name == "sqlite" else _SERVER:
        db.exec_driver_sql(statement)


def add_words(db: Connection, quotes: Mapping[str, str]) -> None:
    """Add the words of findings to the full-text index.

    Parameters
    ----------
    db : Connection
        Connection with an open transaction.
    quotes : mapping of str to str
        Public identifier of a finding -> its quote. Findings that are not in the table `live_finding`, which
        holds the findings of each platform's newest state, are skipped.
    """
    words, cut = (":words", _spaced) if db.dialect.name == "sqlite" else ("CAST(:words AS tsvector)", _vector)
    run_each(
        db, f"INSERT INTO live_search (rowid, words) SELECT rowid, {words} FROM live_finding WHERE id = :id",
        [{"words": cut(quote), "id": public} for public, quote in quotes.items()],
    )  # fmt: skip


def search_clauses(store: Store, query: str, *, surface: str | None, limit: int, offset: int) -> tuple[int, list[Json]]:
    """Search the findings of the newest state of all platforms.

    Parameters
    ----------
    store : Store
    query : str
        Words; a clause must contain all of them, in any order, in British or American spelling. Words in
        scripts without spaces, such as Chinese, match as sequences of characters. There are no operators.
    surface : str, optional
        Surface of the findings. If None, all surfaces.
    limit, offset : int
        Maximum number of findings on the page, and number of findings to skip.

    Returns
    -------
    tuple of int and list of dict
        Number of matches, and one page of findings, best first, each with `platform`, `name` and `highlighted`: the
        quote with `[[` and `]]` around matches.
    """
    words = WORD.findall(query)[:24]
    if not words:
        return 0, []
    spelled = [(word, *spellings(word)[1:]) for word in words]
    condition, score, values = (_in_file if isinstance(store.place, Path) else _on_server)(spelled)
    source = f"FROM live_search WHERE {condition}"
    if surface is not None:
        source += " AND +rowid IN (SELECT rowid FROM live_finding WHERE surface = :surface)"
        values["surface"] = surface
    total = int(store.value("SELECT count(*) " + source, **values))
    rows = store.rows(_PAGE.format(score=score, source=source), **values, limit=limit, offset=offset)
    return total, [live_record(row) | {"highlighted": _highlighted(row["quote"], spelled)} for row in rows]


def _in_file(spelled: Sequence[Sequence[str]]) -> tuple[str, str, dict[str, str]]:
    """Return the SQLite condition, score and parameters to find words, each in any of its spellings."""
    phrases = (" OR ".join(f'"{_spaced(form)}"' for form in forms) for forms in spelled)
    return "live_search MATCH :wanted", "rank", {"wanted": " AND ".join(f"({forms})" for forms in phrases)}


def _on_server(spelled: Sequence[Sequence[str]]) -> tuple[str, str, dict[str, str]]:
    """Return the PostgreSQL condition, score and parameters to find words, each in any of its spellings."""
    parts = [" | ".join(filter(None, map(_followed, forms))) for forms in spelled]
    # for matches of all words, ranking by any word gives the same rank without comparing distances
    wanted, any_ = (sign.join(f"({part})" for part in parts if part) for sign in (" & ", " | "))
    score = "-ts_rank(live_search.words, CAST(:any AS tsquery), 2)"
    return "words @@ CAST(:wanted AS tsquery)", score, {"wanted": wanted, "any": any_}


def _spaced(text: str) -> str:
    """Put spaces around characters of unspaced scripts, so that words of any length are found as phrases."""
    return _CHARACTER.sub(r" \1 ", text)


def _vector(text: str) -> str:
    """Return the words of a text with their positions, as a PostgreSQL tsvector."""
    return " ".join(f"'{word}':{place}" for place, word in enumerate(_words(text), 1))


def _followed(text: str) -> str:
    """Return the words of a text as a PostgreSQL phrase query."""
    return " <-> ".join(f"'{word}'" for word in _words(text))


def _words(text: str) -> list[str]:
    """Return the stems that SQLite indexes for a text; they contain only letters and digits."""
    # FTS5 exposes its tokenizer only through an index
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute(_FTS5)
        index.execute("CREATE VIRTUAL TABLE cut USING fts5vocab (live_search, instance)")
        index.execute("INSERT INTO live_search (words) VALUES (?)", (_spaced(text),))
        words = [word for (word,) in index.execute("SELECT term FROM cut ORDER BY offset")]
    return [word if len(word) <= _LONGEST else sha256(word.encode()).hexdigest() for word in words]


def _highlighted(quote: str, spelled: Sequence[Sequence[str]]) -> str:
    """Return a quote with marks around words that begin like a word of the query."""
    words = {re.escape(word[: max(3, len(word) - 3)]) for forms in spelled for word in forms}
    stems = sorted(words, key=len, reverse=True)
    pattern = r"(?<!\w)(?:" + "|".join(stems) + r")\w{0,20}" if quote.isascii() else "|".join(stems)
    return re.sub(pattern, lambda match: f"[[{match[0]}]]", quote, flags=re.IGNORECASE)


def search_names(store: Store, query: str, *, limit: int, offset: int) -> tuple[int, list[Json]]:
    """Search platforms by name, tolerating typos and diacritics.

    Parameters
    ----------
    store : Store
    query : str
        Name, or a part of one.
    limit, offset : int
        Maximum number of platforms on the page, and number of platforms to skip.

    Returns
    -------
    tuple of int and list of dict
        Number of matches, and one page of platforms as `Store.platforms` returns them. The best come first: names equal to
        the query, then names that begin with it, names that contain it, and similar names.
    """
    wanted = _folded(query)
    rows = store.platforms(limit=1_000_000) if wanted else []
    scored = sorted((-_score(wanted, _folded(row["name"]), row["id"]), row["id"], row) for row in rows)
    matches = [row for score, _, row in scored if score <= -75]
    return len(matches), matches[offset : offset + limit]


def _score(wanted: str, name: str, slug: str) -> float:
    """Return the score of a name from 0 to 400."""
    if wanted in (name, slug):
        return 400
    if name.startswith(wanted):
        return 300
    if wanted in name or wanted in slug:
        return 200
    return max(fuzz.ratio(wanted, part) for part in (name, *name.split())) if len(wanted) > 2 else 0


def _folded(text: str) -> str:
    """Return a name without case, diacritics and punctuation."""
    return " ".join(WORD.findall(bare(text)))
