"""What records declare is read off them: names on the wire, types, records inside, known words."""

from __future__ import annotations

from riskanalytics.models import RATINGS
from riskanalytics.models.base import fields_of
from riskanalytics.models.parts import Extraction, Provenance
from riskanalytics.models.records import Change, Coverage, MachinePlatform, Platform, Quoted, SurfaceCount, SurfaceLevel


def test_a_field_has_its_name_on_the_wire_and_its_meaning() -> None:
    field = fields_of(Change)["change_class"]
    assert (field.name, field.kinds) == ("class", (str,))
    assert "material" in field.words
    assert str(field.info.description).startswith("material, wording")


def test_null_is_not_a_type_and_unions_have_several_types() -> None:
    assert fields_of(Platform)["website"].kinds == (str,)
    assert fields_of(MachinePlatform)["kind"].kinds == (str, list)
    assert fields_of(MachinePlatform)["context"].kinds == (dict,)
    assert fields_of(Platform)["rating"].words == (*RATINGS, "UNRATED")


def test_records_are_found_alone_in_lists_and_in_mappings() -> None:
    machine = fields_of(MachinePlatform)
    assert fields_of(Quoted)["provenance"].record is Provenance
    assert fields_of(Coverage)["extraction"].record is Extraction
    assert (machine["surfaces"].record, machine["surfaces"].kinds) == (SurfaceLevel, (dict,))
    assert machine["rules"].record is None
    assert "training_use" in machine["surfaces"].words


def test_times_and_occasional_fields_are_reported_separately() -> None:
    timed = {name for name, field in fields_of(Coverage).items() if field.timed}
    assert timed == {"as_of"}
    assert [name for name, field in fields_of(MachinePlatform).items() if field.info.exclude_if] == ["as_of"]
    assert not any(field.info.exclude_if for field in fields_of(SurfaceCount).values())
