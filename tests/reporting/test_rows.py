"""The table of a batch: headings are parameters, each row is a report."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import nbformat
import openpyxl
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from riskanalytics.errors import ParameterError
from riskanalytics.reporting import batch
from riskanalytics.reporting.parameters import parameters_of, rows_of_table
from riskanalytics.reporting.runner import checked_values, found_notebook
from tests.reporting.notebooks_given import WORDS, table, written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no rows"),
        ("name\n", "has no rows"),
        ("nam\nLumen\n", "no parameter 'nam'; did you mean 'name'"),
        ("name,name\nLumen,Lumen\n", "names 'name' twice"),
        (",name\nx,Lumen\n", "a column without a heading"),
        ("name,limit\nLumen,1,2\n", "more cells than there are headings"),
        (b"name\n\xff\xfe\x00\x01", "neither text nor a workbook"),
    ],
)
def test_a_bad_table_is_refused_in_one_line_before_anything_runs(tmp_path: Path, text: str | bytes, said: str) -> None:
    path = written(tmp_path / "small.ipynb", WORDS)
    with pytest.raises(ParameterError, match=said) as refused:
        batch(path, table(tmp_path, text), tmp_path / "out")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text", ["\ufeffname;limit\nLumen;4\n", "limit\tname\r\n4\tLumen\r\n\r\n", "sep=;\nname;limit\nLumen;4\n"]
)
def test_tables_saved_by_spreadsheets_are_read(tmp_path: Path, text: str) -> None:
    declared = parameters_of(written(tmp_path / "small.ipynb", WORDS))
    assert [row.given for row in rows_of_table(table(tmp_path, text), declared)] == [{"name": "Lumen", "limit": "4"}]


def test_long_cells_and_many_columns_are_read_unchanged(tmp_path: Path) -> None:
    cell = new_code_cell("\n".join(f"p{number} = ''" for number in range(120)), metadata={"tags": ["parameters"]})
    path, long = tmp_path / "wide.ipynb", "two  blanks\nand a line " + "x" * 500
    nbformat.write(new_notebook(cells=[cell]), path)
    rows = [[f"p{number}" for number in range(120)], [*[""] * 118, "last but one", f'"{long}"']]
    given = rows_of_table(table(tmp_path, "".join(",".join(row) + "\n" for row in rows)), parameters_of(path))
    assert [row.given for row in given] == [{"p118": "last but one", "p119": long}]


def test_a_workbook_with_blank_columns_and_a_csv_with_a_last_separator_are_tables(tmp_path: Path) -> None:
    declared = parameters_of(written(tmp_path / "small.ipynb", WORDS))
    book = openpyxl.Workbook()
    for row in (["name", None, "limit", None], ["Lumen  A", None, 4, " "], [], [None, None, 0, None]):
        book.active.append(row)
    book.active["H9"] = " "
    book.save(tmp_path / "rows.xlsx")
    rows = rows_of_table(tmp_path / "rows.xlsx", declared)
    assert [row.given for row in rows] == [{"name": "Lumen  A", "limit": "4"}, {"limit": "0"}]
    assert [row.number for row in rows] == [1, 2]
    rows = rows_of_table(table(tmp_path, "name,limit,\nLumen,4,\nAurelia,5\n"), declared)
    assert [row.given for row in rows] == [{"name": "Lumen", "limit": "4"}, {"name": "Aurelia", "limit": "5"}]


def test_a_database_address_in_a_cell_is_refused_without_its_password(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", WORDS)
    rows = table(tmp_path, "name\nLumen\n postgresql://ann:MARKER@db.example/archive\n")
    done = batch(path, rows, tmp_path / "out", jobs=1)
    ((row, why),) = done.failed.items()
    assert "row 2" in str(row)
    assert "contains the address of a database" in why
    assert "MARKER" not in f"{row} {why}"
    assert not [file for file in (tmp_path / "out").iterdir() if b"MARKER" in file.read_bytes()]


def test_a_table_with_the_key_is_refused_without_repeating_it(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", WORDS)
    declared = parameters_of(path)
    rows = table(tmp_path, "name,limit\nLumen,1\nMira,MARKER-of-a-key\n")
    with pytest.raises(ParameterError, match=r"row 2 of the table .* contains the service's key") as refused:
        rows_of_table(rows, declared, ["MARKER-of-a-key"])
    assert "MARKER" not in str(refused.value)


@pytest.mark.slow
def test_a_default_of_none_or_another_type_fails_no_row(tmp_path: Path) -> None:
    given = "from typing import Optional\nname: str | None = None\nlimit: float = 1\nwide: Optional[bool] = None\nmonth: str = ''"
    path = written(tmp_path / "small.ipynb", "[name, limit, wide, month]", given=given)
    rows = table(tmp_path, "name,limit,wide,month\nLumen,2.5,true,October\n")
    done = batch(path, rows, tmp_path / "out", jobs=1)
    assert not done.failed


def test_a_month_stored_as_its_first_day_is_read_as_the_month(tmp_path: Path) -> None:
    book, path = openpyxl.Workbook(), found_notebook("monthly_report")
    for line in (["month"], [datetime(2026, 7, 1)], [datetime(2026, 7, 2)]):
        book.active.append(line)
    book.save(tmp_path / "rows.xlsx")
    declared = parameters_of(path)
    first, second = rows_of_table(tmp_path / "rows.xlsx", declared)
    assert checked_values(path, declared, first.given, tmp_path, date.today)["month"] == "2026-07"
    with pytest.raises(ParameterError, match="a month is YYYY-MM from 1900-01 on, or last, not '2026-07-02'"):
        checked_values(path, declared, second.given, tmp_path, date.today)
