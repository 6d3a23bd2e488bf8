"""Figures of how well clauses are read, and of what the change feed is made of."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import HATCH, canvas, empty, numbers
from riskanalytics.charts.labels import count, label, percent
from riskanalytics.models import surface_name
from riskanalytics.theme import PAGE

_MEASURES = (
    ("precision", "circle", -0.18, PAGE["light"]["accent"]),
    ("recall", "diamond", 0.18, PAGE["light"]["second"]),
)
"""Measure, its mark, where it stands beside its surface, its colour."""
_SCORED: Final = {"never_seen": "Platforms never seen: ", "vendors_left_out": "Each vendor held out: "}
"""What the title says first, by what was scored."""


def accuracy(accuracy: pd.DataFrame, *, measure: str = "", height: int = 560) -> go.Figure:
    """Draw precision and recall of each surface with their 95 % intervals.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        What `analysis.accuracy` returned.
    measure : str
        What was scored: `never_seen` or `vendors_left_out`; the title says it.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Two dots with interval bars a surface; a share of nothing is left out, and its hover says so.
    """
    if accuracy.empty:
        return empty("How well are clauses read?", "The service tells no figures of its accuracy by surface.")
    figure = canvas(_title(accuracy, measure), height=height)
    rows = list(range(len(accuracy)))
    for name, symbol, shift, colour in _MEASURES:
        figure.add_scatter(
            mode="markers",
            x=_percents(accuracy[name]),
            y=[row + shift for row in rows],
            error_x={
                "array": _percents(accuracy[f"{name}_high"] - accuracy[name]),
                "arrayminus": _percents(accuracy[name] - accuracy[f"{name}_low"]),
                "thickness": 1.6,
                "width": 3,
            },
            marker={"symbol": symbol, "size": 9, "color": colour},
            name=name,
            customdata=_words(accuracy, name),
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_yaxes(
        tickvals=rows,
        ticktext=[
            f"<b>{label(_name(surface), 28)}</b>" if surface == "all" else label(_name(surface), 28)
            for surface in accuracy["surface"]
        ],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_xaxes(
        title="● precision, ◆ recall<br>with 95 % intervals", range=[_floor(accuracy), 106], ticksuffix=" %"
    )
    return figure


def _floor(accuracy: pd.DataFrame) -> float:
    bounds = [
        bound for name in ("precision_low", "recall_low") for bound in numbers(accuracy[name]) if bound is not None
    ]
    return 10 * int(10 * min(bounds)) - 2 if bounds else -2


def _name(surface: object) -> str:
    return "All surfaces" if surface == "all" else surface_name(str(surface))


def _title(accuracy: pd.DataFrame, measure: str) -> str:
    whole = accuracy[accuracy["surface"] == "all"]
    if whole.empty or whole[["precision", "recall"]].isna().any(axis=None):
        return "How well are clauses read?"
    row = whole.iloc[0]
    right, found = percent(row["precision"]), percent(row["recall"])
    said = f"{right} of judged findings right, {found} of labelled clauses found"
    return f"{_SCORED.get(measure, '')}{said}"


def _words(accuracy: pd.DataFrame, measure: str) -> list[str]:
    return [
        f"{label(_name(row['surface']), 28)}, {measure}<br>{percent(row[measure])} "
        f"({count(row[f'{measure}_part'])} of {count(row[f'{measure}_whole'])}), "
        f"interval {percent(row[f'{measure}_low'])} to {percent(row[f'{measure}_high'])}"
        for _, row in accuracy.iterrows()
    ]


def _percents(ratios: pd.Series[float]) -> list[float | None]:
    return [None if ratio is None else round(100 * ratio, 2) for ratio in numbers(ratios)]


def change_noise(change_noise: pd.DataFrame, *, height: int = 300) -> go.Figure:
    """Draw the classes of the recorded changes: material ones solid, the noise hatched.

    Parameters
    ----------
    change_noise : pandas.DataFrame
        What `analysis.change_noise` returned.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if change_noise.empty or not change_noise["total"].iloc[0]:
        return empty("What are recorded changes?", "No change is recorded.")
    material = change_noise[change_noise["material"]].iloc[0]
    figure = canvas(
        f"{percent(material['share'])} of {count(material['total'], 'recorded change')} are material", height=height
    )
    figure.add_bar(
        orientation="h",
        x=numbers(change_noise["changes"]),
        y=[label(str(name).replace("_", " ").capitalize(), 24) for name in change_noise["change_class"]],
        text=[f"{count(row.changes)} ({percent(row.share)})" for row in change_noise.itertuples()],
        textposition="outside",
        cliponaxis=False,
        marker={
            "pattern": {"shape": ["" if flag else HATCH for flag in change_noise["material"]], "solidity": 0.35},
        },
        hovertemplate="%{y}: %{text}<extra></extra>",
    )
    longest = max(value or 0 for value in numbers(change_noise["changes"]))
    figure.update_xaxes(title="Recorded changes", range=[0, 1.4 * (longest or 1)], tickformat=",d")
    figure.update_yaxes(type="category", autorange="reversed")
    return figure
