"""Parameters of a notebook: accepted values, and values refused before anything runs."""

from __future__ import annotations

import math
from datetime import date, datetime
from pathlib import Path

import pandas as pd
import pytest
from nbformat.v4 import new_code_cell

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.reporting import notebooks_folder, run_report
from riskanalytics.reporting.parameters import NOTEBOOKS, checked, declared_in, parameters_of, refuse_secrets
from tests.reporting.notebooks_given import PARAMETERS, written

DECLARED = declared_in(PARAMETERS)


def test_the_tagged_cell_gives_names_types_and_defaults() -> None:
    assert [(one.name, one.kind, one.default) for one in DECLARED.values()] == [
        ("name", "str", "Aurelia"), ("limit", "int", 3), ("share", "float", 0.5), ("wide", "bool", False), ("slugs", "list", []),
    ]  # fmt: skip


def test_command_line_values_are_converted_to_the_declared_type() -> None:
    given = {"name": "7", "limit": "7", "share": "0.25", "wide": "true", "slugs": "aurelia-chat, lumen-voice"}
    assert checked(DECLARED, given) == {
        "name": "7", "limit": 7, "share": 0.25, "wide": True, "slugs": ["aurelia-chat", "lumen-voice"],
    }  # fmt: skip
    for name, text, value in (
        ("slugs", '["a", "b"]', ["a", "b"]), ("slugs", " a,, b ,", ["a", "b"]), ("slugs", "", []), ("wide", " TRUE ", True),
        ("wide", "False", False), ("limit", " 7 ", 7), ("limit", "-7", -7),
    ):  # fmt: skip
        assert checked(DECLARED, {name: text}) == {name: value}


def test_a_type_is_the_first_of_its_annotation_and_only_the_first_tagged_cell_counts(tmp_path: Path) -> None:
    given = "a: str | None = None\nb: float = 1\nc: Optional[bool] = None\nd: List[str] = []\ne: Path = 'x'\nf: int\ng = h = 1"
    assert [(one.name, one.kind) for one in declared_in(given).values()] == [
        ("a", "str"), ("b", "float"), ("c", "bool"), ("d", "list"), ("e", "str"), ("g", "int"),
    ]  # fmt: skip
    second = new_code_cell("b = 2", metadata={"tags": ["parameters"]})
    assert list(parameters_of(written(tmp_path / "two.ipynb", second, given="a = 1"))) == ["a"]
    assert parameters_of(written(tmp_path / "none.ipynb", given="def a(): pass")) == {}


@pytest.mark.parametrize(
    "words", ["days = 7 * 24", "days = {1, 2}", "days = b'a'", "days = today()", "days = {(1, 2): 3}"]
)
def test_a_computed_parameter_cannot_be_given(words: str) -> None:
    declared = declared_in(f"limit: int = 3\n{words}")
    assert [(one.name, one.default) for one in declared.values()] == [("limit", 3), ("days", None)]
    with pytest.raises(ParameterError, match=r"'days' is computed in the notebook, .* such as `days: int = 1`"):
        checked(declared, {"days": "7"})


def test_a_notebook_with_a_computed_parameter_runs(tmp_path: Path) -> None:
    shown = "from IPython.display import HTML\nHTML(f'<p>{days} {len(words)}</p>')"
    path = written(tmp_path / "days.ipynb", shown, given='days = 7 * 24\nwords = {"x", "y"}')
    assert "168 2" in run_report(path, {}, tmp_path).read_text()


@pytest.mark.parametrize("day", [date(2026, 6, 30), datetime(2026, 6, 30, 9), pd.Timestamp("2026-06-30")])
def test_a_date_is_written_as_the_text_that_the_notebook_takes(day: date) -> None:
    assert checked(DECLARED, {"name": day}) == {"name": "2026-06-30"}
    with pytest.raises(ParameterError, match="must be of the type int"):
        checked(DECLARED, {"limit": day})


@pytest.mark.parametrize("name", ["nme", "x;import os", "__builtins__", "class", "", "limit ", "name\n"])
def test_an_unknown_parameter_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="no parameter"):
        checked(DECLARED, {name: "1"})


def test_a_misspelt_parameter_gets_a_suggestion() -> None:
    with pytest.raises(ParameterError, match="did you mean 'limit'"):
        checked(DECLARED, {"limt": "1"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "many"), ("limit", True), ("limit", "1.5"), ("share", "nan"), ("share", math.inf), ("wide", "perhaps"),
        ("name", "\ud800"), ("name", 3), ("name", "a\0b"), ("slugs", "[1"), ("slugs", {"a": 1}), ("name", None),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_type_or_not_valid_in_json_is_refused(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"'{name}' must be"):
        checked(DECLARED, {name: value})


@pytest.mark.parametrize(
    "value", ["postgresql://a:MARKER@h/n", " Postgres://a:MARKER@h/n", ["x", "postgresql://a:MARKER@h"]]
)
def test_a_database_address_is_refused_as_a_parameter_and_not_repeated(value: object) -> None:
    declared = declared_in("name = ''\nnames = []")
    with pytest.raises(ParameterError, match="contains the address of a database") as refused:
        checked(declared, {"names" if isinstance(value, list) else "name": value})
    assert "MARKER" not in str(refused.value)


def test_a_refused_parameter_runs_nothing_and_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = tmp_path / "ran"
    path = written(tmp_path / "one.ipynb", f"open({str(ran)!r}, 'w')")
    with pytest.raises(ParameterError):
        run_report(path, {"limt": 1}, tmp_path / "out")
    with pytest.raises(ParameterError):
        run_report("monthly_report", {"month": "2026-13"}, tmp_path / "out")
    monkeypatch.setenv("RISKANALYTICS_API_KEY", "rk-MARKER")
    with pytest.raises(ParameterError, match=r"^a parameter contains the service's key") as refused:
        run_report(path, {"name": "a rk-MARKER b"}, tmp_path / "out")
    assert "MARKER" not in str(refused.value)
    for secret in ('k"1\\', "k\u00e9\n2"):  # also within a list, and as JSON writes it
        with pytest.raises(ParameterError, match=r"^a parameter contains the service's key") as refused:
            refuse_secrets({"names": ["x", f"a {secret} b"]}, ["other", secret])
        assert secret not in str(refused.value)
    refuse_secrets({"names": ["x"]}, ["other"])
    with pytest.raises(ParameterError, match="no portfolio"):
        run_report("monthly_report", {"portfolio": str(tmp_path / "none.csv")}, tmp_path / "out")
    assert not ran.exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"cells": 3}', "\x80", '{"cells": [1]}', "[" * 99_999])
def test_a_file_that_is_not_a_notebook_is_a_one_line_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "one.ipynb"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ReportError, match="is not a Jupyter notebook"):
        parameters_of(path)


def test_a_missing_notebook_lists_the_available_ones(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="monthly_report"):
        run_report("monthly_reprt", {}, tmp_path / "out")


def test_every_notebook_is_listed_with_its_parameters() -> None:
    assert set(NOTEBOOKS) == {path.stem for path in notebooks_folder().glob("*.ipynb")}
    for name, result in NOTEBOOKS.items():
        declared = parameters_of(notebooks_folder() / f"{name}.ipynb")
        assert set(result.rpartition(": ")[2].split(", ")) == set(declared), name
