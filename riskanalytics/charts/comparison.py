"""Some platforms against each other: a row of levels per surface, who stands where."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import canvas, empty
from riskanalytics.charts.labels import count, label
from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS, surface_name
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_TEXT, PAGE

_PLACES: Final = {level: float(place) for place, level in enumerate(RATINGS)} | {"quiet": 3.1, "unknown": 4.1}
_WORDS: Final = {"quiet": "nothing<br>found", "unknown": "not<br>known"}
_HINTS: Final = {"quiet": "read, nothing found", "unknown": "not known"}
_IN_LINE: Final = 3
"""Numbers beside each other in one mark: more would not fit on a phone."""
_LINE: Final = 15

Row = dict[str, Any]


def comparison(comparison: pd.DataFrame, *, height: int | None = None) -> go.Figure:
    """Draw, surface by surface, which platform stands at which level.

    Parameters
    ----------
    comparison : pandas.DataFrame
        What `analysis.comparison` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        A row per surface, most different on top: marks in the colour of their level hold the numbers of the platforms
        that stand there; a line joins the lowest and the highest. What was not found or is not known stands apart.
    """
    if comparison.empty:
        return empty("How do they differ?", "No platform was compared.")
    surfaces: dict[str, list[Row]] = {}
    for row in rows_of(comparison):
        surfaces.setdefault(str(row["surface"]), []).append(row)
    middles, bottom = _middles(surfaces)
    marks = [(place, _marks(rows)) for place, rows in zip(middles, surfaces.values(), strict=True)]
    figure = canvas(_title(surfaces), height=height or 100 + round(bottom * _LINE))
    _add_spans(figure, marks)
    _add_marks(figure, marks, list(surfaces))
    shown = [key for key in _PLACES if key in RATINGS or any(key in told for _, told in marks)]
    figure.update_yaxes(
        tickvals=[middle for middle, _ in marks],
        ticktext=[label(surface_name(surface), 28) for surface in surfaces],
        range=[bottom, -0.6],
        fixedrange=True,
        showgrid=False,
    )
    figure.update_xaxes(
        side="top",
        tickvals=[_PLACES[key] for key in shown],
        ticktext=[_WORDS.get(key, key) for key in shown],
        range=[-0.55, _PLACES[shown[-1]] + 0.55],
        tickangle=0,
        fixedrange=True,
    )
    _add_key(figure, comparison, room=40 if len(shown) > len(RATINGS) else 26)
    return figure


def _marks(rows: list[Row]) -> dict[str, list[Row]]:
    """Return who stands at each level of a surface."""
    marks: dict[str, list[Row]] = {}
    for row in rows:
        known = row["state"] == "found" and row["level"] in RATINGS
        marks.setdefault(row["level"] if known else "quiet" if row["state"] == "quiet" else "unknown", []).append(row)
    return marks


def _lines(rows: list[Row]) -> int:
    return -(-len(rows) // _IN_LINE)


def _middles(surfaces: dict[str, list[Row]]) -> tuple[list[float], float]:
    """Return where the rows stand, in lines of text from the top, and where they end; the highest mark of a row counts."""
    middles, top = [], 0.0
    for rows in surfaces.values():
        room = max(_lines(told) for told in _marks(rows).values()) + 1.1
        middles.append(top + room / 2)
        top += room
    return middles, top


def _title(surfaces: dict[str, list[Row]]) -> str:
    differing = [surface for surface, rows in surfaces.items() if rows[0]["relation"] == "levels"]
    if not differing:
        return f"No different levels on {count(len(surfaces), 'surface')}"
    spreads = [surfaces[surface][0]["spread"] for surface in differing]
    most = f", most on {label(surface_name(differing[0]), 28)}" if spreads.count(spreads[0]) == 1 else ""
    return f"Different levels on {count(len(differing))} of {count(len(surfaces), 'surface')}{most}"


def _add_spans(figure: go.Figure, marks: list[tuple[float, dict[str, list[Row]]]]) -> None:
    """Join the lowest and the highest level of each surface."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for middle, told in marks:
        known = [_PLACES[level] for level in RATINGS if level in told]
        if len(known) > 1:
            xs += [min(known), max(known), None]
            ys += [middle, middle, None]
    line = {"color": PAGE["light"]["muted"], "width": 2}
    figure.add_scatter(x=xs, y=ys, mode="lines", line=line, hoverinfo="skip")


def _add_marks(figure: go.Figure, marks: list[tuple[float, dict[str, list[Row]]]], surfaces: list[str]) -> None:
    """Write the numbers of the platforms where they stand; a hint names them."""
    spots = []
    for surface, (middle, told) in zip(surfaces, marks, strict=True):
        for key, rows in told.items():
            figure.add_annotation(x=_PLACES[key], y=middle, text=_numbers(rows), **_style(key))
            names = ", ".join(f"{row['place']} {label(row['label'], 30)}" for row in rows)
            spots.append(
                (_PLACES[key], middle, f"{label(surface_name(surface), 28)}, {_HINTS.get(key, key)}<br>{names}")
            )
    figure.add_scatter(
        x=[x for x, _, _ in spots],
        y=[y for _, y, _ in spots],
        mode="markers",
        marker={"size": 22, "opacity": 0},
        hovertext=[words for _, _, words in spots],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _numbers(rows: list[Row]) -> str:
    """Return the numbers of some platforms, a few in a line."""
    told = [str(row["place"]) for row in rows]
    return "<br>".join(" ".join(told[start : start + _IN_LINE]) for start in range(0, len(told), _IN_LINE))


def _style(key: str) -> dict[str, Any]:
    """Return how a mark looks: filled at a level, outlined where there is none."""
    style: dict[str, Any] = {"borderpad": 3, "borderwidth": 1, "width": None, "align": "center"}
    if key in RATINGS:
        fill = LEVEL_COLOURS["light"][key]
        return style | {
            "bgcolor": fill,
            "bordercolor": fill,
            "font": {"color": LEVEL_TEXT["light"][key], "weight": 700},
        }
    page = PAGE["light"]
    return style | {"bgcolor": page["background"], "bordercolor": page["muted"], "font": {"color": page["muted"]}}


def _add_key(figure: go.Figure, comparison: pd.DataFrame, *, room: int) -> None:
    """Tell above the levels which number is which platform."""
    heads = comparison.drop_duplicates("place").sort_values("place")
    names = [f"<b>{row['place']}</b>  {label(row['label'], 30)}" for row in rows_of(heads)]
    high = 17 * len(names) + room + 8
    figure.add_annotation(
        text="<br>".join(names),
        x=0,
        y=1,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="bottom",
        yshift=room,
        align="left",
    )
    figure.layout.margin.t += high
    figure.layout.height += high
