"""Figures of ratings: the mix, its course, and the moves."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import canvas, empty, level_marker, numbers
from riskanalytics.charts.labels import count, label, month_ticks, percent
from riskanalytics.models import RATINGS


def rating_mix(mix: pd.DataFrame, *, height: int | None = None) -> go.Figure:
    """Draw the number of platforms by rating as labelled bars.

    Parameters
    ----------
    mix : pandas.DataFrame
        What `analysis.rating_mix` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if mix.empty or not mix["total"].iloc[0]:
        return empty("How are the platforms rated?")
    high = mix[mix["rating"] == "HIGH"].iloc[0]
    title = _high(high)
    names = [label(rating, 24) for rating in mix["rating"]]
    parts = [f"{count(n)} ({percent(part)})" for n, part in zip(mix["platforms"], mix["share"], strict=True)]
    figure = canvas(title, height=height or 110 + 38 * len(mix), barmode="overlay")
    for place, level in enumerate(mix["level"]):
        figure.add_bar(
            orientation="h",
            x=[int(mix["platforms"].iloc[place])],
            y=[names[place]],
            text=[parts[place]],
            textposition="outside",
            cliponaxis=False,
            marker=level_marker(level),
            hovertemplate="%{y}: %{text}<extra></extra>",
        )
    room = 1.35 * max(numbers(mix["platforms"]))  # type: ignore[type-var, operator]
    figure.update_xaxes(title="Platforms", range=[0, room], tickformat=",d")
    figure.update_yaxes(type="category", autorange="reversed")
    return figure


def _high(row: pd.Series[Any]) -> str:
    verb = "is" if row["platforms"] == 1 else "are"
    return f"{count(row['platforms'])} of {count(row['total'], 'platform')} {verb} rated HIGH"


def rating_history(history: pd.DataFrame, *, height: int = 360) -> go.Figure:
    """Draw the number of platforms by rating at each date, stacked, labelled at the right.

    Parameters
    ----------
    history : pandas.DataFrame
        What `analysis.rating_history` returned.
    height : int
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Platforms whose state at a date is not known are a hatched band of their own, at the top.
    """
    if history.empty:
        return empty("How did the ratings move?")
    ratings = list(dict.fromkeys(history["rating"]))
    groups = {rating: history[history["rating"] == rating] for rating in ratings}
    days = groups[ratings[0]]["date"].tolist()
    figure = canvas(_history_title(groups), height=height, barmode="stack", bargap=0.06)
    for rating, group in groups.items():
        figure.add_bar(
            x=[f"{day:%Y-%m-%d}" for day in days],
            y=numbers(group["platforms"]),
            name=label(rating, 24),
            customdata=[percent(part) for part in group["share"]],
            marker=level_marker(group["level"].iloc[0]),
            hovertemplate="%{x}<br>%{fullData.name}: %{y:,d} (%{customdata})<extra></extra>",
        )
    figure.update_xaxes(
        type="category", tickvals=[f"{day:%Y-%m-%d}" for day in days], ticktext=month_ticks(days), tickangle=0
    )
    top = max(sum(numbers(history[history["date"] == day]["platforms"])) for day in days)  # type: ignore[arg-type]
    figure.update_yaxes(title="Platforms", range=[0, 1.04 * (top or 1)], tickformat=",d")
    figure.update_layout(annotations=_end_labels(groups, len(days) - 0.4, float(top or 1)), margin={"r": 96})
    return figure


def _history_title(groups: dict[str, pd.DataFrame]) -> str:
    high = groups.get("HIGH")
    if high is None or len(high) < 2:
        return "How are the ratings distributed?"
    first, last = high.iloc[0], high.iloc[-1]
    now = _high(last)
    if first["platforms"] == last["platforms"]:
        return f"{now}, as many as in {first['date']:%B %Y}"
    return f"{now}; in {first['date']:%B %Y}: {count(first['platforms'])} of {count(first['total'])}"


def _end_labels(groups: dict[str, pd.DataFrame], x: float, top: float) -> list[dict[str, Any]]:
    """Place one label beside the middle of each last band, moved apart where bands are thin."""
    labels: list[dict[str, Any]] = []
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
    return [mark | {"y": mark["y"] - over} for mark in labels]


def rating_transitions(transitions: pd.DataFrame) -> go.Figure:
    """Draw which platforms went from which rating to which between two dates.

    Parameters
    ----------
    transitions : pandas.DataFrame
        What `analysis.rating_transitions` returned.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap: rows are the ratings then, columns those now; colour and sign tell where the risk went.
    """
    if transitions.empty:
        return empty("Who moved from which rating to which?", "The data tell the ratings of one date only.")
    since, until = transitions["since"].iloc[0], transitions["until"].iloc[0]
    rows, columns = _in_order(transitions, "rating_before"), _in_order(transitions, "rating_after")
    cells = {(row.rating_before, row.rating_after): row for row in transitions.itertuples()}
    grid = [[_transition(cells.get((before, after)), before == after) for after in columns] for before in rows]
    figure = canvas(_transitions_title(transitions), height=150 + 44 * len(rows))
    figure.add_heatmap(
        x=[f"{label(rating, 16)} " for rating in columns],
        y=[f"{label(rating, 16)} " for rating in rows],
        z=[[cell[0] for cell in line] for line in grid],
        text=[[cell[1] for cell in line] for line in grid],
        hovertext=[[cell[2] for cell in line] for line in grid],
        texttemplate="%{text}",
        textfont={"size": 13},
        hovertemplate="%{y}→ %{x}<br>%{hovertext}<extra></extra>",
        coloraxis="coloraxis",
        xgap=2,
        ygap=2,
    )
    figure.update_layout(coloraxis={"cmin": -0.5, "cmax": 3.5}, margin={"t": figure.layout.margin.t + 44})
    figure.update_xaxes(
        title=f"Rating on {until:%Y-%m-%d}", side="top", showgrid=False, type="category", fixedrange=True
    )
    figure.update_yaxes(
        title=f"On {since:%Y-%m-%d}", autorange="reversed", showgrid=False, type="category", fixedrange=True
    )
    return figure


_SIGNS = {"up": (3, "▲"), "down": (1, "▼"), "stayed": (None, "=")}


def _transition(cell: Any, same: bool) -> tuple[int | None, str, str]:
    if cell is None:
        return None, "= 0" if same else "", "none"
    code, sign = _SIGNS.get(cell.direction, (0, "◆"))
    return code, f"{sign} {count(cell.platforms)}", label(cell.names, 160) or count(cell.platforms, "platform")


def _in_order(transitions: pd.DataFrame, column: str) -> list[str]:
    """Return the ratings of one side, worst first: the known ones always, then the others as they stand."""
    occurring = list(dict.fromkeys([*transitions["rating_before"], *transitions["rating_after"]]))
    on_side = set(transitions[column])
    return list(dict.fromkeys([*reversed(RATINGS), *(rating for rating in occurring if rating in on_side)]))


def _transitions_title(transitions: pd.DataFrame) -> str:
    moved = transitions.groupby("direction")["platforms"].sum()
    up, down, stayed = (int(moved.get(direction, 0)) for direction in ("up", "down", "stayed"))
    since = transitions["since"].iloc[0]
    if not up and not down:
        return f"No rating rose or fell since {since:%B %Y}; {count(stayed, 'platform')} stayed"
    return f"Since {since:%B %Y} the rating rose on {count(up)} and fell on {count(down, 'platform')}; {count(stayed)} stayed"
