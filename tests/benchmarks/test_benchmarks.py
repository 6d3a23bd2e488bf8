"""Benchmarks are run by hand: what they use of the package is looked up here, so that none is found broken then."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.benchmarks.table import row

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_begin(name: str) -> None:
    if name == "bench_page":
        pytest.importorskip("playwright", reason="needs playwright: pip install -e '.[browser]'")
    assert callable(import_module(f"tests.benchmarks.{name}").main)


def test_a_row_says_where_an_aim_is_missed(capsys: pytest.CaptureFixture[str]) -> None:
    row("a load", "3 s; a loop 2 s", 1.5, 1.3)
    row("a rate", "90 a second; bare 100", 0.9, 0.8, least=True)
    assert capsys.readouterr().out.splitlines() == [
        "| a load | 3 s; a loop 2 s | 1.5 | ≤ 1.3: missed |",
        "| a rate | 90 a second; bare 100 | 0.9 | ≥ 0.8 |",
    ]
