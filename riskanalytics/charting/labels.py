"""Words on figures: escaped, cleaned, cut with a mark, counted and shared in one way."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from math import isnan
from typing import Any

import pandas as pd

from riskanalytics import wording
from riskanalytics.wording import plural

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def label(text: object, width: int = 60) -> str:
    """Return data-derived text as it may stand in a figure.

    plotly reads labels as HTML: `&`, `<` and `>` are escaped. Control, zero-width and direction characters
    become a visible mark, white space one blank, and text longer than `width` characters ends in an ellipsis.
    """
    if text is None or text is pd.NA or (isinstance(text, float) and isnan(text)):
        return ""
    plain = str(text)[: 4 * width]
    shown = _HIDDEN.sub("\ufffd", re.sub(r"[ \t\r\n]+", " ", plain).strip())
    if len(shown) > width or len(str(text)) > len(plain):
        shown = shown[: width - 1].rstrip() + "…"
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def wrapped(text: str, width: int = 42) -> str:
    """Return a title of ours broken into lines of at most `width` characters, for narrow screens."""
    return "<br>".join(textwrap.wrap(text, width, break_long_words=False))


def count(number: Any, noun: str = "") -> str:
    """Return a count with thousands separated, and its noun in the right number; `?` where missing."""
    if pd.isna(number):
        return f"? {noun}s" if noun else "?"
    return plural(int(number), noun) if noun else f"{int(number):,}"


def percent(ratio: Any) -> str:
    """Return a share 0..1 in whole percent, as `wording.percent` does; `no share` where missing."""
    return "no share" if pd.isna(ratio) else wording.percent(float(ratio))


def month_ticks(months: Sequence[Any]) -> list[str]:
    """Return labels for an axis of months: each third counted from the last, the year where it begins to hold."""
    shown = [month for place, month in enumerate(months) if (len(months) - 1 - place) % 3 == 0]
    told = {
        month: f"{month:%b}<br>{month:%Y}"
        for month, before in zip(shown, [None, *shown], strict=False)
        if before is None or before.year != month.year
    }
    return [told.get(month, f"{month:%b}") if month in shown else "" for month in months]
