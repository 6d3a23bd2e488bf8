"""A clause as a widget shows it: the words in their paragraph, where they stand, and what a check of them found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import pandas as pd

from riskanalytics.frames import findings_frame, is_missing
from riskanalytics.pages.rows import (
    confidence,
    day,
    in_paragraph,
    level,
    limits,
    name,
    quote,
    source,
    span,
    text,
    verification,
)
from riskanalytics.pages.values import BREAK, Link, Listing, Paragraph, Parts, Quote, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.page_words import plain_words
from riskanalytics.text.untrusted import is_public

_STEPS: Final = ("the snapshot could be fetched", "its bytes have the SHA-256 named", "the quote stands at its offsets")
_REACHED: Final = {"unavailable": 0, "hash_mismatch": 1, "missing": 2, "altered": 2, "moved": 2, "verified": 3}
"""How many of the steps held, by status."""
_WHY: Final = {
    "unavailable": "no bytes could be had under this hash",
    "hash_mismatch": "the bytes fetched are not the ones named",
    "missing": "the words do not stand in the text",
    "altered": "other words stand there",
    "moved": "the words stand elsewhere in the text",
}


def findings_of(records: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Return clauses as a search or an answer gives them as a frame of findings."""
    return findings_frame({**record, "slug": record.get("slug", record.get("platform"))} for record in records)


def clause_card(row: Mapping[str, object]) -> Parts:
    """Return one clause with its platform, surface, level and source."""
    return Paragraph(_whose(row)), quote(row, mark=level(row["level"]), alone=True)


def _whose(row: Mapping[str, object]) -> Words:
    """Return the platform and the surface of a clause."""
    platform = name(row["slug"] if is_missing(row["name"]) else row["name"])
    return Text(platform, "strong"), " · ", surface_name(str(row["surface"]))


def source_line(row: Mapping[str, object], answer: str, mark: str = "") -> Words:
    """Return where a clause stands, its mark, and the clause where the answer that cites it does not hold its words."""
    where = (level(row["level"]), " ", source(row, alone=True), mark)
    if plain_words(str(row["quote"])) not in answer:
        return _whose(row), BREAK, Text(in_paragraph(row), "quote"), BREAK, where
    return Text(name(row["name"]), "strong"), " ", where


def quote_card(row: Mapping[str, object]) -> Parts:
    """Return one clause in its paragraph, with its platform, surface and level."""
    kind = " · protective" if row.get("polarity") == "mitigates_risk" else ""
    head = (Text(name(row["name"]), "strong"), f" · {surface_name(str(row['surface']))}{kind} ", level(row["level"]))
    return Paragraph(head), Quote(in_paragraph(row))


def facts_of(row: Mapping[str, object]) -> tuple[tuple[str, Words], ...]:
    """Return everything that is known of where a clause stands and what decided it, each fact with its name."""
    offsets = span(row)
    facts: dict[str, Words] = {
        "Document": text(row.get("document")),
        "Captured": day(row.get("captured_at")),
        "SHA-256": Text(text(row.get("snapshot_sha256")), "code"),
        "Characters": f"{offsets}, Unicode code points" if offsets else "",
        "Archive": _archive(text(row.get("archive_url"))),
        "Live page": _live(text(row.get("live_url"))),
        "Confidence": confidence(row).removeprefix("confidence "),
        "Limits itself to": ", ".join(limits(row)),
        "Same words as": "" if is_missing(row.get("duplicate_of")) else "another clause of this platform",
        "Decided by": text(row.get("rule")),
        "State": verification(row.get("verification_status")),
    }
    return tuple((key, value) for key, value in facts.items() if value)


def _archive(url: str) -> Words:
    """Return a link to the public archive that names its host; that none is known, where it is no public address."""
    if not is_public(url):
        return "no public address is known"
    return Link(f"open at {url.partition('://')[2].partition('/')[0]}", url, apart=True)


def _live(url: str) -> Words:
    """Return a link to the quote on the vendor's page; nothing where no public address is known."""
    return (Link("open at the quote", url, apart=True), ", if the page is unchanged") if is_public(url) else ""


def check_told(row: Mapping[str, object], moment: datetime) -> Parts:
    """Return what a check of a quote found, step by step.

    Parameters
    ----------
    row : mapping
        A finding, `verification_status` as the check found it.
    moment : datetime
        When, UTC.
    """
    status = "unavailable" if is_missing(row["verification_status"]) else str(row["verification_status"])
    reached = _REACHED.get(status, 0)
    marks = ["✓"] * reached + ["✗"] + ["–"] * len(_STEPS)
    why = f" ({_WHY[status]})" if status in _WHY else ""
    steps = tuple(f"{mark} {step}" for mark, step in zip(marks, _STEPS, strict=False))
    return Paragraph((verification(status), f"{why}, checked {moment:%Y-%m-%d %H:%M:%S} UTC")), Listing(steps)
