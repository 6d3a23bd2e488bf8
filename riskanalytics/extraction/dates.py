"""Find the dates and periods that a policy states: when it was updated, when it takes effect, and how long a customer can object.

A date is returned if the text names its day, month and year in a form that can be read in one way only (not 03/04/2026). Periods
in business days are left out. Dates are read in English, German, French, Spanish, Chinese and Japanese, periods in English. The
patterns (`rules/dates.toml`) look at a bounded number of characters, so the time is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from typing import Final, NamedTuple

from riskanalytics.text.substance import SPELLED_OUT

from .plain import language_of, plain
from .rules import NamedPatterns
from .segment import segment

_PATTERNS: Final = NamedPatterns("dates.toml")
VERSION: Final = sha256(_PATTERNS.table.model_dump_json().encode()).hexdigest()[:6]
"""Version of the patterns."""
_FORMS: Final = ("day_first", "month_first", "year_first", "han", "digits")
"""Names of the patterns of dates."""
_NUMBERS: Final = SPELLED_OUT | {"fourteen": 14, "twenty-one": 21, "forty-five": 45}
_LONGEST: Final = 1_500
"""Maximum length of a clause in which dates are sought, in characters."""
_LINE: Final = 120
"""A year within this number of characters from the beginning of a line may be the year of an edit."""
_HEAD, _FOOT = 3_000, 1_500
"""Number of characters at the beginning and end of a document in which a date is that of the whole document, not of a part."""
_MOST_DAYS: Final = 2
"""A clause that names more days than this is taken for a list of versions, and its dates are left out."""
_BEFORE, _AFTER = 250, 200
"""Number of characters before and after a date or period that decide its kind."""


class StatedDate(NamedTuple):
    """A date or period that a document states.

    Parameters
    ----------
    kind : str
        `updated`, `effective`, `notice` or `objection`: see `models.records.StatedDate`.
    date : str or None
        Day in ISO 8601; None for a period.
    period : str or None
        Duration in ISO 8601, such as `P30D`; None for a day.
    quote : str
        The clause that states it, verbatim.
    start, end : int
        Offsets of the quote in the text, in Unicode code points.
    """

    kind: str
    date: str | None
    period: str | None
    quote: str
    start: int
    end: int


def stated_dates(text: str, *, periods: bool = True) -> tuple[StatedDate, ...]:
    r"""Return the dates and periods that a document states, in the order of the text.

    A date that several clauses state, such as a date on top of each page, is returned once for each kind, with its first clause.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    periods : bool
        Whether to return periods too; without them, the function takes a third of the time.

    Examples
    --------
    >>> found = stated_dates("Last updated: 2 May 2026\n\nYou may opt out within 30 days of first accepting these terms.")
    >>> [(one.kind, one.date or one.period) for one in found]
    [('updated', '2026-05-02'), ('objection', 'P30D')]
    """
    found: dict[tuple[str, str], StatedDate] = {}
    place = 0
    for line in text.split("\n"):
        dated = _PATTERNS["year"].search(line) is not None
        worth = dated or (periods and _PATTERNS["unit"].search(line))
        for clause in segment(_PATTERNS["point"].sub(",", line)) if worth else ():
            quote = line[clause.start : clause.end]
            words = plain(quote) if len(quote) <= _LONGEST else ""
            for kind, day, period in (*(_days(words, text) if dated else ()), *(_periods(words) if periods else ())):
                one = StatedDate(kind, day, period, quote, place + clause.start, place + clause.end)
                found.setdefault((kind, day or f"{period} {words}"), one)
        place += len(line) + 1
    return tuple(found.values())


def silent_edit(before: str, after: str, since: str) -> bool | None:
    r"""Return whether a document was edited without a change of its stated "last updated" date.

    Parameters
    ----------
    before, after : str
        Two texts of the document that differ in substance.
    since : str
        Time at which the earlier text was captured, ISO 8601 UTC.

    Returns
    -------
    bool or None
        True if both texts state the same date of their last update and the same dates of effect. False if one of these dates
        differs. None if it cannot be known:

        - one of the texts states no date of its last update;
        - the later text states several such dates (of its parts), or states the date neither at its beginning nor at its end;
        - the later text may state the edit elsewhere: a new line names a later day, or has a year near its beginning, such as
          a label with a month only, or an entry in a list of changes;
        - the stated date is the day of `since` or later, so the edit may have been made on the stated date.

    Examples
    --------
    >>> head = "Last updated: 2 May 2026\n\n"
    >>> silent_edit(f"{head}We keep logs for a week.", f"{head}We keep logs for a year.", "2026-06-01")
    True
    """
    both = (stated_dates(text, periods=False) for text in (before, after))
    was, now = ({one[:2]: one for one in stated if one.kind != "objection"} for stated in both)
    updates = [one for one in now.values() if one.kind == "updated"]
    if not updates or not any(kind == "updated" for kind, _ in was):
        return None
    if was.keys() != now.keys():
        return False
    last, new = updates[0], _year_lines(after) - _year_lines(before)
    placed = last.start < _HEAD or len(after) - last.end < _FOOT
    heads = any(_PATTERNS["year"].search(line[:_LINE]) for line in new)
    later = str(last.date) >= since[:10] or any(day > str(last.date) for line in new for day in _all_days(line))
    return None if len(updates) > 1 or not placed or heads or later else True


def _year_lines(text: str) -> set[str]:
    """Return the lines that name a year, as plain words without case."""
    return {plain(line).casefold() for line in text.split("\n") if _PATTERNS["year"].search(line)}


def _all_days(line: str) -> set[str]:
    """Return all days that a line names, in ISO 8601."""
    return {day for form in _FORMS for match in _PATTERNS[form].finditer(line) if (day := _day(match, line))}


def _days(words: str, text: str) -> Iterator[tuple[str, str, None]]:
    """Yield kind and day of each date of a clause."""
    matches = [match for form in _FORMS for match in _PATTERNS[form].finditer(words)]
    # more days are a list of versions
    for match in matches if len(matches) <= _MOST_DAYS else ():
        marked, day = _marked(words, match), _day(match, text)
        if day is not None and not _PATTERNS["not_day"].search(marked):
            yield from ((kind, day, None) for kind in _kinds(marked, "day", ("updated", "effective", "objection")))


def _periods(words: str) -> Iterator[tuple[str, None, str]]:
    """Yield kind and duration of each period of a clause."""
    for match in _PATTERNS["period"].finditer(words):
        number = match["number"].lower()
        period = f"P{_NUMBERS.get(number) or int(number)}{match['unit'][0].upper()}"
        yield from ((kind, None, period) for kind in _kinds(_marked(words, match), "period", ("objection", "notice")))


def _marked(words: str, match: re.Match[str]) -> str:
    """Return the words around a date or period, with the sign ¤ in its place."""
    return f"{words[max(0, match.start() - _BEFORE) : match.start()]}¤{words[match.end() : match.end() + _AFTER]}"


def _kinds(marked: str, what: str, kinds: tuple[str, ...]) -> list[str]:
    """Return the kinds of a marked date or period."""
    barred = "objection" if _PATTERNS["not_objection"].search(marked) else ""
    return [kind for kind in kinds if kind != barred and _PATTERNS[f"{kind}_{what}"].search(marked)]


def _day(match: re.Match[str], text: str) -> str | None:
    """Return the day of a match in ISO 8601; None if it does not exist or can be read in two ways."""
    parts = match.groupdict()
    names = enumerate(_PATTERNS.table.words["month"], start=1)
    named = (number for number, form in names if re.fullmatch(form, parts["name"], re.IGNORECASE))
    year, month, day = int(parts["year"]), int(parts.get("month") or next(named)), int(parts["day"])
    if match.re is _PATTERNS["digits"]:
        german = parts["sign"] == "." and language_of(text) == "de"
        if month <= 12 and day <= 12 and month != day and not german:
            return None
        month, day = (day, month) if german or month > 12 else (month, day)
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
