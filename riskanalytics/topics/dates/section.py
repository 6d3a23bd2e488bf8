"""Page sections on the dates that documents state: all of one platform, and those ahead."""

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import DATE_KINDS
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.section import Section, of_data, section, sentence
from riskanalytics.text.wording import plural

from ..shape import Record, word_of

__all__ = ["dates_ahead", "stated_dates"]

_UNITS = {"D": "day", "W": "week", "M": "month"}
_SHOWN = 6
"""Number of dates of a platform that are shown without a click."""


@of_data(dates="stated_dates")
def stated_dates(dates: pd.DataFrame) -> Section:
    """Return a section with the dates and periods that the documents of a platform state, each with its clause.

    Days come first, the latest on top, then the periods, and the days of a last update at the end.

    Parameters
    ----------
    dates : pandas.DataFrame
        Stated dates (`data.dates`), after `data.verify`.

    Examples
    --------
    >>> sections.stated_dates(data.verify(data.of(["agent-by-yoralow"]).dates)).text
    '4 stated dates'
    """
    rows = rows_of(dates.sort_values("date", ascending=False, kind="stable"))
    rows.sort(key=lambda row: row["kind"] == "updated")
    if not rows:
        return sentence("The documents state no date that can be read.")
    shown = show.first_shown([show.quote(row, mark=_mark(row)) for row in rows], _SHOWN, "more date")
    return section("Stated dates", *shown, text=plural(len(rows), "stated date"))


@of_data(ahead="dates_ahead")
def dates_ahead(ahead: pd.DataFrame) -> Section:
    """Return a section with the days ahead on which documents take effect, or until which customers can object or opt out.

    Without such a day, the section is empty.

    Parameters
    ----------
    ahead : pandas.DataFrame
        Result of `analysis.dates_ahead`, after `data.verify`.

    Examples
    --------
    >>> sections.dates_ahead(data.verify(analysis.dates_ahead(data.dates, data.day))).text
    'no date ahead'
    """
    rows = rows_of(ahead)
    if not rows:
        return Section((), "no date ahead")
    quotes = [show.quote(row, mark=(show.name(word_of(row["name"]) or row["slug"]), ": ", _mark(row))) for row in rows]
    parts = v.Heading("Dates ahead"), *show.first_shown(quotes, _SHOWN, "more date")
    return section("Dates ahead", *parts, text=f"{plural(len(rows), 'date')} ahead")


def _mark(row: Record) -> v.Words:
    """Return the day or period of a row, and what it is."""
    when = show.day(row["date"]) or word_of(row["period"])
    if is_missing(row["date"]) and when[:1] == "P" and when[1:-1].isdecimal() and when[-1] in _UNITS:
        when = plural(int(when[1:-1]), _UNITS[when[-1]])
    return v.Text(when, "strong"), " ", DATE_KINDS.get(word_of(row["kind"]), word_of(row["kind"]))
