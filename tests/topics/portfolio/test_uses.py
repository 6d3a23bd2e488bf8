"""The uses of a portfolio: what changed since each approval, and who is exposed to what."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd

from riskanalytics.topics.portfolio import chart, portfolio_exposure, portfolio_uses, section, unread_days, use_sentence
from riskanalytics.topics.portfolio.reading import attributes_of
from tests.frames_given import CHANGES, PLATFORMS, given
from tests.topics.given import HOSTILE, read

TRACKED = given(
    PLATFORMS,
    {"slug": "opal", "rating": "HIGH"},
    {"slug": "tarn", "rating": "LOW"},
    {"slug": "lens", "rating": "UNRATED"},
)
SINCE = date(2026, 7, 1)


def change(slug: str, day: str, kind: str = "material", before: str | None = None) -> dict[str, Any]:
    return {"slug": slug, "reviewed_at": f"{day}T12:00:00Z", "change_class": kind, "rating_before": before}


RECORDED = given(
    CHANGES,
    change("opal", "2026-07-02", "wording", "MED"),
    change("opal", "2026-05-02", before="LOW"),
    change("opal", "2026-05-01", before="HIGH"),
    change("opal", "2026-06-30"),
    {**change("opal", "2026-07-01"), "reviewed_at": None},
    {**change("tarn", "2026-07-01"), "reviewed_at": "2026-07-01T00:00:00Z"},
)


def used(*rows: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(rows)
    return frame[["slug"]].assign(row=range(1, len(rows) + 1)).join(attributes_of(frame.drop(columns="slug")))


def test_changes_count_from_the_day_after_the_approval_or_from_the_beginning_of_the_period() -> None:
    rows = [
        {"slug": "opal", "approved on": "1.5.2026", "users": "1,200"},
        {"slug": "opal", "approved on": "03/04/2026", "users": "about 5"},
        {"slug": "tarn", "approved on": None, "users": "7"},
        {"slug": "tarn", "approved on": "2026-07-01", "users": None},
        {"slug": "opal", "approved on": "2027-01-01", "users": "1 200 000"},
        {"slug": "opal", "approved on": "2026-06-29", "users": "1'200"},
        {"slug": "tarn", "approved on": "30 Jun 2026", "users": "1.200"},
    ]
    result = portfolio_uses(used(*rows), TRACKED, RECORDED, SINCE)
    plain = result.astype("object").where(result.notna(), None)
    assert plain[["row", "name", "rating", "rating_before", "material", "approved", "users"]].values.tolist() == [
        [1, "Opal", "HIGH", "LOW", 2, True, 1200],
        [2, "Opal", "HIGH", None, None, False, None],  # 3 April or 4 March
        [3, "Tarn", "LOW", "LOW", 1, False, 7],
        [4, "Tarn", "LOW", "LOW", 0, True, None],
        [5, "Opal", "HIGH", "HIGH", 0, True, 1_200_000],
        [6, "Opal", "HIGH", "MED", 1, True, 1200],
        [7, "Tarn", "LOW", "LOW", 1, True, 1200],
    ]
    days = ["2026-05-01", "03/04/2026", None, "2026-07-01", "2027-01-01", "2026-06-29", "2026-06-30"]
    assert plain["approved_on"].tolist() == days
    assert use_sentence(result) == (
        "Of 7 uses of 2 platforms, 4 are on platforms rated HIGH; Opal and Tarn changed materially since approval; "
        "1 day of approval cannot be read: write YYYY-MM-DD."
    )
    assert unread_days(result) == ["row 2, opal: the day of approval '03/04/2026' cannot be read: write YYYY-MM-DD"]


def test_the_rating_on_the_day_of_approval_is_that_of_the_data_of_that_day() -> None:
    rows = [
        {"slug": "opal", "approved on": "15 May 2026"},
        {"slug": "tarn", "approved on": "May 15, 2026"},
        {"slug": "tarn"},
    ]
    then = {"2026-05-15": TRACKED[TRACKED["slug"] == "opal"].assign(rating="UNRATED")}
    result = portfolio_uses(used(*rows), TRACKED, RECORDED, SINCE, then)
    assert result["approved_on"].tolist()[:2] == ["2026-05-15"] * 2
    assert result["rating_before"].astype("object").where(result["rating_before"].notna(), None).tolist() == [
        "UNRATED", None, "LOW",
    ]  # fmt: skip


def test_a_text_that_is_no_day_and_a_count_of_users_that_is_no_number_are_left_out() -> None:
    rows = [
        {"slug": "opal", "approved on": "0000-00-00", "users": "9" * 25},
        {"slug": "opal", "approved on": "2026-02-31", "users": "7.0"},
        {"slug": "opal", "approved on": "20260501", "users": "12.50"},
    ]
    result = portfolio_uses(used(*rows), TRACKED, RECORDED, SINCE)
    assert result["approved"].tolist() == [False, False, False]
    assert result["users"].astype("object").where(result["users"].notna(), None).tolist() == [None, 7, None]


def test_without_a_portfolio_each_platform_is_one_use_and_unknown_changes_are_missing() -> None:
    result = portfolio_uses(None, TRACKED, None, SINCE)
    assert result["slug"].tolist() == ["opal", "tarn", "lens"]
    assert result[["rating_before", "material", "owner", "row"]].isna().all(axis=None)
    assert use_sentence(result) == "Of 3 uses of 3 platforms, 1 is on a platform rated HIGH."
    assert portfolio_uses(None, TRACKED[:0], RECORDED[:0], SINCE).dtypes.to_dict() == result.dtypes.to_dict()


def test_exposure_counts_uses_by_owner_and_data_class_the_worst_first() -> None:
    rows = [
        {"slug": "tarn", "owner": "Bo", "data class": "public", "users": "2"},
        {"slug": "opal", "owner": "ann", "data class": "Secret", "users": None},
        {"slug": "opal", "owner": "Ann", "data class": "secret", "users": "3"},
        {"slug": "lens", "owner": None, "data class": "public", "users": None},
    ]
    levels = [("Al", "lens"), ("Al", "tarn"), ("Cy", "reef"), ("cy", "tarn"), ("Di", "reef")]
    middle = used(*({"slug": slug, "owner": owner} for owner, slug in levels))
    more = pd.concat([TRACKED, given(PLATFORMS, {"slug": "reef", "rating": "MED"})])
    counted = portfolio_exposure(portfolio_uses(middle, more, None, SINCE))
    assert counted[["group", "med"]].values.tolist() == [["Cy", 1], ["Di", 1], ["Al", 0], ["not given", 2]]
    result = portfolio_exposure(portfolio_uses(used(*rows), TRACKED, None, SINCE))
    assert result.astype("object").where(result.notna(), None).values.tolist() == [
        ["owner", "ann", 2, 0, 0, 0, 2, 1, 3],
        ["owner", "Bo", 0, 0, 0, 1, 1, 1, 2],
        ["owner", "not given", 0, 0, 1, 0, 1, 1, None],
        ["data_class", "Secret", 2, 0, 0, 0, 2, 1, 3],
        ["data_class", "public", 0, 0, 1, 1, 2, 2, 2],
    ]
    drawn = chart.portfolio_exposure(result, by="data_class")
    assert drawn.title == "2 of 4 uses are on platforms rated HIGH; data class with most: Secret 2 of 2"
    assert drawn.words == "2 of 4 uses are on platforms rated HIGH. By data class: Secret 2 of 2, public 0 of 2."
    assert {bar.name: (list(bar.x), list(bar.text)) for bar in drawn.figure.data} == {
        "HIGH": ([2, 0], ["H 2", ""]), "MED": ([0, 0], ["", ""]), "UNKNOWN": ([0, 1], ["", "? 1"]), "LOW": ([0, 1], ["", "L 1"]),
    }  # fmt: skip
    assert drawn.figure.layout.xaxis.dtick == 1
    assert drawn.table["group"].tolist() == ["Secret", "public"]
    many = chart.portfolio_exposure(result.assign(uses=60, group=HOSTILE))
    assert many.figure.layout.xaxis.dtick == 10
    assert "<script" not in many.title


def test_the_table_of_uses_has_the_columns_that_the_portfolio_gives() -> None:
    rows = [
        {"slug": "opal", "approved on": "2026-05-01", "plan": HOSTILE, "owner": "Ann", "users": "1,200"},
        {"slug": "tarn"},
    ]
    words = section.portfolio_uses(portfolio_uses(used(*rows), TRACKED, RECORDED, SINCE))
    assert (
        words.text == "Of 2 uses of 2 platforms, 1 is on a platform rated HIGH; Opal changed materially since approval."
    )
    assert "|Platform|Rating|Then|Changes since|Approved|Used by|Users|" in read(words.html)
    assert read(words.html).endswith(
        "|1,200|Tarn|LOW|LOW|1|"
        "“Then” is the day of approval or, without one, the beginning of the period. Only material changes count.|"
    )
    assert "|Opal|HIGH|LOW|2|2026-05-01|Ann, " in read(words.html)
    assert "<script" not in words.html
    bare = section.portfolio_uses(portfolio_uses(None, TRACKED, None, SINCE))
    assert "|Platform|Rating|Then|Used by|Opal|HIGH|" in read(bare.html)
