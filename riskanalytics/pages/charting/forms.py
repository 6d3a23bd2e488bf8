"""Forms that several charts share: bars of counts, shares with their intervals, and rows of lines over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.pages.charting.canvas import HATCH, canvas, numbers, row_label
from riskanalytics.pages.charting.labels import count, label, percent
from riskanalytics.theme import PAGE

LINE: Final = {"color": PAGE["light"]["accent"], "width": 2, "shape": "hv"}
"""A line over time, stepped: a state holds until the next day that is known."""


def add_bars(figure: go.Figure, names: Sequence[str], counts: pd.Series[float], hover: str, **more: object) -> None:
    """Draw a horizontal bar for each name, the first on top.

    Parameters
    ----------
    figure : plotly Figure
    names : sequence of str
        As they may stand in a figure.
    counts : pandas.Series
    hover : str
        What is shown on hover, as plotly's template.
    **more : object
        Of plotly's bars.
    """
    figure.add_bar(orientation="h", x=numbers(counts), y=names, hovertemplate=f"{hover}<extra></extra>", **more)
    figure.update_yaxes(type="category", autorange="reversed")


def share_bars(
    title: str, frame: pd.DataFrame, columns: tuple[str, str], marker: object, axis: str, height: int
) -> Any:
    """Return a figure with a bar for each row of a frame: its name and number (`columns`), and its `share` beside it."""
    names, counts = (frame[column] for column in columns)
    figure = canvas(title, height=height)
    shown = [label(str(name).replace("_", " "), 24) for name in names]
    words = [f"{count(number)} ({percent(share)})" for number, share in zip(counts, frame["share"], strict=True)]
    outside = {"text": words, "textposition": "outside", "cliponaxis": False}
    add_bars(figure, [name[:1].upper() + name[1:] for name in shown], counts, "%{y}: %{text}", **outside, marker=marker)
    longest = max(value or 0 for value in numbers(counts))
    return figure.update_xaxes(title=axis, range=[0, 1.4 * (longest or 1)], tickformat=",d")


def hatched(solid: Iterable[bool]) -> dict[str, object]:
    """Return the marker of bars that are hatched where they are not solid."""
    return {"pattern": {"shape": ["" if full else HATCH for full in solid], "solidity": 0.35}}


def counted(frame: pd.DataFrame, name: str, number: str) -> str:
    """Return each row of a frame in words: its number, name and share."""
    told = zip(frame[number], frame[name], frame["share"], strict=True)
    return ", ".join(f"{count(many)} {str(what).replace('_', ' ')} ({percent(share)})" for many, what, share in told)


def share_words(row: Mapping[str, object], part: str, whole: str, share: str = "share", bounds: str = "") -> str:
    """Return a share of a row with its counts and interval; the columns of its bounds begin with `bounds`."""
    low, high = (percent(row[f"{bounds}{end}"]) for end in ("low", "high"))
    return f"{percent(row[share])} ({count(row[part])} of {count(row[whole])}), interval {low} to {high}"


def add_shares(
    figure: go.Figure, shares: Sequence[pd.Series[float]], hovers: list[str], rows: Sequence[float], **more: object
) -> None:
    """Draw a mark for each share (0 to 1, with its lower and upper bound) in its row, with its interval."""
    share, low, high = shares
    shown = {"customdata": hovers, "hovertemplate": "%{customdata}<extra></extra>"}
    bars = interval_bars(share, low, high)
    figure.add_scatter(mode="markers", x=percents(share), y=list(rows), error_x=bars, **shown, **more)


def row_axis(names: Sequence[str]) -> dict[str, object]:
    """Return the vertical axis of a chart of named rows, the first on top."""
    rows = list(range(len(names)))
    return {"tickvals": rows, "ticktext": names, "range": [len(rows) - 0.5, -0.5], "showgrid": False}


def percents(shares: pd.Series[float]) -> list[float | None]:
    """Return shares (0 to 1) in percent with two places, as figures take them; None where a share is missing."""
    return [None if value is None else round(100 * value, 2) for value in numbers(shares)]


def interval_bars(share: pd.Series[float], low: pd.Series[float], high: pd.Series[float]) -> dict[str, object]:
    """Return the error bars of a trace that show the intervals of its shares, in percent."""
    return {"array": percents(high - share), "arrayminus": percents(share - low), "thickness": 1.6, "width": 3}


def course_rows(title: str, heads: Sequence[str], *, height: int, gap: float) -> go.Figure:
    """Return a figure of rows of axes over the same months, each with its head above it."""
    figure = canvas(title, height=height)
    figure.set_subplots(rows=len(heads), cols=1, shared_xaxes=True, vertical_spacing=gap)
    for row, head in enumerate(heads, 1):
        row_label(figure, head, row)
    figure.update_xaxes(tickformat="%b<br>%Y", nticks=5)
    figure.layout.margin.t += 24
    return figure


def day_names(days: Iterable[pd.Timestamp]) -> list[str]:
    """Return days as figures take them."""
    return [f"{day:%Y-%m-%d}" for day in days]
