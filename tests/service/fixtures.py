"""Fixtures of the service's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from riskanalytics.service.store.files import backup
from riskanalytics.settings.databases import Place, Server
from tests.postgres import Cluster, Unavailable, cluster
from tests.service.given import Caller, build_database, fill_database

NewPlace = Callable[[], Place]
BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)]
"""Place of a database; PostgreSQL runs with the slow tests."""


@pytest.fixture(scope="session")
def given_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of the literal database."""
    return build_database(tmp_path_factory.mktemp("given"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server; the test skips where there is none."""
    with ExitStack() as running:
        try:
            made = running.enter_context(cluster())
        except Unavailable as error:
            pytest.skip(str(error))
        yield made


@pytest.fixture(scope="session")
def kept_server(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The literal database on a server, which nobody opens: others are made as it is."""
    server = postgres.made()
    fill_database(server, tmp_path_factory.mktemp("given-server"))
    return server


@pytest.fixture(scope="session")
def given_server(postgres: Cluster, kept_server: Server) -> Server:
    """The literal database on a server, which is read only."""
    return postgres.made(kept_server.name)


@pytest.fixture(scope="session", params=BOTH)
def given_place(request: pytest.FixtureRequest) -> Place:
    """The literal database in a file, and on a server."""
    place: Place = request.getfixturevalue("given_database" if request.param == "sqlite" else "given_server")
    return place


@pytest.fixture(params=BOTH)
def copied_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """The literal database, to be written by a test."""
    if request.param == "sqlite":
        backup(request.getfixturevalue("given_database"), tmp_path / "copy.sqlite")
        yield tmp_path / "copy.sqlite"
        return
    postgres: Cluster = request.getfixturevalue("postgres")
    server = postgres.made(request.getfixturevalue("kept_server").name)
    yield server
    postgres.dropped(server)


@pytest.fixture(params=BOTH)
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewPlace]:
    """Makes places in which nothing is yet: files, and databases of a server."""
    if request.param == "sqlite":
        numbers = iter(range(100))
        yield lambda: tmp_path / f"new{next(numbers)}.sqlite"
        return
    postgres: Cluster = request.getfixturevalue("postgres")
    made: list[Server] = []

    def make() -> Server:
        made.append(postgres.made())
        return made[-1]

    yield make
    for server in made:
        postgres.dropped(server)


@pytest.fixture
def caller(given_place: Place) -> Iterator[Caller]:
    """A caller on the literal database."""
    caller = Caller(given_place)
    yield caller
    caller.close()
