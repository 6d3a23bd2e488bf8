"""Untrusted text as it may stand in HTML."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_UNSEEN: Final = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|[\U000e0000-\U000e007f]+")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb\ud800-\udfff]")
_LONGEST: Final = 4000


def escaped(text: str) -> str:
    """Return a text escaped: marks of direction, tags and control characters shown, what is too long cut with a mark."""
    shown = _UNSEEN.sub(lambda mark: f"[U+{ord(mark[0][0]):04X}{'…' * (len(mark[0]) > 1)}]", text[: 2 * _LONGEST])
    shown = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", shown)
    if len(text) > _LONGEST:
        shown = shown[:_LONGEST] + f" [… {len(text) - _LONGEST:,} more characters]"
    return escape(shown)
