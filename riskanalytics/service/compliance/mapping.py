"""Controls of two AI management frameworks, and what the surface levels of a platform mean for each control.

The frameworks are NIST AI RMF and ISO/IEC 42001. Each control gets an outcome, such as `concern` or `silent`. No outcome
says that a platform passes a control.
"""

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
    "concern": "At least one of these surfaces is rated HIGH.",
    "attention": "The highest rating among these surfaces is MED.",
    "undetermined": "Clauses on these surfaces conflict or are unclear: read them.",
    "low risk stated": "These surfaces are rated LOW because of safeguards that the provider states itself.",
    "silent": "All documents were read; no clause was found. Silence is not a safeguard.",
    "not assessed": "No surface covers this control, or a document was not read.",
}
"""Outcome -> its meaning."""
OUTCOMES: Final = tuple(OUTCOME_WORDS)
"""Outcomes, most severe first."""
LEVEL_WORDS: Final = {
    "HIGH": "a loss of control that most buyers would negotiate",
    "MED": "usual, limited or vague terms, or terms with a control such as an opt-out",
    "LOW": "protective terms, or the use is expressly excluded",
}
"""Level -> its meaning, in a few words."""
VERIFICATION_WORDS: Final = {
    "verified": "verified: all documents were read and every quote was found in its source",
    "partial": "partial: not every document was read",
    "stale": "stale: the newest capture of a document is broken; its last good text is used",
    "unverified": "unverified: no document was read",
}
LONGEST_LINE: Final = 200
_WORDS: Final = {"HIGH": "concern", "LOW": "low risk stated", "undetermined": "undetermined"}
_RULE: Final = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
_LINK: Final = re.compile(r"https?://(?:[\w.-]+|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#][!-~]{0,1900})?", re.ASCII)
Levels = Mapping[str, tuple[str | None, tuple[int, ...]]]
"""Surface -> its level (or `undetermined`, `UNREAD`, None if no clause was found) and the citations that decided it."""


@functools.cache
def control_map() -> Json:
    """Return the mapping of framework controls to surfaces, from `framework.toml` and the files of the surfaces.

    Returns
    -------
    dict
        `version`, `frameworks` (with their sources) and `rows`: one for each control, with the `surfaces` that matter for it.
    """
    table = tomllib.loads(resources.files(__package__).joinpath("framework.toml").read_text(encoding="utf-8"))
    for row in table["rows"]:
        row["surfaces"] = [one.id for one in declared() if row["id"] in one.controls.get(row["framework"], ())]
    return table


def outcomes(surfaces: Levels) -> list[Json]:
    """Return all framework controls, each with its outcome for one platform and the citations behind this outcome.

    Parameters
    ----------
    surfaces : mapping
        Surface -> its level and the numbers of the citations that decided the level. The level is `HIGH`, `MED`, `LOW`,
        `undetermined`, `unread`, or None if no clause was found.

    Returns
    -------
    list of dict
        Controls in framework order with `outcome` and `numbers`. Of the control's surfaces, the one with the most severe
        level decides the outcome: HIGH gives `concern`, MED and `undetermined` give `attention`, LOW `low risk stated`.
        If no surface has one of these levels: `not assessed`, if the control has no surface or a surface is `unread`; else
        `silent`. `numbers` are those of the citations that decided the most severe level.
    """
    return [control | _outcome(control["surfaces"], surfaces) for control in control_map()["rows"]]


def _outcome(speaking: list[str], surfaces: Levels) -> Json:
    """Return the outcome of one control."""
    known = [surfaces[name] for name in speaking if name in surfaces]
    rated = [(_WORDS.get(str(level), "attention"), numbers) for level, numbers in known if level not in (None, UNREAD)]
    if not rated:
        unread = not speaking or any(level == UNREAD for level, _ in known)
        return {"outcome": "not assessed" if unread else "silent", "numbers": ()}
    word = min((word for word, _ in rated), key=OUTCOMES.index)
    return {"outcome": word, "numbers": sorted({one for said, numbers in rated if said == word for one in numbers})}


def explanation(text: str) -> str:
    """Return the reason for a surface's level, with rule names as words: `ads_tracking.opt_out` becomes "opt out".

    Parameters
    ----------
    text : str
        Reason: rule names separated by commas. Any other text is returned unchanged.
    """
    parts = text.split(", ")
    if not all(map(_RULE.fullmatch, parts)):
        return text
    names = [part.partition(".")[2] for part in parts]
    words = ["wording learned from examples" if name.startswith("learned.") else name for name in names]
    return "; ".join(dict.fromkeys(re.sub(r"[._]", " ", word) for word in words))


def line(text: str) -> str:
    """Return a text as one line, cut after `LONGEST_LINE` characters; each line break becomes `[U+000A]`."""
    kept = text[:LONGEST_LINE].replace("\n", "[U+000A]")
    return kept if len(text) <= LONGEST_LINE else f"{kept}… ({len(text):,} characters in all)"


def excerpt(text: str, number: int, most: int = 90) -> str:
    """Return the beginning of a quote in quotation marks; if the PDF has no font for its script, return a note that says so.

    Parameters
    ----------
    text : str
        Quote.
    number : int
        Number of the citation, to which the note refers.
    most : int
        Maximum number of characters between the quotation marks; a longer quote is cut between words.
    """
    if 2 * undrawn(text) > len(text):
        return f"This PDF has no font for this script. Citation {number} shows the code points, the evidence file the text."
    return f"“{textwrap.shorten(plain_words(text), most, placeholder='…')}”"


def address(url: str | None) -> dict[str, str | None]:
    """Return a web address as a dictionary of `text` to print and `link` to follow.

    Parameters
    ----------
    url : str or None
        Anything but an http or https address of ASCII characters gives no `link` (None), and a `text` shortened by `line`.
    """
    return {"text": url, "link": url} if _LINK.fullmatch(url or "") else {"text": line(url or ""), "link": None}


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Return the ranges of consecutive numbers as pairs of first and last: 1, 2, 3, 7 give [1, 3] and [7, 7]."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if not runs or runs[-1][1] != number - 1:
            runs.append([number, number])
        runs[-1][1] = number
    return runs
