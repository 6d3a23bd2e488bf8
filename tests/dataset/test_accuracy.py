"""Figures of accuracy are read as a service recorded them; those of an older measure are marked as withdrawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riskanalytics.client import Client
from riskanalytics.dataset.checks import Accuracy, load_accuracy
from riskanalytics.errors import SettingsError
from tests.http_server import reply, serving

SHARE = {"value": 0.5, "low": 0.4, "high": 0.6, "part": 5, "whole": 10, "families": 3}
BIN = {"from": 0.9, "to": 1.0, "stated": 0.95, **SHARE}


def recorded(figures: object) -> Accuracy:
    """Load what a service tells of its extraction."""
    body = json.dumps({"extraction": {"figures": figures}}).encode()
    with serving(reply("200 OK", body)) as server, Client(server.url) as client:
        return load_accuracy(client)


@pytest.mark.parametrize("figures", [None, {}, [], "nonsense", 3])
def test_a_service_that_reports_no_figures_gives_an_empty_frame(figures: object) -> None:
    loaded = recorded(figures)
    assert loaded.facts == {"source": "none", "withdrawn": {}, "audit": {}, "labels": "", "parts": {}}
    assert [len(frame) for frame in loaded[:3]] == [0, 0, 0]


def test_the_test_part_comes_first_with_its_day_and_rules() -> None:
    part = {"groups": {"all": {"recall": SHARE}}, "reliability": {"all": [BIN]}, "rules": "12", "documents": 7}
    loaded = recorded({"calibrate": part, "test": {**part, "measured_on": "2026-03-05", "rules": "13"}, "unseen": {}})
    assert {name: loaded.facts[name] for name in ("source", "labels", "measured_on", "rules")} == {
        "source": "recorded", "labels": "test", "measured_on": "2026-03-05", "rules": "13",
    }  # fmt: skip
    assert loaded.facts["parts"]["calibrate"] == {"rules": "12", "documents": 7}
    assert loaded.figures[["labels", "measure", "share", "whole"]].values.tolist() == [
        ["test", "recall", 0.5, 10], ["calibrate", "recall", 0.5, 10],
    ]  # fmt: skip
    assert loaded.reliability[["labels", "from", "stated"]].values.tolist()[0] == ["test", 0.9, 0.95]


def test_figures_of_an_older_measure_are_kept_separately() -> None:
    withdrawn = {"groups": {"never_seen": {"recall": SHARE}}, "measured_on": "2026-01-02"}
    loaded = recorded({"withdrawn": withdrawn})
    assert loaded.facts["withdrawn"] == withdrawn
    assert loaded.figures.empty


def test_labels_need_a_database_that_holds_their_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RISKANALYTICS_BASE_URL", "http://127.0.0.1:9")
    with Client("http://127.0.0.1:9") as client, pytest.raises(SettingsError, match="RISKANALYTICS_DATABASE"):
        load_accuracy(client, str(tmp_path))
