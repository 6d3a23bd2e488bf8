"""What a load takes from a server that ignores days, names platforms in several ways, or fails for some of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.client.connection import recorded
from riskanalytics.dataset.history import load_history
from riskanalytics.dataset.loading import data_day, load_changes, load_records, read_each, with_listed_slugs
from riskanalytics.errors import ServiceError
from tests.dataset.test_problems import answering, change, machine
from tests.http_server import reply, serving


def test_days_that_a_server_ignores_are_cut_here_and_the_last_day_is_whole() -> None:
    feed = [change(day, "LOW", "HIGH") for day in ("03-07", "03-06T23:59:59Z", "03-06T00:00:00Z", "03-05T23:59:59Z")]
    with serving(answering(changes={"data": feed})) as server, Client(server.url, "apc_live_x") as client:
        cut = load_changes(client, date(2026, 3, 6), date(2026, 3, 6))
        assert cut["reviewed_at"].dt.strftime("%H:%M").tolist() == ["23:59", "00:00"]
        assert len(load_changes(client, until=date(2026, 3, 5))) == 1


def test_a_change_belongs_to_the_platform_with_its_slug_else_to_the_only_one_with_its_name() -> None:
    named = [("a", "Same"), ("b", "Same"), ("c", "Cee"), ("d", None), ("e", "A")]
    feed = [("A", "?"), ("B", "Cee"), ("x", "same"), ("x", "cee"), (None, None)]
    changes = frames.changes_frame([{"platform": slug, "name": name} for slug, name in feed])
    platforms = frames.platforms_frame([{"id": slug, "name": name} for slug, name in named])
    with Client("https://a.example") as client:
        slugs = with_listed_slugs(client, changes, platforms)["slug"]
        assert slugs.fillna("").tolist() == ["a", "b", "", "c", ""]
        assert [one.what for one in client.problems] == ["1 of 5 changes are of a platform that is not listed"]


def test_a_load_that_has_read_a_platform_goes_on_and_one_that_reads_none_of_twelve_stops() -> None:
    asked: list[str] = []

    def answer(path: str, _: Mapping[str, str]) -> tuple[int, str, bytes]:
        asked.append(path.rpartition("/")[2])
        status = 200 if asked[-1] == "good" else 424 if asked[-1].startswith("gone") else 418
        return status, "application/json", json.dumps(machine(asked[-1])).encode()

    transport = recorded(answer)
    vars(transport)["at_once"] = 1
    bad = [f"p{number:02d}" for number in range(20)]
    with Client("https://a.example", transport=transport) as client:
        found = read_each(client, None, ["good", *bad], lambda *_: None)
        assert [slug for slug, got in found.items() if isinstance(got, dict)] == ["good"]
        assert (len(found), len(read_each(client, None, [*bad[:11], "good"], lambda *_: None))) == (21, 12)
        # what a pull lacks is no failure of its source
        assert len(read_each(client, None, [*(f"gone{number}" for number in range(13)), "good"], lambda *_: None)) == 14
        asked.clear()
        with pytest.raises(ServiceError, match="status 418"):
            read_each(client, None, [*bad[:12], "good"], lambda *_: None)
        assert "good" not in asked


def test_a_named_platform_that_a_past_day_does_not_have_is_reported() -> None:
    result = answering(beryl=machine("beryl", as_of="2026-01-31"), coral=reply("404 x"))
    with serving(result) as server, Client(server.url) as client:
        assert len(load_records(client, date(2026, 1, 31), ["coral", "beryl"])) == 1
        assert [one.slug for one in client.problems] == ["coral"]
        assert [record["slug"] for record in load_records(client, slugs=["beryl", "amber"])] == ["amber", "beryl"]


def test_a_platform_listed_on_a_past_day_and_then_unknown_is_reported() -> None:
    rows = {"total": 2, "data": [{"id": slug, "rating": "LOW"} for slug in ("beryl", "coral")], "as_of": "2026-01-31"}
    result = answering(platforms=rows, beryl=machine("beryl", as_of="2026-01-31"), coral=reply("404 x"))
    with serving(result) as server, Client(server.url, "svc_x") as client:
        assert [record["slug"] for record in load_records(client, date(2026, 1, 31))] == ["beryl"]
        assert [one.slug for one in client.problems] == ["coral"]


def test_without_a_change_of_its_own_a_platform_had_its_rating_as_far_as_the_feed_reaches_and_has_it_today() -> None:
    def rated(day: str, feed: list[dict[str, Any]]) -> list[tuple[Any, bool]]:
        listed = {"total": 2, "data": [{"id": slug, "name": slug, "rating": "HIGH"} for slug in ("amber", "beryl")]}
        result = answering(platforms=listed, changes={"data": feed}, coverage={"tracked": 2, "as_of": day})
        with serving(result) as server, Client(server.url, "apc_live_x") as client:
            frame = load_history(client, 1, date(2026, 3, 20))
        amber = frame[frame["slug"] == "amber"].astype({"rating": "str"}).fillna({"rating": ""})
        return list(amber[["rating", "known"]].itertuples(index=False, name=None))

    other = [change("01-10", "LOW", "HIGH", platform="beryl")]
    assert rated("2026-03-20", other) == [("HIGH", True), ("HIGH", True)]
    assert rated("2026-03-31", []) == [("", False), ("HIGH", True)]
    assert rated("2026-03-31", [change("01-10", "HIGH", "LOW")]) == [("", False), ("HIGH", True)]


def test_data_without_a_day_are_of_today() -> None:
    with serving(answering(coverage={"tracked": 1})) as server, Client(server.url) as client:
        before = date.today()
        assert before <= data_day(client) <= date.today()
