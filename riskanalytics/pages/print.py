"""Render a page as a PDF: the blocks of the page, from which the HTML is also made, become the input of a typst template."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time
from importlib import resources
from itertools import zip_longest
from typing import Any, Final

from riskanalytics.frames.building import Json
from riskanalytics.text.untrusted import is_public
from riskanalytics.text.wording import plural
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_STYLES, LEVEL_TEXT, PAGE, letter_of, letter_style
from riskanalytics.typesetting import typeset, undrawn

from . import values as v
from .quoted import QUOTES_FILE
from .svg import NotDrawnError, drawn

Run = dict[str, str]
"""Words in one style: `t` words, `s` styles (each after a space), `to` web address or `#id` in the report, `l` level."""

_GREY: Final = frozenset({"cite", "thin", "meta", "around"})


def runs_of(words: v.Words, style: str = "") -> list[Run]:
    """Return words as a list of runs (pieces of text in one style) for the typst template.

    White space at both ends is removed. A word of more than 4,000 letters is shortened, and a note counts the missing letters,
    because breaking lines around it would take too long.

    Parameters
    ----------
    words : Words
        A string, a `Text`, `Level` or `Link`, or a tuple of them (`pages.values`).
    style : str
        Style that all runs have in addition to their own.
    """
    runs = [run for run in _runs(words, style, "") if run["t"]]
    for end, stripped in ((0, str.lstrip), (-1, str.rstrip)):
        while runs and not stripped(runs[end]["t"]):
            del runs[end]
        if runs:
            runs[end]["t"] = stripped(runs[end]["t"])
    return [run | {"t": re.sub(r"(\S{4000})(\S+)", _cut, run["t"])} for run in runs]


def _cut(word: re.Match[str]) -> str:
    return f"{word[1]} [… {len(word[2]):,} more characters]"


def plain(words: v.Words) -> str:
    """Return words (a string, a `Text`, `Level` or `Link`, or a tuple of them) as one string, without their styles and links."""
    return "".join(run["t"] for run in _runs(words, "", ""))


def _runs(words: v.Words, styles: str, to: str) -> Iterator[Run]:
    """Yield the runs of words."""
    if isinstance(words, str):
        yield {"t": words, "s": styles, "to": to}
    elif isinstance(words, tuple):
        for part in words:
            yield from _runs(part, styles, to)
    elif isinstance(words, v.Level):
        letter = letter_of(words.word)
        shown = letter if words.short or letter == "?" else words.word
        yield {"t": shown, "s": "", "to": to, "l": letter_style(letter)}
    elif isinstance(words, v.Link):
        yield from _runs(words.words, styles, words.to if words.to.startswith("#") or is_public(words.to) else "")
    elif words.style == "rest":
        return
    elif words.style == "break":
        yield {"t": "\n", "s": styles, "to": ""}
    else:
        inner: v.Words = ("“", words.words, "”") if words.style == "quote" else words.words
        yield from _runs(inner, f"{styles} {words.style}", to)


_SIZES: Final = (9.0, 8.5, 8.0, 7.5, 7.0, 6.5)
_SHORT: Final = 16

Piece = dict[str, Any]
"""A part of a report for `templates/report.typ`: `k` its kind, `id` its anchor, and the fields of its kind."""


def table_of(table: v.Table) -> Piece:
    """Return a table as a dict for the typst template.

    In this dict, `size` is the font size in points. `widths` has a number for each column: 0 means that the column is as wide as
    needed, and the other numbers share the remaining width. `turned` says whether the page is in landscape format, and `whole`
    whether the table must not be split between pages. The other items are the anchor, caption, headings and rows of the table.
    """
    styles = [column.style for column in table.columns]
    head = [[_cell(column.title, column.style) for column in table.columns]] if styles else []
    rows = [[_cell(*cell) for cell in zip_longest(row.cells, styles, fillvalue="")] for row in table.rows]
    for row, cells in zip(table.rows, rows, strict=True):
        for cell in cells[:1]:
            cell["id"] = row.anchor
    size, widths, turned = _fitted([*head, *rows])
    letters = sum(len(_plain(cell)) for row in rows for cell in row)
    return {
        "k": "table", "id": table.anchor, "caption": runs_of(table.caption), "head": head, "rows": rows,
        "widths": widths, "size": size, "turned": turned, "whole": len(rows) <= 16 and letters <= 2000,
    }  # fmt: skip


def matrix_of(matrix: v.Matrix) -> Piece:
    """Return a table of platforms and their levels on each surface as a dict for the typst template.

    In this dict, `leads` is the number of columns at the left that describe the platform; the columns after them are narrow and
    contain its levels. The other items of the dict are those of `table_of`, except `widths`, which is absent.
    """
    head = [_cell(name) for name in ("Platform", "Rating", "Evidence", *(name for _, name in matrix.surfaces))]
    rows = []
    for row in matrix.rows:
        name: v.Words = v.Link(row.name, f"#platform-{row.slug}") if row.linked else row.name
        cells = [_cell(name), _cell(row.rating or "?", letter=row.letter), _cell(row.evidence)]
        for cell, (surface, _) in zip(row.cells, matrix.surfaces, strict=True):
            mark = v.Link(cell.letter, f"#{row.slug}-{surface}") if row.linked and cell.count else cell.letter
            cells.append(_cell(mark, letter=cell.letter))
        rows.append(cells)
    return {
        "k": "table", "id": "risk-matrix", "caption": runs_of(v.MATRIX_CAPTION), "head": [head], "rows": rows, "leads": 3,
        "size": 7.5 if len(head) <= 20 else 6.5, "turned": len(head) > 26, "whole": False,
    }  # fmt: skip


def _cell(words: v.Words, style: str = "", letter: str = "") -> Piece:
    """Return a cell: `r` its words, `n` whether they are numbers, `f` the style of its level."""
    return {"r": runs_of(words), "n": "n" in style.split(), "f": letter and letter_style(letter)}


def _plain(cell: Piece) -> str:
    return "".join(run["t"] for run in cell["r"])


def _measured(cell: Piece) -> tuple[float, float, int]:
    """Return the minimum width of a cell in letters, its width without line breaks, and its number of letters."""
    text, chips = _plain(cell), 1.5 * sum("l" in run for run in cell["r"])
    # longer words, such as hashes, may be broken
    most = 34 if any(" code" in run["s"] for run in cell["r"]) else 22
    words = min(max(map(len, text.split()), default=0), most)
    return words + chips, max(map(len, text.split("\n"))) + chips, min(len(text), 400)


def _fitted(rows: list[list[Piece]]) -> tuple[float, list[float], bool]:
    """Return the largest font size at which a table fits, its widths, and whether it needs landscape format."""
    measured = (zip(*map(_measured, cells), strict=True) for cells in zip_longest(*rows, fillvalue={"r": []}))
    columns = [(max(words), max(full), sum(letters)) for words, full, letters in measured]
    full = sum(wide for _, wide, _ in columns)
    needed = sum(wide if wide <= _SHORT else words for words, wide, _ in columns)
    parts = [0.0 if wide <= _SHORT else max(words, count / len(rows), 6.0) ** 0.75 for words, wide, count in columns]
    for turned, room in ((False, 168.0), (True, 255.0)):  # millimetres of text, upright and in landscape format
        for size in _SIZES:
            # 2.9 mm is the padding of a cell; 0.19 mm is a generous letter width for each point of size
            left = (room - len(columns) * 2.9) / (size * 0.19)
            if needed <= left:
                return size, [0.0] * len(columns) if full <= left else parts, turned
    return _SIZES[-1], [1.0] * len(columns), True


def pdf_of(parts: v.Parts, report: Json, *, page: str, disclaimer: str, made: v.Words, quotes: str = "") -> bytes:
    """Typeset a report as a PDF.

    Parameters
    ----------
    parts : tuple of Part
        All blocks of the page, such as headings, paragraphs and tables (`pages.values`).
    report : mapping
        Facts about the page: `title`, `description`, and `as_of` (ISO day) if known.
    page : str
        Name of the HTML file next to the PDF, to which the PDF refers.
    disclaimer : str
        Text at the foot of each page, such as "Informational only, not legal advice".
    made : Words
        Text on the origin of the page: its data and its notebook.
    quotes : str
        Records of the quotes as JSON, attached to the PDF as `quotes.json`. If empty, nothing is attached.

    Returns
    -------
    bytes
        The PDF (PDF/UA-1); the same report gives the same bytes.

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If the report cannot be typeset.
    """
    printer, day = _Printer(), None
    pieces = printer.of(parts)
    front = next((place for place, piece in enumerate(pieces) if piece["k"] == "heading" and piece["level"] == 1), 0)
    with suppress(ValueError):
        day = date.fromisoformat(str(report.get("as_of")))
    colours = LEVEL_COLOURS["light"], LEVEL_TEXT["light"]
    levels = {letter: [kind[level] for kind in colours] for letter, level in LEVEL_STYLES.items()}
    data: Piece = {
        "title": str(report["title"])[:200],
        "description": str(report.get("description") or "")[:1000],
        "day": [day.year, day.month, day.day] if day else None,
        "front": pieces[:front],
        "body": pieces[front:],
        "numbers": printer.numbers,
        "disclaimer": disclaimer,
        "made": runs_of(made),
        "page": page,
        "quotes": QUOTES_FILE if quotes else "",
        "colours": {"page": PAGE["light"], **levels},
    }
    _settle_addresses(data)
    data["undrawn"] = undrawn(json.dumps(data, ensure_ascii=False)) > 0
    moment = datetime.combine(day or date(1970, 1, 1), time(), UTC)
    template = resources.files(__package__).joinpath("templates", "report.typ").read_text(encoding="utf-8")
    return typeset(template, data, timestamp=moment, files={QUOTES_FILE: quotes} if quotes else None)


class _Printer:
    """Makes the pieces of a report; longer tables of numbers move to its end."""

    def __init__(self) -> None:
        self.numbers: list[Piece] = []
        self._level = self._outer = 0

    def of(self, parts: v.Parts) -> list[Piece]:
        """Return the pieces of some parts."""
        return [piece for part in parts for piece in self._pieces(part)]

    def _pieces(self, part: v.Part) -> list[Piece]:  # noqa: C901, PLR0911 (one line for each kind)
        """Return the pieces of one part."""
        match part:
            case v.Heading():
                # at most one level below the previous heading; the title is that of the document
                runs = runs_of(part.words)
                if part.level == 1 or not runs:
                    return []
                self._level = min(max(part.level - 1, self._outer + 1), self._level + 1)
                return [{"k": "heading", "id": part.anchor, "level": self._level, "r": runs}]
            case v.Paragraph():
                return _paragraph(part.words, part.style)
            case v.Quote():
                quote = {"k": "quote", "id": part.anchor, "style": part.style, "r": runs_of(part.words)}
                return [*([quote] if quote["r"] else []), *_paragraph(part.source)]
            case v.Table():
                return [table_of(part)] if part.rows or part.columns else []
            case v.Matrix():
                return [*_paragraph(f"All {len(part.rows):,} platforms as a table", "what", " strong"), matrix_of(part)]
            case v.Fold():
                return self._fold(part)
            case v.Group():
                return self._group(part)
            case v.Pair():
                return [{"k": "pair", "sides": [self._group(side) for side in part.sides]}]
            case v.Listing():
                items = [_paragraph(item) for item in part.items]
                short = len(items) > 8 and max(len(plain(item)) for item in part.items) <= 34
                return [{"k": "list", "ordered": part.ordered, "items": items, "short": short}] if items else []
            case v.Command() | v.Foreign():
                return [{"k": "pre", "r": runs_of(part.text)}] if part.text else []
            case v.Figure():
                return [self._figure(part)]

    def _fold(self, part: v.Fold) -> list[Piece]:
        """Return a fold: open, below its summary."""
        if "keep" not in part.style:
            return [*_paragraph(part.summary, "what", " strong", part.anchor), *self.of(part.parts)]
        outer, before = self._outer, self._level
        self._level = self._outer = min(max(outer + 1, 2), before + 1)
        head = {"k": "heading", "id": part.anchor, "level": self._level, "r": runs_of(part.summary)}
        inner = self.of(part.parts)
        self._level, self._outer = max(before, 1) if outer or before else self._level, outer
        return [head, {"k": "fold", "parts": inner}] if "platform" in part.style else [head, *inner]

    def _group(self, part: v.Group) -> list[Piece]:
        """Return parts that belong together."""
        if part.style == "row" and len(part.parts) == 2:
            label, parts = (self.of((side,)) for side in part.parts)
            # page breaks may split it
            long = len(json.dumps(parts, ensure_ascii=False)) > 2400
            return [{"k": "row", "id": part.anchor, "label": label, "parts": parts, "long": long}]
        pieces = self.of(part.parts)
        if part.style.startswith("article"):
            return [{"k": "article", "id": part.anchor, "parts": pieces}]
        return [{"k": "place", "id": part.anchor}, *pieces] if part.anchor and pieces else pieces

    def _figure(self, part: v.Figure) -> Piece:
        """Return a chart: title, drawing, words, and a short table of its numbers."""
        end = "" if part.title.endswith((".", "?", "!", "…")) else "."
        piece: Piece = {"k": "figure", "title": runs_of(part.title), "words": runs_of(part.words), "svg": ""}
        piece["alt"] = f"{part.title}{end} {part.words}".strip()
        try:
            piece["svg"], piece["high"] = drawn(part.plot)
        except NotDrawnError as error:
            piece["missing"] = f"This PDF does not draw the chart: {error}. The HTML page draws it."
        if not part.table.columns:
            return piece
        table, count = table_of(part.table), len(part.table.rows)
        # longer tables are at the end
        if count <= 16:
            return {**piece, "table": table}
        name = f"numbers-{len(self.numbers)}"
        many = part.table.left_out
        left = f"{plural(many, 'more row is', 'more rows are')} not shown." if many else ""
        self.numbers.append({"id": name, "title": piece["title"], "table": table, "note": runs_of(left)})
        return {**piece, "numbers": name, "count": count}


def _paragraph(words: v.Words, style: str = "", bold: str = "", anchor: str = "") -> list[Piece]:
    """Return words as a paragraph; empty without words."""
    runs = runs_of(words, bold)
    if all(_GREY & {*run["s"].split()} or run["to"] or "l" in run or not run["t"].strip() for run in runs):
        style = style or "source"
    return [{"k": "p", "id": anchor, "style": style, "r": runs}] if runs else []


def _settle_addresses(data: Piece) -> None:
    """Remove repeated anchors, and links to anchors that do not exist."""
    places = {""}
    for item in _items(data):
        if "id" in item:
            own = item["id"]
            item["id"] = "" if own in places else own
            places.add(own)
    for item in _items(data):
        if item.get("to", "").startswith("#") and item["to"][1:] not in places:
            item["to"] = ""


def _items(value: object) -> Iterator[Piece]:
    """Yield every object of the data, in order."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for part in value if isinstance(value, list) else ():
        yield from _items(part)
