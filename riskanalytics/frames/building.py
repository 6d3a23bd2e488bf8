"""Records -> frames with declared columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd

from riskanalytics.frames.columns import (
    CHANGES_COLUMNS,
    COUNT,
    COVERAGE_COLUMNS,
    DOCUMENTS_COLUMNS,
    FINDINGS_COLUMNS,
    HISTORY_COLUMNS,
    LEVEL,
    LEVEL_DTYPE,
    NESTED,
    NUMBER,
    PLATFORMS_COLUMNS,
    SURFACES_COLUMNS,
    TEXT,
    TIME,
    TRAINING_USE_COLUMNS,
    Columns,
)
from riskanalytics.models import LEVELS, RATINGS
from riskanalytics.surfaces import SURFACES

Json = Mapping[str, Any]

_STR: Final = pd.StringDtype(na_value=float("nan"))
_TIME_FORM: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$"
)


def level_of(values: Iterable[object]) -> pd.Categorical:
    """Return ratings as ordered levels; whatever is not exactly a known rating is UNKNOWN.

    Parameters
    ----------
    values : iterable

    Returns
    -------
    pandas.Categorical
        Over `LEVELS`, ordered.
    """
    codes = {level: code for code, level in enumerate(LEVELS)}
    return pd.Categorical.from_codes(
        [codes.get(value, 0) if isinstance(value, str) else 0 for value in values], dtype=LEVEL_DTYPE
    )


def frame_of(columns: Columns, rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Return rows as a frame with declared columns.

    Parameters
    ----------
    columns : dict
        Column -> (dtype, meaning).
    rows : sequence of tuple
        In the order of the columns; a level column holds the rating.

    Returns
    -------
    pandas.DataFrame
        RangeIndex; the same dtypes for none, one and many rows.
    """
    values = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    return _framed(columns, dict(zip(columns, map(list, values), strict=True)), len(rows))


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame, each by its columns' names.

    Parameters
    ----------
    frame : pandas.DataFrame
        Each column's name once.

    Returns
    -------
    list of dict
        Python's own numbers, `Timestamp` for times, the column's own missing value.
    """
    names = [str(name) for name in frame.columns]
    columns = [frame[name].tolist() for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _framed(columns: Columns, values: Mapping[str, list[Any]], count: int) -> pd.DataFrame:
    """Return columns of values as a frame with declared dtypes."""
    series = {name: _series(values[name], dtype) for name, (dtype, _) in columns.items()}
    return pd.DataFrame(series, index=pd.RangeIndex(count))


def _series(values: list[Any], dtype: str) -> pd.Series[Any]:
    """Return one column with its dtype; what does not fit is missing."""
    if dtype == LEVEL:
        return pd.Series(level_of(values))
    if dtype == TIME:
        return pd.Series(pd.to_datetime(_by_value(values, _time), utc=True), dtype=TIME)
    kinds = set(map(type, values)) - {type(None)}
    if dtype == TEXT:
        return pd.Series(values if kinds <= {str} else [_text(value) for value in values], dtype=_STR)
    if dtype in (COUNT, NUMBER):
        fitting: set[type] = {int} if dtype == COUNT else {int, float}
        return pd.Series([value if _fits(value, fitting) else None for value in values], dtype=dtype)
    if dtype == NESTED:
        series = pd.Series([None] * len(values), dtype=object)
        series[:] = values
        return series
    return pd.Series(values, dtype=dtype)


def _by_value(values: list[Any], convert: Callable[[Any], Any]) -> list[Any]:
    """Convert each distinct value once: times repeat a lot."""
    known: dict[Any, Any] = {}
    converted = []
    for value in values:
        key = value if isinstance(value, str) else None
        if key not in known:
            known[key] = convert(key)
        converted.append(known[key])
    return converted


def _time(value: str | None) -> Any:
    """Return a time of ISO 8601, in UTC; missing where it is none (never a guess)."""
    if value is None or not _TIME_FORM.fullmatch(value):
        return pd.NaT
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return pd.NaT
    if not 1990 <= time.year <= 2200:
        return pd.NaT
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _text(value: object) -> str | None:
    """Return a value as text; nested ones by their Python form."""
    if value is None or isinstance(value, str):
        return value
    return str(value)


def _fits(value: object, kinds: set[type]) -> bool:
    """Say whether a value is a number that the column holds; a bool is none."""
    return type(value) in kinds and abs(value) < 2**62  # type: ignore[arg-type]


def _frame(columns: Columns, rows: Sequence[Json], **given: list[Any]) -> pd.DataFrame:
    """Return records as a frame: a column holds what is given for it, else the field of its name."""
    values = {name: given[name] if name in given else _told(rows, name) for name in columns}
    return _framed(columns, values, len(rows))


def _told(rows: Sequence[Json], name: str, *others: str) -> list[Any]:
    """Return a field of records, under the first of its names that they tell."""
    if not others:
        return [row.get(name) for row in rows]
    names = (name, *others)
    return [next((row[one] for one in names if one in row), None) for row in rows]


def platforms_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return list records (specification section 2.2) with `PLATFORMS_COLUMNS`."""
    rows = list(records)
    return _frame(
        PLATFORMS_COLUMNS,
        rows,
        slug=_told(rows, "id", "slug"),
        level=_told(rows, "rating"),
        verification=_told(rows, "verification", "verification_status"),
    )


def findings_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return findings, or leads, with `FINDINGS_COLUMNS`.

    Parameters
    ----------
    records : iterable of mapping
        Findings (specification section 2.4), each with `slug` and `name` of its platform; provenance nested
        under `provenance` or `source`, or flat.
    """
    rows = list(records)
    sources = [_place(row) for row in rows]
    scopes = [_mapping(row.get("scope")) for row in rows]
    roles = [_mapping(row.get("roles")) for row in rows]
    intervals = [_interval(row.get("confidence_interval")) for row in rows]
    inner = {
        **dict.fromkeys(("document", "snapshot_sha256", "start", "end", "captured_at"), sources),
        **dict.fromkeys(("audience", "region", "product"), scopes),
        **dict.fromkeys(("actor", "action", "object", "condition"), roles),
    }
    return _frame(
        FINDINGS_COLUMNS,
        rows,
        **{name: _told(parts, name) for name, parts in inner.items()},
        finding_id=_told(rows, "id"),
        level=_told(rows, "risk"),
        confidence_low=[low for low, _ in intervals],
        confidence_high=[high for _, high in intervals],
        archive_url=_told(sources, "archive_url", "url"),
        conflicts_with=[_listed(row.get("conflicts_with")) for row in rows],
    )


_NOTHING: Final[Json] = {}


def _mapping(value: object) -> Json:
    """Return a value that is a mapping; an empty one where it is none."""
    return value if isinstance(value, dict) else _NOTHING


def _place(row: Json) -> Json:
    """Return where a finding stands: nested under `provenance` or `source`, or flat."""
    for name in ("provenance", "source"):
        if isinstance(place := row.get(name), dict):
            return place
    return row


def _interval(value: object) -> tuple[object, object]:
    """Return two bounds; none where they are not told."""
    return (value[0], value[1]) if isinstance(value, list | tuple) and len(value) == 2 else (None, None)


def surfaces_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a row per platform and surface with `SURFACES_COLUMNS`.

    Parameters
    ----------
    records : iterable of mapping
        Machine platforms. Where one does not tell its surfaces, they are read off its findings: the worst
        risk-raising one; a surface without any is quiet if it was searched, else unread.
    """
    rows: list[tuple[object, ...]] = []
    for record in records:
        told, decided = _surfaces_told(record), _deciding(record)
        for surface in (*SURFACES, *(name for name in told if name not in SURFACES)):
            risk, count, state = told.get(surface, (None, None, "unread"))
            deciding = decided.get(surface, [])
            rows.append((record.get("slug"), record.get("name"), surface, risk, risk, count, state, deciding))
    return frame_of(SURFACES_COLUMNS, rows)


def _deciding(record: Json) -> dict[str, list[Any]]:
    """Return surface -> identifiers of the findings that decided its level, where they are told."""
    surfaces = record.get("surfaces")
    told = surfaces.items() if isinstance(surfaces, Mapping) else ()
    return {str(name): _listed(row.get("decided_by")) for name, row in told if isinstance(row, Mapping)}


def _surfaces_told(record: Json) -> dict[str, tuple[object, int | None, str]]:
    """Return surface -> (risk, count, state) of one machine platform."""
    told: dict[str, tuple[object, int | None, str]] = {}
    for row in _records(record.get("searched_without_result")):
        told[str(row.get("surface"))] = (None, 0, "quiet")
    for row in _records(record.get("findings")):
        surface = str(row.get("surface"))
        risk, count, _ = told.get(surface, (None, 0, "found"))
        told[surface] = (_worse(risk, row), (count or 0) + 1, "found")
    surfaces = record.get("surfaces")
    if isinstance(surfaces, Mapping):
        for name, row in surfaces.items():
            count = row.get("count") if isinstance(row, Mapping) else row
            risk = row.get("risk") if isinstance(row, Mapping) else told.get(name, (None,))[0]
            if isinstance(count, int) and count > 0:
                told[name] = (risk, count, "found")
    return told


def _worse(risk: object, row: Json) -> object:
    """Return the worse of a level and a finding's, if that raises the risk; a protective one is a LOW."""
    other = row.get("risk") if row.get("polarity", "raises_risk") == "raises_risk" else "LOW"
    order = {level: place for place, level in enumerate(RATINGS)}
    return other if risk is None or order.get(str(other), -1) > order.get(str(risk), -1) else risk


def _records(value: object) -> list[Json]:
    """Return the records of a list, nothing where it is none."""
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def training_use_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a row per machine platform with `TRAINING_USE_COLUMNS`."""
    rows = list(records)
    uses = [_mapping(row.get("training_use")) for row in rows]
    stances = {name: _told(uses, name) for name in ("stance", "consumer_stance", "business_stance")}
    decided = [use.get("decided_by") for use in uses]
    return _frame(
        TRAINING_USE_COLUMNS,
        rows,
        **stances,
        level=_told(rows, "rating"),
        decided_by=[ids if isinstance(ids, list) else [] for ids in decided],
    )


def documents_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a row per document of machine platforms with `DOCUMENTS_COLUMNS`."""
    pairs = [(record, row) for record in records for row in _records(record.get("documents"))]
    platforms, rows = [record for record, _ in pairs], [row for _, row in pairs]
    return _frame(
        DOCUMENTS_COLUMNS,
        rows,
        slug=_told(platforms, "slug"),
        name=_told(platforms, "name"),
        newest_capture_at=_told(rows, "newest_capture_at", "captured_at"),
    )


def changes_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return re-reviews with `CHANGES_COLUMNS`."""
    rows = list(records)
    lists = {name: [_records(row.get(name)) for row in rows] for name in ("added", "removed", "altered", "cause")}
    return _frame(
        CHANGES_COLUMNS,
        rows,
        **lists,
        change_id=_told(rows, "id"),
        slug=_told(rows, "platform", "slug"),
        reviewed_at=_told(rows, "reviewed_at", "date"),
        change_class=_told(rows, "class", "change_class"),
        surfaces=[_listed(row.get("surfaces")) for row in rows],
        directions=[_mapped(row.get("directions")) for row in rows],
    )


def _listed(value: object) -> list[Any]:
    """Return a list as it is, one text as a list of it, nothing else."""
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) else []


def _mapped(value: object) -> dict[str, Any]:
    """Return a mapping as it is, nothing else."""
    return dict(value) if isinstance(value, Mapping) else {}


def coverage_frame(record: Json) -> pd.DataFrame:
    """Return the counts of `/api/coverage` as one row with `COVERAGE_COLUMNS`."""
    inner = record.get("coverage", record.get("counts"))
    counts = {**record, **inner} if isinstance(inner, Mapping) else record
    names = ("as_of", "tracked", "verified", "partial", "stale", "unverified")
    surfaces = counts.get("surfaces")
    row = (*(counts.get(name) for name in names), surfaces if isinstance(surfaces, Mapping) else {})
    return frame_of(COVERAGE_COLUMNS, [row])


def history_frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Return (slug, name, date, rating, known) rows with `HISTORY_COLUMNS`."""
    return frame_of(
        HISTORY_COLUMNS, [(slug, name, at, rating, rating, known) for slug, name, at, rating, known in rows]
    )
