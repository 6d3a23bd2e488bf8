"""What one platform costs costs that platform only, and is told; what the feed does not carry stays unknown."""

from __future__ import annotations

import json
import re
import time
from datetime import date
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.dataset.history import load_coverage_history, load_history
from riskanalytics.dataset.loading import coverage_record, load_changes, load_platforms, load_records
from riskanalytics.errors import InvalidAnswer, ServiceError
from tests.http_server import Answer, reply, serving

FINDING = {"quote": "Words.", "surface": "training_use", "risk": "HIGH",
           "provenance": {"snapshot_sha256": "ab" * 32, "start": 4, "end": 10}}  # fmt: skip


def machine(slug: str, **more: Any) -> dict[str, Any]:
    return {"slug": slug, "name": slug.title(), "rating": "HIGH", "findings": [FINDING], **more}


def answering(**answers: Any) -> Answer:
    """Answer by the last segment of the path; a list of platforms with their ids under `slugs`."""
    slugs = answers.pop("slugs", ["amber", "beryl", "coral"])
    listed = {"total": len(slugs), "data": [{"id": slug, "name": slug.title(), "rating": "HIGH"} for slug in slugs]}
    result = {"platforms": listed, "coverage": {"tracked": len(slugs), "as_of": "2026-03-20"}, **answers}

    def answer(request: bytes) -> bytes:
        path = re.match(rb"GET ([^ ?]+)", request)
        name = path[1].decode().rpartition("/")[2] if path else ""
        value = result.get(name, machine(name) if name in slugs else None)
        if isinstance(value, bytes):
            return value
        return reply("200 OK" if value is not None else "404 Not Found", json.dumps(value).encode())

    return answer


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (reply("200 OK", b"<html>", "Content-Type: text/html"), "not JSON"),
        (reply("200 OK", b'{"slug": "ber'), "did not return JSON"),
        (reply("418 Teapot"), "status 418"),
        (reply("404 Not Found"), "no such platform"),
        (machine("coral"), "another platform: 'coral'"),
        ([1], "no JSON object"),
    ],
)
def test_one_bad_platform_is_named_and_the_others_are_loaded(bad: Any, said: str) -> None:
    with serving(answering(beryl=bad)) as server, Client(server.url, "svc_x") as client:
        data = ra.load(client)
        assert data.findings["slug"].tolist() == ["amber", "coral"]
        assert data.platforms["slug"].tolist() == ["amber", "beryl", "coral"]
        problems = data.problems
        assert problems["slug"].tolist() == ["beryl"]
        assert said in problems["what"][0]
        assert problems["where"][0] == "/api/machine/platform/beryl"
        assert data.of(["amber"]).problems.empty
        with pytest.raises(ServiceError):
            load_records(client, slugs=["beryl"])


def test_a_platform_read_successfully_later_is_no_longer_a_problem() -> None:
    with (
        serving(reply("418 x"), reply("200 OK", json.dumps(machine("beryl")).encode())) as server,
        Client(server.url) as client,
    ):
        with pytest.raises(ServiceError):
            load_records(client, slugs=["beryl"])
        assert [problem.slug for problem in client.problems] == ["beryl"]
        assert len(load_records(client, slugs=["beryl"])) == 1
        assert list(client.problems) == []


def test_parts_missing_from_a_record_are_reported() -> None:
    with serving(answering(beryl=machine("beryl", citation_count=4))) as server, Client(server.url, "svc_x") as client:
        data = ra.load(client)
        assert len(data.findings) == 3
        assert data.problems["what"].tolist() == ["it counts 4 citations and gives 1"]


def test_our_own_service_has_no_problems(client: Client) -> None:
    data = ra.load(client)
    assert len(data.findings)
    assert len(data.history(2))
    data.changes()
    assert data.problems.values.tolist() == []


@pytest.mark.parametrize(
    "index",
    [
        "- [Amber](https://s.example/api/machine/platform/amber): verified",
        "Amber | verified | https://s.example/api/machine/platform/amber |",
        "amber: <https://s.example/api/machine/platform/amber>.",
        '{"platforms": [{"url": "/api/machine/platform/amber"}]}',
        "GET /api/machine/platform/amber\nGET /api/machine/platform/{slug}",
        "/api/machine/platform/amber /api/machine/platform/... /api/machine/platform/:slug /api/machine/platform/%7Bslug%7D",
    ],
)
def test_platforms_are_found_in_an_index_of_any_layout(index: str) -> None:
    result = answering(**{"llms-full.txt": reply("200 OK", index.encode(), "Content-Type: text/plain")})
    with serving(result) as server, Client(server.url) as client:
        assert load_platforms(client)["slug"].tolist() == ["amber"]
        assert list(client.problems) == []


def test_without_a_key_an_unreadable_platform_is_reported_too() -> None:
    index = b"/api/machine/platform/amber /api/machine/platform/beryl /api/machine/platform/coral"
    result = answering(**{"llms-full.txt": reply("200 OK", index, "Content-Type: text/plain"), "beryl": reply("418 x")})
    with serving(result) as server, Client(server.url) as client:
        data = ra.load(client, platforms="amber")
        assert data.findings["slug"].tolist() == ["amber"]
        assert data.problems["slug"].tolist() == ["beryl"]


def test_an_index_that_names_no_platform_is_refused() -> None:
    result = answering(**{"llms-full.txt": reply("200 OK", b"Amber, Beryl", "Content-Type: text/plain")})
    with (
        serving(result) as server,
        Client(server.url) as client,
        pytest.raises(InvalidAnswer, match="lists no platform"),
    ):
        load_platforms(client)


def test_if_findings_need_a_higher_tier_the_counts_are_shown_with_a_note() -> None:
    detail = {
        "id": "amber",
        "rating": "HIGH",
        "surfaces": {"training_use": {"count": 2, "risk": "HIGH"}},
        "citations_available": False,
    }

    def answer(request: bytes) -> bytes:
        if b"/api/machine/" in request:
            return reply("403 Forbidden")
        body = detail if b"/platforms/amber" in request else {"total": 1, "data": [{"id": "amber", "rating": "HIGH"}]}
        return reply("200 OK", json.dumps(body).encode())

    with serving(answer) as server, Client(server.url, "svc_x") as client:
        records = load_records(client)
        surfaces = frames.surfaces_frame(records).set_index("surface")
        assert [problem.what for problem in client.problems] == [
            "citations are not available with this key: its tier does not include them"
        ]
        assert surfaces.loc["training_use", ["count", "risk"]].tolist() == [2, "HIGH"]


def history(feed: list[dict[str, Any]], rating: str = "HIGH", **more: Any) -> list[tuple[Any, bool]]:
    """Rating and knowledge of one platform at the ends of January, February and of March, which is today."""
    result = answering(
        slugs=["amber"],
        changes={"data": feed, **more},
        platforms={"total": 1, "data": [{"id": "amber", "rating": rating}]},
    )
    with serving(result) as server, Client(server.url, "apc_live_x") as client:
        frame = load_history(client, 2, date(2026, 3, 20))
        assert "nan" not in frame["rating"].tolist()
        return [
            (None if rating != rating else rating, known)
            for rating, known in frame[["rating", "known"]].values.tolist()
        ]


def change(day: str, before: object, after: object, **more: Any) -> dict[str, Any]:
    return {"platform": "amber", "reviewed_at": f"2026-{day}", "rating_before": before, "rating_after": after, **more}


UNKNOWN, TODAY = (None, False), ("HIGH", True)
FULL = [change("03-10", "LOW", "HIGH", id=str(number)) for number in range(100)]


@pytest.mark.parametrize(
    ("feed", "then"),
    [
        ([change("02-10", "LOW", "HIGH"), change("01-05", "MED", "LOW")], [("LOW", True), TODAY]),
        ([change("02-10", "LOW", "HIGH")], [("LOW", True), TODAY]),
        ([change("02-10", "LOW", "MED"), change("02-20", "MED", "HIGH")], [("LOW", True), TODAY]),
        ([change("02-01T00:00:00Z", "LOW", "HIGH")], [("LOW", True), TODAY]),
        ([change("01-31T23:59:59Z", "LOW", "HIGH")], [TODAY, TODAY]),
        ([change("02-10", None, "HIGH")], [UNKNOWN, TODAY]),
        ([change("01-10", "LOW", "MED")], [UNKNOWN, UNKNOWN]),
        ([], [UNKNOWN, UNKNOWN]),
        ([change("02-10", "LOW", "HIGH", reviewed_at="soon")], [UNKNOWN, UNKNOWN]),
        ([change("02-10", "LOW", "HIGH"), change("", "MED", "LOW", reviewed_at="soon")], [UNKNOWN, UNKNOWN]),
        ([change("03-01", "LOW", "HIGH", platform=None)], [UNKNOWN, UNKNOWN]),
        (FULL, [UNKNOWN, UNKNOWN]),
        ([*FULL[1:], change("01-05", "MED", "LOW")], [("LOW", True), ("LOW", True)]),
        ([change("01-05", "MED", "LOW"), *FULL[1:]], [UNKNOWN, UNKNOWN]),
    ],
    ids=["carried", "oldest", "oldest first", "at midnight", "before midnight", "not told", "unaccounted", "empty", "no day",
         "one undated", "nobody's", "capped", "capped and reaching back", "capped and unordered"],
)  # fmt: skip
def test_history_contains_only_ratings_that_the_feed_supports(
    feed: list[dict[str, Any]], then: list[tuple[Any, bool]]
) -> None:
    assert history(feed) == [*then, TODAY]
    assert history([], rating="") == [UNKNOWN, UNKNOWN, ("", False)]


def test_a_feed_that_ends_with_a_full_page_is_reported_unless_it_reaches_back_far_enough() -> None:
    feed = [change(f"03-{20 - number // 10:02d}", "LOW", "HIGH", id=str(number)) for number in range(100)]
    with serving(answering(changes={"data": feed})) as server, Client(server.url, "apc_live_x") as client:
        assert len(load_changes(client, date(2026, 3, 15))) == 60
        assert list(client.problems) == []
        for since in (date(2026, 3, 1), date(2026, 3, 11)):
            assert len(load_changes(client, since)) == 100
            assert [problem.what for problem in client.problems] == [
                "the list of changes may be cut off after 100 changes: those before 2026-03-11 are not known"
            ]


def test_changes_without_a_day_or_a_platform_are_reported() -> None:
    feed = [change("03-05", "LOW", "HIGH"), {"id": "x"}]
    with serving(answering(changes={"data": feed})) as server, Client(server.url, "apc_live_x") as client:
        load_changes(client)
        assert sorted(problem.what for problem in client.problems) == [
            "1 of 2 changes have no readable day", "1 of 2 changes have no readable platform",
        ]  # fmt: skip


def test_changes_that_name_a_platform_by_name_belong_to_it() -> None:
    named = [
        change("02-10", "LOW", "HIGH", platform="AMBER"),
        change("01-05", "MED", "LOW", platform="x1", name="Amber"),
    ]
    shown = [{"id": "p-1", "name": "Amber", "rating": "HIGH"}]
    result = answering(changes={"data": named}, platforms={"total": 1, "data": shown})
    with serving(result) as server, Client(server.url, "apc_live_x") as client:
        history = load_history(client, 3, date(2026, 3, 20))
        assert history["rating"].tolist() == ["MED", "LOW", "HIGH", "HIGH"]
        assert list(client.problems) == []
        changes = ra.load(client).changes()
        assert changes is not None
        assert changes["slug"].tolist() == ["p-1", "p-1"]


def test_a_change_of_an_unlisted_platform_is_reported_and_leaves_earlier_days_unknown() -> None:
    feed = [change("02-10", "LOW", "HIGH", platform="who"), change("01-05", "LOW", "HIGH")]
    assert history(feed) == [UNKNOWN, TODAY, TODAY]
    with serving(answering(changes={"data": feed})) as server, Client(server.url, "apc_live_x") as client:
        ra.load(client).changes()
        assert [one.what for one in client.problems] == ["1 of 2 changes are of a platform that is not listed"]


def test_a_feed_with_fewer_changes_than_claimed_is_reported_and_leaves_the_past_unknown() -> None:
    feed = [change("01-10", "LOW", "HIGH"), change("02-10", "LOW", "HIGH", id="x")]
    assert history(feed, total=2)[1] == TODAY
    assert history(feed, total=3) == [UNKNOWN, UNKNOWN, TODAY]
    with serving(answering(changes={"data": feed, "total": 3})) as server, Client(server.url, "apc_live_x") as client:
        load_changes(client)
        assert next(iter(client.problems)).what == (
            "the service announces 3 changes, but its list has only 2, without repeats: some may be missing"
        )


def test_without_a_key_any_number_of_platforms_may_not_have_been_tracked_on_a_past_day() -> None:
    index = "".join(f"/api/machine/platform/a{number:02d} " for number in range(20)) + "/api/machine/platform/beryl"
    result = answering(
        **{"llms-full.txt": reply("200 OK", index.encode(), "Content-Type: text/plain")},
        beryl=machine("beryl", as_of="2026-01-31"),
    )
    with serving(result) as server, Client(server.url) as client:
        assert load_platforms(client, date(2026, 1, 31))["slug"].tolist() == ["beryl"]
        assert load_platforms(client)["slug"].tolist() == ["beryl"]
        assert len(list(client.problems)) == 20


def test_changes_without_a_class_are_reported_if_one_class_is_requested() -> None:
    feed = [change("03-05", "LOW", "HIGH"), change("03-06", "LOW", "HIGH", **{"class": "material"})]
    with serving(answering(changes={"data": feed})) as server, Client(server.url, "apc_live_x") as client:
        assert len(load_changes(client)) == 2
        assert list(client.problems) == []
        assert len(load_changes(client, change_class="material")) == 1
        assert [one.what for one in client.problems] == ["1 of 2 changes have no readable class"]


def test_a_sign_in_page_is_not_reported_as_a_server_without_past_states() -> None:
    page = reply("200 OK", b"<html>Sign in", "Content-Type: text/html")
    with serving(page) as server, Client(server.url, "svc_x") as client:
        for load in (load_platforms, coverage_record, load_records):
            with pytest.raises(InvalidAnswer, match="not JSON"):
                load(client, "2026-01-31")


def of_the_past(refused: bytes, days: bytes = rb"2026-02-28") -> Answer:
    """A server of past states that fails to tell the ends of some months."""

    def answer(request: bytes) -> bytes:
        day = re.search(rb"as_of=([\d-]+)", request)
        if day and re.fullmatch(days, day[1]):
            return refused
        echo = {"as_of": day[1].decode()} if day else {"as_of": "2026-03-20"}
        rows = {"total": 1, "data": [{"id": "amber", "name": "Amber", "rating": "HIGH"}], "tracked": 3, "verified": 2}
        return reply("404 x") if b"/changes" in request else reply("200 OK", json.dumps(rows | echo).encode())

    return answer


def test_a_month_that_a_server_with_past_states_fails_to_give_is_unknown_and_reported() -> None:
    with serving(of_the_past(reply("418 x"))) as server, Client(server.url, "apc_live_x") as client:
        history = load_history(client, 2, date(2026, 3, 20))
        assert history["known"].tolist() == [True, False, True]
        assert set(history["name"]) == {"Amber"}
        coverage = load_coverage_history(client, 2, date(2026, 3, 20))
        assert coverage is not None
        assert coverage["tracked"].fillna(-1).tolist() == [3, -1, 3]
        assert coverage["as_of"].notna().all()
        assert [one.where for one in client.problems] == [
            "/api/v1/platforms?as_of=2026-02-28", "/api/coverage?as_of=2026-02-28",
        ]  # fmt: skip


@pytest.mark.parametrize(
    "refused", [*(reply(f"{status} x") for status in (400, 402, 403, 422)), reply("200 OK", b'{"data": []}')]
)
def test_a_server_without_past_states_is_not_a_problem(refused: bytes) -> None:
    with serving(of_the_past(refused, b".*")) as server, Client(server.url, "apc_live_x") as client:
        assert load_history(client, 2, date(2026, 3, 20))["known"].tolist() == [False, False, True]
        assert load_coverage_history(client, 2, date(2026, 3, 20)) is None
        assert list(client.problems) == []


@pytest.mark.parametrize("refused", [reply("400 x"), reply("403 x"), reply("422 x")])
def test_months_before_a_servers_oldest_day_are_missing_and_later_months_are_present(refused: bytes) -> None:
    with serving(of_the_past(refused, b"2026-0[12]-.*")) as server, Client(server.url, "apc_live_x") as client:
        coverage = load_coverage_history(client, 3, date(2026, 4, 20))
        assert coverage is not None
        assert coverage["tracked"].fillna(-1).tolist() == [-1, -1, 3, 3]
        assert list(client.problems) == []


def test_a_month_refused_after_an_earlier_month_was_given_is_a_problem() -> None:
    with serving(of_the_past(reply("400 x"))) as server, Client(server.url, "apc_live_x") as client:
        coverage = load_coverage_history(client, 3, date(2026, 4, 20))
        assert coverage is not None
        assert coverage["tracked"].fillna(-1).tolist() == [3, -1, 3, 3]
        assert [one.where for one in client.problems] == ["/api/coverage?as_of=2026-02-28"]


def test_a_server_too_slow_for_every_month_still_counts_as_having_past_states() -> None:
    def slow(request: bytes) -> bytes:
        if b"as_of=" in request:
            time.sleep(2)
        return reply("200 OK", b'{"tracked": 3, "as_of": "2026-03-20"}')

    with serving(slow) as server, Client(server.url, "apc_live_x", deadline=1) as client:
        coverage = load_coverage_history(client, 2, date(2026, 3, 20))
        assert coverage is not None
        assert coverage["tracked"].fillna(-1).tolist() == [-1, -1, 3]
        (problem,) = client.problems
        assert problem.what == "this and the later days were not read: a load may take 1 s"


def test_without_a_key_each_platform_is_read_once() -> None:
    index = b"/api/machine/platform/amber\n/api/machine/platform/beryl\n/api/machine/platform/coral\n"
    result = answering(**{"llms-full.txt": reply("200 OK", index, "Content-Type: text/plain")})
    with serving(result) as server, Client(server.url) as client:
        data = ra.load(client, platforms=["coral", "amber"])
        assert data.platforms["slug"].tolist() == data.findings["slug"].tolist() == ["amber", "coral"]
        assert data.tracked["slug"].tolist() == ["amber", "beryl", "coral"]
        assert sum(b"/api/machine/platform/" in request for request in server.asked) == 3


@pytest.mark.parametrize("load", ["history", "coverage_history"])
def test_all_months_share_the_time_of_one_load(load: str) -> None:
    days: list[str] = []

    def answer(request: bytes) -> bytes:
        name, day = (re.search(pattern, request) for pattern in (rb"/(\w+)[ ?]", rb"as_of=([0-9-]+)"))
        if day:
            days.append(day[1].decode())
            time.sleep(0.3)
        result: dict[str, Any] = {"total": 1, "data": [{"id": "amber", "name": "Amber", "rating": "HIGH"}]}
        if name and name[1] == b"coverage":
            result = {"tracked": 1, "as_of": "2026-03-20"}
        return reply("200 OK", json.dumps(result | ({"as_of": day[1].decode()} if day else {})).encode())

    with serving(answer) as server, Client(server.url, "svc_x", deadline=1.5) as client:
        if load == "history":
            frame = load_history(client, 30, date(2026, 3, 20))
            assert len(frame) == 31
            known = frame["known"]
        else:
            counts = load_coverage_history(client, 30, date(2026, 3, 20))
            assert counts is not None
            known = counts["tracked"].iloc[:-1].notna()
        assert 0 < known.sum() < 10
        assert len(set(days)) < 10
        (problem,) = client.problems
        assert re.search("later days were not read|took longer|not read to its end", problem.what)
