"""Labels are read line by line, and a line that is not of their form is named."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.accuracy import read_labels
from riskanalytics.errors import LabelsError
from tests.accuracy.given import CHANGES, NEGATIVES, QUOTES, STANCES, SURFACES, write_labels


def without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}


def test_all_files_are_read_and_the_newest_day_is_known(tmp_path: Path) -> None:
    labels = read_labels(write_labels(tmp_path))
    counts = tuple(map(len, (labels.quotes, labels.negatives, labels.stances, labels.surfaces, labels.changes)))
    assert counts == (len(QUOTES), len(NEGATIVES), len(STANCES), len(SURFACES), len(CHANGES))
    assert labels.as_of == date(2026, 3, 5)
    assert labels.negatives[0].surface == "terms_changes"
    assert labels.quotes[0].where == "quotes.jsonl line 1"


def test_every_file_but_the_quotes_may_be_missing(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("negatives", "training_use", "platform_surface", "changes"))
    labels = read_labels(write_labels(tmp_path, **nothing))
    assert len(labels.quotes) == len(QUOTES)
    assert labels.negatives == labels.stances == labels.surfaces == labels.changes == ()


def test_a_folder_without_quotes_is_refused(tmp_path: Path) -> None:
    write_labels(tmp_path, quotes=None)
    with pytest.raises(LabelsError, match=r"holds no quotes\.jsonl"):
        read_labels(tmp_path)
    with pytest.raises(LabelsError, match="there is no folder"):
        read_labels(tmp_path / "none")


def test_the_day_of_a_commit_is_taken_in_utc(tmp_path: Path) -> None:
    row = QUOTES[0] | {"commit_date": "2026-01-01T01:00:00+05:30"}
    assert read_labels(write_labels(tmp_path, quotes=[row], negatives=None)).as_of == date(2025, 12, 31)


def test_a_separator_of_lines_inside_a_quote_ends_no_line(tmp_path: Path) -> None:
    row = QUOTES[0] | {"quote": "one\u2028two\x85three"}
    assert read_labels(write_labels(tmp_path, quotes=[row])).quotes[0].quote == row["quote"]


@pytest.mark.parametrize(
    ("file", "row", "told"),
    [
        ("quotes", "{", "is not JSON"),
        ("quotes", "[" * 100_000, "is not JSON"),
        ("quotes", "[1]", "is not a JSON object"),
        ("quotes", without(QUOTES[0], "platform"), "has no text 'platform'"),
        ("quotes", without(QUOTES[0], "quote"), "has no text 'quote'"),
        ("quotes", QUOTES[0] | {"surface": "weather"}, "'surface' that is none of"),
        ("quotes", QUOTES[0] | {"surface": ["training_use"]}, "'surface' that is not text"),
        ("quotes", QUOTES[0] | {"risk": "SEVERE"}, "'risk' that is none of"),
        ("quotes", QUOTES[0] | {"start": -1}, "no whole number 'start'"),
        ("quotes", QUOTES[0] | {"start": True}, "no whole number 'start'"),
        ("quotes", QUOTES[0] | {"end": 1.5}, "no whole number 'end'"),
        ("quotes", QUOTES[0] | {"end": 0}, "not behind its start"),
        ("quotes", QUOTES[0] | {"blob_sha256": "ABC"}, "no SHA-256"),
        ("quotes", QUOTES[0] | {"commit_date": "yesterday"}, "no ISO 8601 time"),
        ("negatives", without(NEGATIVES[0], "confusable_with"), "has no text 'confusable_with'"),
        ("training_use", STANCES[0] | {"acceptable": []}, "no list of texts 'acceptable'"),
        ("training_use", STANCES[0] | {"acceptable": [1]}, "no list of texts 'acceptable'"),
        ("platform_surface", SURFACES[0] | {"present": "yes"}, "no 'present' that is true or false"),
        ("changes", CHANGES[0] | {"direction": "sideways"}, "'direction' that is none of"),
        ("changes", without(CHANGES[0], "after_sha256"), "has no text 'after_sha256'"),
    ],
)
def test_a_line_of_another_form_is_told_with_its_file_and_number(
    tmp_path: Path, file: str, row: Any, told: str
) -> None:
    good = {"quotes": QUOTES, "negatives": NEGATIVES, "training_use": STANCES, "platform_surface": SURFACES}.get(
        file, CHANGES
    )[0]
    body = f"{json.dumps(good)}\n\n{row if isinstance(row, str) else json.dumps(row)}\n"
    write_labels(tmp_path, **{file: body})
    with pytest.raises(LabelsError, match=rf"{file}\.jsonl line 3 ") as caught:
        read_labels(tmp_path)
    assert told in str(caught.value)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    write_labels(tmp_path)
    (tmp_path / "negatives.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(LabelsError, match="not UTF-8"):
        read_labels(tmp_path)
