"""The words of a document as its page shows them, and the address that leads to them on the vendor's page.

A snapshot is the Markdown of a page. Its marks are no words of the page: `without_marks` leaves them out, and
`text_fragment` names a quote by the words that a browser finds on the page.
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
"""How an address begins: a scheme, a path, a place on the page, or a name with an ending."""
_ADDRESS: Final = rf"\((?={_BEGINNING})[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)"
"""Where a link leads: other words in brackets stay."""
# each begins with a character of its own, which is found sooner than a look at what precedes it
_MARKS: Final = tuple(
    map(
        re.compile,
        (
            rf"(?s)(?:!\[|\[(?<!\\\[))((?:[^\[\]\\]|\\.|\[[^\[\]]{{0,80}}\]){{0,400}})\]{_ADDRESS}",
            rf"\](?<!\\\]){_ADDRESS}",
            r"\*\*(?<!\\\*\*)",
            r"(?P<mark>_(?<![\w_\\]_)_?)(?=\S)([^_\n]+)(?<=[^\s\\])(?P=mark)(?![\w_])",
            r"\*(?<![\w*\\]\*)(?=\S)([^*\n]+)(?<=[^\s\\])\*(?![\w*])",
            r"(?m)^[ \t]*#{1,6}[ \t]+",
            r"\\([-.*_#\[\]()!`>+~|])",
        ),
    )
)
"""Marks of Markdown; the last group of each is what stays."""

_CELLS: Final = re.compile(r"[ \t]*(?<!\\)\|(?:[ \t]*:?-{3,}:?[ \t]*\|)*[ \t]*")
"""Where cells of a table meet, with the rule below its head."""

_GONE, _BREAK = "\ue000", "\ue001"
"""Replacement of a character that the page does not show, and for one that ends a block of it."""
_UNSHOWN: Final = re.compile(f"[{_GONE}{_BREAK}\ud800-\udfff]")
"""Characters with another meaning here, and half characters, of which no address can be made."""
_BLOCKS: Final = re.compile(
    # most characters begin none, which is sooner seen once than for each form
    r"(?im)(?=[<|\-*_=+>#\d\n \t])(?:"
    r"<br ?/?>|</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|(?<!\\)\|"
    r"|^[ \t]*(?:[-*_=][ \t]*){3,}$|^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=[ \t])|^[ \t]*>|\n(?=[ \t]*\n)|(?<![ \t])[ \t]{2,}$"
    r"|^[ \t]*#{1,6}(?=[ \t]))"
)
"""What ends a block of a page: a break, a tag, a cell, a rule, an item of a list, an empty line, a heading."""
_PICTURE: Final = re.compile(rf"!\[[^\[\]]*\]{_ADDRESS}")
_PIECE: Final = re.compile(rf"[^\s{_BREAK}。！？；，、：]+[。！？；，、：]*")
_INNER: Final = re.compile(r"(?s)[^\W_](?:.*[^\W_])?")
_SPACE: Final = f"{_BREAK}{_GONE} \xa0\t\n\f\r"
_BLANKS: Final = re.compile(r"[ \t\n\f\r]+")
"""What a page shows as one blank (HTML, ASCII whitespace); not blanks that do not break."""
_QUOTE_MARKS: Final = str.maketrans("‘’‚‛“”„‟«»", "''''" + '""""""')
_ARCHIVED: Final = re.compile(r"^https?://[^/]+/(?:[^?#]*/)?\d{4,14}(?:[a-z]{2}_)?/(https?):/{1,2}(\S+)$")
"""Address of a copy in a web archive, which ends with the address of what was archived (RFC 7089, URI-M)."""

_FEW, _MOST, _AROUND = 3, 12, 24
"""Words that name the begin and the end of a longer quote: at first, and at most; and those around it at most."""
_NEAR: Final = 600
_ALONE, _FIRST = -1, 0
"""What a quote is to be named as: the only place of its words, else the first of them, to which a browser goes."""
_FOLDING: Final = 16
"""What it costs to fold a character anew, where one that is only searched costs 1."""
_JOINER: Final = "\u2060"
"""Word joiner: Chromium takes no word to end before it (Unicode Standard Annex 29, WB4), and passes over it in a search."""


def plain_words(quote: str) -> str:
    r"""Return a quote as it is shown: without invisible joiners and marks of tables. Records keep it verbatim.

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
    """Return words of a document without the marks of Markdown: those of links, bold, emphasis, headings and escapes.

    All words stay in their order; the address that a link leads to is a mark.

    Parameters
    ----------
    words : str
        Perhaps cut out of a text in Markdown, so that a mark may begin or end outside of them.
    """
    return _unmarked(words).replace(_GONE, "")


def live_url(
    document_url: str | None, archive_url: str | None, text: str = "", start: int = 0, end: int = 0
) -> str | None:
    """Return the address of a quote on the vendor's page: that of the page, with a text fragment.

    Parameters
    ----------
    document_url : str or None
        Address of the page, if it is known.
    archive_url : str or None
        Address of a copy; in a web archive it ends with the address of the page.
    text : str
        The snapshot.
    start, end : int
        Offsets of the quote in Unicode code points.

    Returns
    -------
    str or None
        None where no address of the public web is known: none is made up.
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
    """Return the words of a link to the vendor's page: whether it leads to a quote, or to the page from its top.

    Parameters
    ----------
    address : str
        As `live_url` gives it.
    """
    return "live page, if unchanged" if ":~:" in address else "live page from its top, if unchanged"


def text_fragment(text: str, start: int, end: int) -> str:
    """Return the text directives that lead a browser to a quote on its page (WICG Scroll To Text Fragment).

    A short quote is named by its words, a longer one, or one of several blocks, by its first and its last. Words around
    it are named if the page has these more than once. If these do not distinguish the begin of several blocks from
    another place, its first block is named alone, by the words after it, and the others by a directive of their own.

    Parameters
    ----------
    text : str
        The snapshot, Markdown.
    start, end : int
        Offsets of the quote in Unicode code points.

    Returns
    -------
    str
        `text=` and what it names, percent-encoded, for each directive; empty where the quote has no words, is a later
        copy of words in the same surroundings, or would take too long an address or search.
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
    # every recipient of an address should read 8000 characters (RFC 9110, section 4.1)
    return "" if left or len(fragment) > 8000 else fragment


class _Piece(NamedTuple):
    """A word of a page between blanks, from its first letter or digit to its last; one of Chinese is a clause."""

    start: int
    end: int
    block: int


_Span = tuple[int, int]
_Directive = tuple[str, int] | None
"""Words of a text directive, percent-encoded, and where the last of those that it marks ends."""


class _Page:
    """A snapshot in which marks are characters of their own, each at its place, and what a search in it may still cost."""

    def __init__(self, text: str) -> None:
        blocks = _PICTURE.sub(_gone, _UNSHOWN.sub(_BREAK, text))
        self.text = _unmarked(_BLOCKS.sub(lambda match: _BREAK * len(match[0]), blocks))
        self.folded = _folded(_shown(self.text))
        self.budget = 4_000_000 + 128 * len(text)

    def pieces(self, start: int, end: int) -> list[_Piece]:
        """Return the words between two places, with the number of the block that each is in."""
        found, block, last = list[_Piece](), 0, max(start, 0)
        for match in _PIECE.finditer(self.text, last, end):
            block += _BREAK in self.text[last : match.start()]
            last = match.end()
            if inner := _INNER.search(match[0]):
                found.append(_Piece(match.start() + inner.start(), match.start() + inner.end(), block))
        return found

    def once(self, start: int, end: int, since: int) -> bool:
        """Return whether words are on the page once, or once between a place before them and their end.

        Nothing is found any more once the budget is used up.
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
    """Name a quote by its first and its last words; None where it is short or one run, or they name no place alone."""
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
    """Return the last of the words that name an end of a quote: of a few at first, and then of more."""
    return range(min(_FEW, len(pieces)) - 1, min(_MOST, len(pieces)))


def _whole(page: _Page, quoted: list[_Piece], since: int) -> _Directive:
    """Name a quote of one block by all of its words; None where it has copies in the same surroundings since a place."""
    start, end = quoted[0].start, quoted[-1].end
    prefixes = [start, *_before(page, start)]
    after = ((prefixes[-1], *place) for place in _followed(page, end))
    for prefix, closed, suffix in chain(((prefix, end, end) for prefix in prefixes), after):
        if page.once(prefix, suffix, since):
            return _directive(page, prefix, [(start, closed)], suffix)
    return None


def _directive(page: _Page, prefix: int, spans: list[_Span], suffix: int) -> _Directive:
    """Write the words before a quote, those of it, and those after it."""
    (start, _), (_, end) = spans[0], spans[-1]
    words = [
        quote(_shown(page.text[slice(*span)]), safe="").replace("-", "%2D")
        for span in ((prefix, start), *spans, (end, suffix))
    ]
    before, *own, after = words
    return ",".join(filter(None, (before and f"{before}-", *own, after and f"-{after}"))), end


def _followed(page: _Page, end: int) -> Iterator[_Span]:
    """Give where a quote ends, and where the words after it do: alone at first, then with what follows it.

    No browser ends words before a word joiner. What closes the block of a quote belongs to it where no words follow.
    """
    if not page.text.startswith(_JOINER, end):
        yield end, end
    rest = page.text[end : end + _NEAR].partition(_BREAK)[0]
    closed = end if re.search(r"\w", rest) else end + len(rest.rstrip(_SPACE))
    yield from ((closed, suffix) for suffix in _after(page, closed))


def _before(page: _Page, start: int) -> Iterator[int]:
    """Give the places of the words before a quote, the nearest first: those of its block, else of the block before."""
    near = page.text[max(start - _NEAR, 0) : start]
    own = near.rpartition(_BREAK)[2]
    own = own if _shown(own) else near[near.rstrip(_SPACE).rfind(_BREAK) + 1 :]
    yield from (piece.start for piece in page.pieces(start - len(own), start)[: -_AROUND - 1 : -1])


def _after(page: _Page, end: int) -> Iterator[int]:
    """Give the ends of the words after a quote, the nearest first: those of its block, else of the block after."""
    near = page.text[end : end + _NEAR]
    own = near.find(_BREAK, len(near) - len(near.lstrip(_SPACE)))
    yield from (piece.end for piece in page.pieces(end, end + (own if own >= 0 else _NEAR))[:_AROUND])


_page = lru_cache(8)(_Page)
"""A snapshot as a page; the newest are kept, since quotes of one come together."""


def _unmarked(words: str) -> str:
    """Return words in which each character of a mark is gone, all others at their places."""
    for mark in _MARKS:
        words = mark.sub(_gone, words)
    return words


def _gone(match: re.Match[str]) -> str:
    """Return a mark as gone, except what it marks."""
    last = match.re.groups
    kept, before = match[last] if last else "", match.start(last) - match.start()
    return _GONE * before + kept + _GONE * (len(match[0]) - before - len(kept))


def _shown(text: str) -> str:
    """Return what a page shows of a text: without marks, blanks as one."""
    return _BLANKS.sub(" ", text.replace(_GONE, "").replace(_BREAK, " ")).strip(" \xa0")


def _folded(words: str) -> str:
    """Return words as a browser compares them: small letters, without accents, straight quotation marks."""
    if words.isascii():
        return words.casefold()
    parts = unicodedata.normalize("NFKD", words.translate(_QUOTE_MARKS).casefold())
    return "".join(filterfalse(unicodedata.combining, parts))
