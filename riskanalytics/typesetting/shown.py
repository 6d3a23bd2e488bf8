"""Text that a page can show: what no embedded font draws, or no reader sees, stands there as its code point."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib import resources
from typing import Any, Final

from riskanalytics.text.untrusted import code_points

_PLAIN: Final = " -~\u00a1-\u00ac\u00ae-\u00ff"
"""Basic Latin and Latin-1 without controls and the soft hyphen: one font draws them all, in every combination."""
MOST_CARE: Final = 2
"""Basic Latin and Latin-1 only; see `visible`."""


def visible(text: str, *, care: int = 0) -> str:
    """Return a text in which every character can be seen.

    Controls, format characters (bidirectional controls, zero-width characters, tags), private use, unassigned code
    points and all that the embedded fonts do not draw become `[U+4E2D 6587]`, one bracket for a run of them. Line
    breaks stay; a tab is a space.

    Parameters
    ----------
    text : str
    care : int
        0 keeps all that is drawn; 1 no combining marks, since one font may lack the letter and another the mark;
        2 (`MOST_CARE`) Basic Latin and Latin-1 only.

    Returns
    -------
    str
    """
    return _hidden(care).sub(_code_points, text.replace("\t", " "))


def undrawn(text: str) -> int:
    """Return how many characters of a text `visible` shows as code points."""
    return sum(len(match[0]) for match in _hidden(0).finditer(text.replace("\t", " ")))


def visible_data(value: object, *, care: int = 0) -> Any:
    """Return a JSON value of which every text, keys apart, is `visible`.

    Parameters
    ----------
    value : JSON value
    care : int
        As in `visible`.
    """
    if isinstance(value, str):
        return visible(value, care=care)
    if isinstance(value, dict):
        return {key: visible_data(part, care=care) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [visible_data(part, care=care) for part in value]
    return value


def covered() -> list[tuple[int, int]]:
    """Return the ranges of code points, both ends included, that the fonts inside typst draw."""
    lines = resources.files(__package__).joinpath("embedded_fonts.txt").read_text(encoding="ascii").splitlines()
    pairs = [line.split() for line in lines if not line.startswith("#")]
    return [(int(first, 16), int(last, 16)) for first, last in pairs]


def _code_points(match: re.Match[str]) -> str:
    """Return the code points of a run."""
    return f"[U+{code_points(match[0])}]"


def _outside(ranges: list[tuple[int, int]]) -> re.Pattern[str]:
    """Return the pattern of runs outside of ranges, line breaks apart."""
    inside = "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in ranges)
    return re.compile(rf"[^\n{inside}]+")


def _without_marks(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the single code points of ranges that are no combining marks."""
    codes = (code for first, last in ranges for code in range(first, last + 1))
    return [(code, code) for code in codes if not unicodedata.category(chr(code)).startswith("M")]


@cache
def _hidden(care: int) -> re.Pattern[str]:
    """Return the pattern of what is shown as code points, by the care that is taken: the fonts' ranges take a while."""
    if care >= MOST_CARE:
        return re.compile(rf"[^\n{_PLAIN}]+")
    return _outside(_without_marks(covered()) if care else covered())
