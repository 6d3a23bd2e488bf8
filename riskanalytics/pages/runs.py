"""Words for typst: runs of one style, with where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from riskanalytics.pages.values import Level, Link, Words
from riskanalytics.theme import letter_of, letter_style

Run = dict[str, str]
"""`t` words; `s` its styles (letters); `l` class of a level; `to` an address: of the web, or `#id` in the report."""

_LONG: Final = re.compile(r"\S{28}")
_ENDLESS: Final = re.compile(r"\S{4001,}")
_LONGEST_LINK: Final = 2000
_STYLES: Final = {
    "strong": "b", "em": "i", "code": "c", "del": "d", "ins": "n", "mark": "k", "cite": "m", "thin": "m", "meta": "m",
    "around": "m", "bad": "x", "up": "b", "down": "b", "mixed": "b",
}  # fmt: skip


def runs_of(words: Words, style: str = "") -> list[Run]:
    """Return words as runs; neighbours of one style are one run.

    Parameters
    ----------
    words : Words
    style : str
        Letter of a style that all of them have.

    Returns
    -------
    list of Run
        Without blanks at the ends. A word of more than 4,000 letters is cut with a mark: no line could be broken
        around it in good time.
    """
    joined: list[Run] = []
    for run in _runs(words, style, ""):
        last = joined[-1] if joined else None
        if last and "l" not in run and "l" not in last and (last["s"], last["to"]) == (run["s"], run["to"]):
            last["t"] += run["t"]
        elif run["t"]:
            joined.append(dict(run))
    while joined and not joined[0]["t"].strip():
        joined.pop(0)
    while joined and not joined[-1]["t"].strip():
        joined.pop()
    if joined:
        joined[0]["t"] = joined[0]["t"].lstrip(" \n")
        joined[-1]["t"] = joined[-1]["t"].rstrip(" \n")
    return [_slim(run) for run in joined]


def plain(words: Words) -> str:
    """Return words without their styles."""
    return "".join(run["t"] for run in _runs(words, "", ""))


def _runs(words: Words, styles: str, to: str) -> Iterable[Run]:
    """Walk through words."""
    if isinstance(words, str):
        yield {"t": words, "s": styles, "to": to}
    elif isinstance(words, tuple):
        for part in words:
            yield from _runs(part, styles, to)
    elif isinstance(words, Level):
        letter = letter_of(words.word)
        shown = letter if words.short or letter == "?" else words.word
        yield {"t": shown, "s": "", "to": to, "l": letter_style(letter)}
    elif isinstance(words, Link):
        yield from _runs(words.words, styles, _goal(words.to))
    elif words.style == "break":
        yield {"t": "\n", "s": styles, "to": ""}
    else:
        own = _STYLES.get(words.style, "")
        inner: Words = ("“", words.words, "”") if words.style == "quote" else words.words
        yield from _runs(inner, styles if own in styles else styles + own, to)


def _goal(to: str) -> str:
    """Return where a link leads: an address of the web or a place in the report; nothing for any other."""
    if to.startswith("#"):
        return to
    try:
        parts = urlsplit(to)
    except ValueError:
        return ""
    fine = parts.scheme in ("http", "https") and parts.hostname and to.isprintable() and len(to) <= _LONGEST_LINK
    return to if fine else ""


def _slim(run: Run) -> Run:
    """Return a run without what is empty; `w` among its styles says that a word of it is long."""
    words = _ENDLESS.sub(lambda match: f"{match[0][:4000]} [… {len(match[0]) - 4000:,} more characters]", run["t"])
    kept = run | {"t": words, "s": run["s"] + ("w" if _LONG.search(run["t"]) else "")}
    return {key: value for key, value in kept.items() if value or key == "t"}
