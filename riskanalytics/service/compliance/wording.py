"""Words of the compliance report: what codes mean to a person who reads a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from riskanalytics.models import STANCE_CLAUSES, UNDETERMINED
from riskanalytics.surfaces import surface_name
from riskanalytics.text.page_words import plain_words
from riskanalytics.typesetting import undrawn

LONGEST_LINE: Final = 200
LONGEST_QUOTE: Final = 20_000
LONGEST_LINK: Final = 2_000
LONGEST_EXCERPT: Final = 90
_RULE: Final = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
_SILENT: Final = "all documents were read, and no clause on training with user content was found"
_VERIFICATIONS: Final = {
    "verified": "verified: the documents are healthy and every quote was found again at its place",
    "partial": "partial: not every document is read",
    "stale": "stale: the newest capture of a document is broken; its last good text is used",
    "unverified": "unverified: tracked, but no document is read",
}
OUTCOME_WORDS: Final = {
    "concern": "A surface that speaks to this control is of level HIGH.",
    "attention": "The gravest of these surfaces is of level MED, or of a level not known here.",
    "undetermined": "Clauses on these surfaces conflict, or none settles them. They must be read.",
    "low risk stated": "These surfaces are of level LOW: safeguards, stated by the provider itself.",
    "silent": "All documents were read on these surfaces and nothing was found. Silence is no safeguard.",
    "not assessed": "No surface speaks to this control, or a document is not read. Nothing is known.",
}
"""What an outcome means."""
LEVEL_WORDS: Final = {
    "HIGH": "loss of control that most buyers would negotiate",
    "MED": "usual, limited or vague, or with a control to use",
    "LOW": "protective, or expressly excluded",
}
"""What a level means, in a few words."""


def title(surface: str) -> str:
    """Return the name of a surface for people."""
    return surface_name(line(surface))


def stance(code: str | None) -> str:
    """Return a training stance in words."""
    if code is None:
        return "not told apart"
    if code in STANCE_CLAUSES:
        return f"the documents say that it {STANCE_CLAUSES[code]}"
    if code == "undetermined":
        return f"undetermined: the documents {UNDETERMINED}"
    return _SILENT if code == "silent" else line(code)


def verification(code: str) -> str:
    """Return a state of evidence in words."""
    return _VERIFICATIONS.get(code, line(code))


def explanation(text: str | None) -> str:
    """Return the reason of a surface's level without the names of rules: `ads_tracking.opt_out` is "opt out"."""
    parts = line(text or "").split(", ")
    if not all(_RULE.fullmatch(part) for part in parts):
        return line(text or "")
    names = [part.partition(".")[2] for part in parts]
    said = [
        "wording learned from examples" if name.startswith("learned.") else re.sub(r"[._]", " ", name) for name in names
    ]
    return "; ".join(dict.fromkeys(said))


def line(text: str) -> str:
    """Return a text that is one line and not long; line breaks stay visible as their code points.

    Parameters
    ----------
    text : str
        Of any length and content.
    """
    kept = text[:LONGEST_LINE].replace("\n", "[U+000A]")
    return kept if len(text) <= LONGEST_LINE else f"{kept}… ({len(text):,} characters in all)"


def readable_quote(text: str, number: int) -> str:
    """Return a quote in its marks; a word about it where most of it would be code points, which the annex shows."""
    missing = undrawn(text)
    if 2 * missing > len(text):
        return f"In a script that this PDF has no font for: citation {number} gives its code points, the evidence file its words."
    return f"“{quoted(text)}”"


def excerpt(text: str, number: int) -> str:
    """Return the beginning of a quote in one line, cut at a word with an ellipsis."""
    if 2 * undrawn(text) > len(text):
        return readable_quote(text, number)
    words = " ".join(plain_words(text[: 4 * LONGEST_EXCERPT]).split())
    if len(words) <= LONGEST_EXCERPT:
        return f"“{words}”"
    head = words[:LONGEST_EXCERPT]
    return f"“{head.rpartition(' ')[0] or head}…”"


def quoted(text: str) -> str:
    """Return a quote, cut only where it is far longer than any clause."""
    text = plain_words(text)
    if len(text) <= LONGEST_QUOTE:
        return text
    return f"{text[:LONGEST_QUOTE]}… ({len(text):,} characters in all; the attached evidence holds them)"


def link(url: str | None) -> str | None:
    """Return an address that may be a link: http or https, printable, not endless; else None."""
    if not url or len(url) > LONGEST_LINK or not url.isprintable() or not url.isascii():
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.netloc else None


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Return runs of numbers, first and last of each: 1, 2, 3, 7 are 1 to 3 and 7 to 7."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs
