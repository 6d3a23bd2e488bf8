"""Charts of coverage: platforms by state of verification, over time, age of texts, and quiet surfaces."""

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import VERIFICATIONS
from riskanalytics.pages import figures
from riskanalytics.pages.figures import HATCH, Chart, canvas, count, draws, empty, label, numbers, percent
from riskanalytics.pages.rows import Rows
from riskanalytics.surfaces import surface_name, surface_phrase
from riskanalytics.theme import PAGE

from . import COVERAGE_COLUMNS, QUIET_COLUMNS
from .documents import FLAGS, FRESHNESS_COLUMNS, long_unchanged, unread, verified

__all__ = ["coverage", "coverage_history", "freshness", "quiet_surfaces"]

_AGES: Final = ["name", "document", "captured_at", "age_days", "state", "flag"]
"""Columns of the numbers behind the chart of ages."""
_BIN_DAYS: Final = 90
"""Approximate width of a bar; a whole number of bars fits into the days after which a text is flagged."""
_NO_COVERAGE: Final = ("How much is verified?", "The service gives no coverage.")
_NO_COURSE: Final = ("How did coverage change?", "The numbers of earlier days are not known.")
_NO_AGES: Final = ("How old is the evidence?", "No document has a capture date.")
_NO_SURFACES: Final = ("Which surfaces have no clause?", "No surface of any platform could be read.")


@draws(COVERAGE_COLUMNS, *_NO_COVERAGE)
def coverage(coverage: pd.DataFrame, *, kind: str = "tracked platform") -> Chart:
    """Draw how many platforms are verified, partial, stale and unverified.

    Parameters
    ----------
    coverage : pandas.DataFrame
        Result of `analysis.coverage` or `analysis.portfolio_coverage`.
    kind : str
        Noun for one platform: `tracked platform` or `portfolio platform`.

    Returns
    -------
    Chart
        A bar for each state, hatched if the platforms are not verified.

    Examples
    --------
    >>> print(charts.coverage(analysis.coverage(data.coverage)).title)
    285 of 320 tracked platforms verified (89 %)
    """
    said = verified(coverage, kind)
    if coverage["platforms"].isna().all():
        return Chart("coverage", empty(*_NO_COVERAGE), f"{said}.", coverage)
    marker = figures.hatched(coverage["state"] == VERIFICATIONS[0])
    figure = figures.share_bars(said, coverage, ("state", "platforms"), marker, "Platforms", 240)
    return Chart("coverage", figure, f"{said}, {figures.counted(coverage[1:], 'state', 'platforms')}.", coverage)


@draws(COVERAGE_COLUMNS, *_NO_COURSE, unknown="Coverage over time is not known: the service gives only today's state.")
def coverage_history(coverage_history: pd.DataFrame) -> Chart:
    """Draw the number of platforms that were not verified over time: a small diagram for each state, all on the same scale.

    Parameters
    ----------
    coverage_history : pandas.DataFrame
        Result of `analysis.coverage_history`.

    Returns
    -------
    Chart
        A stepped line for each state; the title gives the share of verified platforms.

    Examples
    --------
    >>> history = analysis.coverage_history(data.coverage_history(months=3))
    >>> print(charts.coverage_history(history).title)
    Verified: 299 of 320 (93 %) in July 2026, 285 of 320 (89 %) on 2026-10-31
    """
    known = coverage_history.dropna(subset="platforms")
    shown = {state: known[known["state"] == state] for state in VERIFICATIONS}
    title = _history_title(rows_of(shown.pop(VERIFICATIONS[0])))
    counts = {state: numbers(rows["platforms"]) for state, rows in shown.items()}
    moved = {state: f"{count(own[0])} → {count(own[-1])}" if own else "not known" for state, own in counts.items()}
    heads = [f"<b>{state.capitalize()}</b>  {words}" for state, words in moved.items()]
    figure = figures.course_rows(title, heads, height=320, gap=0.11)
    look = {"mode": "lines+markers", "marker": {"size": 5}, "line": figures.LINE}
    hover = "%{x}<br>%{fullData.name}: %{y:,d}<extra></extra>"
    top = 1.15 * max([4, *(value or 0 for own in counts.values() for value in own)])
    for place, (state, rows) in enumerate(shown.items(), 1):
        days = figures.day_names(rows["as_of"])
        figure.add_scatter(x=days, y=counts[state], name=state, hovertemplate=hover, row=place, col=1, **look)
    figure.update_yaxes(range=[-0.06 * top, top], tickformat=",d", nticks=4)
    words = ", ".join(f"{state} {words}" for state, words in moved.items())
    return Chart("coverage_history", figure, f"{title}; {words}.", coverage_history)


def _history_title(verified: Rows) -> str:
    """Return the share of verified platforms on the first and on the last day."""
    if not verified:
        return _NO_COURSE[0]
    first, last = verified[0], verified[-1]
    said = [f"{count(row['platforms'])} of {count(row['tracked'])} ({percent(row['share'])})" for row in (first, last)]
    if first is last:
        return f"Verified: {said[0]}"
    return f"Verified: {said[0]} in {first['as_of']:%B %Y}, {said[1]} on {last['as_of']:%Y-%m-%d}"


@draws(FRESHNESS_COLUMNS, *_NO_AGES, table=lambda frame: frame[_AGES])
def freshness(freshness: pd.DataFrame, *, most: int = 400) -> Chart:
    """Draw a histogram of the ages of the documents' texts.

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `analysis.freshness`.
    most : int
        Maximum number of documents that the page lists below the chart.

    Returns
    -------
    Chart
        Bars of about 90 days. They are hatched for documents with a problem: any `flag` except `unchanged`. A dotted line, at
        the end of a bar, marks the age after which a text is flagged `unchanged`. Documents without a date are not drawn; the
        axis title gives their number.

    Examples
    --------
    >>> print(charts.freshness(analysis.freshness(data.documents, data.day)).title)
    363 of 908 documents unchanged for more than 365 days
    """
    dated, said, figure = freshness.dropna(subset="age_days"), long_unchanged(freshness), empty(*_NO_AGES)
    parts, flags = [said], freshness["flag"].value_counts()
    if len(dated):
        figure = _ages(said, dated, len(freshness) - len(dated))
        parts.append(f"half of the texts are older than {count(dated['age_days'].median(), 'day')}")
    parts += [f"{count(flags[flag])} {FLAGS[flag]}" for flag in ("no date", "after now") if flag in flags]
    words = "; ".join(filter(None, [*parts, unread(freshness)]))
    return Chart("freshness", figure, f"{words}.", freshness[_AGES], most)


def _ages(title: str, dated: pd.DataFrame, undated: int) -> go.Figure:
    """Return the bars of the ages; the axis title has the number of documents without a date."""
    limit = int(dated["unchanged_days"].iloc[0])
    figure = canvas(title, height=320, barmode="stack", bargap=0.05)
    bins = {"start": -0.5, "size": (limit + 1) / max(1, round(limit / _BIN_DAYS))}
    hover = "%{x} days<br>%{fullData.name}: %{y:,d}<extra></extra>"
    for flag in [flag for flag in reversed(FLAGS) if flag in set(dated["flag"])]:
        marker = {"pattern": {"shape": HATCH}} if flag not in ("", "unchanged") else {}
        ages = numbers(dated.loc[dated["flag"] == flag, "age_days"])
        figure.add_histogram(x=ages, hovertemplate=hover, xbins=bins, name=FLAGS[flag], marker=marker)
    figure.add_vline(x=limit + 0.5, line_dash="dot", line_width=1, line_color="#808080")
    more = f"; {count(undated, 'document')} without a date" if undated else ""
    axis = f"Age of the current text, days{more}<br>(hatched, not counted: not read as it is now)"
    step = 180 * max(1, round(int(dated["age_days"].max()) / 1260))
    figure.update_xaxes(title=axis, dtick=step, tick0=0, tickformat=",d", rangemode="tozero")
    return figure.update_yaxes(title="Documents", tickformat=",d")


@draws(QUIET_COLUMNS, *_NO_SURFACES)
def quiet_surfaces(quiet_surfaces: pd.DataFrame) -> Chart:
    """Draw for each surface the share of platforms without a finding or lead, with 95 % intervals.

    Parameters
    ----------
    quiet_surfaces : pandas.DataFrame
        Result of `analysis.quiet_surfaces`.

    Returns
    -------
    Chart
        A dot with an interval bar for each surface, with the counts.

    Examples
    --------
    >>> print(charts.quiet_surfaces(analysis.quiet_surfaces(data.surfaces)).title)
    148 of 310 platforms (48 %) say nothing about output rights
    """
    known = quiet_surfaces.dropna(subset="share")
    parts = [
        f"{surface_name(row['surface'])} {count(row['quiet'])} of {count(row['read'])} ({percent(row['share'])})"
        for row in rows_of(known)
        if row["quiet"]
    ]
    said = ", ".join(parts) or "none"
    words = f"Platforms that say nothing, of those that were read in full or have a clause on the surface: {said}."
    figure = empty(*_NO_SURFACES) if known.empty else _shares(known)
    return Chart("quiet_surfaces", figure, words, quiet_surfaces)


def _shares(known: pd.DataFrame) -> go.Figure:
    """Return the dots of the surfaces."""
    rows, names = rows_of(known), [label(surface_name(surface), 28) for surface in known["surface"]]
    most = f"{count(rows[0]['quiet'])} of {count(rows[0]['read'], 'platform')} ({percent(rows[0]['share'])})"
    quietest = f"{most} say nothing about {label(surface_phrase(known['surface'].iloc[0]), 28)}"
    title = quietest if rows[0]["quiet"] else "All platforms that were read have a clause on every surface"
    figure = canvas(title, height=80 + 28 * len(rows))
    figures.add_shares(figure, known, names, "quiet", "read", marker={"size": 9, "color": PAGE["light"]["accent"]})
    ticks = [f"{one}  <b>{count(row['quiet'])}</b>" for one, row in zip(names, rows, strict=True)]
    figure.update_yaxes(**figures.row_axis(ticks))
    title = "Share of platforms without a clause<br>(95 % interval)"
    high = int(100 * known["high"].max())
    return figure.update_xaxes(title=title, range=[-2, 10 * (high // 10 + 1)], ticksuffix=" %")
