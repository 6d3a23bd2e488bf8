"""Axes: what kind they are, what they span, and what their ticks say."""

from __future__ import annotations

import pytest

from riskanalytics.pages.svg.axes import Axis
from riskanalytics.pages.svg.sheet import Told, Value


def axis(values: list[Value], **settings: object) -> Axis:
    """An axis of 100 pixels that holds some values."""
    made = Axis("x", Told(settings), last=100.0)
    made.learn(values)
    made.span([place for value in values if (place := made.value(value)) is not None], from_zero=False)
    return made


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2.5, None], "linear"),
        (["2026-01-01", "2026-02-01T10:00:00"], "date"),
        (["2026-01-01", "later"], "category"),
    ],
)
def test_the_kind_is_read_from_the_values(values: list[Value], kind: str) -> None:
    assert axis(values).kind == kind


def test_categories_stand_in_their_order_and_turn_around_where_that_is_asked() -> None:
    assert [axis(["b", "a", "c"]).at(name) for name in "bac"] == pytest.approx([100 / 6, 50, 500 / 6])
    assert axis(["b", "a", "c"], autorange="reversed").at("b") == pytest.approx(500 / 6)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"range": [0, 1000], "nticks": 3}, ["0", "500", "1,000"]),
        ({"range": [0, 1], "nticks": 3, "tickformat": ".0%"}, ["0%", "50%", "100%"]),
        ({"range": [0, 2], "tickformat": ",d"}, ["0", "1", "2"]),
        ({"range": [0, 1], "nticks": 2, "ticksuffix": " d"}, ["0.0 d", "0.5 d", "1.0 d"]),
        ({"range": [0, 10], "tickvals": [5, 50], "ticktext": ["half", "beyond"]}, ["half"]),
        ({"range": [0, 10], "visible": False}, []),
        ({"range": [0, 10], "tickvals": [5], "showticklabels": False}, [""]),
    ],
)
def test_ticks_are_round_and_say_what_is_asked(settings: dict[str, object], words: list[str]) -> None:
    assert [word for _, word in axis([1, 2], **settings).ticks()] == words


def test_days_are_told_by_months_at_round_distances() -> None:
    told = axis(["2025-01-15", "2026-06-15"], tickformat="%b %Y")
    assert [word for _, word in told.ticks()] == ["Apr 2025", "Jul 2025", "Oct 2025", "Jan 2026", "Apr 2026"]


def test_a_kind_that_is_not_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="of the kind log"):
        axis([1], type="log")
