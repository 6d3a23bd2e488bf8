"""Characters of third parties' text that no reader sees, made visible: controls, bidirectional marks, tags."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_TAGS: Final = re.compile("[\U000e0000-\U000e007f]+")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def without_tags(text: str) -> str:
    """Return a text whose invisible tag characters (U+E0000 to U+E007F) stand escaped.

    Parameters
    ----------
    text : str
    """
    return _TAGS.sub(lambda match: _escape(match[0]), text)


def visible(text: str) -> str:
    """Return a text as one line in which control, bidirectional and other invisible characters stand escaped.

    Parameters
    ----------
    text : str
    """
    return "".join(_escape(letter) if unicodedata.category(letter) in _HIDDEN else letter for letter in text)


def visible_lines(text: str) -> str:
    """Return a text as `visible` does, its line breaks and tabs as they are.

    Parameters
    ----------
    text : str
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(
        _escape(letter) if unicodedata.category(letter) in _HIDDEN and letter not in "\n\t" else letter
        for letter in text
    )


def _escape(letters: str) -> str:
    r"""Return characters as their code points: `\u{E0041 E0042}`."""
    return "\\u{" + " ".join(f"{ord(letter):04X}" for letter in letters) + "}"
