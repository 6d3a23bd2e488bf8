"""Charts of the method: how well documents are read, whether the confidence holds, and what changes are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.pages import figures
from riskanalytics.pages.chart import Chart, draws
from riskanalytics.pages.figures import canvas, count, empty, label, numbers, percent
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import PAGE
from riskanalytics.topics.changes import NOISE_COLUMNS
from riskanalytics.topics.method import ACCURACY_COLUMNS, RELIABILITY_COLUMNS

__all__ = ["accuracy", "change_noise", "reliability"]

_MEASURES: Final = (
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
_LOWEST: Final = 3
"""Surfaces that the words of the chart of accuracy name."""


@draws(
    ACCURACY_COLUMNS, "How well are clauses read?", "The service tells no figures of its accuracy on whole documents."
)
def accuracy(accuracy: pd.DataFrame, *, height: int = 600) -> Chart:
    """Draw how well the clauses of each surface are found: precision and recall with their 95 % intervals.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        What `analysis.accuracy` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        Two marks with interval bars for each surface; a share of nothing has no mark, and its hover says so.

    Examples
    --------
    >>> print(charts.accuracy(analysis.accuracy(data.accuracy().figures)).words)
    Precision and recall of 12 surfaces with 95 % intervals. ...
    """
    return Chart("accuracy", _accuracy_figure(accuracy, height), _accuracy_words(accuracy), accuracy)


def _accuracy_figure(accuracy: pd.DataFrame, height: int) -> go.Figure:
    """Return the marks of precision and recall."""
    figure = canvas(_accuracy_title(accuracy), height=height)
    for measure, symbol, shift, colour in _MEASURES:
        shares = [accuracy[column] for column in (measure, f"{measure}_low", f"{measure}_high")]
        rows = [row + shift for row in range(len(accuracy))]
        marker = {"symbol": symbol, "size": 9, "color": colour}
        figures.add_shares(figure, shares, _accuracy_hovers(accuracy, measure), rows, marker=marker, name=measure)
    names = [label(_name(surface), 28) for surface in accuracy["surface"]]
    together = accuracy["surface"].isin(DECIDED_BY)
    ticks = [f"<b>{name}</b>" if bold else name for name, bold in zip(names, together, strict=True)]
    figure.update_yaxes(**figures.row_axis(ticks))
    bounds = [bound for measure, *_ in _MEASURES for bound in numbers(accuracy[f"{measure}_low"].dropna())]
    lowest = 10 * int(10 * min(bound or 0 for bound in bounds)) - 2 if bounds else -2
    figure.update_xaxes(title="● precision, ◆ recall<br>with 95 % intervals", range=[lowest, 106], ticksuffix=" %")
    return figure


def _name(surface: object) -> str:
    """Return the name of a surface, or of all surfaces by what decided."""
    return DECIDED_BY.get(str(surface)) or surface_name(str(surface))


def _accuracy_title(accuracy: pd.DataFrame) -> str:
    """Return precision and recall over all surfaces."""
    whole = accuracy[accuracy["surface"] == "all"]
    if whole.empty or whole[["precision", "recall"]].isna().any(axis=None):
        return "How well are clauses read?"
    row = whole.iloc[0]
    return (
        f"Of all findings shown {percent(row['precision'])} are right, of firm labels {percent(row['recall'])} are found: "
        f"{ACCURACY_PARTS[row['labels']]}"
    )


def _accuracy_hovers(accuracy: pd.DataFrame, measure: str) -> list[str]:
    """Return what is told of one measure of each surface on hover."""
    columns = (f"{measure}_part", f"{measure}_whole", measure, f"{measure}_")
    heads = (f"{label(_name(surface), 28)}, {measure}<br>" for surface in accuracy["surface"])
    return [head + figures.share_words(row, *columns) for head, row in zip(heads, rows_of(accuracy), strict=True)]


def _accuracy_words(accuracy: pd.DataFrame) -> str:
    """Return the shares over all surfaces and the lowest of single surfaces in words."""
    together = accuracy["surface"].isin(DECIDED_BY)
    over = "".join(
        f" {DECIDED_BY[row['surface']]}: precision {_interval(row, 'precision')}, recall {_interval(row, 'recall')}."
        for row in rows_of(accuracy[together])
    )
    single = accuracy[~together]
    lowest = {
        measure: ", ".join(
            f"{surface_name(str(row['surface']))} {_interval(row, measure)}"
            for row in rows_of(single.sort_values(measure, kind="stable").head(_LOWEST))
        )
        for measure, *_ in _MEASURES
    }
    return (
        f"Precision and recall of {count(len(single), 'surface')} with 95 % intervals.{over} Lowest recall: "
        f"{lowest['recall'] or 'none'}. Lowest precision: {lowest['precision'] or 'none'}."
    )


def _interval(row: Mapping[str, object], measure: str) -> str:
    """Return one share with its interval."""
    return f"{percent(row[measure])} ({percent(row[f'{measure}_low'])} to {percent(row[f'{measure}_high'])})"


@draws(
    RELIABILITY_COLUMNS, "Does the stated confidence hold?", "The service does not tell what became of its confidence."
)
def reliability(reliability: pd.DataFrame, *, height: int = 420) -> Chart:
    """Draw the confidence that findings state against the share of them that is right, with 95 % intervals.

    Parameters
    ----------
    reliability : pandas.DataFrame
        What `analysis.reliability` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        A mark for each tenth of stated confidence that holds findings; a mark on the line is as right as stated.

    Examples
    --------
    >>> print(charts.reliability(analysis.reliability(data.accuracy().reliability)).title)
    Findings state a confidence of ... % on average, ... % are right: expected calibration error 0.0...
    """
    return Chart("reliability", _reliability_figure(reliability, height), _reliability_words(reliability), reliability)


def _reliability_figure(reliability: pd.DataFrame, height: int) -> go.Figure:
    """Return the marks of the bins beside the line."""
    whole = reliability[reliability["decided_by"] == "all"]
    if whole.empty:
        return empty("Does the stated confidence hold?", "The service does not tell what became of its confidence.")
    figure = canvas(_reliability_title(whole), height=height)
    lowest = min(value or 0 for name in ("stated", "low", "share") for value in numbers(reliability[name]))
    axis = [10 * int(10 * lowest) - 2, 102]
    line = {"dash": "dot", "color": PAGE["light"]["muted"]}
    figure.add_scatter(mode="lines", x=axis, y=axis, line=line, hoverinfo="skip")
    for decided, symbol, colour in _DECIDED:
        rows, every = reliability[reliability["decided_by"] == decided], decided == "all"
        head = f"{DECIDED_BY[decided]}<br>stated {{}} on average<br>right {{}}".format
        told = [head(percent(row["stated"]), figures.share_words(row, "part", "whole")) for row in rows_of(rows)]
        figure.add_scatter(
            mode="markers",
            x=figures.percents(rows["stated"]),
            y=figures.percents(rows["share"]),
            error_y=figures.interval_bars(rows["share"], rows["low"], rows["high"]) if every else None,
            marker={"symbol": symbol, "size": 10 if every else 8, "color": colour},
            name=DECIDED_BY[decided],
            customdata=told,
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_xaxes(title="Stated confidence (● all, ◆ rules, ■ model)", range=axis, ticksuffix=" %")
    figure.update_yaxes(title="Right", range=axis, ticksuffix=" %")
    return figure.update_layout(showlegend=False)


def _reliability_title(whole: pd.DataFrame) -> str:
    """Return what findings state, what share of them is right, and the expected calibration error."""
    findings = int(whole["whole"].sum())
    stated = float((whole["stated"] * whole["whole"]).sum()) / findings
    right = int(whole["part"].sum()) / findings
    return (
        f"Findings state a confidence of {percent(stated)} on average, {percent(right)} are right: expected calibration "
        f"error {float(whole['error'].iloc[0]):.3f}"
    )


def _reliability_words(reliability: pd.DataFrame) -> str:
    """Return the bins of all findings and the expected calibration errors in words."""
    parts = [
        f"of {count(row['whole'], 'finding')} that state {percent(row['stated'])}, {percent(row['share'])} are right"
        for _, row in reliability[reliability["decided_by"] == "all"].iterrows()
    ]
    errors = reliability.drop_duplicates("decided_by")
    off = [f"{DECIDED_BY.get(row['decided_by'], '')} {row['error']:.3f}" for _, row in errors.iterrows()]
    return (
        f"Stated confidence: {'; '.join(parts) or 'none'}. Expected calibration error: {', '.join(off) or 'not known'}."
    )


@draws(NOISE_COLUMNS, "What are recorded changes?", "No change is recorded.")
def change_noise(change_noise: pd.DataFrame, *, height: int = 300) -> Chart:
    """Draw how many recorded changes are of each class: material ones solid, the noise hatched.

    Parameters
    ----------
    change_noise : pandas.DataFrame
        What `analysis.change_noise` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        A bar for each class.

    Examples
    --------
    >>> print(charts.change_noise(analysis.change_noise(data.changes())).title)
    13 % of 1,549 recorded changes are material
    """
    return Chart("change_noise", _noise_figure(change_noise, height), _noise_words(change_noise), change_noise)


def _noise_figure(change_noise: pd.DataFrame, height: int) -> go.Figure:
    """Return the bars of the classes."""
    if not change_noise["total"].iloc[0]:
        return empty("What are recorded changes?", "No change is recorded.")
    material = change_noise[change_noise["material"]].iloc[0]
    title = f"{percent(material['share'])} of {count(material['total'], 'recorded change')} are material"
    marker = figures.hatched(change_noise["material"])
    return figures.share_bars(title, change_noise, ("change_class", "changes"), marker, "Recorded changes", height)


def _noise_words(change_noise: pd.DataFrame) -> str:
    """Return the number and share of each class in words."""
    whole = count(change_noise["total"].iloc[0], "recorded change")
    return f"Of {whole}: {figures.counted(change_noise, 'change_class', 'changes')}."
