"""What a feed of changes settles of a day between pulls, and what it does not."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from riskanalytics.pulls.moves import Moves, side_of

LISTED = [{"id": "birch", "name": "Birch Notes"}, {"id": "cedar", "name": "Cedar Draft"}]
FIRST, DAY = date(2026, 1, 14), date(2026, 2, 10)


def change(
    at: str, platform: str = "birch", before: str = "LOW", after: str = "HIGH", **more: object
) -> dict[str, Any]:
    return {"reviewed_at": at, "platform": platform, "rating_before": before, "rating_after": after, **more}


OLDEST = change("2025-12-01T00:00:00Z", "cedar")


def record(rating: str = "LOW", seen: str = "2026-01-02T00:00:00Z", **more: object) -> dict[str, Any]:
    return {"rating": rating, "documents": [{"document": "Terms", "captured_at": seen}], **more}


def told(feed: list[dict[str, Any]], before: dict[str, Any] | None, after: dict[str, Any] | None) -> int | None:
    return side_of("birch", FIRST, DAY, (before, after), Moves(feed, LISTED))


def test_a_platform_that_did_not_change_since_is_that_of_the_later_pull() -> None:
    assert told([OLDEST], record(), record()) == 1


def test_a_platform_that_changed_later_only_is_that_of_the_earlier_pull() -> None:
    after = record("HIGH", "2026-02-20T00:00:00Z")
    assert told([change("2026-02-20T00:00:00Z"), OLDEST], record(), after) == 0
    assert told([change("2026-02-20T00:00:00Z"), OLDEST], None, after) is None


@pytest.mark.parametrize("at", ["2026-01-14T15:00:00Z", "2026-01-20T00:00:00Z", "2026-02-11T00:30:00+02:00"])
def test_a_change_between_or_on_the_day_of_the_earlier_pull_settles_nothing(at: str) -> None:
    assert told([change(at), OLDEST], record(), record("HIGH", "2026-02-20T00:00:00Z")) is None


@pytest.mark.parametrize("name", ["Birch Notes", "birch notes", "BIRCH"])
def test_changes_name_platforms_by_name_or_in_another_case(name: str) -> None:
    assert (
        told([change("2026-01-20T00:00:00Z", name), OLDEST], record(), record("HIGH", "2026-02-20T00:00:00Z")) is None
    )


@pytest.mark.parametrize(
    "feed",
    [
        [],
        [change("2026-01-20T00:00:00Z", "someone else"), OLDEST],
        [change("no day"), OLDEST],
        [OLDEST, change("2026-02-20T00:00:00Z")],
    ],
    ids=["empty", "a change of nobody listed", "a change without a day", "oldest first"],
)
def test_a_feed_that_may_lack_a_change_settles_nothing(feed: list[dict[str, Any]]) -> None:
    assert told(feed, record(), record("HIGH", "2026-02-20T00:00:00Z")) is None
    assert Moves(feed, LISTED).rated("birch", DAY) == {}


def test_records_that_differ_without_a_change_on_record_settle_nothing() -> None:
    assert told([OLDEST], record(), record("HIGH", "2026-02-20T00:00:00Z")) is None
    assert (
        told([OLDEST], record(), record(seen="2026-01-20T00:00:00Z") | {"documents": [{"document": "Terms"}]}) is None
    )


def test_a_text_that_was_captured_between_is_not_told_as_the_one_before() -> None:
    after = record("HIGH", "2026-02-20T00:00:00Z")
    after["documents"].append({"document": "Imprint", "captured_at": "2026-01-30T00:00:00Z"})
    assert told([change("2026-02-20T00:00:00Z"), OLDEST], record(), after) is None


def test_the_next_change_tells_the_rating_also_among_others_of_its_moment() -> None:
    last = change("2026-03-01T00:00:00Z", before="HIGH", after="LOW")
    steps = [change("2026-02-20T00:00:00Z", before="MED"), change("2026-02-20T00:00:00Z", before="LOW", after="MED")]
    assert Moves([last, *steps, OLDEST], LISTED).rated("birch", DAY) == {"rating": "LOW"}
    assert Moves([last, *reversed(steps), OLDEST], LISTED).rated("birch", DAY) == {}


def test_a_change_that_the_earlier_pull_held_is_in_its_record() -> None:
    early, later = change("2026-01-14T01:00:00Z", after="LOW"), change("2026-02-20T00:00:00Z")
    sides = record(seen="2026-01-14T01:00:00Z"), record("HIGH", "2026-02-20T00:00:00Z")
    feed = [later, early, OLDEST]
    assert side_of("birch", FIRST, FIRST, sides, Moves(feed, LISTED, [early, OLDEST])) == 0
    assert side_of("birch", FIRST, FIRST, sides, Moves(feed, LISTED, [OLDEST])) is None


def test_a_feed_that_was_not_read_whole_settles_nothing() -> None:
    moves = Moves([change("2026-02-20T00:00:00Z"), OLDEST], LISTED, whole=False)
    assert not moves.none("cedar", DAY)
    assert moves.rated("birch", DAY) == {}
    assert moves.moved("birch", DAY)


def test_a_change_of_a_name_that_two_platforms_have_settles_nothing() -> None:
    twins = [*LISTED, {"id": "birch-two", "name": "Birch Notes"}]
    feed = [change("2026-02-20T00:00:00Z", "Birch Notes"), OLDEST]
    assert Moves(feed, LISTED).none("cedar", DAY)
    assert not Moves(feed, twins).none("cedar", DAY)


def test_a_platform_that_the_later_pull_lacks_is_not_told_from_the_earlier() -> None:
    assert told([OLDEST], record(), None) is None


def test_a_text_that_was_seen_after_the_day_is_not_told_of_it() -> None:
    after = record()
    after["documents"][0]["newest_capture_at"] = "2026-02-20T00:00:00Z"
    assert told([OLDEST], None, record()) == 1
    assert told([OLDEST], None, after) is None
