"""What the linear model sees of a clause."""

from __future__ import annotations

import time

from riskanalytics.extraction.features import by_patterns, neighbours, see, tokens, within
from riskanalytics.extraction.sense import Form, form_of
from riskanalytics.surfaces import SURFACES

BARE = Form((), ())
WORDS = "we use your prompts to train our models."


def test_words_are_cut_to_their_stems() -> None:
    assert tokens("we are sharing shared shares") == ["#we", "are", "shar", "shar", "shar"]


def test_the_parties_are_told_apart_whatever_they_are_called() -> None:
    assert tokens("the provider trains on customer data") == tokens("the vendor trains on subscriber data")
    assert tokens("you may train") != tokens("we may train")


def test_numbers_are_one_word() -> None:
    assert tokens("within 30 days") == tokens("within 90 days")


def test_chinese_is_read_by_pairs_of_characters() -> None:
    assert tokens("训练模型") == ["训练", "练模", "模型"]
    assert tokens("训") == ["训"]


def test_neighbours_and_the_first_word_are_features() -> None:
    assert {"#we", "#we train", "#we~model", "^#we", "^#we train model", "train model"} <= see(
        "we train models", "", "", BARE
    ).features


def test_the_words_of_a_lead_in_are_marked_as_such() -> None:
    seen = see("train our models", "we use information to:", "how we use data", BARE)
    assert {"L:use", "L:#we use", "L&train", "H:how"} <= seen.features
    assert "use" not in seen.features


def test_signs_are_taken_as_they_are() -> None:
    found = see(
        "we train models", "", "", BARE, ["#training_use", "!ads_tracking"], ["training_use.used", None]
    ).features
    assert {"#training_use", "!ads_tracking", "R:training_use.used"} <= found
    assert "R:None" not in found


def test_the_form_is_told_alone_and_with_each_sign() -> None:
    found = see("we train models:", "", "", form_of("we train models:", "sentence"), ["#training_use", "!x"]).features
    assert {"E:", "Avendor", "#training_useE:", "#training_useAvendor"} <= found
    assert "!xE:" not in found


def test_neighbours_and_the_document_are_marked_as_such() -> None:
    assert list(neighbours("P", "item", ["#a", "!b"])) == ["Pkitem", "P#a", "P!b"]
    assert list(within("terms", ["#a", "!b"])) == ["K:terms", "#aterms"]


def test_a_clause_without_words_has_no_features() -> None:
    assert see("… — !", "", "", BARE).features == set()


def test_a_longer_clause_has_a_larger_size() -> None:
    assert see("we train models", "", "", BARE).size < see("we train models on all that you write", "", "", BARE).size


def test_an_endless_clause_costs_no_more_than_its_beginning() -> None:
    started = time.process_time()
    seen = see("we train models " * 100_000, "", "", BARE)
    assert time.process_time() - started < 2.0
    assert seen.size == see("we train models " * 100, "", "", BARE).size


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
