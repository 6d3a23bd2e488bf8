"""A surface is one file: a thirteenth file adds a surface everywhere and does not change the others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import riskanalytics
from riskanalytics.extraction import extract
from riskanalytics.extraction.rules import WORDS, rules_of
from riskanalytics.surfaces import SURFACES, texts
from riskanalytics.surfaces.declared import declared_in
from tests.service.given import PRIVACY

HERE = Path(__file__).parent
NEW = "security_incidents"
QUOTE = "We are not obliged to notify you of a security incident."
TEXT = f"{PRIVACY}\n{QUOTE}\n"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results of a copy of the package with one more surface file."""
    folder = tmp_path_factory.mktemp("thirteenth")
    copy = folder / "package" / "riskanalytics"
    shutil.copytree(Path(riskanalytics.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / f"{NEW}.toml", copy / "surfaces")
    (folder / "text.md").write_text(TEXT, encoding="utf-8")
    paths = os.pathsep.join((str(copy.parent), str(HERE.parents[1])))
    done = subprocess.run(
        [sys.executable, "-m", "tests.surfaces.thirteenth", str(folder), str(folder / "text.md")],
        cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["package"] == str(copy / "__init__.py")
    return result


@pytest.mark.slow
def test_it_is_listed_in_its_order(result: Any) -> None:
    assert result["surfaces"] == [*SURFACES[:6], NEW, *SURFACES[6:]]
    assert result["described"].endswith("?")


@pytest.mark.slow
def test_its_rules_alone_read_it_and_the_others_are_unchanged(result: Any) -> None:
    assert [row for row in result["read"] if row[0] == NEW] == [[NEW, f"{NEW}.not_told", "HIGH", 0.9, QUOTE]]
    before = [[row.surface, row.rule, row.risk, row.confidence, row.quote] for row in extract(TEXT).findings]
    assert [row for row in result["read"] if row[0] != NEW] == before


@pytest.mark.slow
def test_it_has_a_level_and_a_weight(result: Any) -> None:
    assert (result["rated"]["risk"], result["rated"]["count"], result["weight"]) == ("HIGH", 1, 2)


@pytest.mark.slow
def test_questions_about_it_are_answered(result: Any) -> None:
    assert result["answer"] == [False, [NEW]]
    assert result["argument"]


@pytest.mark.slow
def test_page_chart_and_method_show_it(result: Any) -> None:
    assert result["shown"] == [True, True, True]


@pytest.mark.slow
def test_its_control_and_the_demo_know_it(result: Any) -> None:
    assert result["control"] == ["concern", "concern"]
    assert result["demo"]


def test_its_rules_match_their_examples_only() -> None:
    surface = declared_in(NEW, (HERE / f"{NEW}.toml").read_text(encoding="utf-8"))
    rules = rules_of(surface, WORDS.words)
    for rule in surface.rule:
        for text in (*rule.examples, *rule.counter):
            took = rules.look(text.lower(), text.lower()).rule
            assert (took is not None and took.id == rule.id) is (text in rule.examples)


def test_every_surface_has_a_file_in_the_package() -> None:
    assert set(texts()) == set(SURFACES)
