"""A period is compared with earlier ones of equal length only as far back as changes are recorded."""

from __future__ import annotations

from typing import Any

import pandas as pd

from riskanalytics.topics.changes import equal_periods
from riskanalytics.topics.changes.section import equal_periods as section
from tests.frames_given import CHANGES, HISTORY, Market, given


def change(at: str, slug: str = "a", kind: str = "material") -> dict[str, Any]:
    return {"change_id": at + slug, "slug": slug, "reviewed_at": at, "change_class": kind}


RECORDED = given(
    CHANGES,
    change("2026-10-01", kind="wording"),
    change("2026-10-05"),
    change("2026-10-11"),
    change("2026-10-15", slug="b"),
    change("2026-10-20T23:59:59"),
    change("2026-10-21"),
    change("2026-10-31"),
)


def test_earlier_periods_touch_and_none_begins_before_the_first_change_on_record() -> None:
    periods = equal_periods(RECORDED, "2026-10-21", "2026-10-31")
    assert [f"{since:%m-%d}" for since in periods["since"]] == ["10-01", "10-11", "10-21"]
    assert periods["until"].tolist()[:-1] == periods["since"].tolist()[1:]
    assert periods["changes"].tolist() == [1, 3, 1]
    assert set(periods["first_change"]) == {pd.Timestamp("2026-10-01", tz="UTC")}
    longer = equal_periods(RECORDED, "2026-10-20", "2026-10-31")
    assert longer["changes"].tolist() == [2, 2]


def test_changes_of_other_platforms_do_not_count_but_date_the_beginning_of_the_record() -> None:
    periods = equal_periods(RECORDED, "2026-10-21", "2026-10-31", ["b"])
    assert periods["changes"].tolist() == [0, 1, 0]


def test_at_most_the_requested_number_of_earlier_periods_is_counted() -> None:
    assert len(equal_periods(RECORDED, "2026-10-30", "2026-10-31", most=4)) == 5


def test_no_day_no_record_and_unknown_changes_are_one_row_each_of_the_same_columns() -> None:
    empty, none = equal_periods(RECORDED, "2026-11-01", "2026-11-01"), Market(0).changes
    unknown, blank = (equal_periods(frame, "2026-10-21", "2026-10-31") for frame in (None, none))
    assert [len(frame) for frame in (empty, unknown, blank)] == [1, 1, 1]
    assert empty.dtypes.to_dict() == unknown.dtypes.to_dict() == blank.dtypes.to_dict()
    assert unknown["changes"].isna().all()
    assert blank["changes"].tolist() == [0]


def test_platforms_not_yet_tracked_are_reported_next_to_the_counts() -> None:
    rows = [{"slug": slug, "date": f"2026-{day}", "known": True} for day, slug in
            (("10-10", "a"), ("10-20", "a"), ("10-20", "b"), ("10-21", "c"), ("10-31", "a"), ("10-31", "b"))]  # fmt: skip
    history = given(HISTORY, *rows)
    periods = equal_periods(RECORDED, "2026-10-21", "2026-10-31", history=history)
    assert periods["platforms"].tolist() == [pd.NA, 1, 2]
    assert (
        "Platforms tracked at the end of the month before: 2 for this period, 1 for the earlier ones (not known for 1 of them)"
        in section(periods).html
    )
    some = equal_periods(RECORDED, "2026-10-21", "2026-10-31", history=history.assign(known=history["slug"] != "b"))
    assert some["platforms"].tolist() == [pd.NA, 1, pd.NA]
    untold = equal_periods(RECORDED, "2026-10-21", "2026-10-31", history=history.assign(known=False))
    assert untold["platforms"].isna().all()
    assert "not known for this period, not known for the earlier ones." in section(untold).html


def test_a_day_long_before_the_record_is_accepted() -> None:
    assert equal_periods(RECORDED, "0001-01-02", "2026-10-31")["changes"].tolist() == [5]
