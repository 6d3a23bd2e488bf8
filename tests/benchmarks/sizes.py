"""Archives of any size, made from another one: its services under other names, its history again and again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path

from riskanalytics.ingest import Capture, Collection

AGAIN = timedelta(days=365)


def captures(collection: Collection) -> Iterator[Capture]:
    """All captures of a collection."""
    return (one for one in collection.captures(lambda *_: False) if not isinstance(one, int))


def repeated(found: list[Capture], platforms: int, years: int = 1) -> Iterator[Capture]:
    """Give captures of as many platforms, each history once a year; every copy says in one line which one it is.

    Parameters
    ----------
    found : list of Capture
        Of one year, in the order of time.
    platforms : int
    years : int
        How far back it goes.
    """
    names = sorted({one.folder for one in found})
    copies = -(-platforms // len(names))
    kept = {
        (name, copy) for copy, name in islice(((copy, name) for copy in range(copies) for name in names), platforms)
    }
    for year in range(years - 1, -1, -1):
        for one in found:
            for copy in range(copies):
                if (one.folder, copy) in kept:
                    line = f"\n\nThis is edition {copy} of the year {year} before the last.\n" if copy or year else ""
                    yield Capture(
                        f"{one.folder} {copy}" if copy else one.folder, one.document, one.captured_at - year * AGAIN,
                        one.revision, one.sequence, one.kind, one.body + line.encode(),
                    )  # fmt: skip


def as_repository(found: Iterator[Capture], folder: Path) -> None:
    """Write captures into a new bare repository, a commit each."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder], check=True)
    with subprocess.Popen(["git", "fast-import", "--quiet"], stdin=subprocess.PIPE, cwd=folder) as git:
        assert git.stdin is not None
        for one in found:
            message = b"Record new changes of the document"
            head = f"commit refs/heads/main\ncommitter a <a@example.org> {int(one.captured_at.timestamp())} +0000\n"
            git.stdin.write(head.encode() + b"data %d\n%s\n" % (len(message), message))
            path = f"{one.folder}/{one.document}.md"
            git.stdin.write(f'M 100644 inline "{path}"\ndata {len(one.body)}\n'.encode() + one.body + b"\n")
    if git.returncode:
        raise SystemExit("git fast-import failed")
