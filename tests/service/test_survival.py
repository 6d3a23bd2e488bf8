"""Killed again and again in the middle of its work, a database stays whole: what was committed is there, nothing half."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Access, Store, subscriptions
from riskanalytics.service.corrections import rerun
from riskanalytics.service.store.files import backup
from riskanalytics.service.store.write import Writer
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS, by_hand

PLATFORMS = 24
KILLS = int(os.environ.get("RISKANALYTICS_TEST_KILLS", "3"))
"""Of each kind of work."""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("survival") / "set"
    for number in range(PLATFORMS):
        for name, text in (
            ("Privacy Policy/2026-01-10", PRIVACY),
            ("Privacy Policy/2026-03-05", PRIVACY_LATER),
            ("Terms of Service/2026-01-10", TERMS),
        ):
            path = folder / f"Platform {number:02d}" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            own = "\n\n".join(f"We may share item {number} and {k} with partners." for k in range(30))
            path.write_text(f"{text}\n{own}\n", encoding="utf-8")
    return folder


def content(database: Path) -> dict[str, object]:
    """State that readers see, by platform; every quote is in its snapshot."""
    seen: dict[str, object] = {}
    with contextlib.closing(Store(database)) as store:
        for slug, _ in store.names():
            state = store.platform(slug)
            if state is None or state["risk_reason"].endswith("not read yet"):
                continue
            findings = store.findings(state)
            assert state["citation_count"] == len([row for row in findings if row["duplicate_of"] is None])
            for finding in findings:
                source = finding["provenance"]
                text = (store.snapshot(source["snapshot_sha256"]) or b"").decode()
                assert text[source["start"] : source["end"]] == finding["quote"]
            seen[slug] = (state, findings, store.changes(limit=100, platform=slug))
    return seen


def check_whole(database: Path) -> None:
    """The file passes SQLite's own check."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def killed(words: list[str], after: float) -> bool:
    """Start a command and kill it after some seconds; whether it was still at work."""
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(after)
        process.kill()
        return process.wait() == -signal.SIGKILL


@pytest.mark.slow
def test_a_database_survives_kills_of_its_ingest(dataset: Path, tmp_path: Path) -> None:
    with open_collection(dataset) as collection:
        ingest(collection, tmp_path / "whole.sqlite")
    wanted = content(tmp_path / "whole.sqlite")
    database, chance = tmp_path / "killed.sqlite", random.Random(7)
    words = ["-m", "riskanalytics.cli", "ingest", str(dataset), "--database", str(database)]
    reviewed: set[str] = set()
    hits = 0
    for _ in range(KILLS):
        hits += killed(words, chance.uniform(0.3, 1.0))
        if not database.exists() or not database.stat().st_size:
            continue
        check_whole(database)
        seen = content(database) if _has_tables(database) else {}
        assert reviewed <= set(seen)
        assert all(found == wanted[slug] for slug, found in seen.items())
        reviewed = set(seen)
        if reviewed == set(wanted):
            for path in tmp_path.glob("killed.sqlite*"):
                path.unlink()
            reviewed = set()
    assert hits >= KILLS // 2
    with open_collection(dataset) as collection:
        ingest(collection, database)
    assert content(database) == wanted


def _has_tables(database: Path) -> bool:
    """Whether a run has come as far as its tables."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return bool(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])


RERUN = """
from pathlib import Path
from riskanalytics.service.corrections import rerun
rerun(Path({database!r}), {slug!r})
"""
OF_A_PLATFORM = (
    "SELECT c.snapshot_id FROM capture c JOIN document d ON d.id = c.document_id JOIN platform p ON p.id = d.platform_id "
    "WHERE p.slug = ?"
)


@pytest.mark.slow
def test_a_database_survives_kills_of_its_corrections(dataset: Path, tmp_path: Path) -> None:
    database, chance = tmp_path / "a.sqlite", random.Random(11)
    with open_collection(dataset) as collection:
        ingest(collection, database)
    wanted = content(database)
    hits = 0
    for number in range(KILLS):
        slug = f"platform-{number % PLATFORMS:02d}"
        with by_hand(database) as connection:
            moved = f"UPDATE finding SET start = start + 1 WHERE snapshot_id IN ({OF_A_PLATFORM})"
            assert connection.execute(moved, (slug,)).rowcount > 0
        hits += killed(["-c", RERUN.format(database=str(database), slug=slug)], chance.uniform(0.2, 0.6))
        check_whole(database)
        rerun(database, slug)
        assert content(database) == wanted
    assert hits >= KILLS // 2


READY = """
import sys
from pathlib import Path
from riskanalytics.service import subscriptions
from riskanalytics.service.store.files import backup
print("ready", flush=True)
sys.stdin.readline()
while True:
    {work}
"""


def killed_at_work(work: str, after: float) -> None:
    """Let a process that is ready do the same work again and again, and kill it after some seconds of that."""
    with subprocess.Popen(
        [sys.executable, "-c", READY.format(work=work)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(after)
        process.kill()
        assert process.wait() == -signal.SIGKILL, process.stderr and process.stderr.read()


@pytest.mark.slow
def test_after_kills_no_mail_is_lost_and_each_has_its_subscription(given_database: Path, tmp_path: Path) -> None:
    database, outbox, chance = tmp_path / "a.sqlite", tmp_path / "outbox", random.Random(5)
    backup(given_database, database)
    for kills in range(1, KILLS + 1):
        start = f"subscriptions.start(Path({str(database)!r}), 'ann@company.example', 'pro')"
        killed_at_work(start, chance.uniform(0, 0.3))
        mails = [path.read_text() for path in outbox.glob("[!.]*")]
        with contextlib.closing(Access.of(database)) as access:
            for mail in mails:
                key = re.search(r"^apc_live_\S+$", mail, re.MULTILINE)
                assert key is not None
                assert access.holder_of(key[0]) is not None
            assert len(mails) <= len(subscriptions.listed(database)) <= len(mails) + kills
    assert len(mails) > KILLS // 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["backup", "restore"])
def test_after_kills_a_copy_is_either_the_old_or_the_new_one(given_database: Path, tmp_path: Path, kind: str) -> None:
    """Backups and restores are one piece of code; a restore has a log in the place of its target."""
    first, second, target = (tmp_path / f"{name}.sqlite" for name in ("first", "second", "target"))
    for database, word in ((first, "one"), (second, "two")):
        backup(given_database, database)
        with Writer(database) as writer, writer.transaction():
            writer.remember("word", word)
    chance, seen, kills = random.Random(13), set[str](), 0
    backup(first, target)
    work = " or ".join(f"backup(Path({str(path)!r}), Path({str(target)!r}))" for path in (second, first))
    while kills < KILLS or seen != {"one", "two"}:
        kills += 1
        assert kills < 10 * KILLS, seen
        if kind == "restore":
            with Writer(target) as writer, writer.transaction():
                writer.remember("other", "of the database that was there")
        killed_at_work(work, chance.uniform(0, 0.1))
        check_whole(target)
        with contextlib.closing(Store(target)) as store:
            assert store.count() == 3
            seen.add(str(store.meta("word")))
            assert seen <= {"one", "two"}
    for path in tmp_path.glob(".target*"):
        os.utime(path, (0, 0))
    backup(second, target)
    assert sorted(path.name for path in tmp_path.glob(".target*")) == []
