"""What every figure starts from, and the marks that levels share."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.pages.charting.labels import wrapped
from riskanalytics.theme import LEVEL_COLOURS, TEMPLATE, UPLOAD, register

register()

HATCH = "/"
"""Pattern of bars whose level is not known: never to be taken for low."""
NO_ROW = "Nothing to show: the data hold no row for this."


def canvas(title: str, *, height: int, **layout: object) -> go.Figure:
    """Return an empty figure with the theme, its title broken for narrow screens, and a height in pixels.

    The figure itself leaves out plotly's button that uploads a chart, so that none shows it, however it is shown.
    """
    text = wrapped(title)
    lines = 1 + text.count("<br>")
    figure = go.Figure(layout={"template": TEMPLATE, "title": {"text": text}, "height": height + 20 * lines})
    figure.update_layout(modebar={"remove": UPLOAD})
    return figure.update_layout(margin={"t": 16 + 20 * lines}, **layout)


def empty(title: str, why: str = NO_ROW) -> go.Figure:
    """Return a figure that says that there is nothing to draw."""
    figure = canvas(title, height=180)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(text=wrapped(why), x=0.5, y=0.5, xref="paper", yref="paper", align="center")
    return figure


def row_label(figure: go.Figure, text: str, row: int) -> None:
    """Write words above the left end of one of a figure's rows of axes, the first of which is 1."""
    axis = "" if row == 1 else str(row)
    figure.add_annotation(text=text, x=0, y=1, xref="paper", yref=f"y{axis} domain", xanchor="left", yanchor="bottom")


def level_marker(level: str) -> dict[str, object]:
    """Return the marker of a trace of bars of one level, hatched where it is not known."""
    marker: dict[str, object] = {"color": LEVEL_COLOURS["light"][level]}
    if level == "UNKNOWN":
        marker["pattern"] = {"shape": HATCH, "size": 6, "solidity": 0.2}
    return marker


def numbers(column: pd.Series[float]) -> list[float | int | None]:
    """Return a numeric column as plain numbers, None where missing."""
    return [None if pd.isna(value) else value for value in column.tolist()]
