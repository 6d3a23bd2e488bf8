"""Where changes lead, against two readers who saw only the two texts: real documents, skipped where they are absent."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.service import Store
from tests.extraction.given import compare

LABELS = Path(__file__).parent / "labels" / "directions.jsonl"
WORDS = {"mixed": "both"}


def labelled() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()]


def judged(said: str, answers: set[str]) -> str:
    """How a direction agrees with the answers of two readers."""
    if said == "unclear":
        return "read both"
    if said in answers:
        return "right"
    return "half" if said == "both" or "both" in answers else "wrong"


SAID = (
    "SELECT a.sha256, b.sha256, c.direction FROM change c JOIN capture x ON x.id = c.capture_before JOIN snapshot a ON "
    "a.id = x.snapshot_id JOIN capture y ON y.id = c.capture_after JOIN snapshot b ON b.id = y.snapshot_id "
    "WHERE c.class = 'material'"
)


@pytest.mark.slow
def test_arrows_are_rarely_wrong_and_mostly_right(real_database: Path) -> None:
    with closing(sqlite3.connect(real_database)) as connection:
        said = {(before, after): direction for before, after, direction in connection.execute(SAID)}
    counts = counted(said)
    whole = {"fitted": 0.84} if "WHOLE_ARCHIVE" in os.environ else {}
    for part, right in {
        "other": 0.87,
        "fresh": 0.8,
        "later": 0.8,
        "wording": 0.7,
        "wording_later": 0.8,
        **whole,
    }.items():
        total = sum(number for (name, _), number in counts.items() if name == part)
        assert total >= 20, counts
        assert counts[part, "wrong"] == 0, counts
        assert counts[part, "right"] >= right * total, counts


@pytest.mark.slow
@pytest.mark.skipif("WHOLE_ARCHIVE" not in os.environ, reason="reads 60 long documents again: WHOLE_ARCHIVE=1")
def test_arrows_of_the_package_alone_are_rarely_wrong(real_database: Path) -> None:
    said, fresh = {}, [row for row in labelled() if row["part"] == "fresh"]
    with closing(Store(real_database)) as store:
        for pair in ((row["before_sha256"], row["after_sha256"]) for row in fresh):
            before, after = ((store.snapshot(sha256) or b"").decode() for sha256 in pair)
            if (result := compare(before, after)).change_class == "material":
                said[pair] = result.direction
    counts = counted(said)
    assert counts["fresh", "wrong"] <= 0.05 * counts.total(), counts
    assert counts["fresh", "right"] >= 0.55 * counts.total(), counts


def counted(said: dict[tuple[str, str], str]) -> Counter[tuple[str, str]]:
    """Part of the labels and judgement -> number of changes, of those that have a direction.

    Six changes are in two parts, so that four readers answered; each of their answers counts in both.
    """
    pairs = [(row, (row["before_sha256"], row["after_sha256"])) for row in labelled()]
    answers: dict[tuple[str, str], set[str]] = {}
    for row, pair in pairs:
        answers.setdefault(pair, set()).update(row["overall"])
    return Counter(
        (row["part"], judged(WORDS.get(said[pair], said[pair]), answers[pair])) for row, pair in pairs if pair in said
    )


def test_labels_of_directions_hold_no_text() -> None:
    for row in labelled():
        words = {row["part"], row["platform"], row["document"], *row["overall"], *row["surfaces"]}
        assert all(len(word) < 40 for word in words)
        assert len(row["before_sha256"]) == len(row["after_sha256"]) == 64
