"""Portfolio: which of the tracked platforms stand on the reader's own list."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ReportError
from riskanalytics.models import VERIFICATIONS
from riskanalytics.pages.rows import Rows
from riskanalytics.topics.coverage.analysis import coverage
from riskanalytics.topics.shape import is_missing, records, shaped, word_of

__all__ = ["PortfolioScope", "portfolio_coverage", "portfolio_scope"]

MATCH_COLUMNS: Final = {"row": "Int64", "given": "str", "slug": "str", "name": "str", "matched_by": "str"}
KEYS: Final = ("slug", "name", "website")
"""Columns of a portfolio that name a platform, in the order in which they are tried."""


class PortfolioScope(NamedTuple):
    """The platforms of a portfolio, and how its rows were matched."""

    platforms: pd.DataFrame
    """Rows of the platforms frame that the portfolio names, in their order, columns unchanged."""
    matches: pd.DataFrame
    """`row` Int64 (from 1), `given`, `slug`, `name`, `matched_by` str (`slug`, `name`, `website`)."""
    unmatched: pd.DataFrame
    """The same columns for the rows that name no tracked platform (slug and name missing)."""


def portfolio_scope(platforms: pd.DataFrame, portfolio: pd.DataFrame, *, require_match: bool = True) -> PortfolioScope:
    """Find the tracked platforms that a portfolio, the reader's own list, names.

    A row is matched by its slug, else its name, else the host of its website; letter case, diacritics,
    `www.` and surrounding space do not matter. A spelling that is exactly that of one platform wins;
    where several remain, all of them are in scope.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `slug`, `name`, `website`.
    portfolio : pandas.DataFrame
        At least one of the columns `slug`, `name`, `website` (in any case); others are ignored.
    require_match : bool
        Whether a portfolio that names no tracked platform is an error.

    Returns
    -------
    PortfolioScope

    Raises
    ------
    ReportError
        None of the three columns is there.
    IncompleteReportError
        No row names a tracked platform, and a match is required.

    Examples
    --------
    >>> import pandas as pd
    >>> scope = analysis.portfolio_scope(data.platforms, pd.DataFrame({"name": [" orvewick VOICE", "Nobody Chat"]}))
    >>> scope.matches[["given", "slug", "matched_by"]]
                given            slug matched_by
    0  orvewick VOICE  orvewick-voice       name
    >>> scope.unmatched["given"].tolist()
    ['Nobody Chat']
    """
    columns = {str(column).strip().casefold(): column for column in reversed(list(portfolio.columns))}
    keys: list[str] = [key for key in KEYS if key in columns]
    if not keys:
        raise ReportError("the portfolio has none of the columns slug, name, website; add one of them")
    rows = [
        {key: word_of(row[str(columns[key])]).strip() for key in keys} for row in records(portfolio, "portfolio_scope")
    ]
    index = _index(records(platforms, "portfolio_scope", *KEYS))
    given = [(place, row) for place, row in enumerate(rows, 1) if any(row.values())]
    matches = [match for place, row in given for match in _match(place, row, index)]
    found = [match for match in matches if match["matched_by"]]
    if not found and require_match:
        raise IncompleteReportError(
            f"none of the {len(given)} platform(s) of the portfolio is tracked here; "
            "check its columns slug, name and website"
        )
    wanted = {match["slug"] for match in found}
    scope = platforms[platforms["slug"].isin(wanted)].reset_index(drop=True)
    lost = [match for match in matches if not match["matched_by"]]
    return PortfolioScope(scope, shaped(found, MATCH_COLUMNS), shaped(lost, MATCH_COLUMNS))


def portfolio_coverage(platforms: pd.DataFrame, as_of: date) -> pd.DataFrame:
    """Give the number of platforms of a portfolio in each state of verification, one row per state.

    Parameters
    ----------
    platforms : pandas.DataFrame
        Those of the portfolio: `verification`.
    as_of : date

    Returns
    -------
    pandas.DataFrame
        As `coverage` gives it, `tracked` being the platforms of the portfolio; the numbers are missing where a platform
        tells no state.

    Examples
    --------
    >>> some = data.of(["alfisen-music", "orvewick-voice"])
    >>> analysis.portfolio_coverage(some.platforms, data.day)[["state", "platforms", "tracked"]].head(2)
          state  platforms  tracked
    0  verified          2        2
    1   partial          0        2
    """
    states = [row["verification"] for row in records(platforms, "portfolio_coverage", "verification")]
    told = not any(map(is_missing, states))
    counts = {state: states.count(state) if told else None for state in VERIFICATIONS}
    return coverage(pd.DataFrame([{"as_of": as_of.isoformat(), "tracked": len(platforms), **counts}]))


_Index = dict[tuple[str, str, str], Rows]


def _index(platforms: Rows) -> _Index:
    """Return platforms by the spellings under which a portfolio may name them, exact and folded."""
    index: _Index = {}
    for platform in platforms:
        for key in KEYS:
            text = word_of(platform[key])
            index.setdefault((key, "exact", text), []).append(platform)
            index.setdefault((key, "folded", _folded(key, text)), []).append(platform)
    return index


def _match(place: int, row: dict[str, str], index: _Index) -> Rows:
    """Return the platforms that one row of a portfolio names; a single match without a platform where it names none."""
    head = {"row": place, "given": next(text for text in row.values() if text)}
    for key, text in row.items():
        for how, spelling in (("exact", text), ("folded", _folded(key, text))):
            hits = index.get((key, how, spelling), []) if spelling else []
            if hits:
                return [head | {"slug": hit["slug"], "name": hit["name"], "matched_by": key} for hit in hits]
    return [head | {"matched_by": ""}]


def _folded(key: str, text: str) -> str:
    """Return a spelling without what does not matter: case, diacritics and space, of a website all but its host."""
    if key == "website":
        return _host(text)
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return re.sub(r"\s+", " ", bare).strip().casefold()


def _host(address: str) -> str:
    """Return the host of an address; empty where it has none."""
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
    return host.casefold().removeprefix("www.").rstrip(".")
