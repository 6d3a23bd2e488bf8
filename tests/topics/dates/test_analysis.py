"""The dates ahead, and the calendar of stated dates."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis, frames
from riskanalytics.errors import ReportError
from riskanalytics.frames import DATES_COLUMNS
from tests.topics.given import HOSTILE


def stated(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return stated dates of one platform."""
    place = {"document": "Terms", "captured_at": "2026-02-03T04:05:06Z", "snapshot_sha256": "ab", "start": 3, "end": 9}
    usual = {"kind": "effective", "date": "2026-03-01", "quote": "Effective 1 March 2026", "provenance": place}
    return frames.dates_frame([{"slug": "opal", "name": "Opal", "dates": [{**usual, **row} for row in rows]}])


def at(**more: str) -> dict[str, Any]:
    return {
        "document": "Terms",
        "captured_at": "2026-02-03T04:05:06Z",
        "snapshot_sha256": "ab",
        "start": 3,
        "end": 9,
        **more,
    }


def test_dates_ahead_are_later_than_the_day_and_the_earliest_is_first() -> None:
    dates = stated(
        {"date": "2026-03-03", "kind": "objection"}, {}, {"date": "2026-03-02"}, {"date": "2026-04-01", "kind": "updated"},
        {"date": None, "period": "P30D", "kind": "notice"},
    )  # fmt: skip
    ahead = analysis.dates_ahead(dates, date(2026, 3, 1))
    assert ahead[["kind", "date"]].astype(str).values.tolist() == [
        ["effective", "2026-03-02 00:00:00+00:00"], ["objection", "2026-03-03 00:00:00+00:00"],
    ]  # fmt: skip
    assert list(ahead.columns) == list(DATES_COLUMNS)
    named = stated({"date": "2026-03-03"}, {}, {"kind": "objection"}, {}).assign(name=["Arvo", "opal", "Lumen", "Arvo"])
    later = analysis.dates_ahead(named, date(2026, 2, 1))
    assert later["name"].tolist() == ["Arvo", "Lumen", "opal", "Arvo"]
    none = analysis.dates_ahead(stated(), date(2026, 3, 1))
    assert (len(none), none.dtypes.tolist()) == (0, dates.dtypes.tolist())


def test_a_calendar_has_an_event_for_each_stated_day() -> None:
    dates = stated(
        {
            "quote": "Effective *1 March 2026*; see\\\nSection 2, too",
            "provenance": at(archive_url="https://a.example/terms"),
        },
        {"date": "2026-04-01", "kind": "updated"},
        {"date": None, "period": "P30D", "kind": "notice"},
    )
    assert analysis.calendar(dates).split("\r\n") == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//riskanalytics//stated dates//EN",
        "BEGIN:VEVENT",
        "UID:477e47f02f98f611970631acf9aa517c@riskanalytics",
        "DTSTAMP:20260203T040506Z",
        "DTSTART;VALUE=DATE:20260301",
        r"SUMMARY:Opal\, Terms: takes effect",
        r"DESCRIPTION:Effective 1 March 2026\; see\\ Section 2\, too",
        "URL:https://a.example/terms",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_an_event_keeps_its_identifier_while_platform_document_kind_and_day_stay_the_same() -> None:
    def uids(*rows: dict[str, Any]) -> list[str]:
        return [line for line in analysis.calendar(stated(*rows)).split("\r\n") if line.startswith("UID:")]

    later = {"quote": "Other words", "provenance": at(captured_at="2026-02-09T00:00:00Z", snapshot_sha256="cd")}
    (one,) = uids({})
    assert uids(later) == uids({}, later) == [one]
    assert "DTSTAMP:20260209T000000Z\r\n" in analysis.calendar(stated({}, later)), "the newest capture counts"
    assert uids({}, {"kind": "objection"}, later) == [one, *uids({"kind": "objection"})]
    others = uids({"kind": "objection"}, {"date": "2026-03-02"}, {"provenance": at(document="Privacy")})
    assert len({one, *others}) == 4


def test_long_lines_are_folded_at_75_octets_without_cutting_a_character() -> None:
    words = "Übergröße 😀 条款 " * 12
    text = analysis.calendar(stated({"quote": words, "provenance": at(document="条款" * 30)}))
    assert text.endswith("\r\n")
    assert max(len(line.encode()) for line in text.split("\r\n")) == 75
    unfolded = text.replace("\r\n ", "")
    assert f"DESCRIPTION:{' '.join(words.split())}" in unfolded
    assert f"SUMMARY:Opal\\, {'条款' * 30}: takes effect" in unfolded


def test_words_of_others_add_no_line_and_no_address() -> None:
    inject = "x\r\nEND:VEVENT\r\nBEGIN:VALARM\x0b\x85\u2028"
    place = at(document=inject, archive_url="javascript:alert(1)\r\nX:1")
    dates = stated({"kind": f"new{inject}", "quote": HOSTILE + inject, "provenance": place})
    text = analysis.calendar(dates.assign(name=[inject], slug=[inject]))
    assert len(dates) == 1
    lines = text.replace("\r\n ", "").split("\r\n")
    assert [line.partition(":")[0] for line in lines] == [
        "BEGIN", "VERSION", "PRODID", "BEGIN", "UID", "DTSTAMP", "DTSTART;VALUE=DATE", "SUMMARY", "DESCRIPTION", "TRANSP", "END",
        "END", "",
    ]  # fmt: skip
    assert text.replace("\r\n", "").isprintable()


def test_a_missing_name_or_capture_is_replaced() -> None:
    dates = stated({"provenance": {"document": "Terms"}}).assign(name=[None])
    text = analysis.calendar(dates)
    assert "DTSTAMP:20260301T000000Z\r\n" in text
    assert "SUMMARY:opal\\, Terms: takes effect\r\n" in text


def test_another_frame_is_refused() -> None:
    with pytest.raises(ReportError, match=r"calendar: the frame lacks the column\(s\) date"):
        analysis.calendar(stated({}).drop(columns="date"))
    with pytest.raises(ReportError, match="dates_ahead"):
        analysis.dates_ahead(pd.DataFrame({"kind": []}), date(2026, 3, 1))
