"""Charts of one platform: its levels next to those of its peers, and its levels over time."""

from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import stance_name
from riskanalytics.pages.figures import Chart, Mark, add_bars, add_grid, canvas, count, day_names, draws, empty, label
from riskanalytics.pages.rows import Rows
from riskanalytics.surfaces import surface_name
from riskanalytics.theme import LEVEL_CODES, PAGE, letter_of

from ..ratings.chart import COUNTED, STACK_AXIS, mark_marker
from ..ratings.matrix import LETTERS, cell_words, mark_of
from ..shape import NOT_GIVEN, Record
from . import COURSE_COLUMNS, RATING, STANDING_COLUMNS, own_words, peers_said

__all__ = ["peer_levels", "platform_history"]

_ALONE: Final = ("How does it compare with its peers?", "There is no other platform to compare with.")
"""Title and words of a chart without peers."""
_PAST: Final = {"untracked": "not tracked yet", "not known": "not known"}


@draws(STANDING_COLUMNS, *_ALONE)
def peer_levels(standing: pd.DataFrame) -> Chart:
    """Draw how many other platforms have each level on each surface, and the place of one platform among them.

    Parameters
    ----------
    standing : pandas.DataFrame
        Result of `analysis.peer_levels`.

    Returns
    -------
    Chart
        For each surface a stacked bar: the numbers of other platforms at each level. A ring with the letter of the platform's
        own level is drawn on the segment of that level.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.peer_levels(analysis.peer_levels(matrix, "orvewick-voice")).title)
    Higher than most of 319 other platforms on ...; the ring marks its own level
    """
    rows, quiet = rows_of(standing), int((standing["state"] == "quiet").sum())
    said = peers_said(rows)
    words = ". ".join([*said, *([f"No clause found on {count(quiet, 'surface')}"] if quiet else [])]) + "."
    if not standing["peers"].max():
        return Chart("peer_levels", empty(*_ALONE), words, standing)
    names = [label(surface_name(surface), 28) for surface in standing["surface"]]
    title = f"{said[0]}; the ring marks its own level"
    figure = canvas(title, height=124 + 30 * len(rows), barmode="stack", bargap=0.25)
    for mark, name in COUNTED.items():
        hover = "%{y}<br>peers %{fullData.name}: %{x:,d}"
        add_bars(figure, names, standing[mark.lower()], hover, name=name, marker=mark_marker(mark))
    figure.add_scatter(y=names, **_rings(rows))
    figure.update_xaxes(title=f"Other platforms, HIGH to the left{STACK_AXIS}", tickformat=",d")
    return Chart("peer_levels", figure, words, standing)


def _rings(rows: Rows) -> dict[str, object]:
    """Return the marks of the platform: on each surface a ring with its letter, in the middle of its segment."""
    ink, paper, order = PAGE["light"]["text"], PAGE["light"]["background"], list(COUNTED)
    marks, places, hints = [mark_of(row) for row in rows], [], []
    for mark, row in zip(marks, rows, strict=True):
        before = sum(row[one.lower()] for one in order[: order.index(mark)])
        places.append(before + row[mark.lower()] / 2)
        others = f"{count(row['below'])} peers lower, {count(row['above'])} higher"
        own = f"{mark}, {count(row['clauses'], 'clause')}; {others}" if mark in LEVEL_CODES else own_words(row)
        hints.append(f"this platform: {own}")
    look = {"size": 20, "color": paper, "line": {"width": 2, "color": ink}}
    letters = {"text": [LETTERS[mark] for mark in marks], "textfont": {"size": 11, "color": ink, "weight": 700}}
    hover = {"hovertext": hints, "hovertemplate": "%{y}<br>%{hovertext}<extra></extra>"}
    return {"mode": "markers+text", "x": places, "marker": look, **letters, **hover}


@draws(COURSE_COLUMNS, "How did its levels change?", "Its levels on past days are not known.")
def platform_history(course: pd.DataFrame) -> Chart:
    """Draw a platform's rating and its levels on several days.

    Parameters
    ----------
    course : pandas.DataFrame
        Result of `analysis.platform_history`.

    Returns
    -------
    Chart
        One heatmap with days from left to right, the rating in the top row, and a row for each surface. The letters are `H`, `M`
        and `L` for levels, `?` for clauses that a person must read, and `–` for not read; a blank means that no clause
        was found.

    Examples
    --------
    >>> course = data.past_states("alalix-chat", quarters=2)
    >>> print(charts.platform_history(analysis.platform_history(course.states, course.surfaces)).title)
    Rating unchanged, 1 surface changed: 3 days compared, June 2026 to October 2026
    """
    subjects, days = (list(course[column].unique()) for column in ("subject", "date"))
    marks = {(row["subject"], row["date"]): _mark(row) for row in rows_of(course)}
    grid = [[marks.get((subject, day), (None, "", "")) for day in days] for subject in (RATING, None, *subjects[1:])]
    names = ["Rating", " ", *(label(surface_name(subject), 28) for subject in subjects[1:])]
    figure = canvas(_course_title(course), height=124 + 22 * len(names))
    add_grid(figure, day_names(days), names, grid, hovertemplate="%{x}<br>%{y}: %{hovertext}<extra></extra>")
    figure.update_yaxes(ticks="")
    title = "State on that day (? clauses to read, – not read,<br>blank: no clause found)"
    ticks = [f"{day:%b}<br>{day:%Y}" if (len(days) - 1 - place) % 3 == 0 else "" for place, day in enumerate(days)]
    figure.update_xaxes(title=title, tickangle=0, tickvals=day_names(days), ticktext=ticks)
    rated = course[course["subject"] == RATING]
    words = rated["risk"].astype("str").where(rated["state"] == "found", rated["state"]).fillna(NOT_GIVEN)
    first = words != words.shift()
    parts = [f"{word} from {day:%Y-%m-%d}" for word, day in zip(words[first], rated["date"][first], strict=True)]
    said = f"Heatmap of the rating and {count(len(subjects) - 1, 'surface')} by day. Rating: {', then '.join(parts)}."
    return Chart("platform_history", figure, said, course)


def _course_title(course: pd.DataFrame) -> str:
    """Return whether the rating and the surfaces changed, and the number of days on which the platform was read."""
    known = course[~course["state"].isin(["untracked", "not known", "unread"])]
    days = known["date"].nunique()
    if days < 2:
        return "Its levels today: past days are not known"
    moved = known["risk"].astype("str").fillna("").groupby(known["subject"]).nunique() > 1
    surfaces = int(moved.drop(RATING, errors="ignore").sum())
    rating = "changed" if moved.get(RATING, False) else "unchanged"
    compared = f"{count(days, 'day')} compared, {known['date'].min():%B %Y} to {course['date'].iloc[-1]:%B %Y}"
    return f"Rating {rating}, {count(surfaces, 'surface') if surfaces else 'no surface'} changed: {compared}"


def _mark(cell: Record) -> Mark:
    """Return the mark of one subject on one day."""
    if cell["state"] != "found":
        words = _PAST.get(cell["state"]) or cell_words(cell)
        blank = cell["state"] in ("quiet", "untracked")
        return (None, "", words) if blank else (LEVEL_CODES["UNKNOWN"], LETTERS[mark_of(cell)], words)
    level = cell["level"]
    word = level if level != "UNKNOWN" else label(cell["risk"], 16) or "no level given"
    stance = "" if is_missing(cell["stance"]) else f"; {label(stance_name(cell['stance']), 40)}"
    return LEVEL_CODES[level], letter_of(cell["risk"]), f"{word}{stance}"
