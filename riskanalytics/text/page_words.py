"""The words of a document as its page shows them, and the address that leads to them on the vendor's page.

A snapshot is the Markdown of a page. `without_marks` removes its Markdown marks, which the page does not show. `text_fragment`
identifies a quote by words that a browser finds on the page.
"""

import re
import unicodedata
from collections.abc import Iterator
from copy import copy
from functools import lru_cache
from itertools import chain, filterfalse
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

from .untrusted import is_public

_BEGINNING: Final = r"(?i:[a-z][a-z+.-]*:|\.{0,2}/|[#?]|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}[/#?)])"
"""The beginning of an address: a scheme, a path, an anchor, or a name with an extension."""
_ADDRESS: Final = rf"\((?={_BEGINNING})[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)"
"""The target of a link; other words in brackets are kept."""
# each begins with a distinct character, which is faster to find than by a look-behind
_MARKS: Final = [
    re.compile(mark)
    for mark in (
        rf"(?s)(?:!\[|\[(?<!\\\[))((?:[^\[\]\\]|\\.|\[[^\[\]]{{0,80}}\]){{0,400}})\]{_ADDRESS}",
        rf"\](?<!\\\]){_ADDRESS}",
        r"\*\*(?<!\\\*\*)",
        r"(?P<mark>_(?<![\w_\\]_)_?)(?=\S)([^_\n]+)(?<=[^\s\\])(?P=mark)(?![\w_])",
        r"\*(?<![\w*\\]\*)(?=\S)([^*\n]+)(?<=[^\s\\])\*(?![\w*])",
        r"(?m)^[ \t]*#{1,6}[ \t]+",
        r"\\([-.*_#\[\]()!`>+~|])",
    )
]
"""Marks of Markdown; the last group of each is kept."""

_CELLS: Final = re.compile(r"[ \t]*(?<!\\)\|(?:[ \t]*:?-{3,}:?[ \t]*\|)*[ \t]*")
"""Borders of table cells, with the horizontal rule below the first row."""

_GONE, _BREAK = "\ue000", "\ue001"
"""Replacements for a character that the page does not show, and for a character that ends a block."""
_UNSHOWN: Final = re.compile(f"[{_GONE}{_BREAK}\ud800-\udfff]")
"""Characters with a special meaning in this module, and surrogates, which an address cannot contain."""
_BLOCKS: Final = re.compile(
    # a single check is faster, because most characters begin none of the forms
    r"(?im)(?=[<|\-*_=+>#\d\n \t])(?:"
    r"<br ?/?>|</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|(?<!\\)\|"
    r"|^[ \t]*(?:[-*_=][ \t]*){3,}$|^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=[ \t])|^[ \t]*>|\n(?=[ \t]*\n)|(?<![ \t])[ \t]{2,}$"
    r"|^[ \t]*#{1,6}(?=[ \t]))"
)
"""The end of a block of a page: a break, a tag, a cell, a rule, a list item, an empty line, a heading."""
_HEADING: Final = re.compile(r"(?m)^([ \t]*#{1,6}[ \t][^\n]*)\n")
_PICTURE: Final = re.compile(rf"!\[[^\[\]]*\]{_ADDRESS}")
_PIECE: Final = re.compile(rf"[^\s{_BREAK}。！？；，、：]+[。！？；，、：]*")
_INNER: Final = re.compile(r"(?s)[^\W_](?:.*[^\W_])?")
_SPACE: Final = f"{_BREAK}{_GONE} \xa0\t\n\f\r"
_BLANKS: Final = re.compile(r"[ \t\n\f\r]+")
"""Characters that a page shows as one space (HTML, ASCII whitespace); not non-breaking spaces."""
_QUOTE_MARKS: Final = str.maketrans("‘’‚‛“”„‟«»", "''''" + '""""""')
_ARCHIVED: Final = re.compile(r"^https?://[^/]+/(?:[^?#]*/)?\d{4,14}(?:[a-z]{2}_)?/(https?):/{1,2}(\S+)$")
"""Address of a copy in a web archive, which ends with the address of what was archived (RFC 7089, URI-M)."""

_FEW, _MOST, _AROUND = 3, 12, 24
"""Initial and maximum number of words at the beginning and end of a longer quote; and maximum number of words around it."""
_NEAR: Final = 600
_ALONE, _FIRST = -1, 0
"""Values of `since` for `_Page.once`: the words must occur once on the whole page, or not before the quote, as browsers go to the
first place."""
_FOLDING: Final = 16
"""Cost of folding a new character, relative to 1 for searching one."""
_JOINER: Final = "\u2060"
"""Word joiner: Chromium does not end a word before it (Unicode Standard Annex 29, WB4), and skips it in a search."""


def plain_words(quote: str) -> str:
    r"""Return a quote for display: without invisible characters that join or break words, and without the marks of tables.

    Parameters
    ----------
    quote : str

    Examples
    --------
    >>> plain_words("| We may use\u2060 it.<br>Always. | Yes |")
    ' We may use it.\nAlways. Yes '
    """
    return _CELLS.sub(" ", re.sub("(?i)<br ?/?>", "\n", re.sub("[\u00ad\u200b\u2060\ufeff]", "", quote)))


def without_marks(words: str) -> str:
    """Return words of a document without Markdown marks: those of links, bold, emphasis, headings and escapes.

    All words are kept in order. The target of a link counts as a mark.

    Parameters
    ----------
    words : str
        A part of a Markdown text; a mark may begin or end outside it.
    """
    return _unmarked(words).replace(_GONE, "")


def live_url(
    document_url: str | None, archive_url: str | None, text: str = "", start: int = 0, end: int = 0
) -> str | None:
    """Return the address of a quote on the vendor's page, with a text fragment, by which browsers find the quote.

    Parameters
    ----------
    document_url : str or None
        Address of the page, if known.
    archive_url : str or None
        Address of a copy; in a web archive it ends with the address of the page.
    text : str
        Text of the snapshot. By default empty: the address of the page without a text fragment is returned.
    start, end : int
        Offsets of the quote in Unicode code points.

    Returns
    -------
    str or None
        The address; without a text fragment if the words of the quote do not identify it on the page. None if no address on
        the public web is known.
    """
    copied = _ARCHIVED.match(archive_url or "")
    page = document_url or (copied.expand(r"\1://\2") if copied else "")
    if not is_public(page) or urlsplit(page).username is not None:
        return None
    fragment = text_fragment(text, start, end)
    address, _, place = page.partition("#")
    place = place.partition(":~:")[0]
    return address + (f"#{place}" if place or fragment else "") + (f":~:{fragment}" if fragment else "")


def live_words(address: str) -> str:
    """Return the text of a link to the vendor's page; it says whether the link leads to the quote or to the top of the page.

    Parameters
    ----------
    address : str
        Address of the page, as `live_url` returns it; it leads to the quote if it has a text fragment.
    """
    return "live page, if unchanged" if ":~:" in address else "live page from its top, if unchanged"


def text_fragment(text: str, start: int, end: int) -> str:
    """Return the text directives that lead a browser to a quote on its page (WICG Scroll To Text Fragment).

    A short quote is identified by all its words. A long quote, or a quote of several blocks, is identified by its first and last
    words. If the page has these words more than once, the words around the quote are added. If that does not suffice for a
    quote of several blocks, one directive identifies its first block, and a second directive the other blocks.

    Parameters
    ----------
    text : str
        The snapshot, Markdown.
    start, end : int
        Offsets of the quote in Unicode code points.

    Returns
    -------
    str
        `text=` and the percent-encoded words of each directive; empty if the quote has no words, if the same words with the
        same surroundings occur earlier on the page, if the address would be too long, or if it would take too long to find
        words that occur only once on the page.
    """
    page = copy(_page(text))
    left, named = page.pieces(start, end), list[str]()
    while left and len(named) < 12:
        first = [piece for piece in left if piece.block == left[0].block]
        ways = ((_range, left, _ALONE), (_whole, first, _ALONE), (_range, left, _FIRST), (_whole, first, _FIRST))
        words, closed = next(filter(None, (way(page, quoted, since) for way, quoted, since in ways)), ("", 0))
        if not words:
            return ""
        left = [] if closed >= left[-1].end else left[len(first) :]
        named.append(f"text={words}")
    fragment = "&".join(named)
    # every recipient of an address should accept 8000 characters (RFC 9110, section 4.1)
    return "" if left or len(fragment) > 8000 else fragment


class _Piece(NamedTuple):
    """A word of a page, from its first letter or digit to its last; for Chinese, a clause."""

    start: int
    end: int
    block: int


_Span = tuple[int, int]
_Directive = tuple[str, int] | None
"""Words of a text directive, percent-encoded, and the end of the last words that it marks."""


class _Page:
    """A snapshot with its Markdown marks replaced character by character, and the remaining budget for searches."""

    def __init__(self, text: str) -> None:
        blocks = _HEADING.sub(rf"\1{_BREAK}", _PICTURE.sub(_gone, _UNSHOWN.sub(_BREAK, text)))
        self.text = _unmarked(_BLOCKS.sub(lambda match: _BREAK * len(match[0]), blocks))
        self.folded = _folded(_shown(self.text))
        self.budget = 4_000_000 + 128 * len(text)

    def pieces(self, start: int, end: int) -> list[_Piece]:
        """Return the words between two places, with the number of the block of each."""
        found, block, last = list[_Piece](), 0, max(start, 0)
        for match in _PIECE.finditer(self.text, last, end):
            block += _BREAK in self.text[last : match.start()]
            last = match.end()
            if inner := _INNER.search(match[0]):
                found.append(_Piece(match.start() + inner.start(), match.start() + inner.end(), block))
        return found

    def once(self, start: int, end: int, since: int) -> bool:
        """Return whether words occur only once on the page (`since` is -1), or only once between `since` and their end.

        The answer is False as soon as the budget for searches is used up.
        """
        searched = len(self.folded) if since == _ALONE else _FOLDING * (end - since)
        self.budget -= searched + _FOLDING * (end - start)
        if self.budget < 0:
            return False
        words = _folded(_shown(self.text[start:end]))
        within = self.folded if since == _ALONE else _folded(_shown(self.text[since:end]))
        first = within.find(words)
        return first >= 0 > within.find(words, first + 1)


def _range(page: _Page, quoted: list[_Piece], since: int) -> _Directive:
    """Identify a quote by its first and last words; None if it is one short block, or if these words occur more than once."""
    first, last = quoted[0], quoted[-1]
    start, half = first.start, len(quoted) // 2
    head = [piece for piece in quoted if piece.block == first.block]
    tail = [piece for piece in quoted if piece.block == last.block]
    if first.block == last.block:
        if first is last or last.end - start <= 80:
            return None
        head, tail = quoted[:half], quoted[half:]
    ends = [head[count].end for count in _counts(head) if not page.text.startswith(_JOINER, head[count].end)]
    places = chain(((start, end) for end in ends), ((prefix, ends[-1]) for prefix in _before(page, start) if ends))
    prefix, begun = next((place for place in places if page.once(*place, since)), (0, 0))
    if not begun or page.text.startswith(_JOINER, last.end):
        return None
    for count in _counts(tail):
        place = tail[-count - 1].start
        for closed, suffix in _followed(page, last.end):
            if page.once(place, suffix, begun):
                return _directive(page, prefix, [(start, begun), (place, closed)], suffix)
    return None


def _counts(pieces: list[_Piece]) -> range:
    """Return the numbers of words to try for one end of a quote, the smallest first."""
    return range(min(_FEW, len(pieces)) - 1, min(_MOST, len(pieces)))


def _whole(page: _Page, quoted: list[_Piece], since: int) -> _Directive:
    """Identify a quote of one block by all its words; None if later copies have the same surroundings."""
    start, end = quoted[0].start, quoted[-1].end
    prefixes = [start, *_before(page, start)]
    after = ((prefixes[-1], *place) for place in _followed(page, end))
    for prefix, closed, suffix in chain(((prefix, end, end) for prefix in prefixes), after):
        if page.once(prefix, suffix, since):
            return _directive(page, prefix, [(start, closed)], suffix)
    return None


def _directive(page: _Page, prefix: int, spans: list[_Span], suffix: int) -> _Directive:
    """Return the directive of the words before a quote, its words, and the words after it."""
    (start, _), (_, end) = spans[0], spans[-1]
    words = [
        quote(_shown(page.text[slice(*span)]), safe="").replace("-", "%2D")
        for span in ((prefix, start), *spans, (end, suffix))
    ]
    before, *own, after = words
    return ",".join(filter(None, (before and f"{before}-", *own, after and f"-{after}"))), end


def _followed(page: _Page, end: int) -> Iterator[_Span]:
    """Yield the end of a quote and of the words after it: first without following words, then with them.

    Browsers do not end words before a word joiner. The end of a quote's block belongs to it if no words follow.
    """
    if not page.text.startswith(_JOINER, end):
        yield end, end
    rest = page.text[end : end + _NEAR].partition(_BREAK)[0]
    closed = end if re.search(r"\w", rest) else end + len(rest.rstrip(_SPACE))
    yield from ((closed, suffix) for suffix in _after(page, closed))


def _before(page: _Page, start: int) -> Iterator[int]:
    """Yield the places of the words before a quote, the nearest first: in its block, else in the block before."""
    near = page.text[max(start - _NEAR, 0) : start]
    own = near.rpartition(_BREAK)[2]
    own = own if _shown(own) else near[near.rstrip(_SPACE).rfind(_BREAK) + 1 :]
    yield from (piece.start for piece in page.pieces(start - len(own), start)[: -_AROUND - 1 : -1])


def _after(page: _Page, end: int) -> Iterator[int]:
    """Yield the ends of the words after a quote, the nearest first: in its block, else in the block after."""
    near = page.text[end : end + _NEAR]
    own = near.find(_BREAK, len(near) - len(near.lstrip(_SPACE)))
    yield from (piece.end for piece in page.pieces(end, end + (own if own >= 0 else _NEAR))[:_AROUND])


_page = lru_cache(8)(_Page)
"""A snapshot as a page; the newest are cached, because quotes of one snapshot follow each other."""


def _unmarked(words: str) -> str:
    """Return words with each character of a mark replaced; all other characters keep their places."""
    for mark in _MARKS:
        words = mark.sub(_gone, words)
    return words


def _gone(match: re.Match[str]) -> str:
    """Replace a mark, but keep the words inside it."""
    last = match.re.groups
    kept, before = match[last] if last else "", match.start(last) - match.start()
    return _GONE * before + kept + _GONE * (len(match[0]) - before - len(kept))


def _shown(text: str) -> str:
    """Return a text as a page shows it: without marks, white space as one space."""
    return _BLANKS.sub(" ", text.replace(_GONE, "").replace(_BREAK, " ")).strip(" \xa0")


def _folded(words: str) -> str:
    """Return words as a browser compares them: lower case, without accents, with straight quotation marks."""
    if words.isascii():
        return words.casefold()
    parts = unicodedata.normalize("NFKD", words.translate(_QUOTE_MARKS).casefold())
    return "".join(filterfalse(unicodedata.combining, parts))
