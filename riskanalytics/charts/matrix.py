"""Figures of platforms by surfaces."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import canvas, empty, level_marker, numbers
from riskanalytics.charts.labels import count, label, percent
from riskanalytics.models import surface_name
from riskanalytics.theme import LEVEL_CODES, LEVEL_LETTERS

_RATING = "Rating"
_COUNT_NAMES = {
    ("found", "HIGH"): ("H", "HIGH"),
    ("found", "MED"): ("M", "MED"),
    ("found", "LOW"): ("L", "LOW"),
    ("quiet", "UNKNOWN"): ("", "read, nothing found"),
    ("found", "UNKNOWN"): ("?", "found, level not known"),
    ("unread", "UNKNOWN"): ("?", "not read"),
}


def risk_matrix(matrix: pd.DataFrame, *, rating: bool = True, row_height: int = 20, of: int | None = None) -> go.Figure:
    """Draw the risk heatmap: level by colour and letter, worst first.

    `H`, `M`, `L` are levels, `?` is not known (unread, or a level never seen), blank is read and nothing
    found.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `analysis.risk_matrix` returned (or its rows for the worst platforms), in its order.
    rating : bool
        Whether the platform's rating stands in a first column, set apart by a gap.
    row_height : int
        Pixels per platform.
    of : int, optional
        Platforms that there are, where only the worst of them are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap; y are the names (with the slug where two are alike), x the surfaces' words.
    """
    if matrix.empty:
        return empty("Where is the risk?")
    title = _matrix_title(matrix.drop_duplicates("slug"), of)
    return _heatmap(matrix, title, rating=rating, row_height=row_height)


def surface_matrix(matrix: pd.DataFrame, *, row_height: int = 20, of: int | None = None) -> go.Figure:
    """Draw the risk heatmap in the order of one surface, whose column stands first.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `analysis.surface_matrix` returned (or its rows for the worst platforms), in its order.
    row_height : int
        Pixels per platform.
    of : int, optional
        Platforms that there are, where only the worst of them are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        As `risk_matrix`, with a title that speaks of the first surface.
    """
    if matrix.empty:
        return empty("Which platforms are worst on this surface?")
    surface = matrix["surface"].iloc[0]
    column = matrix[matrix["surface"] == surface]
    high = int(((column["state"] == "found") & (column["level"] == "HIGH")).sum())
    shown = f"{count(len(column), 'platform')}, {count(high)} at HIGH, worst first"
    if of is not None and of > len(column):
        shown = f"the worst {count(len(column))} of {count(of, 'platform')}, {count(high)} at HIGH"
    title = f"{label(surface_name(surface), 28)}: {shown}"
    return _heatmap(matrix, title, rating=True, row_height=row_height)


def _heatmap(matrix: pd.DataFrame, title: str, *, rating: bool, row_height: int) -> go.Figure:
    surfaces = list(dict.fromkeys(matrix["surface"]))
    heads = matrix.drop_duplicates("slug")
    rows = {str(slug): group.set_index("surface") for slug, group in matrix.groupby("slug", sort=False)}
    cells = [
        ([_rating_cell(head), (None, "", "")] if rating else [])
        + [_cell(rows[str(head.slug)].loc[surface]) for surface in surfaces]
        for head in heads.itertuples()
    ]
    columns = ([_RATING, " "] if rating else []) + [label(surface_name(surface), 28) for surface in surfaces]
    room = 16 + 6 * max(map(len, columns))  # pixels that the longest head takes, at 60 degrees
    figure = canvas(title, height=78 + room + row_height * len(heads))
    figure.add_heatmap(
        x=columns,
        y=_names(heads),
        z=[[cell[0] for cell in row] for row in cells],
        text=[[cell[1] for cell in row] for row in cells],
        hovertext=[[cell[2] for cell in row] for row in cells],
        texttemplate="%{text}",
        textfont={"size": 11},
        hovertemplate="%{y}<br>%{x}: %{hovertext}<extra></extra>",
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
    )
    figure.update_layout(coloraxis={"cmin": -0.5, "cmax": 3.5}, margin={"t": figure.layout.margin.t + room, "r": 44})
    figure.update_xaxes(side="top", tickangle=-60, showgrid=False, type="category", dtick=1, fixedrange=True)
    figure.update_xaxes(automargin=False)
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", dtick=1, fixedrange=True)
    return figure


def _matrix_title(heads: pd.DataFrame, of: int | None) -> str:
    high = int((heads["level_rating"] == "HIGH").sum())
    shown = count(len(heads), "platform")
    if of is not None and of > len(heads):
        return f"Where is the risk? The worst {count(len(heads))} of {count(of, 'platform')}, {count(high)} rated HIGH"
    return f"Where is the risk? {shown}, {count(high)} rated HIGH, worst first"


def _rating_cell(head: Any) -> tuple[int, str, str]:
    level = head.level_rating
    return LEVEL_CODES[level], LEVEL_LETTERS[level], label(head.rating, 24) or "not known"


def _cell(cell: pd.Series[Any]) -> tuple[int | None, str, str]:
    if cell["state"] == "quiet":
        return None, "", "read, nothing found"
    if cell["state"] != "found":
        return LEVEL_CODES["UNKNOWN"], LEVEL_LETTERS["UNKNOWN"], "not read"
    level = cell["level"]
    word = level if level != "UNKNOWN" else f"not known ({label(cell['risk'], 16) or 'no level given'})"
    newest = "" if pd.isna(cell["latest"]) else f", newest of {cell['latest']:%Y-%m-%d}"
    return LEVEL_CODES[level], LEVEL_LETTERS[level], f"{word}, {count(cell['count'], 'clause')}{newest}"


def _names(heads: pd.DataFrame) -> list[str]:
    shown = [label(name, 30) for name in heads["name"]]
    return [
        name if shown.count(name) == 1 else f"{name} ({label(slug, 30)})"
        for name, slug in zip(shown, heads["slug"], strict=True)
    ]


def level_counts(counts: pd.DataFrame, *, height: int | None = None) -> go.Figure:
    """Draw, for each surface, how many platforms stand at each level.

    Parameters
    ----------
    counts : pandas.DataFrame
        What `analysis.level_counts` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Stacked bars; segments carry the letter and the number, an unfilled one is read and nothing found.
    """
    if counts.empty:
        return empty("On which surfaces is the risk?")
    first = counts.iloc[0]
    title = (
        f"{label(surface_name(first['surface']), 28)} has the most platforms at HIGH: "
        f"{count(first['platforms'])} of {count(first['total'])}"
    )
    if not counts.loc[counts["level"] == "HIGH", "platforms"].sum():
        title = "No surface is at HIGH on any platform"
    surfaces = counts["surface"].drop_duplicates()
    figure = canvas(title, height=height or 130 + 30 * len(surfaces), barmode="stack", bargap=0.25)
    for (state, level), (letter, words) in _COUNT_NAMES.items():
        group = counts[(counts["state"] == state) & (counts["level"] == level)]
        figure.add_bar(
            orientation="h",
            x=numbers(group["platforms"]),
            y=[label(surface_name(surface), 28) for surface in group["surface"]],
            name=words,
            text=[f"{letter} {count(n)}" if n and letter else "" for n in group["platforms"]],
            customdata=[percent(part) for part in group["share"]],
            textposition="inside",
            insidetextanchor="middle",
            constraintext="none",
            marker=_count_marker(state, level),
            hovertemplate="%{y}<br>%{fullData.name}: %{x:,d} (%{customdata})<extra></extra>",
        )
    figure.update_layout(uniformtext={"minsize": 10, "mode": "hide"})
    figure.update_xaxes(title="Platforms<br>(unfilled: nothing found; hatched: not known)", tickformat=",d")
    figure.update_yaxes(type="category", autorange="reversed")
    return figure


def _count_marker(state: str, level: str) -> dict[str, Any]:
    if state == "quiet":
        return {"color": "rgba(0,0,0,0)"}
    return level_marker(level)
