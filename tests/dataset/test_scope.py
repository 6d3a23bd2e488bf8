"""Days and platforms that parameters name: read kindly, refused in one line that says what to do."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from riskanalytics.dataset.scope import day_of, days_of, slugs_of, span_of_month, span_since, surface_of
from riskanalytics.errors import IncompleteReportError, ParameterError

NEWEST = date(2026, 7, 31)
TRACKED = pd.DataFrame({"slug": ["aurelia-chat", "lumen", "opal"]})


def test_an_empty_day_is_the_newest_and_a_day_is_itself() -> None:
    assert day_of("", NEWEST) == NEWEST
    assert day_of("2026-01-02", NEWEST) == date(2026, 1, 2)


@pytest.mark.parametrize("text", ["2026-02-30", "July", "<b>", "2026-7-1"])
def test_an_invalid_day_is_refused_with_the_expected_form(text: str) -> None:
    with pytest.raises(ParameterError, match="a day is YYYY-MM-DD"):
        day_of(text, NEWEST)


def test_a_day_after_the_data_is_refused_with_their_end() -> None:
    with pytest.raises(IncompleteReportError, match="which end on 2026-07-31"):
        day_of("2026-08-01", NEWEST)


def test_no_names_mean_all_platforms_and_names_keep_their_order_without_repeats() -> None:
    assert slugs_of([], TRACKED, NEWEST) == ["aurelia-chat", "lumen", "opal"]
    assert slugs_of(["opal", " lumen", "opal", ""], TRACKED, NEWEST) == ["opal", "lumen"]
    assert slugs_of("opal, lumen", TRACKED, NEWEST) == ["opal", "lumen"]


@pytest.mark.parametrize(
    ("named", "said"),
    [(["aurelia"], "did you mean aurelia-chat"), (["zzz"], "no platform 'zzz' is tracked on 2026-07-31"),
     ([3], "no platform '3'"), (["opal"], "give 2 to 2 slugs, not 1"), (["opal", "lumen", "aurelia-chat"], "not 3")],
)  # fmt: skip
def test_unknown_too_few_and_too_many_platforms_are_refused(named: list[object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        slugs_of(named, TRACKED, NEWEST, least=2, most=2)
    with pytest.raises(ParameterError, match="give at least 2 slugs, not 1"):
        slugs_of(["opal"], TRACKED, NEWEST, least=2)


def test_a_day_before_the_data_is_refused() -> None:
    with pytest.raises(IncompleteReportError, match="no platform was tracked yet on 2026-07-31"):
        slugs_of([], TRACKED[:0], NEWEST)


@pytest.mark.parametrize(
    ("slug", "said"),
    [("aurelia", "did you mean aurelia-chat"), ("aurelia-chat,lumen", "give one slug, not 2"), ("Lumen", "did you mean lumen"),
     ("x" * 5000, "lists all")],
)  # fmt: skip
def test_a_platform_that_is_not_tracked_ends_with_one_line_that_helps(slug: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said) as raised:
        slugs_of(slug, TRACKED, NEWEST, most=1)
    assert len(str(raised.value)) < 200


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
def test_an_unknown_surface_is_refused_with_the_nearest_or_all_surfaces(named: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        surface_of(named, ())


def test_a_valid_number_of_days_is_returned_unchanged() -> None:
    assert [days_of("unchanged_days", days) for days in (1, 365, 36_500)] == [1, 365, 36_500]


@pytest.mark.parametrize("value", [0, -3, 1_000_000, True, "365", 1.5])
def test_an_invalid_number_of_days_is_refused_by_parameter_name(value: object) -> None:
    with pytest.raises(ParameterError, match="unchanged_days must be a whole number from 1 to"):
        days_of("unchanged_days", value)


END = date(2026, 10, 31)


def test_a_month_begins_after_the_last_day_of_the_one_before_and_looks_back_on_twelve() -> None:
    span = span_of_month("2026-03", END)
    assert (span.before, span.first, span.until, span.after) == (
        date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 31), date(2026, 4, 1)
    )  # fmt: skip
    assert (span.title, span.name, span.kind, span.since) == ("March 2026", "2026-03", "month", "")
    assert span.recorded_from == date(2025, 4, 1)


@pytest.mark.parametrize(
    ("day", "title"),
    [(date(2026, 8, 15), "16 August 2026 to 31 October 2026"), (date(2025, 12, 31), "1 January 2026 to 31 October 2026"),
     (date(2026, 10, 29), "30 October 2026 to 31 October 2026"), (date(2026, 10, 30), "31 October 2026"),
     (END, "no day after 31 October 2026")],
)  # fmt: skip
def test_the_days_since_a_day_begin_on_the_next_and_end_with_the_data(day: date, title: str) -> None:
    span = span_since(day, END)
    assert span.title == title
    assert (span.before, span.until, span.since, span.kind) == (day, END, str(day), "period")
    assert span.recorded_from is None
    assert (span.after - span.first).days == (END - day).days


def test_a_period_that_covers_a_month_is_named_differently_from_the_month() -> None:
    month, days = span_of_month("2026-10", END), span_since(date(2026, 9, 30), END)
    assert (month.first, month.after) == (days.first, days.after)
    assert (month.name, days.name) == ("2026-10", "since-2026-09-30-to-2026-10-31")


def test_a_day_after_the_data_is_refused_with_their_last_day() -> None:
    with pytest.raises(IncompleteReportError, match="2026-11-01 is after the data, which end on 2026-10-31"):
        span_since(date(2026, 11, 1), END)


@pytest.mark.parametrize(("day", "title"), [(1, "1 August 2026"), (22, "1 August 2026 to 22 August 2026")])
def test_an_incomplete_month_is_named_with_its_last_day(day: int, title: str) -> None:
    assert span_of_month("2026-08", date(2026, 8, day)).title == title


@pytest.mark.parametrize(
    ("newest", "month"),
    [(date(2026, 7, 30), "2026-06"), (NEWEST, "2026-07"), (date(2026, 8, 1), "2026-07"), (date(2026, 1, 1), "2025-12")],
)
def test_without_a_month_the_last_complete_one_is_taken_and_the_refusal_of_a_later_one_names_it(
    newest: date, month: str
) -> None:
    assert span_of_month("", newest).name == month
    with pytest.raises(IncompleteReportError, match=f"2026-09 is after the data.*; the last full month is {month}$"):
        span_of_month("2026-09", newest)


def test_a_complete_month_is_named_as_a_whole() -> None:
    for newest in (date(2026, 8, 31), date(2026, 9, 2)):
        assert span_of_month("2026-08", newest).title == "August 2026"
