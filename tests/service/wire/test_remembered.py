"""Answers kept in memory: the same bytes until the database changes, and never a half of a change."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from riskanalytics.service import Store
from riskanalytics.service.store import backup
from riskanalytics.service.wire.remembered import Remembered
from tests.service.given import by_hand


@pytest.fixture
def database(given_database: Path, tmp_path: Path) -> Path:
    """A copy that a test may write to."""
    backup(given_database, tmp_path / "copy.sqlite")
    return tmp_path / "copy.sqlite"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    with contextlib.closing(Store(database)) as made:
        yield made


def set_word(database: Path, word: str) -> None:
    with by_hand(database) as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('word', ?)", (word,))


def test_an_answer_is_made_once_until_somebody_writes(store: Store, database: Path) -> None:
    remembered, made = Remembered(store), []

    def build() -> bytes:
        made.append(1)
        return str(store.meta("word")).encode()

    set_word(database, "old")
    assert [remembered.get("key", build).body for _ in range(3)] == [b"old"] * 3
    assert len(made) == 1
    set_word(database, "new")
    assert [remembered.get("key", build).body for _ in range(3)] == [b"new"] * 3
    assert len(made) == 2


def test_an_answer_from_a_state_that_is_gone_is_not_kept(store: Store, database: Path) -> None:
    remembered = Remembered(store)
    set_word(database, "old")

    def overtaken() -> bytes:
        body = str(store.meta("word")).encode()
        set_word(database, "new")
        other = threading.Thread(target=lambda: remembered.get("other", lambda: b""))
        other.start()
        other.join()
        return body

    assert remembered.get("key", overtaken).body == b"old"
    assert remembered.get("key", lambda: str(store.meta("word")).encode()).body == b"new"


def test_one_answer_is_made_from_one_state(store: Store, database: Path) -> None:
    set_word(database, "old")

    def build() -> bytes:
        before = store.meta("word")
        set_word(database, "new")
        return f"{before} {store.meta('word')}".encode()

    assert Remembered(store).get("key", build).body == b"old old"


def test_no_more_is_kept_than_allowed_and_a_failure_not_at_all(store: Store) -> None:
    remembered, made = Remembered(store, most=9200), []

    def build(key: int) -> bytes:
        made.append(key)
        return b"x" * 100

    for key in (*range(10), 9, 0):
        remembered.get(key, lambda key=key: build(key))
    assert made == [*range(10), 0]
    with pytest.raises(ZeroDivisionError):
        remembered.get("failed", lambda: bytes(1 // 0))
    assert remembered.get("failed", lambda: b"made").body == b"made"


def test_long_questions_with_short_answers_do_not_grow_past_the_limit(store: Store) -> None:
    remembered = Remembered(store, most=200_000)
    for number in range(500):
        remembered.get(("/search", f"q={'x' * 4000}{number}", ""), lambda: b"{}")
    assert len(remembered._kept) < 50
