"""The command that keeps dated copies."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from riskanalytics.cli import main
from tests.http_server import reply, served, serving
from tests.pulls.given import later_database
from tests.service.given import Caller

pytestmark = pytest.mark.usefixtures("parquet")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(later_database(tmp_path_factory.mktemp("service")))


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(words)
    return int(end.value.code or 0)


def test_a_pull_is_made_checked_and_read_by_other_commands(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("pull", "--database", database, "--snapshots") == 0
    result = capsys.readouterr()
    assert Path(result.out.strip()).joinpath("manifest.json").is_file()
    said = r"2026-03-05: 3 platforms, \d+ findings, \d+ changes, \d+ policy texts; (\d+) of \1 tables are new\n"
    assert re.search(said, result.err), result.err
    assert run("pull", "--database", database) == 0
    assert "; 0 of " in capsys.readouterr().err
    assert run("pull", "--check") == 0
    assert re.fullmatch(r"2 pulls, \d+ files: all files match their manifests\n", capsys.readouterr().out)
    assert run("platforms", "--database", "pulls") == 0
    assert "aurelia-chat" in capsys.readouterr().out


def test_a_key_that_shows_no_changes_is_named_before_anything_is_written(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(Caller(Path(database))) as caller, served(caller.app) as url:
        assert run("pull", "--base-url", url, "--archive", str(tmp_path / "pulls")) == 0
    assert "will not work with this pull: set a key of the Pro tier" in capsys.readouterr().err


def test_a_renamed_pull_is_reported_as_renamed(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "pulls"
    assert run("pull", "--archive", str(folder), "--database", database) == 0
    (made,) = folder.glob("2*")
    made.rename(folder / "20200101T000000Z-0000")
    assert run("pull", "--archive", str(folder), "--check") == 1
    assert f"the file is the manifest of {made.name}" in capsys.readouterr().out


def test_a_damaged_pull_is_reported_with_exit_1_and_wrong_usage_with_exit_2(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "pulls")
    assert run("pull", "--archive", folder, "--database", database, "--as-of", "2026-02-02") == 0
    next(tmp_path.glob("pulls/*/leads.parquet")).write_bytes(b"x")
    capsys.readouterr()
    assert run("pull", "--archive", folder, "--check") == 1
    result = capsys.readouterr()
    assert "leads.parquet is damaged" in result.out
    assert "are damaged or missing" in result.err
    assert run("pull", "--archive", folder, "--check", "--snapshots") == 2
    assert run("pull", "--archive", folder, "--database", database, "--as-of", "yesterday") == 2
    assert run("pull", "--archive", str(tmp_path / "none"), "--check") == 1
    assert "there is no pull in" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["serve", "mcp", "score"])
def test_commands_that_need_a_database_refuse_a_folder_of_pulls_in_one_line(
    command: str, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "pulls")
    assert run("pull", "--archive", folder, "--database", database) == 0
    words = [command, folder] if command == "score" else [command]
    assert run(*words, "--database", folder) in (1, 2)
    assert len(capsys.readouterr().err.strip().splitlines()[-1]) < 300


def test_a_redirect_to_an_invalid_address_ends_a_pull_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(reply("302 Found", b"", "Location: javascript:alert(1)")) as server:
        assert run("pull", "--archive", str(tmp_path / "pulls"), "--base-url", server.url) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "riskanalytics: /api/coverage has a damaged body, or redirects to an invalid address"
