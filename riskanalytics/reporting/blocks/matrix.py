"""The platforms x surfaces table: readable without a chart, searchable, sortable, each cell a way to its clauses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import surface_name
from riskanalytics.reporting.blocks.words import grouped, letter_class, level, name, text
from riskanalytics.reporting.display import Block
from riskanalytics.theme import LEVEL_LETTERS


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
    head = "".join(f"<th scope=col>{text(surface_name(surface))}</th>" for surface in surfaces)
    body = "".join(_row(slug, rows, surfaces, shown) for slug, rows in grouped(rows_of(matrix), "slug").items())
    ratings = sorted({str(value) for value in matrix["rating"].dropna()})
    options = "".join(f'<option value="{text(rating)}">{text(rating)}</option>' for rating in ratings)
    count = matrix["slug"].nunique()
    everything = f"<button type=button>Show all {count:,}</button>" if count > first else ""
    html = (
        f"<details class=keep><summary>Search, filter and sort: all {count:,} platforms as a table</summary>"
        f"<div class=tools data-for=risk-matrix data-first={first} hidden><label>Platform <input type=search></label>"
        f"<label>Rating <select><option value=''>all</option>{options}</select></label>{everything}<output></output></div>"
        '<div class=wide tabindex=0 role=region aria-label="Levels by platform and surface">'
        '<table class="matrix sortable" id=risk-matrix>'
        f"<caption>H high, M medium, L low, ? not known, blank: read and nothing found. The worst stand first.</caption>"
        f"<thead><tr><th scope=col class=flat>Platform</th><th scope=col class=flat>Rating</th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div></details>"
    )
    return Block(html, f"{count} platforms x {len(surfaces)} surfaces")


def _row(slug: Any, rows: Sequence[Mapping[str, Any]], surfaces: list[str], shown: Collection[str]) -> str:
    """Return one platform's row."""
    first = rows[0]
    by_surface = {row["surface"]: row for row in rows}
    cells = "".join(_cell(str(slug), by_surface.get(surface), slug in shown) for surface in surfaces)
    label = name(first["name"])
    if slug in shown:
        label = f'<a href="#platform-{text(slug)}">{label}</a>'
    return (
        f'<tr data-name="{text(str(first["name"]).lower())} {text(slug)}" data-rating="{text(first["rating"])}">'
        f"<th scope=row>{label}</th><td>{level(first['level_rating'])}</td>{cells}</tr>"
    )


def _cell(slug: str, row: Mapping[str, Any] | None, linked: bool) -> str:
    """Return one cell: its letter, leading to the clauses where they stand on the page."""
    if row is None or row["state"] == "unread":
        return "<td class=U>?</td>"
    if row["state"] == "quiet":
        return "<td></td>"
    letter = LEVEL_LETTERS.get(str(row["level"]), "?")
    style = letter_class(letter)
    if not linked:
        return f"<td class={style}>{letter}</td>"
    return f'<td><a class={style} href="#{text(slug)}-{text(row["surface"])}">{letter}</a></td>'
