"""The words of a document as its page shows them, and the address that leads to them on the vendor's page.

A snapshot is the Markdown of a page. Its marks are no words of the page: `without_marks` leaves them out, and
`text_fragment` names a quote by the words that a browser finds on the page.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from copy import copy
from functools import lru_cache
from itertools import filterfalse
from typing import Final, NamedTuple
from urllib.parse import quote as percent_encoded
from urllib.parse import urlsplit

__all__ = ["live_url", "live_words", "plain_words", "text_fragment", "without_marks"]

_BEGINNING: Final = r"(?i:[a-z][a-z+.-]*:|\.{0,2}/|[#?]|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}[/#?)])"
"""How an address begins: a scheme, a path, a place on the page, or a name with an ending."""
_ADDRESS: Final = rf"\((?={_BEGINNING})[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)"
"""Where a link leads: other words in brackets stay."""
_MARKS: Final = (  # each begins with a character of its own, which is found sooner than a look at what precedes it
    re.compile(rf"(?:!\[|\[(?<!\\\[))((?:[^\[\]\\]|\\.|\[[^\[\]]{{0,80}}\]){{0,400}})\]{_ADDRESS}", re.DOTALL),
    re.compile(rf"\](?<!\\\]){_ADDRESS}"),
    re.compile(r"\*\*(?<!\\\*\*)"),
    re.compile(r"(?P<mark>_(?<![\w_\\]_)_?)(?=\S)([^_\n]+)(?<=[^\s\\])(?P=mark)(?![\w_])"),
    re.compile(r"\*(?<![\w*\\]\*)(?=\S)([^*\n]+)(?<=[^\s\\])\*(?![\w*])"),
    re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE),
    re.compile(r"\\([-.*_#\[\]()!`>+~|])"),
)
"""Marks of Markdown; the last group of each is what stays."""

_UNSEEN: Final = re.compile("[\u00ad\u200b\u2060\ufeff]")
_LINES: Final = re.compile(r"<br ?/?>", re.IGNORECASE)
_CELLS: Final = re.compile(r"[ \t]*(?<!\\)\|(?:[ \t]*:?-{3,}:?[ \t]*\|)*[ \t]*")
"""Where cells of a table meet, with the rule below its head."""

_GONE, _BREAK = "\ue000", "\ue001"
"""Replacement of a character that the page does not show, and for one that ends a block of it."""
_UNSHOWN: Final = re.compile(f"[{_GONE}{_BREAK}\ud800-\udfff]")
"""Characters with another meaning here, and half characters, of which no address can be made."""
_BLOCKS: Final = re.compile(
    r"(?=[<|\-*_=+>#\d\n \t])(?:"  # most characters begin none, which is sooner seen once than for each form
    r"<br ?/?>|</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|(?<!\\)\|"
    r"|^[ \t]*(?:[-*_=][ \t]*){3,}$|^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?=[ \t])|^[ \t]*>|\n(?=[ \t]*\n)|(?<![ \t])[ \t]{2,}$"
    r"|^[ \t]*#{1,6}(?=[ \t]))",
    re.IGNORECASE | re.MULTILINE,
)
"""What ends a block of a page: a break, a tag, a cell, a rule, an item of a list, an empty line, a heading."""
_PICTURE: Final = re.compile(rf"!\[[^\[\]]*\]{_ADDRESS}")
_PIECE: Final = re.compile(rf"[^\s{_BREAK}。！？；，、：]+[。！？；，、：]*")
_INNER: Final = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_SPACE: Final = f"{_BREAK}{_GONE} \xa0\t\n\f\r"
_BLANKS: Final = re.compile(r"[ \t\n\f\r]+")
"""What a page shows as one blank (HTML, ASCII whitespace); not blanks that do not break."""
_QUOTE_MARKS: Final = str.maketrans("‘’‚‛“”„‟«»", "''''" + '""""""')
_ARCHIVED: Final = re.compile(r"^https?://[^/]+/(?:[^?#]*/)?\d{4,14}(?:[a-z]{2}_)?/(https?):/{1,2}(\S+)$")
"""Address of a copy in a web archive, which ends with the address of what was archived (RFC 7089, URI-M)."""
_HASHED: Final = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})(?![0-9A-Fa-f])")
"""A revision or a SHA-256 in an address: such an address stays as it is."""

_WHOLE: Final = 80
"""Characters of a quote in one block that is named by all of its words."""
_FEW, _MOST, _AROUND = 3, 12, 24
"""Words that name the begin and the end of a longer quote: at first, and at most; and those around it at most."""
_NEAR: Final = 600
_ALONE, _FIRST = -1, 0
"""What a quote is to be named as: the only place of its words, else the first of them, to which a browser goes."""
_DIRECTIVES: Final = 12
"""Directives of one address at most."""
_LONGEST: Final = 8000
"""Characters of a fragment at most: what every recipient of an address should read (RFC 9110, section 4.1)."""
_FOLDING: Final = 16
"""What it costs to fold a character anew, where one that is only searched costs 1."""
_LEAST, _EACH = 4_000_000, 128
"""What the search for one quote may cost: so much, and so much for each character of the snapshot."""
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
    return _CELLS.sub(" ", _LINES.sub("\n", _UNSEEN.sub("", quote)))


def without_marks(words: str) -> str:
    """Return words of a document without the marks of Markdown: those of links, bold, emphasis, headings and escapes.

    All words stay in their order; the address that a link leads to is a mark.

    Parameters
    ----------
    words : str
        Perhaps cut out of a text in Markdown, so that a mark may begin or end outside of them.
    """
    return _unmarked(words).replace(_GONE, "")


def is_copy(address: str) -> bool:
    """Say whether an address is that of a kept copy: in a web archive (RFC 7089), or named by a revision or a hash."""
    return bool(_ARCHIVED.match(address) or _HASHED.search(address))


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
        None where no address of the web is known: none is made up.
    """
    page = document_url or ""
    if not page and (copy := _ARCHIVED.match(archive_url or "")):
        page = f"{copy[1]}://{copy[2]}"
    try:
        parts = urlsplit(page)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return None
    if not page.isprintable() or " " in page:
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
    left = page.pieces(start, end)
    named: list[str] = []
    while left and len(named) < _DIRECTIVES:
        first = [piece for piece in left if piece.block == left[0].block]
        forms = (
            form(page, words, since) for since in (_ALONE, _FIRST) for form, words in ((_range, left), (_whole, first))
        )
        directive = next(filter(None, forms), None)
        if directive is None:
            return ""
        left = [] if directive.end >= left[-1].end else left[len(first) :]
        named.append(f"text={directive.words}")
    fragment = "&".join(named)
    return "" if left or len(fragment) > _LONGEST else fragment


class _Directive(NamedTuple):
    """Words of a text directive, percent-encoded, and where the last of those that it marks ends."""

    words: str
    end: int


class _Piece(NamedTuple):
    """A word of a page between blanks, from its first letter or digit to its last; one of Chinese is a clause."""

    start: int
    end: int
    block: int


_Span = tuple[int, int]


class _Page:
    """A snapshot in which marks are characters of their own, each at its place, and what a search in it may still cost."""

    def __init__(self, text: str) -> None:
        blocks = _PICTURE.sub(_all_gone, _UNSHOWN.sub(_BREAK, text))
        self.text = _unmarked(_BLOCKS.sub(lambda match: _BREAK * len(match[0]), blocks))
        self.folded = _folded(_shown(self.text))
        self.budget = _LEAST + _EACH * len(text)

    def pieces(self, start: int, end: int) -> list[_Piece]:
        """Return the words between two places."""
        return list(self._pieces(max(start, 0), min(end, len(self.text))))

    def _pieces(self, start: int, end: int) -> Iterator[_Piece]:
        """Give the words between two places, with the number of the block that each is in."""
        block, last = 0, start
        for match in _PIECE.finditer(self.text, start, end):
            block += _BREAK in self.text[last : match.start()]
            last = match.end()
            if inner := _INNER.search(match[0]):
                yield _Piece(match.start() + inner.start(), match.start() + inner.end(), block)

    def shown(self, start: int, end: int) -> str:
        """Return what the page shows between two places."""
        return _shown(self.text[start:end])

    def times(self, start: int, end: int, since: int) -> int:
        """Return whether words are on the page, or between a place before them and their end, once or oftener (2).

        Nothing is found any more once the budget is used up.
        """
        searched = len(self.folded) if since == _ALONE else _FOLDING * (end - since)
        self.budget -= searched + _FOLDING * (end - start)
        if self.budget < 0:
            return 0
        words = _folded(self.shown(start, end))
        within = self.folded if since == _ALONE else _folded(self.shown(since, end))
        first = within.find(words)
        return 0 if first < 0 else 1 + (within.find(words, first + 1) >= 0)


def _range(page: _Page, quoted: list[_Piece], since: int) -> _Directive | None:
    """Name a quote by its first and its last words; None where it is short or one run, or they name no place alone."""
    first, last = quoted[0], quoted[-1]
    head = [piece for piece in quoted if piece.block == first.block]
    tail = [piece for piece in quoted if piece.block == last.block]
    if first.block == last.block:
        if first is last or last.end - first.start <= _WHOLE:
            return None
        head, tail = quoted[: len(quoted) // 2], quoted[len(quoted) // 2 :]
    begins = [(first.start, end) for _, end in _grown(page, head, from_end=False)]
    places = itertools.chain(((first.start, *one) for one in begins), _preceded(page, begins))
    begin = next((place for place in places if page.times(place[0], place[2], since) == 1), None)
    if begin is None:
        return None
    prefix, start, begun = begin
    for place, end in _grown(page, tail, from_end=True):
        for closed, suffix in _followed(page, end):
            if page.times(place, suffix, begun) == 1:
                return _directive(page, prefix, [(start, begun), (place, closed)], suffix)
    return None


def _whole(page: _Page, quoted: list[_Piece], since: int) -> _Directive | None:
    """Name a quote of one block by all of its words; None where it has copies in the same surroundings since a place."""
    start, end = quoted[0].start, quoted[-1].end
    prefix = start
    for prefix in (start, *_before(page, start)):
        if page.times(prefix, end, since) == 1:
            return _directive(page, prefix, [(start, end)], end)
    for closed, suffix in _followed(page, end):
        if page.times(prefix, suffix, since) == 1:
            return _directive(page, prefix, [(start, closed)], suffix)
    return None


def _directive(page: _Page, prefix: int, spans: list[_Span], suffix: int) -> _Directive:
    """Write the words before a quote, those of it, and those after it."""
    end = spans[-1][1]
    named = [f"{_encoded(before)}-"] if (before := page.shown(prefix, spans[0][0])) else []
    named += [_encoded(page.shown(*span)) for span in spans]
    named += [f"-{_encoded(after)}"] if (after := page.shown(end, suffix)) else []
    return _Directive(",".join(named), end)


def _grown(page: _Page, pieces: list[_Piece], *, from_end: bool) -> Iterator[_Span]:
    """Give the first words, or the last, a few at first and then more; no browser ends words before a word joiner."""
    for count in range(min(_FEW, len(pieces)), min(_MOST, len(pieces)) + 1):
        span = (pieces[-count].start, pieces[-1].end) if from_end else (pieces[0].start, pieces[count - 1].end)
        if not page.text.startswith(_JOINER, span[1]):
            yield span


def _preceded(page: _Page, begins: list[_Span]) -> Iterator[tuple[int, int, int]]:
    """Give the words before a quote with its first, and where these begin and end."""
    for prefix in _before(page, begins[-1][0]) if begins else ():
        yield prefix, *begins[-1]


def _followed(page: _Page, end: int) -> Iterator[_Span]:
    """Give where a quote ends, and where the words after it do: alone at first, then with what follows it."""
    if not page.text.startswith(_JOINER, end):
        yield end, end
    closed = end + _closing(page, end)
    yield from ((closed, suffix) for suffix in _after(page, closed))


def _closing(page: _Page, end: int) -> int:
    """Return how many characters close the block after a quote that is its last words; none where words follow."""
    rest = page.text[end : end + _NEAR].partition(_BREAK)[0]
    return 0 if re.search(r"\w", rest) else len(rest.rstrip(_SPACE))


def _before(page: _Page, start: int) -> Iterator[int]:
    """Give the places of the words before a quote, the nearest first: those of its block, else of the block before."""
    near = page.text[max(start - _NEAR, 0) : start]
    own = near.rpartition(_BREAK)[2]
    own = own if _shown(own) else near[near.rstrip(_SPACE).rfind(_BREAK) + 1 :]
    pieces = page.pieces(start - len(own), start)
    yield from (piece.start for piece in reversed(pieces[-_AROUND:]))


def _after(page: _Page, end: int) -> Iterator[int]:
    """Give the ends of the words after a quote, the nearest first: those of its block, else of the block after."""
    near = page.text[end : end + _NEAR]
    gap = len(near) - len(near.lstrip(_SPACE))
    most = near.find(_BREAK, gap)
    pieces = page.pieces(end, end + (len(near) if most < 0 else most))
    yield from (piece.end for piece in pieces[:_AROUND])


@lru_cache(maxsize=8)
def _page(text: str) -> _Page:
    """Return a snapshot as a page; the newest are kept, since quotes of one come together."""
    return _Page(text)


def _unmarked(words: str) -> str:
    """Return words in which each character of a mark is gone, all others at their places."""
    for mark in _MARKS:
        words = mark.sub(_gone, words)
    return words


def _gone(match: re.Match[str]) -> str:
    """Return a mark as gone, but for what it marks."""
    start, end = match.span(match.re.groups)
    if match.re.groups == 0:
        return _all_gone(match)
    text, offset = match[0], match.start()
    return _GONE * (start - offset) + text[start - offset : end - offset] + _GONE * (match.end() - end)


def _all_gone(match: re.Match[str]) -> str:
    """Return what is not shown as gone."""
    return _GONE * len(match[0])


def _shown(text: str) -> str:
    """Return what a page shows of a text: without marks, blanks as one."""
    return _BLANKS.sub(" ", text.replace(_GONE, "").replace(_BREAK, " ")).strip(" \xa0")


def _folded(words: str) -> str:
    """Return words as a browser compares them: small letters, without accents, straight quotation marks."""
    if words.isascii():
        return words.casefold()
    parts = unicodedata.normalize("NFKD", words.translate(_QUOTE_MARKS).casefold())
    return "".join(filterfalse(unicodedata.combining, parts))


def _encoded(words: str) -> str:
    """Return words percent-encoded; the hyphen too, which has a meaning in a text directive."""
    return percent_encoded(words, safe="").replace("-", "%2D")
