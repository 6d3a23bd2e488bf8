"""Words on figures: escaped, cleaned, cut with a mark, counted and shared in one way."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from datetime import date

from riskanalytics.frames import is_missing
from riskanalytics.pages.rows import number
from riskanalytics.text import wording
from riskanalytics.text.untrusted import marked
from riskanalytics.text.wording import plural


def label(text: object, width: int = 60) -> str:
    """Return data-derived text as it may stand in a figure.

    plotly reads labels as HTML: `&`, `<` and `>` are escaped. What no reader sees (controls, zero-width and direction
    characters) becomes a visible mark, white space one blank, and text longer than `width` characters ends in an ellipsis.
    """
    if is_missing(text):
        return ""
    plain = str(text)[: 4 * width]
    shown = marked(re.sub(r"[ \t\r\n]+", " ", plain).strip())
    if len(shown) > width or len(str(text)) > len(plain):
        shown = shown[: width - 1].rstrip() + "…"
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def wrapped(text: str, width: int = 42) -> str:
    """Return a title of ours broken into lines of at most `width` characters, for narrow screens."""
    return "<br>".join(textwrap.wrap(text, width, break_long_words=False))


def count(value: object, noun: str = "") -> str:
    """Return a count with thousands separated, and its noun in the right number; `?` where missing."""
    if is_missing(value):
        return f"? {noun}s" if noun else "?"
    return plural(int(number(value)), noun) if noun else f"{int(number(value)):,}"


def percent(ratio: object) -> str:
    """Return a share 0..1 in whole percent, as `wording.percent` does; `no share` where missing."""
    return "no share" if is_missing(ratio) else wording.percent(number(ratio))


def month_ticks(months: Sequence[date]) -> list[str]:
    """Return labels for an axis of months: each third counted from the last, the year where it begins to hold."""
    shown = [month for place, month in enumerate(months) if (len(months) - 1 - place) % 3 == 0]
    told = {
        month: f"{month:%b}<br>{month:%Y}"
        for month, before in zip(shown, [None, *shown], strict=False)
        if before is None or before.year != month.year
    }
    return [told.get(month, f"{month:%b}") if month in shown else "" for month in months]
