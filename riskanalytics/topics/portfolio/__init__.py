"""The tracked platforms that a portfolio names: an organisation's table of the platforms it uses."""

from __future__ import annotations

from datetime import date
from typing import Any, Final, NamedTuple

import pandas as pd

from riskanalytics.errors import IncompleteReportError
from riskanalytics.frames import rows_of
from riskanalytics.models import VERIFICATIONS
from riskanalytics.text.wording import plural

from ..coverage import coverage as covered
from ..shape import schema, shaped
from .names import Names
from .reading import attributes_of, given_rows

__all__ = ["PortfolioScope", "portfolio_coverage", "portfolio_scope"]

MATCH_COLUMNS: Final = schema("row:Int64 given slug name matched_by:str confidence:Float64")


class PortfolioScope(NamedTuple):
    """The tracked platforms that a portfolio names, and how the rows of the portfolio were matched with them.

    Three frames. `platforms` has the rows of these platforms. `matches` has the rows of the portfolio that name a platform for
    certain: its `slug`, how the row was matched (`matched_by`, such as `name` or `website`), and the `confidence`, from 0 to 1.
    `unmatched` has the other rows of the portfolio, each with up to three platforms that it may mean (`candidates`).
    """

    platforms: pd.DataFrame
    """Rows of the platforms frame that the portfolio names, in the order of that frame, with the same columns."""
    matches: pd.DataFrame
    """Rows with a certain match: `row` Int64 (from 1), `given`, `slug`, `name`, `matched_by` str, `confidence` Float64."""
    unmatched: pd.DataFrame
    """Rows without a certain match: the columns of `matches` (`slug` to `confidence` are missing) and `candidates` object,
    at most three mappings of `slug`, `name`, `matched_by`, `confidence`, the likeliest first."""
    uses: pd.DataFrame
    """One row for each row of `matches`: `row`, `slug`, and the portfolio's `owner`, `data_class`, `plan` and `region`, if any."""


def portfolio_scope(platforms: pd.DataFrame, portfolio: pd.DataFrame) -> PortfolioScope:
    """Find the tracked platforms that a portfolio names.

    A row is matched only if it names exactly one platform for certain. For any other row, possible platforms are listed as
    candidates.

    Parameters
    ----------
    platforms : pandas.DataFrame
        The tracked platforms, with `slug`, `name`, `website`.
    portfolio : pandas.DataFrame
        Result of `read_portfolio`, or any frame with a column `slug`, `name` or `website` (or a common synonym, in any
        case). Other columns are ignored.

    Returns
    -------
    PortfolioScope
        The frames `platforms`, `matches` and `unmatched`. In `matches`, `matched_by` says how the row of the portfolio was
        matched, and `confidence` how certainly:
        `slug`, `name` or `website` (1.0): equal, apart from case, diacritics and spaces;
        `spelling` (0.95): equal, apart from punctuation, an article, a legal form such as Inc., or an ending such as .com;
        `alias` (0.9): another or a former name of the product;
        `maker` (0.8): the name of a vendor that is known for this product.
        A website is used only if the row has neither slug nor name. It matches by host and path, or by host alone if the
        platform owns the whole host. Candidates have a similar name, or share a word or a vendor; their confidence is below
        0.8. A row that names several platforms equally well is not matched.

    Raises
    ------
    ParameterError
        If the portfolio has no column for slugs, names or websites.
    IncompleteReportError
        If no row names a tracked platform; the message lists the first candidates.

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
    names = Names(rows_of(platforms))
    found, lost = [], []
    for place, row in enumerate(rows_of(given_rows(portfolio).fillna("")), 1):
        if not any(row.values()):
            continue
        line, hits = {"row": place, "given": next(filter(None, row.values()))}, names.certain(row)
        if len(hits) == 1:
            found.append(line | hits[0]._asdict())
        else:
            lost.append(line | {"candidates": [near._asdict() for near in names.candidates(row)]})
    if not found:
        meant = [
            f"row {row['row']}, {row['given']!r}{suggestion(row['candidates'])}" for row in lost if row["candidates"]
        ]
        said = f"the portfolio names no tracked platform in its {plural(len(lost), 'row')}"
        raise IncompleteReportError(f"{said}; {'; '.join(meant[:3]) or 'check its columns slug, name and website'}")
    scope = platforms[platforms["slug"].isin([match["slug"] for match in found])].reset_index(drop=True)
    matches = shaped(found, MATCH_COLUMNS)
    own = attributes_of(portfolio).iloc[(matches["row"] - 1).tolist()]
    uses = pd.concat([matches[["row", "slug"]], own.reset_index(drop=True)], axis=1)
    return PortfolioScope(scope, matches, shaped(lost, {**MATCH_COLUMNS, "candidates": "object"}), uses)


def suggestion(candidates: list[dict[str, Any]]) -> str:
    """Return a question such as `: did you mean Orvewick Voice (orvewick-voice, 0.75)?`, to append to an error message.

    It names the platforms that a row of a portfolio may mean: `candidates`, dicts with `name`, `slug` and `confidence`. Without
    candidates it is empty.
    """
    offered = [f"{one['name']} ({one['slug']}, {one['confidence']:.2f})" for one in candidates]
    return f": did you mean {' or '.join(offered)}?" if offered else ""


def portfolio_coverage(platforms: pd.DataFrame, as_of: date) -> pd.DataFrame:
    """Count the platforms of a portfolio by state of verification, one row for each state.

    Parameters
    ----------
    platforms : pandas.DataFrame
        Platforms of the portfolio, with their state of verification in the column `verification`.
    as_of : date
        Day of the data.

    Returns
    -------
    pandas.DataFrame
        The columns of the result of `analysis.coverage`: `as_of`, `state`, `platforms` (in this state), `tracked` (here all
        platforms of the portfolio), `share`, `consistent`. All numbers are missing if the state of any platform is missing.

    Examples
    --------
    >>> some = data.of(["alfisen-music", "orvewick-voice"])
    >>> analysis.portfolio_coverage(some.platforms, data.day)[["state", "platforms", "tracked"]].head(2)
          state  platforms  tracked
    0  verified          2        2
    1   partial          0        2
    """
    states = platforms["verification"]
    counts = {one: None if states.isna().any() else (states == one).sum() for one in VERIFICATIONS}
    return covered(pd.DataFrame([{"as_of": as_of.isoformat(), "tracked": len(platforms), **counts}]))
