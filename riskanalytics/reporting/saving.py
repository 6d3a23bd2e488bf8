"""Save frames as files that are safe to open in spreadsheets: CSV, Excel, Parquet."""

import io
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from math import isinf
from os import PathLike
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.files import reported_as, write_file
from riskanalytics.frames import is_missing
from riskanalytics.frames.building import as_parquet, plain_frame
from riskanalytics.settings import optional_module
from riskanalytics.text.untrusted import FORMULA, inert

_UNHELD: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that are not allowed in XML, the format of workbooks."""
_CELL: Final = 32_767
_CUT: Final = " … (cut: a cell of Excel holds 32,767 characters)"
_ROWS: Final = 1_048_576


def save(frame: pd.DataFrame, path: str | PathLike[str]) -> Path:
    """Save a frame as CSV, Excel or Parquet, by the extension of the file.

    The file is written completely or not at all. Lists and mappings are saved as JSON text. A text that begins like a formula
    (`=`, `+`, `-`, `@`) stays text: with an apostrophe in CSV, in a text cell in Excel. Excel has no time zones: its times are
    in UTC, and the heading of their column ends in "(UTC)".

    Parameters
    ----------
    frame : pandas.DataFrame
        Any frame; an index other than the row numbers is saved as columns.
    path : path
        Ends in `.csv`, `.xlsx` (needs openpyxl: `pip install "riskanalytics[excel]"`) or `.parquet` (needs pyarrow).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ParameterError
        If the extension is unknown, the argument is not a frame, or the format cannot hold the rows or values.
    MissingExtraError
        If the required library is not installed.
    ReportError
        If the file cannot be written; the previous file is kept.

    Examples
    --------
    >>> import pandas as pd
    >>> saved = ra.save(data.platforms, folder / "platforms.csv")
    >>> saved.name, len(pd.read_csv(saved))
    ('platforms.csv', 320)
    """
    place = Path(path).expanduser()
    write = _FORMS.get(place.suffix.casefold())
    if write is None:
        raise ParameterError(f"a frame is saved as {', '.join(_FORMS)}, not as {place.name[:80]!r}: rename the file")
    if not isinstance(frame, pd.DataFrame):
        raise ParameterError(f"only a DataFrame can be saved, not a {type(frame).__name__}")
    with reported_as(ReportError, f"{place} cannot be written"):
        write_file(place, write(plain_frame(frame)))
    return place


def _csv(frame: pd.DataFrame) -> bytes:
    """Return a frame as CSV, safe to open in a spreadsheet."""
    safe = frame.set_axis(pd.RangeIndex(frame.shape[1]), axis=1)
    for place in safe.select_dtypes(["object", "string", "category"]):
        safe[place] = safe[place].astype(object).map(inert)
    text = safe.to_csv(index=False, header=[str(inert(name)) for name in frame.columns], lineterminator="\r\n")
    return ("\ufeff" + text).encode("utf-8", "replace")


def _excel(frame: pd.DataFrame) -> bytes:
    """Return a frame as a workbook of one sheet."""
    openpyxl = optional_module("openpyxl", "Excel files need openpyxl", "excel")
    if len(frame) >= _ROWS:
        raise ParameterError(f"a sheet of Excel holds {_ROWS - 1:,} rows, not {len(frame):,}: save as .csv or .parquet")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("data")
    sheet.freeze_panes = "A2"
    zoned = [isinstance(frame.iloc[:, place].dtype, pd.DatetimeTZDtype) for place in range(frame.shape[1])]
    names = [f"{name} (UTC)" if utc else name for name, utc in zip(frame.columns, zoned, strict=True)]
    columns = [frame.iloc[:, place].tolist() for place in range(frame.shape[1])]
    for row in (names, *zip(*columns, strict=True)):
        cells = [openpyxl.cell.WriteOnlyCell(sheet, value=None) for _ in row]
        for cell, value in zip(cells, map(_celled, row), strict=True):
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"  # openpyxl takes "=..." for a formula
                cell.quotePrefix = FORMULA.match(value) is not None  # text also after it was edited
        sheet.append(cells)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _celled(value: object) -> object:
    """Return a value for a cell of a workbook: times in UTC without a zone, text without characters forbidden in XML."""
    if isinstance(value, str):
        text = _UNHELD.sub("\ufffd", value)
        return text if len(text) <= _CELL else text[: _CELL - len(_CUT)] + _CUT
    if isinstance(value, datetime) and not pd.isna(value):
        moment = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return moment.to_pydatetime(warn=False) if isinstance(moment, pd.Timestamp) else moment
    if isinstance(value, float) and isinf(value):  # not possible in a cell
        return str(value)
    if isinstance(value, bool | int | float | date):
        return None if pd.isna(value) else value
    return None if is_missing(value) else str(value)


_FORMS: Final[dict[str, Callable[[pd.DataFrame], bytes]]] = {".csv": _csv, ".xlsx": _excel, ".parquet": as_parquet}
"""File extension -> function that writes the content."""
