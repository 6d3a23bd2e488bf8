"""The page's sections on stated dates."""

from __future__ import annotations

from datetime import date

from riskanalytics import analysis, sections
from tests.topics.dates.test_analysis import at, stated
from tests.topics.given import HOSTILE, read


def test_a_platform_shows_its_days_then_its_periods_and_the_days_of_a_last_update_at_the_end() -> None:
    section = sections.stated_dates(
        stated(
            {"date": None, "period": "P30D", "kind": "notice", "quote": "We give 30 days' notice."},
            {"date": "2026-02-01", "kind": "updated", "quote": "Updated 1 February 2026"},
            {"date": "2026-02-01"},
            {},
            {"date": None, "period": "P1M", "kind": "objection", "quote": "Object within one month."},
            {"date": None, "period": "P10W", "kind": "unforeseen", "quote": "Ten weeks."},
            {"date": None, "period": "PT5H", "kind": "notice", "quote": "Five hours."},
            {"date": None, "period": "P1Y6M", "kind": "notice", "quote": "A year and a half."},
        ).assign(verification_status="verified")
    )
    words = read(section.html)
    assert section.text == "8 stated dates"
    order = [
        "Effective 1 March 2026|2026-03-01|takes effect |Terms · ", "Effective 1 March 2026|2026-02-01|takes effect |",
        "We give 30 days' notice.|30 days|notice period |", "Object within one month.|1 month|time to object or opt out |",
        "Ten weeks.|10 weeks|unforeseen |", "Five hours.|PT5H|notice period |",
        "2 more dates|A year and a half.|P1Y6M|notice period |", "Updated 1 February 2026|2026-02-01|last updated |",
    ]  # fmt: skip
    places = [words.find(line) for line in order]
    assert (min(places) > 0, places) == (True, sorted(places))
    assert "characters 3–9" in words
    assert "verified" in words


def test_without_dates_a_platform_has_one_sentence_and_a_month_nothing() -> None:
    assert sections.stated_dates(stated()).text == "The documents state no date that can be read."
    section = sections.dates_ahead(stated())
    assert (section.parts, section.text) == ((), "no date ahead")


def test_dates_ahead_name_their_platform() -> None:
    dates = stated({}, {"date": "2026-02-01"}).assign(name=["Opal", None])
    section = sections.dates_ahead(analysis.dates_ahead(dates, date(2026, 1, 1)))
    words = read(section.html)
    assert section.text == "2 dates ahead"
    assert "|Dates ahead|" in words
    assert words.index("|opal|: |2026-02-01|takes effect |") < words.index("|Opal|: |2026-03-01|takes effect |")
    assert sections.dates_ahead(dates[:1]).text == "1 date ahead"


def test_words_of_others_stay_words() -> None:
    section = sections.stated_dates(stated({"quote": HOSTILE, "kind": HOSTILE, "provenance": at(document=HOSTILE)}))
    assert "<script>alert" not in section.html
    assert "<img" not in section.html
