"""What the specification leaves open is read under the likely names, or refused in a sentence; nothing is lost silently."""

from __future__ import annotations

from typing import Any

import pandas as pd
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


A, B = {**FINDING, "quote": "A."}, {**FINDING, "quote": "B."}


@pytest.mark.parametrize(
    ("told", "quotes"),
    [
        ([{"surface": "ads_tracking", "document": "Terms", "findings": [A]}, {"surface": "ads_tracking", "findings": [B]}], "AB"),
        ([{"surface": "ads_tracking", "text": "On ads.", "findings": [A, B]}], "AB"),
        ([{**A, "evidence": [{"url": "https://a.example"}]}, B], "AB"),
        ([{**A, "citations": [{"quote": "Else."}]}, {**B, "citations": [{"quote": "Else."}]}], "AB"),
        ({"ads_tracking": [A], "training_use": B}, "AB"),
        ({"ads_tracking": [A], "training_use": {"items": [B]}}, "AB"),
        ({"ads_tracking": {"citations": [A]}, "training_use": {"count": 0}}, "A"),
        ({"items": [A, B]}, "AB"),
        ({}, ""),
    ],
)  # fmt: skip
def test_no_finding_of_a_group_is_lost(told: object, quotes: str) -> None:
    record = {**HEAD, "findings": told}
    assert [row[2] for row in findings(record)] == [f"{quote}." for quote in quotes]
    assert unread(record) == []


def test_groups_inside_a_list_of_surfaces_are_all_read() -> None:
    surface = {"surface": "training_use", "count": 1}
    record = {
        **HEAD,
        "surfaces": [{**surface, "findings": [A]}, {**surface, "findings": [B]}, {"surface": "ip_liability"}],
    }
    assert [row[2] for row in findings(record)] == ["A.", "B."]
    assert unread(record) == []


@pytest.mark.parametrize(
    "told", [[A, "B."], {"ads_tracking": [A], "training_use": "B."}, {"ads_tracking": [A], "x": {"strange": [B]}}]
)
def test_a_part_of_the_findings_that_cannot_be_read_is_told(told: object) -> None:
    record = {**HEAD, "findings": told}
    assert [row[2] for row in findings(record)] == ["A."]
    assert unread(record) == ["1 parts of its findings are in no form that can be read"]


@pytest.mark.parametrize("other", [{"slug": "coral"}, {"platform": "Coral"}, {"platform": {"id": 7, "slug": "coral"}}])
def test_a_finding_of_another_platform_is_left_out_and_told(other: dict[str, Any]) -> None:
    record = {**HEAD, "findings": [{**A, **other}, B], "leads": [{**A, **other}]}
    assert [row[2] for row in findings(record)] == ["B."]
    assert list(parts_of([record], "leads")) == []
    assert (frames.surfaces_frame([record])["count"].sum(), len(unread(record))) == (1, 2)
    assert unread(record)[0] == "1 of its findings name another platform and are left out"


@pytest.mark.parametrize(
    "own",
    [{"slug": "Opal"}, {"platform": "Opal"}, {"platform": "https://a.example/opal/"}, {"platform": {"id": "7", "slug": "opal"}}],
)  # fmt: skip
def test_a_finding_that_names_its_own_platform_is_kept(own: dict[str, Any]) -> None:
    record = {**HEAD, "findings": [{**A, **own}]}
    assert (len(findings(record)), unread(record)) == (1, [])


def test_words_of_a_level_with_the_slug_of_another_platform_are_not_read() -> None:
    record = {
        "slug": "opal",
        "@graph": [{"slug": "coral", "rating": "LOW", "findings": [A]}, {**HEAD, "findings": [B]}],
    }
    assert [row[2] for row in findings(record)] == ["B."]
    assert frames.training_use_frame([record])["rating"].tolist() == ["HIGH"]


def test_the_level_of_a_stance_is_that_of_training_use_and_not_the_rating_of_the_platform() -> None:
    surfaces = {"training_use": {"count": 1, "risk": "LOW"}}
    told = frames.training_use_frame([{**HEAD, "surfaces": surfaces}, {**HEAD, "surfaces": {}}])
    assert told[["rating", "level"]].values.tolist() == [["HIGH", "LOW"], ["HIGH", "UNKNOWN"]]


def test_the_publisher_of_a_record_does_not_give_its_name_to_the_platform() -> None:
    publisher = {"@type": "Organization", "name": "Ratings Inc"}
    record = {"slug": "opal", "@graph": [publisher, {"name": "Opal", "rating": "HIGH", "findings": [A]}]}
    assert findings(record)[0][:2] == ["opal", "Opal"]


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://vendor.example/terms", False),
        (f"https://s.example/archive/{SHA}", True),
        (f"https://git.example/a/b/blob/{'c' * 40}/Terms.md", True),
        ("https://web.example/web/20260305120000/https://vendor.example/terms", True),
    ],
)
def test_a_page_that_may_change_is_no_archived_copy(url: str, kept: bool) -> None:
    place = {"snapshot_sha256": SHA, "start": 4, "end": 9, "url": url}
    for name in ("provenance", "source"):
        told = findings({**HEAD, "findings": [{**BARE, name: place}]})[0][8]
        assert told == url if kept else pd.isna(told)


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
        {"data": {"platforms": 5, "verified": 3}, "meta": {"total": 1}},
        {"total": 1, "data": {"platforms": 5, "verified_platforms": 3}},
        {"verified": 3, "meta": {"total": 1}, "platforms": {"total": 5}},
        {"data": {"verified": 3}, "meta": {"tracked": 5, "total": 1}},
    ],
)
def test_coverage_is_read_flat_and_nested_and_without_a_day(record: dict[str, Any]) -> None:
    frame = frames.coverage_frame(
        {**record, "surfaces": {"tracked": 99}, "extraction": {"figures": {"date": "2020-01-01"}}}
    )
    assert frame[["tracked", "verified"]].values.tolist() == [[5, 3]]
    assert frame["as_of"].isna().all()
