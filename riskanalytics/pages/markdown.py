"""Markdown cells of a notebook as values of a page (CommonMark with tables; HTML in it is plain text)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from riskanalytics.pages import values

_STYLES = {"strong": "strong", "em": "em"}


def parts_of(markdown: str) -> values.Parts:
    """Return a text in Markdown as parts of a page.

    Parameters
    ----------
    markdown : str

    Returns
    -------
    tuple of Part
        Pictures are replaced by their words: nothing is fetched.
    """
    return tuple(_parts(SyntaxTreeNode(_parser().parse(markdown))))


def _parts(node: SyntaxTreeNode) -> Iterator[values.Part]:
    """Give the parts of a node's children."""
    for child in node.children:
        match child.type:
            case "heading":
                yield values.Heading(_words(child), min(int(child.tag[1]), 4))
            case "paragraph":
                yield values.Paragraph(_words(child))
            case "bullet_list" | "ordered_list":
                yield values.Listing(tuple(_flat(item) for item in child.children), child.type == "ordered_list")
            case "blockquote":
                yield values.Quote(_flat(child))
            case "fence" | "code_block":
                yield values.Command(child.content)
            case "table":
                yield _table(child)
            case "html_block":
                yield values.Paragraph(child.content)
            case "hr":
                continue
            case _:
                yield values.Group(tuple(_parts(child)))


def _table(node: SyntaxTreeNode) -> values.Table:
    """Return a table."""
    rows = [[_words(cell) for cell in row.children] for part in node.children for row in part.children]
    return values.Table(
        tuple(values.Row(tuple(row)) for row in rows[1:]), tuple(map(values.Column, rows[0])), named=False
    )


def _flat(node: SyntaxTreeNode) -> values.Words:
    """Return all words in a node, its paragraphs on lines of their own."""
    told: list[values.Words] = []
    for child in node.walk():
        if child.type == "inline":
            told += [values.BREAK] * bool(told) + [_words(child)]
        elif child.type in ("fence", "code_block"):
            told += [values.BREAK] * bool(told) + [values.Text(child.content, "code")]
    return tuple(told)


def _words(node: SyntaxTreeNode) -> values.Words:
    """Return the words of a node, with their styles and links."""
    return tuple(_word(child) for child in node.children)


def _word(node: SyntaxTreeNode) -> values.Words:
    """Return one piece of a line."""
    if node.type == "link":
        return values.Link(_words(node), str(node.attrs.get("href", "")))
    if node.type == "code_inline":
        return values.Text(node.content, "code")
    if node.type in ("softbreak", "hardbreak"):
        return "\n" if node.type == "softbreak" else values.BREAK
    inner: values.Words = _words(node) if node.children else node.content
    return values.Text(inner, _STYLES[node.type]) if node.type in _STYLES else inner


@cache
def _parser() -> MarkdownIt:
    """Return the parser."""
    return MarkdownIt("commonmark", {"html": False}).enable("table")
