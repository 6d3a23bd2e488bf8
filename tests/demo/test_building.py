"""How the demo's database is built, on a few of its platforms, and what makes it another demo."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from riskanalytics import demo
from riskanalytics.demo import DemoCollection, demo_database
from riskanalytics.demo.history import all_platforms
from riskanalytics.ingest import Capture

DIGEST = "f80f28e6b8d673e1"
"""Of the names, times and texts of all captures. A demo changed on purpose gets a new one here."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder, for a demo of three platforms."""
    few = all_platforms()[:3]
    monkeypatch.setattr(demo, "all_platforms", lambda: few)
    yield tmp_path / "new" / "cache"


def test_the_demo_has_the_same_words_on_every_machine() -> None:
    seen = sha256()
    for capture in DemoCollection().captures(lambda *_: False):
        if isinstance(capture, Capture):
            place = (capture.folder, capture.document, capture.captured_at.isoformat(), capture.kind, capture.website)
            seen.update("|".join(map(str, place)).encode() + capture.body)
    assert seen.hexdigest()[:16] == DIGEST


def test_a_demo_is_one_file_that_only_its_owner_reads_and_old_demos_and_remains_are_removed(cache: Path) -> None:
    built = demo_database(cache)
    assert (cache.stat().st_mode & 0o077, [path.name for path in cache.iterdir() if path.name != "demo.lock"]) == (
        0,
        [built.name],
    )
    with closing(sqlite3.connect(built)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("SELECT count(*) FROM platform").fetchone() == (3,)
        assert connection.execute("SELECT count(*) FROM platform WHERE website IS NULL").fetchone() == (0,)
        assert connection.execute("SELECT value FROM meta WHERE key = 'kind'").fetchone() == ("demo",)
    whole = built.read_bytes()
    kept, foreign = "demo-9.9.9-ba9876543210.sqlite", "notes.sqlite"
    (cache / "demo-building-cut").mkdir()
    for name, days in (("demo-0.0.1-0123456789ab.sqlite", 8), (kept, 6), (foreign, 9)):
        (cache / name).write_bytes(b"another")
        os.utime(cache / name, (time.time() - days * 86_400,) * 2)
    os.utime(built, (time.time() - 9 * 86_400,) * 2)
    assert demo_database(cache) == built
    assert time.time() - built.stat().st_mtime < 3_600  # marked as used
    built.write_bytes(whole[: len(whole) // 2])
    (cache / f"{built.name}-wal").write_bytes(b"of the damaged file")
    assert demo_database(cache) == built
    assert built.stat().st_size == len(whole)
    assert {path.name for path in cache.iterdir()} == {"demo.lock", built.name, kept, foreign}


def test_a_demo_is_named_after_all_files_that_write_read_and_store_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "demo" / "__init__.py"))
    heads = [DemoCollection().head]
    for name in (
        "demo/written/a.toml",
        "extraction/a.py",
        "surfaces/a.toml",
        "service/review/a.py",
        "service/store/a.sql",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
        heads.append(DemoCollection().head)
    assert len(set(heads)) == 6
    for name in ("demo/a.pyc", "pages/a.py", "service/a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    assert DemoCollection().head == heads[-1]
