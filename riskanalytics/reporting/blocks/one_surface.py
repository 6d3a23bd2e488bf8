"""One surface: every platform's level on it as a table, and the clauses behind the levels, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.explore import mark_of
from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS, surface_name
from riskanalytics.reporting.blocks.words import Rows, grouped, is_missing, level, name, plural, quote, text
from riskanalytics.reporting.display import Block

_OPEN: Final = 6
_QUOTES_OPEN: Final = 2
_IN_TABLE: Final = 1000
_NAMED: Final = 200
_MARKS: Final = {
    "HIGH": "At HIGH",
    "MED": "At MED",
    "UNKNOWN": "Not known",
    "QUIET": "Read, and nothing found",
    "LOW": "At LOW",
}


def cell_level(cell: Mapping[str, Any]) -> str:
    """Return what a cell of a matrix is, as a mark and words."""
    mark = mark_of(cell)
    if mark == "QUIET":
        return "<span class=thin>nothing found</span>"
    return level(mark) if cell["state"] == "found" else f"{level('UNKNOWN')} not read"


def surface_platforms(matrix: pd.DataFrame, clauses: pd.DataFrame) -> Block:
    """Show every platform's level on the first surface of a matrix, each leading to its clauses.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.surface_matrix` gives it.
    clauses : pandas.DataFrame
        As `analysis.surface_clauses` gives it: those that stand on the page.
    """
    if matrix.empty:
        return Block("<p>No platform matches.</p>", "no platform")
    surface = str(matrix["surface"].iloc[0])
    rows = rows_of(matrix[matrix["surface"] == surface])
    shown = set(clauses["slug"])
    body = "".join(_row(row, row["slug"] in shown) for row in rows[:_IN_TABLE])
    words = text(surface_name(surface))
    rest = f" The first {_IN_TABLE:,} of them." if len(rows) > _IN_TABLE else ""
    html = (
        f"<details class=keep><summary>All {plural(len(rows), 'platform')} on this surface, as a table</summary>"
        f"<div class=wide><table class=sortable id=surface-platforms><caption>{words}, the worst first.{rest}</caption><thead><tr>"
        f"<th scope=col>Platform</th><th scope=col>{words}</th><th scope=col class=n>Clauses</th><th scope=col>Rating</th>"
        f"</tr></thead><tbody>{body}</tbody></table></div></details>"
    )
    return Block(html, f"{plural(len(rows), 'platform')} on {surface_name(surface)}")


def _row(row: Mapping[str, Any], linked: bool) -> str:
    """Return one platform."""
    label = name(row["name"])
    if linked:
        label = f'<a href="#platform-{text(row["slug"])}">{label}</a>'
    number = "" if is_missing(row["count"]) else f"{int(row['count']):,}"
    levels = f"<td>{cell_level(row)}</td><td class=n>{number}</td><td>{level(row['level_rating'])}</td>"
    return f"<tr><th scope=row>{label}</th>{levels}</tr>"


def surface_clauses(matrix: pd.DataFrame, clauses: pd.DataFrame, *, alone: bool = False) -> Block:
    """Show the clauses behind the levels of one surface, platform by platform, the worst first.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.surface_matrix` gives it.
    clauses : pandas.DataFrame
        As `analysis.surface_clauses` gives it, checked again.
    alone : bool
        Whether the page has no list of the texts quoted (`snapshots`).
    """
    by_slug = grouped(rows_of(clauses), "slug")
    surface = str(matrix["surface"].iloc[0]) if len(matrix) else ""
    groups: dict[str, Rows] = {}
    for row in rows_of(matrix[matrix["surface"] == surface]):
        groups.setdefault(mark_of(row), []).append(row)
    parts = [_group(mark, rows, by_slug, alone) for mark, rows in groups.items()]
    total = int(clauses.drop_duplicates("slug")["of"].sum())
    note = ""
    if total > len(clauses):
        note = (
            f"<p class=note>{len(clauses):,} of {total:,} clauses, of every platform the weightiest. All of one platform's: "
            "<code>riskanalytics report platform_dossier -p platform=SLUG</code></p>"
        )
    html = f"<section aria-label=Clauses>{note}{''.join(parts) or '<p>No platform matches.</p>'}</section>"
    return Block(html, f"{plural(len(clauses), 'clause')} of {plural(len(by_slug), 'platform')}")


def _group(mark: str, rows: Rows, by_slug: Mapping[str, Rows], alone: bool) -> str:
    """Return the platforms of one level: their clauses, or their names where they have none."""
    title = f"<h3>{text(_MARKS[mark])} <span class=thin>{plural(len(rows), 'platform')}</span></h3>"
    quoted = [row for row in rows if row["slug"] in by_slug]
    silent = [row for row in rows if row["slug"] not in by_slug]
    shown = [_platform(row, by_slug[row["slug"]], alone) for row in quoted]
    folded = "".join(shown[_OPEN:])
    if folded:
        folded = (
            f"<details class=keep><summary>{plural(len(shown) - _OPEN, 'more platform')}</summary>{folded}</details>"
        )
    return f"{title}{''.join(shown[:_OPEN])}{folded}{_named(silent)}"


def _named(rows: Rows) -> str:
    """Return platforms without a clause on the page by their names."""
    if not rows:
        return ""
    names = ", ".join(name(row["name"]) for row in rows[:_NAMED])
    return f"<p>{names}{f' and {len(rows) - _NAMED:,} more' if len(rows) > _NAMED else ''}.</p>"


def _platform(row: Mapping[str, Any], clauses: Rows, alone: bool) -> str:
    """Return one platform beside its clauses."""
    first = clauses[0]
    count = (
        plural(len(clauses), "clause")
        if first["of"] == len(clauses)
        else f"{len(clauses)} of {plural(first['of'], 'clause')}"
    )
    quotes = _folded([quote(one["quote"], one, mark=level(one["level"]), alone=alone) for one in clauses])
    quotes += _together(row, clauses)
    anchor = "" if alone else f' id="platform-{text(row["slug"])}"'
    head = f"<p><strong>{name(row['name'])}</strong><br><span class=meta>{count}</span></p>"
    return f"<div class=row{anchor}>{head}<div>{quotes}</div></div>"


def _folded(quotes: Sequence[str]) -> str:
    """Return the first quotes, the others folded below them."""
    rest = quotes[_QUOTES_OPEN:]
    if not rest:
        return "".join(quotes)
    label = plural(len(rest), "more clause")
    more = f"<details class=keep><summary>{label}</summary>{''.join(rest)}</details>"
    return f"{''.join(quotes[:_QUOTES_OPEN])}{more}"


def _together(row: Mapping[str, Any], clauses: Rows) -> str:
    """Say where no clause alone has the level of the platform."""
    if not clauses or mark_of(row) not in RATINGS or any(one["level"] == row["level"] for one in clauses):
        return ""
    return f"<p class=note>None of these alone is {text(row['level'])}: the service rates them together.</p>"


def side_by_side(matrix: pd.DataFrame, clauses: pd.DataFrame) -> Block:
    """Show what some platforms say on one surface beside each other.

    Parameters
    ----------
    matrix : pandas.DataFrame
        As `analysis.surface_matrix` gives it, of these platforms.
    clauses : pandas.DataFrame
        As `analysis.surface_clauses` gives it.
    """
    by_slug = grouped(rows_of(clauses), "slug")
    surface = str(matrix["surface"].iloc[0]) if len(matrix) else ""
    rows = rows_of(matrix[matrix["surface"] == surface])
    sides = "".join(_side(row, by_slug.get(row["slug"], [])) for row in rows)
    html = f"<section aria-label='Side by side'><div class=pair>{sides}</div></section>"
    return Block(html, f"{', '.join(str(row['name']) for row in rows)} on {surface_name(surface)}")


def _side(row: Mapping[str, Any], clauses: Rows) -> str:
    """Return one platform of a comparison."""
    quotes = "".join(quote(one["quote"], one, mark=level(one["level"]), alone=True) for one in clauses)
    quotes += _together(row, clauses)
    more = clauses[0]["of"] - len(clauses) if clauses else 0
    rest = f"<p class=note>{plural(more, 'more clause')} not shown.</p>" if more else ""
    return f"<div><h3>{name(row['name'])} {cell_level(row)}</h3>{quotes}{rest}</div>"
