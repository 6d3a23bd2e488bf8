"""The service of a database in this process: opened when it is asked, and asked by this process alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from riskanalytics.client import Client
from riskanalytics.client.connection import InProcessTransport
from riskanalytics.dataset.embedded import ADDRESS, EmbeddedService
from riskanalytics.errors import DatabaseError, NotAuthorised
from tests.service.given import build_database


def test_any_key_is_accepted_and_requests_without_a_key_are_anonymous(tmp_path: Path) -> None:
    service = EmbeddedService(build_database(tmp_path))
    try:
        for key in (service.key, "another"):
            with Client(ADDRESS, key, transport=InProcessTransport(service)) as client:
                assert client.platform("aurelia-chat")["slug"] == "aurelia-chat"
        with Client(ADDRESS, None, transport=InProcessTransport(service)) as client, pytest.raises(NotAuthorised):
            client.platform("aurelia-chat")
    finally:
        service.close()


def test_nothing_is_opened_before_the_first_request(tmp_path: Path) -> None:
    service = EmbeddedService(tmp_path / "missing.sqlite")
    service.close()
    with pytest.raises(DatabaseError):
        service.opened()


def test_a_client_of_another_service_imports_none(tmp_path: Path) -> None:
    code = (
        "import sys, riskanalytics as ra; ra.connect('https://risk.example'); ra.load; "
        "print([name for name in sys.modules if name.startswith(('riskanalytics.service', 'riskanalytics.extraction', "
        "'riskanalytics.demo', 'fastapi', 'plotly', 'IPython'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr
