"""The matrix of platforms and surfaces on a page, and one surface of it with the clauses behind its levels."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from string import ascii_lowercase
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS
from riskanalytics.models.words import UNREAD
from riskanalytics.pages import values as v
from riskanalytics.pages.rows import Rows, below, cut, day, first_shown, grouped, level, name, quote, rows_table, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Cell, Matrix, MatrixRow
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import plural
from riskanalytics.theme import letter_of
from riskanalytics.topics.matrix.surface import LETTERS, cell_words, mark_of
from riskanalytics.topics.shape import Record, found_share

__all__ = ["risk_matrix", "side_by_side", "surface_clauses", "surface_platforms"]

_OPEN: Final = 6
"""Platforms of one level whose clauses stand open."""
_QUOTES_OPEN: Final = 2
_IN_TABLE: Final = 1000
_NAMED: Final = 200
_MARKS: Final = {
    "HIGH": "At HIGH",
    "MED": "At MED",
    "TO_READ": "To be read",
    "UNREAD": "Not read",
    "QUIET": "Read, and nothing found",
    "LOW": "At LOW",
}
_ALL_OF_ONE: Final = v.Text("riskanalytics report platform_dossier -p platform=SLUG", "code")


@of_data(matrix="risk_matrix", shown="worst", figures="figures")
def risk_matrix(matrix: pd.DataFrame, *, first: int, shown: Collection[str] = (), figures: object = None) -> Section:
    """Show every platform's level on every surface, to be searched, narrowed and sorted.

    With scripts, its tools stand above the heatmap and drive both; without, the table is there.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.risk_matrix` gives it, worst first.
    first : int
        Rows shown before the reader asks for all.
    shown : collection of str
        Slugs whose clauses stand on the page; their cells lead there.
    figures : object, optional
        What the service tells of its extraction under `figures`: which share is found.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> sections.risk_matrix(matrix, first=10).text
    '320 platforms x 12 surfaces'
    """
    surfaces = tuple((str(one), surface_name(str(one))) for one in dict.fromkeys(matrix["surface"]))
    newest = matrix["latest"].max()
    rows = tuple(
        _matrix_row(slug, {row["surface"]: row for row in rows}, surfaces, newest, slug in shown)
        for slug, rows in grouped(rows_of(matrix), "slug").items()
    )
    made = Matrix(surfaces, rows, first, day(newest))
    words = f"{plural(len(rows), 'platform')} x {plural(len(surfaces), 'surface')}"
    return Section((made, v.Paragraph(found_share(figures), "note")), words)


def _matrix_row(
    slug: str,
    by_surface: Mapping[str, Record],
    surfaces: tuple[tuple[str, str], ...],
    newest: pd.Timestamp,
    linked: bool,
) -> MatrixRow:
    """Return one platform of the matrix; the ages of its texts are listed once, and its cells name them by a letter."""
    head = next(iter(by_surface.values()))
    ages: list[int] = []
    cells = tuple(_cell(by_surface.get(surface), newest, ages) for surface, _ in surfaces)
    called, rating, evidence = (text(head[key]) for key in ("name", "rating", "verification"))
    return MatrixRow(slug, called, rating, evidence, letter_of(rating), ",".join(map(str, ages)), cells, linked)


def _cell(row: Record | None, newest: pd.Timestamp, ages: list[int]) -> Cell:
    """Return one cell of the matrix; the age of its newest text is put among the ages of its row."""
    if row is None:
        return Cell(UNREAD)
    mark = mark_of(row)
    letter, hint = LETTERS[mark], "" if mark in RATINGS or mark == "QUIET" else cell_words(row)
    if is_missing(row["count"]) or not row["count"] or mark == "UNREAD":
        return Cell(letter, hint=hint)
    age = -1 if is_missing(row["latest"]) else (newest.normalize() - row["latest"].normalize()).days
    if age >= 0 and age not in ages and len(ages) < len(ascii_lowercase):
        ages.append(age)
    return Cell(letter, f"{row['count']}{ascii_lowercase[ages.index(age)] if age in ages else ''}", hint)


def surface_platforms(matrix: pd.DataFrame, clauses: pd.DataFrame) -> Section:
    """Show every platform's level on the first surface of a matrix, each leading to its clauses.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.surface_matrix` gives it.
    clauses : pandas.DataFrame
        As `analysis.surface_clauses` gives it: those that stand on the page.

    Examples
    --------
    >>> pair = data.of(["alfisen-music", "orvewick-voice"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces, pair.platforms)
    >>> on_surface = analysis.surface_matrix(matrix, "training_use")
    >>> clauses = analysis.surface_clauses(pair.findings, on_surface, "training_use")
    >>> sections.surface_platforms(on_surface, clauses).text
    '2 platforms on Training use'
    """
    if matrix.empty:
        return Section((v.Paragraph("No platform matches."),), "no platform")
    surface, rows = _first_surface(matrix)
    shown = set(clauses["slug"])
    words, counted = surface_name(surface), plural(len(rows), "platform")
    rest = f" The first {_IN_TABLE:,} of them." if len(rows) > _IN_TABLE else ""

    def label(row: Record) -> v.Words:
        return v.Link(name(row["name"]), f"#platform-{row['slug']}") if row["slug"] in shown else name(row["name"])

    heads = (("Platform", label), (words, _cell_level), ("n:Clauses", "count"), ("Rating", "level_rating"))
    listed = rows_table(f"{words}, the worst first.{rest}", rows[:_IN_TABLE], *heads)
    table = replace(listed, anchor="surface-platforms")
    fold = v.Fold(f"{'All' if len(rows) > 1 else 'The'} {counted} on this surface, as a table", (table,), "keep")
    return Section((fold,), f"{counted} on {words}")


def _first_surface(matrix: pd.DataFrame) -> tuple[str, Rows]:
    """Return the first surface of a matrix and its cells; no name where the matrix has no rows."""
    surface = str(matrix["surface"].iloc[0]) if len(matrix) else ""
    return surface, rows_of(matrix[matrix["surface"] == surface])


def _cell_level(cell: Record) -> v.Words:
    """Return what a cell of a matrix is: its level, or what is known without one."""
    mark = mark_of(cell)
    return level(mark) if mark in RATINGS else v.Text(cell_words(cell), "thin")


def surface_clauses(matrix: pd.DataFrame, clauses: pd.DataFrame, *, alone: bool = False) -> Section:
    """Show the clauses behind the levels of one surface, platform by platform, the worst first.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.surface_matrix` gives it.
    clauses : pandas.DataFrame
        As `analysis.surface_clauses` gives it, checked again.
    alone : bool
        Whether the page has no list of the texts quoted (`snapshots`).

    Examples
    --------
    >>> pair = data.of(["alfisen-music", "orvewick-voice"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces, pair.platforms)
    >>> on_surface = analysis.surface_matrix(matrix, "training_use")
    >>> clauses = data.verify(analysis.surface_clauses(pair.findings, on_surface, "training_use"))
    >>> sections.surface_clauses(on_surface, clauses).text
    '2 clauses of 2 platforms'
    """
    by_slug = grouped(rows_of(clauses), "slug")
    groups: dict[str, Rows] = {}
    for row in _first_surface(matrix)[1]:
        groups.setdefault(mark_of(row), []).append(row)
    parts = [part for mark, rows in groups.items() for part in _of_mark(mark, rows, by_slug, alone)]
    total = int(clauses.drop_duplicates("slug")["of"].sum())
    told = f"{len(clauses):,} of {total:,} clauses, of every platform the weightiest. All of one platform's: "
    note = [v.Paragraph((told, _ALL_OF_ONE), "note")] if total > len(clauses) else []
    counts = f"{plural(len(clauses), 'clause')} of {plural(len(by_slug), 'platform')}"
    return section("Clauses", *note, *(parts or [v.Paragraph("No platform matches.")]), text=counts)


def _of_mark(mark: str, rows: Rows, by_slug: Mapping[str, Rows], alone: bool) -> v.Parts:
    """Return the platforms of one level: their clauses, or their names where they have none."""
    title = v.Heading((_MARKS[mark], " ", v.Text(plural(len(rows), "platform"), "thin")))
    quoted = [_platform(row, by_slug[row["slug"]], alone) for row in rows if row["slug"] in by_slug]
    silent = [name(row["name"]) for row in rows if row["slug"] not in by_slug]
    named = (v.Paragraph((cut(silent, _NAMED), ".")),) if silent else ()
    return (title, *first_shown(quoted, _OPEN, "more platform"), *named)


def _platform(row: Record, clauses: Rows, alone: bool) -> v.Group:
    """Return one platform beside its clauses."""
    shown, there = len(clauses), clauses[0]["of"]
    count = plural(there, "clause") if shown == there else f"{shown} of {plural(there, 'clause')}"
    head = v.Paragraph((v.Text(name(row["name"]), "strong"), below(count)))
    quotes = [quote(one, mark=level(one["level"]), alone=alone) for one in clauses]
    told = v.Group((*first_shown(quotes, _QUOTES_OPEN, "more clause"), *_together(row, clauses)))
    return v.Group((head, told), "row", anchor="" if alone else f"platform-{row['slug']}")


def _together(row: Record, clauses: Rows) -> v.Parts:
    """Say where no clause alone has the level of the platform."""
    if not clauses or mark_of(row) not in RATINGS or any(one["level"] == row["level"] for one in clauses):
        return ()
    alone = "This clause alone is not" if clauses[0]["of"] == 1 else "None of these alone is"
    return (v.Paragraph(f"{alone} {row['level']}: the level is that of the platform on the surface.", "note"),)


def side_by_side(matrix: pd.DataFrame, clauses: pd.DataFrame) -> Section:
    """Show side by side what some platforms say on one surface.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.surface_matrix` gives it, of these platforms.
    clauses : pandas.DataFrame
        As `analysis.surface_clauses` gives it.

    Examples
    --------
    >>> pair = data.of(["alfisen-music", "orvewick-voice"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces, pair.platforms)
    >>> on_surface = analysis.surface_matrix(matrix, "training_use")
    >>> clauses = data.verify(analysis.surface_clauses(pair.findings, on_surface, "training_use"))
    >>> sections.side_by_side(on_surface, clauses).text
    'Orvewick Voice, Alfisen Music on Training use'
    """
    by_slug = grouped(rows_of(clauses), "slug")
    surface, rows = _first_surface(matrix)
    sides = tuple(_side(row, by_slug.get(row["slug"], [])) for row in rows)
    names = ", ".join(str(row["name"]) for row in rows)
    return section("Side by side", v.Pair(sides), text=f"{names} on {surface_name(surface)}")


def _side(row: Record, clauses: Rows) -> v.Group:
    """Return one platform of those beside each other."""
    quotes: list[v.Part] = [quote(one, mark=level(one["level"]), alone=True) for one in clauses]
    more = clauses[0]["of"] - len(clauses) if clauses else 0
    rest = (v.Paragraph(f"{plural(more, 'more clause')} not shown.", "note"),) if more else ()
    return v.Group((v.Heading((name(row["name"]), " ", _cell_level(row))), *quotes, *_together(row, clauses), *rest))
