"""What a platform's findings say to each control of the frameworks, and the words for it; nothing is ever called passed."""

import functools
import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Final

from riskanalytics.surfaces.declared import declared
from riskanalytics.text.page_words import plain_words
from riskanalytics.typesetting import undrawn

from ..store.records import Json

UNREAD: Final = "unread"
OUTCOME_WORDS: Final = {
    "concern": "A surface of this control is rated HIGH.",
    "attention": "The gravest of these surfaces is rated MED.",
    "undetermined": "Clauses on these surfaces conflict or settle nothing: read them.",
    "low risk stated": "These surfaces are rated LOW: safeguards that the provider itself states.",
    "silent": "All documents were read and nothing was found. Silence is no safeguard.",
    "not assessed": "No surface covers this control, or a document is not read.",
}
"""What an outcome means."""
OUTCOMES: Final = tuple(OUTCOME_WORDS)
"""What a row may come to, gravest first; the last two say that nothing is known, each in its own way."""
LEVEL_WORDS: Final = {
    "HIGH": "loss of control that most buyers would negotiate",
    "MED": "usual, limited or vague, or with a control to use",
    "LOW": "protective, or expressly excluded",
}
"""What a level means, in a few words."""
VERIFICATION_WORDS: Final = {
    "verified": "verified: all documents are healthy and every quote is at its place",
    "partial": "partial: not every document is read",
    "stale": "stale: the newest capture of a document is broken; its last good text is used",
    "unverified": "unverified: no document is read",
}
LONGEST_LINE: Final = 200
_WORDS: Final = {"HIGH": "concern", "LOW": "low risk stated", "undetermined": "undetermined"}
_RULE: Final = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
_LINK: Final = re.compile(r"https?://(?:[\w.-]+|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#][!-~]{0,1900})?", re.ASCII)
Levels = Mapping[str, tuple[str | None, tuple[int, ...]]]
"""Surface -> its level (None if nothing was found, `undetermined`, or `UNREAD`), and the citations that decided it."""


@functools.cache
def control_map() -> Json:
    """Return the mapping that this version carries: `framework.toml`, and the surfaces that name each control.

    Returns
    -------
    dict
        `version`, `frameworks` (as they are cited) and `rows`: controls with the `surfaces` that speak to them.
    """
    table = tomllib.loads(resources.files(__package__).joinpath("framework.toml").read_text(encoding="utf-8"))
    for row in table["rows"]:
        row["surfaces"] = [one.id for one in declared() if row["id"] in one.controls.get(row["framework"], ())]
    return table


def outcomes(surfaces: Levels) -> list[Json]:
    """Return the controls, in the order of the frameworks, with the `outcome` and the `numbers` of the citations it rests on.

    Parameters
    ----------
    surfaces : mapping

    Returns
    -------
    list of dict
        A surface of level HIGH makes `concern`, any other level than LOW `attention`, one that is undetermined
        `undetermined`, only LOW `low risk stated`; nothing found on any is `silent`; no surface, or one that is not read
        beside silence, is `not assessed`. The numbers are those that decided the gravest of the surfaces.
    """
    return [control | _outcome(control["surfaces"], surfaces) for control in control_map()["rows"]]


def _outcome(speaking: list[str], surfaces: Levels) -> Json:
    """Return what the surfaces say to one control."""
    known = [surfaces[name] for name in speaking if name in surfaces]
    rated = [(_WORDS.get(str(level), "attention"), numbers) for level, numbers in known if level not in (None, UNREAD)]
    if not rated:
        unread = not speaking or any(level == UNREAD for level, _ in known)
        return {"outcome": "not assessed" if unread else "silent", "numbers": ()}
    word = min((word for word, _ in rated), key=OUTCOMES.index)
    return {"outcome": word, "numbers": sorted({one for said, numbers in rated if said == word for one in numbers})}


def explanation(text: str) -> str:
    """Return the reason of a surface's level without the names of rules: `ads_tracking.opt_out` is "opt out"."""
    parts = text.split(", ")
    if not all(map(_RULE.fullmatch, parts)):
        return text
    names = [part.partition(".")[2] for part in parts]
    words = ["wording learned from examples" if name.startswith("learned.") else name for name in names]
    return "; ".join(dict.fromkeys(re.sub(r"[._]", " ", word) for word in words))


def line(text: str) -> str:
    """Return a text as one line of at most `LONGEST_LINE` characters; line breaks are shown as their code points."""
    kept = text[:LONGEST_LINE].replace("\n", "[U+000A]")
    return kept if len(text) <= LONGEST_LINE else f"{kept}… ({len(text):,} characters in all)"


def excerpt(text: str, number: int, most: int = 90) -> str:
    """Return the beginning of a quote in its marks, cut at a word; a sentence if most of it would be code points."""
    if 2 * undrawn(text) > len(text):
        return f"This PDF has no font for this script: citation {number} gives its code points, the evidence file its words."
    return f"“{textwrap.shorten(plain_words(text), most, placeholder='…')}”"


def address(url: str | None) -> dict[str, str | None]:
    """Return an address as text, and as a link if it is one of the web."""
    return {"text": url, "link": url} if _LINK.fullmatch(url or "") else {"text": line(url or ""), "link": None}


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Return runs of numbers, first and last of each: 1, 2, 3, 7 are 1 to 3 and 7 to 7."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if not runs or runs[-1][1] != number - 1:
            runs.append([number, number])
        runs[-1][1] = number
    return runs
