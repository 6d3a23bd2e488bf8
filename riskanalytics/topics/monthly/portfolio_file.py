"""A portfolio as people keep it: a list of platforms in a CSV file or an Excel workbook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.cells import ABOVE, SEPARATORS, Cells, read_cells
from riskanalytics.errors import ParameterError
from riskanalytics.topics.shape import records, word_of

__all__ = ["KEYS", "given_rows", "read_portfolio"]

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
            raise ParameterError(
                f"the portfolio {path} has none of the columns slug, name, website; add one of them in its first row"
            )
        return pd.DataFrame({"name": [row[0].strip(f" {SEPARATORS}") for row in filled]})
    width = max(map(len, rows))
    padded = [row + [""] * (width - len(row)) for row in rows[place:]]
    return pd.DataFrame(padded[1:], columns=padded[0])
