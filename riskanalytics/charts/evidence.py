"""Figures of changes by month, of coverage, and of the age of the evidence."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import HATCH, canvas, empty, numbers
from riskanalytics.charts.labels import count, label, month_ticks, percent

_FLAG_NAMES = {
    "": "current",
    "unchanged": "long unchanged",
    "stale": "stale",
    "broken": "broken capture",
    "not_a_policy": "not a policy",
    "after now": "dated after now",
}
_BIN_DAYS = 90
"""About a bar's width; whole bars fit into the days after which a text is flagged."""


def changes_by_month(months: pd.DataFrame, *, noise: bool = True, height: int = 340) -> go.Figure:
    """Draw the changes by month: material ones solid, the noise hatched above them.

    Parameters
    ----------
    months : pandas.DataFrame
        What `analysis.changes_by_month` returned.
    noise : bool
        Whether the other classes are drawn above the material ones.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if months.empty:
        return empty("When did terms change?")
    material = months[months["change_class"] == "material"]
    figure = canvas(_months_title(material), height=height, barmode="stack", bargap=0.15)
    for name, group in months.groupby("change_class", sort=False):
        if name == "material" or (noise and group["changes"].sum()):
            figure.add_bar(**_month_bars(str(name), group))
    first = material["month"].tolist()
    figure.update_xaxes(
        type="category",
        tickangle=0,
        tickvals=[f"{month:%Y-%m}" for month in first],
        ticktext=month_ticks(first),
    )
    figure.update_yaxes(
        title="Changes<br>(hatched: not material)" if noise else "Changes", tickformat=",d", rangemode="tozero"
    )
    return figure


def _months_title(material: pd.DataFrame) -> str:
    last, before = material.iloc[-1], material["changes"].iloc[:-1]
    told = f"{count(last['changes'], 'material change')} in {last['month']:%B %Y}"
    if len(before) < 2:
        return told
    span = count(before.min()) if before.min() == before.max() else f"{count(before.min())} to {count(before.max())}"
    return f"{told}; {span} a month in the {count(len(before), 'month')} before"


def _month_bars(name: str, group: pd.DataFrame) -> dict[str, Any]:
    material = name == "material"
    bars = {
        "x": [f"{month:%Y-%m}" for month in group["month"]],
        "y": numbers(group["changes"]),
        "name": label(name.replace("_", " "), 24),
        "hovertemplate": "%{x}<br>%{fullData.name}: %{y:,d}<extra></extra>",
    }
    if material:
        return bars
    return bars | {
        "marker": {
            "color": "rgba(128,128,128,0.18)",
            "line": {"width": 0},
            "pattern": {"shape": HATCH, "solidity": 0.15},
        }
    }


def coverage(coverage: pd.DataFrame, *, height: int = 240) -> go.Figure:
    """Draw how many tracked platforms are verified, partial, stale and unverified.

    Parameters
    ----------
    coverage : pandas.DataFrame
        What `analysis.coverage` returned.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if coverage.empty or coverage["platforms"].isna().all():
        return empty("How much is verified?", "The service does not tell its coverage.")
    row = coverage[coverage["state"] == "verified"].iloc[0]
    tracked = count(row["tracked"], "tracked platform")
    title = f"{count(row['platforms'])} of {tracked} verified ({percent(row['share'])})"
    if not coverage["consistent"].all():
        title += "; the states do not add up to the platforms tracked"
    figure = canvas(title, height=height)
    figure.add_bar(
        orientation="h",
        x=numbers(coverage["platforms"]),
        y=[label(state.capitalize(), 24) for state in coverage["state"]],
        text=[f"{count(n)} ({percent(p)})" for n, p in zip(coverage["platforms"], coverage["share"], strict=True)],
        textposition="outside",
        cliponaxis=False,
        marker={
            "pattern": {
                "shape": ["" if state == "verified" else HATCH for state in coverage["state"]],
                "solidity": 0.35,
            }
        },
        hovertemplate="%{y}: %{text}<extra></extra>",
    )
    longest = max((value or 0 for value in numbers(coverage["platforms"])), default=0)
    figure.update_xaxes(title="Platforms", range=[0, 1.4 * (longest or 1)], tickformat=",d")
    figure.update_yaxes(type="category", autorange="reversed")
    return figure


def freshness(freshness: pd.DataFrame, *, height: int = 320) -> go.Figure:
    """Draw the age of the documents' current texts as a histogram, flagged ones hatched.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `analysis.freshness` returned.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars of about 90 days, one of which ends where a text is flagged; documents without a date are named in the axis
        title only.
    """
    dated = freshness[freshness["age_days"].notna()]
    if dated.empty:
        return empty("How old is the evidence?", "No document has a capture date.")
    limit = int(freshness["unchanged_days"].iloc[0])
    old = int((dated["age_days"] > limit).sum())
    title = f"{count(old)} of {count(len(dated), 'document')} unchanged for more than {count(limit, 'day')}"
    figure = canvas(title, height=height, barmode="stack", bargap=0.05)
    size = (limit + 1) / max(1, round(limit / _BIN_DAYS))
    for flag in [name for name in _FLAG_NAMES if (dated["flag"] == name).any()]:
        marker = {"pattern": {"shape": HATCH}} if flag not in ("", "unchanged") else {}
        figure.add_histogram(
            x=numbers(dated.loc[dated["flag"] == flag, "age_days"]),
            xbins={"start": -0.5, "size": size},
            name=_FLAG_NAMES[flag],
            marker=marker,
            hovertemplate="%{x} days<br>%{fullData.name}: %{y:,d}<extra></extra>",
        )
    figure.add_vline(x=limit + 0.5, line_dash="dot", line_width=1, line_color="#808080")
    undated = len(freshness) - len(dated)
    rest = f"; {count(undated, 'document')} without a date" if undated else ""
    figure.update_xaxes(
        title=f"Age of the current text, days{rest}<br>(hatched: broken, stale or no policy)",
        dtick=180 * max(1, round(int(dated["age_days"].max()) / 1260)),
        tick0=0,
        tickformat=",d",
        rangemode="tozero",
    )
    figure.update_yaxes(title="Documents", tickformat=",d")
    return figure
