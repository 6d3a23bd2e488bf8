"""Words as the full-text index knows them; used by whoever writes it and whoever asks it."""

from __future__ import annotations

import re
from typing import Final

_UNSPACED: Final = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])")


def spaced(text: str) -> str:
    """Set the characters of scripts without spaces apart, so that words of any length are found as phrases.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return _UNSPACED.sub(r" \1 ", text)
