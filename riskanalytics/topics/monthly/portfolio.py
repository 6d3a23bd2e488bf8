"""Portfolio: which of the tracked platforms stand on the reader's own list."""

from __future__ import annotations

from datetime import date
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics.errors import IncompleteReportError
from riskanalytics.frames import PLATFORMS_COLUMNS, is_missing
from riskanalytics.models import VERIFICATIONS
from riskanalytics.topics.coverage.analysis import coverage
from riskanalytics.topics.monthly.matching import Names, aliases, folded
from riskanalytics.topics.monthly.portfolio_file import KEYS, given_rows
from riskanalytics.topics.shape import Record, dtypes, items_of, records, shaped, word_of
from riskanalytics.wording import plural

__all__ = ["PortfolioScope", "portfolio_coverage", "portfolio_scope", "tracked_platforms"]

MATCH_COLUMNS: Final = {
    "row": "Int64", "given": "str", "slug": "str", "name": "str", "matched_by": "str", "confidence": "Float64"
}  # fmt: skip
TRACKED_COLUMNS: Final = {**dtypes(PLATFORMS_COLUMNS, "slug", "rating", "name", "website"), "aliases": "str"}
_SUGGESTED: Final = 3


class PortfolioScope(NamedTuple):
    """The platforms of a portfolio, and how its rows were matched."""

    platforms: pd.DataFrame
    """Rows of the platforms frame that the portfolio names, in their order, columns unchanged."""
    matches: pd.DataFrame
    """`row` Int64 (from 1), `given`, `slug`, `name`, `matched_by` str, `confidence` Float64."""
    unmatched: pd.DataFrame
    """The same columns (from `slug` on missing) for the rows that name no platform for certain, and `candidates`
    object: at most three mappings of `slug`, `name`, `confidence`, the likeliest first."""


def portfolio_scope(platforms: pd.DataFrame, portfolio: pd.DataFrame, *, require_match: bool = True) -> PortfolioScope:
    """Find the tracked platforms that a portfolio, the reader's own list, names.

    A row is matched where it names one platform for certain. What it may name besides is offered, never taken.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `slug`, `name`, `website`.
    portfolio : pandas.DataFrame
        As `read_portfolio` gives it, or any frame with a column `slug`, `name` or `website` (or a common word for it, in
        any case); others are ignored.
    require_match : bool
        Whether a portfolio that names no tracked platform is an error.

    Returns
    -------
    PortfolioScope
        `matched_by` tells how, `confidence` how sure that is: `slug`, `name`, `website` (1.0: the same but for case,
        diacritics and space; of a website, its host and path, or its host where the platform has all of it; only
        where the row gives no slug or name), `spelling` (0.95: the same but for punctuation, the article, a legal
        form such as Inc., an ending such as .com), `alias` (0.9: another or a former name of the product) and `maker`
        (0.8: the vendor who is known for this product). Candidates are alike, or share a word or a vendor; all have less
        than 0.8. A row that names several platforms equally well is not matched.

    Raises
    ------
    ParameterError
        None of the columns is there.
    IncompleteReportError
        No row names a tracked platform, and a match is required; the first candidates are told.

    Examples
    --------
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"name": ["Orvewick-Voice Ltd.", "Orvewik", "Nobody Chat"]})
    >>> scope = analysis.portfolio_scope(data.platforms, wanted)
    >>> scope.matches[["given", "slug", "matched_by", "confidence"]]
                     given            slug matched_by  confidence
    0  Orvewick-Voice Ltd.  orvewick-voice   spelling        0.95
    >>> scope.unmatched["given"].tolist()
    ['Orvewik', 'Nobody Chat']
    """
    tracked = records(platforms, "portfolio_scope", *KEYS)
    names, titles = Names(tracked), {row["slug"]: row["name"] for row in tracked}
    given = [(place, row) for place, row in enumerate(given_rows(portfolio), 1) if any(row.values())]
    found, lost = [], []
    for place, row in given:
        head = {"row": place, "given": next(filter(None, row.values()))}
        hits = names.certain(row)
        if len(hits) == 1:
            found.append(head | {"name": titles[hits[0].slug]} | hits[0]._asdict())
        else:
            near = names.candidates(row)
            offered = [{"slug": hit.slug, "name": titles[hit.slug], "confidence": hit.confidence} for hit in near]
            lost.append(head | {"candidates": offered})
    if not found and require_match:
        told = "; ".join(map(_did_you_mean, [line for line in lost if line["candidates"]][:_SUGGESTED]))
        raise IncompleteReportError(
            f"the portfolio names no tracked platform in its {plural(len(given), 'row')}; "
            f"{told or 'check its columns slug, name and website'}"
        )
    scope = platforms[platforms["slug"].isin([match["slug"] for match in found])].reset_index(drop=True)
    return PortfolioScope(scope, shaped(found, MATCH_COLUMNS), shaped(lost, {**MATCH_COLUMNS, "candidates": "object"}))


def tracked_platforms(platforms: pd.DataFrame, words: str = "") -> pd.DataFrame:
    """List what is tracked, with the other names under which it is known.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `slug`, `name`, `website`, `rating`.
    words : str
        Only platforms that have these words, one after the other, in their slug, name, website or another name; case
        and diacritics do not matter.

    Returns
    -------
    pandas.DataFrame
        `slug` str, `rating` category, `name`, `website`, `aliases` str (other and former names of the product, and
        addresses of its own, between commas), as `platforms` is ordered.

    Examples
    --------
    >>> analysis.tracked_platforms(data.platforms, "Orvewick V")[["slug", "rating", "name"]]
                 slug rating            name
    0  orvewick-voice   HIGH  Orvewick Voice
    """
    rows = records(platforms, "tracked_platforms", *KEYS, "rating")
    for row in rows:
        row["aliases"] = ", ".join(aliases(word_of(row["slug"]), word_of(row["name"])))
    asked, told = folded(words), ("slug", "name", "website", "aliases")
    return shaped((row for row in rows if any(asked in folded(word_of(row[key])) for key in told)), TRACKED_COLUMNS)


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


def _did_you_mean(line: Record) -> str:
    """Return what a row gives, and what it may mean."""
    return f"row {line['row']}, {str(line['given'])!r}{suggestion(line['candidates'])}"


def suggestion(candidates: object) -> str:
    """Return the candidates of an unmatched row as a question; empty where there is none.

    Parameters
    ----------
    candidates : object
        Of a row of `PortfolioScope.unmatched`.
    """
    offered = [f"{one['name']} ({one['slug']}, {one['confidence']:.2f})" for one in items_of(candidates)]
    return f": did you mean {' or '.join(offered)}?" if offered else ""
