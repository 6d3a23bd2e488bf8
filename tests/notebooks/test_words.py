"""The notebooks say and show on the demo what the reviewed files hold (`python -m tests.notebooks.keep`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.words import KEPT, kept


NAMES = [name if name == "monthly_report" else pytest.param(name, marks=pytest.mark.slow) for name in kept()]


@pytest.mark.parametrize("name", NAMES)
def test_tables_sections_and_charts_of_the_demo_are_the_reviewed_ones(name: str, embedded_demo: Path) -> None:
    assert kept()[name]() == (KEPT / f"{name}.txt").read_text(encoding="utf-8"), "if meant: python -m tests.notebooks.keep"
