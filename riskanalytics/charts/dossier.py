"""Figures of one platform: beside its peers, and over time."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.charts.canvas import canvas, empty, level_marker, numbers
from riskanalytics.charts.labels import count, label
from riskanalytics.frames import rows_of
from riskanalytics.models import stance_name, surface_name
from riskanalytics.theme import LEVEL_CODES, LEVEL_LETTERS, PAGE

_PARTS = (
    ("high", "HIGH", "H"),
    ("med", "MED", "M"),
    ("low", "LOW", "L"),
    ("quiet", None, ""),
    ("unknown", "UNKNOWN", "?"),
)
_WORDS = {"quiet": "read, nothing found", "unknown": "not known"}
_STATES = {
    "quiet": "read, nothing found",
    "unread": "not read",
    "untracked": "not tracked yet",
    "not known": "not known",
}


def peers(standing: pd.DataFrame, *, height: int | None = None) -> go.Figure:
    """Draw, for each surface, the levels of the peers, and where the platform stands among them.

    Parameters
    ----------
    standing : pandas.DataFrame
        What `analysis.peers` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Stacked bars of peers; a ring with the platform's own letter stands in the segment where it belongs.
    """
    if standing.empty or not standing["peers"].max():
        return empty("Where does it stand among its peers?", "There is no other platform to compare it with.")
    names = [label(surface_name(surface), 28) for surface in standing["surface"]]
    figure = canvas(_peers_title(standing), height=height or 124 + 30 * len(standing), barmode="stack", bargap=0.25)
    for part, level, _ in _PARTS:
        figure.add_bar(
            orientation="h",
            x=numbers(standing[part]),
            y=names,
            name=_WORDS.get(part, part.upper()),
            marker=level_marker(level) if level else {"color": "rgba(0,0,0,0)"},
            hovertemplate="%{y}<br>peers %{fullData.name}: %{x:,d}<extra></extra>",
        )
    rows = rows_of(standing)
    figure.add_scatter(
        mode="markers+text",
        x=[_place(row) for row in rows],
        y=names,
        text=[_letter(row) for row in rows],
        textfont={"size": 11, "color": PAGE["light"]["text"], "weight": 700},
        marker={
            "size": 20,
            "color": PAGE["light"]["background"],
            "line": {"width": 2, "color": PAGE["light"]["text"]},
        },
        hovertext=[_own(row) for row in rows],
        hovertemplate="%{y}<br>%{hovertext}<extra></extra>",
    )
    figure.update_xaxes(
        title="Other platforms, HIGH to the left<br>(unfilled: nothing found;<br>hatched: not known)", tickformat=",d"
    )
    figure.update_yaxes(type="category", autorange="reversed")
    return figure


def _peers_title(standing: pd.DataFrame) -> str:
    above, below = (int((standing["standing"] == words).sum()) for words in ("above most", "below most"))
    most = count(standing["peers"].max(), "other platform")
    return (
        f"Higher than most of {most} on {count(above, 'surface')}, lower on {count(below)}; its own level in the ring"
    )


def _own_part(row: dict[str, Any]) -> str:
    if row["state"] == "quiet":
        return "quiet"
    return next((part for part, level, _ in _PARTS if row["state"] == "found" and row["level"] == level), "unknown")


def _place(row: dict[str, Any]) -> float:
    """Return the middle of the segment to which the platform belongs."""
    own, base = _own_part(row), 0
    for part, _, _ in _PARTS:
        if part == own:
            return base + int(row[part]) / 2
        base += int(row[part])
    return float(base)


def _letter(row: dict[str, Any]) -> str:
    own = _own_part(row)
    return next(letter for part, _, letter in _PARTS if part == own)


def _own(row: dict[str, Any]) -> str:
    own = _own_part(row)
    if own in _WORDS:
        return f"this platform: {_WORDS[own]}"
    others = f"{count(row['below'])} peers lower, {count(row['above'])} higher"
    return f"this platform: {own.upper()}, {count(row['clauses'], 'clause')}; {others}"


def course(course: pd.DataFrame, *, height: int | None = None) -> go.Figure:
    """Draw a platform's rating and its levels over several days.

    Parameters
    ----------
    course : pandas.DataFrame
        What `analysis.course` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap, days from left to right; the rating on top, set apart by a gap. Letters as in the risk heatmap.
    """
    if course.empty:
        return empty("How did its levels move?", "The state of past days is not known.")
    subjects = list(dict.fromkeys(course["subject"]))
    days = list(dict.fromkeys(course["date"]))
    cells = {(row["subject"], row["date"]): row for row in rows_of(course)}
    rows = [subjects[0], None, *subjects[1:]]
    drawn = [[_cell(cells.get((subject, day))) for day in days] for subject in rows]
    names = ["Rating", " ", *(label(surface_name(subject), 28) for subject in subjects[1:])]
    figure = canvas(_course_title(course, days), height=height or 124 + 22 * len(names))
    figure.add_heatmap(
        x=[f"{day:%Y-%m-%d}" for day in days],
        y=names,
        z=[[cell[0] for cell in row] for row in drawn],
        text=[[cell[1] for cell in row] for row in drawn],
        hovertext=[[cell[2] for cell in row] for row in drawn],
        texttemplate="%{text}",
        textfont={"size": 11},
        hovertemplate="%{x}<br>%{y}: %{hovertext}<extra></extra>",
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
    )
    figure.update_layout(coloraxis={"cmin": -0.5, "cmax": 3.5})
    figure.update_xaxes(
        type="category",
        title="State at that day (blank: read, nothing found)",
        showgrid=False,
        fixedrange=True,
        tickangle=0,
        tickvals=[f"{day:%Y-%m-%d}" for day in days],
        ticktext=[
            f"{day:%b}<br>{day:%Y}" if (len(days) - 1 - place) % 3 == 0 else "" for place, day in enumerate(days)
        ],
    )
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False, fixedrange=True, dtick=1, ticks="")
    return figure


def _course_title(course: pd.DataFrame, days: list[pd.Timestamp]) -> str:
    known = course[~course["state"].isin(["untracked", "not known", "unread"])]
    if known["date"].nunique() < 2:
        return "Its levels today: past days are not known"
    words = known["risk"].astype("object").fillna("")
    counts = words.groupby(known["subject"]).nunique()
    moved = int((counts.drop("rating", errors="ignore") > 1).sum())
    told = f"{count(moved, 'surface')} moved" if moved else "no surface moved"
    rating = "the rating moved" if counts.get("rating", 0) > 1 else "the rating stayed"
    read = f"Read on {count(known['date'].nunique(), 'day')}, {known['date'].min():%B %Y} to {days[-1]:%B %Y}"
    return f"{read}: {rating}, {told}"


def _cell(cell: dict[str, Any] | None) -> tuple[int | None, str, str]:
    if cell is None:
        return None, "", ""
    if cell["state"] != "found":
        told = _STATES.get(str(cell["state"]), "not known")
        blank = cell["state"] in ("quiet", "untracked")
        return (None, "", told) if blank else (LEVEL_CODES["UNKNOWN"], LEVEL_LETTERS["UNKNOWN"], told)
    level = cell["level"]
    word = level if level != "UNKNOWN" else f"not known ({label(cell['risk'], 16) or 'no level given'})"
    stance = "" if pd.isna(cell["stance"]) else f"; {label(stance_name(str(cell['stance'])), 40)}"
    return LEVEL_CODES[level], LEVEL_LETTERS[level], f"{word}{stance}"
