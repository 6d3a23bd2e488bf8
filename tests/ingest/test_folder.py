"""Dataset folders: files named by their dates."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from riskanalytics.errors import IngestError
from riskanalytics.ingest.collection import FolderCollection
from tests.ingest.test_ingest import ingested
from tests.service.given import PRIVACY, PRIVACY_LATER


def test_captures_come_by_date_without_those_that_are_known_and_without_files_beyond_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("x")
    folder = tmp_path / "set" / "Aurelia Chat" / "Terms"
    folder.mkdir(parents=True)
    for name in ("2026-02-01", "2026-01-01_1030", "2026-02-30", "draft"):
        (folder / f"{name}.md").write_text(name)
    (folder / "2026-03-01.md").symlink_to(outside)
    collection = FolderCollection(tmp_path / "set")
    total, *captures = collection.captures(lambda *_: False)
    assert total == 2
    assert [(row.captured_at, row.body) for row in captures if not isinstance(row, int)] == [
        (datetime(2026, 1, 1, 10, 30, tzinfo=UTC), b"2026-01-01_1030"), (datetime(2026, 2, 1, tzinfo=UTC), b"2026-02-01"),
    ]  # fmt: skip
    again = collection.captures(lambda revision, path, _: (revision, path) == ("2026-02-01", "Aurelia Chat/Terms"))
    assert len(list(again)) == 2


def test_a_folder_without_dated_files_is_no_collection(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="is no collection"):
        FolderCollection(tmp_path)


def test_a_dataset_folder_is_read_by_its_dates(tmp_path: Path) -> None:
    for name, text in (
        ("2026-01-05", PRIVACY),
        ("2026-02-05T10-30-00Z", PRIVACY_LATER),
        ("notes", "not a date"),
    ):
        path = tmp_path / "set" / "Aurelia Chat" / "Privacy Policy" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    captures = ingested(tmp_path / "set", tmp_path / "a.sqlite", None)["captures"]
    assert [row[2] for row in captures] == ["2026-01-05T00:00:00Z", "2026-02-05T10:30:00Z"]


def test_a_file_between_those_that_were_read_has_its_place_by_its_date(tmp_path: Path) -> None:
    place = tmp_path / "set" / "Aurelia Chat" / "Privacy Policy"
    place.mkdir(parents=True)
    (place / "2026-01-05.md").write_text(PRIVACY)
    (place / "2026-03-05.md").write_text(PRIVACY_LATER)
    ingested(tmp_path / "set", tmp_path / "a.sqlite", None)
    (place / "2026-02-05.md").write_text(PRIVACY + "\nAnother edition.")
    whole = ingested(tmp_path / "set", tmp_path / "b.sqlite", None)
    assert ingested(tmp_path / "set", tmp_path / "a.sqlite", None) == whole
    (place / "2026-01-05.md").unlink()
    (place / "2026-03-05.md").unlink()
    (place / "2026-02-15.md").write_text(PRIVACY_LATER + "\nBetween.")
    part = ingested(tmp_path / "set", tmp_path / "a.sqlite", None)
    assert part["live"] == whole["live"]
    assert len(part["captures"]) == 4
