"""The whole files of the surfaces."""

from __future__ import annotations

import pytest

from riskanalytics.errors import SurfaceError
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, _head, surface_name, surface_phrase, texts
from riskanalytics.surfaces.declared import declared, declared_in

TRAINING = texts()["training_use"]


def test_files_are_in_page_order_and_agree_with_their_heads() -> None:
    assert tuple(surface.id for surface in declared()) == SURFACES
    assert SURFACES == (
        "training_use", "web_data_training", "content_license", "output_rights", "ip_liability", "data_retention",
        "third_party_sharing", "ads_tracking", "human_review", "cross_border_transfer", "sensitive_data", "terms_changes",
    )  # fmt: skip
    for surface in declared():
        head = SURFACE_DESCRIPTIONS[surface.id]
        assert {name: getattr(surface, name) for name in type(head).model_fields} == head.model_dump()


def test_every_rule_has_an_example() -> None:
    for surface in declared():
        for rule in surface.rule:
            assert rule.taken == (*(("", text) for text in rule.examples), *rule.lead_examples) != ()


def test_a_rule_id_is_used_once() -> None:
    name = declared()[0].rule[0].id
    again = TRAINING.replace(declared()[0].rule[1].id, name)
    with pytest.raises(SurfaceError, match=rf"^training_use\.toml: the rule id '{name}' is used twice$"):
        declared_in("training_use", again)
    effect = TRAINING.replace('"training_use.not_opted_out"', f'"{name}"')
    with pytest.raises(SurfaceError, match=rf"the rule id '{name}' is used twice$"):
        declared_in("training_use", effect)
    with pytest.raises(SurfaceError, match="begin with the name of its surface"):
        declared_in("training_use", TRAINING.replace('"training_use.not_opted_out"', '"foreign.not_opted_out"'))


def test_a_file_contains_rules_for_its_own_surface_only() -> None:
    with pytest.raises(SurfaceError, match="begin with the name of its surface"):
        declared_in("voice_cloning", TRAINING)


def test_an_unknown_surface_is_named_by_its_identifier() -> None:
    assert surface_name("training_use") == "Training use"
    assert surface_name("voice_cloning") == "Voice cloning"


def test_within_a_sentence_a_name_begins_small_unless_it_is_an_abbreviation() -> None:
    assert [surface_phrase(one) for one in ("web_data_training", "ip_liability", "")] == [
        "web data training",
        "IP liability",
        "",
    ]


@pytest.mark.parametrize("name", ["Voice", "voice-cloning", "voice2", "_voice", "voice__cloning"])
def test_the_file_of_a_surface_has_a_name_that_can_be_its_identifier(name: str) -> None:
    with pytest.raises(
        SurfaceError, match=rf"^{name}\.toml: the name of a surface has lower-case letters only, .*: rename the file$"
    ):
        _head(name, TRAINING)


def test_the_place_of_an_error_is_named() -> None:
    with pytest.raises(SurfaceError, match=r"^training_use\.toml: weight: Input should be greater than 0$"):
        _head("training_use", TRAINING.replace("weight = 3", "weight = 0"))


@pytest.mark.parametrize(
    ("field", "surfaces"),
    [
        ("longer_is", {"data_retention": 1, "terms_changes": -1}),
        ("users_part", dict.fromkeys(("content_license", "output_rights", "ip_liability", "terms_changes"), True)),
        ("protective_decide", {"output_rights": True}),
        ("recipients", dict.fromkeys(("third_party_sharing", "ads_tracking"), True)),
        ("about_some", {"sensitive_data": True}),
        ("collected_is_kept", {"data_retention": True}),
    ],
)
def test_some_surfaces_are_read_differently(field: str, surfaces: dict[str, object]) -> None:
    assert {one.id: value for one in SURFACE_DESCRIPTIONS.values() if (value := getattr(one, field))} == surfaces
