"""Where changes lead, against two readers who saw only the two texts: real documents, skipped where they are absent."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.extraction import compare

LABELS = Path(__file__).parent / "labels" / "directions.jsonl"
WORDS = {"mixed": "both", "none": "unclear"}


def labelled() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()]


def judged(said: str, answers: set[str]) -> str:
    """How a direction agrees with the answers of two readers."""
    if said == "unclear":
        return "read both"
    if said in answers:
        return "right"
    return "half" if said == "both" or "both" in answers else "wrong"


@pytest.fixture(scope="module")
def texts(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """SHA-256 of each text that is labelled -> the text."""
    bare = tmp_path_factory.mktemp("archive") / "archive.git"
    bundle = shared / "data" / "genai-contrib-versions.bundle"
    subprocess.run(["git", "clone", "-q", "--bare", bundle, bare], check=True)
    wanted = {row[side] for row in labelled() for side in ("before_sha256", "after_sha256")}
    names = subprocess.run(
        ["git", "-C", bare, "rev-list", "--objects", "--all"], check=True, capture_output=True, text=True
    ).stdout
    blobs = [name for name, _, path in (line.partition(" ") for line in names.splitlines()) if path.endswith(".md")]
    found = {}
    with subprocess.Popen(
        ["git", "-C", bare, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as git:
        assert git.stdin
        assert git.stdout
        for blob in blobs:
            git.stdin.write(f"{blob}\n".encode())
            git.stdin.flush()
            body = git.stdout.read(int(git.stdout.readline().split()[2]) + 1)[:-1]
            if (key := sha256(body).hexdigest()) in wanted:
                found[key] = body.decode("utf-8")
        git.stdin.close()
    return found


@pytest.mark.slow
def test_arrows_are_rarely_wrong_and_mostly_right(texts: dict[str, str]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for row in labelled():
        result = compare(texts[row["before_sha256"]], texts[row["after_sha256"]])
        if result.change_class == "material":
            said = WORDS.get(result.direction, result.direction)
            counts[row["part"], judged(said, set(row["overall"]))] += 1
    for part, right in (("fitted", 0.58), ("other", 0.5), ("fresh", 0.55)):
        total = sum(number for (name, _), number in counts.items() if name == part)
        assert counts[part, "wrong"] <= 0.05 * total, counts
        assert counts[part, "right"] >= right * total, counts


def test_labels_of_directions_hold_no_text() -> None:
    for row in labelled():
        words = {row["part"], row["platform"], row["document"], *row["overall"], *row["surfaces"]}
        assert all(len(word) < 40 for word in words)
        assert len(row["before_sha256"]) == len(row["after_sha256"]) == 64
