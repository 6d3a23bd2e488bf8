"""Labelled clauses, and the texts they stand in, read from a bare repository of the archive."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dulwich.repo import Repo

BUNDLE = "genai-contrib-versions.bundle"
Row = dict[str, Any]


@dataclass
class Labels:
    """One half of the labels with the texts that they speak about.

    Parameters
    ----------
    folder : Path
        Holds the five `.jsonl` files.
    repository : Path
        Bare clone of the archive.
    """

    folder: Path
    repository: Path
    _texts: dict[str, str] = field(default_factory=dict)

    def rows(self, name: str) -> list[Row]:
        """Rows of one file, such as `quotes`."""
        body = (self.folder / f"{name}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in body.splitlines() if line]

    @cached_property
    def quotes(self) -> list[Row]:
        """Clauses that say something on a surface."""
        return self.rows("quotes")

    @cached_property
    def negatives(self) -> list[Row]:
        """Clauses that only seem to."""
        return self.rows("negatives")

    def text(self, blob: str) -> str:
        """Text of a blob."""
        if blob not in self._texts:
            with Repo(str(self.repository)) as repository:
                self._texts[blob] = repository[blob.encode()].data.decode("utf-8")
        return self._texts[blob]

    def documents(self, service: str) -> list[tuple[str, str]]:
        """Names and texts of a platform's documents at the commits that were labelled."""
        with Repo(str(self.repository)) as repository:
            tree = repository[repository[repository.head()].tree]
            _, folder = tree[service.encode()]
            entries = repository[folder].items()
        return [
            (entry.path.decode().removesuffix(".md"), self.text(entry.sha.decode()))
            for entry in sorted(entries, key=lambda entry: entry.path)
            if entry.path.endswith(b".md")
        ]

    def blobs(self) -> dict[str, str]:
        """Git ids of the documents that quotes and negatives speak about, by the hash of their bytes."""
        return {row["blob_sha256"]: row["blob"] for row in (*self.quotes, *self.negatives)}


def open_labels(shared: Path, workplace: Path, half: str = "dev") -> Labels:
    """Clone the archive's bundle into `workplace` and open the labels beside it."""
    target = workplace / "genai-contrib-versions.git"
    if not target.exists():
        subprocess.run(["git", "clone", "--quiet", "--bare", str(shared / "data" / BUNDLE), str(target)], check=True)
    return Labels(shared / "labels" / half, target)


def overlaps(start: int, end: int, row: Row) -> bool:
    """Whether two spans overlap by at least half of the shorter one."""
    common = min(end, row["end"]) - max(start, row["start"])
    return common > 0 and 2 * common >= min(end - start, row["end"] - row["start"])


def by_document(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows under the hash of the bytes they stand in."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["blob_sha256"], []).append(row)
    return found
