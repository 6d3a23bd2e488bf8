"""What benchmarks of the service share: a database of 500 platforms, and servers in processes of their own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from riskanalytics.ingest import ingest, open_collection
from riskanalytics.settings.databases import Place, written_out

PLATFORMS, CLAUSES = 500, 200
SENTENCES = (
    "We use the {thing} you enter to train our models.",
    "We may share your {thing} with advertising partners.",
    "We retain your {thing} for as long as necessary.",
    "Our staff may review your {thing} to improve the service.",
    "You grant us a worldwide, perpetual licence to use your {thing}.",
)


def build(folder: Path, clauses: int = CLAUSES) -> Path:
    """A database of 500 platforms with so many clauses each: about 100,000 findings."""
    for number in range(PLATFORMS):
        path = folder / "set" / f"Platform {number:03d}" / "Privacy Policy" / "2026-01-10.md"
        path.parent.mkdir(parents=True)
        lines = [
            SENTENCES[k % len(SENTENCES)].format(thing=f"content of kind {number} and {k}") for k in range(clauses)
        ]
        head = f"Platform {number} Privacy Policy\n====\n\nThis policy tells how we use your information.\n\n"
        path.write_text(head + "\n\n".join(lines) + "\n", encoding="utf-8")
    with open_collection(folder / "set") as collection:
        ingest(collection, folder / "a.sqlite")
    return folder / "a.sqlite"


@contextlib.contextmanager
def running(words: list[str], port: int, path: str) -> Iterator[str]:
    """Run a server in a process of its own until the block ends."""
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                with contextlib.suppress(httpx.TransportError):
                    httpx.get(address + path)
                    break
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()


def service(database: Place, port: int, *more: str) -> contextlib.AbstractContextManager[str]:
    """Serve a database."""
    words = ["-m", "riskanalytics.cli", "serve", "--database", written_out(database), "--port", str(port), *more]
    return running(words, port, "/health")
