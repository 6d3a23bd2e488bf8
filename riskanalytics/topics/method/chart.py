"""Charts on the method: accuracy by surface, whether the stated confidence of findings is right, and classes of changes."""

from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.pages import figures
from riskanalytics.pages.figures import Chart, canvas, count, draws, empty, label, percent
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import PAGE

from ..changes import NOISE_COLUMNS
from . import ACCURACY_COLUMNS, BIN_COLUMNS

__all__ = ["accuracy", "change_noise", "reliability"]

_MEASURES: Final = (("precision", "circle", -0.18, "accent"), ("recall", "diamond", 0.18, "second"))
"""Measure, its mark, its offset from the line of its surface, its colour."""
_DECIDED: Final = (("hand_written", "diamond", "second"), ("learned", "square", "muted"), ("all", "circle", "accent"))
"""What decided, its mark, its colour."""
_SURE: Final = ("Is the stated confidence right?", "The service reports no accuracy by confidence.")
_NOISE: Final = ("What are recorded changes?", "No change is recorded.")


@draws(ACCURACY_COLUMNS, "How well are clauses read?", "The service reports no accuracy on fully labelled documents.")
def accuracy(accuracy: pd.DataFrame) -> Chart:
    """Draw precision and recall of each surface with their 95 % intervals.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        Result of `analysis.accuracy`.

    Returns
    -------
    Chart
        In the row of each surface, a mark for precision and a mark for recall, with interval bars. If there was no case to
        count, the mark is missing and a hover text says so.

    Examples
    --------
    >>> print(charts.accuracy(analysis.accuracy(data.accuracy().figures)).words)
    Precision and recall of 12 surfaces with 95 % intervals. ...
    """
    title, rows = "How well are clauses read?", rows_of(accuracy)
    overall = [row for row in rows if row["surface"] in DECIDED_BY]
    for row in rows_of(accuracy[accuracy["surface"] == "all"].dropna(subset=["precision", "recall"])):
        right = f"{percent(row['precision'])} of all findings shown are right"
        found = f"{percent(row['recall'])} of the clauses that readers were sure of are found"
        title = f"For {ACCURACY_PARTS[row['labels']]}, {right}, and {found}"
    figure = canvas(title, height=600)
    names = [label(DECIDED_BY.get(row["surface"]) or surface_name(row["surface"]), 28) for row in rows]
    for measure, symbol, shift, colour in _MEASURES:
        columns = (f"{measure}_part", f"{measure}_whole", measure, f"{measure}_")
        heads = [f"{name}, {measure}" for name in names]
        marker = {"symbol": symbol, "size": 9, "color": PAGE["light"][colour]}
        figures.add_shares(figure, accuracy, heads, *columns, shift=shift, marker=marker, name=measure)
    ticks = [f"<b>{name}</b>" if row in overall else name for name, row in zip(names, rows, strict=True)]
    figure.update_yaxes(**figures.row_axis(ticks))
    bounds = accuracy[["precision_low", "recall_low"]].min().min()
    lowest = -2 if pd.isna(bounds) else 10 * int(10 * bounds) - 2
    figure.update_xaxes(title="● precision, ◆ recall<br>with 95 % intervals", range=[lowest, 106], ticksuffix=" %")
    words = [f"Precision and recall of {count(len(rows) - len(overall), 'surface')} with 95 % intervals."]
    for row in overall:
        said = ", ".join(f"{measure} {percent(row[measure])}" for measure, *_ in _MEASURES)
        words.append(f"{DECIDED_BY[row['surface']]}: {said}.")
    return Chart("accuracy", figure, " ".join(words), accuracy)


@draws(BIN_COLUMNS, *_SURE)
def reliability(reliability: pd.DataFrame) -> Chart:
    """Draw the stated confidence of findings against the share that is right, with 95 % intervals.

    Parameters
    ----------
    reliability : pandas.DataFrame
        Result of `analysis.reliability`.

    Returns
    -------
    Chart
        A mark for each range of stated confidence in which there are findings. On the dotted diagonal line, findings are right
        as often as their stated confidence says.

    Examples
    --------
    >>> print(charts.reliability(analysis.reliability(data.accuracy().reliability)).title)
    Findings state ... % confidence on average, and ... % are right; grouped by stated confidence, ...
    """
    whole = reliability[reliability["decided_by"] == "all"]
    if whole.empty:
        return Chart("reliability", empty(*_SURE), "The confidence of findings is not reported.", reliability)
    findings, error = whole["whole"].sum(), whole["error"].iloc[0]
    stated, right = (whole["stated"] * whole["whole"]).sum() / findings, whole["part"].sum() / findings
    said = f"Findings state {percent(stated)} confidence on average, and {percent(right)} are right"
    points = f"{100 * error:.1f} percentage points"
    title = f"{said}; grouped by stated confidence, the two shares differ by {points} on average"
    figure = canvas(title, height=420)
    axis = [10 * int(10 * reliability[["stated", "low", "share"]].min().min()) - 2, 102]
    line = {"dash": "dot", "color": PAGE["light"]["muted"]}
    figure.add_scatter(mode="lines", x=axis, y=axis, line=line, hoverinfo="skip")
    for decided, symbol, colour in _DECIDED:
        rows, every, name = reliability[reliability["decided_by"] == decided], decided == "all", DECIDED_BY[decided]
        heads = (f"{name}<br>stated {percent(stated)} on average<br>right " for stated in rows["stated"])
        shares = (figures.share_words(row, "part", "whole") for row in rows_of(rows))
        figure.add_scatter(
            mode="markers",
            x=figures.percents(rows["stated"]),
            y=figures.percents(rows["share"]),
            error_y=figures.interval_bars(rows["share"], rows["low"], rows["high"]) if every else None,
            marker={"symbol": symbol, "size": 10 if every else 8, "color": PAGE["light"][colour]},
            name=name,
            customdata=[head + share for head, share in zip(heads, shares, strict=True)],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_xaxes(title="Stated confidence (● all, ◆ rules, ■ model)", range=axis, ticksuffix=" %")
    figure.update_yaxes(title="Right", range=axis, ticksuffix=" %")
    figure.update_layout(showlegend=False)
    return Chart("reliability", figure, f"{title}.", reliability)


@draws(NOISE_COLUMNS, *_NOISE)
def change_noise(change_noise: pd.DataFrame) -> Chart:
    """Draw the number of recorded changes of each class: material changes solid, all others (noise) hatched.

    Parameters
    ----------
    change_noise : pandas.DataFrame
        Result of `analysis.change_noise`.

    Returns
    -------
    Chart
        A bar for each class.

    Examples
    --------
    >>> print(charts.change_noise(analysis.change_noise(data.changes())).title)
    13 % of 1,548 recorded changes are material
    """
    total = change_noise["total"].iloc[0]
    words = f"Of {count(total, 'recorded change')}: {figures.counted(change_noise, 'change_class', 'changes')}."
    if not total:
        return Chart("change_noise", empty(*_NOISE), words, change_noise)
    share = percent(change_noise.loc[change_noise["material"], "share"].iloc[0])
    title = f"{share} of {count(total, 'recorded change')} are material"
    marker, columns = figures.hatched(change_noise["material"]), ("change_class", "changes")
    figure = figures.share_bars(title, change_noise, columns, marker, "Recorded changes", 300)
    return Chart("change_noise", figure, words, change_noise)
