"""The service's words as people read them, and third parties' text inside Markdown."""

from __future__ import annotations

import re
from typing import Final

_MARKS: Final = re.compile(r"[\\`*_{}\[\]<>#|~&!]")
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_HIDDEN: Final = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""What turns the direction of text around, and the tags that only machines see."""


_MARK: Final = {"HIGH": "▲", "MED": "◆", "LOW": "▼"}
_STATE: Final = {
    "good": "read",
    "stale": "newest capture unreadable, last good text shown",
    "broken": "not readable",
    "not_a_policy": "not a policy text",
}


def state(word: str) -> str:
    """Return a document's state in words; one that is not known as it stands."""
    return _STATE.get(word, word)


def mark(level: str) -> str:
    """Return the second mark of a level beside its colour."""
    return _MARK.get(level, "?")


def level_class(level: str) -> str:
    """Return the style class of a level."""
    return level.lower() if level in _MARK else "unknown"


def inline(text: str) -> str:
    """Return a text as one run of Markdown: marks as character references, so that no reader of links trips.

    Hidden characters stand as their code points, like (U+202E).

    Parameters
    ----------
    text : str
    """
    plain = _MARKS.sub(lambda mark: f"&#{ord(mark[0])};", _BREAKS.sub(" ", text))
    return _HIDDEN.sub(lambda hidden: f"(U+{ord(hidden[0]):04X})", plain)


def quoted(text: str) -> str:
    """Return a text as a block quote, line by line.

    Parameters
    ----------
    text : str
    """
    return "\n".join("> " + inline(line) for line in text.splitlines() or [""])
