"""The rules as data: each rule's own examples are its tests, and the data are checked when loaded."""

from __future__ import annotations

import pytest

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.deciding import RULES
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.reading import RULES_VERSION
from riskanalytics.extraction.rules import Rule, Surface, surface_from
from riskanalytics.models import STANCES, SURFACES

EXAMPLES = [
    pytest.param(surface, rule, lead, words, id=f"{rule.id}-{number}")
    for surface in RULES.surfaces
    for rule in surface.rules
    for number, (lead, words) in enumerate(rule.examples)
]
COUNTERS = [
    pytest.param(surface, rule, words, id=f"{rule.id}-{number}")
    for surface in RULES.surfaces
    for rule in surface.rules
    for number, (_, words) in enumerate(rule.counter)
]


def decide(surface: Surface, lead: str, words: str) -> Rule | None:
    words = plain(words).lower()
    return surface.look(words, f"{lead} {words}".strip().lower()).rule


@pytest.mark.parametrize(("surface", "rule", "lead", "words"), EXAMPLES)
def test_a_rule_takes_its_examples(surface: Surface, rule: Rule, lead: str, words: str) -> None:
    decided = decide(surface, lead, words)
    assert decided is not None
    assert decided.id == rule.id


@pytest.mark.parametrize(("surface", "rule", "words"), COUNTERS)
def test_a_rule_leaves_its_counterexamples(surface: Surface, rule: Rule, words: str) -> None:
    decided = decide(surface, "", words)
    assert decided is None or decided.id != rule.id


def test_every_surface_has_rules_in_the_order_of_the_models() -> None:
    assert tuple(surface.id for surface in RULES.surfaces) == SURFACES
    assert all(surface.rules for surface in RULES.surfaces)


def test_ids_belong_to_their_surface_and_opposed_rules_exist() -> None:
    ids = {rule.id for surface in RULES.surfaces for rule in surface.rules}
    for surface in RULES.surfaces:
        for rule in surface.rules:
            assert rule.id.startswith(surface.id + ".")
            assert set(rule.opposes) <= ids
            assert rule.stance is None or (surface.id == "training_use" and rule.stance in STANCES)


def test_opposition_is_seen_from_both_sides() -> None:
    assert "training_use.used" in RULES.opposed_to("training_use.not_used")
    assert "training_use.not_used" in RULES.opposed_to("training_use.used")


def test_the_version_tells_data_and_code() -> None:
    assert RULES_VERSION.startswith(RULES.version)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"risk": "SEVERE"}, "risk is HIGH, MED or LOW"),
        ({"polarity": "bad"}, "polarity 'bad' is not known"),
        ({"own": ["(open"]}, "not usable"),
        ({"own": ["{nothing}"]}, "not usable"),
        ({"examples": []}, "needs an example"),
        ({"exampels": ["x"]}, "unknown field 'exampels'"),
        ({"id": "elsewhere.rule"}, "begin with"),
        ({"stance": "trains_sometimes"}, "stance 'trains_sometimes' is not known"),
        ({"own": "train"}, "list of patterns"),
    ],
)
def test_ill_formed_rules_are_refused_in_one_line(change: dict[str, object], told: str) -> None:
    rule = {
        "id": "training_use.x",
        "own": ["train"],
        "risk": "MED",
        "polarity": "neutral",
        "examples": ["We train."],
    }
    table = {
        "surface": "training_use",
        "title": "Training use",
        "keywords": ["train"],
        "trigger": ["train"],
        "exclude": ["never this"],
        "rule": [{**rule, **change}],
    }
    with pytest.raises(ExtractionError, match=told) as refused:
        surface_from("mine.toml", table, {})
    assert "\n" not in str(refused.value)
    assert "mine.toml" in str(refused.value)


def test_keywords_never_hide_what_a_trigger_would_find() -> None:
    for surface in RULES.surfaces:
        for rule in surface.rules:
            for lead, words in (*rule.examples, *rule.counter):
                said = f"{lead} {plain(words)}".strip().lower()
                if surface.trigger.search(said):
                    assert any(word in said for word in surface.keywords)
