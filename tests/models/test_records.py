"""Records pass on what they do not know."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from riskanalytics.models.records import SurfaceCount


def test_a_record_keeps_unknown_fields_and_values_and_never_changes() -> None:
    surface = SurfaceCount.model_validate({"count": 1, "risk": "EXTREME", "colour": "red"})
    assert surface.model_dump()["colour"] == "red"
    assert surface.risk == "EXTREME"
    with pytest.raises(ValidationError):
        surface.risk = "LOW"
