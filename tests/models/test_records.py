"""Records pass on what they do not know."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from riskanalytics.models.parts import Finding
from riskanalytics.models.records import Platform


def test_a_record_keeps_unknown_fields_and_values_and_never_changes() -> None:
    platform = Platform.model_validate({"id": "a", "rating": "EXTREME", "colour": "red"})
    assert platform.model_dump()["colour"] == "red"
    assert platform.rating == "EXTREME"
    with pytest.raises(ValidationError):
        platform.rating = "LOW"
    assert Finding.model_validate({}).provenance.start is None
