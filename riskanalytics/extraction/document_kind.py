"""The kind of a document, told by its first words: acceptable-use and community rules speak to users, policies of us."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

KINDS: Final = ("privacy", "terms", "cookies", "conduct", "developer", "processing", "copyright")
"""Kinds told apart."""
_TITLES: Final = (
    (
        "conduct",
        re.compile(r"acceptable use|community guid|rules of conduct|code of conduct|prohibited|content policy"),
    ),
    ("developer", re.compile(r"developer|api terms")),
    ("processing", re.compile(r"data process")),
    ("copyright", re.compile(r"copyright|dmca")),
)
_COUNTED: Final = (
    ("privacy", re.compile(r"privacy|personal (?:data|information)|隐私|个人信息")),
    ("terms", re.compile(r"terms|agreement|conditions|协议|条款")),
    ("cookies", re.compile(r"cookie")),
)
_CLAUSES: Final = 12
_TITLE: Final = 200
_OPENING: Final = 1500


def kind_of(clauses: Iterable[str]) -> str:
    """Tell the kind of a document.

    Parameters
    ----------
    clauses : iterable of str
        Its clauses from the first, headings included, plain and lower-case; no more than needed are taken.

    Returns
    -------
    str
        One of `KINDS`.
    """
    opening = " ".join(words for _, words in zip(range(_CLAUSES), clauses, strict=False))[:_OPENING]
    for kind, pattern in _TITLES:
        if pattern.search(opening[:_TITLE]):
            return kind
    privacy, terms, cookies = (len(pattern.findall(opening)) for _, pattern in _COUNTED)
    if cookies > max(privacy, terms):
        return "cookies"
    return "privacy" if privacy >= terms else "terms"
