"""The platforms that are tracked, as lines of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

import pandas as pd

from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.untrusted import visible_line

_SHOWN: Final = ("slug", "rating", "name", "website")


def listed(platforms: pd.DataFrame, words: str = "") -> list[dict[str, str]]:
    """Return the platforms whose slug, name or website has some words, by slug.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `frames.PLATFORMS_COLUMNS`.
    words : str
        In any case; empty for all.

    Raises
    ------
    RiskAnalyticsError
        If there is none: the nearest slugs are told.
    """
    told = platforms[list(_SHOWN)].astype("str").fillna("")
    searched = told["slug"] + "\n" + told["name"] + "\n" + told["website"]
    found = told[searched.str.casefold().str.contains(words.strip().casefold(), regex=False)]
    if found.empty:
        near = get_close_matches(words.strip().casefold()[:60], told["slug"], n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise RiskAnalyticsError(f"none of the {len(told):,} tracked platforms has {words[:60]!r}{hint}")
    return [{name: str(row[name]) for name in _SHOWN} for row in found.to_dict("records")]


def as_lines(rows: Sequence[dict[str, str]]) -> Iterable[str]:
    """Give the lines of a table, its columns aligned; nothing in them is hidden.

    Parameters
    ----------
    rows : sequence of dict
        As `listed` gives them.
    """
    shown = [[visible_line(row[name]) for name in _SHOWN] for row in [{name: name for name in _SHOWN}, *rows]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        yield "  ".join(word.ljust(wide) for word, wide in zip(row, widths, strict=True)).rstrip()
