"""Copies are of files: what a server has is copied by its own programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import refused, run


@pytest.mark.parametrize("command", ["backup", pytest.param("restore", marks=pytest.mark.slow)])
def test_the_database_of_a_server_is_refused_in_one_line(command: str, tmp_path: Path) -> None:
    done = run(command, "copy.sqlite", "--database", "postgresql://ann:secret@db.example/ratings", cwd=tmp_path)
    said = "backup and restore copy files only: use pg_dump and pg_restore for postgresql://db.example/ratings"
    assert said in refused(done, 2)


@pytest.mark.parametrize(
    "words",
    [
        ("verify",),
        ("ingest",),
        ("score",),
        ("batch",),
        ("monthly", "--out"),
        ("diff", "--json"),
        ("evidence", "a", "--out"),
    ],
)
def test_the_address_of_a_database_in_the_place_of_a_path_is_refused_and_not_repeated(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    address = "postgresql://ann:secret@db.example/ratings"
    alone = words[-1].startswith("--")
    given = [(*words, address)]
    given += [(*words[:-1], f"{words[-1]}={address}")] if alone else [(*words, f" {address}")]
    for each in given:
        done = run(*each, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is accepted by --database only" in done.stderr
        assert "secret" not in done.stderr
    assert not list(tmp_path.iterdir())
