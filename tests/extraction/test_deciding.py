"""What one clause says on a surface that it speaks to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskanalytics.extraction.deciding import Said, by_patterns, decide, effects_of
from riskanalytics.extraction.learned import POLARITIES, Weights, load_reader
from riskanalytics.surfaces import SURFACES

WORDS = "we use your prompts to train our models."


def test_a_clause_carries_the_sign_of_each_surface_whose_words_it_holds_and_the_rule_that_takes_it() -> None:
    looks = by_patterns(WORDS)
    assert "#training_use" in looks.signs
    assert looks.names[SURFACES.index("training_use")] == looks.rules["training_use"].id


def test_a_lookalike_is_marked_and_taken_by_no_rule() -> None:
    looks = by_patterns("you may not train models on our output.")
    assert "!training_use" in looks.signs
    assert "training_use" not in looks.rules


def test_the_lead_in_counts_and_signs_are_told_of_the_learned_surfaces_only() -> None:
    assert "#training_use" not in by_patterns("your prompts;").signs
    assert "#training_use" in by_patterns("your prompts;", "we train our models on:").signs
    assert by_patterns(WORDS, learned=["ads_tracking"]).signs == ()


def test_a_turn_of_phrase_that_holds_a_negation_negates_nothing() -> None:
    plain, idiom = (
        by_patterns(f"we use your prompts{more} to train our models.") for more in ("", ", not limited to,")
    )
    assert plain.rules["training_use"].id == idiom.rules["training_use"].id


@pytest.mark.parametrize(
    ("words", "lead_in", "effects"),
    [
        ("we sell it", "", {"raises_risk", "neutral"}),
        ("we delete it", "", POLARITIES),
        ("sell it", "we will never:", {"mitigates_risk", "neutral"}),
        ("sell it, except to partners", "we will never:", POLARITIES),
        ("to sell it", "we will never share it except:", POLARITIES),
    ],
)
def test_a_clause_protects_only_where_it_holds_a_word_that_can(words: str, lead_in: str, effects: set[str]) -> None:
    assert effects_of(words, lead_in) == effects


@pytest.mark.parametrize(("words", "clear"), [("we keep your logs", True), ("we keep aggregated logs only", False)])
def test_words_that_seldom_raise_the_risk_ask_for_a_model_that_is_surer(words: str, clear: bool) -> None:
    reader = load_reader()
    bias = tuple(700 * (kind[:2] == ("MED", "raises_risk")) for kind in reader.kinds["data_retention"])
    weights = dict.fromkeys(reader.kinds, Weights())
    reader = replace(reader, kind_bias=reader.kind_bias | {"data_retention": bias}, kind_weights=weights)
    told = decide(reader, "data_retention", Said(words, "", "", frozenset(), 1.0), None, 0.9)
    assert (told.kind.polarity, told.clear) == ("raises_risk", clear)


def test_a_surface_of_which_nothing_is_learned_is_decided_by_its_rule() -> None:
    rule = by_patterns(WORDS).rules["training_use"]
    told = decide(load_reader(), "voice_cloning", Said(WORDS, "", "", frozenset(), 1.0), rule, 0.9)
    assert (told.rule, told.kind[:]) == (rule.id, (rule.risk, rule.polarity, rule.stance))
