"""Helpers of the analyses: frames with fixed columns and dtypes for any number of rows, and shares with their intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from math import sqrt
from typing import Any, Final

import pandas as pd

from riskanalytics.errors import ReportError
from riskanalytics.frames import LEVEL_DTYPE, RATING, TIME, Columns, is_missing, mapping_of, rated, rows_of, value_at
from riskanalytics.models import ACCURACY_PARTS, LEVELS, RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.wording import percent

__all__ = ["found_share", "wilson_interval"]

SEVERITY: Final = {"HIGH": 0, "MED": 1, "UNKNOWN": 2, "LOW": 3}
"""Level -> its place, worst first; UNKNOWN comes before LOW."""

RANK: Final = {level: rank for rank, level in enumerate(RATINGS)}
"""Level -> its rank, from LOW (0) to HIGH (2)."""

NOT_GIVEN: Final = "not given"
"""Word for a missing rating, class or stance."""

_KINDS: Final = {"time": TIME, "rating": RATING, "level": LEVEL_DTYPE}

Record = Mapping[str, Any]
"""A row of a frame: column -> value."""
Dtypes = Mapping[str, object]
"""Column -> dtype, in order."""


def level_of(word: object) -> str:
    """Return a level or rating of a service as a level: the same word if it is LOW, MED or HIGH, else UNKNOWN."""
    return word if isinstance(word, str) and word in LEVELS else "UNKNOWN"


def severities(words: pd.Series[str]) -> pd.Series[int]:
    """Return the sort position of each level or rating: 0 for HIGH, 1 for MED, 3 for LOW, 2 for UNKNOWN or any other word."""
    return words.astype("object").map(SEVERITY).fillna(SEVERITY["UNKNOWN"]).astype("int64")


def word_of(value: object) -> str:
    """Return the value of a cell of a frame as text; an empty text if it is missing."""
    return "" if is_missing(value) else str(value)


def clause_rank(clause: Record) -> tuple[object, ...]:
    """Return a sort key for clauses: HIGH, MED, unknown level, LOW; then highest confidence first; then document and position."""
    sure, start = (0 if is_missing(value := clause.get(key, 0)) else value for key in ("confidence", "start"))
    document, finding_id = (word_of(clause.get(key)) for key in ("document", "finding_id"))
    return SEVERITY[level_of(clause["risk"])], -sure, document, start, finding_id


def items_of(value: object) -> list[Any]:
    """Return the items of a list or tuple in a cell of a frame; an empty list if the cell is missing or has another value."""
    return list(value) if isinstance(value, (list, tuple)) else []


def dtypes(declared: Columns, *names: str) -> dict[str, Any]:
    """Return a dict of some columns and their dtypes, taken from a declaration in `frames`.

    Parameters
    ----------
    declared : dict
        Column -> (dtype, meaning), such as `frames.CHANGES_COLUMNS`.
    *names : str
        Columns to take, in order.
    """
    return {name: _KINDS.get(kind := declared[name][0], kind) for name in names}


def schema(text: str) -> dict[str, Any]:
    """Parse a text that declares columns; return each column with its dtype.

    Parameters
    ----------
    text : str
        Names in order. A colon and a dtype after a name apply to that name and all names before it without a dtype. The words
        `time`, `rating` and `level` mean the dtypes that `frames` uses for times, ratings and levels.

    Examples
    --------
    >>> schema("slug name:str changes:Int64")
    {'slug': 'str', 'name': 'str', 'changes': 'Int64'}
    """
    declared = re.findall(r"([^:]+):(\S+)", text)
    return {name: _KINDS.get(kind, kind) for names, kind in declared for name in names.split()}


def shaped(rows: Iterable[Record], columns: Dtypes) -> pd.DataFrame:
    """Build a frame with exactly these columns and dtypes.

    Parameters
    ----------
    rows : iterable of mappings
        Missing keys become missing values.
    columns : mapping
        Column -> dtype, in order.

    Returns
    -------
    pandas.DataFrame
        With a RangeIndex; columns and dtypes depend on `columns` only.
    """
    frame = pd.DataFrame(list(rows), columns=list(columns), dtype=object)
    frame = frame.where(frame.notna(), None)
    for name in (name for name, dtype in columns.items() if dtype == TIME):
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601")
    return cut_to(frame, columns)


def cut_to(frame: pd.DataFrame, columns: Dtypes) -> pd.DataFrame:
    """Return a frame with exactly these columns and dtypes, its rows numbered from 0.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns that it lacks become columns of missing values.
    columns : mapping
        Column -> dtype, in order.
    """
    others = {name: dtype for name, dtype in columns.items() if dtype != RATING}
    cut = frame.reindex(columns=list(columns)).astype(others).reset_index(drop=True)  # type: ignore[arg-type]  # any of a declaration
    return cut.assign(**{name: rated(cut[name]) for name in columns if name not in others})


def ordered(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return the rows of a frame sorted by some columns and numbered from 0.

    In the column `name`, case is ignored. The column `surface` is in the usual order of surfaces (`surface_places`).

    Parameters
    ----------
    frame : pandas.DataFrame
    *columns : str
        Columns to sort by, the most important first; a minus before a column sorts it in descending order.
    """
    names, ascending = zip(*((column.removeprefix("-"), column[0] != "-") for column in columns), strict=True)
    return frame.sort_values(list(names), ascending=list(ascending), key=_sort_key, ignore_index=True, kind="stable")


def _sort_key(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the values by which a column is sorted."""
    if column.name == "surface":
        return surface_places(column)
    return column.str.casefold() if column.name == "name" else column


def surface_places(surfaces: pd.Series[str]) -> pd.Series[Any]:
    """Return the position of each surface in the order of `surfaces.SURFACES`; unknown surfaces come last, by name."""
    known = dict(zip(SURFACES, range(len(SURFACES)), strict=True))
    return surfaces.map(known).where(surfaces.isin(known), len(SURFACES) + surfaces.rank(method="dense"))


def known_first(known: Iterable[str], values: Iterable[str]) -> list[str]:
    """Return the known words in their order, then the other words among the values, in alphabetical order."""
    return list(dict.fromkeys((*known, *sorted(set(values)))))


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame in which platforms without a name have their slug as name."""
    return frame.assign(name=frame["name"].mask(frame["name"].fillna("") == "", frame["slug"]))


def records(frame: pd.DataFrame, what: str, *columns: str) -> list[dict[str, Any]]:
    """Return the rows of a frame as dicts, after checking that it has the given columns.

    `what` is the name of the calling function, with which the message of an error begins.

    Raises
    ------
    ReportError
        If a column is missing.
    """
    return rows_of(with_columns(frame, what, *columns))


def with_columns(frame: pd.DataFrame, what: str, *columns: str) -> pd.DataFrame:
    """Return a frame unchanged, after checking that it has the given columns.

    `what` is the name of the calling function, with which the message of an error begins.

    Raises
    ------
    ReportError
        If a column is missing.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        lacking = ", ".join(missing)
        raise ReportError(
            f"{what}: the frame lacks the column(s) {lacking}; give a frame of a data set or the result of an analysis, unchanged"
        )
    return frame


def instant(value: str | date | datetime) -> pd.Timestamp:
    """Return a moment as a time in UTC; a text or time without a time zone is read as UTC, a date as its midnight.

    Raises
    ------
    ReportError
        If the text is not a date.
    """
    stamp = pd.to_datetime(value, errors="coerce")
    if pd.isna(stamp):
        raise ReportError(f"{value!r} is not a date: write YYYY-MM-DD")
    return stamp.tz_localize(UTC) if stamp.tzinfo is None else stamp.tz_convert(UTC)


def share_row(part: int, whole: int) -> dict[str, float | None]:
    """Return a dict of `share` (part / whole) and its 95 % interval, `low` and `high`; all None if whole is 0."""
    shares = (part / whole, *wilson_interval(part, whole)) if whole else (None, None, None)
    return dict(zip(("share", "low", "high"), shares, strict=True))


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval for a share.

    Parameters
    ----------
    part, whole : int
        Numerator and denominator of the share: 0 <= part <= whole, whole > 0.

    Returns
    -------
    tuple of float
        Lower and upper bound, within 0..1.

    Examples
    --------
    >>> [round(bound, 2) for bound in analysis.wilson_interval(8, 10)]
    [0.49, 0.94]
    """
    share, square = part / whole, 1.959963984540054**2 / whole  # of the quantile of the normal distribution
    spread = sqrt(square * (share * (1 - share) + square / 4))
    middle, scale = share + square / 2, 1 + square
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def measured(figures: object) -> Iterator[tuple[str, float, float]]:
    """Yield a tuple (description, precision, recall) for each set of documents on which the extraction was measured.

    Parameters
    ----------
    figures : object
        Accuracy of the extraction as the service reports it, `data.extraction.get("figures")`.
    """
    for name, where in ACCURACY_PARTS.items():
        measures = mapping_of(value_at(mapping_of(figures), [(name, "groups", "all")]))
        precision, recall = (value_at(measures, [(share, "value")]) for share in ("precision", "recall"))
        if isinstance(precision, int | float) and isinstance(recall, int | float):
            yield where, precision, recall


def found_share(figures: object) -> str:
    r"""Return a sentence that warns readers of a page: finding no clause does not prove that there is none.

    If it is known what share of the clauses the extraction finds, the sentence states it.

    Parameters
    ----------
    figures : object
        Accuracy of the extraction as the service reports it; None if it is not known.

    Examples
    --------
    >>> print(analysis.found_share(data.extraction.get("figures")))
    We find about 52 % of what documents say, or 90 % where language models read them, so finding nothing is not proof of absence.
    """
    read = value_at(mapping_of(figures), [("with_readings", "groups", "calibrate", "recall", "value")])
    models = f", or {percent(read)} where language models read them" if isinstance(read, int | float) else ""
    for _, _, recall in measured(figures):
        return f"We find about {percent(recall)} of what documents say{models}, so finding nothing is not proof of absence."
    return "Finding nothing is not proof of absence."
