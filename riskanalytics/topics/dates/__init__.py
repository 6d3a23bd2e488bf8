"""Dates that documents state: a list of those after a given day, and a calendar file of dates (iCalendar, RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from hashlib import sha256
from typing import Final

import pandas as pd

from riskanalytics.models import DATE_KINDS
from riskanalytics.pages.rows import quoted
from riskanalytics.text.untrusted import is_public, visible_line

from .. import shape

__all__ = ["calendar", "dates_ahead"]

_OCTETS: Final = 75
"""Maximum length of a line of a calendar file, without the CRLF at its end."""
_ESCAPED: Final = {ord(mark): f"\\{mark}" for mark in "\\;,"}


def dates_ahead(dates: pd.DataFrame, day: date) -> pd.DataFrame:
    """Return the days after a given day on which documents take effect, or until which customers can object or opt out.

    Parameters
    ----------
    dates : pandas.DataFrame
        Stated dates (`frames.DATES_COLUMNS`), such as `data.dates`.
    day : date
        Day of the report, such as `data.day`.

    Returns
    -------
    pandas.DataFrame
        The rows with a later day, without those of a last update: the earliest first, then by name. The columns are unchanged.

    Examples
    --------
    >>> announced = data.dates.assign(kind="effective")
    >>> analysis.dates_ahead(announced, announced["date"].max().date())["slug"].tolist()
    []
    """
    known = shape.with_columns(dates, "dates_ahead", "kind", "date", "name")
    later = known["date"] >= shape.instant(day + timedelta(days=1))
    return shape.ordered(known[later & (known["kind"] != "updated")], "date", "name", "kind")


def calendar(dates: pd.DataFrame) -> str:
    r"""Return a calendar with an all-day event for each stated day: the text of an iCalendar file (RFC 5545).

    Parameters
    ----------
    dates : pandas.DataFrame
        Stated dates (`frames.DATES_COLUMNS`), such as `analysis.dates_ahead(data.dates, data.day)`.

    Returns
    -------
    str
        Lines of at most 75 octets that end in CRLF. Days of a last update are left out, and so are periods. An event keeps its
        `UID` while platform, document, kind and day stay the same; its `DTSTAMP` is the time of the capture. Equal data
        therefore give an equal calendar.

    Examples
    --------
    >>> announced = data.of(["alalix-chat"]).dates.head(1).assign(kind="effective")
    >>> print(analysis.calendar(announced).replace("\r\n", "\n"), end="")
    BEGIN:VCALENDAR
    VERSION:2.0
    PRODID:-//riskanalytics//stated dates//EN
    BEGIN:VEVENT
    UID:7d6ef7b3c2f9a50f8b9a7acc79d0e934@riskanalytics
    DTSTAMP:20260831T114200Z
    DTSTART;VALUE=DATE:20260831
    SUMMARY:Alalix Chat\, Privacy Policy: takes effect
    DESCRIPTION:Last updated: 31 August 2026
    TRANSP:TRANSPARENT
    END:VEVENT
    END:VCALENDAR
    """
    rows = shape.records(dates, "calendar", "slug", "name", "kind", "date", "document", "quote", "captured_at")
    events = (_event(row) for row in rows if row["kind"] != "updated" and not pd.isna(row["date"]))
    by_uid = {uid: lines for uid, *lines in events}
    lines = [line for uid, event in by_uid.items() for line in ("BEGIN:VEVENT", uid, *event, "END:VEVENT")]
    whole = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//riskanalytics//stated dates//EN", *lines, "END:VCALENDAR")
    return "".join(f"{line}\r\n" for each in whole for line in _folded(each))


def _event(row: shape.Record) -> list[str]:
    """Return the lines of the event of one stated day, its identifier first."""
    slug, name, document, kind = (shape.word_of(row[key]) for key in ("slug", "name", "document", "kind"))
    address = shape.word_of(row.get("archive_url"))
    parts = "\0".join((slug, document, kind, f"{row['date']:%Y-%m-%d}"))
    stamp: pd.Timestamp = row["date"] if pd.isna(row["captured_at"]) else row["captured_at"]
    return [
        f"UID:{sha256(parts.encode(errors='replace')).hexdigest()[:32]}@riskanalytics",
        f"DTSTAMP:{stamp:%Y%m%dT%H%M%SZ}",
        f"DTSTART;VALUE=DATE:{row['date']:%Y%m%d}",
        f"SUMMARY:{_escaped(f'{name or slug}, {document}: {DATE_KINDS.get(kind, kind)}')}",
        f"DESCRIPTION:{_escaped(quoted(row['quote']))}",
        *([f"URL:{address}"] if is_public(address) else []),
        "TRANSP:TRANSPARENT",
    ]


def _escaped(words: str) -> str:
    """Return untrusted words as a value of type TEXT (RFC 5545, section 3.3.11): one line, its marks escaped."""
    return visible_line(" ".join(words.split())).translate(_ESCAPED)


def _folded(line: str) -> Iterator[str]:
    """Yield the lines into which a line is folded (RFC 5545, section 3.1); no character is cut."""
    part = ""
    for letter in line:
        if len(f"{part}{letter}".encode(errors="replace")) > _OCTETS:
            yield part
            part = " "
        part += letter
    yield part
