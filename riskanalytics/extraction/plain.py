"""The plain words of a stretch of Markdown: what a reader sees, for matching and for telling words apart."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from riskanalytics.extraction.memory import remembered

_IMAGE: Final = re.compile(r"!\[([^\[\]]{0,400})\]\([^()\s]{0,2000}(?:\s[^()]{0,200})?\)")
_LINK: Final = re.compile(r"\[([^\[\]]{0,400})\]\([^()\s]{0,2000}(?:\s[^()]{0,200})?\)")
_BREAK: Final = re.compile(r"<br ?/?>|<[a-z/][a-z0-9 ]{0,12}>", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_EMPHASIS: Final = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`|~~")
_QUOTES: Final = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201b": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-",
    "\u2011": "-", "\u00a0": " ", "\u2060": "", "\u200b": "", "\u200c": "", "\u200d": "", "\u00ad": "",
    "\ufeff": "",
    "\u2028": " ", "\u2029": " ", "\u202a": "", "\u202b": "", "\u202c": "", "\u202d": "", "\u202e": "",
    "\u2066": "", "\u2067": "", "\u2068": "", "\u2069": "", "\u200e": "", "\u200f": "",
})  # fmt: skip
READ_LANGUAGES: Final = ("en", "und")
"""Languages whose texts are read whole: only there is a surface without findings quiet. `und` is a text too short to tell."""
_SAMPLE: Final = 5_000
"""Characters that tell the language of a text."""
_HAN: Final = re.compile(r"[\u4e00-\u9fff]+")
_DIGIT: Final = re.compile(r"\d[./-]|\d{4}")
_NOT_WORD: Final = re.compile(r"[^\w\u4e00-\u9fff]+")
_DATE_OR_ADDRESS: Final = re.compile(
    r"https?://[!-~]{1,2000}|[!-?A-~]{1,64}@[!-?A-~]{1,255}|\[email[^\]]{0,20}protected\]|\b\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b"
    r"|\b(?:\d{1,2}(?:st|nd|rd|th)? )?(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december) (?:\d{1,2}(?:st|nd|rd|th)?,? )?\d{4}\b|\d{4} ?年 ?\d{1,2} ?月(?: ?\d{1,2} ?日)?",
    re.IGNORECASE,
)


def plain(markdown: str) -> str:
    """Return the words that a reader sees.

    Parameters
    ----------
    markdown : str
        A clause as it stands in the snapshot.

    Returns
    -------
    str
        Links and images by their text, emphasis and invisible characters gone, quotes straight, ligatures and
        full-width letters folded (Unicode NFKC), white space single. Offsets do not survive.
    """
    words = markdown if markdown.isascii() else markdown.translate(_QUOTES)
    # each mark is looked for before its pattern is: most clauses have none
    if "](" in words:
        words = _LINK.sub(r"\1", _IMAGE.sub(r"\1", words))
    if "<" in words:
        words = _BREAK.sub(" ", words)
    if "\\" in words:
        words = _ESCAPE.sub(r"\1", words)
    if any(mark in words for mark in "*_`~"):
        words = _EMPHASIS.sub("", words)
    if not words.isascii():
        words = unicodedata.normalize("NFKC", words)
    return " ".join(words.split())


def sentence_key(words: str) -> str:
    """Return what makes a sentence the same sentence: its words without case, marks, dates and addresses.

    Parameters
    ----------
    words : str
        Plain words.

    Returns
    -------
    str
        Empty where nothing but numbers and marks stands.
    """
    if "@" in words or "://" in words or "protected" in words or _DIGIT.search(words):
        words = _DATE_OR_ADDRESS.sub(" ", words)
    return _NOT_WORD.sub(" ", words).casefold().strip()


def is_chinese(words: str) -> bool:
    """Say whether at least a fifth of the letters are Han characters."""
    if words.isascii():
        return False
    han = sum(map(len, _HAN.findall(words)))
    return han > 0 and 5 * han >= len(words)


def language_of(text: str) -> str:
    """Return the language of a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        ISO 639-1 code, or `und` for a text too short to tell. Languages other than English and Chinese are identified by
        langid's model (Lui & Baldwin 2012, ACL).
    """
    return _language(text[:_SAMPLE])


@remembered(200)
def _language(sample: str) -> str:
    """The language of an opening; kept, since versions repeat each other."""
    sample = sample.lower()
    if len(sample.strip()) < 40:
        return "und"
    if is_chinese(sample):
        return "zh"
    common = sum(sample.count(f" {word} ") for word in ("the", "and", "of", "to", "you"))
    if common * 60 >= len(sample) // 8:
        return "en"
    import py3langid  # noqa: PLC0415 (its model takes half a second, and most archives never need it)

    code, _ = py3langid.classify(sample)
    return str(code) if code != "zxx" else "und"
