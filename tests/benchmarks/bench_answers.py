"""What hostile text costs beside prose where questions are read and findings weighed, and what a list costs that is made anew.

python -m tests.benchmarks.bench_answers

- 1 MB of hostile quotes against 1 MB of prose (aim at most 2)
- the list of 500 platforms right after a change of the database against the same answer already made: memory (aim at most 2)
"""

from __future__ import annotations

import contextlib
import secrets
import sys
import tempfile
import tracemalloc
from pathlib import Path

import httpx

from riskanalytics.service import UNLIMITED, Access, Store, create_app
from riskanalytics.service.answering.question import read_question
from riskanalytics.service.answering.retrieval import passing
from riskanalytics.service.store.write import Writer
from tests.benchmarks.serving import build
from tests.benchmarks.table import row
from tests.http_server import served
from tests.service.answering.test_linear import ASKED, HOSTILE, PROSE, findings, shortest


def peak(client: httpx.Client, database: Path, *, known: bool) -> int:
    """Bytes that a request for the list holds at most, the answer itself among them, whoever made it."""
    path = "/api/v1/platforms?limit=500"
    body = len(client.get(path).content)
    if not known:
        with Writer(database) as writer, writer.transaction():
            writer.remember("word", secrets.token_hex(4))
    tracemalloc.start()
    client.get(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most + known * body  # an answer that is known was held before


def lists() -> None:
    """Print the memory of the list made anew against the list already made."""
    access = Access.embedded()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(Store(database := build(Path(folder), 5))) as store,
    ):
        app = create_app(store, access, public_url="https://a.example", pace=UNLIMITED)
        with (
            served(app) as address,
            httpx.Client(base_url=address, headers={"x-api-key": access.embedded_key}) as client,
        ):
            client.headers["accept-encoding"] = "identity"
            anew, known = (min(peak(client, database, known=known) for _ in range(5)) for known in (False, True))
    seen = f"{anew / 1e6:.2f} MB; already made {known / 1e6:.2f} MB"
    row("the list of 500 right after a change of the database: memory", seen, anew / known, 2)


def main() -> int:
    """Print the memory of a list, and the worst ratio of each surface."""
    lists()
    for surface, asked in ASKED.items():
        question, prose = read_question(asked, []), findings(PROSE, surface)
        floor = shortest(lambda: passing(question, prose))  # noqa: B023 (called at once)
        ratios = {}
        for text in HOSTILE:
            rows = findings(text, surface)
            ratios[text] = shortest(lambda: passing(question, rows)) / floor  # noqa: B023 (called at once)
        worst = max(ratios, key=ratios.__getitem__)
        row(f"questions on {surface}: hostile text", f"{worst!r}; prose {1000 * floor:.1f} ms", ratios[worst], 2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
