"""Read a portfolio, an organisation's table of the platforms it uses, from a file."""

import re
from itertools import zip_longest
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.errors import ParameterError
from riskanalytics.files import ABOVE, SEPARATORS, Cells, read_cells

from ..shape import word_of
from .names import KEYS, WORD, folded

_HEADINGS: Final = {
    "slug": "slug",
    "website": "website url domain homepage site host",
    "name": "name platform tool product application app software service system solution vendor supplier provider "
    "manufacturer company",
}
"""Column -> words in headings that mean it, the best first."""
ATTRIBUTES: Final = {
    "owner": "owner responsible contact",
    "data_class": "dataclass classification confidentiality sensitivity",
    "plan": "plan tier edition licence license subscription",
    "region": "region country location jurisdiction",
}
"""Further column of a portfolio -> words in headings that mean it; `data class` means `data_class`, too."""
_MEANT: Final = [(word, key) for key, words in _HEADINGS.items() for word in words.split()]
_MEANING: Final = {word: (rank, key) for rank, (word, key) in enumerate(_MEANT)}
_LONGEST: Final = 200
"""Maximum number of characters of a cell."""
_FILLING: Final = frozenset({"name", "ai", "of", "the", "our", "web", "official"})
"""Words of headings that do not change the meaning."""


def read_portfolio(path: str | Path) -> pd.DataFrame:
    r"""Read a portfolio, a list of platforms, from a CSV file or an Excel workbook (XLSX).

    Fields of a CSV file are separated by commas, semicolons, tabs or vertical bars; its encoding is UTF-8, UTF-16 with a byte
    order mark, or Windows-1252. Of a workbook, the first sheet that is not empty is read. Headings may be in any case, and may
    be common synonyms (`Tool`, `Product name`, `Vendor URL`); a list of names needs no heading. If several columns name a
    platform, a product name is preferred to the name of its vendor. Empty rows are skipped.

    Parameters
    ----------
    path : str or Path
        The CSV file or workbook.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `website` str, missing if not given; then those of `owner`, `data_class`, `plan` and `region` str that
        the list has a column for. One row for each row of the list, numbered from 0. Values are cut to 200 characters.

    Raises
    ------
    ParameterError
        If the file is missing, empty, not a table or without platforms, or has more than 10 MB or 100,000 rows.
    MissingExtraError
        If the file is a workbook and openpyxl is not installed.

    Examples
    --------
    >>> file = folder / "ours.csv"
    >>> _ = file.write_text("Tool;Owner\nChat GPT;Ann\nPerplexity;Bo\n")
    >>> ra.read_portfolio(file)["name"].tolist()
    ['Chat GPT', 'Perplexity']
    """
    path = Path(path)
    cells = [[" ".join(cell.split())[:_LONGEST] for cell in row] for row in read_cells(path, _width)]
    headed = _headed(cells)
    given = given_rows(headed, f"the portfolio {path}").dropna(how="all")
    if given.empty:
        raise ParameterError(f"the portfolio {path} names no platform: give each row a slug, name or website")
    return given.join(attributes_of(headed)).reset_index(drop=True)


def attributes_of(portfolio: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a portfolio that say how a platform is used: of `ATTRIBUTES`, those that it has, as text."""
    found: dict[str, list[str | None]] = {}
    for at, head in enumerate(portfolio):
        words = {
            word.removesuffix("s") for word in WORD.findall(re.sub(r"\bdata.class\b", "dataclass", folded(str(head))))
        }
        name = next(
            (name for name, meant in ATTRIBUTES.items() if words & {word.removesuffix("s") for word in meant.split()}),
            "",
        )
        if name and name not in found:
            found[name] = [word_of(row[at]).strip() or None for row in portfolio.itertuples(index=False, name=None)]
    return pd.DataFrame({name: found[name] for name in ATTRIBUTES if name in found}, portfolio.index, dtype="str")


def given_rows(portfolio: pd.DataFrame, called: str = "the portfolio") -> pd.DataFrame:
    """Return a frame with the columns `slug`, `name` and `website`, one row for each row of a portfolio.

    The headings of the portfolio may be synonyms of these names. A value that the portfolio does not give is missing.

    Raises
    ------
    ParameterError
        If no heading means slug, name or website. The message refers to the portfolio by the words in `called`.
    """
    heads = sorted((meant, at) for at, head in enumerate(portfolio) if (meant := _meaning(str(head))))
    if not heads:
        raise ParameterError(f"{called} has none of the columns slug, name, website; add one of them")
    places = [[at for (_, own), at in heads if own == key] for key in KEYS]
    cells = portfolio.itertuples(index=False, name=None)
    rows = [[next(filter(None, (word_of(row[at]).strip() for at in own)), None) for own in places] for row in cells]
    return pd.DataFrame(rows, portfolio.index, list(KEYS), dtype="str")


def _meaning(heading: str) -> tuple[int, str] | None:
    """Return the column that a heading names, and its rank among headings of this column; None for other headings."""
    words = {word.removesuffix("s") for word in WORD.findall(heading.casefold())}
    meant = {_MEANING.get(word, (0, "")) for word in words - _FILLING or words & {"name"}}
    return min(meant, default=None) if (0, "") not in meant else None


def _width(rows: Cells) -> int:
    """Return the number of columns below headings: 1 for a table without headings, 0 for a list of lines."""
    place = _heading_row(rows)
    if place is not None:
        return len(rows[place])
    return int(bool(rows) and all(sum(map(bool, row)) > 1 for row in rows))


def _heading_row(rows: Cells) -> int | None:
    """Return the index of the headings: the first row, or a row of several cells below titles of one cell each."""
    wide = next((place for place, row in enumerate(rows[:ABOVE]) if sum(map(bool, row)) > 1), 0)
    return next((place for place in (0, wide) if rows and any(map(_meaning, rows[place]))), None)


def _headed(rows: Cells) -> pd.DataFrame:
    """Return rows as a frame with their headings; a single column without a heading contains names."""
    place = _heading_row(rows)
    filled = [[cell for cell in row if cell] for row in rows]
    if place is None and all(len(row) == 1 for row in filled):
        return pd.DataFrame({"name": [row[0].strip(f" {SEPARATORS}") for row in filled]})
    head, *body = zip(*zip_longest(*rows[place:], fillvalue=""), strict=True)
    return pd.DataFrame(body, columns=list(head))
