"""Frames are saved complete, safe to open in a spreadsheet, and read back unchanged."""

from __future__ import annotations

import json
import math
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.errors import MissingExtraError, ParameterError, ReportError
from riskanalytics.frames import findings_frame, platforms_frame

HOSTILE = ["=1+1", "+SUM(A1)", "-2+3", "@cmd", "\t=1", "＝1", "plain = text"]


def hostile() -> pd.DataFrame:
    """A frame of every kind of column, with texts that begin like formulas."""
    frame = findings_frame(
        [{"slug": text, "quote": text, "risk": "HIGH", "conflicts_with": ["=a", "b"]} for text in HOSTILE]
    )
    frame["captured_at"] = pd.Series([datetime(2026, 8, 1, 12, 30, tzinfo=UTC)] * len(HOSTILE)).astype(
        "datetime64[us, UTC]"
    )
    frame.loc[1, "captured_at"] = pd.NaT
    frame["confidence"] = pd.array([-0.5, None, 1, 1, 1, 1, 1], dtype="Float64")
    return frame


def test_texts_that_begin_like_formulas_stay_text_in_csv_and_numbers_stay_numbers(tmp_path: Path) -> None:
    read = pd.read_csv(ra.save(hostile(), tmp_path / "findings.csv"))
    assert read["quote"].tolist() == [*(f"'{text}" for text in HOSTILE[:-1]), "plain = text"]
    assert read["confidence"].iloc[0] == -0.5
    assert read["captured_at"].iloc[0] == "2026-08-01 12:30:00+00:00"
    assert read["conflicts_with"].map(json.loads).tolist() == [["=a", "b"]] * len(HOSTILE)


def test_headings_that_begin_like_formulas_stay_text_too(tmp_path: Path) -> None:
    frame = pd.DataFrame({"=HYPERLINK(1)": ["a"]})
    assert (tmp_path / "f.csv").write_bytes(ra.save(frame, str(tmp_path / "g.csv")).read_bytes())
    assert (tmp_path / "f.csv").read_text("utf-8-sig").splitlines() == ["'=HYPERLINK(1)", "a"]
    assert (tmp_path / "g.csv").read_bytes() == b"\xef\xbb\xbf'=HYPERLINK(1)\r\na\r\n"
    sheet = openpyxl.load_workbook(ra.save(frame, tmp_path / "f.xlsx")).active
    assert sheet.freeze_panes == "A2"
    assert (sheet["A1"].value, sheet["A1"].data_type) == ("=HYPERLINK(1)", "s")


def test_every_sign_that_begins_a_formula_makes_a_text(tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": [f"{sign}1" for sign in "=+-@\t\r\uff1d\uff0b\uff0d\uff20"]})
    assert ra.save(frame, tmp_path / "f.csv").read_text("utf-8-sig").count("'") == 10


def test_a_column_of_counts_with_missing_values_keeps_whole_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"n": pd.array([5, None, 2**60 + 1], dtype="Int64"), "b": pd.array([True, None, False], "boolean")}
    )
    lines = ra.save(frame, tmp_path / "n.csv").read_text("utf-8-sig").splitlines()
    assert lines == ["n,b", "5,True", ",", "1152921504606846977,False"]


def test_levels_that_begin_like_formulas_stay_text(tmp_path: Path) -> None:
    frame = pd.DataFrame({"level": pd.Categorical(["=1", "LOW", None])})
    assert ra.save(frame, tmp_path / "l.csv").read_text("utf-8-sig").splitlines()[:3] == ["level", "'=1", "LOW"]


def test_a_workbook_keeps_texts_and_holds_times_in_utc(tmp_path: Path) -> None:
    frame = hostile()
    path = ra.save(frame, tmp_path / "findings.XLSX")
    cells = openpyxl.load_workbook(path).active
    assert {cell.data_type for row in cells.iter_rows() for cell in row} <= {"s", "n", "d"}
    assert cells.cell(2, 1).quotePrefix
    read = pd.read_excel(path)
    assert read["quote"].tolist() == HOSTILE
    assert read["captured_at (UTC)"].iloc[0] == pd.Timestamp("2026-08-01 12:30")
    assert pd.isna(read["captured_at (UTC)"].iloc[1])
    assert read["level"].unique().tolist() == ["HIGH"]
    assert list(read.columns) == [name if name != "captured_at" else "captured_at (UTC)" for name in frame.columns]


def test_a_time_of_another_zone_is_saved_as_that_moment_in_utc(tmp_path: Path) -> None:
    frame = pd.DataFrame({"at": pd.to_datetime(["2026-08-01 12:30"]).tz_localize("Asia/Tokyo")})
    assert pd.read_excel(ra.save(frame, tmp_path / "t.xlsx"))["at (UTC)"].tolist() == [pd.Timestamp("2026-08-01 03:30")]


def test_characters_that_a_workbook_cannot_hold_are_written_as_escapes(tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": ["a\x00b\ufffe", "x" * 40_000, "y" * 32_767]})
    first, second, third = pd.read_excel(ra.save(frame, tmp_path / "t.xlsx"))["text"]
    assert (first, third) == ("a\ufffdb\ufffd", "y" * 32_767)
    assert len(second) == 32_767
    assert second.endswith("(cut: a cell of Excel holds 32,767 characters)")


def test_a_cell_of_a_workbook_has_the_kind_of_its_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    values = [
        date(2026, 8, 1),
        datetime(2026, 8, 1, 12),
        -math.inf,
        math.nan,
        True,
        7,
        0.5,
        None,
        ["a", "b"],
        pd.NaT,
        "-1",
    ]
    file = ra.save(pd.DataFrame({"v": pd.Series(values, dtype=object)}), "~/v.xlsx")
    assert file == tmp_path / "v.xlsx"
    (_, *cells) = openpyxl.load_workbook(file).active["A"]
    assert [(cell.value, cell.data_type) for cell in cells] == [
        (datetime(2026, 8, 1), "d"), (datetime(2026, 8, 1, 12), "d"), ("-inf", "s"), (None, "n"), (True, "b"), (7, "n"),
        (0.5, "n"), (None, "n"), ('["a", "b"]', "s"), (None, "n"), ("-1", "s"),
    ]  # fmt: skip
    assert [cell.quotePrefix for cell in cells if cell.data_type == "s"] == [True, False, True]


def test_a_named_index_is_saved_as_columns(tmp_path: Path) -> None:
    counts = pd.DataFrame({"risk": ["LOW", "HIGH"], "n": [1, 2]}).set_index("risk")
    assert pd.read_csv(ra.save(counts, tmp_path / "c.csv")).columns.tolist() == ["risk", "n"]
    filtered = platforms_frame([{"id": "a"}, {"id": "b"}]).query("slug == 'b'")
    assert "index" not in pd.read_csv(ra.save(filtered, tmp_path / "p.csv")).columns


def test_an_empty_frame_keeps_its_headings(tmp_path: Path) -> None:
    empty = platforms_frame([])
    assert pd.read_csv(ra.save(empty, tmp_path / "p.csv")).columns.tolist() == list(empty.columns)
    assert len(pd.read_excel(ra.save(empty, tmp_path / "p.xlsx"))) == 0


@pytest.mark.parametrize("name", ["frame.txt", "frame", "frame.xls"])
def test_an_unknown_file_extension_lists_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match=r"\.csv, \.xlsx, \.parquet"):
        ra.save(platforms_frame([]), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_value_that_is_not_a_frame_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="only a DataFrame"):
        ra.save(["a"], tmp_path / "a.csv")  # type: ignore[arg-type]


def test_a_file_that_cannot_be_written_is_a_one_line_error_and_the_old_file_stays(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot be written: No such folder"):
        ra.save(platforms_frame([]), tmp_path / "nowhere" / "p.csv")
    kept = tmp_path / "p.xlsx"
    kept.write_bytes(b"kept")
    many = pd.DataFrame({"n": range(1_048_576)})
    with pytest.raises(ParameterError, match="holds 1,048,575 rows"):
        ra.save(many, kept)
    assert kept.read_bytes() == b"kept"


def test_a_missing_library_is_reported_with_the_command_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name, module in (("p.xlsx", "openpyxl"), ("p.parquet", "pyarrow")):
        with pytest.raises(MissingExtraError, match=f"need {module}: pip install"):
            ra.save(platforms_frame([]), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_an_index_with_the_name_of_a_column_is_kept_under_another_name(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"slug": ["opal"], "share": [float("inf")]}).set_index("slug", drop=False)
    file = ra.save(frame, tmp_path / f"frame.{ending}")
    read = pd.read_csv(file, header=None) if ending == "csv" else pd.read_excel(file, header=None)
    assert read.astype(str).values.tolist() == [["slug", "slug", "share"], ["opal", "opal", "inf"]]
