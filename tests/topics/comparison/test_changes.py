"""What changed where platforms differ: nothing else is listed, and nothing of other surfaces."""

from __future__ import annotations

from riskanalytics.topics.comparison import comparison_changes, comparison_shown
from tests.frames_given import CHANGES, given
from tests.topics.comparison.given import AURELIA, OPAL, TARN, cell, compared_from


def test_changes_that_moved_the_risk_on_differing_surfaces_come_latest_first() -> None:
    silent = cell(AURELIA, "output_rights", "LOW"), cell(OPAL, "output_rights")
    frame = compared_from(cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"), *silent)
    row = {"slug": OPAL, "change_class": "material", "direction": "up", "surfaces": ["ads_tracking", "human_review"]}
    found = [{"id": "x", "surface": "ads_tracking", "quote": "q"}, {"id": "y", "surface": "human_review", "quote": "r"}]
    found.append({"id": "z", "surface": None, "quote": "s"})
    changes = given(
        CHANGES,
        {
            **row,
            "change_id": "old",
            "reviewed_at": "2026-01-02",
            **dict.fromkeys(("added", "removed", "altered"), found),
        },
        {**row, "change_id": "new", "reviewed_at": "2026-03-02", "direction": "mixed", "surfaces": ["output_rights"]},
        {**row, "change_id": "early", "reviewed_at": "2025-12-31"},
        {**row, "change_id": "late", "reviewed_at": "2026-08-01"},
        {**row, "change_id": "still", "reviewed_at": "2026-03-02", "direction": "none"},
        {**row, "change_id": "elsewhere", "reviewed_at": "2026-03-02", "surfaces": ["human_review"]},
        {**row, "change_id": "other", "reviewed_at": "2026-03-02", "slug": TARN},
    )
    moved = comparison_changes(changes, frame, "2026-01-01", "2026-08-01")
    assert list(moved["change_id"]) == ["new", "old"]
    assert moved["surfaces"].iloc[1] == ["ads_tracking"]
    assert [[item["id"] for item in moved[key].iloc[1]] for key in ("added", "removed", "altered")] == [["x"]] * 3


def test_the_latest_changes_of_each_platform_are_shown_in_full() -> None:
    frame = compared_from(cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"))
    frame["label"] = "Lumen (" + frame["slug"] + ")"
    row = {"change_class": "material", "direction": "down", "surfaces": ["ads_tracking"]}
    rows = [
        {**row, "slug": slug, "change_id": f"{slug}-{month}", "reviewed_at": f"2026-0{month}-02"}
        for slug in (OPAL, AURELIA)
        for month in (1, 2, 3)
    ]
    shown = comparison_shown(comparison_changes(given(CHANGES, *rows), frame))
    assert shown is not None
    assert list(shown["change_id"]) == [f"{slug}-{month}" for slug in (AURELIA, OPAL) for month in (3, 2)]
    assert list(shown["name"].unique()) == ["Lumen (aurelia-chat)", "Lumen (opal)"]
    assert comparison_shown(None) is None
