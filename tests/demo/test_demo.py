"""The demo's database: complete, varied, the same everywhere, and safe when two build it at once."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import NamedTuple

import pytest

from riskanalytics.demo import demo_database
from riskanalytics.demo.history import LAST_DAY, QUIET_MONTH, all_platforms
from riskanalytics.errors import SettingsError
from riskanalytics.models import CHANGE_CLASSES, RATINGS, STANCES, VERIFICATIONS
from riskanalytics.surfaces import SURFACES

NOW = "FROM state s WHERE s.valid_from = (SELECT max(valid_from) FROM state t WHERE t.platform_id = s.platform_id)"
KILLED = """
import os, sys
from pathlib import Path
from riskanalytics.demo import demo_database

def die(phase, done, total):
    if done > 100:
        os._exit(9)

demo_database(Path(sys.argv[1]), die)
"""
BUILD = """
import sys
from pathlib import Path
from riskanalytics.demo import demo_database

print(demo_database(Path(sys.argv[1])))
"""


def column(database: Path, sql: str) -> list[object]:
    """First column of an answer."""
    connection = sqlite3.connect(database)
    try:
        return [row[0] for row in connection.execute(sql)]
    finally:
        connection.close()


def test_more_than_two_years_end_on_the_last_day(embedded_demo: Path) -> None:
    first, last = column(
        embedded_demo, "SELECT min(captured_at) FROM capture UNION ALL SELECT max(captured_at) FROM capture"
    )
    assert str(first) < "2024-09"
    assert last == f"{LAST_DAY:%Y-%m-%dT%H:%M:%SZ}"


def test_every_material_change_names_its_cause_and_the_direction_of_its_surfaces(embedded_demo: Path) -> None:
    sql = "SELECT cause || surfaces || (SELECT json_group_array(key) FROM json_each(directions)) FROM change"
    result = [str(row) for row in column(embedded_demo, f"{sql} WHERE class = 'material'")]
    assert result
    for row in result:
        causes, surfaces, directed = (json.loads(part) for part in row.replace("][", "]\n[").split("\n"))
        assert causes
        assert surfaces == directed
        assert {cause["surface"] for cause in causes} <= set(surfaces)


def test_everything_that_can_occur_occurs(embedded_demo: Path) -> None:
    assert set(column(embedded_demo, "SELECT DISTINCT surface FROM live_finding")) == set(SURFACES)
    assert set(column(embedded_demo, "SELECT DISTINCT class FROM change")) == set(CHANGE_CLASSES)
    assert set(column(embedded_demo, f"SELECT DISTINCT stance {NOW}")) == {*STANCES, "unread"}
    assert set(column(embedded_demo, f"SELECT DISTINCT rating {NOW}")) == {*RATINGS, "UNRATED"}
    assert set(column(embedded_demo, f"SELECT DISTINCT verification {NOW}")) == set(VERIFICATIONS)


def test_ratings_are_spread_as_in_a_real_market(embedded_demo: Path) -> None:
    ratings = column(embedded_demo, f"SELECT rating {NOW}")
    assert 0.15 < ratings.count("HIGH") / len(ratings) < 0.4
    assert 0.35 < ratings.count("MED") / len(ratings) < 0.6
    assert 0.1 < ratings.count("LOW") / len(ratings) < 0.3


def test_the_extracted_stance_is_the_intended_stance(embedded_demo: Path) -> None:
    connection = sqlite3.connect(embedded_demo)
    found = dict(connection.execute(f"SELECT (SELECT name FROM platform WHERE id = platform_id), stance {NOW}"))
    connection.close()
    readable = [platform for platform in all_platforms() if platform.documents != ("Imprint",)]
    right = [platform for platform in readable if found[platform.name] == platform.intended.stance]
    accused = [platform for platform in readable if found[platform.name] not in ("undetermined", "silent")]
    assert len(right) >= 0.85 * len(readable)
    assert sum(platform in right for platform in accused) >= 0.9 * len(accused)


def test_the_last_months_have_something_to_read_and_one_month_is_quiet(embedded_demo: Path) -> None:
    months = column(embedded_demo, "SELECT substr(reviewed_at, 1, 7) FROM change WHERE class = 'material'")
    for month in ("2026-08", "2026-09", "2026-10"):
        assert 4 <= months.count(month) <= 14
    assert months.count("{}-{:02d}".format(*QUIET_MONTH)) == 0


def test_names_that_read_alike_have_slugs_of_their_own(embedded_demo: Path) -> None:
    slugs = column(embedded_demo, "SELECT slug FROM platform")
    assert len(set(slugs)) == len(slugs) == len(all_platforms())


def test_every_quote_matches_its_offsets(embedded_demo: Path) -> None:
    connection = sqlite3.connect(embedded_demo)
    rows = connection.execute(
        'SELECT f.snapshot_id, f."start", f."end", c.quote FROM finding f JOIN clause c ON c.id = f.clause_id ORDER BY 1'
    ).fetchall()
    texts = {number: _text(connection, number) for number in {row[0] for row in rows}}
    connection.close()
    assert len(rows) > 9_000
    assert [row for row in rows if texts[row[0]][row[1] : row[2]] != row[3]] == []


def test_a_built_demo_is_found_again_at_once(embedded_demo: Path) -> None:
    before = embedded_demo.stat().st_ino
    assert demo_database(embedded_demo.parent) == embedded_demo
    assert embedded_demo.stat().st_ino == before


def test_a_cache_that_cannot_be_written_is_said_with_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="set RISKANALYTICS_CACHE"):
        demo_database(tmp_path / "file" / "cache")


OTHER = "demo-9.9.9-ba9876543210.sqlite"


class Race(NamedTuple):
    """What is left after a killed builder, a database cut short, and two that build at once."""

    cache: Path
    killed: int
    printed: list[str]
    codes: list[int]


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory, embedded_demo: Path) -> Race:
    cache = tmp_path_factory.mktemp("race") / "cache"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(cache)], check=False, timeout=120).returncode
    assert list(cache.glob("demo-building-*"))
    for name, days in (("demo-0.0.1-0123456789ab.sqlite", 8), (OTHER, 0)):
        (cache / name).write_bytes(b"the demo of another version")
        os.utime(cache / name, (time.time() - days * 86_400,) * 2)
    (cache / embedded_demo.name).write_bytes(embedded_demo.read_bytes()[: 512 * 1024])
    command = [sys.executable, "-c", BUILD, str(cache)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=180)[0].strip() for process in running]
    return Race(cache, killed, printed, [process.returncode for process in running])


@pytest.mark.slow
def test_two_that_build_at_once_after_a_killed_builder_end_with_one_database(race: Race) -> None:
    assert race.killed == 9
    assert race.codes == [0, 0]
    assert set(race.printed) == {str(path) for path in race.cache.glob("demo-*.sqlite") if path.name != OTHER}
    assert len(set(race.printed)) == 1


@pytest.mark.slow
def test_nothing_is_left_of_the_killed_builder_or_of_a_demo_that_nobody_uses(race: Race) -> None:
    names = {path.name for path in race.cache.iterdir()} - {"demo.lock", OTHER}
    assert names == {Path(race.printed[0]).name}


@pytest.mark.slow
def test_a_demo_that_another_version_uses_is_left_alone(race: Race) -> None:
    assert (race.cache / OTHER).exists()


@pytest.mark.slow
def test_others_cannot_read_the_cache(race: Race) -> None:
    assert race.cache.stat().st_mode & 0o077 == 0 or sys.platform == "win32"


@pytest.mark.slow
def test_two_builds_hold_the_same(race: Race, embedded_demo: Path) -> None:
    assert _dump(Path(race.printed[0])) == _dump(embedded_demo)


@pytest.mark.slow
def test_a_database_whose_making_was_interrupted_is_built_again(race: Race, embedded_demo: Path) -> None:
    assert Path(race.printed[0]).name == embedded_demo.name
    assert Path(race.printed[0]).stat().st_size == embedded_demo.stat().st_size


def _text(connection: sqlite3.Connection, snapshot: int) -> str:
    """Text of a snapshot, decompressed as the store keeps it."""
    body: bytes = connection.execute("SELECT body FROM snapshot WHERE id = ?", (snapshot,)).fetchone()[0]
    return zlib.decompress(body).decode()


def _dump(path: Path) -> list[str]:
    """All rows of a database, sorted, without the segments of the search index and the word that names its state."""
    connection = sqlite3.connect(path)
    try:
        lines = connection.iterdump()
        return sorted(line for line in lines if "live_search" not in line and "VALUES('state'" not in line)
    finally:
        connection.close()
