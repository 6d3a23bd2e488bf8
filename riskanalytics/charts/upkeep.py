"""Figures for the person who maintains the data: quiet surfaces, and the course of coverage."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import canvas, empty, numbers, row_label
from riskanalytics.charts.labels import count, label, percent
from riskanalytics.models import VERIFICATIONS, surface_name
from riskanalytics.theme import PAGE

_PROBLEMS: Final = ("stale", "partial", "unverified")


def quiet_surfaces(quiet_surfaces: pd.DataFrame, *, height: int = 0) -> go.Figure:
    """Draw on what share of the platforms read nothing was found, by surface, with 95 % intervals.

    Parameters
    ----------
    quiet_surfaces : pandas.DataFrame
        What `analysis.quiet_surfaces` returned.
    height : int
        Pixels; by the number of surfaces where 0.

    Returns
    -------
    plotly.graph_objects.Figure
        A dot with an interval bar a surface, the counts beside it.
    """
    told = quiet_surfaces[quiet_surfaces["share"].notna()]
    if told.empty:
        return empty("Where was nothing found?", "No surface of any platform could be read.")
    figure = canvas(_quiet_title(told.iloc[0]), height=height or 80 + 28 * len(told))
    rows = list(range(len(told)))
    shares = _percents(told["share"])
    figure.add_scatter(
        mode="markers",
        x=shares,
        y=rows,
        error_x={
            "array": _percents(told["high"] - told["share"]),
            "arrayminus": _percents(told["share"] - told["low"]),
            "thickness": 1.6,
            "width": 3,
        },
        marker={"size": 9, "color": PAGE["light"]["accent"]},
        customdata=_words(told),
        hovertemplate="%{customdata}<extra></extra>",
    )
    high = max(value or 0 for value in _percents(told["high"]))
    figure.update_yaxes(
        tickvals=rows,
        ticktext=[
            f"{label(surface_name(str(row.surface)), 28)}  <b>{count(row.quiet)}</b>" for row in told.itertuples()
        ],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_xaxes(
        title="Nothing found, share of<br>platforms (95 % interval)",
        range=[-2, 10 * (int(high) // 10 + 1)],
        ticksuffix=" %",
    )
    return figure


def _quiet_title(most: pd.Series[Any]) -> str:
    if not most["quiet"]:
        return "Something was found on every surface of every platform"
    where = f"{count(most['quiet'])} of {count(most['read'], 'platform')}"
    return f"{label(surface_name(str(most['surface'])), 28)} is quiet on {where} ({percent(most['share'])})"


def _words(told: pd.DataFrame) -> list[str]:
    return [
        f"{label(surface_name(str(row.surface)), 28)}<br>{percent(row.share)} ({count(row.quiet)} of {count(row.read)}), "
        f"interval {percent(row.low)} to {percent(row.high)}"
        for row in told.itertuples()
    ]


def coverage_history(coverage_history: pd.DataFrame, *, height: int = 320) -> go.Figure:
    """Draw the course of the platforms that are not verified, one row for each state, all to the same scale.

    Parameters
    ----------
    coverage_history : pandas.DataFrame
        What `analysis.coverage_history` returned.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        A stepped line per state; what share is verified stands in the title.
    """
    told = coverage_history[coverage_history["platforms"].notna()]
    if told.empty:
        return empty("How did coverage move?", "The counts of earlier days are not known.")
    figure = canvas(_history_title(told), height=height)
    figure.set_subplots(rows=len(_PROBLEMS), cols=1, shared_xaxes=True, vertical_spacing=0.11)
    bad = told[told["state"] != VERIFICATIONS[0]]
    top = 1.15 * max(int(bad["platforms"].max()) if len(bad) else 0, 4)
    for row, state in enumerate(_PROBLEMS, 1):
        group = told[told["state"] == state]
        counts = numbers(group["platforms"])
        figure.add_scatter(
            x=[f"{day:%Y-%m-%d}" for day in group["as_of"]],
            y=counts,
            mode="lines+markers",
            marker={"size": 5},
            line={"color": PAGE["light"]["accent"], "width": 2, "shape": "hv"},
            name=state,
            hovertemplate="%{x}<br>%{fullData.name}: %{y:,d}<extra></extra>",
            row=row,
            col=1,
        )
        figure.update_yaxes(range=[-0.06 * top, top], tickformat=",d", nticks=4, row=row, col=1)
        words = f"{count(counts[0])} → {count(counts[-1])}" if counts else "not told"
        row_label(figure, f"<b>{state.capitalize()}</b>  {words}", row)
    figure.update_xaxes(tickformat="%b<br>%Y", nticks=5)
    figure.layout.margin.t += 24
    return figure


def _history_title(told: pd.DataFrame) -> str:
    verified = told[told["state"] == VERIFICATIONS[0]]
    if verified.empty:
        return "How did coverage move?"
    first, last = verified.iloc[0], verified.iloc[-1]
    now = f"{count(last['platforms'])} of {count(last['tracked'])} ({percent(last['share'])})"
    if first["as_of"] == last["as_of"]:
        return f"Verified: {now}"
    then = f"{count(first['platforms'])} of {count(first['tracked'])} ({percent(first['share'])})"
    return f"Verified: {then} in {first['as_of']:%B %Y}, {now} on {last['as_of']:%Y-%m-%d}"


def _percents(ratios: pd.Series[float]) -> list[float | None]:
    return [None if ratio is None else round(100 * ratio, 2) for ratio in numbers(ratios)]
