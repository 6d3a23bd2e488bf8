"""The service's words as people read them, and third parties' text inside Markdown."""

from __future__ import annotations

import re
from typing import Final

from riskanalytics.text.page_words import plain_words
from riskanalytics.text.untrusted import visible_line

_MARKS: Final = re.compile(r"[\\`*_{}\[\]<>#|~&!]")
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MARK: Final = {"HIGH": "▲", "MED": "◆", "LOW": "▼"}


def mark(level: str) -> str:
    """Return the second mark of a level beside its colour."""
    return _MARK.get(level, "?")


def level_class(level: str) -> str:
    """Return the style class of a level."""
    return level.lower() if level in _MARK else "unknown"


def inline(text: str) -> str:
    """Return a text as one run of Markdown: marks as character references, what no reader sees as code points.

    Hidden characters stand as their code points, like (U+202E).

    Parameters
    ----------
    text : str
    """
    return _MARKS.sub(lambda mark: f"&#{ord(mark[0])};", visible_line(_BREAKS.sub(" ", text)))


def quoted(text: str) -> str:
    """Return a text as a block quote, line by line.

    Parameters
    ----------
    text : str
    """
    return "\n".join("> " + inline(line) for line in plain_words(text).splitlines() or [""])
