"""Figures of how well documents are read, how sure findings are, and what the change feed is made of."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import HATCH, canvas, empty, numbers
from riskanalytics.charts.labels import count, label, percent
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY, surface_name
from riskanalytics.theme import PAGE

_MEASURES = (
    ("precision", "circle", -0.18, PAGE["light"]["accent"]),
    ("recall", "diamond", 0.18, PAGE["light"]["second"]),
)
"""Measure, its mark, where it stands beside its surface, its colour."""
_DECIDED: Final = (
    ("hand_written", "diamond", PAGE["light"]["second"]),
    ("learned", "square", PAGE["light"]["muted"]),
    ("all", "circle", PAGE["light"]["accent"]),
)
"""What decided, its mark, its colour."""


def accuracy(accuracy: pd.DataFrame, *, height: int = 600) -> go.Figure:
    """Draw precision and recall of each surface with their 95 % intervals.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        What `analysis.accuracy` returned.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Two dots with interval bars a surface; a share of nothing is left out, and its hover says so.
    """
    if accuracy.empty:
        return empty("How well are clauses read?", "The service tells no figures of its accuracy on whole documents.")
    figure = canvas(_title(accuracy), height=height)
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
            f"<b>{label(_name(surface), 28)}</b>" if surface in DECIDED_BY else label(_name(surface), 28)
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
    return DECIDED_BY.get(str(surface)) or surface_name(str(surface))


def _title(accuracy: pd.DataFrame) -> str:
    whole = accuracy[accuracy["surface"] == "all"]
    if whole.empty or whole[["precision", "recall"]].isna().any(axis=None):
        return "How well are clauses read?"
    row = whole.iloc[0]
    return (
        f"Of all findings shown {percent(row['precision'])} are right, of firm labels {percent(row['recall'])} are found: "
        f"{ACCURACY_PARTS[row['labels']]}"
    )


def _words(accuracy: pd.DataFrame, measure: str) -> list[str]:
    return [
        f"{label(_name(row['surface']), 28)}, {measure}<br>{percent(row[measure])} "
        f"({count(row[f'{measure}_part'])} of {count(row[f'{measure}_whole'])}), "
        f"interval {percent(row[f'{measure}_low'])} to {percent(row[f'{measure}_high'])}"
        for _, row in accuracy.iterrows()
    ]


def _percents(ratios: pd.Series[float]) -> list[float | None]:
    return [None if ratio is None else round(100 * ratio, 2) for ratio in numbers(ratios)]


def reliability(reliability: pd.DataFrame, *, height: int = 420) -> go.Figure:
    """Draw how sure findings say they are against how many are right, with 95 % intervals.

    Parameters
    ----------
    reliability : pandas.DataFrame
        What `analysis.reliability` returned.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        A mark for each tenth of stated confidence that holds findings; on the line, what is stated holds.
    """
    whole = reliability[reliability["decided_by"] == "all"]
    if whole.empty:
        return empty("Does the stated confidence hold?", "The service does not tell what became of its confidence.")
    figure = canvas(_held(whole), height=height)
    lowest = min(value or 0 for name in ("stated", "low", "share") for value in numbers(reliability[name]))
    axis = [10 * int(10 * lowest) - 2, 102]
    figure.add_scatter(
        mode="lines", x=axis, y=axis, line={"dash": "dot", "color": PAGE["light"]["muted"]}, hoverinfo="skip"
    )
    for name, symbol, colour in _DECIDED:
        rows = reliability[reliability["decided_by"] == name]
        bars = {
            "array": _percents(rows["high"] - rows["share"]),
            "arrayminus": _percents(rows["share"] - rows["low"]),
            "thickness": 1.6,
            "width": 3,
        }
        figure.add_scatter(
            mode="markers",
            x=_percents(rows["stated"]),
            y=_percents(rows["share"]),
            error_y=bars if name == "all" else None,
            marker={"symbol": symbol, "size": 10 if name == "all" else 8, "color": colour},
            name=DECIDED_BY[name],
            customdata=[
                f"{DECIDED_BY[name]}<br>stated {percent(row['stated'])} on average<br>right {percent(row['share'])} "
                f"({count(row['part'])} of {count(row['whole'])}), interval {percent(row['low'])} to {percent(row['high'])}"
                for _, row in rows.iterrows()
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_xaxes(title="Stated confidence (● all, ◆ rules, ■ model)", range=axis, ticksuffix=" %")
    figure.update_yaxes(title="Right", range=axis, ticksuffix=" %")
    return figure.update_layout(showlegend=False)


def _held(whole: pd.DataFrame) -> str:
    """Title: what is stated, what is right, and the expected calibration error."""
    findings = int(whole["whole"].sum())
    stated = float((whole["stated"] * whole["whole"]).sum()) / findings
    right = int(whole["part"].sum()) / findings
    return (
        f"Findings state a confidence of {percent(stated)} on average, {percent(right)} are right: expected calibration "
        f"error {float(whole['error'].iloc[0]):.3f}"
    )


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
