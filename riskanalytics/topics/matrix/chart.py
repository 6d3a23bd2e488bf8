"""Charts of platforms by surfaces."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS
from riskanalytics.models.words import UNREAD
from riskanalytics.pages.chart import Chart, Mark, add_grid, draws
from riskanalytics.pages.figures import add_bars, canvas, count, label, level_marker, percent
from riskanalytics.pages.values import MARKS_TOLD
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import plural
from riskanalytics.theme import LEVEL_CODES, letter_of
from riskanalytics.topics import matrix as analysis
from riskanalytics.topics.matrix.surface import LETTERS, cell_words, mark_of
from riskanalytics.topics.shape import Record

__all__ = ["level_counts", "risk_matrix", "surface_matrix"]

_RATING: Final = "Rating"
_BLANK: Final[Mark] = (None, "", "")
_NAMED: Final = 10
_INSIDE: Final = {"textposition": "inside", "insidetextanchor": "middle", "constraintext": "none"}
_COUNT_NAMES: Final = {
    ("found", "HIGH"): ("H", "HIGH"),
    ("found", "MED"): ("M", "MED"),
    ("found", "LOW"): ("L", "LOW"),
    ("quiet", "UNKNOWN"): ("", "read, nothing found"),
    ("found", "UNKNOWN"): ("?", "found, level not known"),
    ("to_read", "UNKNOWN"): ("?", "to be read"),
    ("unread", "UNKNOWN"): (UNREAD, "not read"),
}


@draws(analysis.MATRIX_COLUMNS, "Where is the risk?", table=analysis.level_counts)
def risk_matrix(matrix: pd.DataFrame, *, most: int | None = None, rating: bool = True, row_height: int = 20) -> Chart:
    """Draw the risk heatmap: level by colour and letter, worst first.

    `H`, `M`, `L` are levels, `?` means clauses to read, `–` not read, blank read and nothing found.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `analysis.risk_matrix` returned.
    most : int, optional
        Platforms drawn, the worst as `analysis.worst_platforms` orders them; None: all.
    rating : bool
        Whether the platform's rating stands in a first column, set apart by a gap.
    row_height : int
        Pixels per platform.

    Returns
    -------
    Chart
        One heatmap, platforms in the order of the matrix; y are the names (with the slug where two are alike), x the
        surfaces' words. Its table is `analysis.level_counts` of the whole matrix.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.risk_matrix(matrix, most=10).title)
    Where is the risk? The worst 10 of 320 platforms, 10 rated HIGH
    """
    table = analysis.level_counts(matrix)
    slugs = analysis.worst_platforms(matrix, most)["slug"]
    shown = matrix[matrix["slug"].isin(slugs)]
    high = int((shown.drop_duplicates("slug")["level_rating"] == "HIGH").sum())
    told = _worst_of(len(slugs), matrix["slug"].nunique(), f"{count(high)} rated HIGH")
    figure = _heatmap(shown, f"Where is the risk? {told[:1].upper()}{told[1:]}", rating=rating, row_height=row_height)
    return Chart("risk_matrix", figure, _matrix_words(shown), table)


@draws(analysis.MATRIX_COLUMNS, "Which platforms are worst on this surface?", table=analysis.level_counts)
def surface_matrix(matrix: pd.DataFrame, *, most: int | None = None, row_height: int = 20) -> Chart:
    """Draw the risk heatmap in the order of one surface, whose column stands first.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `analysis.surface_matrix` returned.
    most : int, optional
        Platforms drawn, the worst on the surface; None: all.
    row_height : int
        Pixels per platform.

    Returns
    -------
    Chart
        As `risk_matrix`, with a title that speaks of the first surface.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.surface_matrix(analysis.surface_matrix(matrix, "data_retention"), most=10).title)
    Data retention: the worst 10 of 320 platforms, 10 at HIGH
    """
    table = analysis.level_counts(matrix)
    slugs = matrix["slug"].drop_duplicates()
    shown = matrix[matrix["slug"].isin(slugs[:most])]
    surface = str(shown["surface"].iloc[0])
    high = shown[(shown["surface"] == surface) & (shown["state"] == "found") & (shown["level"] == "HIGH")]
    told = _worst_of(shown["slug"].nunique(), len(slugs), f"{count(len(high))} at HIGH")
    figure = _heatmap(shown, f"{label(surface_name(surface), 28)}: {told}", rating=True, row_height=row_height)
    names = ", ".join(map(str, high["name"].head(_NAMED))) or "none"
    more = f" and {count(len(high) - _NAMED)} more" if len(high) > _NAMED else ""
    order = f"In the order of {surface_name(surface)}; at HIGH there: {names}{more}."
    return Chart("surface_matrix", figure, f"{_matrix_words(shown)} {order}", table)


def _worst_of(drawn: int, total: int, high: str) -> str:
    """Say how many platforms are drawn, and how many of them are at HIGH."""
    if drawn < total:
        return f"the worst {count(drawn)} of {count(total, 'platform')}, {high}"
    return f"{count(drawn, 'platform')}, {high}, worst first"


def _matrix_words(matrix: pd.DataFrame) -> str:
    """Return in words what a heatmap shows."""
    marks = analysis.cell_marks(matrix).value_counts()
    return (
        f"Heatmap of {count(matrix['slug'].nunique(), 'platform')} "
        f"by {count(matrix['surface'].nunique(), 'surface')}, "
        f"worst first, beginning with {matrix['name'].iloc[0]}. {plural(marks.get('HIGH', 0), 'cell is', 'cells are')} HIGH, "
        f"{count(marks.get('MED', 0))} MED, {count(marks.get('LOW', 0))} LOW, {count(marks.get('TO_READ', 0))} to be read, "
        f"{count(marks.get('UNREAD', 0))} not read, {count(marks.get('QUIET', 0))} read with nothing found. {MARKS_TOLD}."
    )


def _heatmap(matrix: pd.DataFrame, title: str, *, rating: bool, row_height: int) -> go.Figure:
    """Return a heatmap of the levels of a matrix, in its order."""
    surfaces = list(dict.fromkeys(matrix["surface"]))
    heads = matrix.drop_duplicates("slug")
    cells = {(row["slug"], row["surface"]): _mark(row) for row in rows_of(matrix)}
    marks = [
        [*((_rating_mark(head), _BLANK) if rating else ()), *(cells[head["slug"], surface] for surface in surfaces)]
        for head in rows_of(heads)
    ]
    columns = [*((_RATING, " ") if rating else ()), *(label(surface_name(surface), 28) for surface in surfaces)]
    room = 16 + 6 * max(map(len, columns))  # pixels that the longest head takes, at 60 degrees
    figure = canvas(title, height=78 + room + row_height * len(heads))
    add_grid(figure, columns, _names(heads), marks, hovertemplate="%{y}<br>%{x}: %{hovertext}<extra></extra>")
    figure.update_layout(margin={"t": figure.layout.margin.t + room, "r": 44})
    axis = {"showgrid": False, "type": "category", "dtick": 1, "fixedrange": True}
    figure.update_xaxes(side="top", tickangle=-60, automargin=False, **axis)
    figure.update_yaxes(autorange="reversed", **axis)
    return figure


def _rating_mark(head: Record) -> Mark:
    """Return the mark of a platform's rating."""
    level = head["level_rating"]
    return LEVEL_CODES[level], letter_of(str(head["rating"])), label(head["rating"], 24) or "not known"


def _mark(cell: Record) -> Mark:
    """Return the mark of a cell of the matrix."""
    mark = mark_of(cell)
    if mark == "QUIET":
        return None, LETTERS[mark], "read, nothing found"
    if mark not in RATINGS:
        unseen = "" if is_missing(cell["risk"]) else f"level not known: {label(cell['risk'], 16)}; "
        return LEVEL_CODES["UNKNOWN"], LETTERS[mark], f"{unseen}{cell_words(cell)}"
    newest = "" if is_missing(cell["latest"]) else f", newest of {cell['latest']:%Y-%m-%d}"
    return LEVEL_CODES[mark], LETTERS[mark], f"{mark}, {count(cell['count'], 'clause')}{newest}"


def _names(heads: pd.DataFrame) -> list[str]:
    """Return the labels of platforms, with the slug where two are alike."""
    names, slugs = (heads[column].map(lambda text: label(text, 30)) for column in ("name", "slug"))
    return list(names.mask(names.duplicated(keep=False), names + " (" + slugs + ")"))


@draws(analysis.COUNT_COLUMNS, "On which surfaces is the risk?")
def level_counts(counts: pd.DataFrame, *, height: int | None = None) -> Chart:
    """Draw, for each surface, how many platforms stand at each level.

    Parameters
    ----------
    counts : pandas.DataFrame
        What `analysis.level_counts` returned.
    height : int, optional
        Pixels.

    Returns
    -------
    Chart
        Stacked bars; segments carry the letter and the number, an unfilled one is read and nothing found.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.level_counts(analysis.level_counts(matrix)).title)
    IP liability has the most platforms at HIGH: 62 of 320
    """
    high = counts[(counts["state"] == "found") & (counts["level"] == "HIGH")]
    first = high.iloc[0]
    title = "No surface is at HIGH on any platform"
    if high["platforms"].sum():
        where = label(surface_name(first["surface"]), 28)
        title = f"{where} has the most platforms at HIGH: {count(first['platforms'])} of {count(first['total'])}"
    most = [f"{surface_name(str(row.surface))} {count(row.platforms)}" for row in high.head(3).itertuples()]
    total = count(first["total"], "platform")
    words = f"Levels of {total} on each surface. Most at HIGH: {', '.join(most)}."
    return Chart("level_counts", _counts_figure(counts, title, height), words, counts)


def _counts_figure(counts: pd.DataFrame, title: str, height: int | None) -> go.Figure:
    """Return stacked bars of platforms by level, a bar for each surface."""
    surfaces = counts["surface"].drop_duplicates()
    figure = canvas(title, height=height or 130 + 30 * len(surfaces), barmode="stack", bargap=0.25)
    for (state, level), (letter, words) in _COUNT_NAMES.items():
        group = counts[(counts["state"] == state) & (counts["level"] == level)]
        add_bars(
            figure,
            [label(surface_name(surface), 28) for surface in group["surface"]],
            group["platforms"],
            "%{y}<br>%{fullData.name}: %{x:,d} (%{customdata})",
            name=words,
            text=[f"{letter} {count(n)}" if n and letter else "" for n in group["platforms"]],
            customdata=[percent(part) for part in group["share"]],
            marker=level_marker(level) if state != "quiet" else {"color": "rgba(0,0,0,0)"},
            **_INSIDE,
        )
    figure.update_layout(uniformtext={"minsize": 10, "mode": "hide"})
    title = "Platforms<br>(unfilled: nothing found;<br>hatched: to be read or not read)"
    return figure.update_xaxes(title=title, tickformat=",d")
