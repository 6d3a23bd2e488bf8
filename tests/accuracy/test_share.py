"""Shares with intervals that know that what one vendor writes hangs together."""

from __future__ import annotations

import pytest

from riskanalytics.accuracy.clauses import Share, sum_of


def test_verdicts_are_counted_by_family() -> None:
    result = Share.of([("ash", True, 1), ("ash", False, 1), ("elm", True, 1)])
    assert result == Share({"ash": (1, 2), "elm": (1, 1)})


def test_the_sum_of_shares_adds_parts_and_wholes_of_each_family() -> None:
    assert sum_of([Share({"ash": (1, 2)}), Share({"ash": (3, 4), "elm": (0, 1)})]) == Share(
        {"ash": (4, 6), "elm": (0, 1)}
    )


def test_a_share_of_nothing_is_not_known() -> None:
    assert Share({}).value is None
    assert str(Share({"ash": (0, 0)})) == "-"
    assert Share({}).record() == {"part": 0, "whole": 0, "families": 0}


def test_clauses_of_one_vendor_hang_together_so_the_interval_is_wider_than_of_clauses() -> None:
    apart = Share({"ash": (50, 50), "elm": (0, 50), "fir": (50, 50), "oak": (0, 50)})
    low, high = apart.interval
    assert (low, high) == (0.0, 1.0)
    alike = Share(dict.fromkeys(("ash", "elm"), (25, 50)) | {"fir": (24, 50), "oak": (26, 50)})
    assert 0.47 < alike.interval[0] < 0.5 < alike.interval[1] < 0.53
    assert alike.interval == Share(dict(alike.counts)).interval


def test_the_interval_leaves_out_a_fortieth_of_the_resamples_on_either_side() -> None:
    half = Share({str(number): (number % 2, 1) for number in range(8)})
    assert half.interval == (1 / 8, 7 / 8)  # of Bin(8, 1/2) 0.4 % are 0, 3.5 % at most 1
    assert half.record() == {"value": 0.5, "low": 0.125, "high": 0.875, "part": 4, "whole": 8, "families": 8}


def test_where_every_family_is_right_the_interval_still_has_a_width() -> None:
    assert Share({"ash": (9, 9), "elm": (9, 9)}).interval == (pytest.approx(0.025**0.5), 1.0)
    assert Share({"ash": (0, 9), "elm": (0, 9)}).interval == (0.0, pytest.approx(1 - 0.025**0.5))
    assert Share({"ash": (5, 9)}).interval == (0.0, 1.0)


def test_all_labels_of_ten_families_that_agree_are_one_trial_each() -> None:
    many = Share({str(n): (100, 100) for n in range(10)})
    assert many.interval[0] == pytest.approx(0.69, abs=0.01)  # Clopper and Pearson 1934: 10 of 10
