"""Chart of a comparison: which platform stands at which level, surface by surface."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS
from riskanalytics.pages.chart import Chart, draws
from riskanalytics.pages.figures import canvas, count, label
from riskanalytics.pages.rows import Rows, grouped
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_TEXT, PAGE
from riskanalytics.topics.comparison import COMPARISON_COLUMNS
from riskanalytics.topics.comparison.words import labels_by

__all__ = ["comparison"]

_PLACES: Final = dict(zip((*RATINGS, "quiet", "to_read", "unread"), (0.0, 1.0, 2.0, 3.1, 4.1, 5.1), strict=True))
_WORDS: Final = {"quiet": "nothing<br>found", "to_read": "to be<br>read", "unread": "not<br>read"}
_HINTS: Final = {"quiet": "read, nothing found", "to_read": "to be read", "unread": "not read"}
_IN_LINE: Final = 3
"""Numbers beside each other in one mark: more would not fit on a phone."""
_LINE: Final = 15
_SHOWN: Final = 4
"""Surfaces that the words tell in full; the table has all."""
_NUMBERS: Final = (
    "surface", "relation", "label", "risk", "standing", "clauses", "confidence", "confidence_low", "confidence_high"
)  # fmt: skip

Marks = dict[str, Rows]
"""Rows of the platforms that share a mark, by where the mark stands: a key of `_PLACES`."""


@draws(COMPARISON_COLUMNS, "How do they differ?", "No platform was compared.", table=lambda told: told[list(_NUMBERS)])
def comparison(comparison: pd.DataFrame, *, height: int | None = None) -> Chart:
    """Draw the level of each compared platform, surface by surface.

    Parameters
    ----------
    comparison : pandas.DataFrame
        What `analysis.comparison` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    Chart
        A row per surface, most different on top: marks in the colour of their level hold the numbers of the platforms
        that stand there; a line joins the lowest and the highest. What has no level is set apart.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> print(charts.comparison(levels).title)
    Different levels on 6 of 12 surfaces; 6 cannot be compared
    """
    surfaces = grouped(rows_of(comparison), "surface")
    names = ", ".join(dict.fromkeys(comparison["label"]))
    words = f"Levels of {names}, surface by surface. {_counted(surfaces, _differences(surfaces))}."
    return Chart("comparison", _figure(comparison, surfaces, height), words, comparison[list(_NUMBERS)])


def _counted(surfaces: dict[str, Rows], where: str) -> str:
    """Return on how many surfaces the levels differ, on how many they are the same, and how many cannot be compared.

    A surface on which the level of one platform is not known, or on which it is silent, is not the same for all.
    """
    total = count(len(surfaces), "surface")
    different = len(_different(surfaces))
    same = sum(all(row["standing"] == "same" for row in rows) for rows in surfaces.values())
    left = len(surfaces) - different - same
    rest = [f"{count(left)} cannot be compared"] if left else []
    if different:
        alike = [f"the same on {count(same)}"] if same else []
        others = ", ".join(alike + rest)
        return f"Different levels on {count(different)} of {total}{where}{others and '; '}{others}"
    return (
        "; ".join([f"The same level on {count(same)} of {total}", *rest])
        if same
        else f"None of {total} can be compared"
    )


def _different(surfaces: dict[str, Rows]) -> list[str]:
    """Return the surfaces on which the known levels differ, the most different first."""
    return [surface for surface, rows in surfaces.items() if rows[0]["relation"] == "levels"]


def _differences(surfaces: dict[str, Rows]) -> str:
    """Return the surfaces on which levels differ, each with the levels and the platforms that stand there."""
    parts = [f"{surface_name(surface)} ({_levels_told(surfaces[surface])})" for surface in _different(surfaces)]
    more = f" and {count(len(parts) - _SHOWN, 'more surface')}" if len(parts) > _SHOWN else ""
    return f": {', '.join(parts[:_SHOWN])}{more}"


def _levels_told(rows: Rows) -> str:
    """Return the levels on a surface, each with the platforms that stand there."""
    levelled = [row["state"] == "found" for row in rows]
    groups = labels_by(
        (row["level"] if known else row["standing"], row["label"]) for row, known in zip(rows, levelled, strict=True)
    )
    return "; ".join(f"{word}: {', '.join(names)}" for word, names in groups.items())


def _figure(comparison: pd.DataFrame, surfaces: dict[str, Rows], height: int | None) -> go.Figure:
    """Return the marks of each surface, a row each."""
    middles, bottom = _middles(surfaces)
    marks = [(place, _marks(rows)) for place, rows in zip(middles, surfaces.values(), strict=True)]
    figure = canvas(_counted(surfaces, _widest(surfaces)), height=height or 100 + round(bottom * _LINE))
    _add_spans(figure, marks)
    _add_marks(figure, marks, list(surfaces))
    shown = [key for key in _PLACES if key in RATINGS or any(key in told for _, told in marks)]
    rows = {"tickvals": middles, "ticktext": [label(surface_name(surface), 28) for surface in surfaces]}
    figure.update_yaxes(**rows, range=[bottom, -0.6], fixedrange=True, showgrid=False)
    columns = {"tickvals": [_PLACES[key] for key in shown], "ticktext": [_WORDS.get(key, key) for key in shown]}
    ends = [-0.55, _PLACES[shown[-1]] + 0.55]
    figure.update_xaxes(**columns, side="top", range=ends, tickangle=0, fixedrange=True)
    _add_key(figure, comparison, room=40 if len(shown) > len(RATINGS) else 26)
    return figure


def _widest(surfaces: dict[str, Rows]) -> str:
    """Name the surface on which levels differ most, where there is one; nothing where several do."""
    spreads = {surface: surfaces[surface][0]["spread"] for surface in _different(surfaces)}
    most = [surface for surface, spread in spreads.items() if spread == max(spreads.values())]
    return f", most on {label(surface_name(most[0]), 28)}" if len(most) == 1 else ""


def _marks(rows: Rows) -> Marks:
    """Return which platforms stand at each level of a surface."""
    marks: Marks = {}
    for row in rows:
        level = row["level"] if row["state"] == "found" else row["state"]
        marks.setdefault(level if level in _PLACES else "unread", []).append(row)
    return marks


def _lines(rows: Rows) -> int:
    return -(-len(rows) // _IN_LINE)


def _middles(surfaces: dict[str, Rows]) -> tuple[list[float], float]:
    """Return where the rows stand, in lines of text from the top, and where they end; the highest mark of a row counts."""
    middles, top = [], 0.0
    for rows in surfaces.values():
        room = max(_lines(told) for told in _marks(rows).values()) + 1.1
        middles.append(top + room / 2)
        top += room
    return middles, top


def _add_spans(figure: go.Figure, marks: list[tuple[float, Marks]]) -> None:
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


def _add_marks(figure: go.Figure, marks: list[tuple[float, Marks]], surfaces: list[str]) -> None:
    """Write the numbers of the platforms where they stand; a hint names them."""
    spots = []
    for surface, (middle, told) in zip(surfaces, marks, strict=True):
        for key, rows in told.items():
            figure.add_annotation(x=_PLACES[key], y=middle, text=_numbers(rows), **_style(key))
            names = ", ".join(f"{row['place']} {label(row['label'], 30)}" for row in rows)
            hint = f"{label(surface_name(surface), 28)}, {_HINTS.get(key, key)}<br>{names}"
            spots.append((_PLACES[key], middle, hint))
    x, y, words = zip(*spots, strict=True)
    marker, hover = {"size": 22, "opacity": 0}, "%{hovertext}<extra></extra>"
    figure.add_scatter(x=x, y=y, mode="markers", marker=marker, hovertext=words, hovertemplate=hover)


def _numbers(rows: Rows) -> str:
    """Return the numbers of some platforms, a few in a line."""
    told = [str(row["place"]) for row in rows]
    return "<br>".join(" ".join(told[start : start + _IN_LINE]) for start in range(0, len(told), _IN_LINE))


def _style(key: str) -> dict[str, object]:
    """Return how a mark looks: filled at a level, outlined where there is none."""
    page = PAGE["light"]
    fill, line = page["background"], page["muted"]
    text: dict[str, object] = {"color": line}
    if key in RATINGS:
        fill = line = LEVEL_COLOURS["light"][key]
        text = {"color": LEVEL_TEXT["light"][key], "weight": 700}
    shared = {"borderpad": 3, "borderwidth": 1, "width": None, "align": "center"}
    return shared | {"bgcolor": fill, "bordercolor": line, "font": text}


def _add_key(figure: go.Figure, comparison: pd.DataFrame, *, room: int) -> None:
    """Tell above the levels which number is which platform."""
    heads = comparison.drop_duplicates("place").sort_values("place")
    names = [f"<b>{row['place']}</b>  {label(row['label'], 30)}" for row in rows_of(heads)]
    high = 17 * len(names) + room + 8
    place = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    figure.add_annotation(text="<br>".join(names), **place, yshift=room, align="left")
    figure.layout.margin.t += high
    figure.layout.height += high
