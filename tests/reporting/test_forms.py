"""What our notebooks may be asked for is refused before anything is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics.errors import ParameterError
from riskanalytics.reporting.forms import NOTEBOOKS, check_forms
from riskanalytics.reporting.parameters import parameters_of, read_notebook
from riskanalytics.reporting.runner import notebooks_folder


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"as_of": "2026-13-01"}, "a day is YYYY-MM-DD, not '2026-13-01'"),
        ({"as_of": "yesterday"}, "a day is YYYY-MM-DD"),
        ({"as_of": "0001-01-01"}, "a day is YYYY-MM-DD from 1900 on"),
        ({"top": -1}, "top is a whole number from 0 to 10,000, not -1"),
        ({"unchanged_days": 0}, "from 1 to 36,500"),
        ({"faults": 10**9}, "from 0 to 10,000"),
        ({"portfolio": "none.csv"}, "there is no portfolio none.csv"),
        ({"since": "15.8.2026"}, "a day is YYYY-MM-DD, not '15.8.2026'"),
        ({"since": "2026-08-15", "month": "2026-08"}, "since and month exclude each other"),
        ({"since": "last", "month": "2026-08"}, "since and month exclude each other"),
        ({"labels": "none"}, "there is no labels none"),
    ],
)
def test_a_value_that_cannot_be_is_refused_in_one_line(values: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        check_forms(values)


def test_what_notebooks_take_by_default_is_fine(tmp_path: Path) -> None:
    for name in NOTEBOOKS:
        declared = parameters_of(read_notebook(notebooks_folder() / f"{name}.ipynb"))
        check_forms({parameter.name: parameter.default for parameter in declared.values()})
    check_forms({"as_of": "2026-10-31", "portfolio": str(tmp_path), "top": 0})


def test_every_notebook_is_listed_with_its_parameters() -> None:
    assert set(NOTEBOOKS) == {path.stem for path in notebooks_folder().glob("*.ipynb")}
    for name, told in NOTEBOOKS.items():
        declared = parameters_of(read_notebook(notebooks_folder() / f"{name}.ipynb"))
        assert set(told.rpartition(": ")[2].split(", ")) == set(declared), name
