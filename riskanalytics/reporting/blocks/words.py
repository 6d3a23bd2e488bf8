"""Words, levels, links and quotes as pages write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any, Final
from urllib.parse import urlsplit

import pandas as pd

from riskanalytics.theme import LEVEL_LETTERS

_LETTER_CLASS: Final = {"H": "H", "M": "M", "L": "L", "?": "U"}
_BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb]")
_BREAK: Final = re.compile(r"<br ?/?>", re.IGNORECASE)
_LONGEST: Final = 4000
_EMBEDDED: Final = "embedded.localhost"


def is_missing(value: Any) -> bool:
    """Say whether a frame's value is missing."""
    return value is None or (not isinstance(value, list | dict) and bool(pd.isna(value)))


def text(value: Any) -> str:
    """Return a value escaped, marks of direction and control characters shown, the name kept apart."""
    if is_missing(value):
        return ""
    shown = _BIDI.sub(lambda mark: f"[U+{ord(mark[0]):04X}]", str(value))
    shown = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", shown)
    if len(shown) > _LONGEST:
        shown = shown[:_LONGEST] + f" [… {len(shown) - _LONGEST:,} more characters]"
    return escape(shown)


def name(value: Any) -> str:
    """Return a name from data, its direction kept to itself."""
    return f"<bdi>{text(value)}</bdi>"


def quoted(value: Any) -> str:
    """Return a quote verbatim but for its table breaks, which become line breaks."""
    return text(_BREAK.sub("\n", str(value)))


def level(value: Any) -> str:
    """Return a level as a coloured letter with its word for those who do not see the colour."""
    word = str(value)
    letter = LEVEL_LETTERS.get(word, "?")
    return f'<span class="level {_LETTER_CLASS[letter]}" title="{text(word)}">{text(word if letter != "?" else "?")}</span>'


def letter_class(letter: str) -> str:
    """Return the style of a level's letter."""
    return _LETTER_CLASS.get(letter, "U")


def day(value: Any) -> str:
    """Return a time as its day, UTC."""
    return "" if is_missing(value) else f"{value:%Y-%m-%d}"


def link(url: Any, words: str) -> str:
    """Return a link to a public address of the web; the words alone where it is none."""
    if is_missing(url):
        return words
    try:
        parts = urlsplit(str(url))
    except ValueError:
        return words
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.hostname == _EMBEDDED:
        return words
    return f'<a href="{escape(str(url))}" rel="noreferrer noopener">{words}</a>'


def source(row: Mapping[str, Any]) -> str:
    """Return where a quote stands: document, day, hash, offsets, archive and state of verification."""
    sha256 = str(row.get("snapshot_sha256") or "")
    archive = link(row.get("archive_url"), "archive")
    parts = [
        text(row.get("document")),
        f"captured {day(row.get('captured_at'))}",
        f'<code title="SHA-256 {text(sha256)}">{text(sha256[:12])}</code>',
        f"characters {_count(row.get('start'))}–{_count(row.get('end'))}",
        archive if archive != "archive" else "",
        verification(row.get("verification_status")),
    ]
    return f"<cite>{' · '.join(part for part in parts if part)}</cite>"


def verification(status: Any) -> str:
    """Return the state of a quote's check; anything but verified is said loudly."""
    word = "not checked" if is_missing(status) else str(status).replace("_", " ")
    return "verified" if word == "verified" else f"<strong>{text(word)}</strong>"


def quote(value: Any, row: Mapping[str, Any], *, anchor: str = "") -> str:
    """Return a quote with its source below."""
    place = f' id="{text(anchor)}"' if anchor else ""
    return f"<blockquote{place}>{quoted(value)}</blockquote><p>{source(row)}</p>"


def _count(value: Any) -> str:
    """Return an offset."""
    return "?" if is_missing(value) else f"{int(value):,}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
