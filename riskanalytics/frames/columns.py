"""Columns of all frames: dtype and meaning.

Columns for fields that the service sends are derived from `models`: the type of a field gives the dtype, its description the
meaning. Other columns are declared here. Text is `str`, times are `datetime64[us, UTC]`, counts `Int64`, numbers `Float64`, yes
or no `boolean`, nested values `object`. A `rating` is an ordered category, so that `frame[frame.risk >= "MED"]` keeps MED and HIGH:
it contains the ratings of the service unchanged, and unknown ones sort below `UNRATED`, `LOW`, `MED` and `HIGH`. A `level`
has the categories `LEVELS` in every frame: anything that is not exactly a known rating is `UNKNOWN`.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics.models import LEVELS, RATINGS, UNRATED
from riskanalytics.models.base import Path, Record, WireField, fields_of
from riskanalytics.models.parts import Bin, Finding, ShareOfCount, StatedDate
from riskanalytics.models.records import Change, Coverage, Document, Platform, PlatformHead, SurfaceLevel

Columns = dict[str, tuple[str, str]]
"""Column -> (dtype, meaning)."""

RATED: Final = (UNRATED, *RATINGS)
"""Categories of every rating column, in order; unknown words sort below them."""
LEVEL_DTYPE: Final = pd.CategoricalDtype(list(LEVELS), ordered=True)
TIME: Final = "datetime64[us, UTC]"
TEXT, COUNT, NUMBER, YES, NESTED, RATING, LEVEL = "str", "Int64", "Float64", "boolean", "object", "rating", "level"
_DTYPES: Final = {str: TEXT, int: COUNT, float: NUMBER, bool: YES, list: NESTED, dict: NESTED}


class Place(NamedTuple):
    """Where a column's values are found in a record.

    A path is a tuple of keys and positions, such as `("source", "start")`. Of several paths, the first that
    exists in the record is used.

    Parameters
    ----------
    inside : tuple of tuple
        For each nested record that contains the field, the outermost first, its possible paths; empty if the field is not in a
        nested record.
    paths : tuple of tuple
        Possible paths of the field in the innermost of these records.
    field : WireField or None
        Declaration of the field, by which lists and mappings are converted; None if the values need no conversion.
    """

    inside: tuple[tuple[Path, ...], ...]
    paths: tuple[Path, ...]
    field: WireField | None = None


class Table(dict[str, tuple[str, str]]):
    """Columns of a frame of records, in order: column -> (dtype, meaning).

    Parameters
    ----------
    columns : dict
        Column -> (dtype, meaning).
    places : dict
        Column -> where its value is found in a record, for columns that are read from a record.
    """

    def __init__(self, columns: Columns, places: dict[str, Place]) -> None:
        super().__init__(columns)
        self.places = places


def _texts(**meanings: str) -> Columns:
    """Return columns of text."""
    return {name: (TEXT, meaning) for name, meaning in meanings.items()}


_SHARED: Final = _texts(
    slug="Slug of the platform.",
    name="Name of the platform.",
    surface="Subject.",
    state="known, untracked (not yet on that day) or not known (not reported by the server).",
    labels="Part of the labels: test, unseen, calibrate or given.",
    decided_by="all, hand_written or learned.",
    measure="precision (right, of all shown), recall (found, of firm labels), high (right, of those shown as HIGH), level, "
    "polarity (right, of those right), sure (right, of a confidence of .95 or more), leads (among the leads, of labels "
    "missed), calibration_error",
    endpoint="Path of the endpoint, without its values.",
) | {
    LEVEL: (LEVEL, "Rating or risk as a known level, else UNKNOWN; ordered."),
    "date": (TIME, "Day of the state."),
    "confidence_low": (NUMBER, "Lower bound of the confidence."),
    "confidence_high": (NUMBER, "Upper bound of the confidence."),
}
"""Columns that are not fields of a record; a `level` is derived from `rating` or `risk`."""


def _rating(name: str, meaning: str) -> tuple[str, str]:
    """Return the dtype and the meaning of a rating column."""
    return RATING, f"{meaning} The service's word, ordered ({name} >= 'MED'): unknown words sort below all known ones."


def table_of(record: type[Record], first: str = "", without: str = "", **names: str) -> Table:
    """Return the columns of a frame for a kind of record: one for each field, including those of nested records.

    Parameters
    ----------
    record : type of Record
        Class that declares the record.
    first : str
        Names of the columns that come first, separated by spaces; the others follow in the order in which the service sends them.
    without : str
        Names of the fields that get no column, separated by spaces.
    **names : str
        Name of a field -> name of its column, if the names differ.
    """
    places = {names.get(name, name): place for name, place in _places(record, without.split())}
    fields = {name: _declared(name, place.field) for name, place in places.items() if place.field}
    known = _SHARED | fields
    columns = {name: known[name] for name in dict.fromkeys((*first.split(), *fields))}
    if LEVEL in columns:
        places[LEVEL] = places["rating" if "rating" in places else "risk"]
    return Table(columns, places)


def _places(record: type[Record], without: list[str], *inside: tuple[Path, ...]) -> Iterator[tuple[str, Place]]:
    """Yield the fields of a record and of nested records, by their names in Python."""
    for name, field in fields_of(record).items():
        if name in without:
            continue
        if field.record and field.record in field.kinds:
            for inner, place in _places(field.record, without, *inside, field.paths):
                yield (f"lead_in_{inner}" if name == "lead_in" else inner), place
        else:
            yield name, Place(inside, field.paths, field)


def _declared(name: str, field: WireField) -> tuple[str, str]:
    """Return the dtype and the meaning of a field's column."""
    meaning = field.info.description or ""
    if field.kinds == (str,) and set(RATINGS) <= set(field.words):
        return _rating(name, meaning)
    return TIME if field.timed else _DTYPES[field.kinds[0]], meaning


def _some(columns: Columns, names: str) -> Columns:
    """Return some columns of another frame."""
    return {name: columns[name] for name in names.split()}


PLATFORMS_COLUMNS: Final = table_of(
    Platform, "slug name website rating level risk_reason last_reviewed verification", id="slug"
)
FINDINGS_COLUMNS: Final = table_of(
    Finding,
    "slug name finding_id document surface risk level polarity confidence confidence_low confidence_high lead_in quote rule "
    "audience region product actor action object condition verification_status lead_in_start lead_in_end",
    "confidence_interval", id="finding_id", lead_in_quote="lead_in",
)  # fmt: skip
FINDINGS_COLUMNS.places |= {
    f"confidence_{bound}": Place((), (("confidence_interval", at),)) for at, bound in enumerate(("low", "high"))
}
SURFACES_COLUMNS: Final = table_of(SurfaceLevel, "slug name surface risk level count state to_read", "explanation")
_HEAD: Final = "website risk_reason last_reviewed verification_status"
TRAINING_USE_COLUMNS: Final = table_of(PlatformHead, "slug name rating level", _HEAD)
TRAINING_USE_COLUMNS[LEVEL] = (
    LEVEL,
    "Level of the surface training_use, else UNKNOWN; ordered. Of the platform: rating.",
)
del TRAINING_USE_COLUMNS.places[LEVEL]
DATED_SURFACES_COLUMNS: Final = Table({"date": (TIME, "Day of the level.")} | SURFACES_COLUMNS, SURFACES_COLUMNS.places)
STATES_COLUMNS: Final = table_of(PlatformHead, "slug name date state rating level", f"{_HEAD} decided_by")
DOCUMENTS_COLUMNS: Final = table_of(
    Document, "slug name document captured_at newest_capture_at snapshot_sha256 state check language read"
)
DATES_COLUMNS: Final = table_of(StatedDate, "slug name kind date period document quote")
CHANGES_COLUMNS: Final = table_of(Change, id="change_id", platform="slug")
COVERAGE_COLUMNS: Final = table_of(Coverage, "as_of", "extraction unfinished disclaimer")
ACCURACY_COLUMNS: Final = table_of(ShareOfCount, "labels surface measure", value="share")
ACCURACY_COLUMNS["surface"] = TEXT, "Surface; all for all together, hand_written and learned for what decided."
RELIABILITY_COLUMNS: Final = table_of(Bin, "labels decided_by from to stated", "families", value="share", from_="from")
HISTORY_COLUMNS: Final = {
    **_some(_SHARED, "slug name date"),
    "rating": _rating("rating", "Rating at the end of that day."),
    **_some(_SHARED, LEVEL),
    "known": ("bool", "False if the state on that day is not known."),
}
FAULTS_COLUMNS: Final = {
    **_some(_SHARED, "surface"),
    **_texts(kind="missed, false_alarm or level."),
    **_some(FINDINGS_COLUMNS, "slug document"),
    "risk": (RATING, "Level as labelled; missing for a false alarm."),
    "given": (RATING, "Level as found; missing for a missed clause."),
    **_some(FINDINGS_COLUMNS, "rule quote snapshot_sha256 start end"),
}
CONTRACT_COLUMNS: Final = {
    **_some(_SHARED, "endpoint"),
    **_texts(
        kind="missing (specified, but absent or null), retyped, unknown (a new field), unseen (a new value of an open set), "
        "lacking (an absent addition of our service), addition (a present one), more.",
        field="Path of the field in the answer: [] for each item of a list, {} for each value of a mapping.",
        observed="Value in the answer: absent, null, a kind of value, or the new value.",
        expected="Expected kind of value, or the known values.",
    ),
    "count": (COUNT, "Number of occurrences."),
    "of": (COUNT, "Number of records that could have the field."),
    **_texts(example="The first such answer, for example a slug."),
}
PROBLEMS_COLUMNS: Final = _texts(
    slug="Affected platform; missing if all are affected or it is not known.",
    what="What could not be read.",
    where="Requested path, with the day if any.",
)
ENDPOINTS_COLUMNS: Final = {
    **_some(_SHARED, "endpoint"),
    "answers": (COUNT, "Answers compared."),
    **_texts(state="compared, no key (not requested), not shown (not in the key's tier) or failed."),
    "status": (COUNT, "HTTP status of data not shown or failed."),
}
