"""What the specification leaves open is read under the likely names, or named in a sentence; nothing is lost silently."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics import frames
from riskanalytics.frames import parts_of, unread

SHA = "ab" * 32
PLACE = {"snapshot_sha256": SHA, "start": 4, "end": 9, "archive_url": "https://a.example/x"}
BARE = {"quote": "Words.", "surface": "training_use", "risk": "HIGH"}
FINDING = {**BARE, "provenance": PLACE}
HEAD = {"slug": "opal", "name": "Opal", "rating": "HIGH"}
A, B = {**FINDING, "quote": "A."}, {**FINDING, "quote": "B."}


def findings(record: dict[str, Any]) -> list[list[Any]]:
    columns = ["slug", "name", "quote", "surface", "risk", "start", "end", "snapshot_sha256", "archive_url"]
    return frames.findings_frame(parts_of([record], "findings"))[columns].values.tolist()


@pytest.mark.parametrize(
    "record",
    [
        {**HEAD, "findings": [FINDING], "citation_count": 1},
        {**HEAD, "citations": [FINDING], "citations_available": False},
        {**HEAD, "findings": [{"text": "Words.", "surface": "training_use", "risk_level": "HIGH", "source": PLACE}]},
        {**HEAD, "findings": [{"excerpt": "Words.", "surface": "training_use", "risk_level": "HIGH", "source": PLACE}]},
        {
            **HEAD,
            "findings": [{**FINDING, "text": "T.", "excerpt": "E.", "risk_level": "LOW", "source": {}}],
            "citations": [A, B],
        },
        {**HEAD, "findings": [FINDING], "citation_count": 0},
    ],
    ids=[
        "as specified",
        "a platform's detail",
        "other names",
        "an excerpt",
        "several names",
        "a count without near-copies",
    ],
)
def test_findings_are_read_under_their_likely_names(record: dict[str, Any]) -> None:
    assert findings(record) == [["opal", "Opal", "Words.", "training_use", "HIGH", 4, 9, SHA, "https://a.example/x"]]
    assert unread(record) == []


@pytest.mark.parametrize(
    "place",
    [
        PLACE,
        {"sha256": SHA, "web_archive_url": "https://a.example/x", "offsets": {"start": 4, "end": 9}},
        {"snapshot_hash": SHA, "archive_url": "https://a.example/x", "text_offsets": {"start": 4, "end": 9}},
        {"hash": SHA, "archive_url": "https://a.example/x", "start": 4, "end": 9},
    ],
)
def test_the_place_of_a_finding_is_read_under_its_likely_names(place: dict[str, Any]) -> None:
    record = {**HEAD, "findings": [{**BARE, "provenance": place}]}
    assert findings(record)[0][5:] == [4, 9, SHA, "https://a.example/x"]
    assert unread(record) == []


@pytest.mark.parametrize("listed", [{"training_use": [A]}, "none", 3, None])
def test_findings_that_are_not_a_list_are_skipped_and_reported(listed: object) -> None:
    record = {**HEAD, "findings": listed}
    assert findings(record) == []
    assert unread(record) == ["its findings are not a list and cannot be read"]


def test_unreadable_findings_are_reported() -> None:
    record = {**HEAD, "findings": [A, "B.", [B]]}
    assert [row[2] for row in findings(record)] == ["A."]
    assert unread(record) == ["2 of its findings are not records and cannot be read"]


@pytest.mark.parametrize("other", [{"slug": "coral"}, {"platform": "Coral"}, {"platform_id": "coral"}])
def test_a_finding_of_another_platform_is_left_out_and_reported(other: dict[str, Any]) -> None:
    record = {**HEAD, "findings": [{**A, **other}, B], "leads": [{**A, **other}]}
    assert [row[2] for row in findings(record)] == ["B."]
    assert list(parts_of([record], "leads")) == []
    assert (frames.surfaces_frame([record])["count"].sum(), len(unread(record))) == (1, 2)
    assert unread(record)[0] == "1 of its findings name another platform and are left out"


@pytest.mark.parametrize(
    "own",
    [{"slug": "Opal"}, {"platform": "Opal"}, {"platform": "https://a.example/opal/"}, {"platform_id": "opal", "name": "O."},
     {"platform_id": "4711", "platform": "Opal"}],
)  # fmt: skip
def test_a_finding_that_names_its_own_platform_is_kept(own: dict[str, Any]) -> None:
    record = {**HEAD, "findings": [{**A, **own}]}
    assert (findings(record)[0][:2], unread(record)) == (["opal", "Opal"], [])
    for head in ({"slug": "opal-voice"}, {"slug": "p-1", "name": "Opal Voice"}):
        assert len(findings({**head, "findings": [{**A, "platform": "Opal Voice"}]})) == 1


def test_the_level_of_a_stance_is_that_of_training_use_and_not_the_rating_of_the_platform() -> None:
    surfaces = {"training_use": {"count": 1, "risk": "LOW"}}
    answers = frames.training_use_frame([{**HEAD, "surfaces": surfaces}, {**HEAD, "surfaces": {}}])
    assert answers[["rating", "level"]].values.tolist() == [["HIGH", "LOW"], ["HIGH", "UNKNOWN"]]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (HEAD, "not a list"),
        ({**HEAD, "findings": [{**FINDING, "quote": None}]}, "1 of its 1 findings give no quote"),
        ({**HEAD, "findings": [{**FINDING, "surface": 3}]}, "1 of its 1 findings give no surface"),
        ({**HEAD, "findings": [BARE]}, "1 of its 1 findings give no place"),
        ({**HEAD, "findings": [FINDING], "citation_count": 3}, "it counts 3 citations and gives 1"),
        (
            {**HEAD, "citations_available": False, "surfaces": {"training_use": {"count": 2}}},
            "not available with this key",
        ),
    ],
)
def test_unreadable_parts_are_reported(record: dict[str, Any], said: str) -> None:
    assert any(said in sentence for sentence in unread(record))


def test_a_surface_without_a_name_is_never_called_none() -> None:
    record = {**HEAD, "findings": [{**FINDING, "surface": None}], "searched_without_result": [{"surface": None}]}
    assert "None" not in set(frames.surfaces_frame([record])["surface"])


@pytest.mark.parametrize(
    "row",
    [
        {
            "platform": "opal",
            "rating_before": "LOW",
            "rating_after": "HIGH",
            "reviewed_at": "2026-03-05",
            "class": "format",
        },
        {
            "platform_id": "opal",
            "previous_rating": "LOW",
            "new_rating": "HIGH",
            "date": "2026-03-05",
            "change_class": "format",
        },
        {
            "platform_id": "opal",
            "previous_rating": "LOW",
            "new_rating": "HIGH",
            "changed_at": "2026-03-05",
            "class": "format",
        },
        {
            "slug": "opal",
            "before": {"rating": "LOW"},
            "after": {"rating": "HIGH"},
            "detected_at": "2026-03-05",
            "class": "format",
        },
    ],
)
def test_a_change_is_read_under_its_likely_names(row: dict[str, Any]) -> None:
    frame = frames.changes_frame([row])
    columns = ["slug", "rating_before", "rating_after", "change_class"]
    assert frame[columns].values.tolist() == [["opal", "LOW", "HIGH", "format"]]
    assert f"{frame['reviewed_at'][0]:%Y-%m-%d}" == "2026-03-05"
