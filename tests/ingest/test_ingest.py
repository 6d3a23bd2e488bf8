"""Collections of every form, into a database that survives what happens to it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.bundle import create_bundle_from_repo, write_bundle
from dulwich.repo import Repo

from riskanalytics.errors import DatabaseError, IngestError
from riskanalytics.ingest import Capture, _refusal, ingest, open_collection
from riskanalytics.service import Store
from riskanalytics.service.corrections import rerun
from riskanalytics.service.store.write import Writer
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS, Caller

BOT = b"Bot <bot@archive.example>"
COMMITS = (
    ("First record of Aurelia Chat Privacy Policy", {"Aurelia Chat/Privacy Policy.md": PRIVACY}),
    (
        "Start tracking X Terms of Service",
        {
            "X/Terms of Service.md": TERMS,
            "README.md": "about",
            "LICENSE": "odc",
            ".github/About.md": TERMS,
            "X/old/Terms.md": TERMS,
        },
    ),
    ("First record of xAI·Ünï Terms of Service", {"xAI·Ünï/Terms of Service.md": TERMS + "\nMore."}),
    ("Record new changes of Aurelia Chat Privacy Policy", {"Aurelia Chat/Privacy Policy.md": PRIVACY_LATER}),
    (
        "Update X Terms of Service",
        {"X/Terms of Service.md": "This page isn't available right now. Unexpected error."},
    ),
    (
        "Refilter Aurelia Chat Privacy Policy",
        {"Aurelia Chat/Privacy Policy.md": PRIVACY_LATER + "\n[Menu](https://m.example)"},
    ),
)


def commit(repo: Repo, number: int, subject: str, files: dict[str, str]) -> None:
    """Make one commit, a day after the last; its author wrote it a year before."""
    root = Path(repo.path)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
        repo.get_worktree().stage([name.encode()])
    body = f"{subject}\n\nThis version was recorded after extracting from snapshot https://s.example/{number}"
    at = 1_767_225_600 + 86_400 * number
    repo.get_worktree().commit(
        message=body.encode(), author=BOT, committer=BOT, author_timestamp=at - 31_536_000, commit_timestamp=at,
        author_timezone=0, commit_timezone=0,
    )  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small git collection with all that an archive does."""
    with porcelain.init(str(tmp_path / "mirror")) as repo:
        for number, (subject, files) in enumerate(COMMITS):
            commit(repo, number, subject, files)
    return tmp_path / "mirror"


def bundled(checkout: Path, target: Path) -> Path:
    """Write a bundle of a checkout."""
    with Repo(str(checkout)) as repo, create_bundle_from_repo(repo) as bundle, target.open("wb") as file:
        write_bundle(file, bundle)
    return target


def content(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that a database says, without the numbers of its rows."""
    with sqlite3.connect(database) as connection:
        return {
            "captures": connection.execute(
                "SELECT p.slug, d.name, c.captured_at, c.revision, c.kind, s.sha256, c.archive_url, c.state, "
                "c.state_check, c.sources FROM capture c JOIN document d ON d.id = c.document_id "
                "JOIN platform p ON p.id = d.platform_id JOIN snapshot s ON s.id = c.snapshot_id ORDER BY 1, 2, 3, 4"
            ).fetchall(),
            "states": connection.execute(
                "SELECT p.slug, s.valid_from, s.rating, s.stance, s.documents, s.surfaces FROM state s "
                "JOIN platform p ON p.id = s.platform_id ORDER BY 1, 2"
            ).fetchall(),
            "changes": connection.execute(
                "SELECT id, class, surfaces, direction, added FROM change ORDER BY 1"
            ).fetchall(),
            "live": connection.execute("SELECT id, surface FROM live_finding ORDER BY 1").fetchall(),
        }


def ingested(path: Path, database: Path, name: str | None = "Owner/mirror") -> dict[str, list[tuple[object, ...]]]:
    with open_collection(path, name) as collection:
        ingest(collection, database)
    return content(database)


def test_a_checkout_a_bare_repository_and_a_bundle_give_the_same(checkout: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    porcelain.clone(str(checkout), str(bare), bare=True).close()
    first = ingested(checkout, tmp_path / "a.sqlite")
    assert ingested(bare, tmp_path / "b.sqlite") == first
    assert ingested(bundled(checkout, tmp_path / "c.bundle"), tmp_path / "c.sqlite") == first
    assert [row[4] for row in first["captures"]] == ["first", "change", "technical", "first", "change", "first"]


def test_only_documents_are_taken_and_linked_to_the_public_archive(checkout: Path, tmp_path: Path) -> None:
    captures = ingested(checkout, tmp_path / "a.sqlite")["captures"]
    assert {row[0] for row in captures} == {"aurelia-chat", "x", "xai-uni"}
    (link,) = {row[6] for row in captures if row[0] == "xai-uni"}
    assert link.startswith("https://github.com/Owner/mirror/blob/")
    assert [row[9] for row in captures if row[0] == "xai-uni"] == ['["https://s.example/2"]']
    assert link.endswith("/xAI%C2%B7%C3%9Cn%C3%AF/Terms%20of%20Service.md")
    assert all(row[6] is None for row in ingested(checkout, tmp_path / "b.sqlite", None)["captures"])


def test_an_error_page_never_takes_findings_away(checkout: Path, tmp_path: Path) -> None:
    found = ingested(checkout, tmp_path / "a.sqlite")
    broken = [row for row in found["captures"] if row[7] == "broken"]
    assert [(row[0], row[8]) for row in broken] == [("x", "error_page")]
    first, last = (row for row in found["states"] if row[0] == "x")
    assert first[2:4] == last[2:4]
    assert '"state":"stale"' in last[4]
    assert ("capture_failure", "[]") in [row[1:3] for row in found["changes"]]


def test_a_second_run_adds_only_what_is_new(checkout: Path, tmp_path: Path) -> None:
    database = tmp_path / "a.sqlite"
    first = ingested(checkout, database)
    with open_collection(checkout, "Owner/mirror") as collection:
        summary = ingest(collection, database)
    assert (summary.new_captures, summary.reviewed) == (0, 0)
    assert content(database) == first
    with Repo(str(checkout)) as repo:
        files = {"X/Terms of Service.md": TERMS, "X/Privacy Policy.md": PRIVACY}
        commit(repo, 9, "Record new changes of X Terms of Service", files)
    with open_collection(checkout, "Owner/mirror") as collection:
        summary = ingest(collection, database)
    assert str(summary) == "3 platforms, 4 documents, 8 captures (2 new; 1 platform reviewed)"
    with Repo(str(checkout)) as repo:
        commit(repo, 10, "About", {"README.md": "more about"})
    with open_collection(checkout, "Owner/mirror") as collection:
        assert ingest(collection, database).new_captures == 0
    fresh = ingested(checkout, tmp_path / "fresh.sqlite")
    assert content(database) == fresh


def test_an_archive_of_several_batches_is_stored_whole_and_counted(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskanalytics.ingest._BATCH", 2)
    told: list[tuple[str, int, int | None]] = []
    with open_collection(checkout, "Owner/mirror") as collection:
        summary = ingest(collection, tmp_path / "a.sqlite", progress=lambda *told_now: told.append(told_now))
    assert str(summary) == "3 platforms, 3 documents, 6 captures (6 new; 3 platforms reviewed)"
    assert [row for row in told if row[0] == "reading the archive"] == [
        ("reading the archive", done, 6) for done in (1, 3, 5, 6)
    ]
    assert told[4:] == [("reviewing platforms", done, 3) for done in (0, 1, 2, 3)]
    monkeypatch.undo()
    assert content(tmp_path / "a.sqlite") == ingested(checkout, tmp_path / "b.sqlite")


def test_a_capture_is_left_out_if_it_is_dated_more_than_a_day_ahead() -> None:
    def refused(hours: int) -> str:
        return _refusal(Capture("A", "Terms", datetime.now(UTC) + timedelta(hours=hours), "r", 0, "change", b""))

    assert refused(23) == ""
    assert refused(25).endswith(" is left out: its date is in the future")


def test_a_run_stopped_before_it_made_its_tables_is_completed_by_the_next(checkout: Path, tmp_path: Path) -> None:
    database = tmp_path / "blank.sqlite"
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert database.stat().st_size
    with pytest.raises(DatabaseError, match="is empty"):
        Store(database)
    assert ingested(checkout, database) == ingested(checkout, tmp_path / "whole.sqlite")


@pytest.mark.parametrize(
    "after", [*(pytest.param(seconds, marks=pytest.mark.slow) for seconds in (0, 0.005, 0.05)), 0.2]
)
def test_a_killed_run_is_completed_by_the_next(checkout: Path, tmp_path: Path, after: float) -> None:
    whole = ingested(checkout, tmp_path / "whole.sqlite")
    database = tmp_path / "killed.sqlite"
    words = [
        sys.executable,
        "-m",
        "riskanalytics.cli",
        "ingest",
        str(checkout),
        "--database",
        str(database),
        "--collection",
        "Owner/mirror",
    ]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not database.exists():
        pass
    time.sleep(after)
    process.kill()
    process.wait()
    assert ingested(checkout, database) == whole


def test_documents_left_by_an_interrupted_run_are_unrated_and_reported_until_the_next_run(
    checkout: Path, tmp_path: Path
) -> None:
    database = tmp_path / "cut.sqlite"

    def cut_off(phase: str, done: int, total: int | None) -> None:
        if phase == "reviewing platforms" and done == 1:
            raise KeyboardInterrupt

    with open_collection(checkout, "Owner/mirror") as collection, pytest.raises(KeyboardInterrupt):
        ingest(collection, database, progress=cut_off)
    caller = Caller(database)
    unread = [row for row in caller.store.platforms(limit=100) if row["rating"] == "UNRATED"]
    assert {row["risk_reason"] for row in unread} >= {"UNRATED: 0 citations extracted; not read yet"}
    coverage = caller.call("/api/coverage").json()
    assert coverage["unfinished"]
    assert coverage["tracked"] == len(caller.store.names()) > coverage["verified"] > 0
    assert coverage["unverified"] == len([row for row in unread if "not read yet" in row["risk_reason"]])
    health = caller.call("/health").json()
    assert (health["status"], len(health["faults"])) == ("degraded", 1)
    page = caller.call(f"/platform/{unread[0]['id']}", headers={"accept": "text/html"}).body.decode()
    assert "not read yet" in page
    assert ingested(checkout, database) == ingested(checkout, tmp_path / "whole.sqlite")
    assert not caller.call("/api/coverage").json()["unfinished"]
    assert caller.call("/health").json()["status"] == "ok"
    caller.close()


def test_a_second_ingest_at_the_same_time_is_refused_at_once_and_readers_and_corrections_go_on(
    checkout: Path, tmp_path: Path
) -> None:
    database = tmp_path / "one.sqlite"
    result: list[str] = []

    def meanwhile(phase: str, done: int, total: int | None) -> None:
        if phase == "reviewing platforms" and done == 1:
            with open_collection(checkout, "Another/mirror") as other, pytest.raises(DatabaseError) as refused:
                ingest(other, database)
            result.append(str(refused.value))
            assert rerun(database, "aurelia-chat")["reread"] == 0

    with open_collection(checkout, "Owner/mirror") as collection:
        ingest(collection, database, progress=meanwhile)
    assert result == [f"another ingest is writing to {database}: wait until it has finished"]
    assert content(database) == ingested(checkout, tmp_path / "whole.sqlite")
    assert not list(tmp_path.glob("*.lock"))


def test_a_path_that_is_not_a_collection_is_refused_in_one_line(tmp_path: Path, checkout: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("hello")
    bundle = bundled(checkout, tmp_path / "whole.bundle")
    half = tmp_path / "half.bundle"
    half.write_bytes(bundle.read_bytes()[: bundle.stat().st_size // 2])
    for path in (tmp_path / "empty", tmp_path / "text", tmp_path / "missing", half):
        with pytest.raises(IngestError) as refused, open_collection(path) as collection:
            ingest(collection, tmp_path / "none.sqlite")
        assert "\n" not in str(refused.value)
        assert not (tmp_path / "none.sqlite").exists()
    for name in ("no-owner", "Owner/mirror/more", "Owner/a b", "/mirror"):
        with pytest.raises(IngestError, match="--collection takes OWNER/NAME of a GitHub repository"):
            open_collection(checkout, name)


def test_a_repository_without_documents_leaves_no_database(tmp_path: Path) -> None:
    with porcelain.init(str(tmp_path / "bare")) as repo:
        commit(repo, 0, "Initial", {"README.md": "nothing else"})
    says = "the collection bare contains no documents like SERVICE/TERMS TYPE.md"
    with pytest.raises(IngestError, match=says), open_collection(tmp_path / "bare") as collection:
        ingest(collection, tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()
    with Writer(tmp_path / "made.sqlite"):
        pass
    with pytest.raises(IngestError), open_collection(tmp_path / "bare") as collection:
        ingest(collection, tmp_path / "made.sqlite")
    assert (tmp_path / "made.sqlite").exists()


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path, checkout: Path) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    before = other.read_bytes()
    with pytest.raises(DatabaseError, match="another program"):
        ingested(checkout, other)
    assert other.read_bytes() == before


def test_files_with_a_future_date_or_a_name_that_is_not_text_are_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    whole = tmp_path / "whole" / "Aurelia Chat" / "Privacy Policy"
    whole.mkdir(parents=True)
    (whole / "2026-01-05.md").write_text(PRIVACY)
    shutil.copytree(tmp_path / "whole", tmp_path / "part")
    (tmp_path / "part" / "Aurelia Chat" / "Privacy Policy" / "9999-12-31.md").write_text(PRIVACY_LATER)
    odd = os.fsencode(tmp_path / "part") + b"/Caf\xe9/Terms"
    try:
        os.makedirs(odd)  # noqa: PTH103 (bytes)
    except OSError:
        pytest.skip("the file system takes only UTF-8")
    with open(odd + b"/2026-01-05.md", "w") as file:  # noqa: PTH123 (bytes)
        file.write(PRIVACY)
    words = [sys.executable, "-m", "riskanalytics.cli", "ingest", str(tmp_path / "part"), "--database"]
    done = subprocess.run([*words, str(tmp_path / "a.sqlite")], capture_output=True, text=True, check=True)
    result = [line for line in done.stderr.splitlines() if "left out" in line]
    assert result == [
        r"Caf\xe9/Terms is left out: its name is not UTF-8",
        "Aurelia Chat/Privacy Policy of 9999-12-31 is left out: its date is in the future",
    ]
    seen = content(tmp_path / "a.sqlite")
    assert [row[:3] for row in seen["captures"]] == [("aurelia-chat", "Privacy Policy", "2026-01-05T00:00:00Z")]


def test_two_archives_of_the_same_platform_are_kept_apart(tmp_path: Path) -> None:
    folders = {name: tmp_path / name / "Aurelia Chat" / "Terms" for name in ("one", "two")}
    for name, days in (("one", ("2026-01-05", "2026-02-05")), ("two", ("2026-01-05",))):
        folders[name].mkdir(parents=True)
        for day in days:
            (folders[name] / f"{day}.md").write_text(f"{TERMS}\n{name} {day}", encoding="utf-8")
    for name in ("one", "two"):
        found = ingested(tmp_path / name, tmp_path / "a.sqlite", None)
    slugs = [row[0] for row in found["captures"]]
    assert slugs[:2] == ["aurelia-chat"] * 2
    assert re.fullmatch("aurelia-chat-[0-9a-f]{4}", str(slugs[2]))
    assert len({row[5] for row in found["captures"]}) == len(slugs) == 3
    (folders["two"] / "2026-03-05.md").write_text(TERMS, encoding="utf-8")
    with open_collection(tmp_path / "two") as collection:
        summary = ingest(collection, tmp_path / "a.sqlite")
    assert (summary.new_captures, summary.reviewed) == (1, 1)
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        places = connection.execute("SELECT revision, sequence FROM capture ORDER BY id").fetchall()
    assert places == [("2026-01-05", 0), ("2026-02-05", 1), ("2026-01-05", 0), ("2026-03-05", 1)]
    shutil.copytree(tmp_path / "two", tmp_path / "three")  # files of the same names
    for name, documents in (("three", 2), ("two", 1)):
        with open_collection(tmp_path / name) as collection:
            assert ingest(collection, tmp_path / "a.sqlite").new_captures == documents - (name == "two")
    (tmp_path / "two" / "Aurelia Chat" / "Other").mkdir()
    (tmp_path / "two" / "Aurelia Chat" / "Other" / "2026-01-05.md").write_text(PRIVACY)  # another text of a known day
    with open_collection(tmp_path / "two") as collection:
        assert ingest(collection, tmp_path / "a.sqlite").new_captures == 1
