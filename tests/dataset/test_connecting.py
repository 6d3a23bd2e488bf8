"""One argument names where data come from: an address or a database file; what is neither is refused in one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.dataset.connecting import DEMO, Origin, connect_to, origin_of
from riskanalytics.dataset.embedded import checksum_of
from riskanalytics.dataset.loading import load_platforms
from riskanalytics.errors import DatabaseError, PullError, ServiceError, SettingsError
from riskanalytics.settings import Settings
from riskanalytics.settings.databases import Server
from tests.service.fixtures import build_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("connecting"))


@pytest.mark.parametrize("kind", [str, Path])
def test_the_file_of_a_database_opens_that_database(database: Path, kind: type) -> None:
    with ra.connect(kind(database)) as client, ra.connect(database=database) as same:
        assert client.embedded
        assert client.coverage() == same.coverage()


def test_a_file_hides_the_address_of_the_environment(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_BASE_URL", "https://e.example")
    with ra.connect(str(database)) as client:
        assert client.embedded


def test_an_address_is_that_of_a_service_by_place_and_by_name() -> None:
    for client in (ra.connect("https://ratings.example/"), ra.connect(base_url="https://ratings.example")):
        with client:
            assert client.base_url.rstrip("/") == "https://ratings.example"


def test_an_address_of_another_kind_is_refused_as_an_address() -> None:
    with pytest.raises(SettingsError, match="not a URL"):
        ra.connect("ftp://ratings.example")


def test_a_missing_file_is_refused_with_advice(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.sqlite"
    for ask in (lambda: ra.connect(nowhere), lambda: ra.connect(database=nowhere)):
        with pytest.raises(
            DatabaseError, match=r"there is no database .*: make one with 'riskanalytics ingest"
        ) as refused:
            ask()
        assert "\n" not in str(refused.value)


def test_a_foreign_file_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "page.sqlite").write_text("<html>" * 1_000)
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("create table told (word)")
    other.close()
    for name in ("page.sqlite", "other.sqlite"):
        with pytest.raises(DatabaseError, match=rf"{name} is .*riskanalytics ingest'") as refused:
            ra.connect(tmp_path / name)
        assert "\n" not in str(refused.value)


def test_the_source_named_last_is_used_again_but_not_one_given_as_settings(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ra.connect(database).close()
    monkeypatch.setenv("RISKANALYTICS_DEADLINE", "7")
    ra.connect(settings=Settings(base_url="https://b.example")).close()
    with connect_to() as client:
        assert (client.source, client.seconds(9), connect_to(client) is client) == ("given.sqlite", 129, True)
    assert [ra.connect("https://b.example", deadline=limit).seconds(9) for limit in (None, 5)] == [7, 5]
    ra.connect(base_url="https://c.example").close()
    with connect_to() as client:
        assert client.source == "https://c.example"


def test_pages_name_their_source_without_folders_and_passwords(database: Path, tmp_path: Path) -> None:
    origins = [Origin("Service https://a.example/x", "--base-url https://a.example/x"), Origin(DEMO)]
    origins += [Origin("Database postgresql://h/d", "--database postgresql://h/d")]
    origins += [Origin("Database my data.sqlite", "--database 'my data.sqlite'", "my data.sqlite")]
    places = [
        Settings(base_url="https://a.example/x"),
        Settings(),
        Settings(database=Server("postgresql://ann:secret@h/d")),
    ]
    for settings, origin in zip([*places, Settings(database=tmp_path / "my data.sqlite")], origins, strict=True):
        with Client("https://ann:secret@a.example/x") as client:
            client.settings = settings
            assert (origin_of(client), origin.is_demo) == (origin, settings == Settings())
    with Client("https://a.example/x&y z") as client:
        assert origin_of(client) == Origin(
            "Service https://a.example/x&y%20z", "--base-url 'https://a.example/x&y%20z'"
        )
    with ra.connect(database) as client:
        assert origin_of(client).line == f"Database given.sqlite, data {checksum_of(database)[:12]}"
    assert len(checksum_of(database)) == 64


def test_two_sources_at_once_are_refused(database: Path) -> None:
    with pytest.raises(SettingsError, match="more than one source"):
        ra.connect(database, base_url="https://e.example")


def test_a_folder_without_pulls_is_refused_with_advice(tmp_path: Path) -> None:
    for ask in (lambda: ra.connect(tmp_path), lambda: ra.connect(database=tmp_path)):
        with pytest.raises(PullError, match=r"there is no pull in .*: make one with 'riskanalytics pull --archive"):
            ask()


def test_a_data_set_never_mixes_two_databases_with_one_name(tmp_path: Path) -> None:
    database, other = (build_database(tmp_path / name) for name in ("one", "two"))
    with ra.connect(database) as client:
        data = ra.load(client)
        assert len(data.platforms)
        other.replace(database)
        for load in (lambda: data.findings, lambda: load_platforms(client)):
            with pytest.raises(ServiceError, match="the database file was replaced: connect again") as refused:
                load()
            assert "\n" not in str(refused.value)
    with ra.connect(database) as client:
        assert len(ra.load(client).findings)
