"""Values of a page as a PDF: the pieces that a typst template writes, made from the same values as the HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time
from importlib import resources
from typing import Any, Final

from riskanalytics.pages import values
from riskanalytics.pages.printed import matrix_of, plain, runs_of, table_of
from riskanalytics.pages.quoted import QUOTES_FILE
from riskanalytics.pages.svg import NotDrawnError, drawn
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_STYLES, LEVEL_TEXT, PAGE
from riskanalytics.typesetting import typeset, undrawn

Piece = dict[str, Any]
"""`k` kind, `id` address, and what the kind has: `templates/report.typ` reads them."""

_TITLE_MOST: Final = 200
_MANY: Final = 8
_SHORT_ITEM: Final = 34
_LONG_ROW: Final = 1200
"""Letters of a row that may be parted by the end of a page."""
_SHORT_TABLE: Final = 16
"""Rows of numbers that stand below their chart; longer tables stand at the end."""


def pdf_of(
    parts: values.Parts,
    report: Mapping[str, object],
    *,
    page: str,
    disclaimer: str,
    made: values.Words,
    quotes: str = "",
) -> bytes:
    """Typeset a report.

    Parameters
    ----------
    parts : tuple of Part
        Of the whole page.
    report : mapping
        What the page tells about itself: `title`, `description`, and `as_of` (ISO day) where it is known.
    page : str
        Name of the HTML file that stands beside the PDF.
    disclaimer : str
    made : Words
        What the page was made from.
    quotes : str
        What the page tells machines about its quotes, JSON; attached as `quotes.json` where given.

    Returns
    -------
    bytes
        PDF/UA-1, the same for the same report.

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If it cannot be typeset.
    """
    printer, day, light = _Printer(), None, (LEVEL_COLOURS["light"], LEVEL_TEXT["light"])
    pieces = printer.of(parts)
    front = next((place for place, piece in enumerate(pieces) if piece["k"] == "heading" and piece["level"] == 1), 0)
    with suppress(ValueError):
        day = date.fromisoformat(str(report.get("as_of")))
    data: dict[str, object] = {
        "title": str(report["title"])[:_TITLE_MOST],
        "description": str(report.get("description") or "")[:1000],
        "day": [day.year, day.month, day.day] if day else None,
        "front": pieces[:front],
        "body": pieces[front:],
        "numbers": printer.numbers,
        "disclaimer": disclaimer,
        "made": runs_of(made),
        "page": page,
        "quotes": QUOTES_FILE if quotes else "",
        "colours": {"page": PAGE["light"]}
        | {letter: [colours[level] for colours in light] for letter, level in LEVEL_STYLES.items()},
    }
    _settle_addresses(data)
    data["undrawn"] = undrawn(json.dumps(data, ensure_ascii=False)) > 0
    moment = datetime.combine(day or date(1970, 1, 1), time(), UTC)
    template = resources.files(__package__).joinpath("templates", "report.typ").read_text(encoding="utf-8")
    return typeset(template, data, timestamp=moment, files={QUOTES_FILE: quotes} if quotes else None)


class _Printer:
    """Makes the pieces of a report; longer tables of numbers are kept for its end."""

    def __init__(self) -> None:
        self.numbers: list[Piece] = []
        self._figures = self._level = self._fold_level = 0

    def of(self, parts: values.Parts) -> list[Piece]:
        """Return the pieces of some parts."""
        return [piece for part in parts for piece in self._pieces(part)]

    def _pieces(self, part: values.Part) -> list[Piece]:  # noqa: C901, PLR0911 (one line for each kind)
        """Return the pieces of one part."""
        match part:
            case values.Heading():
                return self._heading(part)
            case values.Paragraph():
                return _paragraph(part.words, part.style)
            case values.Quote():
                quote = {"k": "quote", "id": part.anchor, "style": part.style, "r": runs_of(part.words)}
                return [*([quote] if quote["r"] else []), *_paragraph(part.source)]
            case values.Table():
                return [table_of(part)] if part.rows or part.columns else []
            case values.Matrix():
                return [*_paragraph(f"All {len(part.rows):,} platforms as a table", "what", "b"), matrix_of(part)]
            case values.Fold():
                return self._fold(part)
            case values.Group():
                return self._group(part)
            case values.Pair():
                return [{"k": "pair", "sides": [self._group(side) for side in part.sides]}]
            case values.Listing():
                return _listing(part)
            case values.Command() | values.Foreign():
                return [{"k": "pre", "r": runs_of(part.text)}] if part.text else []
            case values.Figure():
                return [self._figure(part)]

    def _heading(self, part: values.Heading) -> list[Piece]:
        """Return a heading, at most one level below the one before it; the title is the document's."""
        runs = runs_of(part.words)
        if part.level == 1 or not runs:
            return []
        self._level = min(max(part.level - 1, self._fold_level + 1), self._level + 1)
        return [{"k": "heading", "id": part.anchor, "level": self._level, "r": runs}]

    def _fold(self, part: values.Fold) -> list[Piece]:
        """Return what can be unfolded on the screen: it is open, under its summary."""
        if "keep" not in part.style:
            return [*_paragraph(part.summary, "what", "b", part.anchor), *self.of(part.parts)]
        outer, before = self._fold_level, self._level
        self._level = self._fold_level = min(max(self._fold_level + 1, 2), self._level + 1)
        head = {"k": "heading", "id": part.anchor, "level": self._level, "r": runs_of(part.summary)}
        inner = self.of(part.parts)
        self._fold_level = outer
        self._level = max(before, 1) if outer or before else self._level
        return [head, {"k": "fold", "parts": inner}] if "platform" in part.style else [head, *inner]

    def _group(self, part: values.Group) -> list[Piece]:
        """Return parts that belong together."""
        pieces = self.of(part.parts)
        if part.style == "row" and len(part.parts) == 2:
            label, parts = (self.of((side,)) for side in part.parts)
            long = len(json.dumps(parts, ensure_ascii=False)) > 2 * _LONG_ROW
            return [{"k": "row", "id": part.anchor, "label": label, "parts": parts, "long": long}]
        if part.style.startswith("article"):
            return [{"k": "article", "id": part.anchor, "parts": pieces}]
        return [{"k": "place", "id": part.anchor}, *pieces] if part.anchor and pieces else pieces

    def _figure(self, part: values.Figure) -> Piece:
        """Return a chart: its title, drawing, words, and its numbers where they are few."""
        self._figures += 1
        title = part.title if part.title.endswith((".", "?", "!", "…")) else f"{part.title}."
        piece: Piece = {"k": "figure", "title": runs_of(part.title), "words": runs_of(part.words), "svg": ""}
        piece["alt"] = f"{title} {part.words}".strip()
        try:
            piece["svg"], piece["high"] = drawn(part.plot)
        except NotDrawnError as error:
            piece["missing"] = f"This PDF does not draw {error}; the page beside it does."
        if not part.table.columns:
            return piece
        table, count = table_of(part.table), len(part.table.rows)
        if count <= _SHORT_TABLE:
            return {**piece, "table": table}
        name = f"numbers-{self._figures}"
        left = f"{part.table.left_out:,} more rows are left out." if part.table.left_out else ""
        self.numbers.append({"id": name, "title": piece["title"], "table": table, "note": runs_of(left)})
        return {**piece, "numbers": name, "count": count}


def _paragraph(words: values.Words, style: str = "", letter: str = "", anchor: str = "") -> list[Piece]:
    """Return words as a paragraph; nothing where there are none."""
    runs = runs_of(words, letter)
    if all("m" in run.get("s", "") or run.get("to") or run.get("l") or not run["t"].strip() for run in runs):
        style = style or "source"
    return [{"k": "p", "id": anchor, "style": style, "r": runs}] if runs else []


def _listing(part: values.Listing) -> list[Piece]:
    """Return a list; many short items are side by side."""
    items = [_paragraph(item) for item in part.items]
    short = len(items) > _MANY and max(len(plain(item)) for item in part.items) <= _SHORT_ITEM
    return [{"k": "list", "ordered": part.ordered, "items": items, "short": short}] if items else []


def _settle_addresses(data: Mapping[str, object]) -> None:
    """Keep each address once, and only links to addresses that are there."""
    places: set[object] = set()
    for item in _items(data):
        if own := item.get("id"):
            item["id"] = "" if own in places else own
            places.add(own)
    for item in _items(data):
        if str(item.get("to", "")).startswith("#") and str(item["to"])[1:] not in places:
            del item["to"]


def _items(value: object) -> Iterator[dict[str, object]]:
    """Give every object of the data, in order."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for part in value if isinstance(value, list) else ():
        yield from _items(part)
