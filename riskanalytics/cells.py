"""The cells of a table that a person keeps: a CSV file, or a workbook."""

from __future__ import annotations

import csv
import io
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import MissingExtraError, ParameterError

ABOVE: Final = 10
"""Rows in which the headings are looked for: titles may stand above them."""
SEPARATORS: Final = "\t;,|"
_MOST_ROWS: Final = 100_000
_MOST_BYTES: Final = 10_000_000
_MOST_UNPACKED: Final = 100_000_000
_MOST_COLUMNS: Final = 100
_LAST_ROW: Final = 1_048_576
"""Rows of a sheet in Excel."""
_LAST_COLUMN: Final = 16_384
"""Columns of a sheet in Excel."""
_LONGEST: Final = 200
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")

Cells = list[list[str]]


def read_cells(path: Path, width: Callable[[Cells], int], what: str = "portfolio", *, whole: bool = False) -> Cells:
    """Return the rows of a CSV file, or of the first sheet of a workbook that holds anything, without empty ones.

    Parameters
    ----------
    path : Path
    width : callable
        Takes the first rows as they are under one separator, and gives how well they fit: the best is taken.
    what : str
        What errors call the file.
    whole : bool
        Whether cells are taken as they stand, in all columns; else they are put on one line each and cut to 200
        characters, in 100 columns.

    Returns
    -------
    list of list of str

    Raises
    ------
    ParameterError, MissingExtraError
        As `read_portfolio` does.
    """
    content = _content(path, what)
    try:
        if content.startswith(b"PK\x03\x04"):
            return _sheet(content, whole=whole)
        return _separated(_decoded(content), width, whole=whole)
    except ParameterError as error:
        raise ParameterError(f"the {what} {path} {error}") from error.__cause__


def _content(path: Path, what: str) -> bytes:
    """Return what stands in a file; refuse what is none, or is too large."""
    if not path.exists():
        raise ParameterError(f"there is no {what} {path}")
    if not path.is_file():
        raise ParameterError(f"the {what} {path} is no file")
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ParameterError(f"the {what} {path} cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise ParameterError(f"the {what} {path} is larger than {_MOST_BYTES // 1_000_000} MB")
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


def _separated(text: str, width: Callable[[Cells], int], *, whole: bool) -> Cells:
    """Return the rows of a CSV, by the separator under which they fit best."""
    text = re.sub(r"\Asep=.\r?\n", "", text)

    def rows(separator: str, most: int | None = None) -> Iterator[list[str]]:
        return islice(filter(any, csv.reader(io.StringIO(text, newline=""), delimiter=separator)), most)

    try:
        best = max(SEPARATORS, key=lambda separator: width(_kept(rows(separator, ABOVE), whole=whole)))
        return _kept(rows(best), whole=whole)
    except csv.Error as error:
        raise ParameterError(f"is no CSV: {error}") from error


def _sheet(content: bytes, *, whole: bool) -> Cells:
    """Return the rows of the first sheet of a workbook that holds anything."""
    try:
        openpyxl = import_module("openpyxl")  # longer to import than a report without a workbook should wait for
    except ImportError:
        raise MissingExtraError('Excel files need openpyxl: pip install "riskanalytics[excel]"') from None
    try:
        _check_unpacked(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and forms that are not read here
            book, formulas = (
                openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=values)
                for values in (True, False)
            )
            for sheet, written in zip(book.worksheets, formulas.worksheets, strict=True):
                most = _LAST_COLUMN if whole else _MOST_COLUMNS
                _check_formulas(sheet, written, most)
                if cells := _kept(sheet.iter_rows(max_row=_LAST_ROW, max_col=most, values_only=True), whole=whole):
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


def _check_formulas(sheet: Any, formulas: Any, most: int) -> None:
    """Refuse a formula whose value the workbook does not hold, as programs write it that do not compute: it reads as blank."""
    rows = formulas.iter_rows(max_row=_LAST_ROW, max_col=most, values_only=True)
    found = {
        (number, column)
        for number, row in enumerate(rows, 1)
        if any(row)
        for column, value in enumerate(row, 1)
        if (value.__class__ is not str and value.__class__.__name__.endswith("Formula")) or str(value).startswith("=")
    }
    if not found:
        return
    last, widest = (max(place[side] for place in found) for side in (0, 1))
    for number, row in enumerate(sheet.iter_rows(max_row=last, max_col=widest), 1):
        for column, cell in enumerate(row, 1):
            blank = cell.value is None and cell.data_type == "n"  # "s" where the formula gave an empty text
            if blank and (number, column) in found:
                raise ParameterError(
                    f"holds a formula without its value in row {number}: save it with Excel, or as CSV"
                )


def _kept(rows: Iterable[Sequence[object]], *, whole: bool) -> Cells:
    """Return the rows in which anything stands; refuse too many."""
    clean = map(_whole if whole else _shortened, rows)
    kept = list(islice((row for row in clean if any(row)), _MOST_ROWS + 2))
    if len(kept) > _MOST_ROWS + 1:  # one of them is of headings
        raise ParameterError(f"has more than {_MOST_ROWS:,} rows")
    return kept


def _shortened(row: Sequence[object]) -> list[str]:
    """Return a row's cells on one line each, none too long."""
    return [" ".join(_word(cell).split())[:_LONGEST] for cell in row[:_MOST_COLUMNS]] if any(row) else []


def _whole(row: Sequence[object]) -> list[str]:
    """Return a row's cells as they stand, up to the last that is not blank."""
    cells = [_word(cell) for cell in row]
    return cells[: max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)]


def _word(cell: object) -> str:
    """Return what stands in a cell; a day without its midnight."""
    if isinstance(cell, datetime) and not (cell.hour or cell.minute or cell.second or cell.microsecond):
        return f"{cell:%Y-%m-%d}"
    return "" if cell is None else str(cell)
