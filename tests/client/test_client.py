"""The client against servers that page in every way that servers page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any

import httpx
import pytest

from riskanalytics.client import Client
from riskanalytics.errors import InvalidAnswer, ServiceError, TierRequired, UnknownPlatform
from tests.http_server import reply, serving

ROWS = [{"id": f"p{number:03d}", "rating": "MED"} for number in range(230)]
Paging = Callable[[int, int], tuple[list[Any], object]]


def paged(page: Paging) -> Callable[[bytes], bytes]:
    """A server that answers a list by limit and offset."""

    def answer(request: bytes) -> bytes:
        query = dict(re.findall(r"[?&](\w+)=(\d+)", request.split(b" ")[1].decode()))
        rows, total = page(int(query.get("limit", 50)), int(query.get("offset", 0)))
        return reply("200 OK", json.dumps({"object": "list", "total": total, "data": rows}).encode())

    return answer


def slugs(page: Paging) -> list[str]:
    with serving(paged(page)) as server, Client(server.url, "svc_x") as client:
        found = [row["id"] for row in client.platforms()]
        assert len(server.asked) <= 12
        return found


EVERY = [row["id"] for row in ROWS]


@pytest.mark.parametrize(
    "page",
    [
        lambda limit, offset: (ROWS[offset : offset + limit], 230),
        lambda limit, offset: (ROWS[offset : offset + min(limit, 100)], 230),
        lambda limit, offset: (ROWS[max(0, offset - 1) : offset + min(limit, 100)], 230),
        lambda limit, offset: ([*ROWS[offset : offset + 100], None, 7], 230),
        lambda limit, offset: (ROWS, 230),
        lambda limit, offset: (ROWS[offset : offset + limit], 10),
    ],
    ids=["as asked", "capped", "rows inserted at the front", "null rows", "offset ignored", "total too low"],
)
def test_each_platform_is_given_once_whatever_the_pages_contain(page: Paging) -> None:
    assert sorted(slugs(page)) == EVERY


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (lambda limit, offset: (ROWS[:100], 230), "claims 230 rows but gave 100"),
        (lambda limit, offset: ([], 230), "claims 230 rows but gave 0"),
        (lambda limit, offset: (ROWS[offset : offset + limit], 900), "claims 900 rows but gave 230"),
        (lambda limit, offset: (ROWS[offset : offset + limit], 232 if offset else 228), "claims 232 rows but gave 230"),
    ],
    ids=["only the first page", "empty", "total too high", "total wobbles"],
)
def test_the_rows_of_an_incomplete_list_are_kept_and_the_doubt_is_reported(page: Paging, said: str) -> None:
    with serving(paged(page)) as server, Client(server.url, "svc_x") as client:
        slugs = [row["id"] for row in client.platforms()]
        assert slugs == [row["id"] for row in page(500, 0)[0]]
        assert [problem.what for problem in client.problems] == [f"the list {said}: some may be missing"]


@pytest.mark.parametrize("total", [0, None])
def test_an_empty_list_is_an_answer(total: int | None) -> None:
    with serving(paged(lambda limit, offset: ([], total))) as server, Client(server.url, "svc_x") as client:
        assert list(client.platforms()) == []
        assert list(client.problems) == []


@pytest.mark.parametrize("total", [None, "230", -1, 1e12, True, 0.5])
def test_a_total_that_is_not_a_count_is_ignored(total: object) -> None:
    assert len(slugs(lambda limit, offset: (ROWS[offset : offset + limit], total))) == 230


def test_changes_end_at_a_page_without_new_rows_even_if_total_counts_platforms() -> None:
    answer = paged(lambda limit, offset: (ROWS[:30], 5))
    with serving(answer) as server, Client(server.url, "apc_live_x") as client:
        assert len(list(client.changes())) == 30
        assert len(server.asked) == 4, "a page that repeats the first is read again: the feed may have moved"
        assert len(list(client.changes(limit=7))) == 7


@pytest.mark.parametrize("status", ["400 x", "422 x"])
def test_changes_fall_back_if_the_server_refuses_our_additions(status: str) -> None:
    def strict(request: bytes) -> bytes:
        rows = [] if b"offset" in request else [{"id": "a"}]
        refused = b"since" in request or b"class" in request
        if len(server.asked) > 20:
            return reply("418 asked without end")
        return reply(status) if refused else reply("200 OK", json.dumps({"data": rows}).encode())

    with serving(strict) as server, Client(server.url, "apc_live_x") as client:
        for asked in ((date(2026, 1, 1), None, None, 7), (None, None, "format", 7)):
            assert [row["id"] for row in client.changes(*asked)] == ["a"]
        assert all(b"limit=7" in request for request in server.asked)


DAY = date(2026, 1, 31)
CALLS: list[tuple[Callable[[Client], Any], str, bool]] = [
    (lambda client: list(client.platforms(DAY)), "/api/v1/platforms?as_of=2026-01-31&limit=500", True),
    (lambda client: client.platform("a", DAY), "/api/v1/platforms/a?as_of=2026-01-31", True),
    (lambda client: client.machine_platform("a", DAY), "/api/machine/platform/a?as_of=2026-01-31", False),
    (
        lambda client: dict[str, Any](client.machine_platforms(["a"], DAY))["a"]["slug"],
        "/api/machine/platform/a?as_of=2026-01-31",
        False,
    ),
    (lambda client: client.coverage(DAY), "/api/coverage?as_of=2026-01-31", False),
    (lambda client: list(client.search("a b")), "/api/v1/search?q=a+b&limit=500", True),
    (lambda client: list(client.search_clauses("a", "ads")), "/api/machine/search?q=a&surface=ads&limit=500", False),
    (
        lambda client: list(client.changes(DAY, "2026-02-01", "format", 7)),
        "/api/v1/changes?since=2026-01-31&until=2026-02-01&class=format&limit=7",
        True,
    ),
    (lambda client: client.ask("Why?", "a"), '/api/verified/ask {"question": "Why?", "platform": "a"}', False),
    (lambda client: client.snapshot("ab"), "/archive/ab", False),
    (lambda client: client.index(), "/llms-full.txt", False),
    (lambda client: list(client.posture("a")), "/api/machine/posture?platform=a&limit=500", False),
    (lambda client: list(client.posture()), "/api/machine/posture?limit=500", False),
]


@pytest.mark.parametrize(("call", "asked", "keyed"), CALLS)
def test_each_method_passes_on_its_arguments_and_the_key_only_where_it_is_needed(
    call: Callable[[Client], object], asked: str, keyed: bool
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        path = f"{request.url.raw_path.decode()} {request.content.decode()}".strip()
        assert (path, "authorization" in request.headers) == (asked, keyed)
        body = {"total": 0, "data": [], **request.url.params}
        return httpx.Response(200, stream=httpx.ByteStream(json.dumps(body).encode()))

    with Client("https://a.example", "svc_x", transport=httpx.MockTransport(answer)) as client:
        call(client)


def test_a_platform_that_only_a_key_shows_is_read_with_the_key_and_else_the_first_refusal_is_told() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        open_, slug = "/machine/" in request.url.path, request.url.path[-1]
        status = {"a": 403, "b": 404, "c": 403}[slug] if open_ else {"c": 418}.get(slug, 200)
        return httpx.Response(status, stream=httpx.ByteStream(json.dumps({"slug": slug}).encode()))

    for key, refused in (
        ("svc_x", {"c": TierRequired}),
        (None, {"a": TierRequired, "b": UnknownPlatform, "c": TierRequired}),
    ):
        asked.clear()
        with Client("https://a.example", key, transport=httpx.MockTransport(answer)) as client:
            got = dict(client.machine_platforms(["a", "b", "c"]))
        assert {slug: type(one) for slug, one in got.items() if isinstance(one, Exception)} == refused
        assert len(asked) == (6 if key else 3)


def test_a_load_has_two_minutes_and_a_second_for_each_platform_unless_a_deadline_is_set() -> None:
    assert Client("https://a.example").seconds(30) == 150
    assert Client("https://a.example", deadline=5).seconds(30) == 5


def test_changes_without_a_pro_key_say_so() -> None:
    with (
        serving(reply("403 x")) as server,
        Client(server.url, "svc_x") as client,
        pytest.raises(TierRequired),
    ):
        list(client.changes())


def test_today_is_not_taken_for_another_day() -> None:
    answer = reply("200 OK", b'{"total": 1, "data": [{"id": "a"}]}')
    with (
        serving(answer) as server,
        Client(server.url, "svc_x") as client,
        pytest.raises(ServiceError, match=r"no data for|cannot be loaded"),
    ):
        list(client.platforms(date(2026, 1, 31)))


@pytest.mark.parametrize("result", [b'{"slug": "a"}', b'{"slug": "a", "as_of": "2026-02-01"}'])
def test_a_record_of_another_day_is_refused_and_one_of_the_requested_day_is_given(result: bytes) -> None:
    right = b'{"slug": "a", "as_of": "2026-01-31"}'
    with serving(reply("200 OK", result), reply("200 OK", right)) as server, Client(server.url) as client:
        with pytest.raises(ServiceError, match="/api/machine/platform/a: the server has no data for 2026-01-31"):
            client.machine_platform("a", date(2026, 1, 31))
        assert client.machine_platform("a", date(2026, 1, 31))["slug"] == "a"


@pytest.mark.parametrize(
    "record",
    [
        {"id": "https://a.example/api/machine/platform/opal"},
        {"slug": "Opal", "page": {"slug": "platforms"}},
        {},
    ],
)
def test_the_record_of_the_requested_platform_is_found_in_any_envelope(record: dict[str, Any]) -> None:
    with serving(reply("200 OK", json.dumps(record).encode())) as server, Client(server.url) as client:
        assert client.machine_platform("opal")["slug"] == "opal"


@pytest.mark.parametrize(
    "record",
    [
        {"slug": "coral", "platform": {"slug": "opal"}},
        {"id": "https://a.example/opal/coral"},
    ],
)
def test_the_record_of_another_platform_is_refused(record: dict[str, Any]) -> None:
    answer = reply("200 OK", json.dumps(record).encode())
    with (
        serving(answer) as server,
        Client(server.url) as client,
        pytest.raises(InvalidAnswer, match="another platform"),
    ):
        client.machine_platform("opal")


@pytest.mark.parametrize("slug", ["../x", "a/b", "%2e%2e", "a?b", "a#b"])
def test_a_slug_is_one_segment_of_the_path(slug: str) -> None:
    with serving(reply("200 OK")) as server, Client(server.url) as client:
        client.machine_platform(slug)
        path = server.asked[0].split(b" ")[1].decode()
        assert path.startswith("/api/machine/platform/")
        assert path.count("/") == 4
        assert "?" not in path


@pytest.mark.parametrize("slug", ["", ".", "..", "x" * 300, "a\nb"])
def test_an_invalid_slug_is_refused_before_any_request(slug: str) -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(ServiceError, match="slug"):
        client.platform(slug)


@pytest.mark.parametrize("body", [b"3", b'{"data": {}}', b"{}", b"null"])
def test_an_answer_without_a_list_is_invalid(body: bytes) -> None:
    with (
        serving(reply("200 OK", body)) as server,
        Client(server.url, "svc_x") as client,
        pytest.raises(InvalidAnswer),
    ):
        list(client.platforms())


def test_a_client_shows_no_key() -> None:
    with Client("http://127.0.0.1:9", "apc_live_canary") as client:
        assert "canary" not in repr(client)
        assert "canary" not in str(vars(client))
