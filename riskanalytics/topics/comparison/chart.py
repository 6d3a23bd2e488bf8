"""Chart of a comparison: the level of each platform, surface by surface."""

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS
from riskanalytics.pages.figures import Chart, canvas, draws, label
from riskanalytics.pages.rows import Rows, grouped
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_TEXT, PAGE

from ..ratings.matrix import mark_of
from . import COMPARISON_COLUMNS
from .words import differences, differing, most_different

__all__ = ["comparison"]

_PLACES: Final = dict(zip((*RATINGS, "QUIET", "TO_READ", "UNREAD"), (0.0, 1.0, 2.0, 3.1, 4.1, 5.1), strict=True))
_WORDS: Final = {"QUIET": "nothing<br>found", "TO_READ": "to be<br>read", "UNREAD": "not<br>read"}
_IN_LINE: Final = 3
"""Maximum number of platform numbers in one line of a mark, to fit on a phone."""
_LINE: Final = 15
"""Height of a line in pixels."""
_NUMBERS: Final = [
    "surface", "relation", "label", "risk", "standing", "clauses", "confidence", "confidence_low", "confidence_high"
]  # fmt: skip

Marks = list[tuple[str, float, dict[str, Rows]]]
"""Name of each surface, its distance from the top in lines, and its platforms by mark (a key of `_PLACES`)."""


@draws(COMPARISON_COLUMNS, "How do they differ?", "No platform was compared.", table=lambda frame: frame[_NUMBERS])
def comparison(comparison: pd.DataFrame) -> Chart:
    """Draw the level of each compared platform, surface by surface.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of `analysis.comparison`.

    Returns
    -------
    Chart
        A row for each surface, the greatest differences at the top, and a column for each level. The platforms are numbered,
        and a key above the chart names them. In each row, the mark of a level contains the numbers of the platforms at that
        level, and a line joins the lowest and the highest level. Platforms without a level are in unfilled marks, in three
        columns of their own: no clause found, only clauses that a person must read, and not read.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> print(charts.comparison(levels).title)
    Different levels on 6 of 12 surfaces; 6 cannot be compared
    """
    alike = (comparison["standing"] == "same").groupby(comparison["surface"]).all()
    left = len(alike) - alike.sum() - differing(comparison)["surface"].nunique()
    title = differences(comparison).capitalize()
    title += f"; {left} cannot be compared" if left and title.startswith("Different") else ""
    marks: Marks = []
    bottom = 0.0
    for surface, rows in grouped(rows_of(comparison), "surface").items():
        places = grouped(rows, mark_of)
        room = 1.1 + max(-(-len(same) // _IN_LINE) for same in places.values())  # the tallest mark decides
        marks.append((label(surface_name(surface), 28), bottom + room / 2, places))
        bottom += room
    figure = canvas(title, height=100 + round(bottom * _LINE))
    _add_marks(figure, marks)
    shown = [key for key in _PLACES if key in RATINGS or any(key in places for _, _, places in marks)]
    names, middles, _ = zip(*marks, strict=True)
    figure.update_yaxes(tickvals=middles, ticktext=names, range=[bottom, -0.6], fixedrange=True, showgrid=False)
    columns = {"tickvals": [_PLACES[key] for key in shown], "ticktext": [_WORDS.get(key, key) for key in shown]}
    ends = [-0.55, _PLACES[shown[-1]] + 0.55]
    figure.update_xaxes(**columns, side="top", range=ends, tickangle=0, fixedrange=True)
    _add_key(figure, comparison, room=40 if len(shown) > len(RATINGS) else 26)
    return Chart("comparison", figure, f"{title}. {most_different(comparison)}", comparison[_NUMBERS])


def _add_marks(figure: go.Figure, marks: Marks) -> None:
    """Write the number of each platform at its level, join lowest and highest level, and name the platforms on hover."""
    ends, spots = [], []
    for surface, middle, places in marks:
        known = [_PLACES[level] for level in RATINGS if level in places]
        ends += [(min(known), middle), (max(known), middle), (None, None)] if len(known) > 1 else []
        for key, rows in places.items():
            numbers = [str(row["place"]) for row in rows]
            lines = (" ".join(numbers[start : start + _IN_LINE]) for start in range(0, len(numbers), _IN_LINE))
            figure.add_annotation(x=_PLACES[key], y=middle, text="<br>".join(lines), **_style(key))
            names = ", ".join(f"{row['place']} {label(row['label'], 30)}" for row in rows)
            spots.append((_PLACES[key], middle, f"{surface}, {_WORDS.get(key, key).replace('<br>', ' ')}<br>{names}"))
    line = {"color": PAGE["light"]["muted"], "width": 2}
    figure.add_scatter(x=[x for x, _ in ends], y=[y for _, y in ends], mode="lines", line=line, hoverinfo="skip")
    x, y, words = zip(*spots, strict=True)
    marker, hover = {"size": 22, "opacity": 0}, "%{hovertext}<extra></extra>"
    figure.add_scatter(x=x, y=y, mode="markers", marker=marker, hovertext=words, hovertemplate=hover)


def _style(key: str) -> dict[str, object]:
    """Return the style of a mark: filled at a level, outlined otherwise."""
    page, level = PAGE["light"], LEVEL_COLOURS["light"].get(key)
    font = {"color": LEVEL_TEXT["light"][key], "weight": 700} if level else {"color": page["muted"]}
    fill, edge = level or page["background"], level or page["muted"]
    return {"borderpad": 3, "borderwidth": 1, "align": "center", "bgcolor": fill, "bordercolor": edge, "font": font}


def _add_key(figure: go.Figure, comparison: pd.DataFrame, *, room: int) -> None:
    """Write the name and number of each platform above the levels."""
    heads = comparison.drop_duplicates("place").sort_values("place")
    names = [f"<b>{row['place']}</b>  {label(row['label'], 30)}" for row in rows_of(heads)]
    place = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    figure.add_annotation(text="<br>".join(names), **place, yshift=room, align="left")
    high = 17 * len(names) + room + 8
    figure.layout.margin.t += high
    figure.layout.height += high
