"""Who is let through: keys, and sliding windows that processes share."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from riskanalytics.service import Access, Store, create_app
from riskanalytics.service.door.gate import Limiter, Pace, subject_of
from riskanalytics.settings.databases import Place, written_out
from tests.http_server import served
from tests.service.given import Caller


def test_a_key_is_accepted_in_either_header_and_two_different_keys_are_refused(caller: Caller) -> None:
    pro, starter = caller.keys["pro"], caller.keys["starter"]
    sent = (
        {"x-api-key": pro},
        {"authorization": f"bearer  {pro}"},
        {"authorization": f"Bearer {pro}", "x-api-key": pro},
        {"authorization": f"Bearer {starter}", "x-api-key": pro},
        {"authorization": f"Basic {pro}"},
        {"x-api-key": f" {pro} ", "authorization": "Bearer  "},
    )
    result = [caller.call("/api/v1/changes", headers=headers) for headers in sent]
    assert [reply.status for reply in result] == [200, 200, 200, 400, 401, 200]
    assert result[4].headers["www-authenticate"] == 'Bearer realm="riskanalytics"'
    assert result[4].headers["vary"] == "Authorization, X-Api-Key"


def test_an_address_that_only_begins_like_a_keyed_one_needs_no_key(caller: Caller) -> None:
    assert [caller.call(path).status for path in ("/api/v1", "/api/v1/nope", "/api/v10")] == [401, 401, 404]


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def __call__(self) -> float:
        return self.at


def test_a_window_slides_and_refused_requests_do_not_count() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    taken = []
    for _ in range(70):
        clock.at += 0.5
        taken.append(limiter.take("key:1", "starter", 60).accepted)
    assert taken == [True] * 60 + [False] * 10
    refused = limiter.take("key:1", "starter", 60)
    assert (refused.remaining, refused.seconds) == (0, 26)
    clock.at += refused.seconds
    assert limiter.take("key:1", "starter", 60).accepted


@pytest.mark.parametrize("waits", [1, 7, 20, 45])
def test_a_request_after_the_retry_time_is_accepted(waits: int) -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    for number in range(400):
        verdict = limiter.take("a", "reads", 30)
        if not verdict.accepted:
            clock.at += verdict.seconds
            assert limiter.take("a", "reads", 30).accepted
        clock.at += (number % waits) / 8


def test_a_minute_has_at_most_the_quota_and_the_previous_minute_counts_in_part() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    assert [limiter.take("a", "reads", 10).remaining for _ in range(10)] == [*range(9, -1, -1)]
    clock.at += 90
    assert sum(limiter.take("a", "reads", 10).accepted for _ in range(20)) == 6
    # of the 10 before, 4 may count: after 6 of the 30 seconds left
    assert limiter.take("a", "reads", 10).seconds == 6
    for later in (200, 120, 150):
        clock.at += later
        first = limiter.take("a", "reads", 10)
        assert (first.remaining, first.seconds, first.accepted) == (9, 60, True)
        assert sum(limiter.take("a", "reads", 10).accepted for _ in range(20)) == 9
    # the whole minute before counts at its end, except the share that is just leaving
    clock.at += 60
    assert [limiter.take("a", "reads", 10).accepted for _ in range(2)] == [True, False]


def test_headers_state_the_quota_the_remaining_requests_and_the_waiting_time() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    assert limiter.take("a", "reads", 1).headers() == {
        "RateLimit-Policy": '"reads";q=1;w=60',
        "RateLimit": '"reads";r=0;t=60',
    }
    clock.at += 20.1
    refused = limiter.take("a", "reads", 1)
    assert refused.headers()["Retry-After"] == "40"
    assert refused.headers()["RateLimit"] == '"reads";r=0;t=40'


def test_a_counter_that_works_again_reports_no_trouble(tmp_path: Path) -> None:
    with closing(Access(tmp_path / "keys")) as access, closing(Limiter(tmp_path / "keys")) as limiter:
        seen = []
        for statement in ("ALTER TABLE pace RENAME TO away", "ALTER TABLE away RENAME TO pace"):
            with access.transaction() as connection:
                connection.execute(text(statement))
            seen.append((limiter.take("a", "reads", 9) is None, limiter.trouble))
    assert seen == [(True, True), (False, False)]


def test_subjects_have_separate_windows_and_a_clock_set_back_starts_a_new_one() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    assert limiter.take("a", "reads", 1).accepted
    assert limiter.take("b", "reads", 1).accepted
    assert not limiter.take("a", "reads", 1).accepted
    clock.at -= 500
    assert limiter.take("a", "reads", 1).accepted


def test_rows_of_old_requests_are_deleted(tmp_path: Path) -> None:
    clock = Clock()
    with closing(Access(tmp_path / "keys")) as access:
        limiter = Limiter(tmp_path / "keys", clock)
        limiter.take("a", "reads", 1)
        clock.at += 7201
        limiter.take("b", "reads", 1)
        with access.reading() as connection:
            assert connection.execute(text("SELECT subject FROM pace")).scalars().all() == ["b"]
        limiter.close()


COUNT = """
import sys
from riskanalytics.settings.databases import place_of
from riskanalytics.service.door.gate import Limiter
limiter = Limiter(place_of(sys.argv[1]))
print(sum(limiter.take("key:1", "pro", 300).accepted for _ in range(200)))
"""


@pytest.mark.slow
def test_processes_on_one_database_share_a_window(copied_place: Place) -> None:
    with closing(Access.of(copied_place)) as access:
        place = access.place
    assert place is not None
    started = [
        subprocess.Popen([sys.executable, "-c", COUNT, written_out(place)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    accepted = [int(process.communicate(timeout=60)[0]) for process in started]
    assert 300 <= sum(accepted) <= 320
    with closing(Limiter(place)) as restarted:
        assert not restarted.take("key:1", "pro", 300).accepted


@pytest.mark.parametrize(
    ("address", "subject"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, "unknown"),
        ("no address", "unknown"),
    ],
)
def test_an_open_request_counts_for_its_address_or_its_network(address: str | None, subject: str) -> None:
    assert subject_of(address) == subject


def test_if_requests_cannot_be_counted_reads_continue_and_health_reports_it(
    given_database: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "given.sqlite"))
    with closing(Store(database)) as store, closing(Access.of(database)) as access:
        app = create_app(store, access, public_url="https://a.example", pace=Pace(reads=3))
        with served(app) as address, httpx.Client(base_url=address) as client:
            assert client.get("/health").json()["status"] == "ok"
            assert [client.get("/api/coverage").status_code for _ in range(4)] == [200, 200, 200, 429]
            with access.transaction() as connection:
                connection.execute(text("DROP TABLE pace"))
            assert [client.get("/api/coverage").status_code for _ in range(4)] == [200] * 4
            health = client.get("/health").json()
    assert health["status"] == "degraded"
    assert health["faults"] == ["rate limits are not enforced: the key file cannot be written"]


def test_each_key_of_a_tier_has_its_own_window(copied_place: Place) -> None:
    caller = Caller(copied_place, Pace(tiers={"pro": 1}, reads=None, posts=None))
    with closing(caller):
        keys = [caller.keys["pro"], caller.access.issue("c@d.example", "pro")]
        sent = [keys[0], keys[0], keys[1]]
        result = [caller.call("/api/v1/changes", headers={"x-api-key": key}).status for key in sent]
    assert result == [200, 429, 200]
