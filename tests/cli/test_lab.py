"""`riskanalytics lab`: copies of the notebooks that a reader may change, and the words given to JupyterLab."""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from riskanalytics.cli import main
from riskanalytics.cli.commands import copy_notebooks
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.reporting import notebooks_folder
from tests.cli.calling import refused, run

HAS_LAB = find_spec("jupyterlab") is not None


def test_all_notebooks_are_copied_and_a_change_of_the_reader_outlives_the_next_start(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "mine"
    copy_notebooks(folder)
    ours = sorted(notebook.name for notebook in notebooks_folder().glob("*.ipynb"))
    assert sorted(copy.name for copy in folder.iterdir()) == ours
    (folder / ours[0]).write_text("changed")
    (folder / ours[1]).unlink()
    copy_notebooks(folder)
    assert (folder / ours[0]).read_text() == "changed"
    assert (folder / ours[1]).read_bytes() == (notebooks_folder() / ours[1]).read_bytes()


def test_a_folder_that_cannot_be_written_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        RiskAnalyticsError, match=r"file/mine cannot be written: .*; name another folder with --notebooks"
    ):
        copy_notebooks(tmp_path / "file" / "mine")


@pytest.mark.skipif(HAS_LAB, reason="JupyterLab is installed")
def test_where_jupyterlab_is_not_installed_the_command_says_how_and_copies_nothing(tmp_path: Path) -> None:
    line = refused(run("lab", cwd=tmp_path), 1)
    assert line == "riskanalytics: JupyterLab is not installed: pip install 'riskanalytics[lab]'"
    assert list(tmp_path.iterdir()) == []


LAB = """import json, os, sys
named = {name: text for name, text in os.environ.items() if name in ("RISKANALYTICS_BASE_URL", "RISKANALYTICS_DATABASE")}
open("seen.json", "w").write(json.dumps([sys.argv[1:], named]))
sys.exit(7)
"""


def test_jupyterlab_gets_its_options_and_the_source_of_the_command_and_gives_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, database = tmp_path / "packages" / "jupyterlab", tmp_path / "a.sqlite"
    package.mkdir(parents=True)
    database.touch()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(LAB)  # a stand-in for the program
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package.parent), *filter(None, sys.path)]))
    monkeypatch.setenv("RISKANALYTICS_BASE_URL", "https://other.example")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["lab", "--port=8890", "--database", "a.sqlite", "--no-browser", "--notebooks", "mine"])
    given, named = json.loads((tmp_path / "seen.json").read_text())
    assert (end.value.code, given) == (7, [f"--notebook-dir={tmp_path / 'mine'}", "--port=8890", "--no-browser"])
    assert named == {"RISKANALYTICS_BASE_URL": "", "RISKANALYTICS_DATABASE": str(database)}
    assert (tmp_path / "mine" / "coverage.ipynb").is_file()


@pytest.mark.skipif(not HAS_LAB, reason="needs JupyterLab: pip install -e '.[lab]' in an environment of its own")
def test_options_of_jupyterlab_are_handed_on(tmp_path: Path) -> None:
    result = run("lab", "--port=8890", "--version", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout.strip().startswith("4.")
    assert (tmp_path / "riskanalytics-notebooks" / "monthly_report.ipynb").is_file()


@pytest.mark.skipif(not HAS_LAB, reason="needs JupyterLab: pip install -e '.[lab]' in an environment of its own")
def test_a_database_that_is_missing_is_refused_before_anything_is_copied(tmp_path: Path) -> None:
    assert "there is no database none.sqlite" in refused(run("lab", "--database", "none.sqlite", cwd=tmp_path), 2)
    assert list(tmp_path.iterdir()) == []
