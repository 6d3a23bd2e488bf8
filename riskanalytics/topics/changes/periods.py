"""A period beside the earlier ones of equal length: how unusual the number of its material changes is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pandas as pd

from riskanalytics.frames import TIME
from riskanalytics.topics.changes.analysis import Moment
from riskanalytics.topics.shape import instant, shaped, with_columns

__all__ = ["equal_periods"]

PERIOD_COLUMNS: Final = {"since": TIME, "until": TIME, "changes": "Int64", "first_change": TIME, "platforms": "Int64"}


def equal_periods(
    changes: pd.DataFrame | None,
    since: Moment,
    until: Moment,
    slugs: Iterable[str] | None = None,
    *,
    most: int = 12,
    history: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Count the material changes of a period, and of the periods of equal length before it.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        All that are recorded: `slug`, `change_class`, `reviewed_at`. None where changes are not known.
    since, until : str, date or datetime
        Half-open period [since, until) in UTC; a date is its midnight in UTC.
    slugs : iterable of str, optional
        The platforms whose changes count; all where None.
    most : int
        Earlier periods at most.
    history : pandas.DataFrame, optional
        `frames.HISTORY_COLUMNS` of these platforms: tells how many of them were tracked when a period began.

    Returns
    -------
    pandas.DataFrame
        `since`, `until` time (half-open), `changes` Int64 (material ones; missing where changes are not known),
        `first_change` time (the first on record, of any platform and class; missing where there is none), `platforms`
        Int64 (tracked at the newest date of the history before the period: one that was not tracked yet has no changes
        in it; missing where the history does not tell). The oldest period first, the one asked for last; none begins
        before the first change on record, but for the one asked for.

    Examples
    --------
    >>> periods = analysis.equal_periods(data.changes(), "2026-08-16", "2026-11-01", most=2)
    >>> periods[["since", "until", "changes"]]
                          since                     until  changes
    0 2026-03-15 00:00:00+00:00 2026-05-31 00:00:00+00:00       31
    1 2026-05-31 00:00:00+00:00 2026-08-16 00:00:00+00:00       17
    2 2026-08-16 00:00:00+00:00 2026-11-01 00:00:00+00:00       16
    """
    starts, after = [instant(since)], instant(until)
    length = after - starts[0]
    if changes is None:
        return shaped([{"since": starts[0], "until": after}], PERIOD_COLUMNS)
    told = with_columns(changes, "equal_periods", "slug", "change_class", "reviewed_at")
    begun = told["reviewed_at"].min()
    while length and len(starts) <= most and starts[-1] - begun >= length:
        starts.append(starts[-1] - length)
    counted = told["change_class"] == "material"
    if slugs is not None:
        counted &= told["slug"].isin(list(slugs))
    moments = told.loc[counted, "reviewed_at"]
    rows = (
        {
            "since": start,
            "until": start + length,
            "changes": int(moments.between(start, start + length, inclusive="left").sum()),
            "first_change": begun,
            "platforms": _tracked(history, start),
        }
        for start in reversed(starts)
    )
    return shaped(rows, PERIOD_COLUMNS)


def _tracked(history: pd.DataFrame | None, start: pd.Timestamp) -> int | None:
    """Return how many platforms were tracked at the newest date before a period; None where that is not known."""
    if history is None:
        return None
    told = with_columns(history, "equal_periods", "slug", "date", "known")
    before = told[told["date"] < start]
    then = before[before["date"] == before["date"].max()]
    return then["slug"].nunique() if len(then) and then["known"].all() else None
