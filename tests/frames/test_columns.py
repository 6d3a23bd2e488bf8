"""Columns come from the records of the wire; their names, order and dtypes are what readers rely on."""

from __future__ import annotations

import pandas as pd
import pytest
from pydantic import AliasChoices, AliasPath, Field

from riskanalytics import frames
from riskanalytics.frames.building import table_frame
from riskanalytics.frames.columns import table_of
from riskanalytics.models.base import Rating, Record, Time

DTYPES = {
    "text": "str",
    "count": "Int64",
    "number": "Float64",
    "nested": "object",
    "time": "datetime64[us, UTC]",
    "level": "level",
    "rating": "rating",
    "bool": "bool",
    "boolean": "boolean",
}
PINNED = {
    "ACCURACY_COLUMNS": (
        "labels surface measure share:number low:number high:number part:count whole:count families:count"
    ),
    "CHANGES_COLUMNS": (
        "change_id slug name document reviewed_at:time change_class surfaces:nested direction "
        "directions:nested rating_before:rating rating_after:rating stance_before stance_after snapshot_before "
        "snapshot_after added:nested removed:nested altered:nested cause:nested silent_edit:boolean summary url"
    ),
    "CONTRACT_COLUMNS": ("endpoint kind field observed expected count:count of:count example"),
    "COVERAGE_COLUMNS": (
        "as_of:time tracked:count verified:count partial:count stale:count unverified:count surfaces:nested"
    ),
    "DATED_SURFACES_COLUMNS": (
        "date:time slug name surface risk:rating level:level count:count state to_read:count decided_by:nested read_by"
    ),
    "DATES_COLUMNS": (
        "slug name kind date:time period document quote snapshot_sha256 archive_url start:count end:count captured_at:time "
        "document_url"
    ),
    "DOCUMENTS_COLUMNS": (
        "slug name document captured_at:time newest_capture_at:time snapshot_sha256 state check language read:boolean archive_url "
        "document_url"
    ),
    "ENDPOINTS_COLUMNS": ("endpoint answers:count state status:count"),
    "FAULTS_COLUMNS": (
        "surface kind slug document risk:rating given:rating rule quote snapshot_sha256 start:count end:count"
    ),
    "FINDINGS_COLUMNS": (
        "slug name finding_id document surface risk:rating level:level polarity confidence:number "
        "confidence_low:number confidence_high:number lead_in quote rule audience region product actor action object "
        "condition verification_status lead_in_start:count lead_in_end:count read_by snapshot_sha256 archive_url start:count "
        "end:count captured_at:time document_url "
        "conflicts_with:nested duplicate_of"
    ),
    "HISTORY_COLUMNS": ("slug name date:time rating:rating level:level known:bool"),
    "PLATFORMS_COLUMNS": (
        "slug name website rating:rating level:level risk_reason last_reviewed:time verification url"
    ),
    "PROBLEMS_COLUMNS": ("slug what where"),
    "RELIABILITY_COLUMNS": (
        "labels decided_by from:number to:number stated:number share:number low:number high:number part:count "
        "whole:count"
    ),
    "STATES_COLUMNS": ("slug name date:time state rating:rating level:level stance consumer_stance business_stance"),
    "SURFACES_COLUMNS": (
        "slug name surface risk:rating level:level count:count state to_read:count decided_by:nested read_by"
    ),
    "TRAINING_USE_COLUMNS": (
        "slug name rating:rating level:level stance consumer_stance business_stance decided_by:nested"
    ),
}
"""Columns in order; those without a word are text."""


class Place(Record):
    """A record inside another."""

    floor: int = Field(description="Number of the floor.")


class Room(Record):
    """A record made up."""

    id: str = Field(validation_alias=AliasChoices("id", "no", AliasPath("door", 0)), description="Number of the room.")
    rating: Rating = Field(description="How good it is.")
    painted_at: Time = Field(description="Day of its paint.")
    place: Place
    doors: list[str] = Field(description="Their numbers.")
    walls: dict[str, int] = Field(description="Side -> metres.")
    height: float | None = Field(None, description="Metres.")


ROOMS = table_of(Room, "number rating level", id="number")


@pytest.mark.parametrize("name", PINNED)
def test_names_order_and_dtypes_of_a_frame_do_not_change(name: str) -> None:
    words = (word.partition(":") for word in PINNED[name].split())
    expected = [(column, DTYPES[dtype or "text"]) for column, _, dtype in words]
    assert [(column, dtype) for column, (dtype, _) in getattr(frames, name).items()] == expected


def test_every_frame_is_pinned_and_every_column_says_what_it_means() -> None:
    declared = {name for name in vars(frames.columns) if name.endswith("_COLUMNS")}
    assert declared == set(PINNED)
    assert [name for name in declared for _, meaning in getattr(frames, name).values() if not meaning] == []


def test_a_field_of_a_record_is_a_column_with_its_dtype_and_meaning() -> None:
    assert ROOMS == {
        "number": ("str", "Number of the room."),
        "rating": (
            "rating",
            "How good it is. The service's word, ordered (rating >= 'MED'): unknown words sort below all known ones.",
        ),
        "level": ("level", "Rating or risk as a known level, else UNKNOWN; ordered."),
        "painted_at": ("datetime64[us, UTC]", "Day of its paint."),
        "floor": ("Int64", "Number of the floor."),
        "doors": ("object", "Their numbers."),
        "walls": ("object", "Side -> metres."),
        "height": ("Float64", "Metres."),
    }
    assert list(table_of(Room, "height", without="place doors walls rating")) == ["height", "id", "painted_at"]


def test_values_are_read_at_their_place_and_under_alternative_names() -> None:
    result = {
        "id": "4",
        "rating": "HIGH",
        "painted_at": "2026-03-05",
        "place": {"floor": 2},
        "doors": ["a"],
        "height": 3,
    }
    frame = table_frame(
        ROOMS, [result, {"id": None, "no": "5", "place": 7, "doors": 1, "walls": {"n": 2}}, {"door": ["6"]}]
    )
    assert frame["number"].tolist() == ["4", "5", "6"]
    assert frame["level"].tolist() == ["HIGH", "UNKNOWN", "UNKNOWN"]
    assert frame["painted_at"][0] == pd.Timestamp("2026-03-05", tz="UTC")
    assert frame["floor"].isna().tolist() == [False, True, True]
    assert frame["doors"].tolist() == [["a"], [], []]
    assert frame["walls"].tolist() == [{}, {"n": 2}, {}]
