"""Records pass on what they do not know."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from riskanalytics.models.parts import ShareOfCount
from riskanalytics.models.records import SurfaceCount


def test_a_record_keeps_unknown_fields_and_values_and_never_changes() -> None:
    surface = SurfaceCount.model_validate({"count": 1, "risk": "EXTREME", "colour": "red"})
    assert surface.model_dump()["colour"] == "red"
    assert surface.risk == "EXTREME"
    with pytest.raises(ValidationError):
        surface.risk = "LOW"


def test_a_share_of_nothing_is_left_out_and_a_share_of_0_is_not() -> None:
    counts = {"part": 0, "whole": 3, "families": 1}
    assert ShareOfCount.model_validate({**counts, "value": 0.0, "low": 0.0}).model_dump() == {
        "value": 0.0,
        "low": 0.0,
        **counts,
    }
