"""The platforms that are tracked, as lines of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

import pandas as pd

from riskanalytics.client import Problems
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.text.untrusted import visible_line
from riskanalytics.topics.monthly.portfolio import TRACKED_COLUMNS, tracked_platforms

_SHOWN: Final = tuple(TRACKED_COLUMNS)


def listed(platforms: pd.DataFrame, words: str = "") -> list[dict[str, str]]:
    """Return the platforms that have some words, as `analysis.tracked_platforms` finds them.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `frames.PLATFORMS_COLUMNS`.
    words : str
        Empty for all.

    Raises
    ------
    RiskAnalyticsError
        If there is none: the nearest slugs are told.
    """
    found = tracked_platforms(platforms, words).astype("str").fillna("")
    if found.empty:
        near = get_close_matches(words.strip().casefold()[:60], platforms["slug"], n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise RiskAnalyticsError(f"none of the {len(platforms):,} tracked platforms has {words[:60]!r}{hint}")
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


def problem_lines(problems: Problems) -> list[str]:
    """Return what could not be read, a line for each; nothing in them is hidden.

    Parameters
    ----------
    problems : Problems
    """
    return [visible_line(f"{slug}: {what}" if slug else what) for slug, what, _ in problems]
