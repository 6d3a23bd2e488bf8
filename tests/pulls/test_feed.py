"""A pull of a service whose lists are capped, or claim more rows than they give."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import riskanalytics as ra
from tests.http_server import reply, serving
from tests.pulls.given import KEY, answering, change, platform, speaking

pytestmark = pytest.mark.usefixtures("parquet")


def test_a_feed_of_full_pages_is_incomplete_only_if_it_does_not_reach_back_to_the_last_pull(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    days = pd.date_range("2026-01-01", periods=200, tz="UTC")
    newest = [60]

    def capped(request: bytes) -> bytes:
        rows = [
            {"platform": "z", "reviewed_at": str(days[number].date())}
            for number in range(newest[0], newest[0] - 25, -1)
        ]
        result = reply("200 OK", json.dumps({"data": rows}).encode())
        return result if b"/api/v1/changes" in request else answering(request)

    def incomplete() -> list[str]:
        with ra.connect(server.url) as client:
            manifest = ra.pull(tmp_path, client)
        assert manifest.tables["changes"].rows == 25
        return [line for line in manifest.problems if "/api/v1/changes" in line]

    with serving(capped) as server:
        assert incomplete() == incomplete() == []
        newest[0] += 24
        assert incomplete() == []
        newest[0] += 26
        said = "the list of changes may be cut off after 25 changes, all newer than the last pull's: older ones are not known"
        assert incomplete() == [f"/api/v1/changes: {said}"]
        assert incomplete() == []


def test_a_feed_that_claims_more_than_it_gives_has_this_one_problem(tmp_path: Path) -> None:
    alpha = platform("alpha", "LOW", "2026-10-01T00:00:00Z", findings=[])
    for day in ("2026-10-01", "2026-10-20"):
        feed = [change("alpha", f"{day}T00:00:00Z", "LOW", "LOW")]
        manifest = ra.pull(tmp_path, speaking("2026-10-31", [alpha], feed, changes=5))
        said = "the service announces 5 changes, but its list has only 1, without repeats: some may be missing"
        assert manifest.problems == (f"/api/v1/changes: {said}",)


@pytest.mark.parametrize("total", [4, 3])
def test_a_list_whose_total_is_high_is_kept_with_the_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, total: int
) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)

    def claiming(request: bytes) -> bytes:
        return answering(request).replace(b'"total": 2', b'"total": %d' % total)

    with serving(claiming) as server, ra.connect(server.url) as client:
        manifest = ra.pull(tmp_path, client)
    assert manifest.tables["platforms"].rows == 2
    assert manifest.problems == (f"/api/v1/platforms: the list claims {total} rows but gave 2: some may be missing",)
