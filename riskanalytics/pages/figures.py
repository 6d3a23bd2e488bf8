"""Charts (a plotly figure with its description and numbers), a check of the frames that charts draw, and helpers for figures."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import wraps
from html import escape
from inspect import signature
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.errors import ReportError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.frames.building import Json
from riskanalytics.text import wording
from riskanalytics.text.untrusted import marked
from riskanalytics.text.wording import plural
from riskanalytics.theme import LEVEL_COLOURS, PAGE, TEMPLATE, UNFILLED, UPLOAD, register

from .rows import frame_table, number
from .section import Section, encode
from .svg import NotDrawnError, drawn
from .values import FIGURE_TYPE, PAGE_TYPE, Figure, Paragraph


def label(text: object, width: int = 60) -> str:
    """Return data-derived text for use in a figure.

    plotly reads labels as HTML, so `&`, `<` and `>` are escaped. Invisible characters (controls, zero-width and direction
    characters) become a visible mark, a run of white space becomes one space, and text beyond `width` is cut with an ellipsis.
    """
    if is_missing(text):
        return ""
    plain = str(text)[: 4 * width]
    shown = marked(re.sub(r"[ \t\r\n]+", " ", plain).strip())
    if len(shown) > width or len(str(text)) > len(plain):
        shown = shown[: width - 1].rstrip() + "…"
    return escape(shown, quote=False)


def wrapped(text: str, width: int = 42) -> str:
    """Return a title broken by `<br>` into lines of at most `width` characters (longer words stay whole), for narrow screens."""
    return "<br>".join(textwrap.wrap(text, width, break_long_words=False))


def count(value: object, noun: str = "") -> str:
    """Return a count as text, such as `1,200 findings` for the noun `finding`; a missing count becomes `?`."""
    if is_missing(value):
        return f"? {noun}s" if noun else "?"
    return plural(int(number(value)), noun) if noun else f"{int(number(value)):,}"


def percent(ratio: object) -> str:
    """Return a share (0 to 1) as a text in whole percent, such as `42 %`; `no share` if it is missing."""
    return "no share" if is_missing(ratio) else wording.percent(number(ratio))


def month_ticks(months: Sequence[date]) -> list[str]:
    """Return a label for each month of an axis: the name of every third month, counted back from the last; empty for the others.

    The first label of each year also has the year.
    """
    shown = months[(len(months) - 1) % 3 :: 3]
    years = {month.year: month for month in reversed(shown)}
    words = {month: f"{month:%b<br>%Y}" if years[month.year] == month else f"{month:%b}" for month in shown}
    return [words.get(month, "") for month in months]


register()

HATCH = "/"
"""Pattern of bars whose level is not known, so that they are never taken for LOW."""
NO_ROW = "No data: nothing to show here."


def canvas(title: str, *, height: int, **layout: object) -> go.Figure:
    """Return an empty plotly figure with the theme of this package, and a title broken into lines for narrow screens.

    `height` is in pixels, without the title; `layout` contains other settings of plotly's layout. plotly's button that uploads a
    chart is removed from the figure, so that no front end shows it.
    """
    text = wrapped(title)
    room = 20 * (1 + text.count("<br>"))
    usual = {"template": TEMPLATE, "title": {"text": text}, "height": height + room, "margin": {"t": 16 + room}}
    return go.Figure(layout={**usual, "modebar": {"remove": UPLOAD}}).update_layout(**layout)


def empty(title: str, why: str = NO_ROW) -> go.Figure:
    """Return a figure that shows no data, only the message `why`."""
    figure = canvas(title, height=180).update_xaxes(visible=False).update_yaxes(visible=False)
    return figure.add_annotation(text=wrapped(why), x=0.5, y=0.5, xref="paper", yref="paper", align="center")


def level_marker(level: str) -> dict[str, object]:
    """Return plotly's marker for bars of one risk level: the level's colour, with hatches if the level is `UNKNOWN`."""
    pattern = {"pattern": {"shape": HATCH, "size": 6, "solidity": 0.2}} if level == "UNKNOWN" else {}
    return {"color": LEVEL_COLOURS["light"][level], **pattern}


def numbers(column: pd.Series[float]) -> list[float | int | None]:
    """Return a numeric column as a list of Python numbers, with None for each missing value."""
    return [None if pd.isna(value) else value for value in column.tolist()]


LINE: Final = {"color": PAGE["light"]["accent"], "width": 2, "shape": "hv"}
"""Style of a stepped line over time: a state holds until the next known day."""


def add_bars(figure: go.Figure, names: Sequence[str], counts: pd.Series[float], hover: str, **more: object) -> None:
    """Draw a horizontal bar for each name, the first at the top.

    Parameters
    ----------
    figure : plotly Figure
    names : sequence of str
        Already escaped by `label`.
    counts : pandas.Series
        Lengths of the bars.
    hover : str
        Hover text, as a template of plotly.
    **more : object
        Other arguments of plotly's `Figure.add_bar`.
    """
    figure.add_bar(orientation="h", x=numbers(counts), y=names, hovertemplate=f"{hover}<extra></extra>", **more)
    figure.update_yaxes(type="category", autorange="reversed")


def share_bars(title: str, frame: pd.DataFrame, columns: Sequence[str], marker: object, axis: str, height: int) -> Any:
    """Return a figure with a horizontal bar for each row of a frame, and next to the bar its number and share.

    Parameters
    ----------
    title : str
    frame : pandas.DataFrame
        With a column `share` (0 to 1).
    columns : tuple of (str, str)
        The column of the names of the bars, and the column of their lengths.
    marker : object
        plotly's marker of the bars.
    axis : str
        Title of the horizontal axis.
    height : int
        Height in pixels, without the title.
    """
    names, counts = (frame[column] for column in columns)
    figure = canvas(title, height=height)
    shown = [label(str(name).replace("_", " "), 24) for name in names]
    words = [f"{count(number)} ({percent(share)})" for number, share in zip(counts, frame["share"], strict=True)]
    outside = {"text": words, "textposition": "outside", "cliponaxis": False, "marker": marker}
    add_bars(figure, [name[:1].upper() + name[1:] for name in shown], counts, "%{y}: %{text}", **outside)
    longest = max(value or 0 for value in numbers(counts)) or 1
    return figure.update_xaxes(title=axis, range=[0, 1.4 * longest], tickformat=",d")


def hatched(solid: Iterable[bool]) -> dict[str, object]:
    """Return plotly's marker of bars that hatches each bar whose item of `solid` is false."""
    return {"pattern": {"shape": ["" if full else HATCH for full in solid], "solidity": 0.35}}


def counted(frame: pd.DataFrame, name: str, number: str) -> str:
    """Return a phrase that lists the rows of a frame, such as `12 verified (40 %), 18 stale (60 %)`.

    `name` and `number` are the columns of the words and the counts; the column `share` gives the percentages.
    """
    rows = zip(frame[number], frame[name], frame["share"], strict=True)
    return ", ".join(f"{count(many)} {str(what).replace('_', ' ')} ({percent(share)})" for many, what, share in rows)


def share_words(row: Json, part: str, whole: str, share: str = "share", bounds: str = "") -> str:
    """Return the share in a row as a phrase, such as `40 % (4 of 10), interval 12 % to 74 %`.

    Parameters
    ----------
    row : mapping
        A row of a frame: column -> value.
    part, whole : str
        Columns of the part and of the total whose ratio is the share; in the example, they contain 4 and 10.
    share : str
        Column of the share (0 to 1).
    bounds : str
        Prefix of the columns of the interval: with `recall_`, they are `recall_low` and `recall_high`; if empty, `low` and `high`.
    """
    low, high = (percent(row[f"{bounds}{end}"]) for end in ("low", "high"))
    return f"{percent(row[share])} ({count(row[part])} of {count(row[whole])}), interval {low} to {high}"


def add_shares(
    figure: go.Figure, frame: pd.DataFrame, names: Iterable[str], *columns: str, shift: float = 0, **more: object
) -> None:
    """Draw the share in each row of a frame as a point with its interval, in percent.

    Parameters
    ----------
    figure : plotly Figure
    frame : pandas.DataFrame
    names : iterable of str
        For each row, the first line of the hover text of its point; the share in words follows.
    *columns : str
        Columns of the part and of the total; if they have other names than usual, also the column of the share and the prefix of
        the columns of its interval; all as for `share_words`.
    shift : float
        Distance of the points from the middle of their rows, downwards.
    **more : object
        Other arguments of plotly's `Figure.add_scatter`.
    """
    share, bounds = columns[2:] or ("share", "")
    shares = [frame[name] for name in (share, f"{bounds}low", f"{bounds}high")]
    hovers = [f"{name}<br>{share_words(row, *columns)}" for name, row in zip(names, rows_of(frame), strict=True)]
    more |= {"customdata": hovers, "hovertemplate": "%{customdata}<extra></extra>"}
    places = [place + shift for place in range(len(frame))]
    figure.add_scatter(mode="markers", x=percents(shares[0]), y=places, error_x=interval_bars(*shares), **more)


def row_axis(names: Sequence[str]) -> dict[str, object]:
    """Return the settings of the vertical axis of a chart of named rows, the first at the top."""
    return {"tickvals": [*range(len(names))], "ticktext": names, "range": [len(names) - 0.5, -0.5], "showgrid": False}


def percents(shares: pd.Series[float]) -> list[float | None]:
    """Return shares (0 to 1) in percent with two decimals; None if a share is missing."""
    return [None if value is None else round(100 * value, 2) for value in numbers(shares)]


def interval_bars(share: pd.Series[float], low: pd.Series[float], high: pd.Series[float]) -> dict[str, object]:
    """Return plotly's error bars in percent, from columns of shares and of the bounds of their intervals (0 to 1)."""
    return {"array": percents(high - share), "arrayminus": percents(share - low), "thickness": 1.6, "width": 3}


def course_rows(title: str, heads: Sequence[str], *, height: int, gap: float) -> go.Figure:
    """Return an empty figure for small charts with the titles `heads`, one above the other, with a common axis of months.

    `height` is in pixels, without the title; `gap` is the space between two small charts, as a share of the height.
    """
    figure = canvas(title, height=height)
    figure.set_subplots(rows=len(heads), cols=1, shared_xaxes=True, vertical_spacing=gap)
    for row, head in enumerate(heads, 1):
        place = {"x": 0, "y": 1, "xref": "paper", "yref": f"y{'' if row == 1 else row} domain"}
        figure.add_annotation(text=head, **place, xanchor="left", yanchor="bottom")
    figure.update_xaxes(tickformat="%b<br>%Y", nticks=5)
    figure.layout.margin.t += 24
    return figure


def day_names(days: Iterable[pd.Timestamp]) -> list[str]:
    """Return days as ISO dates."""
    return [f"{day:%Y-%m-%d}" for day in days]


@dataclass(frozen=True)
class Chart:
    """A chart that a notebook shows if it is the last value of a cell, or an argument of `display`.

    Parameters
    ----------
    name : str
        Name of the function that drew the chart.
    figure : plotly Figure
        You may change or save it.
    words : str
        Description for readers who cannot see the chart.
    table : pandas.DataFrame
        The numbers behind the chart; nested columns are not shown.
    most : int
        Maximum number of rows of `table` that a page shows.
    """

    name: str
    figure: go.Figure
    words: str
    table: pd.DataFrame
    most: int = 400

    @property
    def title(self) -> str:
        """The title of the figure on one line; the name of the chart if the figure has no title."""
        return str(self.figure.layout.title.text or self.name).replace("<br>", " ")

    @property
    def value(self) -> Figure:
        """The chart as a `Figure` of a page: its name, title, description and numbers. Its `plot` is empty until a page adds it."""
        return Figure(self.name, self.title, self.words, frame_table(self.table, self.most))

    @property
    def html(self) -> str:
        """The chart as an SVG for HTML without scripts; empty if the chart has elements that cannot be drawn (`pages.svg`)."""
        try:
            return drawn(self._plot, alone=True)[0]
        except NotDrawnError:
            return ""

    @property
    def _plot(self) -> Any:
        return json.loads(self.figure.to_json())

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Return the figure's JSON for front ends, a drawing for pages without scripts, and the page value."""
        bundle = {FIGURE_TYPE: self._plot, PAGE_TYPE: encode((self.value,)), "text/plain": self.words}
        if Section.for_others and (drawing := self.html):
            bundle["image/svg+xml"] = drawing
        return bundle


NO_DATA: Final = "No data for this chart."

Mark = tuple[int | None, str, str]
"""A cell of a grid of levels: its value on the colour axis (None: not filled), its label, and its hover text."""


Draw = Callable[..., Chart]


def draws(
    columns: Collection[str],
    question: str,
    why: str = NO_ROW,
    *,
    table: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame,
    view: str = "",
    unknown: str = "",
) -> Callable[[Draw], Draw]:
    """Return a decorator for functions that make a chart of a frame; it checks the frame before it calls the function.

    Each function draws the result of the analysis of the same name: `charts.freshness` draws that of `analysis.freshness`. The
    function is called only with a frame that has the required columns and at least one row. For a frame without rows, the chart
    shows a message. If the argument is a data set (`ra.load`), the frame of the function's name in `data.views` is drawn. If it
    is neither a frame nor a data set, or if a column is missing, a ReportError names the analysis whose result is needed.

    Parameters
    ----------
    columns : iterable of str
        Required columns of the frame.
    question : str
        Title of the chart if the frame has no rows.
    why : str
        Message of the chart if the frame has no rows.
    table : callable, optional
        Makes the table of numbers that belongs to the chart, if the frame has no rows. By default the table is the frame itself.
    view : str
        Name of the frame in `data.views`, if it differs from the name of the function.
    unknown : str
        Message shown instead of a chart if the frame in `data.views` is None (data not known). If empty, a page shows nothing.
    """

    def decorated(draw: Draw) -> Draw:
        name, form = draw.__name__, signature(draw)

        @wraps(draw)
        def chart(*args: Any, **kwargs: Any) -> Chart:
            frame = next(iter(form.bind(*args, **kwargs).arguments.values()))
            if hasattr(type(frame), "views"):
                known = getattr(frame.views, view or name)
                said: Any = Section((Paragraph(unknown),) if unknown else (), unknown or NO_DATA)
                return said if known is None else chart(known, **kwargs)
            wants = f"it draws the result of analysis.{name}"
            if not isinstance(frame, pd.DataFrame):
                raise ReportError(f"charts.{name}: expected a frame, not {type(frame).__name__}; {wants}")
            if missing := [column for column in columns if column not in frame]:
                raise ReportError(f"charts.{name}: the frame lacks the column(s) {', '.join(missing)}; {wants}")
            return draw(*args, **kwargs) if len(frame) else Chart(name, empty(question, why), NO_DATA, table(frame))

        return chart

    return decorated


def add_grid(
    figure: go.Figure, columns: Sequence[str], rows: Sequence[str], marks: Sequence[Sequence[Mark]], **more: object
) -> None:
    """Draw a grid of risk levels as a heatmap of plotly, with the first row at the top.

    Parameters
    ----------
    figure : plotly Figure
    columns, rows : sequence of str
        Names of the columns and rows, already escaped by `label`.
    marks : sequence of sequence of Mark
        The rows of the grid. Each cell is a tuple of its value on the colour axis (None: not filled), its label and its hover text.
    **more : object
        Other arguments of plotly's `Figure.add_heatmap`; `%{hovertext}` in a `hovertemplate` is the hover text of a cell.
    """
    codes = [[UNFILLED if code is None and text else code for code, text, _ in line] for line in marks]
    texts, hints = ([[mark[part] for mark in line] for line in marks] for part in (1, 2))
    usual = {"texttemplate": "%{text}", "textfont": {"size": 11}, "coloraxis": "coloraxis", "xgap": 1, "ygap": 1}
    figure.add_heatmap(x=columns, y=rows, z=codes, text=texts, hovertext=hints, **usual | more)
    figure.update_layout(coloraxis={"cmin": UNFILLED - 0.5, "cmax": 3.5})
    axis = {"showgrid": False, "type": "category", "fixedrange": True}
    figure.update_xaxes(**axis).update_yaxes(autorange="reversed", dtick=1, **axis)
