"""Tables on paper: their cells, and widths and letters with which they fit a page."""

from __future__ import annotations

from typing import Any, Final

from riskanalytics.reporting.pdf.markup import Element
from riskanalytics.reporting.pdf.runs import is_skipped, plain, runs_of

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
_LEVELS: Final = ("H", "M", "L", "U")


def table_of(element: Element, note: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return a table as the template writes it.

    Parameters
    ----------
    element : Element
        `table`.
    note : list of Run, optional
        Caption, where the table has none of its own.

    Returns
    -------
    dict
        `k` table, `id`, `caption`, `head` and `rows` (of cells), `columns`, `leads` (columns of words before those of
        levels), `widths` (0 as wide as needed, else a part of what is left), `size` (points), `turned` (page),
        `matrix` (heads upright, cells of one letter),
        `whole` (so small that the end of a page does not part it).
    """
    matrix = "matrix" in element.classes
    caption = next((runs_of(part.parts) for part in element.all("caption")), note or [])
    heads = {id(row) for part in element.all("thead") for row in part.all("tr")}
    rows = element.all("tr")
    head = [_row(row) for row in rows if id(row) in heads]
    body = [_row(row) for row in rows if id(row) not in heads]
    columns = max((sum(cell.get("span", 1) for cell in row) for row in (*head, *body)), default=0)
    words = sum(len(plain(cell["r"])) for row in body for cell in row)
    size, widths, turned = _matrix(columns) if matrix else _fitted([*head, *body], columns)
    return {
        "k": "table", "id": element.attributes.get("id", ""), "caption": caption, "head": head, "rows": body,
        "leads": max(1, sum("flat" in cell.classes for cell in element.all("th"))),
        "columns": columns, "widths": widths, "size": size, "turned": turned, "matrix": matrix,
        "whole": len(body) <= _WHOLE_ROWS and words <= _WHOLE_WORDS,
    }  # fmt: skip


def _row(row: Element) -> list[dict[str, Any]]:
    """Return the cells of a row; the first carries the row's address."""
    cells = [_cell(part) for part in row.parts if isinstance(part, Element) and part.tag in ("td", "th")]
    if cells and row.attributes.get("id"):
        cells[0]["id"] = row.attributes["id"]
    return cells


def _cell(cell: Element) -> dict[str, Any]:
    """Return one cell without what is not set."""
    links = [part for part in cell.parts if isinstance(part, Element) and part.tag == "a"]
    marked = cell.classes | (links[0].classes if len(links) == 1 else frozenset())
    span = cell.attributes.get("colspan", "1")
    told = {
        "r": runs_of(part for part in cell.parts if isinstance(part, str) or not is_skipped(part)),
        "n": "n" in cell.classes,
        "h": cell.tag == "th",
        "f": next((letter for letter in _LEVELS if letter in marked), ""),
        "span": min(int(span), 99) if span.isdigit() and int(span) > 1 else 0,
        "id": cell.attributes.get("id", ""),
    }
    return {key: value for key, value in told.items() if value or key == "r"}


def _matrix(columns: int) -> tuple[float, list[float], bool]:
    """Return letters and widths of a table of levels: names first, then narrow columns."""
    return (7.5 if columns <= 20 else 6.5), [0.0] * columns, columns > 26


def _fitted(rows: list[list[dict[str, Any]]], columns: int) -> tuple[float, list[float], bool]:
    """Return the largest letters with which a table fits, its widths, and whether the page is turned for it."""
    words, full = [0.0] * columns, [0.0] * columns
    total = [0.0] * columns
    for row in rows:
        place = 0
        for cell in row:
            span = int(cell.get("span", 1))
            if span == 1 and place < columns:
                text = plain(cell["r"])
                longest = max((len(word) for word in text.split()), default=0)
                most = _CODE_MOST if any("c" in run.get("s", "") for run in cell["r"]) else _WORD_MOST
                chips = 1.5 * sum("l" in run for run in cell["r"])
                words[place] = max(words[place], min(longest, most) + chips)
                full[place] = max(full[place], max(map(len, text.split("\n")), default=0) + chips)
                total[place] += min(len(text), 400)
            place += span
    for turned, room in ((False, _PORTRAIT), (True, _LANDSCAPE)):
        for size in _SIZES:
            left = room - columns * _PAD
            if sum(full) * size * _LETTER <= left:
                return size, [0.0] * columns, turned
            narrow = [wide <= _SHORT for wide in full]
            needed = [full[n] if narrow[n] else words[n] for n in range(columns)]
            if sum(needed) * size * _LETTER <= left:
                average = [text / max(len(rows), 1) for text in total]
                return (
                    size,
                    [0.0 if narrow[n] else max(needed[n], average[n], 6.0) ** 0.75 for n in range(columns)],
                    turned,
                )
    return _SIZES[-1], [1.0] * columns, True
