"""The part of the real archive that tests need: texts with labels, and the newest of each document."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from riskanalytics.ingest.collection import Capture, GitCollection, Known
from riskanalytics.models.provenance import sha256_of

LABELS = Path(__file__).parent / "accuracy" / "labels"


class LabelledPart(GitCollection):
    """The real archive, reduced to about a fifth; WHOLE_ARCHIVE=1 keeps all of it, as it should be tried before a release."""

    def __init__(self, shared: Path) -> None:
        super().__init__(shared / "data" / "genai-contrib-versions.bundle")
        self.labels = hashes(LABELS / "whole") | hashes(LABELS / "directions.jsonl") | hashes(shared / "labels" / "dev")

    def captures(self, known: Known) -> Iterator[Capture | int]:
        found = list(super().captures(known))
        documents = defaultdict(list)
        for capture in found:
            if isinstance(capture, Capture):
                documents[capture.folder, capture.document].append(capture)
        wanted = {one.sequence for captures in documents.values() for one in captures[-1:]}
        for capture in found:
            newest = isinstance(capture, int) or "WHOLE_ARCHIVE" in os.environ or capture.sequence in wanted
            if newest or sha256_of(capture.body) in self.labels:
                yield capture


def hashes(labels: Path) -> set[str]:
    """All SHA-256 in a file of labels, or in those of a folder, without the directions that the rules were fitted on."""
    files = [labels] if labels.is_file() else labels.rglob("*.jsonl")
    lines = (line for file in files for line in file.read_text("utf-8").splitlines())
    return {name for line in lines if '"part": "fitted"' not in line for name in re.findall(r"\b[0-9a-f]{64}\b", line)}
