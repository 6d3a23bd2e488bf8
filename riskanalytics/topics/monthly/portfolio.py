"""Portfolio: the reader's own list of platforms, as people keep it, and which of the tracked platforms it names."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.files import ABOVE, SEPARATORS, Cells, read_cells
from riskanalytics.frames import PLATFORMS_COLUMNS, is_missing, rows_of
from riskanalytics.models import VERIFICATIONS
from riskanalytics.pages.section import Section, of_data
from riskanalytics.pages.values import Fold, Listing
from riskanalytics.text.wording import plural
from riskanalytics.topics.coverage import coverage
from riskanalytics.topics.monthly.matching import Names, aliases, folded
from riskanalytics.topics.shape import Record, dtypes, items_of, records, schema, shaped, word_of

__all__ = ["PortfolioScope", "portfolio_coverage", "portfolio_scope", "tracked_platforms"]

KEYS: Final = ("slug", "name", "website")
"""Columns of a portfolio that name a platform, in the order in which they are tried."""
_HEADINGS: Final = {
    "slug": ("slug",),
    "website": ("website", "url", "domain", "homepage", "site", "host"),
    "name": (
        *("name", "platform", "tool", "product", "application", "app", "software", "service", "system", "solution"),
        *("vendor", "supplier", "provider", "manufacturer", "company"),
    ),
}
"""Column -> words of headings that mean it, the best first."""
_MEANING: Final = frozenset(word for words in _HEADINGS.values() for word in words)
_LONGEST: Final = 200
"""Characters of a cell."""
_FILLING: Final = frozenset({"name", "ai", "of", "the", "our", "web", "official"})
"""Words of headings that do not change which column is meant."""


def read_portfolio(path: str | Path) -> pd.DataFrame:
    r"""Read a portfolio, the reader's own list of platforms, from a CSV file or an Excel workbook (XLSX).

    Fields of a CSV stand between commas, semicolons, tabs or bars; the text is UTF-8, UTF-16 with its mark, or
    Windows-1252. Of a workbook, the first sheet that holds anything is read. Headings are taken in any case and in common
    words (`Tool`, `Product name`, `Vendor URL`); a list of names alone needs none. Where several columns name a
    platform, a product goes before its vendor. Empty rows are left out.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `website` str, missing where not given; one row each of the list, from 0. Values are cut to
        200 characters.

    Raises
    ------
    ParameterError
        One line: it is not there, empty, no table, names no platforms, or has more than 10 MB or 100,000 rows.
    MissingExtraError
        It is a workbook, and openpyxl is not installed.

    Examples
    --------
    >>> file = folder / "ours.csv"
    >>> _ = file.write_text("Tool;Owner\nChat GPT;Ann\nPerplexity;Bo\n")
    >>> ra.read_portfolio(file)["name"].tolist()
    ['Chat GPT', 'Perplexity']
    """
    path = Path(path)
    cells = [[" ".join(cell.split())[:_LONGEST] for cell in row] for row in read_cells(path, _width)]
    given = [row for row in given_rows(_headed(cells, path)) if any(row.values())]
    if not given:
        raise ParameterError(f"the portfolio {path} is empty: it names no platform")
    return pd.DataFrame([{key: row.get(key) or None for key in KEYS} for row in given], columns=list(KEYS), dtype="str")


def given_rows(portfolio: pd.DataFrame) -> list[dict[str, str]]:
    """Return what each row of a portfolio gives as slug, name and website, under whatever headings these stand.

    Raises
    ------
    ParameterError
        No heading means any of the three.
    """
    meant = [(str(place), *found) for place, head in enumerate(portfolio.columns) if (found := _meaning(str(head)))]
    if not meant:
        raise ParameterError("the portfolio has none of the columns slug, name, website; add one of them")
    meant.sort(key=lambda column: (KEYS.index(column[1]), column[2]))
    numbered = portfolio.set_axis([str(place) for place in range(portfolio.shape[1])], axis="columns")
    rows = []
    for cells in records(numbered, "portfolio_scope"):
        row: dict[str, str] = {}
        for place, key, _ in meant:
            row[key] = row.get(key) or word_of(cells[place]).strip()
        rows.append(row)
    return rows


def _meaning(heading: str) -> tuple[str, int] | None:
    """Return the column that a heading means, and its place among the headings that mean it; None where it means none."""
    words = {word.removesuffix("s") for word in re.findall(r"[^\W_]+", heading.casefold())}
    known = words - _FILLING
    for column, group in _HEADINGS.items():
        if meant := known.intersection(group):
            return (column, min(map(group.index, meant))) if known <= _MEANING else None
    return ("name", 0) if "name" in words and not known else None


def _width(rows: Cells) -> int:
    """Return how many columns rows have under headings; 1 where they are a table without, 0 where a list of lines."""
    place = _heading_row(rows)
    if place is not None:
        return len(rows[place])
    return int(bool(rows) and all(sum(map(bool, row)) > 1 for row in rows))


def _heading_row(rows: Cells) -> int | None:
    """Return the place of the headings: the first row, or one of several cells below titles of one cell each."""
    for place, row in enumerate(rows[:ABOVE]):
        filled = sum(map(bool, row))
        if any(map(_meaning, row)) and (place == 0 or filled > 1):
            return place
        if filled > 1:
            return None
    return None


def _headed(rows: Cells, path: Path) -> pd.DataFrame:
    """Return rows as a frame under their headings; those of one column without a heading are names."""
    place = _heading_row(rows)
    if place is None:
        filled = [[cell for cell in row if cell] for row in rows]
        if any(len(row) > 1 for row in filled):
            none = f"the portfolio {path} has none of the columns slug, name, website"
            raise ParameterError(f"{none}; add one of them in its first row")
        return pd.DataFrame({"name": [row[0].strip(f" {SEPARATORS}") for row in filled]})
    width = max(map(len, rows))
    padded = [row + [""] * (width - len(row)) for row in rows[place:]]
    return pd.DataFrame(padded[1:], columns=padded[0])


MATCH_COLUMNS: Final = schema("row:Int64 given slug name matched_by:str confidence:Float64")
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


_LISTED: Final = 50
_TOLD: Final = 20
"""Unmatched rows that the page tells machines, and the command the person who typed it."""


@of_data()
def portfolio_rows(matches: pd.DataFrame | None, unmatched: pd.DataFrame) -> Section:
    """List the rows of a portfolio that matched no tracked platform, and those that another name matched.

    Nothing is shown where each row has a platform's own slug, name or website.

    Parameters
    ----------
    matches, unmatched : pandas.DataFrame
        As `analysis.portfolio_scope` gives them; None without a portfolio.

    Examples
    --------
    >>> import pandas as pd
    >>> wanted = pd.DataFrame({"name": ["Orvewick Voice", "A name that nobody has"]})
    >>> scope = analysis.portfolio_scope(data.tracked, wanted)
    >>> sections.portfolio_rows(scope.matches, scope.unmatched).text
    '1 portfolio row matched no tracked platform'
    """
    if matches is None:
        return Section((), "no portfolio")
    lost = [f"{row['row']}, {row['given']}{suggestion(row['candidates'])}" for row in rows_of(unmatched)]
    others = matches[matches["matched_by"].isin(["spelling", "alias", "maker"])]
    taken = [
        f"{row['row']}, {row['given']}: {row['name']} ({row['slug']}, {row['matched_by']}, {row['confidence']:.2f})"
        for row in rows_of(others)
    ]
    said = f"{plural(len(lost), 'portfolio row')} matched no tracked platform"
    others_said = f"{plural(len(taken), 'portfolio row')} matched by another spelling or name"
    folds = ((said, lost, True), (others_said, taken, False))
    shown = [(title, Listing(tuple(lines[:_LISTED])), open_) for title, lines, open_ in folds if lines]
    parts = tuple(Fold(title, (listing,), "keep", open=open_) for title, listing, open_ in shown)
    if not lost:
        return Section(parts, f"{plural(len(matches), 'row')} matched")
    return Section(parts, said, {"unmatched": {"said": said, "first": "\n".join(lost[:_TOLD])}})
