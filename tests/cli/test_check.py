"""`riskanalytics check`: rules of an organisation as a gate for pipelines."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.calling import refused, run
from tests.service.given import build_database

RULES = """
[[rule]]
id = "no-high"
rating = "LOW"

[[exception]]
rule = "no-high"
platform = "aurelia-chat"
owner = "Ann"
reason = "Trial."
expires = 2999-01-31
"""
USED = "Tool;Owner;Data classification;Plan\nAurelia Chat;Ann;confidential;Team\nAureliaa;Bo;public;Free\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of three platforms, a portfolio and rules."""
    folder = tmp_path_factory.mktemp("check")
    build_database(folder)
    (folder / "ours.csv").write_text(USED)
    (folder / "rules.toml").write_text(RULES)
    return folder


def check(folder: Path, *words: str, rules: str = RULES) -> tuple[int, list[str], list[str]]:
    """Run the command; return its exit code and the lines on stdout and stderr."""
    (folder / "rules.toml").write_text(rules)
    done = run("check", "rules.toml", "--database", "given.sqlite", *words, cwd=folder)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def test_a_broken_rule_ends_with_1_and_all_formats_name_it(folder: Path) -> None:
    rules = RULES.replace("2999", "2020")
    code, lines, _ = check(folder, "--json", "c.json", "--junit", "j.xml", "--sarif", "s.json", rules=rules)
    assert code == 1
    assert lines == [
        "fail          no-high  Aurelia Chat: rated MED; allowed: rating at most LOW (Ann: Trial. (expired))",
        "undetermined  no-high  Café Lumière: rated UNRATED; allowed: rating at most LOW",
        "undetermined  no-high  Northwind Draft: rated UNRATED; allowed: rating at most LOW",
        "1 rule, 3 platforms: 1 fail, 2 undetermined, 0 pass, 0 excepted",
    ]
    record = json.loads((folder / "c.json").read_text("utf-8"))
    assert [(row["slug"], row["result"], row["exception"]) for row in record[:1]] == [
        ("aurelia-chat", "fail", "Ann: Trial. (expired)"),
    ]  # fmt: skip
    assert ET.fromstring((folder / "j.xml").read_text("utf-8"))[0].attrib["failures"] == "1"
    result = json.loads((folder / "s.json").read_text("utf-8"))["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"]


def test_an_exception_covers_a_broken_rule_and_what_is_undetermined_ends_with_3(folder: Path) -> None:
    code, lines, _ = check(folder)
    assert code == 3
    assert "excepted      no-high  Aurelia Chat: rated MED; allowed: rating at most LOW (Ann: Trial.)" in lines
    assert lines[-1] == "1 rule, 3 platforms: 0 fail, 2 undetermined, 0 pass, 1 excepted"


def test_a_portfolio_limits_the_check_and_its_unmatched_rows_end_with_3(folder: Path) -> None:
    code, lines, said = check(folder, "--portfolio", "ours.csv")
    assert (code, lines[-1]) == (3, "1 rule, 1 platform: 0 fail, 0 undetermined, 0 pass, 1 excepted")
    assert any(
        line.startswith("not matched: row 2, Aureliaa: did you mean Aurelia Chat (aurelia-chat, ") for line in said
    )
    (folder / "one.csv").write_text(USED.rpartition("Aureliaa")[0])
    assert check(folder, "--portfolio", "one.csv")[0] == 0


def test_rules_for_a_data_class_read_it_from_the_portfolio(folder: Path) -> None:
    scoped = '[[rule]]\nid = "r"\nrating = "MED"\ndata_classes = ["public"]\n'
    (folder / "one.csv").write_text(USED.rpartition("Aureliaa")[0])
    code, lines, said = check(folder, "--portfolio", "one.csv", rules=scoped)
    assert said[-1].startswith("The rule r applies to no row of the portfolio, which has ")
    assert (code, lines) == (3, ["1 rule, 0 platforms: 0 fail, 0 undetermined, 0 pass, 0 excepted"])
    code, lines, said = check(folder, rules=scoped)
    assert (code, lines) == (2, [])
    assert said[-1].endswith(
        "the rule 'r' applies to some data classes only: give a portfolio with a column data_class"
    )


def test_a_past_day_is_checked_as_it_was_with_the_exceptions_of_that_day(folder: Path) -> None:
    rules = RULES.replace("2999-01-31", "2026-02-01")
    lines = {day: check(folder, "--as-of", day, rules=rules)[1] for day in ("2026-02-01", "2026-02-02")}
    assert lines["2026-02-01"][0].startswith("excepted      no-high  Aurelia Chat: rated HIGH;")
    assert lines["2026-02-02"][0].startswith("fail          no-high  Aurelia Chat: rated HIGH;")


def test_a_file_that_cannot_be_written_is_reported_in_one_line(folder: Path) -> None:
    for option in ("--junit", "--sarif", "--json"):
        (folder / "rules.toml").write_text(RULES)
        done = run("check", "rules.toml", "--database", "given.sqlite", option, "none/file", cwd=folder)
        assert "none" in refused(done, 1), option


def test_wrong_rules_are_refused_before_anything_is_loaded(folder: Path) -> None:
    done = run("check", "none.toml", "--base-url", "http://127.0.0.1:9", cwd=folder)
    assert "the rules none.toml cannot be read: No such file or directory" in refused(done, 2)
    (folder / "rules.toml").write_text(RULES.replace("aurelia-chat", "aurelia-cat"))
    done = run("check", "rules.toml", "--database", "given.sqlite", cwd=folder)
    assert "no platform 'aurelia-cat' is tracked" in refused(done, 2)
    assert "aurelia-chat" in refused(done, 2)
