"""The README is true: its commands, tables and code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

from riskanalytics.cli.commands import app
from riskanalytics.settings import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def test_the_first_two_shell_blocks_are_one_line_each_and_set_up_what_they_use() -> None:
    report, tests = blocks("sh")
    for command in (report, tests):
        assert command.count("\n") == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert report.strip().endswith("riskanalytics monthly")
    assert tests.strip().endswith("pytest")


def test_every_setting_is_in_the_table() -> None:
    for variable in ENVIRONMENT.values():
        assert f"| `{variable}` |" in README


def test_every_command_is_in_the_table() -> None:
    names = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    names |= {group.name for group in app.registered_groups if group.name}
    for name in names:
        assert f"| `riskanalytics {name}" in README


def test_the_code_runs_and_ends_in_a_chart(embedded_demo: Path) -> None:
    code = blocks("python")[0]
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert len(names["data"].findings) > 1000
    names["client"].close()


def test_the_newest_changelog_entry_is_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert newest is not None
    assert newest[1] == version


def test_the_environment_brings_python_pip_and_the_editable_install_only() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    python, pip, installs = environment["dependencies"]
    assert python == "python=" + project["requires-python"].removeprefix(">=")
    assert pip == "pip"
    (install,) = installs["pip"]
    extra = re.fullmatch(r"-e \.\[([\w,]+)\]", install)
    assert extra is not None
    assert set(extra[1].split(",")) <= set(project["optional-dependencies"])


def test_the_constraints_hold_pins_and_no_address() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert len(lines) > 50
    for line in lines:
        assert re.fullmatch(r"[\w.\-]+==[\w.!+]+( ; .+)?", line), line
        assert "//" not in line
