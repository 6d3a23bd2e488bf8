"""Files for machines are whole or not there, and what is wrong with a place is one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riskanalytics.cli import write_record
from riskanalytics.errors import ReportError


def test_a_record_replaces_the_one_before_and_keeps_letters_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    for record in ({"quote": "caf\u00e9"}, [1, None]):
        write_record(file, record)
        assert json.loads(file.read_text(encoding="utf-8")) == record
    write_record(file, "caf\u00e9")
    assert "caf\u00e9" in file.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [file]


def test_a_place_that_cannot_be_written_is_named_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"nowhere/record\.json cannot be written: No such folder$"):
        write_record(tmp_path / "nowhere" / "record.json", {})
    assert list(tmp_path.iterdir()) == []
