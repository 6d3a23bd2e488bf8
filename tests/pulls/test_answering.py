"""A pull answers queries of changes as a service does, under the likely names of their fields."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.dataset.pulls import is_asked_for

JANUARY = {"since": "2026-01-01", "until": "2026-01-31"}
FEBRUARY = {"since": "2026-02-01", "until": "2026-02-28"}


@pytest.mark.parametrize(
    ("row", "in_january"),
    [
        ({"reviewed_at": "2026-02-01T00:30:00+02:00", "class": "material"}, True),
        ({"reviewed_at": "2026-01-31T22:30:00-06:00", "class": "material"}, False),
        ({"date": "2026-01-20", "change_class": "material"}, True),
        ({"detected_at": "2026-02-03 10:00:00", "class": "material"}, False),
    ],
)
def test_days_are_those_of_utc_and_fields_may_have_other_names(row: dict[str, Any], in_january: bool) -> None:
    assert is_asked_for(row, JANUARY) is in_january
    assert is_asked_for(row, FEBRUARY) is not in_january
    assert is_asked_for(row, {"class": "material"})
    assert not is_asked_for(row, {"class": "format"})


def test_a_change_whose_day_cannot_be_read_is_of_any_day() -> None:
    assert is_asked_for({"reviewed_at": "soon"}, JANUARY)
