"""Table cells that say yes or no: the same row with another answer is another statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_MARKS: Final = dict.fromkeys(map(ord, "✓✔☑✅"), " yes ") | dict.fromkeys(map(ord, "✗✘☒❌✕✖"), " no ")
_ANSWER: Final = re.compile(
    r"[\W_]*(?:(?:(yes)|(no))(?![\w'-])|"
    r"(?:(on|true|enabled|allowed|permitted|included|does|是|有)|"
    r"(off|false|disabled|not (?:allowed|permitted|included)|does not|否|无|没有))[\W_]*$)",
    re.IGNORECASE,
)
"""What a cell answers: yes and no may be followed by more words, the others stand alone."""
_PROTECTS: Final = re.compile(
    r"\bopt|\bchoice|\bchoose|\blimit|\bcontrol|\bconsent|\bencrypt|\bdelet|\beras|anonym|\bde-?identif|\bexclu|\bexempt|"
    r"\bobject|\brefus|\bnoti|\bdisabl|\bnot\b|\bnever\b|\bwithout\b|\bzero\b|退出|拒绝|删除|加密|关闭|不",
    re.IGNORECASE,
)
"""Words of a column or of a row under which "yes" lowers the risk."""


def spelled(words: str) -> str:
    """Return the words of a row with ticks and crosses as words.

    Parameters
    ----------
    words : str
        A row's words; cells stand between bars.

    Returns
    -------
    str
    """
    return words.translate(_MARKS) if "|" in words and not words.isascii() else words


def question(row: str) -> tuple[str, ...]:
    """Return a row without its answers: what stays when only an answer flips.

    Parameters
    ----------
    row : str
        Words of a row.

    Returns
    -------
    tuple of str
        Empty where the row answers nothing, or is none.
    """
    cells = _cells(row) if "|" in row else []
    asked = tuple("?" if _ANSWER.match(cell) else cell.casefold() for cell in cells)
    return asked if "?" in asked else ()


def flip(before: str, after: str, header: str = "") -> int:
    """Say whether answers of a row flipped, and what that does to the risk.

    Parameters
    ----------
    before, after : str
        Words of a row in two texts.
    header : str
        First row of its table.

    Returns
    -------
    int
        Answers that raise the risk less those that lower it: "yes" raises it, unless column or row name a protection.
    """
    old, new, heads = _cells(before), _cells(after), _cells(header)
    if len(old) != len(new) or len(old) < 2:
        return 0
    steps = 0
    for place, (was, now) in enumerate(zip(old, new, strict=True)):
        move = _answer(now) - _answer(was) if _answer(now) and _answer(was) else 0
        column = heads[place] if len(heads) == len(old) else ""
        protected = _PROTECTS.search(column) or _PROTECTS.search(_label(old))
        steps += -move // 2 if protected else move // 2
    return steps


def _cells(row: str) -> list[str]:
    """Give the cells of a row; bars at its ends may be missing."""
    return [cell.strip() for cell in spelled(row).strip(" |").split("|")]


def _label(cells: Sequence[str]) -> str:
    """Give what a row is about: its first cell that is no answer and no number."""
    return next((cell for cell in cells if not _ANSWER.match(cell) and not cell.strip(".)").isdigit()), "")[:120]


def _answer(cell: str) -> int:
    """1 for yes, -1 for no, 0 for other words."""
    found = _ANSWER.match(cell)
    if found is None:
        return 0
    return 1 if found[1] or found[3] else -1
