"""Charts of coverage: platforms by state of verification, its course, the age of texts, and quiet surfaces."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import VERIFICATIONS
from riskanalytics.pages import figures
from riskanalytics.pages.chart import Chart, draws
from riskanalytics.pages.figures import HATCH, canvas, count, empty, label, numbers, percent
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import PAGE
from riskanalytics.topics.coverage import COVERAGE_COLUMNS, QUIET_SURFACE_COLUMNS
from riskanalytics.topics.coverage.documents import FRESHNESS_COLUMNS, unchanged, unread, unread_words

__all__ = ["coverage", "coverage_history", "freshness", "quiet_surfaces"]

_PROBLEMS: Final = ("stale", "partial", "unverified")
_FLAG_NAMES: Final = {
    "": "current",
    "unchanged": "long unchanged",
    "stale": "broken, last good text",
    "broken": "broken, never good",
    "not_a_policy": "not a policy",
    "language": "in a language that is not read",
    "after now": "dated after now",
    "no date": "without a date",
}
_AGES: Final = ["name", "document", "captured_at", "age_days", "state", "flag"]
"""Columns of the numbers behind the chart of ages."""
_BIN_DAYS: Final = 90
"""About a bar's width; whole bars fit into the days after which a text is flagged."""
_QUIETEST: Final = 4
"""Surfaces that the words of the chart of quiet surfaces name."""


@draws(COVERAGE_COLUMNS, "How much is verified?", "The service does not tell its coverage.")
def coverage(coverage: pd.DataFrame, *, kind: str = "tracked platform", height: int = 240) -> Chart:
    """Draw how many platforms are verified, partial, stale and unverified.

    Parameters
    ----------
    coverage : pandas.DataFrame
        What `analysis.coverage` or `analysis.portfolio_coverage` returned.
    kind : str
        What one of the platforms is called: a `tracked platform`, or a `portfolio platform`.
    height : int
        Pixels.

    Returns
    -------
    Chart
        A bar for each state, hatched where the platforms are not verified.

    Examples
    --------
    >>> print(charts.coverage(analysis.coverage(data.coverage)).title)
    285 of 320 tracked platforms verified (89 %)
    """
    return Chart("coverage", _coverage_figure(coverage, kind, height), _coverage_words(coverage, kind), coverage)


def _coverage_figure(coverage: pd.DataFrame, kind: str, height: int) -> go.Figure:
    """Return the bars of the states."""
    if coverage["platforms"].isna().all():
        return empty("How much is verified?", "The service does not tell its coverage.")
    row = coverage[coverage["state"] == "verified"].iloc[0]
    tracked = count(row["tracked"], kind)
    title = f"{count(row['platforms'])} of {tracked} verified ({percent(row['share'])})"
    if not coverage["consistent"].all():
        title += "; the states do not add up to the platforms tracked"
    solid = coverage["state"] == VERIFICATIONS[0]
    return figures.share_bars(title, coverage, ("state", "platforms"), figures.hatched(solid), "Platforms", height)


def _coverage_words(coverage: pd.DataFrame, kind: str) -> str:
    """Return the number and share of each state in words."""
    if coverage["platforms"].isna().all():
        return "How many platforms are verified is not known."
    return f"Of {count(coverage['tracked'].iloc[0], kind)}: {figures.counted(coverage, 'state', 'platforms')}."


@draws(
    COVERAGE_COLUMNS,
    "How did coverage move?",
    "The counts of earlier days are not known.",
    unknown="How coverage moved is not known: the service tells only today's state.",
)
def coverage_history(coverage_history: pd.DataFrame, *, height: int = 320) -> Chart:
    """Draw how many platforms were not verified over time, one row for each state, all to the same scale.

    Parameters
    ----------
    coverage_history : pandas.DataFrame
        What `analysis.coverage_history` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        A stepped line for each state; the title gives the share that is verified.

    Examples
    --------
    >>> history = analysis.coverage_history(data.coverage_history(months=3))
    >>> print(charts.coverage_history(history).title)
    Verified: 299 of 320 (93 %) in July 2026, 285 of 320 (89 %) on 2026-10-31
    """
    figure = _history_figure(coverage_history[coverage_history["platforms"].notna()], height)
    return Chart("coverage_history", figure, _history_words(coverage_history), coverage_history)


def _history_figure(told: pd.DataFrame, height: int) -> go.Figure:
    """Return the lines of the states."""
    if told.empty:
        return empty("How did coverage move?", "The counts of earlier days are not known.")
    groups = [told[told["state"] == state] for state in _PROBLEMS]
    counts = [numbers(group["platforms"]) for group in groups]
    moved = [f"{count(course[0])} → {count(course[-1])}" if course else "not told" for course in counts]
    heads = [f"<b>{state.capitalize()}</b>  {words}" for state, words in zip(_PROBLEMS, moved, strict=True)]
    figure = figures.course_rows(_history_title(told), heads, height=height, gap=0.11)
    look = {"mode": "lines+markers", "marker": {"size": 5}, "line": figures.LINE}
    hover = "%{x}<br>%{fullData.name}: %{y:,d}<extra></extra>"
    bad = told[told["state"] != VERIFICATIONS[0]]
    top = 1.15 * max(int(bad["platforms"].max()) if len(bad) else 0, 4)
    for row, (state, group, course) in enumerate(zip(_PROBLEMS, groups, counts, strict=True), 1):
        days = figures.day_names(group["as_of"])
        figure.add_scatter(x=days, y=course, name=state, hovertemplate=hover, row=row, col=1, **look)
        figure.update_yaxes(range=[-0.06 * top, top], tickformat=",d", nticks=4, row=row, col=1)
    return figure


def _history_title(told: pd.DataFrame) -> str:
    """Return the share that is verified, on the first and on the last day."""
    verified = told[told["state"] == VERIFICATIONS[0]]
    if verified.empty:
        return "How did coverage move?"
    first, last = verified.iloc[0], verified.iloc[-1]
    then, now = (
        f"{count(row['platforms'])} of {count(row['tracked'])} ({percent(row['share'])})" for row in (first, last)
    )
    if first["as_of"] == last["as_of"]:
        return f"Verified: {now}"
    return f"Verified: {then} in {first['as_of']:%B %Y}, {now} on {last['as_of']:%Y-%m-%d}"


def _history_words(course: pd.DataFrame) -> str:
    """Return the numbers of the first and of the last day in words."""
    parts = []
    for day in dict.fromkeys((course["as_of"].min(), course["as_of"].max())):
        rows = course[course["as_of"] == day]
        states = ", ".join(f"{count(row.platforms)} {row.state}" for row in rows.itertuples())
        parts.append(f"{day:%Y-%m-%d}: {states} of {count(rows['tracked'].iloc[0], 'platform')}")
    return f"Platforms by state of verification at the ends of months. {'; '.join(parts)}."


@draws(FRESHNESS_COLUMNS, "How old is the evidence?", "No document has a capture date.", table=lambda told: told[_AGES])
def freshness(freshness: pd.DataFrame, *, height: int = 320, most: int = 400) -> Chart:
    """Draw the age of the documents' current texts as a histogram, flagged documents hatched.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `analysis.freshness` returned.
    height : int
        Pixels.
    most : int
        Documents that a page lists below the chart.

    Returns
    -------
    Chart
        Bars of about 90 days; one of them ends where a text is flagged. Documents without a date are named in the axis
        title only.

    Examples
    --------
    >>> print(charts.freshness(analysis.freshness(data.documents, data.day)).title)
    363 of 908 documents unchanged for more than 365 days
    """
    return Chart("freshness", _ages_figure(freshness, height), _ages_words(freshness), freshness[_AGES], most)


def _ages_figure(freshness: pd.DataFrame, height: int) -> go.Figure:
    """Return the bars of the ages."""
    dated = freshness[freshness["age_days"].notna()]
    if dated.empty:
        return empty("How old is the evidence?", "No document has a capture date.")
    limit = int(freshness["unchanged_days"].iloc[0])
    old, whole = count(len(unchanged(freshness))), count(len(freshness), "document")
    title = f"{old} of {whole} unchanged for more than {count(limit, 'day')}"
    figure = canvas(title, height=height, barmode="stack", bargap=0.05)
    size = (limit + 1) / max(1, round(limit / _BIN_DAYS))
    for flag in [name for name in _FLAG_NAMES if (dated["flag"] == name).any()]:
        marker = {"pattern": {"shape": HATCH}} if flag not in ("", "unchanged") else {}
        ages = numbers(dated.loc[dated["flag"] == flag, "age_days"])
        look = {"xbins": {"start": -0.5, "size": size}, "name": _FLAG_NAMES[flag], "marker": marker}
        figure.add_histogram(x=ages, hovertemplate="%{x} days<br>%{fullData.name}: %{y:,d}<extra></extra>", **look)
    figure.add_vline(x=limit + 0.5, line_dash="dot", line_width=1, line_color="#808080")
    undated = len(freshness) - len(dated)
    rest = f"; {count(undated, 'document')} without a date" if undated else ""
    title = f"Age of the current text, days{rest}<br>(hatched, not counted: not read as it is now)"
    step = 180 * max(1, round(int(dated["age_days"].max()) / 1260))
    figure.update_xaxes(title=title, dtick=step, tick0=0, tickformat=",d", rangemode="tozero")
    return figure.update_yaxes(title="Documents", tickformat=",d")


def _ages_words(freshness: pd.DataFrame) -> str:
    """Return the middle age and the number of flagged documents in words."""
    ages = freshness["age_days"].dropna()
    middle = f"half are older than {count(ages.median(), 'day')}" if len(ages) else "none has a date"
    days = count(freshness["unchanged_days"].iloc[0], "day")
    broken = sum(unread(freshness).values())
    parts = [middle, f"{count(len(unchanged(freshness)))} unchanged for more than {days}"]
    parts += [f"{count(broken)} not read as they are now ({unread_words(freshness)})"] if broken else []
    odd = {flag: (freshness["flag"] == flag).sum() for flag in ("no date", "after now")}
    parts += [f"{count(number)} {_FLAG_NAMES[flag]}" for flag, number in odd.items() if number]
    return f"Age of {count(len(freshness), 'document')}: {'; '.join(parts)}."


@draws(QUIET_SURFACE_COLUMNS, "Where was nothing found?", "No surface of any platform could be read.")
def quiet_surfaces(quiet_surfaces: pd.DataFrame, *, height: int = 0) -> Chart:
    """Draw for each surface the share of platforms on which nothing was found, with 95 % intervals.

    Parameters
    ----------
    quiet_surfaces : pandas.DataFrame
        What `analysis.quiet_surfaces` returned.
    height : int
        Pixels; by the number of surfaces where 0.

    Returns
    -------
    Chart
        A dot with an interval bar for each surface, the counts beside it.

    Examples
    --------
    >>> print(charts.quiet_surfaces(analysis.quiet_surfaces(data.surfaces)).title)
    Output rights is quiet on 148 of 310 platforms (48 %)
    """
    figure = _quiet_figure(quiet_surfaces[quiet_surfaces["share"].notna()], height)
    return Chart("quiet_surfaces", figure, _quiet_words(quiet_surfaces), quiet_surfaces)


def _quiet_figure(told: pd.DataFrame, height: int) -> go.Figure:
    """Return the dots of the surfaces."""
    if told.empty:
        return empty("Where was nothing found?", "No surface of any platform could be read.")
    figure = canvas(_quiet_title(told.iloc[0].to_dict()), height=height or 80 + 28 * len(told))
    names = [label(surface_name(str(surface)), 28) for surface in told["surface"]]
    hovers = [
        f"{name}<br>{figures.share_words(row, 'quiet', 'read')}" for name, row in zip(names, rows_of(told), strict=True)
    ]
    marker = {"size": 9, "color": PAGE["light"]["accent"]}
    shares = [told[column] for column in ("share", "low", "high")]
    figures.add_shares(figure, shares, hovers, range(len(told)), marker=marker)
    ticks = [f"{name}  <b>{count(quiet)}</b>" for name, quiet in zip(names, told["quiet"], strict=True)]
    figure.update_yaxes(**figures.row_axis(ticks))
    high = max(value or 0 for value in figures.percents(told["high"]))
    title = "Nothing found, share of<br>platforms (95 % interval)"
    return figure.update_xaxes(title=title, range=[-2, 10 * (int(high) // 10 + 1)], ticksuffix=" %")


def _quiet_title(most: Mapping[Hashable, object]) -> str:
    """Return on how many platforms the quietest surface is quiet."""
    if not most["quiet"]:
        return "Something was found on every surface of every platform"
    where = f"{count(most['quiet'])} of {count(most['read'], 'platform')}"
    return f"{label(surface_name(str(most['surface'])), 28)} is quiet on {where} ({percent(most['share'])})"


def _quiet_words(surfaces: pd.DataFrame) -> str:
    """Return the quietest surfaces in words."""
    quiet = surfaces[surfaces["quiet"] > 0]
    parts = [
        f"{surface_name(str(row.surface))} {count(row.quiet)} of {count(row.read)} ({percent(row.share)})"
        for row in quiet.head(_QUIETEST).itertuples()
    ]
    others = len(quiet) - _QUIETEST
    rest = f"; on {count(others, 'more surface')} fewer" if others > 0 else ""
    return f"Platforms read on which nothing was found, by surface: {', '.join(parts) or 'none'}{rest}."
