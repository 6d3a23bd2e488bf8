"""Days and platforms that parameters name: read kindly, refused in one line that says what to do."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from riskanalytics.dataset import day_of, days_of, quarter_ends, slugs_of, surface_of
from riskanalytics.dataset.scope import one_slug
from riskanalytics.errors import IncompleteReportError, ParameterError

NEWEST = date(2026, 7, 31)
TRACKED = pd.DataFrame({"slug": ["aurelia-chat", "lumen", "opal"]})


def test_an_empty_day_is_the_newest_and_a_day_is_itself() -> None:
    assert day_of("", NEWEST) == NEWEST
    assert day_of("2026-01-02", NEWEST) == date(2026, 1, 2)


@pytest.mark.parametrize("text", ["2026-02-30", "July", "<b>", "2026-7-1"])
def test_what_is_no_day_is_refused_with_its_form(text: str) -> None:
    with pytest.raises(ParameterError, match="a day is YYYY-MM-DD"):
        day_of(text, NEWEST)


def test_a_day_after_the_data_is_refused_with_their_end() -> None:
    with pytest.raises(IncompleteReportError, match="which end on 2026-07-31"):
        day_of("2026-08-01", NEWEST)


def test_none_named_are_all_and_named_ones_keep_their_order_each_once() -> None:
    assert slugs_of([], TRACKED, NEWEST) == ["aurelia-chat", "lumen", "opal"]
    assert slugs_of(["opal", " lumen", "opal", ""], TRACKED, NEWEST) == ["opal", "lumen"]
    assert slugs_of("opal, lumen", TRACKED, NEWEST) == ["opal", "lumen"]


@pytest.mark.parametrize(
    ("named", "said"),
    [(["aurelia"], "did you mean aurelia-chat"), (["zzz"], "no platform 'zzz' is tracked on 2026-07-31"),
     ([3], "no platform '3'"), (["opal"], "takes 2 to 2 slugs, not 1"), (["opal", "lumen", "aurelia-chat"], "not 3")],
)  # fmt: skip
def test_unknown_too_few_and_too_many_platforms_are_refused(named: list[object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        slugs_of(named, TRACKED, NEWEST, least=2, most=2)


def test_where_none_is_named_the_worst_are_taken_and_too_few_are_refused() -> None:
    ranked = ["opal", "lumen", "aurelia-chat"]
    assert slugs_of("", TRACKED, NEWEST, least=2, most=8, ranked=lambda: ranked) == ["opal", "lumen"]
    assert slugs_of([" "], TRACKED, NEWEST, least=2, most=8, ranked=lambda: ranked) == ["opal", "lumen"]
    assert slugs_of("lumen,opal", TRACKED, NEWEST, least=2, most=8, ranked=lambda: ranked) == ["lumen", "opal"]
    with pytest.raises(IncompleteReportError, match="2 platforms are needed, and 1 tracked on 2026-07-31"):
        slugs_of([], TRACKED, NEWEST, least=2, ranked=lambda: ["opal"])


def test_a_day_before_the_data_is_refused() -> None:
    with pytest.raises(IncompleteReportError, match="no platform was tracked yet on 2026-07-31"):
        slugs_of([], TRACKED[:0], NEWEST)


def test_one_platform_is_the_one_named_or_none() -> None:
    assert one_slug(" ", TRACKED, NEWEST) == ""
    assert one_slug(" aurelia-chat", TRACKED, NEWEST) == "aurelia-chat"


@pytest.mark.parametrize(
    ("slug", "said"),
    [("aurelia", "did you mean aurelia-chat"), ("aurelia-chat,lumen", "one slug"), ("Lumen", "did you mean lumen"),
     ("x" * 5000, "lists all")],
)  # fmt: skip
def test_a_platform_that_is_not_tracked_ends_with_one_line_that_helps(slug: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said) as raised:
        one_slug(slug, TRACKED, NEWEST)
    assert len(str(raised.value)) < 200


def test_where_no_platform_was_tracked_there_is_no_worst() -> None:
    with pytest.raises(IncompleteReportError, match="no platform was tracked"):
        one_slug("", TRACKED[:0], NEWEST)


def test_quarters_end_before_the_day_itself() -> None:
    assert quarter_ends(date(2026, 6, 30), 2) == [date(2025, 12, 31), date(2026, 3, 31), date(2026, 6, 30)]
    assert quarter_ends(date(2026, 7, 1), 1) == [date(2026, 6, 30), date(2026, 7, 1)]


def test_a_surface_is_a_known_one_or_one_of_the_data() -> None:
    assert surface_of("training_use", ()) == "training_use"
    assert surface_of(" model_weights ", ["model_weights"]) == "model_weights"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("training use", "did you mean training_use"),
        ("", "the surfaces are training_use, "),
        ("<script>", "'<script>'"),
    ],
)
def test_what_is_no_surface_is_refused_with_the_nearest_or_all(named: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        surface_of(named, ())


def test_a_number_of_days_is_itself() -> None:
    assert days_of("unchanged_days", 365) == 365


@pytest.mark.parametrize("value", [0, -3, 1_000_000, True, "365", 1.5])
def test_what_is_no_number_of_days_is_refused_by_its_name(value: object) -> None:
    with pytest.raises(ParameterError, match="unchanged_days is a whole number of days from 1 to"):
        days_of("unchanged_days", value)
