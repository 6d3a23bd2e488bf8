"""Records -> DataFrames. Columns, dtypes and their meaning are declared once; they depend on the query, never on the rows.

Text is `str`, times are `datetime64[us, UTC]`, counts `Int64`, numbers `Float64`, nested values `object`. A
`level` is an ordered category over `LEVELS`: whatever is not exactly one of the known ratings is `UNKNOWN`
there, and stands verbatim in the text column beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.models import RATINGS, SURFACES

Json = Mapping[str, Any]
Columns = dict[str, tuple[str, str]]
"""Column -> (dtype, meaning)."""

LEVELS: Final = ("UNKNOWN", *RATINGS)
"""Categories of every `level` column, in order; UNKNOWN is apart, not low."""
LEVEL_DTYPE: Final = pd.CategoricalDtype(list(LEVELS), ordered=True)
TIME: Final = "datetime64[us, UTC]"
_TEXT, _COUNT, _NUMBER, _NESTED, _LEVEL = "str", "Int64", "Float64", "object", "level"
_TIME_FORM: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$"
)

PLATFORMS_COLUMNS: Final[Columns] = {
    "slug": (_TEXT, "identifier of the platform"),
    "name": (_TEXT, "display name"),
    "website": (_TEXT, "address of the vendor's site; missing where not known"),
    "rating": (_TEXT, "rating as the service gave it"),
    "level": (_LEVEL, "the rating as an ordered level"),
    "risk_reason": (_TEXT, "why, beginning with the rating and the number of citations"),
    "last_reviewed": (TIME, "day of the newest capture reviewed"),
    "verification": (_TEXT, "state of the evidence"),
    "url": (_TEXT, "public page of the platform"),
}
FINDINGS_COLUMNS: Final[Columns] = {
    "slug": (_TEXT, "identifier of the platform"),
    "name": (_TEXT, "display name"),
    "finding_id": (_TEXT, "identifier of the finding"),
    "document": (_TEXT, "name of the document"),
    "surface": (_TEXT, "subject of the clause"),
    "risk": (_TEXT, "level of the clause as the service gave it"),
    "level": (_LEVEL, "the same as an ordered level"),
    "polarity": (_TEXT, "raises_risk, mitigates_risk or neutral"),
    "confidence": (_NUMBER, "0 to 1: measured precision of what decided"),
    "confidence_low": (_NUMBER, "lower bound of its interval"),
    "confidence_high": (_NUMBER, "upper bound of its interval"),
    "quote": (_TEXT, "the clause, verbatim"),
    "rule": (_TEXT, "what decided"),
    "audience": (_TEXT, "consumer, business or developer, where the clause limits itself"),
    "region": (_TEXT, "region, where the clause limits itself"),
    "product": (_TEXT, "product, where the clause limits itself"),
    "verification_status": (_TEXT, "whether the quote stands at its offsets"),
    "snapshot_sha256": (_TEXT, "hash of the snapshot"),
    "archive_url": (_TEXT, "link to the archive"),
    "start": (_COUNT, "offset of the first character, in code points"),
    "end": (_COUNT, "offset after the last character"),
    "captured_at": (TIME, "time of the capture"),
    "conflicts_with": (_NESTED, "list of identifiers of findings that say the opposite"),
    "duplicate_of": (_TEXT, "identifier of the finding with the same words"),
}
SURFACES_COLUMNS: Final[Columns] = {
    "slug": (_TEXT, "identifier of the platform"),
    "name": (_TEXT, "display name"),
    "surface": (_TEXT, "subject"),
    "risk": (_TEXT, "level of the surface as the service gave it; missing where nothing was found"),
    "level": (_LEVEL, "the same as an ordered level"),
    "count": (_COUNT, "number of findings"),
    "state": (_TEXT, "found, quiet (read and nothing found) or unread (not known)"),
}
TRAINING_USE_COLUMNS: Final[Columns] = {
    "slug": (_TEXT, "identifier of the platform"),
    "name": (_TEXT, "display name"),
    "rating": (_TEXT, "rating as the service gave it"),
    "level": (_LEVEL, "the rating as an ordered level"),
    "stance": (_TEXT, "answer on training use"),
    "consumer_stance": (_TEXT, "answer for consumers"),
    "business_stance": (_TEXT, "answer for business users"),
    "decided_by": (_NESTED, "list of identifiers of the findings that decided"),
}
DOCUMENTS_COLUMNS: Final[Columns] = {
    "slug": (_TEXT, "identifier of the platform"),
    "name": (_TEXT, "display name"),
    "document": (_TEXT, "name of the document"),
    "captured_at": (TIME, "time of the text that is current"),
    "newest_capture_at": (TIME, "time of the newest capture, good or broken"),
    "snapshot_sha256": (_TEXT, "hash of the text that is current"),
    "state": (_TEXT, "good, stale, broken or not_a_policy"),
    "check": (_TEXT, "name of the check that decided"),
    "archive_url": (_TEXT, "link to the archive"),
}
CHANGES_COLUMNS: Final[Columns] = {
    "change_id": (_TEXT, "identifier of the change"),
    "slug": (_TEXT, "identifier of the platform"),
    "name": (_TEXT, "display name"),
    "document": (_TEXT, "name of the document"),
    "reviewed_at": (TIME, "time of the capture that showed it"),
    "change_class": (_TEXT, "material, wording, format, revert, capture_failure or technical"),
    "surfaces": (_NESTED, "list of surfaces touched"),
    "direction": (_TEXT, "up, down, mixed or none: what it does to the risk"),
    "rating_before": (_TEXT, "rating before"),
    "rating_after": (_TEXT, "rating after"),
    "stance_before": (_TEXT, "stance before"),
    "stance_after": (_TEXT, "stance after"),
    "snapshot_before": (_TEXT, "hash of the text before"),
    "snapshot_after": (_TEXT, "hash of the text after"),
    "added": (_NESTED, "list of findings that are new or rewritten"),
    "removed": (_NESTED, "list of findings that are gone or were rewritten"),
    "altered": (_NESTED, "list of rewritten sentences: before, after, surface"),
    "cause": (_NESTED, "list of findings and rules that moved the rating"),
    "summary": (_TEXT, "one line"),
    "url": (_TEXT, "public page"),
}
COVERAGE_COLUMNS: Final[Columns] = {
    "as_of": (TIME, "day that the counts speak of"),
    "tracked": (_COUNT, "platforms tracked"),
    "verified": (_COUNT, "of them verified"),
    "partial": (_COUNT, "of them with a document that is no policy or not readable"),
    "stale": (_COUNT, "of them with a broken newest capture"),
    "unverified": (_COUNT, "of them not read"),
    "surfaces": (_NESTED, "mapping of surface to the number of platforms with a finding"),
}
HISTORY_COLUMNS: Final[Columns] = {
    "slug": (_TEXT, "identifier of the platform"),
    "name": (_TEXT, "display name"),
    "date": (TIME, "day that the state speaks of"),
    "rating": (_TEXT, "rating at the end of that day"),
    "level": (_LEVEL, "the rating as an ordered level"),
    "known": ("bool", "False where the state of that day cannot be known"),
}


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
    series = {
        name: _series(list(column), dtype)
        for (name, (dtype, _)), column in zip(columns.items(), values, strict=True)
    }
    return pd.DataFrame(series, index=pd.RangeIndex(len(rows)))


def _series(values: list[Any], dtype: str) -> pd.Series[Any]:
    """Return one column with its dtype; what does not fit is missing."""
    if dtype == _LEVEL:
        return pd.Series(level_of(values))
    if dtype == TIME:
        return pd.Series(pd.to_datetime(_by_value(values, _time), utc=True), dtype=TIME)
    if dtype == _TEXT:
        return pd.Series([_text(value) for value in values], dtype="str")
    if dtype in (_COUNT, _NUMBER):
        kinds = (int,) if dtype == _COUNT else (int, float)
        kept = [value if _is_number(value, kinds) else None for value in values]
        return pd.Series(kept, dtype=dtype)
    if dtype == _NESTED:
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
    time = pd.to_datetime(value, utc=True, errors="coerce")
    return time if time is pd.NaT or 1990 <= time.year <= 2200 else pd.NaT


def _text(value: object) -> str | None:
    """Return a value as text; nested ones by their Python form."""
    if value is None or isinstance(value, str):
        return value
    return str(value)


def _is_number(value: object, kinds: tuple[type, ...]) -> bool:
    """Say whether a value is a number that the column holds."""
    return isinstance(value, kinds) and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**62


def platforms_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return list records (specification section 2.2) with `PLATFORMS_COLUMNS`."""
    rows = [
        (
            r.get("id", r.get("slug")), r.get("name"), r.get("website"), r.get("rating"), r.get("rating"),
            r.get("risk_reason"), r.get("last_reviewed"), r.get("verification", r.get("verification_status")), r.get("url"),
        )
        for r in records
    ]  # fmt: skip
    return frame_of(PLATFORMS_COLUMNS, rows)


def findings_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return findings with `FINDINGS_COLUMNS`.

    Parameters
    ----------
    records : iterable of mapping
        Findings (specification section 2.4), each with `slug` and `name` of its platform; provenance nested
        under `provenance` or `source`, or flat.
    """
    return frame_of(FINDINGS_COLUMNS, [_finding_row(record) for record in records])


_NOTHING: Final[Json] = {}


def _finding_row(r: Json) -> tuple[object, ...]:
    """Return one finding in the order of the columns."""
    source: Json = next((part for part in (r.get("provenance"), r.get("source")) if isinstance(part, Mapping)), r)
    scope = r.get("scope")
    if not isinstance(scope, Mapping):
        scope = _NOTHING
    interval = r.get("confidence_interval")
    low, high = interval if isinstance(interval, list | tuple) and len(interval) == 2 else (None, None)
    conflicts = r.get("conflicts_with")
    risk = r.get("risk")
    return (
        r.get("slug"), r.get("name"), r.get("id"), source.get("document"), r.get("surface"), risk, risk,
        r.get("polarity"), r.get("confidence"), low, high, r.get("quote"), r.get("rule"), scope.get("audience"),
        scope.get("region"), scope.get("product"), r.get("verification_status"), source.get("snapshot_sha256"),
        source.get("archive_url", source.get("url")), source.get("start"), source.get("end"),
        source.get("captured_at"), conflicts if isinstance(conflicts, list) else [], r.get("duplicate_of"),
    )  # fmt: skip


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
        told = _surfaces_told(record)
        for surface in (*SURFACES, *(name for name in told if name not in SURFACES)):
            risk, count, state = told.get(surface, (None, None, "unread"))
            rows.append((record.get("slug"), record.get("name"), surface, risk, risk, count, state))
    return frame_of(SURFACES_COLUMNS, rows)


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
    rows = []
    for r in records:
        use = r.get("training_use")
        use = use if isinstance(use, Mapping) else _NOTHING
        decided = use.get("decided_by")
        rows.append((
            r.get("slug"), r.get("name"), r.get("rating"), r.get("rating"), use.get("stance"), use.get("consumer_stance"),
            use.get("business_stance"), decided if isinstance(decided, list) else [],
        ))  # fmt: skip
    return frame_of(TRAINING_USE_COLUMNS, rows)


def documents_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a row per document of machine platforms with `DOCUMENTS_COLUMNS`."""
    rows = [
        (
            r.get("slug"), r.get("name"), d.get("document"), d.get("captured_at"),
            d.get("newest_capture_at", d.get("captured_at")), d.get("snapshot_sha256"), d.get("state"), d.get("check"),
            d.get("archive_url"),
        )
        for r in records
        for d in _records(r.get("documents"))
    ]  # fmt: skip
    return frame_of(DOCUMENTS_COLUMNS, rows)


def changes_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return re-reviews with `CHANGES_COLUMNS`."""
    lists = ("added", "removed", "altered", "cause")
    rows = [
        (
            r.get("id"), r.get("platform", r.get("slug")), r.get("name"), r.get("document"),
            r.get("reviewed_at", r.get("date")), r.get("class", r.get("change_class")), _listed(r.get("surfaces")),
            r.get("direction"), r.get("rating_before"), r.get("rating_after"), r.get("stance_before"),
            r.get("stance_after"), r.get("snapshot_before"), r.get("snapshot_after"),
            *(_records(r.get(name)) for name in lists), r.get("summary"), r.get("url"),
        )
        for r in records
    ]  # fmt: skip
    return frame_of(CHANGES_COLUMNS, rows)


def _listed(value: object) -> list[Any]:
    """Return a list as it is, one text as a list of it, nothing else."""
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) else []


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
