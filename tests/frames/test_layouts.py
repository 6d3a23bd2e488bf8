"""What the specification leaves open is read under the likely names, or refused in a sentence; nothing is lost silently."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics import frames
from riskanalytics.frames.layouts import unread
from riskanalytics.frames.records import parts_of

SHA = "ab" * 32
PLACE = {"snapshot_sha256": SHA, "start": 4, "end": 9, "archive_url": "https://a.example/x"}
BARE = {"quote": "Words.", "surface": "training_use", "risk": "HIGH"}
FINDING = {**BARE, "provenance": PLACE}
SNAPSHOT = {"sha256": SHA, "archive_url": "https://a.example/x"}
POSITION = {"type": "TextPositionSelector", "start": 4, "end": 9}
EXACT = {"type": "TextQuoteSelector", "exact": "Words."}
HEAD = {"slug": "opal", "name": "Opal", "rating": "HIGH"}


def findings(record: dict[str, Any]) -> list[list[Any]]:
    columns = ["slug", "name", "quote", "surface", "risk", "start", "end", "snapshot_sha256", "archive_url"]
    return frames.findings_frame(parts_of([record], "findings"))[columns].values.tolist()


@pytest.mark.parametrize(
    "record",
    [
        {**HEAD, "findings": [FINDING]},
        {**HEAD, "findings": {"training_use": [{**FINDING, "surface": None} | {"surface": "training_use"}]}},
        {**HEAD, "findings": {"training_use": [{name: FINDING[name] for name in ("quote", "risk", "provenance")}]}},
        {**HEAD, "findings": [{"surface": "training_use", "findings": [{"quote": "Words.", "risk": "HIGH", "provenance": PLACE}]}]},
        {**HEAD, "surfaces": {"training_use": {"count": 1, "findings": [FINDING]}}},
        {"slug": "opal", "data": {**HEAD, "findings": [FINDING]}},
        {"slug": "opal", "platform": {"name": "Opal"}, "citations": [FINDING]},
        {"slug": "opal", "@context": "https://schema.org", "@graph": [{"@type": "WebSite"}, {**HEAD, "findings": [FINDING]}]},
        {"slug": "opal", "json_ld": {"about": {**HEAD, "findings": [FINDING]}}},
    ],
    ids=["a list", "by surface", "by surface alone", "grouped", "inside surfaces", "enveloped", "nested head", "graph", "deeper"],
)  # fmt: skip
def test_findings_are_found_wherever_a_record_holds_them(record: dict[str, Any]) -> None:
    assert findings(record) == [["opal", "Opal", "Words.", "training_use", "HIGH", 4, 9, SHA, "https://a.example/x"]]
    assert unread(record) == []


@pytest.mark.parametrize(
    "place",
    [
        PLACE,
        {"provenance": PLACE},
        {"source": PLACE},
        {"provenance": {**PLACE, "start": "4", "end": "9"}},
        {"provenance": {"hash": f"sha256:{SHA.upper()}", "web_archive_url": "https://a.example/x", "offsets": POSITION}},
        {"provenance": {"sha256": SHA, "archive_url": "https://a.example/x", "text_offsets": [4, 9]}},
        {"provenance": {"snapshot": SNAPSHOT, "selector": POSITION}},
        {"provenance": {"snapshot": SNAPSHOT, "selector": [EXACT, POSITION]}},
        {"provenance": {"sha256": SHA, "archive_url": "https://a.example/x", "position": {"offset_start": 4, "length": 5}}},
    ],
)  # fmt: skip
def test_the_place_of_a_finding_is_read_flat_and_nested(place: dict[str, Any]) -> None:
    record = {**HEAD, "findings": [{**BARE, **place}]}
    assert findings(record)[0][5:] == [4, 9, SHA, "https://a.example/x"]
    assert unread(record) == []


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (HEAD, "in no form that can be read"),
        ({**HEAD, "findings": "none"}, "in no form that can be read"),
        ({**HEAD, "findings": [{**FINDING, "quote": None}]}, "1 of its 1 findings tell no quote"),
        ({**HEAD, "findings": [{**FINDING, "surface": 3}]}, "1 of its 1 findings tell no surface"),
        ({**HEAD, "findings": [BARE]}, "1 of its 1 findings tell no place"),
        ({**HEAD, "findings": [FINDING], "citation_count": 3}, "it counts 3 citations and gives 1"),
        (
            {**HEAD, "citations_available": False, "surfaces": {"training_use": {"count": 2}}},
            "not available with this key",
        ),
    ],
)
def test_what_cannot_be_read_is_said(record: dict[str, Any], said: str) -> None:
    assert any(said in sentence for sentence in unread(record))


def test_a_surface_that_is_not_told_is_never_called_none() -> None:
    record = {**HEAD, "findings": [{**FINDING, "surface": None}], "searched_without_result": [{"surface": None}]}
    assert "None" not in set(frames.surfaces_frame([record])["surface"])


@pytest.mark.parametrize(
    "row",
    [
        {"platform": "opal", "rating_before": "LOW", "rating_after": "HIGH", "reviewed_at": "2026-03-05"},
        {"platform": {"id": "opal"}, "previous_rating": "LOW", "current_rating": "HIGH", "date": "2026-03-05"},
        {"platform_id": "opal", "rating": {"before": "LOW", "after": "HIGH"}, "detected_at": "2026-03-05"},
        {"platform_slug": "opal", "before": {"rating": "LOW"}, "after": {"rating": "HIGH"}, "timestamp": "2026-03-05T00:00:00Z"},
        {"slug": "opal", "old_rating": "LOW", "new_rating": "HIGH", "changed_at": "2026-03-05"},
        {"slug": "opal", "field": "rating", "from": "LOW", "to": "HIGH", "at": "2026-03-05"},
    ],
)  # fmt: skip
def test_a_change_is_read_under_its_likely_names(row: dict[str, Any]) -> None:
    frame = frames.changes_frame([row])
    assert frame[["slug", "rating_before", "rating_after"]].values.tolist() == [["opal", "LOW", "HIGH"]]
    assert f"{frame['reviewed_at'][0]:%Y-%m-%d}" == "2026-03-05"


def test_a_change_of_something_else_is_no_change_of_the_rating() -> None:
    frame = frames.changes_frame([{"slug": "opal", "field": "website", "from": "LOW", "to": "HIGH"}])
    assert frame[["rating_before", "rating_after"]].isna().all(axis=None)


@pytest.mark.parametrize(
    "record",
    [
        {"tracked": 5, "verified": 3},
        {"coverage": {"tracked": 5, "verified": 3}},
        {"data": {"counts": {"tracked_platforms": 5, "verified_platforms": 3}}},
        {"tracked": {"count": 5}, "verified": {"count": "3"}},
        {"platforms": {"total": 5, "verified": 3}},
        {"platforms": 5, "verified": 3},
    ],
)
def test_coverage_is_read_flat_and_nested_and_without_a_day(record: dict[str, Any]) -> None:
    frame = frames.coverage_frame(
        {**record, "surfaces": {"tracked": 99}, "extraction": {"figures": {"date": "2020-01-01"}}}
    )
    assert frame[["tracked", "verified"]].values.tolist() == [[5, 3]]
    assert frame["as_of"].isna().all()
