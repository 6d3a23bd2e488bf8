"""Charts of the method: how well documents are read, whether the confidence holds, and what changes are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.pages import figures
from riskanalytics.pages.figures import Chart, canvas, count, draws, empty, label, percent
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import PAGE
from riskanalytics.topics.changes import NOISE_COLUMNS
from riskanalytics.topics.method import ACCURACY_COLUMNS, RELIABILITY_COLUMNS

__all__ = ["accuracy", "change_noise", "reliability"]

_MEASURES: Final = (
    ("precision", "circle", -0.18, PAGE["light"]["accent"]),
    ("recall", "diamond", 0.18, PAGE["light"]["second"]),
)
"""Measure, its mark, its shift from the line of its surface, its colour."""
_DECIDED: Final = (
    ("hand_written", "diamond", PAGE["light"]["second"]),
    ("learned", "square", PAGE["light"]["muted"]),
    ("all", "circle", PAGE["light"]["accent"]),
)
"""What decided, its mark, its colour."""
_LOWEST: Final = 3
"""Surfaces that the words of the chart of accuracy name."""
_SURE: Final = ("Does the stated confidence hold?", "The service reports no accuracy by confidence.")
_NOISE: Final = ("What are recorded changes?", "No change is recorded.")


@draws(ACCURACY_COLUMNS, "How well are clauses read?", "The service reports no accuracy on whole documents.")
def accuracy(accuracy: pd.DataFrame) -> Chart:
    """Draw how well the clauses of each surface are found: precision and recall with their 95 % intervals.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        What `analysis.accuracy` returned.

    Returns
    -------
    Chart
        Two marks with interval bars for each surface; a share of nothing has no mark, and its hover says so.

    Examples
    --------
    >>> print(charts.accuracy(analysis.accuracy(data.accuracy().figures)).words)
    Precision and recall of 12 surfaces with 95 % intervals. ...
    """
    whole = accuracy[accuracy["surface"] == "all"].dropna(subset=["precision", "recall"])
    title = "How well are clauses read?"
    for row in rows_of(whole):
        said = f"Of all findings shown {percent(row['precision'])} are right, of firm labels {percent(row['recall'])}"
        title = f"{said} are found: {ACCURACY_PARTS[row['labels']]}"
    figure, rows = canvas(title, height=600), rows_of(accuracy)
    names = [label(DECIDED_BY.get(row["surface"]) or surface_name(row["surface"]), 28) for row in rows]
    for measure, symbol, shift, colour in _MEASURES:
        shares = [accuracy[column] for column in (measure, f"{measure}_low", f"{measure}_high")]
        columns = (f"{measure}_part", f"{measure}_whole", measure, f"{measure}_")
        told = [figures.share_words(row, *columns) for row in rows]
        hovers = [f"{name}, {measure}<br>{words}" for name, words in zip(names, told, strict=True)]
        marker, places = {"symbol": symbol, "size": 9, "color": colour}, [place + shift for place in range(len(rows))]
        figures.add_shares(figure, shares, hovers, places, marker=marker, name=measure)
    ticks = [f"<b>{name}</b>" if name in DECIDED_BY.values() else name for name in names]
    figure.update_yaxes(**figures.row_axis(ticks))
    bounds = accuracy[["precision_low", "recall_low"]].min().min()
    lowest = -2 if pd.isna(bounds) else 10 * int(10 * bounds) - 2
    figure.update_xaxes(title="● precision, ◆ recall<br>with 95 % intervals", range=[lowest, 106], ticksuffix=" %")
    return Chart("accuracy", figure, _accuracy_words(accuracy), accuracy)


def _accuracy_words(accuracy: pd.DataFrame) -> str:
    """Return the shares over all surfaces and the lowest of single surfaces in words."""
    together = accuracy["surface"].isin(DECIDED_BY)
    parts = [f"Precision and recall of {count((~together).sum(), 'surface')} with 95 % intervals."]
    for row in rows_of(accuracy[together]):
        shares = f"precision {_interval(row, 'precision')}, recall {_interval(row, 'recall')}"
        parts.append(f"{DECIDED_BY[row['surface']]}: {shares}.")
    for measure in ("recall", "precision"):
        lowest = rows_of(accuracy[~together].sort_values(measure, kind="stable").head(_LOWEST))
        named = [f"{surface_name(row['surface'])} {_interval(row, measure)}" for row in lowest]
        parts.append(f"Lowest {measure}: {', '.join(named) or 'none'}.")
    return " ".join(parts)


def _interval(row: Mapping[str, object], measure: str) -> str:
    """Return one share with its interval."""
    return f"{percent(row[measure])} ({percent(row[f'{measure}_low'])} to {percent(row[f'{measure}_high'])})"


@draws(RELIABILITY_COLUMNS, *_SURE)
def reliability(reliability: pd.DataFrame) -> Chart:
    """Draw the confidence that findings state against the share of them that is right, with 95 % intervals.

    Parameters
    ----------
    reliability : pandas.DataFrame
        What `analysis.reliability` returned.

    Returns
    -------
    Chart
        A mark for each tenth of stated confidence that holds findings; a mark on the line is as right as stated.

    Examples
    --------
    >>> print(charts.reliability(analysis.reliability(data.accuracy().reliability)).title)
    Findings state a confidence of ... % on average, ... % are right: expected calibration error 0.0...
    """
    return Chart("reliability", _reliability_figure(reliability), _reliability_words(reliability), reliability)


def _reliability_figure(reliability: pd.DataFrame) -> go.Figure:
    """Return the marks of the bins beside the line."""
    whole = reliability[reliability["decided_by"] == "all"]
    if whole.empty:
        return empty(*_SURE)
    findings = int(whole["whole"].sum())
    stated = percent(float((whole["stated"] * whole["whole"]).sum()) / findings)
    right, error = percent(int(whole["part"].sum()) / findings), float(whole["error"].iloc[0])
    said = f"Findings state a confidence of {stated} on average, {right} are right"
    figure = canvas(f"{said}: expected calibration error {error:.3f}", height=420)
    lowest = reliability[["stated", "low", "share"]].min().min()
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


def _reliability_words(reliability: pd.DataFrame) -> str:
    """Return the bins of all findings and the expected calibration errors in words."""
    parts = [
        f"of {count(row['whole'], 'finding')} that state {percent(row['stated'])}, {percent(row['share'])} are right"
        for row in rows_of(reliability[reliability["decided_by"] == "all"])
    ]
    errors = rows_of(reliability.drop_duplicates("decided_by"))
    off = ", ".join(f"{DECIDED_BY.get(row['decided_by'], '')} {row['error']:.3f}" for row in errors) or "not known"
    return f"Stated confidence: {'; '.join(parts) or 'none'}. Expected calibration error: {off}."


@draws(NOISE_COLUMNS, *_NOISE)
def change_noise(change_noise: pd.DataFrame) -> Chart:
    """Draw how many recorded changes are of each class: material ones solid, the noise hatched.

    Parameters
    ----------
    change_noise : pandas.DataFrame
        What `analysis.change_noise` returned.

    Returns
    -------
    Chart
        A bar for each class.

    Examples
    --------
    >>> print(charts.change_noise(analysis.change_noise(data.changes())).title)
    13 % of 1,549 recorded changes are material
    """
    total = change_noise["total"].iloc[0]
    words = f"Of {count(total, 'recorded change')}: {figures.counted(change_noise, 'change_class', 'changes')}."
    if not total:
        return Chart("change_noise", empty(*_NOISE), words, change_noise)
    share = percent(change_noise.loc[change_noise["material"], "share"].iloc[0])
    title, marker = (
        f"{share} of {count(total, 'recorded change')} are material",
        figures.hatched(change_noise["material"]),
    )
    bars = (change_noise, ("change_class", "changes"), marker, "Recorded changes")
    return Chart("change_noise", figures.share_bars(title, *bars, 300), words, change_noise)
