"""Convert the cells of a notebook to the blocks of a page: Markdown, sanitized HTML, headings with anchors."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Final

import bleach
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from markupsafe import Markup

from . import values as v
from .print import plain
from .quoted import FACTS_ID, QUOTES_ID
from .section import encode, stem_of

_TAKEN: Final = frozenset({"content", "plotly", FACTS_ID, QUOTES_ID})


def addressed(parts: v.Parts) -> tuple[v.Parts, list[tuple[str, str]]]:
    """Give each heading of level 2 an anchor that is unique on the page.

    Parameters
    ----------
    parts : tuple of Part
        Blocks of a page, such as headings, paragraphs and tables (`pages.values`).

    Returns
    -------
    tuple of Parts and list
        The blocks with these anchors, and the table of contents: anchor and words of each heading of level 2.
    """
    anchors = re.findall(r'"anchor": "([^"\\]+)"', json.dumps(encode(parts)))
    taken = {*_TAKEN, *anchors, *(f"chart-{number}" for number in range(1, len(parts) + 1))}
    toc: list[tuple[str, str]] = []
    placed: list[v.Part] = []
    for part in parts:
        if isinstance(part, v.Heading) and part.level == 2:
            words = " ".join(plain(part.words).split())
            stem = stem_of(words) or "section"
            names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
            anchor = next(name for name in names if name not in taken)
            taken.add(anchor)
            toc.append((anchor, words))
            part = replace(part, anchor=anchor)  # noqa: PLW2901 (with its anchor)
        placed.append(part)
    return tuple(placed), toc


def parts_of(markdown: str) -> v.Parts:
    """Convert a text in Markdown to the blocks of a page.

    Parameters
    ----------
    markdown : str

    Returns
    -------
    tuple of Part
        Headings, paragraphs, lists, tables, ... (`pages.values`). Images become their alternative text; nothing is fetched.
    """
    return tuple(_parts(SyntaxTreeNode(_PARSER.parse(markdown))))


def _parts(node: SyntaxTreeNode) -> Iterator[v.Part]:
    """Yield the parts of a node's children."""
    for child in node.children:
        match child.type:
            case "heading":
                yield v.Heading(_words(child), min(int(child.tag[1]), 4))
            case "paragraph":
                yield v.Paragraph(_words(child))
            case "bullet_list" | "ordered_list":
                yield v.Listing(tuple(_flat(item) for item in child.children), child.type == "ordered_list")
            case "blockquote":
                yield v.Quote(_flat(child))
            case "fence" | "code_block":
                yield v.Command(child.content)
            case "table":
                rows = [[_words(cell) for cell in row.children] for part in child.children for row in part.children]
                yield v.Table(tuple(v.Row(tuple(row)) for row in rows[1:]), tuple(map(v.Column, rows[0])), named=False)
            case "html_block":
                yield v.Paragraph(child.content)
            case "hr":
                continue
            case _:
                yield v.Group(tuple(_parts(child)))


def _flat(node: SyntaxTreeNode) -> v.Words:
    """Return all words in a node, with each paragraph on a separate line."""
    lines: list[v.Words] = []
    for child in node.walk():
        if child.type == "inline":
            lines += [v.BREAK, _words(child)]
        elif child.type in ("fence", "code_block"):
            lines += [v.BREAK, v.Text(child.content, "code")]
    return tuple(lines[1:])


def _words(node: SyntaxTreeNode) -> v.Words:
    """Return the words of a node, with their styles and links."""
    return tuple(_word(child) for child in node.children)


def _word(node: SyntaxTreeNode) -> v.Words:
    """Return one inline element."""
    if node.type == "link":
        return v.Link(_words(node), str(node.attrs.get("href", "")))
    if node.type == "code_inline":
        return v.Text(node.content, "code")
    if node.type in ("softbreak", "hardbreak"):
        return "\n" if node.type == "softbreak" else v.BREAK
    inner: v.Words = _words(node) if node.children else node.content
    return v.Text(inner, node.type) if node.type in ("strong", "em") else inner


_PARSER: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS: Final = frozenset({
    "table", "thead", "tbody", "tr", "th", "td", "caption", "p", "ul", "ol", "li", "strong", "em", "code", "pre",
    "h2", "h3", "h4", "blockquote", "br", "hr", "div", "span",
})  # fmt: skip


def cleaned(html: str) -> Markup:
    """Return HTML reduced to harmless tags without attributes.

    Parameters
    ----------
    html : str
        Untrusted output of a notebook.

    Returns
    -------
    Markup
        Safe to embed in a page.
    """
    shown = re.sub(r"<(style|script)\b.*?</\1\s*>", "", html, flags=re.DOTALL | re.IGNORECASE)
    return Markup(bleach.clean(shown, tags=_TAGS, attributes={}, strip=True))  # noqa: S704 (just cleaned)
