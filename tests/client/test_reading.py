"""Lists that are capped, miscounted and moved while they are read: nothing that stays is lost, and doubt is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from riskanalytics.client import Json, Problems
from riskanalytics.client.reading import Listing, Query
from riskanalytics.errors import ServiceError

PATH = "/api/v1/platforms"
Edit = tuple[str, int, int]
EDITS = st.tuples(st.sampled_from(["insert", "remove", "swap", "reverse"]), st.integers(0, 40), st.integers(0, 40))
"""What happens to the list between two pages: an inserted platform is new, a removed one does not come back."""


class Moving:
    """A list that changes between its pages, and says how long it is in some way."""

    def __init__(self, count: int, cap: int, edits: dict[int, list[Edit]], total: str) -> None:
        self.slugs = [f"p{number}" for number in range(count)]
        self.throughout = set(self.slugs)
        self.cap, self.edits, self.total, self.asked, self.new = cap, edits, total, 0, 0

    def __call__(self, asked: Query) -> object:
        for edit in self.edits.get(self.asked, ()):
            self.edit(*edit)
        self.asked += 1
        offset = int(asked.get("offset", 0))
        rows = [{"id": slug} for slug in self.slugs[offset : offset + min(self.cap, int(asked["limit"]))]]
        result = {"true": len(self.slugs), "null": None, "page": len(rows), "text": "many", "low": len(rows) // 2}
        return {"object": "list", "total": result[self.total], "data": rows}

    def edit(self, kind: str, first: int, second: int) -> None:
        count = len(self.slugs)
        if kind == "insert":
            self.slugs.insert(first % (count + 1), f"new{self.new}")
            self.new += 1
        elif count and kind == "remove":
            self.throughout.discard(self.slugs.pop(first % count))
        elif count and kind == "swap":
            one, other = first % count, second % count
            self.slugs[one], self.slugs[other] = self.slugs[other], self.slugs[one]
        else:
            self.slugs.reverse()


@given(
    count=st.integers(0, 25),
    cap=st.integers(1, 12),
    edits=st.dictionaries(st.integers(0, 60), st.lists(EDITS, max_size=4), max_size=25),
    total=st.sampled_from(["true", "null", "text"]),
)
def test_a_platform_present_throughout_is_given_or_doubt_is_reported(
    count: int, cap: int, edits: dict[int, list[Edit]], total: str
) -> None:
    moving, problems = Moving(count, cap, edits, total), Problems()
    given_ = {str(row["id"]) for row in Listing(moving, PATH).read_named(PATH, problems)}
    assert moving.throughout <= given_ or any("may be missing" in problem.what for problem in problems)


@given(count=st.integers(1, 40), cap=st.integers(1, 15), total=st.sampled_from(["true", "null", "text", "page", "low"]))
def test_an_unchanged_list_is_read_completely_whatever_length_it_claims(count: int, cap: int, total: str) -> None:
    still, problems = Moving(count, cap, {}, total), Problems()
    assert [row["id"] for row in Listing(still, PATH).read_named(PATH, problems)] == still.slugs
    assert list(problems) == []
    assert still.asked <= 2 * (count // cap + 3)


@given(
    count=st.integers(1, 25),
    cap=st.integers(1, 12),
    early=st.lists(EDITS, max_size=4),
    total=st.sampled_from(["true", "null"]),
)
def test_a_list_that_moves_once_is_read_again_completely(count: int, cap: int, early: list[Edit], total: str) -> None:
    moving, problems = Moving(count, cap, {1: early}, total), Problems()
    rows = Listing(moving, PATH).read_named(PATH, problems)
    assert moving.throughout <= {row["id"] for row in rows}
    assert list(problems) == []


def result(rows: list[object], **more: object) -> tuple[list[str], list[str]]:
    """Slugs and problems of a list that gives the same rows on each page."""
    problems = Problems()
    found = Listing(lambda asked: {"data": rows, **more}, PATH).read_named(PATH, problems)
    return [str(row["id"]) for row in found], [problem.what for problem in problems]


def test_the_same_rows_on_every_page_without_a_count_may_not_be_all() -> None:
    assert result([{"id": "a"}]) == (
        ["a"],
        ["neither the end of the list nor its length is known: rows after the first 1 may be missing"],
    )
    assert result([{"id": "a"}], total=1) == (["a"], [])


@pytest.mark.parametrize(
    ("row", "said"),
    [(None, "that are empty or not JSON objects"), (7, "that are empty or not JSON objects"),
     ({"slug": "b"}, "without an 'id'"), ({"id": 7}, "without an 'id'"),
     ({"id": " "}, "without an 'id'"), ({"id": None, "name": "B"}, "without an 'id' ('B')")],
)  # fmt: skip
def test_a_row_without_an_id_is_reported_and_other_rows_are_kept(row: object, said: str) -> None:
    assert result([{"id": "a"}, row, {"id": "b"}], total=2) == (
        ["a", "b"],
        [f"the list has rows {said}: they cannot be read"],
    )


def test_a_platform_with_two_ratings_on_one_page_is_reported() -> None:
    problems = Problems()
    rows = [{"id": "a", "rating": "LOW"}, {"id": "a", "rating": "HIGH"}]
    assert Listing(lambda asked: {"total": 1, "data": rows}, PATH).read_named(PATH, problems) == [rows[1]]
    assert [(problem.slug, problem.where) for problem in problems] == [("a", PATH)]
    assert result([{"id": "a", "name": "A"}, {"id": "a", "name": "B"}], total=1) == (["a"], [])


def test_an_address_that_is_read_again_loses_its_own_problems_only() -> None:
    problems = Problems()
    for where in ("/p/a", "/p/ab", "/p/a?as_of=2026-01-31"):
        problems.add("not read", where)
    problems.begin("/p/a")
    assert [problem.where for problem in problems] == ["/p/ab", "/p/a?as_of=2026-01-31"]


@pytest.mark.parametrize(("status", "past"), [(400, 400), (422, 422), (400, 404), (400, 416)])
def test_a_refused_page_size_is_reduced_and_a_refusal_past_the_end_ends_the_list(status: int, past: int) -> None:
    asked_for: list[Query] = []

    def strict(asked: Query) -> object:
        asked_for.append(asked)
        if int(asked["limit"]) > 100 or "offset" in asked:
            raise ServiceError("no", status=past if "offset" in asked else status)
        return {"total": 2, "data": [{"id": "a"}, {"id": "b"}]}

    assert len(Listing(strict, PATH).read_named(PATH, Problems())) == 2
    assert asked_for == [{"limit": 500}, {"limit": 100}, {"limit": 100, "offset": 2}]


@pytest.mark.parametrize(
    ("answer", "counted"),
    [
        ([{"id": "a"}], False),
        ({"total": 1, "data": [{"id": "a"}]}, True),
        ({"count": 1, "items": [{"id": "a"}]}, True),
        ({"count": "1", "items": [{"id": "a"}]}, False),
        ({"meta": {"total": 1}, "platforms": [{"id": "a"}]}, True),
        ({"total": 1, "changes": [{"id": "a"}]}, True),
        ({"total": 1.0, "results": [{"id": "a"}], "disclaimer": "x"}, False),
    ],
)
def test_the_rows_and_their_number_are_found_in_any_envelope(answer: object, counted: bool) -> None:
    problems = Problems()
    assert [row["id"] for row in Listing(lambda asked: answer, PATH).read_named(PATH, problems)] == ["a"]
    assert (len(problems) == 0) is counted


def test_a_row_that_is_on_two_pages_is_given_once_in_its_last_form_without_a_problem() -> None:
    rated = {"p0": "LOW", "p1": "LOW"}, {"p1": "HIGH", "p2": "MED"}
    ask = feed([{"id": slug, "rating": rating} for page in rated for slug, rating in page.items()], 2)
    reading = Listing(ask, PATH, named=True).read()
    assert [(row["id"], row["rating"]) for row in reading.rows.values()] == [
        ("p0", "LOW"),
        ("p1", "HIGH"),
        ("p2", "MED"),
    ]
    assert reading.sentences == {}


def test_an_endless_list_is_stopped_and_reported() -> None:
    def endless(asked: Query) -> object:
        offset = int(asked.get("offset", 0))
        return {"data": [{"id": f"p{offset + number}"} for number in range(5_000)]}

    problems = Problems()
    assert len(Listing(endless, PATH).read_named(PATH, problems)) == 100_000
    assert any("does not end" in problem.what for problem in problems)


@pytest.mark.parametrize("row", [None, {"name": "No Id"}, {"id": "a"}])
def test_unreadable_and_repeated_rows_count_towards_the_claimed_number(row: object) -> None:
    missing = "the list claims 4 rows but gave 2: some may be missing"
    for total, named in ((3, False), (4, True)):
        slugs, problems = result([{"id": "a"}, row, {"id": "b"}], total=total)
        assert slugs == ["a", "b"]
        assert (missing in problems) is named


def feed(rows: list[Json], cap: int, **more: object) -> Callable[[Query], object]:
    """Pages of a feed; no row on the page at `hole`."""
    hole = more.pop("hole", None)

    def ask(asked: Query) -> object:
        offset = int(asked.get("offset", 0))
        return {"data": [] if offset == hole else rows[offset : offset + cap], **more}

    return ask


MOVES: list[Json] = [{"id": "amber", "day": day} for day in range(30)]


def test_changes_with_the_id_of_their_platform_stay_separate() -> None:
    assert list(Listing(feed(MOVES, 500), PATH).read().rows.values()) == MOVES


def test_a_feed_that_claims_more_than_it_gives_may_lack_changes() -> None:
    reading = Listing(feed(MOVES, 10, total=30, hole=10), PATH).read()
    assert len(reading.rows) == 10
    assert reading.claimed_more
    assert reading.capped


@pytest.mark.parametrize(("total", "capped"), [(None, True), (30, False), (31, True)])
def test_a_page_of_a_round_size_is_full_unless_that_is_the_count(total: int | None, capped: bool) -> None:
    assert Listing(lambda asked: {"data": MOVES, "total": total}, PATH).read().capped == capped
    assert (
        Listing(feed(MOVES, 10), PATH).read().capped is Listing(feed(MOVES, 10), PATH, size=10).read().capped is False
    )


@pytest.mark.parametrize(
    ("count", "limit", "capped"), [(25, 500, True), (24, 500, False), (24, 24, True), (24, 25, False)]
)
def test_a_page_is_full_at_the_limit_of_the_server_or_at_a_round_size(count: int, limit: int, capped: bool) -> None:
    assert Listing(lambda asked: {"data": MOVES[:count], "limit": limit}, PATH).read().capped == capped
    assert Listing(lambda asked: {"data": MOVES[:24], "limit": 1_000}, PATH, size=24).read().capped


@given(
    count=st.integers(0, 25),
    cap=st.integers(1, 12),
    edits=st.dictionaries(st.integers(0, 20), st.lists(EDITS, max_size=4), max_size=10),
    total=st.sampled_from(["null", "text", "page"]),
)
@example(
    count=7,
    cap=1,
    edits={2: [("swap", 0, 6), ("remove", 0, 0)], 7: [("insert", 0, 0), ("remove", 0, 0), ("remove", 0, 0)]},
    total="null",
)
@example(count=3, cap=2, edits={at: [("reverse", 0, 0)] for at in (1, 2, 3, 4, 5, 6, 7)}, total="null")
@example(count=6, cap=5, edits={1: [("reverse", 0, 0)], 2: [("swap", 12, 11)], 3: [("remove", 10, 0)]}, total="null")
def test_a_change_present_throughout_is_given_or_doubt_is_reported(
    count: int, cap: int, edits: dict[int, list[Edit]], total: str
) -> None:
    feed = Moving(count, cap, edits, total)
    reading = Listing(feed, PATH, size=cap).read_steadily()
    missing = feed.throughout - {row["id"] for row in reading.rows.values()}
    assert not missing or reading.sentences or (reading.repeated and reading.capped)


def test_a_feed_that_gives_the_same_page_at_each_offset_is_read_twice_without_doubt() -> None:
    asked_for: list[Query] = []

    def ask(asked: Query) -> object:
        asked_for.append(asked)
        return {"data": MOVES}

    reading = Listing(ask, PATH).read_steadily()
    assert (list(reading.rows.values()), reading.sentences) == (MOVES, {})
    assert len(asked_for) == 4


def test_a_feed_that_repeats_rows_on_its_pages_may_lack_changes() -> None:
    reading = Listing(feed([*MOVES[:4], MOVES[3], *MOVES[4:]], 4), PATH, size=4).read_steadily()
    assert list(reading.rows.values()) == MOVES
    assert list(reading.sentences) == [f"{PATH} repeats rows on its pages: a row may be missing"]


def test_a_list_that_ends_by_repeating_its_last_page_is_read_twice_without_doubt() -> None:
    asked_for: list[Query] = []

    def ask(asked: Query) -> object:
        asked_for.append(asked)
        offset = min(int(asked.get("offset", 0)), 8)
        return {"data": MOVES[offset : min(offset + 4, 12)]}

    reading = Listing(ask, PATH, size=4).read_steadily()
    assert (list(reading.rows.values()), reading.sentences) == (MOVES[:12], {})
    assert len(asked_for) == 8


def test_a_list_that_repeats_platforms_on_its_pages_may_lack_others() -> None:
    pages = {0: "0123", 4: "3567", 8: "89"}
    problems = Problems()

    def ask(asked: Query) -> object:
        return {"data": [{"id": slug} for slug in pages.get(int(asked.get("offset", 0)), "")]}

    assert len(Listing(ask, PATH, size=4).read_named(PATH, problems)) == 9
    assert [problem.what for problem in problems] == [f"{PATH} repeats rows on its pages: a row may be missing"]


def test_a_page_that_repeats_the_first_does_not_confirm_a_count_of_the_page() -> None:
    reversed_ = Moving(15, 7, {1: [("remove", 7, 0), ("reverse", 0, 0)]}, "page")
    assert {row["id"] for row in Listing(reversed_, PATH, size=7).read_steadily().rows.values()} == reversed_.throughout
    shifted = Moving(15, 4, {1: [("insert", 0, 0)] * 4}, "page")
    assert {row["id"] for row in Listing(shifted, PATH).read_named(PATH, Problems())} >= shifted.throughout


def test_a_moving_feed_is_read_again_and_an_unchanged_one_only_as_often_as_needed() -> None:
    moved = Moving(12, 4, {1: [("remove", 0, 0)]}, "null")
    assert {row["id"] for row in Listing(moved, PATH, size=4).read_steadily().rows.values()} >= moved.throughout
    counted = Moving(12, 4, {}, "true")
    assert len(Listing(counted, PATH, size=4).read_steadily().rows) == 12
    assert counted.asked == 8


def test_a_row_that_changes_at_each_reading_is_given_once_in_its_last_form() -> None:
    asked_for: list[Query] = []

    def ageing(asked: Query) -> object:
        if "offset" not in asked:
            asked_for.append(asked)
        offset = int(asked.get("offset", 0))
        rows = [{"id": "amber", "day": day, "age": len(asked_for)} for day in range(12)]
        return {"data": rows[offset : offset + 4]}

    reading = Listing(ageing, PATH, size=4).read_steadily()
    assert [(row["day"], row["age"]) for row in reading.rows.values()] == [(day, 4) for day in range(12)]
    assert any("changed while it was read" in sentence for sentence in reading.sentences)


def test_only_one_page_is_requested_if_one_page_suffices() -> None:
    feed = Moving(12, 4, {1: [("insert", 0, 0)]}, "true")
    assert len(Listing(feed, PATH, size=4, most=4).read_steadily().rows) == 4
    assert feed.asked == 1
