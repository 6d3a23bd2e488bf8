"""Build frames with declared columns from values, and convert them for files; a value that does not fit becomes missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import isnan
from typing import Any, Final

import pandas as pd

from riskanalytics.errors import ParameterError
from riskanalytics.models import LEVELS
from riskanalytics.models.base import Path, WireField
from riskanalytics.settings import optional_module

from . import columns as c
from .columns import Columns, Place, Table

Json = Mapping[str, object]

_STR: Final = pd.StringDtype(na_value=float("nan"))
_TIME_FORM: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_MOST: Final = 2**62
"""Maximum of a number; larger numbers do not fit into a column."""
_FITTING: Final[dict[str, set[type]]] = {c.COUNT: {int}, c.NUMBER: {int, float}, c.YES: {bool}}
"""Dtype -> types of the values that fit; a bool is not a number."""


def level_of(values: Iterable[object]) -> pd.Categorical:
    """Return ratings as ordered levels; any value that is not exactly a known rating is UNKNOWN.

    Parameters
    ----------
    values : iterable
        Ratings as the service sent them.

    Returns
    -------
    pandas.Categorical
        With the categories `LEVELS`, ordered.
    """
    known: list[object] = [value if isinstance(value, str) and value in LEVELS else LEVELS[0] for value in values]
    return pd.Categorical(known, dtype=c.LEVEL_DTYPE)


def rated(values: Iterable[object]) -> pd.Categorical:
    """Return ratings, verbatim, as an ordered categorical; unknown ratings sort below all known ones.

    Parameters
    ----------
    values : iterable
        Ratings as the service sent them; missing values stay missing.

    Returns
    -------
    pandas.Categorical
        With the ordered categories: unknown ratings in alphabetical order, then `UNRATED`, `LOW`, `MED`, `HIGH`.
    """
    words = list(map(_text, values))
    unseen = sorted({word for word in words if word is not None} - {*c.RATED})
    return pd.Categorical(words, categories=[*unseen, *c.RATED], ordered=True)


def frame_of(columns: Columns, rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Return rows as a frame with declared columns.

    Parameters
    ----------
    columns : dict
        Column -> (dtype, meaning).
    rows : sequence of tuple
        Values in the order of the columns. For a column with the dtype `level`, give the rating: it is converted to a level.

    Returns
    -------
    pandas.DataFrame
        With a RangeIndex; the dtypes do not depend on the number of rows.
    """
    return table_frame(Table(columns, {}), [dict(zip(columns, row, strict=True)) for row in rows])


def table_frame(table: Table, records: Iterable[Json]) -> pd.DataFrame:
    """Return a frame with the columns of a `Table`, and a row for each record.

    Parameters
    ----------
    table : Table
        The columns, and where their values are found in a record.
    records : iterable of mapping
        As the service sent them. A column whose place in a record is not declared takes the value under its own name.

    Returns
    -------
    pandas.DataFrame
        With a RangeIndex; the dtypes do not depend on the number of records.
    """
    rows = list(records)

    @cache
    def held(inside: tuple[tuple[Path, ...], ...]) -> list[Json]:
        """Return the nested records in which fields are found."""
        return [mapping_of(one) for one in _column(held(inside[:-1]), inside[-1])] if inside else rows

    places = {name: table.places.get(name) or Place((), ((name,),)) for name in table}
    values = {name: _values(held(place.inside), place.paths, place.field) for name, place in places.items()}
    series = {name: _series(column, table[name][0]) for name, column in values.items()}
    return pd.DataFrame(series, pd.RangeIndex(len(rows)))


def value_at(record: Json, paths: Iterable[Path]) -> Any:
    """Return the value of a record under the first path (keys and positions) that leads to a value other than null; else None."""
    for path in paths:
        value: Any = record
        try:
            for step in path:
                value = value[step]
        except (KeyError, IndexError, TypeError):
            continue
        if value is not None:
            return value
    return None


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as dicts.

    Parameters
    ----------
    frame : pandas.DataFrame
        With unique column names.

    Returns
    -------
    list of dict
        Column -> value, for each row. Numbers are Python numbers, times are `pandas.Timestamp`, and missing values stay as they
        are in the frame (None, NaN, NaT or NA).
    """
    names = list(map(str, frame.columns))
    return [dict(zip(names, row, strict=True)) for row in zip(*(frame[name].tolist() for name in frame), strict=True)]


def mapping_of(value: object) -> Json:
    """Return the value itself if it is a mapping, else an empty mapping."""
    # fast path: the check for a Mapping is slow
    if type(value) is dict:
        return value
    return value if isinstance(value, Mapping) else {}


def records_of(value: object) -> list[Json]:
    """Return the items of a list that are mappings; an empty list if the value is not a list."""
    return [row for row in value if type(row) is dict or isinstance(row, Mapping)] if isinstance(value, list) else []


def _column(rows: list[Json], paths: tuple[Path, ...]) -> list[Any]:
    """Return the values of records under the first path that exists; None for a record without."""
    if len(paths) > 1 or len(paths[0]) > 1:
        return [value_at(row, paths) for row in rows]
    (key,) = paths[0]
    return [row.get(str(key)) for row in rows]


def _values(rows: list[Json], paths: tuple[Path, ...], field: WireField | None) -> list[Any]:
    """Return the values of a column, lists and mappings unchanged."""
    values, kinds = _column(rows, paths), field.kinds if field else ()
    if dict in kinds:
        return [dict(mapping_of(value)) for value in values]
    if field and list in kinds:
        return [records_of(value) if field.record or not isinstance(value, list) else value for value in values]
    return values


def _series(values: list[Any], dtype: str) -> pd.Series[Any]:
    """Return one column with its dtype; values that do not fit become missing."""
    if dtype in (c.LEVEL, c.RATING):
        return pd.Series((level_of if dtype == c.LEVEL else rated)(values))
    if dtype == c.TIME:
        return _moments(values)
    if dtype == c.TEXT:
        plain = set(map(type, values)) <= {str, type(None)}
        return pd.Series(values if plain else list(map(_text, values)), dtype=_STR)
    if fitting := _FITTING.get(dtype):
        values = [value if type(value) in fitting and abs(value) < _MOST else None for value in values]
    return pd.Series(values, dtype=dtype)


def _moments(values: list[Any]) -> pd.Series[Any]:
    """Return ISO 8601 texts as times in UTC; any other value becomes NaT, without guessing."""
    texts: list[Any] = [value if isinstance(value, str) and _TIME_FORM.fullmatch(value) else None for value in values]
    times = pd.to_datetime(pd.Series(texts, dtype=_STR), format="ISO8601", errors="coerce", utc=True).astype(c.TIME)
    return times.where(times.dt.year.between(1990, 2200))


def is_missing(value: object) -> bool:
    """Return whether a value of a frame is missing: None, NaN, NaT or NA."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and isnan(value))


def _text(value: object) -> str | None:
    """Return a value as text, missing values unchanged, nested ones in their Python form."""
    if isinstance(value, str):
        return value
    return None if is_missing(value) else str(value)


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame that can be saved to a file: nested values become JSON text, names of columns become text.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any frame. Its index becomes columns, except an unnamed index of row numbers, which is left out.
    """
    counted = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    plain = frame.reset_index(drop=counted, allow_duplicates=True)
    names = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in plain.columns]
    plain = plain.set_axis(pd.RangeIndex(len(names)), axis=1)
    for place, dtype in enumerate(plain.dtypes):
        if isinstance(dtype, pd.PeriodDtype):
            plain[place] = plain[place].astype(str)
        elif pd.api.types.is_object_dtype(dtype):
            plain[place] = plain[place].map(_unnested)
    return plain.set_axis(pd.Index(names, dtype=object), axis=1)


def _unnested(value: object) -> object:
    """Return a list or mapping as JSON text, any other value unchanged."""
    value = list(value) if isinstance(value, tuple | set | frozenset) else value
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else value


def check_parquet() -> None:
    """Raise an error if Parquet files cannot be written.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    optional_module("pyarrow", "Parquet files need pyarrow", "parquet")


def as_parquet(frame: pd.DataFrame) -> bytes:
    """Return a frame as the bytes of a Parquet file; reading the file restores the dtypes.

    Parameters
    ----------
    frame : pandas.DataFrame
        Result of `plain_frame`.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    ParameterError
        If two columns have the same name, or a column has values of several kinds.
    """
    check_parquet()
    try:
        return frame.to_parquet(None, engine="pyarrow", index=False, compression="zstd")
    except (ValueError, TypeError) as error:
        raise ParameterError(f"Parquet cannot hold this frame: {error}; save it as .csv or .xlsx") from error
