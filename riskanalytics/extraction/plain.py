"""Turn text into plain words for the rules; find language and kind of a document, cookie banners, and answers in tables."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import Final

from .rules import NamedPatterns

_IMAGE: Final = re.compile(r"!\[([^\[\]]{0,400})\]\([^()\s]{0,2000}(?:\s[^()]{0,200})?\)")
_LINK: Final = re.compile(r"\[([^\[\]]{0,400})\]\([^()\s]{0,2000}(?:\s[^()]{0,200})?\)")
_BREAK: Final = re.compile(r"<br ?/?>|<[a-z/][a-z0-9 ]{0,12}>", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_MARKED: Final = re.compile(r"[<\\*_`~]")
_EMPHASIS: Final = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`|~~")
_QUOTES: Final = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201b": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-",
    "\u2011": "-", "\u00a0": " ", "\u2060": "", "\u200b": "", "\u200c": "", "\u200d": "", "\u00ad": "",
    "\ufeff": "",
    "\u2028": " ", "\u2029": " ", "\u202a": "", "\u202b": "", "\u202c": "", "\u202d": "", "\u202e": "",
    "\u2066": "", "\u2067": "", "\u2068": "", "\u2069": "", "\u200e": "", "\u200f": "",
})  # fmt: skip
_PATTERNS: Final = NamedPatterns("plain.toml")
READ_LANGUAGES: Final = ("en", "und")
"""Languages whose texts are read whole; only in these is a surface without findings `quiet`. `und`: a text too short to
identify."""
_SAMPLE: Final = 5_000
"""Number of characters at the beginning of a text by which its language is identified."""
_HAN: Final = re.compile(r"[\u4e00-\u9fff]+")
_DIGIT: Final = re.compile(r"\d[./-]|\d{4}")
_NOT_WORD: Final = re.compile(r"[^\w\u4e00-\u9fff]+")
DATE_OR_ADDRESS: Final = re.compile(
    r"https?://[!-~]{1,2000}|[!-?A-~]{1,64}@[!-?A-~]{1,255}|\[email[^\]]{0,20}protected\]|\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b"
    r"|\b(?:\d{1,2}(?:st|nd|rd|th)? )?(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december) (?:\d{1,2}(?:st|nd|rd|th)?,? )?\d{4}\b|\d{4} ?年 ?\d{1,2} ?月(?: ?\d{1,2} ?日)?",
    re.IGNORECASE,
)
"""A date, or an address of a page or mailbox."""


def plain(markdown: str) -> str:
    """Return the words that a reader of a Markdown text sees.

    Parameters
    ----------
    markdown : str
        A clause as it is in the snapshot.

    Returns
    -------
    str
        Links and images are replaced by their text, emphasis and invisible characters are removed, quotes are straight,
        ligatures and full-width letters become usual letters (Unicode NFKC), and white space becomes single spaces. Offsets
        in the snapshot do not fit these words.
    """
    words = markdown if markdown.isascii() else markdown.translate(_QUOTES)
    if "](" in words:  # most clauses contain no link, and the patterns are slow
        words = _LINK.sub(r"\1", _IMAGE.sub(r"\1", words))
    if _MARKED.search(words):
        words = _EMPHASIS.sub("", _ESCAPE.sub(r"\1", _BREAK.sub(" ", words)))
    if not words.isascii():
        words = unicodedata.normalize("NFKC", words)
    return " ".join(words.split())


@lru_cache(8_192)
def words_and_key(quote: str) -> tuple[str, str]:
    """Return the plain words of a quote, and the key (`sentence_key`) by which equal sentences are recognised; cached.

    Parameters
    ----------
    quote : str
        A clause as it is in the snapshot.
    """
    words = plain(quote)
    return words, sentence_key(words)


def sentence_key(words: str) -> str:
    """Return the key by which two sentences count as the same: their words without case, punctuation, dates and addresses.

    Parameters
    ----------
    words : str
        Plain words.

    Returns
    -------
    str
        Empty if the words are only dates, addresses and punctuation.
    """
    if "@" in words or "://" in words or "protected" in words or _DIGIT.search(words):
        words = DATE_OR_ADDRESS.sub(" ", words)
    return _NOT_WORD.sub(" ", words).casefold().strip()


def is_chinese(words: str) -> bool:
    """Return whether a text is Chinese: at least a fifth of its characters are Han characters."""
    han = sum(map(len, _HAN.findall(words)))
    return han > 0 and 5 * han >= len(words)


@lru_cache(64)
def language_of(text: str) -> str:
    """Return the language of a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        ISO 639-1 code, or `und` for a text too short to identify. Languages other than English and Chinese are identified
        by langid's model (Lui & Baldwin 2012, ACL).
    """
    sample = text[:_SAMPLE].lower()
    if len(sample.strip()) < 40:
        return "und"
    if is_chinese(sample):
        return "zh"
    common = sum(sample.count(f" {word} ") for word in ("the", "and", "of", "to", "you"))
    if common * 60 >= len(sample) // 8:
        return "en"
    langid = import_module("py3langid")  # loading its model takes half a second, and most archives never need it
    code = str(langid.classify(sample)[0])
    return code if code != "zxx" else "und"


_BEFORE: Final = 3000
_AFTER: Final = 200_000


def banner_span(text: str) -> tuple[int, int] | None:
    """Find a cookie consent dialogue that was captured with a document.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of int, or None
        Start and end of the dialogue; None unless its buttons to accept and reject all are found and, after them, a button to
        save the choices.
    """
    folded = text.lower()
    if "accept all" not in folded and "allow all" not in folded:  # the patterns are slow on long texts
        return None
    if (buttons := _PATTERNS["buttons"].search(text)) is None:
        return None
    closing = [match.end() for match in _PATTERNS["closing"].finditer(text, buttons.end(), buttons.end() + _AFTER)]
    if not closing:
        return None
    opening = _PATTERNS["opening"].search(text, max(0, buttons.start() - _BEFORE), buttons.start())
    return (opening or buttons).start(), closing[-1]


KINDS: Final = ("privacy", "terms", "cookies", "conduct", "developer", "processing", "copyright")
"""The kinds of documents that `kind_of` can return; the first three are found by counting words, the others by the title."""
_CLAUSES: Final = 12
_TITLE: Final = 200
_FIRST_LINES: Final = 1500


def kind_of(clauses: Iterable[str]) -> str:
    """Return the kind of a document, such as terms or privacy policy, from the words at its beginning.

    Parameters
    ----------
    clauses : iterable of str
        The document's clauses in order, headings included, without Markdown marks, lower-case; only the first twelve are used.

    Returns
    -------
    str
        One of `KINDS`.
    """
    opening = " ".join(islice(clauses, _CLAUSES))[:_FIRST_LINES]
    for kind in KINDS[3:]:
        if _PATTERNS[kind].search(opening[:_TITLE]):
            return kind
    privacy, terms, cookies = (len(_PATTERNS[kind].findall(opening)) for kind in KINDS[:3])
    if cookies > max(privacy, terms):
        return "cookies"
    return "privacy" if privacy >= terms else "terms"


_MARKS: Final = dict.fromkeys(map(ord, "✓✔☑✅"), " yes ") | dict.fromkeys(map(ord, "✗✘☒❌✕✖"), " no ")


def spelled(words: str) -> str:
    """Return the words of a table row with ticks and crosses replaced by "yes" and "no".

    Parameters
    ----------
    words : str
        Words of a row, with its cells separated by bars; other words are returned unchanged.

    Returns
    -------
    str
    """
    return words.translate(_MARKS) if "|" in words and not words.isascii() else words


def question(row: str) -> tuple[str, ...]:
    """Return the cells of a table row with each answer replaced by "?", so that rows that differ only in answers are equal.

    Parameters
    ----------
    row : str
        Words of the row, with its cells separated by bars.

    Returns
    -------
    tuple of str
        The cells in lower case; empty if no cell is an answer (such as "yes" or a tick), or if the words are not a row.
    """
    cells = _cells(row) if "|" in row else []
    question = tuple("?" if _PATTERNS["answer"].match(cell) else cell.casefold() for cell in cells)
    return question if "?" in question else ()


def flip(before: str, after: str, header: str = "") -> int:
    """Return how the flipped answers of a table row (from yes to no, or from no to yes) affect the risk.

    Parameters
    ----------
    before, after : str
        Words of the row in the earlier and in the later text.
    header : str
        First row of the table, which names the columns.

    Returns
    -------
    int
        Number of flips that raise the risk minus number of flips that lower it. A flip to "yes" raises the risk, unless
        the column or the row names a protection. 0 if the words are not rows with the same number of cells.
    """
    old, new, heads = _cells(before), _cells(after), _cells(header)
    if len(old) != len(new) or len(old) < 2:
        return 0
    steps, heads = 0, heads if len(heads) == len(old) else [""] * len(old)
    labels = (cell[:120] for cell in old if not _PATTERNS["answer"].match(cell) and not cell.strip(".)").isdigit())
    label = next(labels, "")
    for column, was, now in zip(heads, map(_answer, old), map(_answer, new), strict=True):
        if was and now:
            steps += (was - now if any(map(_PATTERNS["protects"].search, (column, label))) else now - was) // 2
    return steps


def _cells(row: str) -> list[str]:
    """Return the cells of a row; the bars at its ends may be missing."""
    return [cell.strip() for cell in spelled(row).strip(" |").split("|")]


def _answer(cell: str) -> int:
    """Return 1 for yes, -1 for no, 0 for other words."""
    found = _PATTERNS["answer"].match(cell)
    return (found and (1 if found[1] or found[3] else -1)) or 0
