"""Words that the service's answers use, and what people read for them; sets are open, what is not listed passes through."""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

RATINGS: Final = ("LOW", "MED", "HIGH")
"""Levels in rising order of risk; the set is open, values not listed here pass through."""

LEVELS: Final = ("UNKNOWN", *RATINGS)
"""Categories of every `level` column, in order; UNKNOWN is apart, not low."""

UNRATED: Final = "UNRATED"
"""Rating of a platform of which nothing could be read."""

STANCE_NAMES: Final = {
    "trains_by_default": "Trains, no opt-out found",
    "depends_on_plan": "Depends on the plan",
    "trains_with_opt_out": "Trains unless you opt out",
    "trains_with_opt_in": "Trains only after opt-in",
    "does_not_train": "Does not train",
    "undetermined": "Undetermined: to be read",
    "silent": "No clause found",
}
"""Words for the known stances on training use, from the most to the least exposed; `undetermined` (the documents
conflict or fall short, a person must read them) and silence are no answers."""

STANCES: Final = tuple(STANCE_NAMES)

_FOR_BUSINESS: Final = re.compile(
    r"\b(?:business|commercial|enterprise|corporate|data process(?:or|ing)|developer|api)\b", re.IGNORECASE
)

STANCE_CLAUSES: Final = {
    "trains_by_default": "trains on user content by default",
    "depends_on_plan": "trains on user content depending on the plan",
    "trains_with_opt_out": "trains on user content unless the user opts out",
    "trains_with_opt_in": "trains on user content only where the user opts in",
    "does_not_train": "does not train on user content",
}
"""What a stance says of a platform, as the rest of a sentence; silence says nothing, and `undetermined` no one thing."""

_WAY_OUT: Final = re.compile(
    r"\bopt(?:s|ed|ing)?[- ]?outs?\b|\bobject(?:s|ing|ion)?\b(?! to (?:the |our )?(?:new|change))|选择退出|反对",
    re.IGNORECASE,
)

UNDETERMINED: Final = "do not settle whether user content trains models: these clauses are to be read"
"""What is said of documents whose stance is `undetermined`, as the rest of a sentence."""

SURFACE_STATES: Final = ("found", "to_read", "quiet", "unread")
"""What is known of a platform on one surface: clauses; none that settle it, and some to read; read and nothing found; not
read."""

LANGUAGE_NAMES: Final = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "und": "an unknown language", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""English names of languages that documents may be in, by ISO 639-1 code."""

DOCUMENT_STATE_NAMES: Final = {
    "good": "read",
    "stale": "last good text read; the newest capture is broken",
    "broken": "not read: the capture is broken",
    "not_a_policy": "not read: the page is no policy",
}
"""Words for the known states of a document."""

ChangeClass = Literal["material", "wording", "format", "revert", "capture_failure", "technical"]
"""What a review may call a difference between two captures of a document."""

CHANGE_CLASSES: Final[tuple[str, ...]] = get_args(ChangeClass)

VERIFICATIONS: Final = ("verified", "partial", "stale", "unverified")
"""States of a platform's evidence."""

VERIFICATION_STATUSES: Final = ("verified", "moved", "altered", "missing", "hash_mismatch", "unavailable")
"""What a check of a quote may find, best first."""

ACCURACY_PARTS: Final = {
    "test": "vendors that nothing was made from",
    "unseen": "AI platforms that nothing was made from",
    "calibrate": "vendors kept apart to set the confidence by",
    "given": "the labels given",
}
"""Words for what figures of accuracy may be measured on, what is to be shown first first."""

DECIDED_BY: Final = {"hand_written": "Rules alone", "learned": "Model alone", "all": "All findings"}
"""Words for what decided the findings that figures of accuracy are about."""

REFUSALS: Final = (
    "no_evidence", "silent", "unknown_platform", "not_about_policies", "legal_advice", "ambiguous_platform",
)  # fmt: skip
"""Why a question may be refused."""

DISCLAIMER: Final = (
    "Informational only, not legal advice. Ratings and findings are computed automatically from publicly "
    "available policy documents and must be verified against the cited source."
)
"""Notice that every payload and every page carries (specification section 1)."""


def names_way_out(quote: object) -> bool:
    """Say whether a clause on training names a way out, be it for some users only: an opt-out, or a right to object.

    Parameters
    ----------
    quote : str

    Examples
    --------
    >>> names_way_out("If you are in the European Union, you may have the right to object to the use for improving models.")
    True
    """
    return _WAY_OUT.search(str(quote)) is not None


def stance_name(stance: str | None) -> str:
    """Return the readable name of a stance; one never seen is its identifier with spaces.

    None, where nothing speaks of training and a document could not be read, is not read.
    """
    if stance is None:
        return "Not read"
    return STANCE_NAMES.get(stance) or stance.replace("_", " ").strip().capitalize()


def audience_of_document(name: str) -> str | None:
    """Return whom a whole document is for, by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
        `business`, `developer`, or None where that is everybody.
    """
    found = _FOR_BUSINESS.search(name)
    if found is None:
        return None
    return "developer" if found[0].lower() in ("developer", "api") else "business"
