"""Texts are read ahead of the reviews, and only so many of them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from riskanalytics import ingest as module
from riskanalytics.ingest import _review, _store, open_collection
from riskanalytics.service.review import platforms_to_review
from riskanalytics.service.store.verdicts import choose_readers
from riskanalytics.service.store.write import Writer
from riskanalytics.work.executors import Workers
from tests.service.given import PRIVACY

PLATFORMS = 12


class Counting(ThreadPoolExecutor):
    """Does work here, and counts it."""

    asked = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.asked += 1
        return super().submit(function, *arguments, **named)


def ahead(folder: Path, *readers: str) -> list[int]:
    """How many platforms were asked for when each was reviewed."""
    for number in range(PLATFORMS):
        path = folder / "set" / f"Platform {number:02}" / "Privacy Policy" / "2026-01-10.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"{PRIVACY}\n\nThis is policy {number}.\n", encoding="utf-8")
    executor, asked = Counting(1), []
    with open_collection(folder / "set") as collection, Writer(folder / "a.sqlite") as writer:
        _store(collection, writer, lambda *result: None)
        due = platforms_to_review(writer)
        if readers:
            choose_readers(writer, readers, {})
        _review(writer, due, lambda *result: asked.append(executor.asked), Workers(executor, 1))
    return asked


def test_eight_platforms_are_requested_ahead(tmp_path: Path) -> None:
    assert ahead(tmp_path) == [min(8 + done, PLATFORMS) for done in range(PLATFORMS)]


def test_platforms_with_long_histories_are_requested_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_AHEAD", 1)
    assert ahead(tmp_path) == [done + 1 for done in range(PLATFORMS)]


def test_texts_whose_clauses_a_language_model_decides_are_read_with_its_verdicts_here(tmp_path: Path) -> None:
    assert ahead(tmp_path, "large@1") == [0] * PLATFORMS
