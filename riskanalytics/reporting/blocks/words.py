"""Words, levels, links and quotes as pages write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import pandas as pd

from riskanalytics.models import SURFACE_DESCRIPTIONS
from riskanalytics.reporting.escaping import escaped
from riskanalytics.theme import LEVEL_LETTERS

_LETTER_CLASS: Final = {"H": "H", "M": "M", "L": "L", "?": "U"}
_BREAK: Final = re.compile(r"<br ?/?>", re.IGNORECASE)
_NOT_IN_IDS: Final = re.compile("[^A-Za-z0-9]+")
_ACTORS: Final = {"vendor": "the vendor", "user": "the user", "third_party": "a third party"}
_ROLE: Final = 40
_PRIVATE: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".invalid")


Rows = list[dict[str, Any]]
"""Rows of a frame, each by its columns' names."""


def grouped(rows: Rows, key: str) -> dict[str, Rows]:
    """Return rows by what stands in one column, in the order in which it first stands there."""
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(str(row[key]), []).append(row)
    return groups


def is_missing(value: Any) -> bool:
    """Say whether a frame's value is missing."""
    return value is None or (not isinstance(value, list | dict) and bool(pd.isna(value)))


def text(value: Any) -> str:
    """Return a value escaped, marks of direction and control characters shown; nothing where it is missing."""
    return "" if is_missing(value) else escaped(str(value))


def name(value: Any) -> str:
    """Return a name from data, its direction kept to itself."""
    return f"<bdi>{text(value)}</bdi>"


def quoted(value: Any) -> str:
    """Return a quote verbatim but for its table breaks, which become line breaks."""
    return text(_BREAK.sub("\n", str(value)))


def level(value: Any) -> str:
    """Return a level as its word on its colour; one that is not known as a question mark that tells it."""
    word = str(value)
    letter = LEVEL_LETTERS.get(word, "?")
    if letter == "?":
        return f'<span class="level {_LETTER_CLASS[letter]}" title="{text(word)}">?</span>'
    return f'<span class="level {_LETTER_CLASS[letter]}">{text(word)}</span>'


def letter_class(letter: str) -> str:
    """Return the style of a level's letter."""
    return _LETTER_CLASS.get(letter, "U")


def day(value: Any) -> str:
    """Return a time, or its ISO form, as its day, UTC."""
    if is_missing(value):
        return ""
    return text(value[:10]) if isinstance(value, str) else f"{value:%Y-%m-%d}"


def link(url: Any, words: str, *, apart: bool = False) -> str:
    """Return a link to a public address of the web; the words alone where it is none.

    Addresses of this machine or of a private network are no links: nobody else can follow them. One that opens `apart`
    leaves a notebook where it is.
    """
    if is_missing(url) or not str(url).isprintable() or " " in str(url):
        return words
    try:
        parts = urlsplit(str(url))
        public = parts.scheme in ("http", "https") and _is_public(parts.hostname or "")
    except ValueError:
        return words
    goal = " target=_blank" if apart else ""
    return f'<a href="{escape(str(url))}" rel="noreferrer noopener"{goal}>{words}</a>' if public else words


def link_inside(address: str, words: str) -> str:
    """Return a link to a file beside the page; the address is quoted for URLs already."""
    return f'<a href="{escape(address)}">{words}</a>'


def _is_public(host: str) -> bool:
    """Say whether a host may be reached from elsewhere."""
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host.strip(".") and not host.endswith(_PRIVATE)


def snapshot_anchor(sha256: str) -> str:
    """Return the address of a text in the list of texts quoted."""
    return f"text-{escape(sha256[:12])}"


def finding_anchor(finding_id: Any) -> str:
    """Return the address of a finding on a page."""
    return f"finding-{_NOT_IN_IDS.sub('-', str(finding_id))[:12]}"


def source(row: Mapping[str, Any], *, alone: bool = False) -> str:
    """Return where a quote stands: document, day, hash, offsets, archive and state of verification.

    The hash leads to the list of texts quoted, except where the quote stands `alone`.
    """
    sha256 = "" if is_missing(row.get("snapshot_sha256")) else str(row["snapshot_sha256"])
    archive = link(row.get("archive_url"), "archive", apart=alone)
    code = f"<code>{text(sha256[:12])}</code>"
    start, end = (row.get(key) for key in ("start", "end"))
    place = (
        ""
        if start is None or end is None or is_missing(start) or is_missing(end)
        else f"characters {int(start):,}–{int(end):,}"
    )
    parts = [
        text(row.get("document")),
        f"<time>{day(row['captured_at'])}</time>" if not is_missing(row.get("captured_at")) else "",
        "" if not sha256 else code if alone else f'<a href="#{snapshot_anchor(sha256)}">{text(sha256[:12])}</a>',
        place,
        archive if archive != "archive" else "",
        verification(row.get("verification_status")),
    ]
    return f"<cite>{' · '.join(part for part in parts if part)}</cite>"


def verification(status: Any) -> str:
    """Return the state of a quote's check; anything but verified is said loudly."""
    word = "not checked" if is_missing(status) else str(status).replace("_", " ")
    return "verified" if word == "verified" else f"<strong class=bad>not verified: {text(word)}</strong>"


def confidence(row: Mapping[str, Any]) -> str:
    """Return the confidence of a finding with its interval; escaped."""
    if is_missing(row.get("confidence")):
        return ""
    bounds = [ratio(row[key]) for key in ("confidence_low", "confidence_high") if not is_missing(row.get(key))]
    interval = f" ({' to '.join(bounds)})" if len(bounds) > 1 else ""
    return f"confidence {ratio(row['confidence'])}{interval}"


def quote(value: Any, row: Mapping[str, Any], *, mark: str = "", more: str = "", alone: bool = False) -> str:
    """Return a quote with its source below, its level before it and more behind it.

    Its address on the page is made from its `finding_id`; the exporter keeps it where the finding first stands.
    Where the row tells what stands `before` and `after` the quote in its paragraph, the quote is marked in it. One that
    stands `alone` has no list of texts on its page.
    """
    anchor = "" if alone or is_missing(row.get("finding_id")) else f" id={finding_anchor(row['finding_id'])}"
    words = in_paragraph(value, row)
    return f"<blockquote{anchor}>{words}</blockquote><p>{mark and mark + ' '}{source(row, alone=alone)}{more}</p>"


def in_paragraph(value: Any, row: Mapping[str, Any]) -> str:
    """Return a quote marked in its paragraph, where the row tells what stands `before` and `after` it."""
    sides = [quoted(row.get(side)) if not is_missing(row.get(side)) else "" for side in ("before", "after")]
    words = quoted(value)
    if any(sides):
        words = f"<span class=around>{sides[0]}</span><mark>{words}</mark><span class=around>{sides[1]}</span>"
    return words


def clause_facts(row: Mapping[str, Any], *, decides: bool = False) -> str:
    """Return what is known of a clause beside its words: whether it decides, protects, how sure, for whom."""
    facts = [
        "<strong>decides</strong>" if decides else "",
        "protective" if row["polarity"] == "mitigates_risk" else "",
        confidence(row),
        *(text(f"{key}: {row[key]}") for key in ("audience", "region", "product") if not is_missing(row.get(key))),
    ]
    return " · ".join(fact for fact in facts if fact)


def roles(row: Mapping[str, Any]) -> str:
    """Return a line on who does what to what, and when, as the clause begins to say it; nothing where it does not tell."""
    told = {"who": row.get("actor"), "does": row.get("action"), "what": row.get("object"), "when": row.get("condition")}
    line = " · ".join(
        f"{word}: {_ACTORS.get(str(value)) or name(_begun(str(value)))}"
        for word, value in told.items()
        if not is_missing(value) and str(value).strip()
    )
    return f"<br><span class=meta>{line[:1].upper()}{line[1:]}</span>" if line else ""


def _begun(words: str) -> str:
    """Return the first words: the quote beside them tells the rest."""
    return words if len(words) <= _ROLE else f"{words[:_ROLE].rsplit(' ', 1)[0]} …"


def ratio(value: float) -> str:
    """Return a number from 0 to 1 with two places, never all of what is only nearly so; escaped."""
    return "&gt;0.99" if 0.995 <= value < 1 else f"{value:.2f}"


def question(surface: Any) -> str:
    """Return what is asked of a surface; empty where it is not one of ours."""
    told = SURFACE_DESCRIPTIONS.get(str(surface))
    return told.question if told else ""


def joined(parts: Sequence[str]) -> str:
    """Return parts as a person lists them."""
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def percent(ratio: float) -> str:
    """Return a share in whole percent, never none or all of what is only nearly so."""
    if 0 < ratio < 0.005:
        return "under 1\u00a0%"
    return "over 99\u00a0%" if 0.995 <= ratio < 1 else f"{100 * ratio:.0f}\u00a0%"


def sortable(caption: str, rows: str, *heads: str) -> str:
    """Return a table that a reader may sort.

    Parameters
    ----------
    caption : str
        Plain text.
    rows : str
        HTML of its rows.
    *heads : str
        Names of its columns; one may begin with its classes and a colon, such as `n roomy:Documents`.
    """
    parts = [head.rpartition(":") for head in heads]
    cells = "".join(
        f'<th scope=col class="{style}">{words}</th>' if style else f"<th scope=col>{words}</th>"
        for style, _, words in parts
    )
    title = text(caption)
    return (
        f'<div class=wide tabindex=0 role=region aria-label="{title}"><table class=sortable><caption>{title}</caption>'
        f"<thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
