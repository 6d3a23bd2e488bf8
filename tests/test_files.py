"""Files that are whole or not there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from riskanalytics.files import clear_unfinished, write_file


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_file(tmp_path / "a.txt", "first")
    with pytest.raises(OSError):
        write_file(tmp_path / "none" / "a.txt", "second")
    assert (tmp_path / "a.txt").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_files_that_a_killed_writer_left_minutes_ago_are_removed_and_nothing_else(tmp_path: Path) -> None:
    others = [".eslintrc.json", ".settings.json", ".htmldocs.html", ".riskanalytics-notes.html", ".riskanalytics.json"]
    for name in [*others, ".riskanalytics-a1_b2c3d.html"]:
        (tmp_path / name).write_text("text")
        os.utime(tmp_path / name, (time.time() - 600,) * 2)
    others.append(".riskanalytics-e4_f5g6h.html")
    (tmp_path / others[-1]).write_text("being written")
    clear_unfinished(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


def test_a_file_of_one_reader_can_be_read_by_no_other(tmp_path: Path) -> None:
    write_file(tmp_path / "a", b"first", mode=0o600, sync=False)
    write_file(tmp_path / "b", b"second")
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "ab"] == [0o600, 0o644]
