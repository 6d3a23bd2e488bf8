"""A database on a server is connected to by its address, and answers as its file does."""

from __future__ import annotations

from pathlib import Path

import pytest

import riskanalytics as ra
from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.settings.databases import Server
from tests.service.fixtures import given_database, given_server, kept_server, postgres  # noqa: F401


@pytest.mark.slow
def test_the_address_of_a_postgresql_database_opens_that_database(
    given_server: Server,  # noqa: F811
    given_database: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ra.connect(given_database) as file:
        wanted = file.coverage()
    monkeypatch.setenv("RISKANALYTICS_DATABASE", given_server.address)
    for client in (ra.connect(given_server.address), ra.connect(database=given_server.address), ra.connect()):
        with client:
            assert (client.embedded, client.coverage()) == (True, wanted)


def test_a_server_that_cannot_be_reached_is_one_line_without_the_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    for address, wrong in (
        (f"postgresql://ann:secret@/a?host={tmp_path}", DatabaseError),
        ("postgresql://ann:sec@ret@db.example/a", SettingsError),
    ):
        with pytest.raises(wrong) as result:
            ra.connect(address)
        assert "\n" not in str(result.value)
        assert "sec" not in str(result.value)
