"""The HTML of a page as a tree: what browsers read, read by the standard library."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

_VOID: Final = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr", "col", "area", "source"})
_BLOCKS: Final = (
    "article", "blockquote", "details", "div", "dl", "figure", "h2", "h3", "h4", "hr", "ol", "pre", "section", "table", "ul",
)  # fmt: skip
_IMPLIED: Final[dict[str, set[str]]] = {
    **{tag: {"p"} for tag in _BLOCKS},
    "p": {"p"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tbody": {"thead", "tr", "td", "th"},
    "li": {"li", "p"},
}
"""What an element ends that stands open, without its end tag."""
_BOUNDS: Final = frozenset({"table", "ul", "ol", "section", "article", "details", "div", "figure", "blockquote"})


@dataclass
class Element:
    """An element of a page.

    Parameters
    ----------
    tag : str
    attributes : dict
    parts : list of Element or str
        What stands in it, in order.
    """

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    parts: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> frozenset[str]:
        """Its classes."""
        return frozenset(self.attributes.get("class", "").split())

    def all(self, tag: str) -> list[Element]:
        """Return the elements of a tag that stand in it, at any depth, in order."""
        found: list[Element] = []
        for part in self.parts:
            if isinstance(part, Element):
                found += [part] if part.tag == tag else []
                found += part.all(tag)
        return found

    def text(self) -> str:
        """Return all words in it, white space as it stands."""
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts)


class _Reader(HTMLParser):
    """Builds the tree; an end that closes nothing is passed over."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("main")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self._close_implied(tag)
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].parts.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """Close an element and what was left open in it."""
        for place in range(len(self._open) - 1, 0, -1):
            if self._open[place].tag == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        """Keep words."""
        self._open[-1].parts.append(data)

    def _close_implied(self, tag: str) -> None:
        """Close what an element ends without saying so."""
        ended = _IMPLIED.get(tag, set())
        last = len(self._open)
        for place in range(last - 1, 0, -1):
            if self._open[place].tag in ended:
                last = place
            elif self._open[place].tag in _BOUNDS:
                break
        del self._open[last:]


def read(html: str) -> Element:
    """Return the tree of a piece of HTML.

    Parameters
    ----------
    html : str

    Returns
    -------
    Element
        An element `main` that holds it.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root
