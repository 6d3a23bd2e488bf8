"""README and docs are true: their commands, tables, links and code."""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.core import TyperGroup
from typer.main import get_command

from riskanalytics.cli import COMMANDS, app
from riskanalytics.dataset import load
from riskanalytics.dataset.appetite import check
from riskanalytics.dataset.watching import posted
from riskanalytics.settings import ENVIRONMENT
from riskanalytics.topics.alerts import ALERT_COLUMNS
from riskanalytics.topics.appetite.rules import read_appetite
from tests.http_server import reply, serving
from tests.topics.decisions.given import clause, entry, saved

for module in COMMANDS:
    import_module(module)
ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}


def blocks(language: str) -> list[str]:
    """Fenced blocks of one language, of the README and then of the pages of docs in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", "\n".join((README, *PAGES.values())), re.M | re.S)


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


def test_the_example_notebook_in_the_docs_shows_what_changed(embedded_demo: Path) -> None:
    (code,) = [block for block in blocks("python") if "ra.sections." in block]
    names: dict[str, object] = {}
    exec(compile(code, "docs/reports.md", "exec"), names)
    assert "Findings on" in str(names["section"])


@pytest.mark.slow
def test_the_example_rules_judge_the_demo_and_leave_platforms_of_each_result(
    embedded_demo: Path, tmp_path: Path
) -> None:
    (code,) = [block for block in blocks("python") if "ra.check(" in block]
    names: dict[str, object] = {}
    exec(compile("import riskanalytics as ra\nclient = None\n" + code, "docs/rules.md", "exec"), names)
    lines = [f"{slug},{'confidential' if at % 2 else 'public'},Team" for at, slug in enumerate(load().slugs[:120])]
    (tmp_path / "ours.csv").write_text("\n".join(["slug,data class,plan", *lines]))
    data = load(portfolio=tmp_path / "ours.csv")
    for file in sorted((ROOT / "docs" / "rules").glob("*.toml")):
        results = check(file, data)
        assert set(results["rule"]) == {rule.id for rule in read_appetite(file).rule}, file.name
        assert set(results["result"]) == {"fail", "undetermined", "pass"}, file.name
        assert len(set(results["slug"])) == 120


@pytest.mark.slow
def test_the_example_on_decisions_lists_those_that_reopened(
    embedded_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = [block for block in blocks("python") if "ra.decisions(" in block]
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "decisions.json", entry(clause(platform="orvewick-voice", document="Privacy Policy")))
    names: dict[str, Any] = {}
    exec(compile("import riskanalytics as ra\nclient = None\n" + code, "docs/decisions.md", "exec"), names)
    assert names["states"]["state"].tolist() == ["reopened"]


@pytest.mark.slow
def test_the_example_of_alerts_finds_some_on_the_demo(embedded_demo: Path) -> None:
    (code,) = [block for block in blocks("python") if "ra.watch(" in block]
    names: dict[str, object] = {}
    exec(compile("import riskanalytics as ra\nclient = None\n" + code, "docs/reports.md", "exec"), names)
    assert {"rule_broken", "material_change", "silent_edit"} == set(names["alerts"]["kind"])


def test_the_check_of_a_signature_accepts_what_a_webhook_gets_and_nothing_else(tmp_path: Path) -> None:
    (code,) = [block for block in blocks("python") if "webhook-signature" in block]
    names: dict[str, object] = {}
    exec(compile(code, "docs/reports.md", "exec"), names)
    alert = dict.fromkeys(ALERT_COLUMNS, "a")
    with serving(reply("200 OK")) as server:
        assert list(posted([alert], server.url, "ours")) == [[alert]]
    head, _, body = server.asked[0].partition(b"\r\n\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.decode().split("\r\n"))}
    assert names["is_ours"](headers, body, b"ours")
    assert not names["is_ours"](headers, body, b"theirs")
    assert not names["is_ours"](headers, body + b" ", b"ours")


def test_readme_and_changelog_stay_short() -> None:
    assert len(README.encode()) <= 12_000
    assert (ROOT / "CHANGELOG.md").stat().st_size <= 6_000


def test_every_link_of_readme_and_docs_leads_to_a_file() -> None:
    for folder, text in ((ROOT, README), *((ROOT / "docs", page) for page in PAGES.values())):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (folder / target).is_file(), target


def test_readme_names_every_page_and_each_page_says_what_the_reader_will_be_able_to_do() -> None:
    for name, page in PAGES.items():
        assert f"(docs/{name})" in README
        assert page.split("\n")[2].startswith("After this page you ")


def test_commands_and_options_in_readme_and_docs_exist() -> None:
    commands = get_command(app)
    assert isinstance(commands, TyperGroup)
    for line in re.findall(r"^ {4}riskanalytics (.+)$", "\n".join((README, *PAGES.values())), re.M):
        name, *words = shlex.split(line.removesuffix(" &"))
        command = commands.commands[name]
        if isinstance(command, TyperGroup):
            command = command.commands[words[0]]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("-")} <= known, line


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
