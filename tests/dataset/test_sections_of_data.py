"""Sections and charts of a data set that nobody made a report of: they show it, or say what they need."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.errors import ParameterError

WITHOUT_DATA = {"limits", "surfaces", "side_by_side", "surface_clauses", "surface_platforms"}
"""Parts that take no data set."""
GIVEN = {"decisions", "first", "level_counts", "rating_mix"}
"""What only the caller knows."""
PARTS = {
    f"{door.__name__}.{name}": getattr(door, name)
    for door in (ra.sections, ra.charts)
    for name in door.__all__
    if name not in WITHOUT_DATA and inspect.isfunction(getattr(door, name))
}


@pytest.mark.parametrize("part", PARTS.values(), ids=list(PARTS))
def test_a_part_shows_a_plain_data_set_or_says_what_it_needs(part: Callable[..., object], client: Client) -> None:
    try:
        shown = part(ra.load(client))
    except ParameterError as refused:
        assert "\n" not in str(refused)
        assert any(advice in str(refused) for advice in ("ra.load(month=", "ra.Report(", "give "))
        unknown = re.search(r"(\w+) is needed, which a data set does not", str(refused))
        assert unknown is None or unknown[1] in GIVEN
    else:
        assert shown is not None


def test_changes_are_shown_for_a_month(client: Client) -> None:
    assert ra.sections.changed_platforms(ra.load(client, month="2026-03")).text
