"""Columns and dtypes that every analysis hands back, whatever the number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from math import isnan
from typing import Any, Final

import pandas as pd

from riskanalytics.errors import ReportError
from riskanalytics.frames import LEVEL_DTYPE, TIME, Columns, rows_of
from riskanalytics.models import LEVELS

SEVERITY: Final = {"HIGH": 0, "MED": 1, "UNKNOWN": 2, "LOW": 3}
"""Order of worst first: what is not known stands before what is known to be low."""

NOT_GIVEN: Final = "not given"
"""Word for a rating, class or stance that the data leave empty."""


def level_of(word: object) -> str:
    """Return the level a raw word stands for: itself where it is exactly LOW, MED or HIGH, else UNKNOWN."""
    return word if isinstance(word, str) and word in LEVELS else "UNKNOWN"


def is_missing(value: object) -> bool:
    """Return whether a cell holds nothing (None, NaN, NaT, NA)."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and isnan(value))


def word_of(value: object) -> str:
    """Return a cell as text, empty where it is missing."""
    return "" if is_missing(value) else str(value)


def items_of(value: object) -> list[Any]:
    """Return a nested cell as a list, empty where it is missing or no list."""
    return list(value) if isinstance(value, (list, tuple)) else []


def dtypes(declared: Columns, *names: str) -> dict[str, Any]:
    """Return the dtypes of some columns of a frame, as `frames` declares them.

    Parameters
    ----------
    declared : dict
        Column -> (dtype, meaning), such as `frames.CHANGES_COLUMNS`.
    *names : str
        In the order in which they are wanted.
    """
    return {name: LEVEL_DTYPE if declared[name][0] == "level" else declared[name][0] for name in names}


def shaped(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, Any]) -> pd.DataFrame:
    """Build a frame with exactly these columns and dtypes.

    Parameters
    ----------
    rows : iterable of mappings
        Missing keys become missing values.
    columns : mapping
        Column to dtype, in order.

    Returns
    -------
    pandas.DataFrame
        RangeIndex; the schema depends on `columns` only.
    """
    listed = list(rows)
    return pd.DataFrame({name: _column([row.get(name) for row in listed], dtype) for name, dtype in columns.items()})


def _column(values: list[Any], dtype: Any) -> pd.Series[Any]:
    clean = [None if is_missing(value) else value for value in values]
    if dtype == "object":
        column = pd.Series(index=range(len(clean)), dtype=object)
        for place, value in enumerate(clean):
            column.iat[place] = value
        return column
    if dtype == TIME:
        return pd.Series(pd.to_datetime(pd.Series(clean, dtype=object), utc=True, format="ISO8601")).astype(TIME)
    return pd.Series(clean, dtype=object).astype(dtype)


def records(frame: pd.DataFrame, what: str, *columns: str) -> list[dict[str, Any]]:
    """Return the rows of a frame as dicts, having checked that the named columns are there.

    Raises
    ------
    ReportError
        A column is missing.
    """
    return rows_of(with_columns(frame, what, *columns))


def with_columns(frame: pd.DataFrame, what: str, *columns: str) -> pd.DataFrame:
    """Return a frame as it is, having checked that the named columns are there.

    Raises
    ------
    ReportError
        A column is missing.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ReportError(f"{what}: the frame lacks the column(s) {', '.join(missing)}; build it with frames")
    return frame


def instant(value: str | date | datetime) -> pd.Timestamp:
    """Return a moment in UTC; a text or moment without zone is taken as UTC, a date as its midnight.

    Raises
    ------
    ReportError
        The text is no date.
    """
    try:
        stamp = pd.Timestamp(value)
    except (ValueError, TypeError) as error:
        raise ReportError(f"{value!r} is no date; write YYYY-MM-DD") from error
    if pd.isna(stamp):
        raise ReportError("a date is needed here; write YYYY-MM-DD")
    return stamp.tz_localize(UTC) if stamp.tzinfo is None else stamp.tz_convert(UTC)
