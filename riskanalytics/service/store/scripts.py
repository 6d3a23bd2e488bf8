"""Scripts that set no spaces between words, as the full-text index and the readers of questions know them."""

from __future__ import annotations

import re
from typing import Final

UNSPACED: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Kana, Han with its extension A, and Hangul, as ranges inside a character class."""
_CHARACTER: Final = re.compile(f"([{UNSPACED}])")


def spaced(text: str) -> str:
    """Set the characters of scripts without spaces apart, so that words of any length are found as phrases.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return _CHARACTER.sub(r" \1 ", text)
