"""What the model is learned from: our own sentences."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.extraction.learned import load_reader
from riskanalytics.models import RATINGS, STANCES
from riskanalytics.surfaces import SURFACES

HERE = Path(__file__).parent
FILES = sorted((HERE / "written").glob("*/*.jsonl"))
POLARITIES = ("raises_risk", "mitigates_risk", "neutral")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_written_sentence_says_what_it_is_for(path: Path) -> None:
    for row in rows(path):
        assert row["text"].strip()
        told = row["labels"] if "labels" in row else [row] if row["kind"] == "positive" else []
        for label in told:
            assert label["surface"] in SURFACES
            assert label["risk"] in RATINGS
            assert label["polarity"] in POLARITIES
            assert label.get("stance") in (None, *STANCES)
        assert set(row.get("also", ())) <= set(SURFACES)


def test_every_surface_has_sentences_for_and_against() -> None:
    counts = Counter(
        (row["surface"], row["kind"]) for path in FILES if path.parent.name != "policies" for row in rows(path)
    )
    for surface in load_reader().surfaces:
        assert counts[surface, "positive"] >= 300
        assert counts[surface, "negative"] >= 150


def test_most_sentences_of_a_policy_speak_to_no_surface() -> None:
    sentences = [row for path in FILES if path.parent.name == "policies" for row in rows(path)]
    assert 0.5 < sum(not row["labels"] for row in sentences) / len(sentences) < 0.7
