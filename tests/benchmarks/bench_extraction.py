"""How fast texts are read and compared: seconds per MB, and what adversarial text costs beside prose.

Run `python -m tests.benchmarks.bench_extraction [--repository BARE.git]`. With a repository the whole history
of all its documents is read and compared, and the cost is given per MB of distinct blocks.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dulwich.diff_tree import tree_changes
from dulwich.repo import Repo

from riskanalytics.extraction import extract
from riskanalytics.extraction.capture import check_capture
from riskanalytics.extraction.compare import Comparer
from tests.benchmarks.table import row

PROSE = (
    "We process the information that you give us to provide the service as this policy says. "
    "We may share personal data number {0} with vendors and affiliates. You can write to us about {0}. "
    "We use the content that you submit to train model {0}. "
    "We keep logs for {0} days and then delete them.\n\n"
)
ADVERSARIAL = {
    "negations": "not ",
    "keywords in one line": "train your content licence share third party transfer change terms not ",
    "brackets": "[(",
    "links": "[a](b ",
    "one word": "a",
    "dots and spaces": ". ",
    "dashes": "-",
    "table cells": "| a ",
    "breaks": "<br>",
}


def seconds(work: Callable[[], object]) -> float:
    """Processor time of a call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def megabyte(piece: str) -> str:
    """A megabyte of a piece repeated."""
    return (piece * (1_000_000 // len(piece) + 1))[:1_000_000]


def texts() -> None:
    """Cost of one megabyte of prose, read the first time, and of adversarial text beside it."""
    prose = "".join(PROSE.format(number) for number in range(2_900))
    size = len(prose.encode()) / 1e6
    first = seconds(lambda: extract(prose)) / size
    again = seconds(lambda: extract(prose)) / size
    row("reading 1 MB of prose again", f"{again:.3f} s; the first time {first:.2f} s", again / first)
    for name, piece in ADVERSARIAL.items():
        text = megabyte(piece)
        taken = seconds(lambda text=text: extract(text))
        row(f"reading 1 MB of {name}", f"{taken:.2f} s; of prose {first:.2f} s", taken / first)


def history(path: Path) -> None:
    """Cost of reading and comparing all versions of all documents of a repository."""
    versions: dict[bytes, list[bytes]] = {}
    with Repo(str(path)) as repository:
        for entry in repository.get_walker(reverse=True):
            commit = entry.commit
            if len(commit.parents) > 1:
                continue
            parent = repository[commit.parents[0]].tree if commit.parents else None
            for change in tree_changes(repository.object_store, parent, commit.tree):
                if change.new and change.new.path and change.new.path.endswith(b".md"):
                    versions.setdefault(change.new.path, []).append(change.new.sha)
        bodies = {sha: repository[sha].data for shas in versions.values() for sha in shas}
    distinct: set[int] = set()
    size = 0
    for body in bodies.values():
        text = body.decode("utf-8", "replace")
        for block in text.split("\n\n"):
            key = hash(block)
            if key not in distinct:
                distinct.add(key)
                size += len(block.encode("utf-8", "replace"))
    taken = seconds(lambda: [_document(shas, bodies) for shas in versions.values()])
    total = sum(map(len, bodies.values())) / 1e6
    print(f"{len(versions)} documents, {len(bodies)} texts, {total:.0f} MB, {size / 1e6:.1f} MB of distinct blocks")
    print(
        f"read and compared in {taken:.1f} s: {taken / (size / 1e6):.2f} s per distinct MB, "
        f"{taken / total:.3f} s per MB"
    )


def _document(shas: list[bytes], bodies: dict[bytes, bytes]) -> None:
    comparer, good = Comparer(), None
    for sha in shas:
        text = bodies[sha].decode("utf-8", "replace")
        if check_capture(text, last_good=good).state == "good":
            comparer.step(text, extract(text))
            good = text


def main(arguments: list[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=Path)
    given = parser.parse_args(arguments)
    texts()
    if given.repository:
        history(given.repository)
    print(f"highest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
