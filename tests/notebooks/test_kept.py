"""The reference copies hold the current code and text outputs of the notebooks; nbval runs and compares them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from riskanalytics.reporting import notebooks_folder
from tests.notebooks.keep import KEPT

NOTEBOOKS = sorted(path.stem for path in notebooks_folder().glob("*.ipynb"))
AGAIN = "python -m tests.notebooks.keep"


def test_each_notebook_has_a_reference_copy() -> None:
    assert sorted(path.stem for path in KEPT.glob("*.ipynb")) == NOTEBOOKS, AGAIN


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_copy_has_the_code_and_text_outputs_only(name: str) -> None:
    ours, kept = (
        json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        for folder in (notebooks_folder(), KEPT)
    )
    assert ["".join(cell["source"]) for cell in kept] == ["".join(cell["source"]) for cell in ours], AGAIN
    outputs = [output for cell in kept for output in cell.get("outputs", [])]
    assert len(outputs) >= 3
    assert {kind for output in outputs for kind in output.get("data", {})} == {"text/plain"}
    assert (KEPT / f"{name}.ipynb").stat().st_size < 40_000


@pytest.mark.slow
def test_a_notebook_that_nbval_runs_on_the_demo_shows_the_kept_text() -> None:
    """A notebook of sections and widgets; the words of all are held by `test_words.py`."""
    words = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-n", "0", "-q", "-o", "addopts=",
             "--confcutdir", str(KEPT), "-p", "no:cacheprovider", str(KEPT / "explore.ipynb")]  # fmt: skip
    result = subprocess.run(words, cwd=KEPT.parents[2], capture_output=True, text=True, timeout=600, check=False)
    assert result.returncode == 0, result.stdout[-4000:]
    assert "passed" in result.stdout
