"""Charts of ratings and levels: counts, history, moves, the heatmap, and the levels on each surface."""

from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS
from riskanalytics.pages import figures
from riskanalytics.pages.figures import Chart, Mark, add_grid, canvas, count, draws, label, level_marker, percent
from riskanalytics.pages.rows import Record, grouped
from riskanalytics.pages.values import MARK_MEANINGS
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import listed
from riskanalytics.theme import LEVEL_CODES, LEVEL_COLOURS, letter_of

from . import HISTORY_COLUMNS, MIX_COLUMNS, NOT_KNOWN, SIDES, TRANSITION_COLUMNS, rating_place
from . import matrix as levels
from .matrix import COUNT_COLUMNS, LETTERS, MATRIX_COLUMNS, cell_marks, cell_words, mark_of

__all__ = ["level_counts", "rating_history", "rating_mix", "rating_transitions", "risk_matrix", "surface_matrix"]

_SIGNS: Final = {"up": (3, "▲"), "down": (1, "▼"), "stayed": (None, "="), "other_texts": (None, "≠")}
COUNTED: Final = {
    "HIGH": "HIGH", "MED": "MED", "LOW": "LOW", "QUIET": "no clause found", "TO_READ": "to be read", "UNREAD": "not read",
}  # fmt: skip
"""Kind of a cell (see `mark_of`) -> its name on a chart, in the order in which bars are stacked."""
STACK_AXIS: Final = "<br>(unfilled: no clause found;<br>hatched: to be read or not read)"


def mark_marker(mark: str) -> dict[str, object]:
    """Return the plotly marker (colour, hatching) for bars that count the platforms with one result on a surface.

    `mark` is that result: a level, `QUIET`, `TO_READ` (clauses, but no known level) or `UNREAD` (not read). Bars of a
    level have its colour; bars of `QUIET` (no clause found) are unfilled; all others are hatched.
    """
    level = mark if mark in RATINGS else "UNKNOWN"
    return {"color": "rgba(0,0,0,0)"} if mark == "QUIET" else level_marker(level)


@draws(MIX_COLUMNS, "How are the platforms rated?")
def rating_mix(mix: pd.DataFrame) -> Chart:
    """Draw the number of platforms by rating as labelled bars.

    Parameters
    ----------
    mix : pandas.DataFrame
        Result of `analysis.rating_mix`.

    Returns
    -------
    Chart
        One horizontal bar for each rating, with its number and share of platforms.

    Examples
    --------
    >>> print(charts.rating_mix(analysis.rating_mix(data.platforms)).title)
    89 of 320 platforms are rated HIGH
    """
    total, colours = mix["total"].iloc[0], [LEVEL_COLOURS["light"][level] for level in mix["level"]]
    marker = figures.hatched(mix["level"] != "UNKNOWN") | {"color": colours}
    title = _high(mix.loc[mix["rating"] == "HIGH", "platforms"].iloc[0], total)
    figure = figures.share_bars(title, mix, ("rating", "platforms"), marker, "Platforms", 110 + 38 * len(mix))
    parts = figures.counted(mix[mix["platforms"] > 0], "rating", "platforms")
    return Chart("rating_mix", figure, f"Ratings of {count(total, 'platform')}: {parts}.", mix)


def _high(high: int, total: int) -> str:
    """Return how many of all platforms are rated HIGH."""
    return f"{count(high)} of {count(total, 'platform')} {'is' if high == 1 else 'are'} rated HIGH"


@draws(HISTORY_COLUMNS, "How did the ratings change?")
def rating_history(history: pd.DataFrame) -> Chart:
    """Draw the number of platforms by rating on each date as stacked bars, labelled on the right.

    Parameters
    ----------
    history : pandas.DataFrame
        Result of `analysis.rating_history`.

    Returns
    -------
    Chart
        One stacked bar for each date. A hatched part at its top counts the platforms whose rating on that date is not known.

    Examples
    --------
    >>> print(charts.rating_history(analysis.rating_history(data.history(months=3))).title)
    89 of 320 platforms are rated HIGH; in July 2026: 89 of 320
    """
    days = list(history["date"].unique())
    names, shown = figures.day_names(days), history[history["platforms"] > 0]
    known = history[history["rating"] != NOT_KNOWN]
    totals = known.groupby("date")["platforms"].sum().loc[lambda numbers: numbers > 0]
    high = known[known["rating"] == "HIGH"].set_index("date")["platforms"].reindex(totals.index, fill_value=0)
    since = f"; in {totals.index[0]:%B %Y}: {count(high.iloc[0])} of {count(totals.iloc[0])}" if len(totals) > 1 else ""
    title = f"{_high(high.iloc[-1], totals.iloc[-1])}{since}" if len(totals) else "Ratings on these dates are not known"
    figure = canvas(title, height=360, barmode="stack", bargap=0.06)
    for rating, group in history.groupby(history["rating"].astype("str"), sort=False):
        figure.add_bar(
            x=names,
            y=figures.numbers(group["platforms"]),
            name=label(rating, 24),
            marker=level_marker(group["level"].iloc[0]),
            customdata=list(map(percent, group["share"])),
            hovertemplate="%{x}<br>%{fullData.name}: %{y:,d} (%{customdata})<extra></extra>",
        )
    top = float(history["total"].max())
    figure.update_xaxes(type="category", tickangle=0, tickvals=names, ticktext=figures.month_ticks(days))
    figure.update_yaxes(title="Platforms", range=[0, 1.04 * top], tickformat=",d")
    parts = []
    for day in dict.fromkeys((days[0], days[-1])):
        last = shown[shown["date"] == day]
        parts.append(f"{day:%B %Y}: {', '.join(f'{count(row.platforms)} {row.rating}' for row in last.itertuples())}")
    figure.update_layout(annotations=_end_labels(last, len(days) - 0.4, top), margin={"r": 96})
    words = f"Stacked bars of platforms by rating at each month's end. {'; '.join(parts)}."
    return Chart("rating_history", figure, words, history)


def _end_labels(last: pd.DataFrame, x: float, top: float) -> list[dict[str, Any]]:
    """Place a label next to the middle of each last band; labels of thin bands are moved apart."""
    numbers = last["platforms"].astype(float)
    steps = pd.Series(range(len(last)), last.index) * 0.075 * top
    places = (numbers.cumsum() - numbers / 2 - steps).cummax() + steps
    places -= max(0.0, places.iloc[-1] - 0.96 * top)
    texts = (f"{label(row['rating'], 12)} {count(row['platforms'])}" for row in rows_of(last))
    look = {"x": x, "xanchor": "left", "align": "left"}
    return [{**look, "y": y, "text": text} for y, text in zip(places, texts, strict=True)]


@draws(TRANSITION_COLUMNS, "Which ratings moved?", "The data contain the ratings of one date only.")
def rating_transitions(transitions: pd.DataFrame) -> Chart:
    """Draw the number of platforms that moved from one rating to another between two dates.

    Parameters
    ----------
    transitions : pandas.DataFrame
        Result of `analysis.rating_transitions`.

    Returns
    -------
    Chart
        One heatmap: rows are the ratings on the first date, columns those on the last. Each cell has a number of platforms;
        colour and sign show whether the rating rose (▲), fell (▼), stayed (=), differs because other documents were read (≠), or
        moved in another way (◆), for example from a rating that is not known.

    Examples
    --------
    >>> transitions = analysis.rating_transitions(data.history(months=6), data.changes())
    >>> print(charts.rating_transitions(transitions).title)
    Since April 2026 the rating rose on 2 and fell on 1 platform; 317 stayed
    """
    since, until = (f"{transitions[end].iloc[0]:%Y-%m-%d}" for end in ("since", "until"))
    before, after = (sorted({*RATINGS, *transitions[side]}, key=rating_place) for side in SIDES)
    cells: dict[tuple[str, str], Mark] = {}
    moves = []
    for row in rows_of(transitions):
        pair = row["rating_before"], row["rating_after"]
        why = " because other documents are read than before" if row["direction"] == "other_texts" else ""
        moves.append(f"{' to '.join(pair)}: {count(row['platforms'])}{why}")
        code, sign = _SIGNS.get(row["direction"], (0, "◆"))
        number = f"{sign} {count(row['platforms'])}"
        mark = code, number, label(row["names"], 160) or count(row["platforms"], "platform")
        if known := cells.get(pair):  # a pair may have moves and differences by other documents
            mark = known[0], f"{known[1]}, {number}", f"{known[2]}<br>{mark[2]}"
        cells[pair] = mark
    marks = [[cells.get((old, new), (None, "= 0" if old == new else "", "none")) for new in after] for old in before]
    heads, lines = ([f"{label(rating, 16)} " for rating in side] for side in (after, before))
    hint = "%{y}→ %{x}<br>%{hovertext}<extra></extra>"
    moved = transitions.groupby("direction")["platforms"].sum()
    up, down, stayed, others = (int(moved.get(word, 0)) for word in _SIGNS)
    read = f", {count(others)} differ by the documents read" if others else ""
    rose = f"the rating rose on {count(up)} and fell on {count(down, 'platform')}" if up or down else "no rating moved"
    title = f"Since {transitions['since'].iloc[0]:%B %Y} {rose}; {count(stayed)} stayed{read}"
    figure = canvas(title, height=150 + 44 * len(before))
    add_grid(figure, heads, lines, marks, hovertemplate=hint, textfont={"size": 13}, xgap=2, ygap=2)
    _heads_above(figure, 44, title=f"Rating on {until}")
    figure.update_yaxes(title=f"On {since}")
    total = count(transitions["total"].iloc[0], "platform")
    words = f"Ratings of {total} on {since} and {until}. {'; '.join(moves)}."
    return Chart("rating_transitions", figure, words, transitions)


@draws(MATRIX_COLUMNS, "How are the platforms rated?", table=levels.level_counts)
def risk_matrix(matrix: pd.DataFrame, *, most: int | None = None) -> Chart:
    """Draw the risk heatmap: the level of each platform on each surface by colour and letter, the worst platforms first.

    `H`, `M`, `L` are levels, `?` means clauses that a person must read, `–` not read; a blank means that no clause was
    found.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `analysis.risk_matrix`.
    most : int, optional
        Draw only the first platforms, at most this number. By default all are drawn.

    Returns
    -------
    Chart
        One heatmap with a row for each platform, in the order of the matrix. The y axis has the names of the platforms (with
        the slug if two names are equal), the x axis the rating and the surfaces. The table of the chart is the result of
        `analysis.level_counts` for the whole matrix.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.risk_matrix(matrix, most=10).title)
    89 of 320 platforms are rated HIGH; the 10 worst are shown
    """
    return _heatmap("risk_matrix", "", matrix, most, rated=True)


@draws(MATRIX_COLUMNS, "Which platforms are worst on this surface?", table=levels.level_counts)
def surface_matrix(matrix: pd.DataFrame, *, most: int | None = None) -> Chart:
    """Draw the risk heatmap ordered by one surface: its column comes first, and so do the platforms with the worst result on it.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `analysis.surface_matrix`.
    most : int, optional
        Draw only the first platforms, at most this number. By default all are drawn.

    Returns
    -------
    Chart
        One heatmap with a row for each platform and a column for each surface, as drawn by `charts.risk_matrix`. Its title
        counts the platforms that are rated HIGH on the first surface.

    Examples
    --------
    >>> print(charts.surface_matrix(analysis.surface_matrix(data.views.risk_matrix, "data_retention"), most=10).title)
    Data retention: 17 of 320 platforms are rated HIGH; the 10 worst are shown
    """
    surface = label(surface_name(matrix["surface"].iloc[0]), 28)
    return _heatmap("surface_matrix", f"{surface}: ", matrix, most, rated=False)


def _heatmap(name: str, of: str, matrix: pd.DataFrame, most: int | None, *, rated: bool) -> Chart:
    """Return a heatmap of the first platforms of a matrix; its title counts all that are HIGH, overall or on its first surface."""
    slugs = matrix["slug"].unique()
    shown = matrix[matrix["slug"].isin(slugs[:most])]
    heads, marks = shown.drop_duplicates("slug"), []
    for head, cells in zip(rows_of(heads), grouped(rows_of(shown), "slug").values(), strict=True):
        code, rating = LEVEL_CODES[head["level_rating"]], label(head["rating"], 24) or "not known"
        marks.append([(code, letter_of(str(head["rating"])), rating), (None, "", ""), *map(_mark, cells)])
    columns = ["Rating", " ", *(label(surface_name(surface), 28) for surface in shown["surface"].unique())]
    names, own = (heads[column].map(lambda text: label(text, 30)) for column in ("name", "slug"))
    rows = list(names.mask(names.duplicated(keep=False), names + " (" + own + ")"))
    high = heads["name"][(heads["level_rating"] if rated else cell_marks(heads)) == "HIGH"].tolist()
    every = matrix.drop_duplicates("slug")
    worst = (every["level_rating"] if rated else cell_marks(every)) == "HIGH"
    rest = f"; the {count(len(rows))} worst are shown" if len(rows) < len(slugs) else ""
    title = f"{of}{_high(int(worst.sum()), len(slugs))}{rest}"
    room = 16 + 6 * max(map(len, columns))  # pixels of the longest column head at 60 degrees
    figure = canvas(title, height=78 + room + 20 * len(rows))
    add_grid(figure, columns, rows, marks, hovertemplate="%{y}<br>%{x}: %{hovertext}<extra></extra>")
    _heads_above(figure, room, tickangle=-60, automargin=False)
    figure.update_layout(margin={"r": 44})
    counts = cell_marks(shown).value_counts()
    said = ", ".join(f"{count(counts.get(mark, 0))} {name}" for mark, name in COUNTED.items())
    first = f"{count(len(rows), 'platform')} by {count(len(columns) - 2, 'surface')}, worst first"
    words = f"Heatmap of {first}. Cells: {said}. {MARK_MEANINGS}. HIGH: {listed(high, 10) or 'none'}."
    return Chart(name, figure, words, levels.level_counts(matrix))


def _heads_above(figure: go.Figure, room: int, **heads: object) -> None:
    """Show the column names of a grid above it."""
    figure.update_layout(margin={"t": figure.layout.margin.t + room}).update_xaxes(side="top", dtick=1, **heads)


def _mark(cell: Record) -> Mark:
    """Return the mark of a cell of the matrix."""
    mark = mark_of(cell)
    if mark == "QUIET":
        return None, LETTERS[mark], COUNTED[mark]
    if mark not in RATINGS:
        unseen = "" if is_missing(cell["risk"]) else f"level not known: {label(cell['risk'], 16)}; "
        return LEVEL_CODES["UNKNOWN"], LETTERS[mark], f"{unseen}{cell_words(cell)}"
    newest = "" if is_missing(cell["latest"]) else f", newest of {cell['latest']:%Y-%m-%d}"
    return LEVEL_CODES[mark], LETTERS[mark], f"{mark}, {count(cell['count'], 'clause')}{newest}"


@draws(COUNT_COLUMNS, "Which surfaces have the most risk?")
def level_counts(counts: pd.DataFrame) -> Chart:
    """Draw the number of platforms with each level, by surface.

    Parameters
    ----------
    counts : pandas.DataFrame
        Result of `analysis.level_counts`.

    Returns
    -------
    Chart
        A stacked bar for each surface. Segments carry the letter of the level and the number of platforms. An unfilled segment
        means that no clause was found.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> print(charts.level_counts(analysis.level_counts(matrix)).title)
    IP liability is rated HIGH most often: 62 of 320 platforms
    """
    marks = cell_marks(counts)
    high = rows_of(counts[marks == "HIGH"])
    most = [f"{surface_name(row['surface'])} {count(row['platforms'])}" for row in high[:3]]
    first = f"{count(high[0]['platforms'])} of {count(high[0]['total'], 'platform')}"
    title = f"{label(surface_name(high[0]['surface']), 40)} is rated HIGH most often: {first}"
    if not high[0]["platforms"]:
        title = f"No surface of {count(high[0]['total'], 'platform')} is rated HIGH"
    figure = canvas(title, height=130 + 30 * len(high), barmode="stack", bargap=0.25)
    by_mark = counts.assign(mark=marks).groupby(["mark", "surface"], as_index=False, sort=False)
    sums = by_mark[["platforms", "share"]].sum()
    for mark, name in COUNTED.items():
        group = sums[sums["mark"] == mark]
        figures.add_bars(
            figure,
            [label(surface_name(surface), 28) for surface in group["surface"]],
            group["platforms"],
            "%{y}<br>%{fullData.name}: %{x:,d} (%{customdata})",
            name=name,
            text=[f"{LETTERS[mark]} {count(n)}" if n and LETTERS[mark] else "" for n in group["platforms"]],
            customdata=list(map(percent, group["share"])),
            marker=mark_marker(mark),
            textposition="inside",
            insidetextanchor="middle",
            constraintext="none",
        )
    figure.update_layout(uniformtext={"minsize": 10, "mode": "hide"})
    figure.update_xaxes(title=f"Platforms{STACK_AXIS}", tickformat=",d")
    words = f"Levels of {count(high[0]['total'], 'platform')} on each surface. Most often HIGH: {', '.join(most)}."
    return Chart("level_counts", figure, words, counts)
