"""A database on a PostgreSQL server: error messages, and behaviour that differs from a file."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError, RiskAnalyticsError
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Access, Store
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.search import search_clauses
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Server
from tests.postgres import GUARDED, Cluster, cluster, opened
from tests.service.given import PRIVACY, Caller, build_database, fill_database

pytestmark = pytest.mark.slow


@pytest.fixture
def server(postgres: Cluster, kept_server: Server) -> Iterator[Server]:
    """The literal database, to be written by a test."""
    made = postgres.made(kept_server.name)
    yield made
    postgres.dropped(made)


@pytest.fixture
def empty(postgres: Cluster) -> Iterator[Server]:
    """A database without tables."""
    made = postgres.made()
    yield made
    postgres.dropped(made)


def refusal(server: Server) -> str:
    """Error message when a database is opened."""
    with pytest.raises(RiskAnalyticsError) as output:
        Store(server).close()
    text = str(output.value)
    assert "\n" not in text
    assert "wrong-secret" not in text
    return text


def test_an_unreachable_server_gives_a_one_line_error(tmp_path: Path) -> None:
    assert "cannot be reached" in refusal(Server(f"postgresql://a:wrong-secret@/b?host={tmp_path}"))


def test_wrong_passwords_missing_databases_and_missing_tables_give_one_line_errors(
    postgres: Cluster, empty: Server
) -> None:
    socket = f"host={postgres.folder}"
    assert "password authentication failed" in refusal(
        Server(f"postgresql://{GUARDED}:wrong-secret@/postgres?{socket}")
    )
    assert 'database "nowhere" does not exist' in refusal(postgres.server("nowhere"))
    assert "ingest a collection into it first" in refusal(empty)
    with pytest.raises(DatabaseError, match="ingest a collection into it first"):
        Access.of(empty)


def test_addresses_in_capitals_work_and_malformed_ones_give_a_one_line_error(
    kept_server: Server,
) -> None:
    rest = kept_server.address.removeprefix("postgresql")
    for address in (f"POSTGRESQL{rest}", f"{kept_server.address}&client_encoding=LATIN1"):
        with closing(Store(Server(address))) as store:
            assert store.value("SHOW client_encoding") == "UTF8"
    for odd in ("connect_timeout=abc", "nothing=1", "host=%zz"):
        assert "PostgreSQL cannot parse" in refusal(Server(f"postgresql://u:wrong-secret@/d?{odd}"))


def test_tables_of_a_newer_version_or_of_another_program_are_refused_and_left_alone(
    server: Server, empty: Server, tmp_path: Path
) -> None:
    with closing(opened(server)) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    assert "created by a newer riskanalytics" in refusal(server)
    with pytest.raises(DatabaseError, match="newer"):
        Writer(server)
    with closing(opened(empty)) as connection:
        connection.execute("CREATE SCHEMA riskanalytics")
        connection.execute("CREATE TABLE riskanalytics.platform (mine text)")
    with pytest.raises(DatabaseError, match="tables of another program"):
        fill_database(empty, tmp_path)
    with closing(opened(empty)) as connection:
        assert (
            connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'riskanalytics'").fetchone()[0] == 1
        )


def test_tables_are_in_the_schema_riskanalytics_or_the_one_in_the_address(empty: Server, tmp_path: Path) -> None:
    other = Server(f"{empty.address}&options=-csearch_path%3Dratings")
    for place in (empty, other):
        fill_database(place, tmp_path)
    with closing(opened(empty)) as connection:
        rows = connection.execute("SELECT DISTINCT schemaname FROM pg_tables WHERE tablename = 'finding' ORDER BY 1")
        assert [name for (name,) in rows] == ["ratings", "riskanalytics"]
    with closing(Store(empty)) as one, closing(Store(other)) as two:
        assert one.version() == two.version() != ""


def test_a_collection_that_cannot_be_read_leaves_no_tables_behind(empty: Server, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    with pytest.raises(RiskAnalyticsError), open_collection(tmp_path / "nothing") as collection:
        ingest(collection, empty)
    with closing(opened(empty)) as connection:
        assert connection.execute("SELECT to_regnamespace('riskanalytics')").fetchone()[0] is None


def test_both_databases_give_identical_responses(given_database: Path, given_server: Server) -> None:
    one, other = Caller(given_database), Caller(given_server)
    slugs = [slug for slug, _ in one.store.names()]
    paths = ["/api/v1/platforms", "/api/v1/changes", "/api/coverage", "/llms-full.txt", "/api/machine/search?q=models"]
    paths += [f"/api/{kind}/{slug}" for slug in slugs for kind in ("v1/platforms", "machine/platform")]
    for path in paths:
        answers = [caller.call(path, tier="pro") for caller in (one, other)]
        assert answers[0].status == 200
        assert answers[0].body == answers[1].body, path
    one.close()
    other.close()


WORDS = [
    "use us",
    "U.S.",
    "cafés",
    "naïve",
    "训练",
    "模型",
    "provid",
    "provider",
    "organises",
    "third_party",
    "2026",
    "e",
    "__",
    "technology",
    "technologies",
    "possible",
    "é" * 600,
    "é" * 500,
]


def test_both_databases_find_the_same_clauses(empty: Server, tmp_path: Path) -> None:
    said = [
        "at naive cafes in the U.S.",
        "with us and third_party providers",
        "at an organization in 2026 (e.g. naïvely)",
        f"with technological means and possibly {'é' * 600}",
        "with technology where possible",
    ]
    files = {
        "Aurelia/Privacy Policy/2026-01-10.md": PRIVACY
        + "".join(f"\nWe use the prompts you enter {one} to train our models.\n" for one in said),
    }
    fill_database(empty, tmp_path, files)
    with closing(Store(build_database(tmp_path, files))) as file, closing(Store(empty)) as server:
        for query in (*WORDS, "providers training", "naive prompt"):
            found = [search_clauses(store, query, surface=None, limit=50, offset=0) for store in (file, server)]
            assert found[0][0] == found[1][0], query
            assert sorted(row["id"] for row in found[0][1]) == sorted(row["id"] for row in found[1][1])
        found = [search_clauses(server, word, surface=None, limit=50, offset=0)[0] for word in ("naive", "technology")]
        assert min(found) > 1


def test_a_quote_with_u_0000_is_stored_verbatim(server: Server) -> None:
    odd = "a\0b\x1a0\x1a1c"
    with Writer(server) as writer:
        with writer.transaction() as connection:
            run(connection, "UPDATE clause SET quote = :odd WHERE id = 1", odd=odd)
        assert run(writer.connection, "SELECT quote FROM clause WHERE quote = :odd", odd=odd).scalar_one() == odd
    with closing(Store(server)) as store:
        assert store.platform("a\0") is None
        assert store.rows("SELECT quote, id FROM clause WHERE id = 1") == [{"quote": odd, "id": 1}]


def test_writers_take_turns_and_a_reader_keeps_its_state(server: Server) -> None:
    with closing(Store(server)) as store, Writer(server) as one, Writer(server) as other:
        before = store.version()
        with store.one_state():
            count = store.count()
            with one.transaction() as connection:
                run(connection, "DELETE FROM state")
            assert store.count() == count
        assert store.count() == 0
        assert store.version() != before
        run(other.connection, "SET lock_timeout = '100ms'")
        other.connection.commit()
        with (
            one.transaction(),
            pytest.raises(DatabaseError, match="another process is writing to postgresql:///"),
            other.transaction(),
        ):
            pass


def test_only_one_ingest_writes_at_a_time_and_corrections_continue(empty: Server, tmp_path: Path) -> None:
    output = "another ingest is writing to postgresql:///.*: wait until it has finished"
    with Writer(empty, ingests=True) as writer:
        with writer.transaction(), pytest.raises(DatabaseError, match=output):
            fill_database(empty, tmp_path)
        with Writer(empty) as other, other.transaction():
            pass
    fill_database(empty, tmp_path)


def test_the_next_ingest_completes_a_killed_one(empty: Server, tmp_path: Path) -> None:
    fill_database(empty, tmp_path)
    wanted = {}
    with closing(Store(empty)) as store:
        wanted = {slug: store.platform(slug) for slug, _ in store.names()}
    command = [
        sys.executable,
        "-m",
        "riskanalytics.cli",
        "ingest",
        str(tmp_path / "dataset"),
        "--database",
        empty.address,
    ]
    for after in (1.0, 1.6):
        with closing(opened(empty)) as connection:
            connection.execute("DROP SCHEMA riskanalytics CASCADE")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(after)
            process.kill()
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
        with closing(Store(empty)) as store:
            assert {slug for slug, _ in store.names()} == set(wanted)
            assert store.platform("aurelia-chat") == wanted["aurelia-chat"]


def test_a_stopped_server_gives_503_and_works_again_after_its_restart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with cluster() as own:
        server = own.made()
        fill_database(server, tmp_path)
        caller, access = Caller(server), Access.of(server)
        assert caller.call("/api/v1/platforms", tier="pro").status == 200
        own.stop()
        with pytest.raises(DatabaseError):
            access.issue("ann@company.example", "pro")
        assert access.trouble
        with caplog.at_level(logging.CRITICAL):
            output = caller.call("/api/v1/platforms", tier="pro")
        assert (output.status, output.headers["retry-after"]) == (503, "30")
        own.start()
        assert caller.call("/api/v1/platforms", tier="pro").status == 200
        access.issue("ann@company.example", "pro")
        assert not access.trouble
        caller.close()
        access.close()


def test_idle_connections_closed_by_the_server_are_not_reused(server: Server) -> None:
    with closing(Store(server)) as store, closing(Access.of(server)) as access, closing(opened(server)) as other:
        together = threading.Barrier(3)

        def read_and_wait() -> None:
            with store.one_state():
                together.wait(30)

        with ThreadPoolExecutor(3) as threads:
            for done in [threads.submit(read_and_wait) for _ in range(3)]:
                done.result()
        other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
            (server.name,),
        )
        for _ in range(3):
            assert store.count() == 3
        access.issue("ann@company.example", "pro")
