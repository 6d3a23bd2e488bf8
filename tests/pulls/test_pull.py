"""A pull is whole or not there, adds only what is new, and goes on where it was cut off."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

import riskanalytics as ra
from riskanalytics.dataset.storage import check_pulls
from riskanalytics.errors import MissingExtraError, PullError, ServiceError, SettingsError
from tests.http_server import counting, reply, served, serving
from tests.pulls.given import (
    KEY,
    answering,
    change,
    earlier_database,
    files,
    later_database,
    platform,
    pulled,
    speaking,
)
from tests.pulls.parquet import INSTALLED
from tests.service.given import Caller

pytestmark = pytest.mark.usefixtures("parquet")
in_other_processes = pytest.mark.skipif(not INSTALLED, reason='needs pyarrow: pip install "riskanalytics[parquet]"')


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return later_database(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return earlier_database(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module")
def caller(database: Path) -> Iterator[Caller]:
    caller = Caller(database)
    yield caller
    caller.close()


def test_a_second_pull_of_the_same_data_writes_its_manifest_only(tmp_path: Path, database: Path) -> None:
    first = pulled(tmp_path, database, snapshots=True)
    before = files(tmp_path)
    second = pulled(tmp_path, database, snapshots=True)
    after = files(tmp_path)
    assert (second.tables, second.snapshots, second.access) == (first.tables, first.snapshots, "embedded")
    assert len(first.snapshots) > 3
    with ra.connect(tmp_path) as client:
        changes = ra.load(client).changes()
    assert changes is not None and set(changes["snapshot_before"]) - set(first.snapshots) == set()
    assert after.keys() - before.keys() == {f"{second.name}/manifest.json"}
    assert {name: after[name] for name in before} == before


def test_new_data_add_only_the_tables_that_changed(tmp_path: Path, earlier: Path, database: Path) -> None:
    first, second = pulled(tmp_path, earlier), pulled(tmp_path, database)
    same = {name for name, table in second.tables.items() if table == first.tables[name]}
    assert "findings" not in same
    assert all(second.tables[name].file.startswith(second.name) for name in second.tables.keys() - same)


def test_a_folder_keeps_the_pulls_of_one_source(tmp_path: Path, database: Path, caller: Caller) -> None:
    pulled(tmp_path, database)
    before = files(tmp_path)
    with (
        served(caller.app) as url,
        ra.connect(url) as client,
        pytest.raises(SettingsError, match=r"contains pulls of given\.sqlite: choose another folder"),
    ):
        ra.pull(tmp_path, client)
    assert files(tmp_path) == before


@pytest.mark.parametrize(("tier", "access"), [("", "open"), ("starter", "starter"), ("pro", "pro")])
def test_a_pull_over_the_network_keeps_what_its_key_shows(
    tmp_path: Path, caller: Caller, monkeypatch: pytest.MonkeyPatch, tier: str, access: str
) -> None:
    if tier:
        monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys[tier])
    with served(caller.app) as url, ra.connect(url) as client:
        warned = list[tuple[str, bool]]()
        manifest = ra.pull(
            tmp_path, client, snapshots=True, warn=lambda line: warned.append((line, not files(tmp_path)))
        )
        ra.pull(tmp_path / "of a day", client, as_of="2026-03-05", warn=lambda line: warned.append((line, False)))
        output = ra.load(client)
        findings, platforms = output.findings, output.platforms
    monkeypatch.delenv("RISKANALYTICS_API_KEY", raising=False)
    assert (manifest.access, "changes" in manifest.tables) == (access, tier == "pro")
    assert manifest.not_shown == {"": {"changes": 401}, "starter": {"changes": 403}, "pro": {}}[tier]
    assert [before for _, before in warned] == [True] * (tier != "pro")
    assert all(
        "'riskanalytics monthly' will not work with this pull: set a key of the Pro tier" in line for line, _ in warned
    )
    with ra.connect(tmp_path) as client:
        data = ra.load(client)
        assert data.findings.equals(findings)
        assert data.platforms["rating"].equals(platforms["rating"])
        assert (data.changes() is None) == (tier != "pro")
    for name, body in files(tmp_path).items():
        assert all(key.encode() not in body for key in caller.keys.values()), name


def test_a_key_repeated_by_a_service_is_stored_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    with serving(answering) as server, ra.connect(server.url) as client:
        manifest = ra.pull(tmp_path, client)
    assert manifest.access == "starter"
    assert manifest.not_shown == {"changes": 403}
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_the_key_that_is_kept_out_is_that_of_the_client(tmp_path: Path) -> None:
    escaped = KEY.replace("-", "\\u002d")
    output = platform(
        "alpha", "LOW", "2026-10-01T00:00:00Z", echo=f"you sent {KEY}", link=f"/a?key={escaped}", **{KEY: [KEY.upper()]}
    )
    ra.pull(tmp_path, speaking("2026-10-31", [output], [change("alpha", "2026-10-01T00:00:00Z", "MED", KEY)]))
    with ra.connect(tmp_path) as pulls:
        kept = json.dumps([pulls.machine_platform("alpha"), list(pulls.changes())])
    assert "you sent ***" in kept
    assert KEY.casefold() not in kept.casefold()
    assert escaped not in kept


def test_one_unreadable_platform_is_reported_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    with (
        serving(lambda request: answering(request, reply("200 OK", b"[1]"))) as server,
        ra.connect(server.url) as client,
    ):
        manifest = ra.pull(tmp_path, client)
    assert [line for line in manifest.problems if line.startswith("z could not be read: ")]
    with ra.connect(tmp_path) as client:
        assert client.machine_platform("a.b")["rating"] == "MED"
        with pytest.raises(ServiceError, match="not in the pull: ") as refused:
            client.machine_platform("z")
        assert refused.value.status == 424
        assert any("z could not be read" in problem.what for problem in client.problems)


def test_no_pull_is_made_if_no_platform_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)

    def none(request: bytes) -> bytes:
        return reply("200 OK", b"[1]") if b"/machine/" in request else answering(request)

    with (
        serving(none) as server,
        ra.connect(server.url) as client,
        pytest.raises(PullError, match="no platform could be read; the first error: "),
    ):
        ra.pull(tmp_path, client)
    assert files(tmp_path) == {}


def test_a_pull_keeps_the_data_read_before_the_service_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    with (
        serving(lambda request: answering(request, reply("401 Unauthorized"))) as server,
        ra.connect(server.url) as client,
    ):
        manifest = ra.pull(tmp_path, client)
    assert manifest.problems == ("z could not be read: the key was not accepted",)
    with ra.connect(tmp_path) as client:
        assert [record["slug"] for record in ra.load(client).records] == ["a.b"]


def test_a_rating_that_moves_while_the_data_are_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)

    def moving(request: bytes) -> bytes:
        output = answering(request)
        return output.replace(b'"MED"', b'"LOW"') if b"/machine/platform/z" in request else output

    with serving(moving) as server, ra.connect(server.url) as client:
        manifest = ra.pull(tmp_path, client)
    assert manifest.problems == ("the rating of z moved while the data were read",)


def test_a_pull_replaces_damaged_files_for_all_pulls_that_name_them(tmp_path: Path, database: Path) -> None:
    first = pulled(tmp_path, database, snapshots=True)
    before = files(tmp_path)
    for name in (first.tables["answers"].file, f"snapshots/{first.snapshots[0]}.md"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / first.tables["leads"].file).unlink()
    assert len(check_pulls(tmp_path).damaged) == 3
    pulled(tmp_path, database, snapshots=True)
    assert check_pulls(tmp_path).damaged == ()
    assert before.items() <= files(tmp_path).items()


def test_a_second_pull_at_the_same_time_is_refused(tmp_path: Path, database: Path) -> None:
    pulled(tmp_path, database)
    before = files(tmp_path)
    with (
        FileLock(tmp_path / ".lock"),
        pytest.raises(PullError, match=r"another pull is writing to .*: wait until it ends"),
    ):
        pulled(tmp_path, database)
    assert files(tmp_path) == before


def test_only_remains_of_an_interrupted_run_are_removed(tmp_path: Path, database: Path) -> None:
    left = tmp_path / "20260101T000000Z-0000"
    left.mkdir(parents=True)
    (left / "findings.parquet").write_bytes(b"half")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep me")
    pulled(tmp_path, database)
    assert not left.exists()
    assert (tmp_path / "notes" / "mine.txt").read_text() == "keep me"


def test_tables_listed_by_later_pulls_are_kept_if_their_own_pull_lost_its_manifest(
    tmp_path: Path, database: Path, earlier: Path
) -> None:
    first = pulled(tmp_path, earlier)
    second = pulled(tmp_path, database)
    assert any(table.file.startswith(first.name) for table in second.tables.values())
    (tmp_path / first.name / "manifest.json").unlink()
    pulled(tmp_path, database)
    assert check_pulls(tmp_path).damaged == ()


def test_a_file_listed_by_several_manifests_is_checked_against_each(tmp_path: Path, database: Path) -> None:
    first = pulled(tmp_path, database)
    pulled(tmp_path, database)
    place = tmp_path / first.name / "manifest.json"
    place.write_text(place.read_text().replace(first.tables["leads"].sha256, "0" * 64))
    assert len(check_pulls(tmp_path).damaged) == 1


@in_other_processes
def test_a_full_disk_is_reported_in_one_line_and_old_pulls_are_kept(
    tmp_path: Path, database: Path, earlier: Path
) -> None:
    pulled(tmp_path, earlier, snapshots=True)
    before = files(tmp_path)
    result = subprocess.run(
        [sys.executable, "-m", "riskanalytics.cli", "pull", "--archive", tmp_path, "--database", database],
        capture_output=True, text=True, check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000,) * 2),
    )  # fmt: skip
    assert result.returncode == 1
    assert re.search(r"riskanalytics: .* cannot be written: File too large; earlier pulls are unchanged", result.stderr)
    assert "Traceback" not in result.stderr
    assert {name: body for name, body in files(tmp_path).items() if name in before} == before
    assert not check_pulls(tmp_path).damaged
    pulled(tmp_path, database)
    assert check_pulls(tmp_path).pulls == 2


def test_every_damaged_or_missing_file_is_named_by_a_check(tmp_path: Path, database: Path) -> None:
    manifest = pulled(tmp_path, database, snapshots=True)
    assert check_pulls(tmp_path).damaged == ()
    (tmp_path / manifest.tables["findings"].file).write_bytes(b"other")
    (tmp_path / manifest.tables["leads"].file).unlink()
    text = tmp_path / "snapshots" / f"{manifest.snapshots[0]}.md"
    text.write_bytes(text.read_bytes() + b" ")
    found = check_pulls(tmp_path)
    assert found.files == len(manifest.files) + 1  # and the manifest
    for name, why in (
        ("findings.parquet", "its hash"),
        ("leads.parquet", "the file is missing"),
        (text.name, "its hash"),
    ):
        assert any(name in line and why in line for line in found.damaged), name


def test_a_text_that_does_not_match_its_hash_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [{"document": "Terms", "snapshot_sha256": "0" * 64}]

    def lying(request: bytes) -> bytes:
        if b"/archive/" in request:
            return reply("200 OK", b"other words", "Content-Type: text/plain")
        if b"/api/machine/platform/" in request:
            slug = request.split()[1].decode().rpartition("/")[2]
            return reply("200 OK", json.dumps({"slug": slug, "name": "A", "documents": documents}).encode())
        return answering(request)

    monkeypatch.setenv("RISKANALYTICS_API_KEY", KEY)
    with serving(lying) as server, ra.connect(server.url) as client:
        manifest = ra.pull(tmp_path, client, snapshots=True)
    assert manifest.snapshots == ()
    assert f"the policy text {'0' * 64} does not match its hash" in manifest.problems


def test_without_pyarrow_one_line_says_what_to_install(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pip install "riskanalytics\[parquet\]"'):
        pulled(tmp_path, database)
    assert files(tmp_path) == {}


@pytest.mark.slow
@in_other_processes
def test_killed_at_any_moment_it_leaves_no_damage_and_the_next_run_completes_it(
    tmp_path: Path, database: Path, earlier: Path
) -> None:
    """30 pulls (or RISKANALYTICS_TEST_KILLS), each forked from a process with all imports, so that it is killed at work."""
    script, kills = Path(__file__).with_name("killed.py"), os.environ.get("RISKANALYTICS_TEST_KILLS", "30")
    result = subprocess.run(
        [sys.executable, script, tmp_path, earlier, database, kills], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    killed, whole, damaged = map(int, result.stdout.split())
    assert (killed + whole, damaged) == (int(kills), 0)
    assert killed > int(kills) / 4


@pytest.mark.parametrize("tier", ["", "pro"])
def test_a_second_pull_of_unchanged_data_transfers_no_body(
    tmp_path: Path, caller: Caller, monkeypatch: pytest.MonkeyPatch, tier: str
) -> None:
    monkeypatch.setenv("RISKANALYTICS_CACHE", str(tmp_path / "cache"))
    if tier:
        monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys[tier])
    statuses: list[int] = []
    with served(counting(caller.app, statuses)) as url:
        for _ in range(2):
            statuses.clear()
            with ra.connect(url) as client:
                ra.pull(tmp_path / "pulls", client, snapshots=True)
    assert len(statuses) >= 5
    assert set(statuses) == {304}
