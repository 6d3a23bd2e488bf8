"""The files of the surfaces, read whole."""

from __future__ import annotations

import pytest

from riskanalytics.errors import SurfaceError
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name, texts
from riskanalytics.surfaces.declared import declared, declared_in

TRAINING = texts()["training_use"]


def test_the_files_are_read_in_the_order_of_pages_and_agree_with_their_heads() -> None:
    assert tuple(surface.id for surface in declared()) == SURFACES
    for surface in declared():
        head = SURFACE_DESCRIPTIONS[surface.id]
        assert {name: getattr(surface, name) for name in type(head).model_fields} == head.model_dump()


def test_every_rule_has_an_example_behind_a_lead_in_or_alone() -> None:
    for surface in declared():
        for rule in surface.rule:
            assert rule.taken == (*(("", text) for text in rule.examples), *rule.lead_examples) != ()


def test_a_rule_is_named_once() -> None:
    name = declared()[0].rule[0].id
    again = TRAINING.replace(declared()[0].rule[1].id, name)
    with pytest.raises(SurfaceError, match=r"^training_use\.toml: a rule's id is used twice$"):
        declared_in("training_use", again)


def test_a_file_is_its_own_surface_whatever_it_says() -> None:
    with pytest.raises(SurfaceError, match="begin with its surface"):
        declared_in("voice_cloning", TRAINING)


def test_a_surface_never_seen_is_named_by_its_identifier() -> None:
    assert surface_name("training_use") == "Training use"
    assert surface_name("voice_cloning") == "Voice cloning"
