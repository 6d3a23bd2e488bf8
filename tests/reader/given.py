"""Scripted readers for tests: each takes a request and returns the text of an answer, and the tokens."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from riskanalytics.reader.exchange import Request

Ask = Callable[[Request], tuple[str, int]]


def says(surface: str, risk: str, polarity: str, **more: Any) -> dict[str, Any]:
    """One verdict of an answer."""
    usual = {"actor": "vendor", "stance": None, "audience": "all", "conditional": False}
    return {"surface": surface, "risk": risk, "polarity": polarity, **usual, **more}


ORACLE = {
    "prompts you enter to train": [says("training_use", "HIGH", "raises_risk", stance="trains_by_default")],
    "do not use your prompts to train": [says("training_use", "LOW", "mitigates_risk", stance="does_not_train")],
    "as long as necessary": [says("data_retention", "MED", "raises_risk")],
    "do not sell": [says("ads_tracking", "LOW", "mitigates_risk")],
    "perpetual, irrevocable": [says("content_license", "HIGH", "raises_risk")],
    "change these terms at any time": [says("terms_changes", "HIGH", "raises_risk")],
    "训练我们的模型": [says("training_use", "HIGH", "raises_risk", stance="trains_by_default")],
}
"""Words of a clause -> its verdicts; all other clauses say nothing."""


def answered(entries: list[dict[str, Any]]) -> str:
    """The text of an answer."""
    return json.dumps({"units": entries})


def oracle(request: Request) -> tuple[str, int]:
    """A reader that is always right."""
    if request.kind == "changes":
        return json.dumps(
            {"whole": "down", "surfaces": [{"surface": "training_use", "direction": "down", "units": [1]}]}
        ), 20
    if request.kind == "stances":
        return json.dumps({"consumer": "undetermined", "business": "silent", "units": []}), 10
    if request.kind == "checks":
        return answered([{"n": n, "kind": "practice"} for n in range(1, len(request.units) + 1)]), 10
    return answered([
        {"n": n, "says": next((said for words, said in ORACLE.items() if words in unit.words), [])}
        for n, unit in enumerate(request.units, 1)
    ]), 100  # fmt: skip


def silent_reader(request: Request) -> tuple[str, int]:
    """A reader that says of every unit that it says nothing."""
    return answered([{"n": n, "says": []} for n in range(1, len(request.units) + 1)]), 100


def lazy(request: Request) -> tuple[str, int]:
    """A reader that answers for the first unit only."""
    return answered([{"n": 1, "says": []}]), 10


def lying(request: Request) -> tuple[str, int]:
    """A reader that finds HIGH training use in every unit, and confirms it."""
    if request.kind == "checks":
        return answered([{"n": n, "kind": "practice"} for n in range(1, len(request.units) + 1)]), 10
    said = [says("training_use", "HIGH", "raises_risk", stance="trains_by_default")]
    return answered([{"n": n, "says": said} for n in range(1, len(request.units) + 1)]), 100


def truncating(request: Request) -> tuple[str, int]:
    """A reader whose answers are cut off."""
    text, tokens = oracle(request)
    return text[: len(text) // 2], tokens


def prose(request: Request) -> tuple[str, int]:
    """A reader that keeps to no form."""
    return "Of course! Here are my thoughts on the policy.", 50


BAD = {"silent": silent_reader, "lazy": lazy, "lying": lying, "truncating": truncating, "prose": prose}
