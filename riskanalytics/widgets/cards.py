"""A clause as a widget shows it: the words in their paragraph, where they stand, and what a check of them found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

import pandas as pd

from riskanalytics.frames import findings_frame, is_missing
from riskanalytics.pages import rows as show
from riskanalytics.pages.values import BREAK, Link, Listing, Paragraph, Parts, Quote, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.page_words import plain_words
from riskanalytics.text.untrusted import is_public

_STEPS: Final = ("the snapshot could be fetched", "its bytes have the SHA-256 named", "the quote stands at its offsets")
_CHECKED: Final = {
    "unavailable": (0, " (no bytes could be had under this hash)"),
    "hash_mismatch": (1, " (the bytes fetched are not the ones named)"),
    "missing": (2, " (the words are not in the text)"),
    "altered": (2, " (the text has other words there)"),
    "moved": (2, " (the words are elsewhere in the text)"),
    "verified": (3, ""),
}
"""How many of the steps held, and why no more, by status."""


def findings_of(records: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Return clauses as a search or an answer gives them as a frame of findings."""
    return findings_frame({**record, "slug": record.get("slug", record.get("platform"))} for record in records)


def clause_card(row: Mapping[str, object]) -> Parts:
    """Return one clause with its platform, surface, level and source."""
    return Paragraph(_whose(row)), show.quote(row, mark=show.level(row["level"]), alone=True)


def _whose(row: Mapping[str, object]) -> tuple[Words, ...]:
    """Return the platform and the surface of a clause."""
    platform = show.name(row["slug"] if is_missing(row["name"]) else row["name"])
    return Text(platform, "strong"), " · ", surface_name(str(row["surface"]))


def source_line(row: Mapping[str, object], answer: str, mark: str = "") -> Words:
    """Return where a clause stands, its mark, and the clause where the answer that cites it does not hold its words."""
    where = (show.level(row["level"]), " ", show.source(row, alone=True), mark)
    if plain_words(str(row["quote"])) not in answer:
        return _whose(row), BREAK, Text(show.in_paragraph(row), "quote"), BREAK, where
    return Text(show.name(row["name"]), "strong"), " ", where


def quote_card(row: Mapping[str, object]) -> Parts:
    """Return one clause in its paragraph, with its platform, surface and level."""
    kind = " · protective" if row.get("polarity") == "mitigates_risk" else ""
    return Paragraph((*_whose(row), f"{kind} ", show.level(row["level"]))), Quote(show.in_paragraph(row))


def facts_of(row: Mapping[str, object]) -> tuple[tuple[str, Words], ...]:
    """Return everything that is known of where a clause stands and what decided it, each fact with its name."""
    offsets, archive, live = show.span(row), show.text(row.get("archive_url")), show.text(row.get("live_url"))
    named = Link(f"open at {urlsplit(archive).netloc}", archive, True)
    facts: dict[str, Words] = {
        "Document": show.text(row.get("document")),
        "Captured": show.day(row.get("captured_at")),
        "SHA-256": Text(show.text(row.get("snapshot_sha256")), "code"),
        "Characters": f"{offsets}, Unicode code points" if offsets else "",
        "Archive": named if is_public(archive) else "no public address is known",
        "Live page": (Link("open at the quote", live, True), ", if the page is unchanged") if is_public(live) else "",
        "Confidence": show.confidence(row).removeprefix("confidence "),
        "Limits itself to": ", ".join(show.limits(row)),
        "Same words as": "" if is_missing(row.get("duplicate_of")) else "another clause of this platform",
        "Decided by": show.text(row.get("rule")),
        "State": show.verification(row.get("verification_status")),
    }
    return tuple((key, value) for key, value in facts.items() if value)


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
    reached, why = _CHECKED.get(status, (0, ""))
    marks = ["✓"] * reached + ["✗"] + ["–"] * len(_STEPS)
    steps = tuple(f"{mark} {step}" for mark, step in zip(marks, _STEPS, strict=False))
    return Paragraph((show.verification(status), f"{why}, checked {moment:%Y-%m-%d %H:%M:%S} UTC")), Listing(steps)
