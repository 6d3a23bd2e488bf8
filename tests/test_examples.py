"""Every public function has an example in its docstring, and each example works on the demo."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics import models
from riskanalytics.dataset import embedded
from riskanalytics.dataset.embedded import Held, hold
from riskanalytics.settings import load_settings
from riskanalytics.text import wording
from tests.pulls.parquet import stand_in

LONG = {
    *("ra.batch", "ra.report", "ra.diff", "ra.pull", "ra.decisions"),
    *("riskanalytics.analysis.finding_moves", "riskanalytics.analysis.stance_differences"),
    *("riskanalytics.analysis.stance_history", "riskanalytics.charts.stance_history"),
    *("riskanalytics.analysis.contract_drift", "ra.watch"),
}
"""Functions whose examples make pages, load several days or read or write all data; other default tests call them."""

DOORS: tuple[ModuleType, ...] = (ra.analysis, ra.charts, ra.sections, ra.widgets)


def public() -> dict[str, Any]:
    """Return the public functions of the package and its doors by name."""
    found = {f"{door.__name__}.{name}": getattr(door, name) for door in DOORS for name in door.__all__}
    found |= {f"ra.{name}": getattr(ra, name) for name in ra.__all__}
    return {name: thing for name, thing in found.items() if inspect.isfunction(thing)}


@pytest.fixture(scope="module")
def names(embedded_demo: Path) -> Iterator[dict[str, Any]]:
    """Return the names that examples use: `ra`, its doors, the demo's `client` and its newest `data`."""
    held = Held(load_settings().environment())
    hold(held)  # what several examples load is loaded once, as for the reports of a batch
    with ra.connect() as client:
        embedded._HERE.remove(held)
        doors = {door.__name__.rpartition(".")[2]: door for door in DOORS}
        yield {"ra": ra, **doors, "client": client, "data": ra.load(client)}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in sorted(public())]
)
def test_the_example_of_a_public_function_works(
    name: str, names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tests = doctest.DocTestFinder(recurse=False).find(public()[name], name, globs={**names, "folder": tmp_path})
    examples = [example for test in tests for example in test.examples]
    assert examples, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    result: list[str] = []
    with stand_in() if name == "ra.pull" else nullcontext():
        for test in tests:
            runner.run(test, out=result.append)
    assert not runner.failures, "".join(result)


def test_the_examples_of_wording_work() -> None:
    assert {module.__name__ for module in (wording, wording, models) if doctest.testmod(module).failed} == set()
