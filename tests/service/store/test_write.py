"""What a writer stores: captures in the order of their archive, and nothing at all after a first run that failed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.schema import SCHEMA_VERSION
from riskanalytics.service.store.write import Writer
from tests.service.given import by_hand


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with Writer(tmp_path / "a.sqlite") as opened:
        yield opened


def capture(
    writer: Writer, revision: str, day: int, sequence: int, collection: str = "one", name: str = "Terms"
) -> None:
    """Store a reviewed capture of a document of Acme."""
    writer.add_capture(
        document_id=writer.document(writer.platform(collection, "Acme"), name), snapshot_id=writer.add_snapshot(b"text"),
        captured_at=f"2026-01-0{day}T00:00:00Z", revision=revision, sequence=sequence, kind="change", state="good",
    )  # fmt: skip


def placed(writer: Writer) -> list[tuple[str, int, str | None]]:
    """Revision, position and state of all captures, as they were stored."""
    return [tuple(row) for row in run(writer.connection, "SELECT revision, sequence, state FROM capture ORDER BY id")]


def test_captures_that_a_new_history_lacks_come_before_it_and_only_moved_ones_are_reviewed_again(
    writer: Writer,
) -> None:
    with writer.transaction():
        for place, revision in enumerate("abcd"):
            capture(writer, revision, 1, place)
        capture(writer, "a", 1, 7, "two")
        writer.put_in_order("one", {("c", "Acme/Terms"): 0, ("d", "Acme/Terms"): 3}, by_time=False)
    others = [("d", 3, "good"), ("a", 7, "good")]
    assert placed(writer) == [("a", -2, None), ("b", -1, None), ("c", 0, None), *others]
    with writer.transaction():
        writer.put_in_order("one", dict.fromkeys(((one, "Acme/Terms") for one in "abcd"), 5), by_time=False)
    assert [place for _, place, _ in placed(writer)] == [5, 5, 5, 5, 7]


def test_dated_files_are_ordered_by_time_and_those_of_one_day_by_name(writer: Writer) -> None:
    with writer.transaction():
        for revision, day, name in (("x", 2, "Terms"), ("y", 2, "Privacy"), ("z", 1, "Terms"), ("w", 3, "Privacy")):
            capture(writer, revision, day, 9, name=name)
        writer.put_in_order("one", {("x", "Acme/Terms"): 0}, by_time=True)
        assert writer.known_revisions("one") == {
            ("x", "Acme/Terms"), ("y", "Acme/Privacy"), ("z", "Acme/Terms"), ("w", "Acme/Privacy"),
        }  # fmt: skip
    assert [(revision, place) for revision, place, _ in placed(writer)] == [("x", 2), ("y", 1), ("z", 0), ("w", 3)]
    with pytest.raises(DatabaseError), writer.transaction():
        capture(writer, "x", 4, 4)


@pytest.mark.parametrize("before", ["nothing", "tables", "older tables"])
def test_a_run_that_stores_no_capture_removes_only_a_database_that_it_made(tmp_path: Path, before: str) -> None:
    database = tmp_path / "a.sqlite"
    if before != "nothing":
        with Writer(database):
            pass
    if before == "older tables":
        with by_hand(database) as connection:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")
    with pytest.raises(KeyError), Writer(database) as writer, writer.transaction():
        writer.platform("one", "Acme")
        raise KeyError
    assert [path.name for path in tmp_path.iterdir()] == ([] if before == "nothing" else ["a.sqlite"])
    with Writer(database) as writer, writer.transaction():
        capture(writer, "a", 1, 0)
    with pytest.raises(KeyError), Writer(database):
        raise KeyError
    with Writer(database) as writer:
        assert placed(writer) == [("a", 0, "good")]
