"""Files that are whole or not there."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest

from riskanalytics.errors import MissingExtraError, ParameterError
from riskanalytics.files import Cells, clear_unfinished, read_cells, write_file


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_file(tmp_path / "a.txt", "first")
    with pytest.raises(FileNotFoundError, match=r"No such folder: '.*none'$"):
        write_file(tmp_path / "none" / "a.txt", "second")
    assert (tmp_path / "a.txt").read_text() == "first"
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError, match=r"/folder'$"):
        write_file(tmp_path / "folder", "third")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "folder"]


def test_files_that_a_killed_writer_left_minutes_ago_are_removed_and_nothing_else(tmp_path: Path) -> None:
    others = [".eslintrc.json", ".settings.json", ".htmldocs.html", ".riskanalytics-notes.html", ".riskanalytics.json"]
    for name in [*others, *(f".riskanalytics-a1_b2c3d.{kind}" for kind in ("html", "ics", "json", "pdf", "xml"))]:
        (tmp_path / name).write_text("text")
        os.utime(tmp_path / name, (time.time() - 600,) * 2)
    for name, age in (
        (".riskanalytics-e4_f5g6h.html", 0),
        (".riskanalytics-b7c8d9e0.pdf", 240),
        (".riskanalytics-a1_b2c3d.sqlite", 600),
    ):
        others.append(name)
        (tmp_path / name).write_text("being written, or of another program")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    clear_unfinished(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


def test_a_file_of_one_reader_can_be_read_by_no_other(tmp_path: Path) -> None:
    write_file(tmp_path / "a", b"first", mode=0o600, sync=False)
    write_file(tmp_path / "b", b"second")
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "ab"] == [0o600, 0o644]


def known(rows: Cells) -> int:
    """Number of known headings among the first rows."""
    return sum(cell in ("name", "site") for row in rows for cell in row)


@pytest.mark.parametrize(
    "content",
    [
        *(f"Our list\n\nname{mark}site\nCafé’s{mark}a,b;c\n".replace("a,b;c", '"x y"').encode() for mark in "\t;,|"),
        "sep=;\r\nOur list\r\nname;site\r\nCafé’s;x y\r\n".encode("utf-8-sig"),
        "Our list\nname;site;\n ; ;\nCafé’s;x y;;\n".encode("cp1252"),
        "Our list\nname\tsite\nCafé’s\tx y\n".encode("utf-16"),
        "\ufeffOur list\nname\tsite\nCafé’s\tx y\n".encode("utf-16-be"),
    ],
)
def test_a_table_is_read_whatever_its_separator_and_encoding(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    assert read_cells(tmp_path / "a.csv", known) == [["Our list"], ["name", "site"], ["Café’s", "x y"]]


def test_the_headings_may_follow_nine_rows_of_titles_and_the_separator_is_that_of_the_headings(tmp_path: Path) -> None:
    titles = [f"Title {number}; one, two, three" for number in range(9)]
    (tmp_path / "a.csv").write_text("\n\n".join([*titles, "name|site", "Café|x, y"]), encoding="utf-8")
    assert read_cells(tmp_path / "a.csv", known)[9:] == [["name", "site"], ["Café", "x, y"]]


def test_the_first_sheet_with_rows_is_read_days_lose_their_midnight_and_a_formula_without_a_value_is_text(
    tmp_path: Path,
) -> None:
    book = openpyxl.Workbook()
    for rows in ([], [["a", "=1+1", datetime(2026, 7, 1)], [None, 0, " "]], [["other"]]):
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    assert read_cells(tmp_path / "a.xlsx", known) == [["a", "=1+1", "2026-07-01"], ["", "0"]]


def test_a_formula_whose_kept_value_is_empty_is_empty(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for cell in ("name", '=IF(B2="","",B2)', "Café"):
        book.worksheets[0].append([cell])
    book.save(tmp_path / "a.xlsx")
    with ZipFile(tmp_path / "a.xlsx") as saved, ZipFile(tmp_path / "b.xlsx", "w") as kept:
        for part in saved.namelist():
            kept.writestr(part, saved.read(part).replace(b'<c r="A2">', b'<c r="A2" t="str">'))
    assert read_cells(tmp_path / "b.xlsx", known) == [["name"], ["Café"]]


def test_without_openpyxl_a_workbook_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openpyxl.Workbook().save(tmp_path / "a.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r'pip install "riskanalytics\[excel\]"$'):
        read_cells(tmp_path / "a.xlsx", known)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no table "),
        (b"\xd0\xcf\x11\xe0", "an old or locked Excel file"),
        (b"a\x00b", "neither text nor a workbook"),
        (b"PK\x03\x04", "not a readable workbook"),
        (b'name\n"' + b"x" * 200_000, "not a valid CSV file"),
    ],
)
def test_a_file_that_is_not_a_table_is_named(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(ParameterError, match=rf"the table .*a\.csv.*{said}" if content else f"{said}.*a.csv"):
        read_cells(tmp_path / "a.csv", known, "table")
