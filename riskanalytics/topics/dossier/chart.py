"""Charts of one platform: beside its peers, and over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import stance_name, state_words
from riskanalytics.models.words import UNREAD
from riskanalytics.pages.chart import Chart, add_grid, draws
from riskanalytics.pages.figures import add_bars, canvas, count, day_names, empty, label, level_marker
from riskanalytics.pages.rows import Rows
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import LEVEL_CODES, PAGE, letter_of
from riskanalytics.topics.dossier import COURSE_COLUMNS, STANDING_COLUMNS
from riskanalytics.topics.dossier.words import nothing_unusual, own_words
from riskanalytics.topics.matrix.surface import LETTERS, mark_of
from riskanalytics.topics.shape import NOT_GIVEN, Record, word_of

__all__ = ["peer_levels", "platform_history"]

_ALONE: Final = ("Where does it stand among its peers?", "There is no other platform to compare it with.")
"""Title and words of a figure that has no peers to show."""
_PARTS: Final = (
    ("high", "HIGH", "H"),
    ("med", "MED", "M"),
    ("low", "LOW", "L"),
    ("quiet", None, ""),
    ("to_read", "UNKNOWN", "?"),
    ("unread", "UNKNOWN", UNREAD),
)
_WORDS: Final = {"quiet": "read, nothing found", "to_read": "to be read", "unread": "not read"}
_PAST: Final = {"untracked": "not tracked yet", "not known": "not known"}


@draws(STANDING_COLUMNS, *_ALONE)
def peer_levels(standing: pd.DataFrame, *, height: int | None = None) -> Chart:
    """Draw how many other platforms have each level on each surface, and where one platform stands among them.

    Parameters
    ----------
    standing : pandas.DataFrame
        What `analysis.peer_levels` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    Chart
        Stacked bars of peers; a ring with the platform's own letter stands in the segment where it belongs.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.peer_levels(analysis.peer_levels(matrix, "orvewick-voice")).title)
    Higher than most of 319 other platforms on 7 surfaces, lower on 0; its own level in the ring
    """
    words = _peers_words(standing)
    if not standing["peers"].max():
        return Chart("peer_levels", empty(*_ALONE), words, standing)
    names = [label(surface_name(surface), 28) for surface in standing["surface"]]
    figure = canvas(_peers_title(standing), height=height or 124 + 30 * len(standing), barmode="stack", bargap=0.25)
    for part, level, _ in _PARTS:
        marker = level_marker(level) if level else {"color": "rgba(0,0,0,0)"}
        hover, name = "%{y}<br>peers %{fullData.name}: %{x:,d}", _WORDS.get(part, part.upper())
        add_bars(figure, names, standing[part], hover, name=name, marker=marker)
    figure.add_scatter(**_rings(rows_of(standing), names))
    figure.update_xaxes(
        title="Other platforms, HIGH to the left<br>(unfilled: nothing found;<br>hatched: to be read or not read)",
        tickformat=",d",
    )
    return Chart("peer_levels", figure, words, standing)


def _rings(rows: Rows, names: list[str]) -> Mapping[str, object]:
    """Return the marks of the platform itself: on each surface a ring with its letter, where it belongs."""
    ink, paper = PAGE["light"]["text"], PAGE["light"]["background"]
    look = {"size": 20, "color": paper, "line": {"width": 2, "color": ink}}
    letters = {"text": list(map(_letter, rows)), "textfont": {"size": 11, "color": ink, "weight": 700}}
    hints = {"hovertext": list(map(_own, rows)), "hovertemplate": "%{y}<br>%{hovertext}<extra></extra>"}
    return {"mode": "markers+text", "x": list(map(_place, rows)), "y": names, "marker": look, **letters, **hints}


def _peers_words(standing: pd.DataFrame) -> str:
    """Return on which surfaces the platform's level is above or below that of most others, with counts."""
    others = count(standing["peers"].max(), "other platform")
    parts = []
    for words, side, told in (("above most", "below", "lower"), ("below most", "above", "higher")):
        stands = [
            f"{surface_name(str(row['surface']))} ({row['risk']}; {count(row[side])} are {told})"
            for row in rows_of(standing[standing["standing"] == words])
        ]
        parts += [f"{words} on {', '.join(stands)}"] if stands else []
    said = f"Its level beside those of {others}: {'; '.join(parts)}" if parts else nothing_unusual(rows_of(standing))
    if quiet := int((standing["state"] == "quiet").sum()):
        said += f"; nothing found on {count(quiet, 'surface')}"
    return f"{said}."


def _peers_title(standing: pd.DataFrame) -> str:
    """Return on how many surfaces the platform's level is above or below that of most others."""
    above, below = (int((standing["standing"] == words).sum()) for words in ("above most", "below most"))
    if not above and not below:
        return nothing_unusual(rows_of(standing))
    most = count(standing["peers"].max(), "other platform")
    return (
        f"Higher than most of {most} on {count(above, 'surface')}, lower on {count(below)}; its own level in the ring"
    )


def _own_part(row: Record) -> str:
    """Return the part of the bar to which the platform itself belongs."""
    return mark_of(row).lower()


def _place(row: Record) -> float:
    """Return the middle of the segment to which the platform belongs."""
    own, base = _own_part(row), 0
    for part, _, _ in _PARTS:
        if part == own:
            return base + int(row[part]) / 2
        base += int(row[part])
    return float(base)


def _letter(row: Record) -> str:
    """Return the letter of the platform's own level."""
    own = _own_part(row)
    return next(letter for part, _, letter in _PARTS if part == own)


def _own(row: Record) -> str:
    """Return the hover words of the platform itself on one surface."""
    own = _own_part(row)
    if own in _WORDS:
        return f"this platform: {own_words(row)}"
    others = f"{count(row['below'])} peers lower, {count(row['above'])} higher"
    return f"this platform: {own.upper()}, {count(row['clauses'], 'clause')}; {others}"


@draws(COURSE_COLUMNS, "How did its levels move?", "The state of past days is not known.")
def platform_history(course: pd.DataFrame, *, height: int | None = None) -> Chart:
    """Draw a platform's rating and its levels over several days.

    Parameters
    ----------
    course : pandas.DataFrame
        What `analysis.platform_history` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    Chart
        One heatmap, days from left to right; the rating on top, set apart by a gap. Letters as in the risk heatmap.

    Examples
    --------
    >>> course = data.past_states("alalix-chat", quarters=2)
    >>> print(charts.platform_history(analysis.platform_history(course.states, course.surfaces)).title)
    Read on 3 days, June 2026 to October 2026: the rating stayed, 1 surface moved
    """
    subjects, days = (list(dict.fromkeys(course[column])) for column in ("subject", "date"))
    cells = {(row["subject"], row["date"]): row for row in rows_of(course)}
    rows = [subjects[0], None, *subjects[1:]]
    grid = [[_cell(cells.get((subject, day))) for day in days] for subject in rows]
    names = ["Rating", " ", *(label(surface_name(subject), 28) for subject in subjects[1:])]
    figure = canvas(_course_title(course, days), height=height or 124 + 22 * len(names))
    add_grid(figure, day_names(days), names, grid, hovertemplate="%{x}<br>%{y}: %{hovertext}<extra></extra>")
    _set_axes(figure, days)
    return Chart("platform_history", figure, _course_words(course), course)


def _set_axes(figure: go.Figure, days: list[pd.Timestamp]) -> None:
    """Name each third day below the heatmap, counted from the last, and the subjects beside it, the rating on top."""
    shared = {"type": "category", "showgrid": False, "fixedrange": True}
    figure.update_yaxes(autorange="reversed", dtick=1, ticks="", **shared)
    title = "State at that day (? clauses to read, – not read,<br>blank: read, nothing found)"
    ticks = [f"{day:%b}<br>{day:%Y}" if (len(days) - 1 - place) % 3 == 0 else "" for place, day in enumerate(days)]
    figure.update_xaxes(title=title, tickangle=0, tickvals=day_names(days), ticktext=ticks, **shared)


def _course_words(course: pd.DataFrame) -> str:
    """Return the ratings that followed each other, each with its first day."""
    parts: list[str] = []
    last = None
    for row in rows_of(course[course["subject"] == "rating"]):
        word = word_of(row["risk"] if row["state"] == "found" else row["state"]) or NOT_GIVEN
        if word != last:
            parts.append(f"{word} from {row['date']:%Y-%m-%d}")
        last = word
    subjects = count(course["subject"].nunique() - 1, "surface")
    return f"Heatmap of the rating and {subjects} by day. Rating: {', then '.join(parts)}."


def _course_title(course: pd.DataFrame, days: list[pd.Timestamp]) -> str:
    """Return on how many days the platform was read, whether its rating moved, and how many surfaces did."""
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


def _cell(cell: Record | None) -> tuple[int | None, str, str]:
    """Return the colour, letter and hover words of one subject on one day."""
    if cell is None:
        return None, "", ""
    if cell["state"] != "found":
        told = _PAST.get(cell["state"]) or state_words(
            cell["state"], 0 if is_missing(cell["to_read"]) else cell["to_read"]
        )
        blank = cell["state"] in ("quiet", "untracked")
        return (None, "", told) if blank else (LEVEL_CODES["UNKNOWN"], LETTERS[mark_of(cell)], told)
    level = cell["level"]
    word = level if level != "UNKNOWN" else label(cell["risk"], 16) or "no level given"
    told = "" if is_missing(cell["stance"]) else f"; {label(stance_name(str(cell['stance'])), 40)}"
    return LEVEL_CODES[level], letter_of(str(cell["risk"])), f"{word}{told}"
