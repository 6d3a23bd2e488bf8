"""Addresses of a page's headings, and its table of contents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from typing import Final

from riskanalytics.pages.machine import FACTS_ID, QUOTES_ID
from riskanalytics.pages.runs import plain
from riskanalytics.pages.values import Figure, Heading, Part, Parts

_TAKEN: Final = frozenset({"content", "plotly", FACTS_ID, QUOTES_ID})
_NOT_IN_IDS: Final = re.compile(r"[^a-z0-9]+")


def addressed(parts: Parts) -> tuple[Parts, list[tuple[str, str]]]:
    """Give each heading of a section an address that nothing else on the page has.

    Parameters
    ----------
    parts : tuple of Part

    Returns
    -------
    tuple of Parts and list
        The same parts, and the table of contents: address and words of each heading of level 2.
    """
    charts = sum(isinstance(part, Figure) for part in parts)
    taken = {*_TAKEN, *_anchors(parts), *(f"chart-{number}" for number in range(1, charts + 1))}
    toc: list[tuple[str, str]] = []
    placed: list[Part] = []
    for part in parts:
        if isinstance(part, Heading) and part.level == 2:
            words = " ".join(plain(part.words).split())
            stem = _NOT_IN_IDS.sub("-", words.lower()).strip("-") or "section"
            anchor = next(
                name
                for number in range(1, 10_000)
                if (name := stem if number == 1 else f"{stem}-{number}") not in taken
            )
            taken.add(anchor)
            toc.append((anchor, words))
            placed.append(replace(part, anchor=anchor))
        else:
            placed.append(part)
    return tuple(placed), toc


def _anchors(value: object) -> Iterator[str]:
    """Give every address in some parts."""
    if isinstance(value, tuple):
        for part in value:
            yield from _anchors(part)
    elif is_dataclass(value):
        if anchor := getattr(value, "anchor", ""):
            yield anchor
        for name in ("words", "parts", "sides", "rows"):
            yield from _anchors(getattr(value, name, ()))
