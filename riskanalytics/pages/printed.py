"""Words and tables for typst: runs of one style, and tables with the widths and letters that fit a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Any, Final

from riskanalytics.pages.values import MATRIX_CAPTION, Level, Link, Matrix, MatrixRow, Row, Table, Words
from riskanalytics.text.untrusted import is_public
from riskanalytics.theme import letter_of, letter_style

Run = dict[str, str]
"""`t` words; `s` its styles (letters); `l` class of a level; `to` an address: of the web, or `#id` in the report."""

_LONG: Final = re.compile(r"\S{28}")
_ENDLESS: Final = re.compile(r"\S{4001,}")
_STYLES: Final = {
    "strong": "b", "em": "i", "code": "c", "del": "d", "ins": "n", "mark": "k", "cite": "m", "thin": "m", "meta": "m",
    "around": "m", "bad": "x", "up": "b", "down": "b", "mixed": "b",
}  # fmt: skip


def runs_of(words: Words, style: str = "") -> list[Run]:
    """Return words as runs; neighbours of one style are one run.

    Parameters
    ----------
    words : Words
    style : str
        Letter of a style that all of them have.

    Returns
    -------
    list of Run
        Without blanks at the ends. A word of more than 4,000 letters is cut with a mark: no line could be broken
        around it in good time.
    """
    filled = (run for run in _runs(words, style, "") if run["t"])
    alike = groupby(filled, key=lambda run: (run["s"], run["to"], "l" in run and id(run)))
    joined = [first | {"t": "".join(run["t"] for run in (first, *more))} for _, (first, *more) in alike]
    while joined and not joined[0]["t"].strip():
        del joined[0]
    while joined and not joined[-1]["t"].strip():
        del joined[-1]
    if joined:
        joined[0]["t"] = joined[0]["t"].lstrip(" \n")
        joined[-1]["t"] = joined[-1]["t"].rstrip(" \n")
    return [_slim(run) for run in joined]


def plain(words: Words) -> str:
    """Return words without their styles."""
    return "".join(run["t"] for run in _runs(words, "", ""))


def _runs(words: Words, styles: str, to: str) -> Iterable[Run]:
    """Walk through words."""
    if isinstance(words, str):
        yield {"t": words, "s": styles, "to": to}
    elif isinstance(words, tuple):
        for part in words:
            yield from _runs(part, styles, to)
    elif isinstance(words, Level):
        letter = letter_of(words.word)
        shown = letter if words.short or letter == "?" else words.word
        yield {"t": shown, "s": "", "to": to, "l": letter_style(letter)}
    elif isinstance(words, Link):
        yield from _runs(words.words, styles, words.to if words.to.startswith("#") or is_public(words.to) else "")
    elif words.style == "break":
        yield {"t": "\n", "s": styles, "to": ""}
    else:
        own = _STYLES.get(words.style, "")
        inner: Words = ("“", words.words, "”") if words.style == "quote" else words.words
        yield from _runs(inner, styles if own in styles else styles + own, to)


def _slim(run: Run) -> Run:
    """Return a run without what is empty; `w` among its styles says that a word of it is long."""
    words = _ENDLESS.sub(lambda match: f"{match[0][:4000]} [… {len(match[0]) - 4000:,} more characters]", run["t"])
    kept = run | {"t": words, "s": run["s"] + ("w" if _LONG.search(run["t"]) else "")}
    return {key: value for key, value in kept.items() if value or key == "t"}


_PORTRAIT: Final = 168.0
_LANDSCAPE: Final = 255.0
_PAD: Final = 2.9
"""Millimetres: width of the page's text, upright and turned, and of a cell's white space."""
_LETTER: Final = 0.19
"""Millimetres that a letter takes for each point of its size, rather too many."""
_SIZES: Final = (9.0, 8.5, 8.0, 7.5, 7.0, 6.5)
_WORD_MOST: Final = 22
"""Letters of a word that a column gives room; a longer one, such as a hash, is broken."""
_CODE_MOST: Final = 34
_WHOLE_ROWS: Final = 16
_WHOLE_WORDS: Final = 2000
_SHORT: Final = 16


Printed = dict[str, Any]
"""A cell as the template reads it: `r` its words, `n` whether they are numbers, `f` the style of its level, `id`."""


def table_of(table: Table) -> dict[str, object]:
    """Return a table as the template writes it.

    Parameters
    ----------
    table : Table

    Returns
    -------
    dict
        `k` table, `id`, `caption`, `head` and `rows` (of cells), `columns`, `leads` (columns of words before those of
        levels), `widths` (0 as wide as needed, else a part of what is left), `size` (points), `turned` (page),
        `matrix` (heads upright, cells of one letter),
        `whole` (so small that the end of a page does not part it).
    """
    head = [[_cell(column.title, column.style) for column in table.columns]] if table.columns else []
    rows = [_row(row, table) for row in table.rows]
    columns = max((len(row) for row in (*head, *rows)), default=0)
    size, widths, turned = _fitted([*head, *rows], columns)
    letters = sum(len(_plain(cell)) for row in rows for cell in row)
    return {
        "k": "table", "id": table.anchor, "caption": runs_of(table.caption), "head": head, "rows": rows, "leads": 1,
        "columns": columns, "widths": widths, "size": size, "turned": turned, "matrix": False,
        "whole": len(rows) <= _WHOLE_ROWS and letters <= _WHOLE_WORDS,
    }  # fmt: skip


def matrix_of(matrix: Matrix) -> dict[str, object]:
    """Return a matrix of levels as the template writes it: names first, then narrow columns.

    Parameters
    ----------
    matrix : Matrix

    Returns
    -------
    dict
        As `table_of` gives it.
    """
    leads = ("Platform", "Rating", "Evidence")
    head = [_cell(name) for name in (*leads, *(name for _, name in matrix.surfaces))]
    columns = len(head)
    return {
        "k": "table", "id": "risk-matrix", "caption": runs_of(MATRIX_CAPTION), "head": [head],
        "rows": [_matrix_row(row, matrix) for row in matrix.rows], "leads": len(leads), "columns": columns,
        "widths": [0.0] * columns, "size": 7.5 if columns <= 20 else 6.5, "turned": columns > 26, "matrix": True,
        "whole": False,
    }  # fmt: skip


def _matrix_row(row: MatrixRow, matrix: Matrix) -> list[Printed]:
    """Return a platform's cells, each leading to its clauses where they stand on the page."""
    name: Words = Link(row.name, f"#platform-{row.slug}") if row.linked else row.name
    cells = [_cell(name), _cell(row.rating or "?", letter=row.letter), _cell(row.evidence)]
    for cell, (surface, _) in zip(row.cells, matrix.surfaces, strict=True):
        leads = row.linked and cell.told
        words: Words = Link(cell.letter, f"#{row.slug}-{surface}") if leads else cell.letter
        cells.append(_cell(words, letter=cell.letter))
    return cells


def _row(row: Row, table: Table) -> list[Printed]:
    """Return the cells of a row; the first carries the row's address."""
    styles = [column.style for column in table.columns] or [""] * len(row.cells)
    cells = [_cell(words, style) for words, style in zip(row.cells, styles, strict=True)]
    if cells and row.anchor:
        cells[0]["id"] = row.anchor
    return cells


def _cell(words: Words, style: str = "", letter: str = "") -> Printed:
    """Return one cell without what is not set."""
    number = {"n": True} if "n" in style.split() else {}
    return {"r": runs_of(words), **number, **({"f": letter_style(letter)} if letter else {})}


def _plain(cell: Printed) -> str:
    """Return the words of a cell."""
    return "".join(run["t"] for run in cell["r"])


def _measured(cells: Iterable[Printed]) -> tuple[float, float, int]:
    """Return how many letters wide a column is at least, how wide without a break, and how many letters it has."""
    words = full = 0.0
    letters = 0
    for cell in cells:
        text, chips = _plain(cell), 1.5 * sum("l" in run for run in cell["r"])
        most = _CODE_MOST if any("c" in run.get("s", "") for run in cell["r"]) else _WORD_MOST
        words = max(words, min(max(map(len, text.split()), default=0), most) + chips)
        full = max(full, max(map(len, text.split("\n"))) + chips)
        letters += min(len(text), 400)
    return words, full, letters


def _fitted(rows: Sequence[list[Printed]], columns: int) -> tuple[float, list[float], bool]:
    """Return the largest letters with which a table fits, its widths, and whether the page is turned for it."""
    measured = [_measured(cells) for cells in zip_longest(*rows, fillvalue={"r": []})]
    full = sum(wide for _, wide, _ in measured)
    needed = sum(wide if wide <= _SHORT else words for words, wide, _ in measured)
    for turned, room in ((False, _PORTRAIT), (True, _LANDSCAPE)):
        for size in _SIZES:
            left = (room - columns * _PAD) / (size * _LETTER)
            if full <= left:
                return size, [0.0] * columns, turned
            if needed <= left:
                parts = [max(words, letters / len(rows), 6.0) ** 0.75 for words, _, letters in measured]
                short = [wide <= _SHORT for _, wide, _ in measured]
                return size, [0.0 if fits else part for fits, part in zip(short, parts, strict=True)], turned
    return _SIZES[-1], [1.0] * columns, True
