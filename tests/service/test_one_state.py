"""Answers given while a collection is brought in, or read again by newer rules: never half of a review."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from riskanalytics import extraction
from riskanalytics.extraction import RULES_VERSION, Reading, extract
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Store, review
from riskanalytics.service.store.search import search_clauses
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place, written_out
from tests.service.fixtures import NewPlace
from tests.service.given import CAFE, FILES, PRIVACY, TERMS, Caller, fill_database

PATHS = [
    "/api/v1/platforms",
    "/api/v1/changes",
    "/api/machine/search?q=models",
    "/api/coverage",
    "/llms.txt",
    "/platform/cafe-lumiere",
]


def grown(folder: Path, number: int = 0) -> None:
    """Add a platform and a later policy to the dataset folder."""
    for name, text in {
        f"Borealis {number}/Privacy Policy/2026-05-0{number + 1}.md": PRIVACY,
        f"Aurelia Chat/Privacy Policy/2026-06-0{number + 1}.md": PRIVACY + f"\nWe sell your personal data. {number}\n",
        f"Café Lumière/Terms/2026-06-0{number + 1}.md": TERMS + f"\nYour content trains our models {number}.\n",
    }.items():
        path = folder / "dataset" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def brought_in(folder: Path, place: Place) -> None:
    with open_collection(folder / "dataset") as collection:
        ingest(collection, place)


def interrupted(store: Store, folder: Path) -> None:
    """Let a whole ingest happen behind the next statement that the store reads data with."""
    real, pending = store.rows, [True]

    def rows(statement: str, **values: object) -> list[dict[str, Any]]:
        found = real(statement, **values)
        if pending:
            pending.clear()
            grown(folder)
            brought_in(folder, store.place)
        return found

    store.rows = rows  # type: ignore[method-assign]


def filled(place: Place, folder: Path, files: Mapping[str, str] = MappingProxyType(FILES)) -> Place:
    """The literal database in a new place."""
    fill_database(place, folder, files)
    return place


def forgotten(place: Place) -> None:
    """Write what no answer shows, so that none is taken from memory."""
    with Writer(place) as writer, writer.transaction():
        writer.remember("touched", "yes")


@pytest.mark.parametrize("path", PATHS)
def test_a_response_shows_one_state_even_if_an_ingest_ends_meanwhile(
    new_place: NewPlace, tmp_path: Path, path: str
) -> None:
    caller = Caller(filled(new_place(), tmp_path))
    sent = {"accept": "text/html, application/json, text/plain"}
    before = caller.call(path, tier="pro", headers=sent).body
    forgotten(caller.store.place)
    interrupted(caller.store, tmp_path)
    assert caller.call(path, tier="pro", headers=sent).body == before
    assert caller.call(path, tier="pro", headers=sent).body != before
    caller.close()


def test_an_answer_to_a_question_shows_one_state(new_place: NewPlace, tmp_path: Path) -> None:
    caller = Caller(filled(new_place(), tmp_path))
    question = {"question": "Which platforms train models on user content?"}
    before = caller.post("/api/verified/ask", question).body
    interrupted(caller.store, tmp_path)
    assert caller.post("/api/verified/ask", question).body == before
    assert caller.post("/api/verified/ask", question).body != before
    caller.close()


@pytest.mark.slow
def test_responses_are_consistent_while_a_growing_folder_is_ingested(new_place: NewPlace, tmp_path: Path) -> None:
    caller = Caller(filled(new_place(), tmp_path, {name: text for name, text in FILES.items() if text != CAFE}))
    command = [sys.executable, "-m", "riskanalytics.cli", "ingest", str(tmp_path / "dataset"), "--database"]
    answers = 0
    grown(tmp_path)
    with subprocess.Popen([*command, written_out(caller.store.place)], stderr=subprocess.DEVNULL) as running:
        while running.poll() is None:
            listed = caller.call("/api/v1/platforms", tier="pro").json()
            assert listed["total"] == len(listed["data"])
            found = caller.call("/api/machine/search?q=models").json()
            assert found["total"] == len(found["data"])
            for platform in listed["data"]:
                record = caller.call(f"/api/machine/platform/{platform['id']}").json()
                assert record["citation_count"] == len({finding["id"] for finding in record["findings"]})
                known = {one["id"] for one in (*record["findings"], *record["leads"])}
                assert known.issuperset(record["training_use"]["decided_by"])
                assert all(known.issuperset(finding["conflicts_with"]) for finding in record["findings"])
            answers += 1
    assert running.returncode == 0
    assert answers > 1
    assert caller.call("/api/coverage").json()["tracked"] == 4
    caller.close()


def test_with_newer_rules_each_platform_stays_consistent_until_its_review(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(tmp_path)
    database = filled(new_place(), tmp_path, {name: text for name, text in FILES.items() if text != CAFE})
    with closing(Store(database)) as store, Writer(database) as writer:
        before = {slug: store.findings(store.platform(slug) or {}) for slug, _ in store.names()}
        quotes = {row["id"]: (row["platform"], row["quote"]) for row in _found(store)}
        monkeypatch.setattr(extraction, "RULES_VERSION", RULES_VERSION + "-next")
        monkeypatch.setattr(extraction, "ASSESSED_BY", "next")
        for slug in review.platforms_to_review(writer):
            assert {name: store.findings(store.platform(name) or {}) for name in before} == before
            assert quotes.items() >= {row["id"]: (row["platform"], row["quote"]) for row in _found(store)}.items()
            review.review_platform(writer, slug)
        assert {row["id"] for row in _found(store)} == set(quotes)
        assert len(quotes) > 3


def _found(store: Store) -> list[dict[str, Any]]:
    return search_clauses(store, "we", surface=None, limit=500, offset=0)[1]


def test_with_newer_rules_search_never_shows_words_of_another_platform(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {"Zephyr Twin/Terms/2026-01-10.md": TERMS, "Zephyr Twin/Privacy/2026-01-10.md": PRIVACY}.items():
        path = tmp_path / "dataset" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    database = filled(new_place(), tmp_path)
    with closing(Store(database)) as store, Writer(database) as writer:
        whole = {row["id"]: (row["platform"], row["quote"]) for row in _found(store)}
        monkeypatch.setattr(extraction, "RULES_VERSION", RULES_VERSION + "-next")
        monkeypatch.setattr(extraction, "ASSESSED_BY", "next")
        comparing = import_module("riskanalytics.extraction.compare")
        monkeypatch.setattr(comparing, "extract", lambda text: Reading(extract(text).findings[:1]))
        waiting = review.platforms_to_review(writer)
        for slug in waiting:
            review.review_platform(writer, slug)
            for row in _found(store):
                assert whole[row["id"]] == (row["platform"], row["quote"])
        assert 0 < len(_found(store)) < len(whole)
