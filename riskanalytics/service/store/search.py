"""Search in a database: clauses by their words, platforms by their names."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import Final

from rapidfuzz import fuzz

from riskanalytics.service.store.evidence import LIVE_COLUMNS, LIVE_JOINS, live_record
from riskanalytics.service.store.fulltext import matches
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json, Row
from riskanalytics.text.wording import spellings

MOST_CHARACTERS: Final = 500
"""Of a query."""
_MOST_TOKENS: Final = 24
_TOKEN: Final = re.compile(r"\w+")
_ALIKE: Final = 75.0
_FOUND: Final = (
    f"SELECT {LIVE_COLUMNS} FROM hit JOIN live_finding l ON l.rowid = hit.place {LIVE_JOINS} "
    "ORDER BY hit.score, hit.place"
)


def search_clauses(store: Store, query: str, *, surface: str | None, limit: int, offset: int) -> tuple[int, list[Json]]:
    """Search the findings of all platforms' newest states.

    Parameters
    ----------
    store : Store
    query : str
        Free words; a clause must hold all of them, in any order, in British or American spelling. Words of
        scripts without spaces are found as phrases. Nothing in it is an operator.
    surface : str, optional
        Only findings of this surface.
    limit, offset : int

    Returns
    -------
    tuple of int and list of dict
        Number of matches, and one page of findings, best first, each with `platform`, `name` and
        `highlighted`: the quote with `[[` and `]]` around what matched.
    """
    words = _TOKEN.findall(query)[:_MOST_TOKENS]
    if not words:
        return 0, []
    spelled = [(word, *spellings(word)[1:]) for word in words]
    with store.reading() as connection:
        hits = matches(connection, spelled, surface)
    total = int(store.value("SELECT count(*) " + hits.source, **hits.values))
    # ranked before anything is joined: a common word has thousands of hits, a page fifty
    ranked = (
        f"SELECT live_search.rowid AS place, {hits.score} AS score {hits.source} "
        "ORDER BY score, place LIMIT :limit OFFSET :offset"
    )
    found = f"WITH hit AS MATERIALIZED ({ranked}) {_FOUND}"
    rows = store.rows(found, **hits.values, limit=limit, offset=offset)
    return total, [_found(row, list(chain(*spelled))) for row in rows]


def _found(row: Row, words: list[str]) -> Json:
    """Return one match as the wire shows it."""
    finding = live_record(row)
    return {**finding, "highlighted": _highlighted(finding["quote"], words)}


def _highlighted(quote: str, words: list[str]) -> str:
    """Return the quote with marks around the words asked for, by their stems' beginnings."""
    stems = sorted({re.escape(word[: max(3, len(word) - 3)]) for word in words}, key=len, reverse=True)
    pattern = re.compile(
        r"(?<!\w)(?:" + "|".join(stems) + r")\w{0,20}" if quote.isascii() else "|".join(stems), re.IGNORECASE
    )
    return pattern.sub(lambda match: f"[[{match[0]}]]", quote)


def search_names(store: Store, query: str, *, limit: int, offset: int) -> tuple[int, list[Json]]:
    """Search platforms by name; typos and diacritics are tolerated.

    Parameters
    ----------
    store : Store
    query : str
    limit, offset : int

    Returns
    -------
    tuple of int and list of dict
        Number of matches, and one page of list records, best first: whole names before beginnings before
        parts before names that are alike.
    """
    wanted = _folded(query)
    if not wanted:
        return 0, []
    ranked = sorted(
        (-score, slug) for slug, name in store.names() if (score := _score(wanted, _folded(name), slug)) >= _ALIKE
    )
    records = {record["id"]: record for record in store.platforms(limit=1_000_000)}
    matches = [records[slug] for _, slug in ranked if slug in records]
    return len(matches), matches[offset : offset + limit]


def _score(wanted: str, name: str, slug: str) -> float:
    """Return how well a name matches, 0 to 400."""
    if wanted in (name, slug):
        return 400.0
    if name.startswith(wanted):
        return 300.0
    if wanted in name or wanted in slug:
        return 200.0
    if len(wanted) <= 2:
        return 0.0
    return max(fuzz.ratio(wanted, part) for part in (name, *name.split()))


def _folded(text: str) -> str:
    """Return a name without case, diacritics and marks."""
    decomposed = unicodedata.normalize("NFKD", text[:MOST_CHARACTERS]).casefold()
    kept = (character for character in decomposed if not unicodedata.combining(character))
    return " ".join(_TOKEN.findall("".join(kept)))
