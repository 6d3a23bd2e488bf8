"""Two texts side by side, with the words that differ marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

from riskanalytics.pages.rows import quoted
from riskanalytics.pages.values import Text, Words

TOKEN: Final = re.compile(r"\s+|[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
_SAME: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
_MOST_WORDS: Final = 3000
AROUND: Final = 40
"""Tokens (words and blanks) kept on each side of a difference; more than as many between are marked as left out."""
LEFT_OUT: Final = " […] "


def marked(before: str, after: str) -> tuple[Words, Words]:
    """Compare two texts word by word and return both with the differing words marked as deleted and inserted.

    Parameters
    ----------
    before, after : str

    Returns
    -------
    tuple of Words
        The text before, with styles `del`, and the text after, with styles `ins`. Quotation marks of another shape are
        no difference; long runs in common are left out, and `[…]` marks where. If either text is empty or longer than
        3,000 words and blanks, both are returned whole and unmarked.
    """
    before, after = quoted(before), quoted(after)
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if not old or not new or max(len(old), len(new)) > _MOST_WORDS:
        return before, after
    plain = [[token.translate(_SAME) for token in tokens] for tokens in (old, new)]
    codes = _joined(SequenceMatcher(a=plain[0], b=plain[1], autojunk=False).get_opcodes(), old)
    last = len(codes) - 1
    left: list[Words] = []
    right: list[Words] = []
    for place, (kind, a, b, c, d) in enumerate(codes):
        if kind == "equal":
            left.append(_shortened(old[a:b], place > 0, place < last))
            right.append(_shortened(new[c:d], place > 0, place < last))
        else:
            left.append(_run("del", old[a:b]))
            right.append(_run("ins", new[c:d]))
    return tuple(left), tuple(right)


Code = tuple[str, int, int, int, int]


def _joined(codes: Iterable[Code], old: list[str]) -> list[Code]:
    """Join neighbouring differences that only a blank separates, so that a rewritten phrase is marked as a whole."""
    merged: list[Code] = []
    listed = list(codes)
    for place, code in enumerate(listed):
        blank = code[0] == "equal" and not "".join(old[code[1] : code[2]]).strip()
        inside = 0 < place < len(listed) - 1
        if merged and merged[-1][0] != "equal" and (code[0] != "equal" or (blank and inside)):
            merged[-1] = ("replace", merged[-1][1], code[2], merged[-1][3], code[4])
        else:
            merged.append(code)
    return merged


def _shortened(tokens: list[str], after: bool, before: bool) -> Words:
    """Return words that both texts share, the middle of a long run replaced by a mark.

    Parameters
    ----------
    tokens : list of str
    after, before : bool
        Whether a difference stands directly ahead of the run, and directly behind it.
    """
    head, tail = (AROUND if after else 0), (AROUND if before else 0)
    if len(tokens) <= head + tail + AROUND or not (head or tail):
        return "".join(tokens)
    final = "".join(tokens[len(tokens) - tail :]) if tail else ""
    return "".join(tokens[:head]), Text(LEFT_OUT, "meta"), final


def _run(tag: str, words: list[str]) -> Words:
    """Return consecutive differing words in the style `ins` or `del`; blanks alone stay unmarked."""
    shown = "".join(words)
    return Text(shown, tag) if shown.strip() else shown
