"""The pieces of a page as a template writes them: headings, paragraphs, quotes, tables, figures, in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

from riskanalytics.charts.svg import NotDrawnError, drawn
from riskanalytics.reporting.pdf.markup import Element
from riskanalytics.reporting.pdf.runs import Run, is_skipped, plain, runs_of
from riskanalytics.reporting.pdf.tables import table_of

Piece = dict[str, Any]
"""`k` kind, `id` address, and what the kind has: see `_Pieces`."""

_HEADINGS: Final = {"h1": 0, "h2": 1, "h3": 2, "h4": 3, "h5": 4, "h6": 5}
_INLINE: Final = frozenset({
    "a", "b", "bdi", "bdo", "br", "cite", "code", "del", "em", "i", "img", "ins", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "time", "u", "abbr", "wbr",
})  # fmt: skip
_STYLES: Final = ("lead", "meta", "note", "alarm", "what", "why", "side", "who")
_MANY: Final = 8
_SHORT_ITEM: Final = 34
_LONG_ROW: Final = 1200
"""Letters of a row that may be parted by the end of a page."""
_SHORT_TABLE: Final = 16
"""Rows of numbers that stand below their chart; longer tables stand at the end."""


class Pieces:
    """Reads the pieces of a page.

    Attributes
    ----------
    numbers : list of Piece
        Tables of numbers too long to stand below their chart.
    charts : list of str
        Names of the charts, in order.
    """

    def __init__(self) -> None:
        self.numbers: list[Piece] = []
        self.charts: list[str] = []
        self._level = 0
        self._fold_level = 0
        self._kinds: dict[str, Callable[[Element, str], list[Piece]]] = {
            **dict.fromkeys(_HEADINGS, self._heading),
            **dict.fromkeys(("p", "figcaption", "dt", "dd"), self._words),
            **dict.fromkeys(("ul", "ol"), self._list),
            "blockquote": self._quote,
            "details": self._fold,
            "pre": _command,
            "table": _table,
            "hr": _nothing,
        }

    def of(self, parts: Iterable[Element | str]) -> list[Piece]:
        """Return the pieces of some parts of a page."""
        pieces: list[Piece] = []
        loose: list[Element | str] = []
        for part in parts:
            if isinstance(part, str) or part.tag in _INLINE:
                loose.append(part)
                continue
            pieces += _paragraph(loose)
            loose = []
            if not is_skipped(part):
                pieces += self._element(part)
        return pieces + _paragraph(loose)

    def _element(self, part: Element) -> list[Piece]:
        """Return the pieces of one element."""
        own = part.attributes.get("id", "")
        if part.tag == "figure" and "data-chart" in part.attributes:
            return [self._figure(part)]
        return self._kinds.get(part.tag, self._container)(part, own)

    def _words(self, part: Element, own: str) -> list[Piece]:
        """Return a paragraph."""
        return _paragraph(part.parts, next((name for name in _STYLES if name in part.classes), ""), own)

    def _list(self, part: Element, own: str) -> list[Piece]:
        """Return a list."""
        items = [self.of(item.parts) for item in part.parts if isinstance(item, Element) and item.tag == "li"]
        piece = {"k": "list", "id": own, "ordered": part.tag == "ol", "items": items, "short": _is_short(items)}
        return [piece] if items else []

    def _heading(self, part: Element, own: str) -> list[Piece]:
        """Return a heading, at most one level below the one before it."""
        runs = runs_of(part.parts)
        level = _HEADINGS[part.tag]
        if not level:
            return []  # the title is the document's
        self._level = min(max(level, self._fold_level + 1), self._level + 1)
        return [{"k": "heading", "id": own, "level": self._level, "r": runs}] if runs else []

    def _fold(self, part: Element, own: str) -> list[Piece]:
        """Return what can be unfolded on the screen: it stands open, under its summary."""
        summary = next((child for child in part.parts if isinstance(child, Element) and child.tag == "summary"), None)
        rest = [child for child in part.parts if child is not summary]
        runs = runs_of(summary.parts) if summary is not None else []
        if "keep" not in part.classes:
            line: list[Piece] = [
                {"k": "p", "id": own, "style": "what", "r": [{**run, "s": run.get("s", "") + "b"} for run in runs]}
            ]
            return [*line, *self.of(rest)]
        outer, before = self._fold_level, self._level
        self._level = min(max(self._fold_level + 1, 2), self._level + 1)
        self._fold_level = self._level
        head = {"k": "heading", "id": own, "level": self._level, "r": runs}
        inner = self.of(rest)
        self._fold_level = outer
        self._level = max(before, 1) if outer or before else self._level
        return [head, {"k": "fold", "id": "", "parts": inner}] if "platform" in part.classes else [head, *inner]

    def _quote(self, part: Element, own: str) -> list[Piece]:
        """Return a quote; one that is new or gone as a whole has an edge of its own."""
        kind = next((name for name in ("ins", "del") if name in part.classes), "")  # its first line says so in words
        runs = runs_of(part.parts, lines=True)
        return [{"k": "quote", "id": own, "style": kind, "r": runs}] if runs else []

    def _container(self, part: Element, own: str) -> list[Piece]:
        """Return the pieces of what only groups others."""
        children = [child for child in part.parts if isinstance(child, Element)]
        if "row" in part.classes and len(children) == 2:
            label, parts = [self.of([child]) for child in children]
            return [{"k": "row", "id": own, "label": label, "parts": parts, "long": len(part.text()) > _LONG_ROW}]
        if "pair" in part.classes and len(children) > 1:
            return [{"k": "pair", "id": own, "sides": [self.of([child]) for child in children]}]
        pieces = self.of(part.parts)
        if part.tag == "article":
            return [{"k": "article", "id": own, "parts": pieces}]
        return [{"k": "place", "id": own}, *pieces] if own and pieces else pieces

    def _figure(self, part: Element) -> Piece:
        """Return a chart: its title, drawing, words, and its numbers where they are few."""
        self.charts.append(part.attributes["data-chart"])
        title = next((runs_of(child.parts) for child in part.all("p") if "title" in child.classes), [])
        words = next((runs_of(_unfolded(child)) for child in part.all("figcaption")), [])
        record = next((child.text() for child in part.all("script") if "plot-data" in child.classes), "{}")
        piece: Piece = {"k": "figure", "id": "", "title": title, "words": words, "svg": "", "high": 0.0, "wide": 0.0}
        piece["alt"] = " ".join(part for part in (_sentence(plain(title)), plain(words)) if part)
        try:
            piece["svg"], piece["high"] = drawn(json.loads(record))
        except NotDrawnError as error:
            piece["missing"] = f"This PDF does not draw {error}; the page beside it does."
        table = next((table_of(child) for child in part.all("table")), None)
        if table is None or not table["rows"]:
            return piece
        if len(table["rows"]) <= _SHORT_TABLE:
            return {**piece, "table": table}
        name = f"numbers-{len(self.charts)}"
        self.numbers.append({"id": name, "title": title, "table": table, "note": _left_out(part)})
        return {**piece, "numbers": name, "count": len(table["rows"])}


def _command(part: Element, own: str) -> list[Piece]:
    """Return words whose white space stays."""
    return [{"k": "pre", "id": own, "r": runs_of([part.text()], lines=True, whole=True)}]


def _table(part: Element, own: str) -> list[Piece]:  # noqa: ARG001 (a table knows its address)
    """Return a table; nothing where it has no row."""
    table = table_of(part)
    return [table] if table["rows"] or table["head"] else []


def _nothing(part: Element, own: str) -> list[Piece]:  # noqa: ARG001
    """Return nothing: a rule parts sections on the screen."""
    return []


def _sentence(words: str) -> str:
    """Return words that end as a sentence does."""
    return words if not words or words.endswith((".", "?", "!", "…")) else f"{words}."


def _is_short(items: list[list[Piece]]) -> bool:
    """Say whether a list is long, and its items are so short that three stand side by side."""
    lengths = [sum(len(plain(piece.get("r", ()))) if piece["k"] == "p" else 99 for piece in item) for item in items]
    return len(items) > _MANY and max(lengths) <= _SHORT_ITEM


def _unfolded(part: Element) -> list[Element | str]:
    """Return what stands in an element without what is folded in it."""
    return [child for child in part.parts if isinstance(child, str) or child.tag != "details"]


def _left_out(part: Element) -> list[Run]:
    """Return what a table of numbers says of rows that it leaves out."""
    return next((runs_of(child.parts) for child in part.all("p") if "note" in child.classes), [])


def _paragraph(parts: Iterable[Element | str], style: str = "", own: str = "") -> list[Piece]:
    """Return words as a paragraph; nothing where there are none."""
    runs = runs_of(parts)
    if not runs:
        return []
    source = all("m" in run.get("s", "") or run.get("to") or run.get("l") or not run["t"].strip() for run in runs)
    return [{"k": "p", "id": own, "style": style or ("source" if source else ""), "r": runs}]
