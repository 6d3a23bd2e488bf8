"""Changes: periods are half-open, the worst come first, and the same columns for any rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from riskanalytics.models import CHANGE_CLASSES
from riskanalytics.topics import changes as analysis
from riskanalytics.topics.changes.clauses import changed_clauses, clause_pairs
from tests.frames_given import CHANGES, Market, given


def made(market: Market) -> list[pd.DataFrame]:
    material = analysis.material_changes(market.changes, "2020-01-01", "2030-01-01")
    return [
        material,
        analysis.change_noise(market.changes),
        analysis.changes_by_month(market.changes),
        changed_clauses(material),
    ]


def test_columns_and_dtypes_do_not_depend_on_the_rows() -> None:
    for none, one, many in zip(*(made(Market(size)) for size in (0, 1, 60)), strict=True):
        assert none.dtypes.to_dict() == one.dtypes.to_dict() == many.dtypes.to_dict()
        assert isinstance(many.index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    before = market.changes.copy(deep=True)
    first = made(market)
    pd.testing.assert_frame_equal(market.changes, before)
    market.changes = before.iloc[::-1].reset_index(drop=True)
    for result, earlier in zip(made(market), first, strict=True):
        pd.testing.assert_frame_equal(result, earlier)


def change(number: int, at: str | None, **more: Any) -> dict[str, Any]:
    row = {"change_id": f"c{number}", "slug": f"p{number}", "reviewed_at": at, "change_class": "material"}
    return row | {"rating_before": "MED", "rating_after": "MED", "direction": "none"} | more


def test_material_changes_are_half_open_in_utc_and_worst_first() -> None:
    changes = given(
        CHANGES,
        change(1, "2026-09-30T23:30:00-05:00", direction="down"),
        change(2, "2026-10-01T00:30:00+02:00"),
        change(3, "2026-10-01", direction="up"),
        change(4, "2026-10-09", rating_after="HIGH", direction="mixed"),
        change(5, "2026-10-09", direction="mixed"),
        change(6, "2026-11-01"),
        change(7, "2026-10-09", change_class="wording"),
        change(8, "2026-10-02", direction="unclear"),
        change(9, "2026-10-02", direction=None),
        change(10, "2026-10-02", direction="down", rating_after="LOW", name="Aa"),
        change(11, "2026-10-20", direction="unclear", name=""),
        change(12, "2026-10-03", direction="unclear", slug="p8"),
        change(13, "2026-10-03", change_class="novel"),
        change(14, "2026-10-03", change_class=None),
        change(15, None),
    )
    october = analysis.material_changes(changes, "2026-10-01", "2026-11-01")
    assert october["change_id"].tolist() == ["c4", "c3", "c5", "c11", "c8", "c12", "c10", "c1", "c9"]
    assert october["name"].tolist()[3] == "p11"
    pairs = (("MED", "HIGH"), ("MED", "LOW"), ("CRITICAL", "HIGH"), ("HIGH", None), ("HIGH", "HIGH"))
    assert [analysis.rating_direction(*pair) for pair in pairs] == ["up", "down", "unclear", "unclear", ""]
    noise = analysis.change_noise(changes, "2026-10-01", "2026-11-01").set_index("change_class")
    assert noise.loc["wording", ["changes", "total"]].tolist() == [1, 12]
    assert noise.index.tolist() == [*CHANGE_CLASSES, "not given", "novel"]
    totals = [
        analysis.change_noise(changes, *period)["total"][0] for period in ((), ("2026-11-01",), (None, "2026-10-01"))
    ]
    assert totals == [15, 1, 1]
    assert analysis.change_noise(changes[:0])["share"].isna().all()
    assert noise.index[noise["material"]].tolist() == ["material"]
    months = analysis.changes_by_month(changes, "2026-08-01", "2027-01-01")
    material = months[months["change_class"] == "material"]
    assert material[["changes", "total"]].values.tolist() == [[0, 0], [1, 1], [9, 12], [1, 1], [0, 0]]


def test_the_pair_that_moved_the_rating_comes_first() -> None:
    def finding(name: str, risk: str, surface: str) -> dict[str, str]:
        return {"id": name, "quote": f"words of {name}", "risk": risk, "surface": surface}

    lists: dict[str, Any] = {
        "removed": [finding("f1", "LOW", "training_use"), finding("f2", "HIGH", "ads_tracking")],
        "added": [finding("f3", "MED", "training_use")],
        "cause": [{"finding": "f3", "rule": "r1"}],
    }
    first, second = clause_pairs(lists)
    assert [side and side.id for side in (first.before, first.after, second.before, second.after)] == [
        "f1", "f3", "f2", None,
    ]  # fmt: skip
    assert (first.cause, second.cause) == (True, False)


def test_a_rating_came_back_where_any_change_of_the_period_led_it_back() -> None:
    sides = {"slug": "opal", "rating_before": "HIGH", "rating_after": "MED"}
    changes = given(
        CHANGES,
        change(1, "2026-10-02", rating_after="HIGH", slug="opal"),
        change(2, "2026-10-03", slug="opal"),
        change(3, "2026-10-09", change_class="revert", **sides),
        change(4, "2026-10-09", rating_after="HIGH"),
        change(5, "2026-11-02", rating_before="HIGH", slug="p4"),
        change(6, "2026-10-05", slug="quill", rating_after="HIGH"),
        change(7, "2026-10-02", slug="quill", rating_before="LOW"),
    )
    october = analysis.material_changes(changes, "2026-10-01", "2026-11-01").set_index("change_id")["came_back"]
    assert october.to_dict() == {"c1": True, "c2": False, "c4": False, "c6": False, "c7": False}
    always = analysis.material_changes(changes).set_index("change_id")["came_back"]
    assert always.to_dict() == {"c1": True, "c2": False, "c4": True, "c5": True, "c6": False, "c7": False}


def test_changes_without_a_time_are_not_one_move() -> None:
    rows = [{"slug": "opal", "change_id": name, "document": name, "rating_after": "HIGH"} for name in ("a", "b")]
    result = analysis.moved_together(given(CHANGES, *rows), "rating_after")
    assert [row["change_ids"] for row in result] == [["a"], ["b"]]


def test_changes_of_one_time_are_joined_with_all_their_clauses_only_if_they_had_the_same_effect() -> None:
    found = (("b", "HIGH", "Terms"), ("a", "HIGH", "Privacy"), ("c", "LOW", "Terms"))
    rows = [
        change(1, "2026-10-02", change_id=name, rating_after=rating, document=document)
        | {key: [f"{key} {name}"] for key in analysis.LISTS}
        for name, rating, document in found
    ]
    first, second = analysis.moved_together(given(CHANGES, *rows), "rating_before", "rating_after")
    assert (first["change_id"], first["change_ids"], first["document"]) == ("a", ["a", "b"], "Privacy, Terms")
    assert [first[key] for key in analysis.LISTS] == [[f"{key} a", f"{key} b"] for key in analysis.LISTS]
    assert (second["change_ids"], second["cause"], second["document"]) == (["c"], ["cause c"], "Terms")
    (joined,) = analysis.moved_together(given(CHANGES, *rows), "rating_before")
    assert (joined["change_ids"], joined["document"]) == (["a", "b", "c"], "Privacy, Terms")
