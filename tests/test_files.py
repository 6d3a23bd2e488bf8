"""Files that are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.files import write_file


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_file(tmp_path / "a.txt", "first")
    with pytest.raises(OSError):
        write_file(tmp_path / "none" / "a.txt", "second")
    assert (tmp_path / "a.txt").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
