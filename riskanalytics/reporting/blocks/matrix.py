"""The platforms x surfaces table: readable without a chart, searchable, sortable, each cell a way to its clauses.

With scripts the tools stand above the heatmap and drive both; without, the table is there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from string import ascii_lowercase
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import surface_name
from riskanalytics.reporting.blocks.words import Rows, grouped, is_missing, letter_class, plural, text
from riskanalytics.reporting.display import Block
from riskanalytics.theme import LEVEL_LETTERS

_LETTERS: Final = ascii_lowercase


def risk_matrix(matrix: pd.DataFrame, *, first: int, shown: Collection[str] = ()) -> Block:
    """Show every platform's level on every surface.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.risk_matrix` gives it, worst first.
    first : int
        Rows shown before the reader asks for all.
    shown : collection of str
        Slugs whose clauses stand on the page; their cells lead there.
    """
    surfaces = list(dict.fromkeys(matrix["surface"]))
    newest = matrix["latest"].max()
    head = "".join(f"<th scope=col>{text(surface_name(surface))}</th>" for surface in surfaces)
    platforms = grouped(rows_of(matrix), "slug")
    body = "".join(_row(slug, rows, surfaces, shown, newest) for slug, rows in platforms.items())
    count = len(platforms)
    html = (
        f"{_tools(matrix, surfaces, first)}"
        f"<details class=keep><summary>All {plural(count, 'platform')} as a table</summary>"
        '<div class=wide tabindex=0 role=region aria-label="Levels by platform and surface">'
        f'<table class="matrix sortable" id=risk-matrix data-day="{"" if is_missing(newest) else f"{newest:%Y-%m-%d}"}">'
        "<caption>H high, M medium, L low, ? not known, blank: read and nothing found. The worst stand first.</caption>"
        "<thead><tr><th scope=col class=flat>Platform</th><th scope=col class=flat>Rating</th>"
        f"<th scope=col class=flat>Evidence</th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div></details>"
    )
    return Block(html, f"{count} platforms x {len(surfaces)} surfaces")


def _tools(matrix: pd.DataFrame, surfaces: Sequence[str], first: int) -> str:
    """Return what narrows, orders and groups the rows; the page's script shows it where it runs."""
    heads = matrix.drop_duplicates("slug")
    everything = f"<button type=button>Show all {len(heads):,}</button>" if len(heads) > first else ""
    levels = "".join(
        f"<option value='{letter}'>{words}</option>"
        for letter, words in (("H", "high"), ("M", "medium"), ("L", "low"), ("?", "not known"), ("", "nothing found"))
    )
    named = "".join(
        f"<option value={place}>{text(surface_name(one))}</option>" for place, one in enumerate(surfaces, 3)
    )
    return (
        f"<div class=tools data-for=risk-matrix data-first={first} data-chart=risk_matrix hidden>"
        "<label>Platform <input type=search></label>"
        f"<label>Rating <select data-column=1>{_options(heads['rating'])}</select></label>"
        f"<label>Surface <select class=surface><option value=''>any</option>{named}</select></label>"
        f"<label>at level <select class=level><option value=all>any</option>{levels}</select></label>"
        f"<label>Evidence <select data-column=2>{_options(heads['verification'])}</select></label>"
        "<label>Group by <select class=group><option value=''>nothing</option><option value=1>rating</option>"
        f"<option value=2>evidence</option></select></label>{everything}<output></output></div>"
    )


def _options(column: pd.Series[Any]) -> str:
    """Return the words of a column as what a reader may choose from."""
    words = sorted({str(value) for value in column.dropna()})
    return "<option value=''>all</option>" + "".join(f"<option>{text(word)}</option>" for word in words)


def _row(slug: str, rows: Rows, surfaces: list[str], shown: Collection[str], newest: Any) -> str:
    """Return one platform's row; end tags that HTML lets fall are left out, for there are thousands of cells.

    `data-d` lists ages in days of the newest texts, `data-c` the clauses of each cell and the letter of its age: what
    the heatmap's hints tell.
    """
    first = rows[0]
    by_surface = {row["surface"]: row for row in rows}
    cells = "".join(_cell(slug, by_surface.get(surface), slug in shown) for surface in surfaces)
    ages, told = _told([by_surface.get(surface) for surface in surfaces], newest)
    label = text(first["name"])
    if slug in shown:
        label = f'<a href="#platform-{text(slug)}">{label}</a>'
    letter = LEVEL_LETTERS[first["level_rating"]]
    return (
        f'<tr data-s="{text(slug)}" data-d="{ages}" data-c="{told}"><th scope=row>{label}'
        f"<td class={letter_class(letter)}>{text(first['rating']) or '?'}<td>{text(first['verification'])}{cells}\n"
    )


def _told(cells: Sequence[Mapping[str, Any] | None], newest: Any) -> tuple[str, str]:
    """Return the ages of a row's texts, and for each cell how many clauses it has and which age."""
    ages: list[int] = []
    told = []
    for cell in cells:
        if cell is None or cell["state"] != "found" or is_missing(cell["count"]):
            told.append("")
            continue
        age = -1 if is_missing(cell["latest"]) else (newest.normalize() - cell["latest"].normalize()).days
        if age >= 0 and age not in ages and len(ages) < len(_LETTERS):
            ages.append(age)
        told.append(f"{cell['count']}{_LETTERS[ages.index(age)] if age in ages else ''}")
    return ",".join(map(str, ages)), ",".join(told)


def _cell(slug: str, row: Mapping[str, Any] | None, linked: bool) -> str:
    """Return one cell: its letter, leading to the clauses where they stand on the page."""
    if row is None or row["state"] == "unread":
        return "<td class=U>?"
    if row["state"] == "quiet":
        return "<td>"
    letter = LEVEL_LETTERS.get(str(row["level"]), "?")
    style = letter_class(letter)
    if not linked:
        return f"<td class={style}>{letter}"
    return f'<td><a class={style} href="#{text(slug)}-{text(row["surface"])}">{letter}</a>'
