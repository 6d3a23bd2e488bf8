"""The features of a clause for the linear model."""

from __future__ import annotations

import time

import pytest

from riskanalytics.extraction.features import Looks, by_patterns, columns_of, neighbours, see, tokens, within
from riskanalytics.extraction.sense import Form, form_of
from riskanalytics.surfaces import SURFACES

BARE = Form((), ())
WORDS = "we use your prompts to train our models."


def test_words_are_stemmed() -> None:
    assert tokens("we are sharing shared shares") == ["#we", "are", "shar", "shar", "shar"]


def test_all_names_of_a_party_are_one_word() -> None:
    assert tokens("the provider trains on customer data") == tokens("the vendor trains on subscriber data")
    assert tokens("you may train") != tokens("we may train")


def test_all_numbers_are_one_word() -> None:
    assert tokens("within 30 days") == tokens("within 90 days")


def test_chinese_is_read_in_pairs_of_characters() -> None:
    assert tokens("训练模型") == ["训练", "练模", "模型"]
    assert tokens("训") == ["训"]


def test_pairs_and_first_words_are_features() -> None:
    assert {"#we", "#we train", "#we~model", "^#we", "^#we train model", "train model"} <= see(
        "we train models", "", "", BARE
    ).features


def test_words_of_lead_in_and_heading_are_marked() -> None:
    seen = see("train our models", "we use information to:", "how we use data", BARE)
    assert {"L:use", "L:#we use", "L&train", "H:how"} <= seen.features
    assert "use" not in seen.features
    far = see("train", f"first {'so ' * 24}last", f"top {'so ' * 9}low", BARE).features
    assert {"L:last", "H:top"} <= far
    assert not {"L:first", "H:low"} & far  # the end of a lead-in and the beginning of a heading


def test_signs_and_rules_are_features() -> None:
    found = see(
        "we train models", "", "", BARE, ["#training_use", "!ads_tracking"], ["training_use.used", None]
    ).features
    assert {"#training_use", "!ads_tracking", "R:training_use.used"} <= found
    assert "R:None" not in found


def test_the_form_is_a_feature_alone_and_with_each_sign() -> None:
    found = see("we train models:", "", "", form_of("we train models:", "sentence"), ["#training_use", "!x"]).features
    assert {"E:", "Avendor", "#training_useE:", "#training_useAvendor"} <= found
    assert "!xE:" not in found


def test_features_of_neighbours_and_document_are_marked() -> None:
    assert list(neighbours("P", "item", ["#a", "!b"])) == ["Pkitem", "P#a", "P!b"]
    assert list(within("terms", ["#a", "!b"])) == ["K:terms", "#aterms"]


def test_all_features_of_a_clause() -> None:
    seen = see("the vendor's plans, shared", "you use:", "our use", Form(("E.",), ()), ["#a", "!b"], ["a.x"])
    assert seen.features == {
        "the", "#our", "plan", "shar", "the #our", "#our plan", "plan shar", "the~plan", "#our~shar", "^the", "^the #our",
        "^the #our plan", "L:#you", "L:use", "L:#you use", "L&the", "L&#our", "L&plan", "L&shar", "H:#our", "H:use", "#a", "!b",
        "E.", "#aE.", "R:a.x",
    }  # fmt: skip
    assert seen.size == 30**0.5


@pytest.mark.parametrize(
    ("words", "stems"),
    [
        ("using used uses use", ["using", "used", "uses", "use"]),
        ("training trained trains train", ["train"] * 4),
        ("openly classes bed sing these", ["open", "class", "bed", "sing", "thes"]),
        ("we us company provider licensor vendor supplier processor platform", ["#we"] * 9),
        ("our ours company's provider's vendor's", ["#our"] * 5),
        ("you customer users subscriber clients licensee member controller", ["#you"] * 8),
        (
            "your yours customer's user's subscriber's client's licensee's users' customers'",
            ["#your"] * 7 + ["#you"] * 2,
        ),
    ],
)
def test_the_stems_of_words(words: str, stems: list[str]) -> None:
    assert tokens(words) == stems


def test_numbers_of_the_rules_follow_trust_lookalike_and_words_of_each_surface() -> None:
    looks = Looks({}, ("#a", "#b", "!b"), ("a.x", None))
    assert columns_of(looks, Form((), (7, 8)), {"a.x": 900}, ["a", "b"]) == (900, -1, 0, 1, 1, 1, 7, 8)
    assert columns_of(looks, Form((), ()), {}, ["a", "b"])[:2] == (0, -1)


def test_a_clause_without_words_has_no_features() -> None:
    assert see("… — !", "", "", BARE).features == set()


def test_a_longer_clause_has_a_larger_size() -> None:
    assert see("we train models", "", "", BARE).size < see("we train models on all that you write", "", "", BARE).size


def test_an_endless_clause_is_read_only_at_its_beginning() -> None:
    started = time.process_time()
    seen = see("we train models " * 100_000, "", "", BARE)
    assert time.process_time() - started < 2.0
    assert seen.size == see("we train models " * 100, "", "", BARE).size


def test_a_clause_has_the_signs_of_its_surfaces_and_the_rule_that_takes_it() -> None:
    looks = by_patterns(WORDS)
    assert "#training_use" in looks.signs
    assert looks.names[SURFACES.index("training_use")] == looks.rules["training_use"].id


def test_a_lookalike_is_marked_and_no_rule_takes_it() -> None:
    looks = by_patterns("you may not train models on our output.")
    assert "!training_use" in looks.signs
    assert "training_use" not in looks.rules


def test_the_lead_in_counts_and_only_learned_surfaces_have_signs() -> None:
    assert "#training_use" not in by_patterns("your prompts;").signs
    assert "#training_use" in by_patterns("your prompts;", "we train our models on:").signs
    assert by_patterns(WORDS, learned=["ads_tracking"]).signs == ()


def test_an_idiom_with_a_negation_negates_nothing() -> None:
    plain, idiom = (
        by_patterns(f"we use your prompts{more} to train our models.") for more in ("", ", not limited to,")
    )
    assert plain.rules["training_use"].id == idiom.rules["training_use"].id
