"""The whole files of the surfaces."""

from __future__ import annotations

import pytest

from riskanalytics.errors import SurfaceError
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name, texts
from riskanalytics.surfaces.declared import declared, declared_in

TRAINING = texts()["training_use"]


def test_files_are_in_page_order_and_agree_with_their_heads() -> None:
    assert tuple(surface.id for surface in declared()) == SURFACES
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


def test_a_file_contains_rules_for_its_own_surface_only() -> None:
    with pytest.raises(SurfaceError, match="begin with the name of its surface"):
        declared_in("voice_cloning", TRAINING)


def test_an_unknown_surface_is_named_by_its_identifier() -> None:
    assert surface_name("training_use") == "Training use"
    assert surface_name("voice_cloning") == "Voice cloning"
