"""The service of a database in this process: opened when it is asked, and asked by this process alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from riskanalytics.client import Client
from riskanalytics.client.connection import InProcessTransport, recorded
from riskanalytics.dataset import Dataset, embedded
from riskanalytics.dataset.connecting import connect_held
from riskanalytics.dataset.embedded import ADDRESS, EmbeddedService, Held, HeldClient, captures_of, held, held_for, hold
from riskanalytics.errors import DatabaseError, NotAuthorised, ServiceError
from riskanalytics.settings import Settings
from tests.service.given import build_database


def test_any_key_is_accepted_and_requests_without_a_key_are_anonymous(tmp_path: Path) -> None:
    service = EmbeddedService(build_database(tmp_path))
    try:
        for key in (service.key, "another"):
            with Client(ADDRESS, key, transport=InProcessTransport(service)) as client:
                assert client.platform("aurelia-chat")["slug"] == "aurelia-chat"
                text = client.machine_platform("aurelia-chat")["documents"][0]["snapshot_sha256"]  # type: ignore[index]
        captures = captures_of(service.place, ["0" * 64, text])
        assert {sha256: {one["slug"] for one in rows} for sha256, rows in captures.items()} == {text: {"aurelia-chat"}}
        with Client(ADDRESS, None, transport=InProcessTransport(service)) as client, pytest.raises(NotAuthorised):
            client.platform("aurelia-chat")
    finally:
        service.close()


def test_nothing_is_opened_before_the_first_request(tmp_path: Path) -> None:
    service = EmbeddedService(tmp_path / "missing.sqlite")
    service.close()
    with pytest.raises(DatabaseError):
        service.opened()


def test_held_data_are_loaded_once_with_their_problems_and_not_changed_by_a_caller() -> None:
    asked: list[str] = []

    def answer(path: str, query: Mapping[str, str]) -> tuple[int, str, bytes]:
        asked.append(path.rpartition("/")[2])
        return (200 if asked[-1] == "a" else 418), "text/plain", b"text"

    @held
    def load(client: Client, *places: str, **more: str) -> pd.DataFrame:
        asked.append(repr((places, more)))
        client.problems.add("missing", "/x", "opal")
        return pd.DataFrame({"a": [1]})

    @held
    def other(_: Client, *places: str, **more: str) -> tuple[object, ...]:
        return places, more

    with HeldClient(ADDRESS, transport=recorded(answer), held=Held({})) as client:
        mine = load(client, "x", day="1")
        mine["a"] = 2
        client.problems.clear()
        assert other(client, "x", day="1") == (("x",), {"day": "1"})
        assert load(client, "x", day="1")["a"].tolist() == [1]
        assert [(one.slug, one.what, one.where) for one in client.problems] == [("opal", "missing", "/x")]
        for places, more in ((("x",), {"day": "2"}), (("y",), {"day": "1"})):
            load(client, *places, **more)
        assert asked == ["(('x',), {'day': '1'})", "(('x',), {'day': '2'})", "(('y',), {'day': '1'})"]
        asked.clear()
        for _ in range(2):
            got = dict(client.snapshots(["a", "b"]))
            assert got["a"] == b"text"
            assert isinstance(got["b"], ServiceError)
        assert asked.count("a") == 1
        assert list(dict(client.snapshots(["b"]))) == ["b"]


def test_all_frames_and_the_texts_of_the_clauses_of_the_named_platforms_are_held(tmp_path: Path) -> None:
    with connect_held(Settings(database=build_database(tmp_path))) as client:
        assert isinstance(client, HeldClient)
        clauses = Dataset(client).findings
        Dataset(client).replaced(findings=clauses.iloc[:1], leads=clauses).hold(["aurelia-chat"])
        own = set(clauses.loc[clauses["slug"] == "aurelia-chat", "snapshot_sha256"])
        assert (set(client.held.bodies), len(own)) == (own, 2)
        again = Dataset(client)
        assert (len(again.findings), len(again.leads), again.covered_surfaces[0]) == (1, 7, "training_use")


def test_the_data_held_last_for_a_source_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_HERE", [])
    settings = Settings(base_url="https://risk.example")
    first, last, other = (
        Held(one.environment()) for one in (settings, settings, Settings(base_url="https://b.example"))
    )
    for one in (first, last, other):
        hold(one)
    assert held_for(settings) is last
    assert held_for(Settings()) is None


def test_a_client_of_another_service_imports_none(tmp_path: Path) -> None:
    code = (
        "import sys, riskanalytics as ra; ra.connect('https://risk.example'); ra.load; "
        "print([name for name in sys.modules if name.startswith(('riskanalytics.service', 'riskanalytics.extraction', "
        "'riskanalytics.demo', 'fastapi', 'plotly', 'IPython'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr
