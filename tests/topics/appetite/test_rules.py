"""The rules of an organisation: what a file may hold, and errors that name its line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from riskanalytics.errors import ParameterError
from riskanalytics.topics.appetite.rules import Appetite, Rule, read_appetite

WHOLE = """
title = "Ours"

[[rule]]
id = "training"
title = "Nobody trains by default"
stances = ["trains_by_default"]
silent = "pass"
data_classes = ["confidential"]
plans = ["free"]
regions = ["DE", "FR"]

[[rule]]
id = "retention"
surface = "data_retention"
level = "LOW"

[[rule]]
id = "mean"
mean = 1.25

[weights]
training_use = 3
data_retention = 0.5

[[exception]]
rule = "retention"
platform = "aurelia-chat"
owner = " Ann "
reason = "Replaced in spring."
expires = 2027-03-31
"""
RATING = '[[rule]]\nid = "a"\nrating = "MED"\n'
HEADS = '[[exception]]\nrule = "a"\nplatform = "p"\nowner = "o"\n'


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "rules.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_file_gives_its_rules_weights_and_exceptions(tmp_path: Path) -> None:
    appetite = read_appetite(written(tmp_path, WHOLE))
    assert appetite.title == "Ours"
    assert appetite.rule[0] == Rule(
        id="training", title="Nobody trains by default", stances=("trains_by_default",), silent="pass",
        data_classes=("confidential",), plans=("free",), regions=("DE", "FR"),
    )  # fmt: skip
    assert (appetite.rule[1].surface, appetite.rule[1].level, appetite.rule[1].silent) == (
        "data_retention", "LOW", "undetermined",
    )  # fmt: skip
    assert (appetite.rule[2].mean, appetite.weights) == (1.25, {"training_use": 3, "data_retention": 0.5})
    (exception,) = appetite.exception
    assert tuple(exception.model_dump().values()) == (
        "retention", "aurelia-chat", "Ann", "Replaced in spring.", date(2027, 3, 31),
    )  # fmt: skip


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert read_appetite(written(tmp_path, b"\xef\xbb\xbf" + RATING.encode())).rule[0].rating == "MED"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, rule: the field is missing"),
        ("rule = []", "line 1, rule: give at least one"),
        ("\nname = 1\n" + RATING, "line 2, name: unknown field; check its spelling, or delete it"),
        ('[[rule]]\nid = "a"\n', "line 1: a rule needs exactly one of rating, level, stances, mean; this rule has none"),
        (RATING + "mean = 1\n", "line 1: a rule needs exactly one of rating, level, stances, mean; this rule has rating and mean"),
        ('[[rule]]\nid = "a"\nlevel = "MED"\n', "line 1: surface and level belong together: give both"),
        (RATING + 'surface = "data_retention"\n', "line 1: surface and level belong together: give both"),
        (RATING.replace("MED", "HIGH"), "line 3, rating: must be 'LOW' or 'MED'"),
        (RATING.replace('"a"', '"A b"'), "line 2, id: String should match pattern '^[a-z0-9]+(-[a-z0-9]+)*$'"),
        (RATING + '\n[[rule]]\nid = "b"\n\nsurface = "weather"\nlevel = "MED"', "line 5: unknown surface 'weather': give one of "),
        (RATING + '[[rule]]\nid = "b"\nstances = ["never"]', "line 4: unknown answer on training use 'never': give one of "),
        ('[[rule]]\nid = "a"\nmean = 2.5\n', "line 3, mean: must be less than or equal to 2"),
        (RATING + 'silent = "fine"\n', "line 4, silent: must be 'undetermined', 'pass' or 'fail'"),
        (RATING + RATING, "line 1: two rules have the id 'a': give each rule its own id"),
        ('[[rule]]\nid = "a"\nmean = 1\n', "line 1: a rule on the mean needs [weights]: give at least one surface a weight"),
        (RATING + "[weights]\nweather = 1\n", "line 1: unknown surface 'weather': give one of training_use"),
        (RATING + "[weights]\nads_tracking = -1\nip_liability = 3\n", "line 1: a weight must not be negative"),
        ('[[rule]]\nid = "a"\nmean = 1\n[weights]\nads_tracking = 0\n', "line 1: a rule on the mean needs [weights]: give"),
        (RATING + '[[rule]]\nid = "B b"\nrating = "LOW"\n', "line 5, id: String should match pattern"),
        (RATING + RATING + RATING.replace('"a"', '"b"'), "line 1: two rules have the id 'a': give each rule its own id"),
        ('title = 1\nrule = [{id = "a", rating = "HIGH"}]\n', "line 1, title: must be a valid string"),
        ('title = ""\nrule = [{id = "a", rating = "HIGH"}]\n', "line 2, rating: must be 'LOW' or 'MED'"),
        (RATING + HEADS + 'reason = "r"\n', "line 4, expires: the field is missing"),
        (RATING + HEADS + "expires = 2027-01-01\n", "line 4, reason: the field is missing"),
        (RATING + HEADS + 'reason = "r"\nexpires = "soon"\n', "line 9, expires: must be a valid date"),
        (RATING + HEADS.replace('"o"', '" "') + 'reason = "r"\nexpires = 2027-01-01\n', "line 7, owner: must not be empty"),
        (RATING + HEADS.replace('"a"', '"b"') + 'reason = "r"\nexpires = 2027-01-01\n', "line 1: unknown rule 'b': give one of a"),
        ('[[rule]]\nid = "a\n', "are not valid TOML: Illegal character '\\n' (at line 2, column 8)"),
        (b"\xff\xfe[\0", "are not UTF-8: save the file as UTF-8"),
        ("#" * 1_000_001, "have more than 1 MB: a file of rules is much shorter"),
    ],
)  # fmt: skip
def test_an_error_in_a_file_is_refused_with_its_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ParameterError) as refused:
        read_appetite(path)
    assert str(refused.value).startswith(f"the rules {path}")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be read: No such file or directory"):
        read_appetite(tmp_path / "none.toml")


def test_rules_can_be_made_in_python() -> None:
    assert Appetite(rule=(Rule(id="a", mean=0),), weights={"ads_tracking": 1}).rule[0].mean == 0
    appetite = Appetite(rule=(Rule(id="a", rating="LOW"),))
    assert (appetite.title, appetite.weights, appetite.exception) == ("", {}, ())


def test_a_file_of_exactly_1_mb_is_read(tmp_path: Path) -> None:
    assert read_appetite(written(tmp_path, RATING + "#" * (1_000_000 - len(RATING)))).rule[0].id == "a"
