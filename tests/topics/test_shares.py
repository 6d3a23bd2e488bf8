"""Shares of a whole and how far they may lie from that of all of its kind."""

from __future__ import annotations

import pytest

from riskanalytics.topics.shape import share, wilson_interval


def test_a_share_of_nothing_is_no_share() -> None:
    assert (share(0, 0), share(0, 4), share(1, 4)) == (None, 0.0, 0.25)


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"), [(0, 10, 0.0, 0.278), (8, 10, 0.490, 0.943), (10, 10, 0.722, 1.0)]
)
def test_intervals_are_those_that_wilson_published(part: int, whole: int, low: float, high: float) -> None:
    assert wilson_interval(part, whole) == pytest.approx((low, high), abs=0.001)


def test_an_interval_narrows_as_the_whole_grows_and_never_leaves_0_to_1() -> None:
    widths = []
    for whole in (1, 10, 100, 10_000):
        low, high = wilson_interval(whole, whole)
        assert 0 <= low <= high <= 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
