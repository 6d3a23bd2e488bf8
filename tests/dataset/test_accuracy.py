"""Figures of accuracy are read as a service recorded them; those of an older measure are marked as withdrawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.dataset.checks import Accuracy, load_accuracy
from riskanalytics.errors import SettingsError
from tests.accuracy.given import AGREEMENT, sha256, write_labels
from tests.http_server import reply, serving
from tests.service.given import PRIVACY_LATER, TERMS

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
    assert loaded.facts == {
        "source": "none",
        "with_readings": {},
        "withdrawn": {},
        "audit": {},
        "labels": "",
        "parts": {},
    }
    assert [len(frame) for frame in loaded[:3]] == [0, 0, 0]


def test_the_test_part_comes_first_with_its_day_and_rules() -> None:
    part = {"groups": {"all": {"recall": SHARE}}, "reliability": {"all": [BIN]}, "rules": "12", "documents": 7}
    later: dict[str, object] = {"calibrate": part, "unseen": part}
    loaded = recorded({**later, "audit": {"read": "all"}, "test": {**part, "measured_on": "2026-03-05", "rules": "13"}})
    assert {name: loaded.facts[name] for name in ("source", "labels", "measured_on", "rules")} == {
        "source": "recorded", "labels": "test", "measured_on": "2026-03-05", "rules": "13",
    }  # fmt: skip
    assert loaded.facts["parts"]["calibrate"] == {"rules": "12", "documents": 7}
    assert (loaded.facts["audit"], loaded.facts["withdrawn"]) == ({"read": "all"}, {})
    assert loaded.figures[["labels", "measure", "share", "whole"]].values.tolist() == [
        ["test", "recall", 0.5, 10], ["unseen", "recall", 0.5, 10], ["calibrate", "recall", 0.5, 10],
    ]  # fmt: skip
    assert loaded.reliability[["labels", "from", "stated"]].values.tolist()[0] == ["test", 0.9, 0.95]


def test_surfaces_come_first_and_all_last_and_parts_without_figures_are_left_out() -> None:
    groups = {name: {"recall": 0.5} for name in ("all", "learned", "data_retention", "training_use")}
    part = {"groups": groups, "stances": {"right": SHARE}, "families": 3, "changes": {"right": SHARE}}
    loaded = recorded({"calibrate": part, "test": {"documents": 7}, "unseen": {}})
    assert loaded.figures[["labels", "surface", "share"]].values.tolist() == [
        ["calibrate", name, 0.5] for name in ("training_use", "data_retention", "learned", "all")
    ]
    assert loaded.facts["parts"] == {"calibrate": {"stances": {"right": SHARE}, "families": 3}}
    assert loaded.facts["labels"] == "calibrate"


def test_figures_of_an_older_measure_are_kept_separately() -> None:
    withdrawn = {"groups": {"never_seen": {"recall": SHARE}}, "measured_on": "2026-01-02"}
    loaded = recorded({"withdrawn": withdrawn})
    assert (loaded.facts["withdrawn"], loaded.facts["source"]) == (withdrawn, "recorded")
    assert loaded.figures.empty


def test_labels_need_a_database_that_holds_their_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RISKANALYTICS_BASE_URL", "http://127.0.0.1:9")
    with Client("http://127.0.0.1:9") as client, pytest.raises(SettingsError, match="RISKANALYTICS_DATABASE"):
        load_accuracy(client, str(tmp_path))


def test_wrong_findings_and_missed_clauses_are_listed_with_the_labelled_and_the_found_level(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(database))
    with Client("http://127.0.0.1:9") as client:
        data = Dataset(None)
        data.client, data.views.options = client, {"labels": str(write_labels(tmp_path))}
        loaded = data.views.measured
    faults = loaded.faults.astype("str").fillna("-")
    assert faults[["surface", "kind", "document", "risk", "given", "rule"]].values.tolist() == [
        ["data_retention", "level", "Privacy Policy", "HIGH", "MED", "data_retention.as_long_as_necessary"],
        ["ads_tracking", "false_alarm", "Privacy Policy", "-", "LOW", "ads_tracking.no_sale"],
        ["terms_changes", "false_alarm", "Terms of Service", "-", "HIGH", "terms_changes.any_time"],
        ["ip_liability", "missed", "Terms of Service", "MED", "-", "-"],
    ]
    assert faults.iloc[3][["slug", "quote", "start", "end"]].tolist() == ["aurelia-chat", AGREEMENT, "39", "96"]
    assert set(faults["snapshot_sha256"]) == {sha256(PRIVACY_LATER), sha256(TERMS)}
    assert {name: loaded.facts[name] for name in ("source", "labels", "not_scored")} == {
        "source": "labels", "labels": "given", "not_scored": 1,
    }  # fmt: skip
