"""A portfolio as people keep it: a list of platforms in a CSV file or an Excel workbook."""

from __future__ import annotations

import csv
import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.errors import MissingExtraError, ParameterError
from riskanalytics.topics.shape import records, word_of

try:
    import openpyxl
except ImportError:  # the extra "excel" is not installed: said when a workbook is read
    openpyxl = None

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
_FILLING: Final = frozenset({"name", "ai", "of", "the", "our", "web", "official"})
"""Words of headings that do not change which column is meant."""
_MOST_ROWS: Final = 100_000
_MOST_BYTES: Final = 10_000_000
_MOST_UNPACKED: Final = 100_000_000
_MOST_COLUMNS: Final = 100
_LAST_ROW: Final = 1_048_576
"""Rows of a sheet in Excel."""
_LONGEST: Final = 200
_ABOVE: Final = 10
"""Rows in which the headings are looked for: titles may stand above them."""
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_SEPARATORS: Final = "\t;,|"

Cells = list[list[str]]


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
    content = _content(path)
    try:
        cells = _sheet(content) if content.startswith(b"PK\x03\x04") else _separated(_decoded(content))
    except ParameterError as error:
        raise ParameterError(f"the portfolio {path} {error}") from error.__cause__
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


def _content(path: Path) -> bytes:
    """Return what stands in a file; refuse what is none, or is too large."""
    if not path.exists():
        raise ParameterError(f"there is no portfolio {path}")
    if not path.is_file():
        raise ParameterError(f"the portfolio {path} is no file")
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ParameterError(f"the portfolio {path} cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise ParameterError(f"the portfolio {path} is larger than {_MOST_BYTES // 1_000_000} MB")
    return content


def _decoded(content: bytes) -> str:
    """Return the text of a CSV."""
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise ParameterError("is an old or locked Excel file: save it as XLSX without a password, or as CSV")
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ["utf-16"] if marked else ["utf-8-sig", "cp1252"]:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not _CONTROL.search(text):
            return text
    raise ParameterError("is no table of text: give a CSV or an XLSX file")


def _separated(text: str) -> Cells:
    """Return the rows of a CSV, by the separator with which most columns have a heading."""
    text = re.sub(r"\Asep=.\r?\n", "", text)

    def rows(separator: str, most: int | None = None) -> Iterator[list[str]]:
        return islice(filter(any, csv.reader(io.StringIO(text, newline=""), delimiter=separator)), most)

    try:
        best = max(_SEPARATORS, key=lambda separator: _width(_kept(rows(separator, _ABOVE))))
        return _kept(rows(best))
    except csv.Error as error:
        raise ParameterError(f"is no CSV: {error}") from error


def _width(rows: Cells) -> int:
    """Return how many columns rows have under headings; 1 where they are a table without, 0 where a list of lines."""
    place = _heading_row(rows)
    if place is not None:
        return len(rows[place])
    return int(bool(rows) and all(sum(map(bool, row)) > 1 for row in rows))


def _sheet(content: bytes) -> Cells:
    """Return the rows of the first sheet of a workbook that holds anything."""
    if openpyxl is None:
        raise MissingExtraError('Excel files need openpyxl: pip install "riskanalytics[excel]"')
    try:
        _check_unpacked(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and forms that are not read here
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            for sheet in book.worksheets:
                rows = sheet.iter_rows(max_row=_LAST_ROW, max_col=_MOST_COLUMNS, values_only=True)
                if cells := _kept(rows):
                    return cells
    except ParameterError:
        raise
    except Exception as error:  # a damaged workbook fails anywhere in openpyxl, with any error
        raise ParameterError("is no workbook that can be read: save it as XLSX or CSV") from error
    return []


def _check_unpacked(content: bytes) -> None:
    """Refuse a workbook that would fill the memory; no part of it gives more than it declares."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        if sum(part.file_size for part in parts.infolist()) > _MOST_UNPACKED:
            raise ParameterError(f"holds more than {_MOST_UNPACKED // 1_000_000} MB when unpacked")


def _kept(rows: Iterable[Sequence[object]]) -> Cells:
    """Return the rows in which anything stands, each cell on one line; refuse too many."""
    clean = ([" ".join(word_of(cell).split())[:_LONGEST] for cell in row[:_MOST_COLUMNS]] for row in rows if any(row))
    kept = list(islice((row for row in clean if any(row)), _MOST_ROWS + 2))
    if len(kept) > _MOST_ROWS + 1:  # one of them is of headings
        raise ParameterError(f"has more than {_MOST_ROWS:,} rows")
    return kept


def _heading_row(rows: Cells) -> int | None:
    """Return the place of the headings: the first row, or one of several cells below titles of one cell each."""
    for place, row in enumerate(rows[:_ABOVE]):
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
        return pd.DataFrame({"name": [row[0].strip(f" {_SEPARATORS}") for row in filled]})
    width = max(map(len, rows))
    padded = [row + [""] * (width - len(row)) for row in rows[place:]]
    return pd.DataFrame(padded[1:], columns=padded[0])
