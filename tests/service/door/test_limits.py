"""Sliding windows: exact, shared by processes, moved by no wall clock."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from riskanalytics.databases import Place, written_out
from riskanalytics.service.door.limits import Limiter, subject_of

SECOND = 1_000_000_000


class Clock:
    """Monotonic time that a test moves."""

    def __init__(self) -> None:
        self.at = 1_000 * SECOND

    def __call__(self) -> int:
        return self.at


def test_a_window_slides_and_refused_requests_do_not_count() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    taken = []
    for _ in range(70):
        clock.at += SECOND // 2
        taken.append(limiter.take("key:1", "starter", 60).accepted)
    assert taken == [True] * 60 + [False] * 10
    refused = limiter.take("key:1", "starter", 60)
    clock.at += refused.seconds * SECOND
    assert limiter.take("key:1", "starter", 60).accepted
    assert refused.seconds == 26


def test_retry_after_is_true_to_the_second() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    assert limiter.take("a", "reads", 1).accepted
    clock.at += 20 * SECOND + 1
    refused = limiter.take("a", "reads", 1)
    assert refused.headers()["Retry-After"] == "40"
    assert refused.headers()["RateLimit"] == '"reads";r=0;t=40'
    assert refused.headers()["RateLimit-Policy"] == '"reads";q=1;w=60'
    clock.at += 40 * SECOND - 2
    assert not limiter.take("a", "reads", 1).accepted
    clock.at += 1
    assert limiter.take("a", "reads", 1).accepted


def test_subjects_do_not_share_a_window_and_a_clock_that_began_anew_forgets_the_future() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    assert limiter.take("a", "reads", 1).accepted
    assert limiter.take("b", "reads", 1).accepted
    clock.at = 5 * SECOND
    assert limiter.take("a", "reads", 1).accepted


COUNT = """
import sys
from concurrent.futures import ThreadPoolExecutor
from riskanalytics.databases import place_of
from riskanalytics.databases import Place, written_out
from riskanalytics.service.door.limits import Limiter
limiter = Limiter(place_of(sys.argv[1]))
print(sum(limiter.take("key:1", "pro", 300).accepted for _ in range(200)))
"""


@pytest.mark.slow
def test_processes_of_one_database_share_a_window_without_losing_or_doubling_a_request(
    copied_place: Place, tmp_path: Path
) -> None:
    place = tmp_path / "a.pace.sqlite" if isinstance(copied_place, Path) else copied_place
    started = [
        subprocess.Popen([sys.executable, "-c", COUNT, written_out(place)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    accepted = [int(process.communicate(timeout=60)[0]) for process in started]
    assert sum(accepted) == 300
    restarted = Limiter(place)
    assert not restarted.take("key:1", "pro", 300).accepted
    restarted.close()
    assert not isinstance(place, Path) or place.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("address", "subject"),
    [
        ("203.0.113.7", "address:203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "address:203.0.113.7"),
        ("fe80::1%eth0", "address:fe80::/64"),
        (None, "address:unknown"),
        ("no address", "address:unknown"),
    ],
)
def test_an_open_request_counts_for_its_address_or_its_network(address: str | None, subject: str) -> None:
    assert subject_of(address) == subject


def test_a_busy_subject_takes_places_ahead_and_gets_exactly_its_quota(tmp_path: Path) -> None:
    clock = Clock()
    limiter = Limiter(tmp_path / "a.pace.sqlite", clock)
    left = []
    for _ in range(1300):
        clock.at += SECOND // 100
        verdict = limiter.take("a", "reads", 1200)
        left.append(verdict.remaining if verdict.accepted else -1)
    assert left == [*range(1199, -1, -1)] + [-1] * 100
    assert limiter.known("a", "reads", 1200) is not None
    limiter.close()


def test_what_is_taken_ahead_and_not_used_at_once_is_not_used_later(tmp_path: Path) -> None:
    clock = Clock()
    one, other = (Limiter(tmp_path / "a.pace.sqlite", clock) for _ in range(2))
    assert [one.take("a", "reads", 600).accepted for _ in range(4)] == [True] * 4  # 1 + 2 + 4 places, 3 unused
    assert one.known("a", "reads", 600).remaining == 595
    assert other.take("a", "reads", 600).remaining == 592
    clock.at += SECOND
    assert one.known("a", "reads", 600) is None
    assert one.take("a", "reads", 600).remaining == 591
    assert one.take("key:1", "pro", 300).accepted
    assert one.known("key:1", "pro", 300) is None
    for limiter in (one, other):
        limiter.close()


def test_a_slow_subject_takes_one_place_at_a_time(tmp_path: Path) -> None:
    clock = Clock()
    limiter = Limiter(tmp_path / "a.pace.sqlite", clock)
    for number in range(30):
        clock.at += SECOND
        assert limiter.take("a", "reads", 1200).remaining == 1199 - number
    limiter.close()


def test_requests_at_the_same_time_lose_few_places_to_each_other(tmp_path: Path) -> None:
    limiter = Limiter(tmp_path / "a.pace.sqlite")
    with ThreadPoolExecutor(4) as threads:
        accepted = sum(threads.map(lambda _: limiter.take("a", "reads", 1200).accepted, range(1400)))
    assert 1150 <= accepted <= 1200
    limiter.close()
