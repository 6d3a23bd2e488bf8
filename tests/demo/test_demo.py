"""The demo: fictional, varied, the same everywhere, and safe when two build it at once."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from riskanalytics.demo import DemoCollection, demo_database
from riskanalytics.demo.platforms import LAST_DAY, QUIET_MONTH, all_platforms
from riskanalytics.errors import SettingsError
from riskanalytics.ingest import ingest
from riskanalytics.models import CHANGE_CLASSES, RATINGS, STANCES, SURFACES, VERIFICATIONS
from riskanalytics.provenance import verify
from riskanalytics.service import Store

NEWEST = "SELECT max(valid_from) FROM state t WHERE t.platform_id = s.platform_id"


@pytest.fixture
def demo(embedded_demo: Path) -> Path:
    return embedded_demo


def column(database: Path, sql: str) -> list[object]:
    with sqlite3.connect(database) as connection:
        return [row[0] for row in connection.execute(sql)]


def test_there_are_at_least_300_platforms_and_two_years_of_history(demo: Path) -> None:
    assert len(all_platforms()) >= 300
    assert len({platform.name for platform in all_platforms()}) == len(all_platforms())
    first, last = column(demo, "SELECT min(captured_at) FROM capture UNION ALL SELECT max(captured_at) FROM capture")
    assert str(first) < "2024-10"
    assert str(last)[:7] == f"{LAST_DAY:%Y-%m}"


def test_everything_that_can_occur_occurs(demo: Path) -> None:
    assert set(column(demo, "SELECT DISTINCT surface FROM live_finding")) == set(SURFACES)
    assert set(column(demo, "SELECT DISTINCT class FROM change")) == set(CHANGE_CLASSES)
    now = f"FROM state s WHERE s.valid_from = ({NEWEST})"
    assert set(column(demo, f"SELECT DISTINCT stance {now}")) == set(STANCES)
    assert set(column(demo, f"SELECT DISTINCT rating {now}")) == {*RATINGS, "UNRATED"}
    assert set(column(demo, f"SELECT DISTINCT verification {now}")) == set(VERIFICATIONS)


def test_what_is_extracted_is_what_was_meant(demo: Path) -> None:
    with sqlite3.connect(demo) as connection:
        found = dict(connection.execute(
            f"SELECT p.name, s.stance FROM state s JOIN platform p ON p.id = s.platform_id WHERE s.valid_from = ({NEWEST})"
        ))  # fmt: skip
    readable = [platform for platform in all_platforms() if platform.documents != ("Imprint",)]
    right = [platform for platform in readable if found[platform.name] == platform.intended.stance]
    assert len(right) >= 0.95 * len(readable)


def test_recent_months_have_something_to_read_and_one_is_quiet(demo: Path) -> None:
    months = column(demo, "SELECT substr(reviewed_at, 1, 7) FROM change WHERE class = 'material'")
    for month in ("2026-08", "2026-09", "2026-10"):
        assert 5 <= months.count(month) <= 40
    assert months.count("{}-{:02d}".format(*QUIET_MONTH)) <= 3


def test_every_quote_stands_at_its_offsets(demo: Path) -> None:
    store = Store(demo)
    for record in store.platforms(limit=1000)[::7]:
        state = store.platform(record["id"])
        assert state is not None
        for finding in store.findings(state):
            source = finding["provenance"]
            body = store.snapshot(source["snapshot_sha256"])
            status = verify(finding["quote"], source["start"], source["end"], source["snapshot_sha256"], body)
            assert status == "verified"
    store.close()


def test_nothing_in_it_leads_to_a_real_place() -> None:
    for capture in DemoCollection().captures(lambda revision, path: False):
        if not isinstance(capture, int):
            hosts = re.findall(rb"https?://([^/)\s\"]+)", capture.body)
            assert all(host.endswith(b".example") for host in hosts)


@pytest.mark.slow
def test_two_builds_are_the_same(tmp_path: Path) -> None:
    for name in ("a", "b"):
        ingest(DemoCollection(), tmp_path / name)
    first, second = (
        "\n".join(line for line in _dump(tmp_path / name) if "live_search" not in line) for name in ("a", "b")
    )
    assert first == second


def _dump(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        return list(connection.iterdump())


@pytest.mark.slow
def test_two_processes_that_build_it_at_once_end_with_one(tmp_path: Path) -> None:
    script = f"from pathlib import Path; from riskanalytics.demo import demo_database; print(demo_database(Path({str(tmp_path)!r})))"
    running = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = {process.communicate(timeout=180)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert printed == {str(path) for path in tmp_path.glob("demo-*.sqlite")}


def test_a_built_demo_is_found_again_at_once(demo: Path) -> None:
    before = demo.stat().st_mtime_ns
    assert demo_database(demo.parent) == demo
    assert demo.stat().st_mtime_ns == before


def test_a_cache_that_cannot_be_written_is_said_with_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="RISKANALYTICS_CACHE"):
        demo_database(tmp_path / "file" / "cache")
