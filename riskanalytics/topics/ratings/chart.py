"""Charts of ratings: the mix, its course, and the moves."""

from __future__ import annotations

from typing import Final, TypedDict

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS
from riskanalytics.pages.chart import Chart, Mark, add_grid, draws
from riskanalytics.pages.figures import (
    canvas,
    count,
    day_names,
    empty,
    hatched,
    label,
    level_marker,
    month_ticks,
    numbers,
    percent,
    share_bars,
)
from riskanalytics.theme import LEVEL_COLOURS
from riskanalytics.topics.ratings import HISTORY_COLUMNS, MIX_COLUMNS, NOT_KNOWN, TRANSITION_COLUMNS
from riskanalytics.topics.shape import Record

__all__ = ["rating_history", "rating_mix", "rating_transitions"]

_HOVER: Final = "%{x}<br>%{fullData.name}: %{y:,d} (%{customdata})<extra></extra>"
_MIX: Final = "How are the platforms rated?"
_SIGNS: Final = {"up": (3, "▲"), "down": (1, "▼"), "stayed": (None, "="), "other_texts": (None, "≠")}


class Label(TypedDict):
    """Words beside a band, as plotly's annotations take them."""

    x: float
    y: float
    text: str
    xanchor: str
    align: str


@draws(MIX_COLUMNS, _MIX)
def rating_mix(mix: pd.DataFrame, *, height: int | None = None) -> Chart:
    """Draw the number of platforms by rating as labelled bars.

    Parameters
    ----------
    mix : pandas.DataFrame
        What `analysis.rating_mix` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    Chart

    Examples
    --------
    >>> print(charts.rating_mix(analysis.rating_mix(data.platforms)).title)
    89 of 320 platforms are rated HIGH
    """
    words = _mix_words(mix)
    if not mix["total"].iloc[0]:
        return Chart("rating_mix", empty(_MIX), words, mix)
    title = _high(rows_of(mix[mix["rating"] == "HIGH"])[0])
    known = hatched(mix["level"] != "UNKNOWN")
    marker = known | {"color": [LEVEL_COLOURS["light"][level] for level in mix["level"]]}
    figure = share_bars(title, mix, ("rating", "platforms"), marker, "Platforms", height or 110 + 38 * len(mix))
    return Chart("rating_mix", figure, words, mix)


def _mix_words(mix: pd.DataFrame) -> str:
    """Return how many platforms have each rating."""
    parts = [f"{count(row.platforms)} {row.rating} ({percent(row.share)})" for row in mix.itertuples() if row.platforms]
    return f"Ratings of {count(mix['total'].iloc[0], 'platform')}: {', '.join(parts) or 'none'}."


def _high(row: Record) -> str:
    """Return how many of all platforms are rated HIGH."""
    verb = "is" if row["platforms"] == 1 else "are"
    return f"{count(row['platforms'])} of {count(row['total'], 'platform')} {verb} rated HIGH"


@draws(HISTORY_COLUMNS, "How did the ratings move?")
def rating_history(history: pd.DataFrame, *, height: int = 360) -> Chart:
    """Draw the number of platforms by rating at each date, stacked, labelled at the right.

    Parameters
    ----------
    history : pandas.DataFrame
        What `analysis.rating_history` returned.
    height : int
        Pixels.

    Returns
    -------
    Chart
        Platforms whose state at a date is not known are a hatched band of their own, at the top.

    Examples
    --------
    >>> print(charts.rating_history(analysis.rating_history(data.history(months=3))).title)
    89 of 320 platforms are rated HIGH, as many as in July 2026
    """
    ratings = list(dict.fromkeys(history["rating"]))
    groups = {rating: history[history["rating"] == rating] for rating in ratings}
    days = groups[ratings[0]]["date"].tolist()
    figure = canvas(_history_title(groups), height=height, barmode="stack", bargap=0.06)
    for rating, group in groups.items():
        look = {"name": label(rating, 24), "marker": level_marker(group["level"].iloc[0])}
        told = {"customdata": list(map(percent, group["share"])), "hovertemplate": _HOVER}
        figure.add_bar(x=day_names(days), y=numbers(group["platforms"]), **look, **told)
    figure.update_xaxes(type="category", tickvals=day_names(days), ticktext=month_ticks(days), tickangle=0)
    top = int(history.groupby("date")["platforms"].sum().max()) or 1
    figure.update_yaxes(title="Platforms", range=[0, 1.04 * top], tickformat=",d")
    figure.update_layout(annotations=_end_labels(groups, len(days) - 0.4, float(top)), margin={"r": 96})
    return Chart("rating_history", figure, _history_words(history), history)


def _history_words(history: pd.DataFrame) -> str:
    """Return how many platforms have each rating at the first date and at the last."""
    parts = []
    for day in dict.fromkeys((history["date"].min(), history["date"].max())):
        mix = history[(history["date"] == day) & (history["platforms"] > 0)]
        counts = ", ".join(f"{count(row.platforms)} {row.rating}" for row in mix.itertuples())
        parts.append(f"{day:%B %Y}: {counts}")
    return f"Stacked bars of platforms by rating at each month's end. {'; '.join(parts)}."


def _history_title(groups: dict[str, pd.DataFrame]) -> str:
    """Return how many platforms are rated HIGH at the last date, beside the first: of those whose rating is known."""
    high = groups.get("HIGH")
    if high is None or len(high) < 2:
        return "How are the ratings distributed?"
    unknown = groups[NOT_KNOWN]["platforms"].tolist() if NOT_KNOWN in groups else [0] * len(high)
    first, *_, last = ({**row, "total": row["total"] - lost} for row, lost in zip(rows_of(high), unknown, strict=True))
    now = _high(last)
    if first["platforms"] == last["platforms"]:
        return f"{now}, as many as in {first['date']:%B %Y}"
    return f"{now}; in {first['date']:%B %Y}: {count(first['platforms'])} of {count(first['total'])}"


def _end_labels(groups: dict[str, pd.DataFrame], x: float, top: float) -> list[Label]:
    """Place one label beside the middle of each last band, moved apart where bands are thin."""
    labels: list[Label] = []
    base, lowest = 0.0, 0.0
    for rating, group in groups.items():
        value = float(group["platforms"].iloc[-1])
        if value:
            y = max(base + value / 2, lowest)
            lowest = y + 0.075 * top
            text = f"{label(rating, 12)} {count(value)}"
            labels.append({"x": x, "y": y, "text": text, "xanchor": "left", "align": "left"})
        base += value
    over = max(0.0, lowest - 0.035 * top - top)
    return [{**mark, "y": mark["y"] - over} for mark in labels]


@draws(TRANSITION_COLUMNS, "Who moved from which rating to which?", "The data tell the ratings of one date only.")
def rating_transitions(transitions: pd.DataFrame) -> Chart:
    """Draw how many platforms moved from one rating to another between two dates.

    Parameters
    ----------
    transitions : pandas.DataFrame
        What `analysis.rating_transitions` returned.

    Returns
    -------
    Chart
        One heatmap: rows are the ratings then, columns those now; colour and sign tell where the risk went.

    Examples
    --------
    >>> transitions = analysis.rating_transitions(data.history(months=6), data.changes())
    >>> print(charts.rating_transitions(transitions).title)
    Since April 2026 the rating rose on 2 and fell on 1 platform; 317 stayed
    """
    since, until = transitions["since"].iloc[0], transitions["until"].iloc[0]
    rows, columns = _in_order(transitions, "rating_before"), _in_order(transitions, "rating_after")
    cells: dict[tuple[str, str], Mark] = {}
    for row in rows_of(transitions):
        pair = (row["rating_before"], row["rating_after"])
        cells[pair] = _joined(cells[pair], _mark(row)) if pair in cells else _mark(row)
    marks = [
        [cells.get((before, now), (None, "= 0" if before == now else "", "none")) for now in columns] for before in rows
    ]
    figure = canvas(_transitions_title(transitions), height=150 + 44 * len(rows))
    heads, lines = ([f"{label(rating, 16)} " for rating in side] for side in (columns, rows))
    hint = "%{y}→ %{x}<br>%{hovertext}<extra></extra>"
    add_grid(figure, heads, lines, marks, textfont={"size": 13}, hovertemplate=hint, xgap=2, ygap=2)
    figure.update_layout(margin={"t": figure.layout.margin.t + 44})
    shared = {"showgrid": False, "type": "category", "fixedrange": True}
    figure.update_xaxes(title=f"Rating on {until:%Y-%m-%d}", side="top", **shared)
    figure.update_yaxes(title=f"On {since:%Y-%m-%d}", autorange="reversed", **shared)
    return Chart("rating_transitions", figure, _transitions_words(transitions), transitions)


def _transitions_words(transitions: pd.DataFrame) -> str:
    """Return how many platforms went from which rating to which, and how many stayed."""
    moved = transitions[transitions["direction"] != "stayed"]
    parts = [
        f"{row.rating_before} to {row.rating_after}: {count(row.platforms)}"
        + (" because other documents are read than before" if row.direction == "other_texts" else "")
        for row in moved.itertuples()
    ]
    stayed = count(transitions.loc[transitions["direction"] == "stayed", "platforms"].sum())
    days = f"{transitions['since'].iloc[0]:%Y-%m-%d} and {transitions['until'].iloc[0]:%Y-%m-%d}"
    total = count(transitions["total"].iloc[0], "platform")
    return f"Ratings of {total} on {days}. {'; '.join(parts) or 'None moved'}. {stayed} stayed."


def _mark(cell: Record) -> Mark:
    """Return the mark of a pair of ratings that occurs."""
    code, sign = _SIGNS.get(cell["direction"], (0, "◆"))
    return code, f"{sign} {count(cell['platforms'])}", label(cell["names"], 160) or count(cell["platforms"], "platform")


def _joined(moved: Mark, others: Mark) -> Mark:
    """Return the mark of a pair of ratings that some moved to, and others have because other documents are read."""
    return moved[0], f"{moved[1]}, {others[1]}", f"{moved[2]}<br>{others[2]}"


def _in_order(transitions: pd.DataFrame, column: str) -> list[str]:
    """Return the ratings of one side, worst first: the known ones always, then the others as they stand."""
    occurring = list(dict.fromkeys([*transitions["rating_before"], *transitions["rating_after"]]))
    on_side = set(transitions[column])
    return list(dict.fromkeys([*reversed(RATINGS), *(rating for rating in occurring if rating in on_side)]))


def _transitions_title(transitions: pd.DataFrame) -> str:
    """Return on how many platforms the rating rose, fell and stayed."""
    moved = transitions.groupby("direction")["platforms"].sum()
    up, down, stayed, others = (int(moved.get(word, 0)) for word in ("up", "down", "stayed", "other_texts"))
    since = transitions["since"].iloc[0]
    read = f", {count(others)} differ by the documents read" if others else ""
    if not up and not down:
        return f"No rating rose or fell since {since:%B %Y}; {count(stayed, 'platform')} stayed{read}"
    rose = f"Since {since:%B %Y} the rating rose on {count(up)} and fell on {count(down, 'platform')}"
    return f"{rose}; {count(stayed)} stayed{read}"
