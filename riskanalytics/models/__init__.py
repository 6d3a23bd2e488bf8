"""Identifiers in the answers of a service, such as `HIGH` or `does_not_train`, and their readable names.

A service may send identifiers that are not listed here; they are kept unchanged. The modules `records` and `parts` declare the
answers themselves.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal, get_args

from riskanalytics.text.wording import joined, plural

RATINGS: Final = ("LOW", "MED", "HIGH")
"""Ratings and levels in rising order of risk. Other words that a service sends are kept unchanged."""

LEVELS: Final = ("UNKNOWN", *RATINGS)
"""Categories of every `level` column, in order. UNKNOWN comes first in this order, but does not mean a low risk."""

UNREAD: Final = "–"
"""Mark shown in place of a level or rating if nothing was read."""

UNRATED: Final = "UNRATED"
"""Rating of a platform without a readable document."""

STANCE_NAMES: Final = {
    "trains_by_default": "Trains, no opt-out found",
    "depends_on_plan": "Depends on the plan",
    "trains_with_opt_out": "Trains unless you opt out",
    "trains_with_opt_in": "Trains only after opt-in",
    "does_not_train": "Does not train",
    "undetermined": "Undetermined: to be read",
    "silent": "No clause found",
}
"""Stance on training use -> its readable name. The first five are answers, from the highest to the lowest risk for users. The
last two are not answers: `undetermined` (the documents conflict or leave out the deciding words, so a person must read them)
and `silent` (no clause on training was found)."""

STANCES: Final = tuple(STANCE_NAMES)

STANCE_CLAUSES: Final = {
    "trains_by_default": "trains on user content by default",
    "depends_on_plan": "trains on user content depending on the plan",
    "trains_with_opt_out": "trains on user content unless the user opts out",
    "trains_with_opt_in": "trains on user content only where the user opts in",
    "does_not_train": "does not train on user content",
}
"""Stance -> end of a sentence that begins with a platform's name; `silent` and `undetermined` have no entry."""

UNDETERMINED: Final = "do not settle whether user content trains models: these clauses are to be read"
"""End of a sentence that begins with the documents of a platform, if its stance is `undetermined`."""

SURFACE_STATES: Final = ("found", "to_read", "quiet", "unread")
"""States of a platform on one surface: clauses found; only clauses that a person must read; no clause found; not read."""

LANGUAGE_NAMES: Final = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "und": "an unknown language", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""ISO 639-1 code -> English name of a language."""

DOCUMENT_STATE_NAMES: Final = {
    "good": "read",
    "stale": "last good text read; the newest capture is broken",
    "broken": "not read: the capture is broken",
    "not_a_policy": "not read: the page is not a policy",
}
"""State of a document -> its words."""

ChangeClass = Literal["material", "wording", "format", "revert", "capture_failure", "technical"]
"""Classes of a difference between two captures of a document."""

CHANGE_CLASSES: Final[tuple[str, ...]] = get_args(ChangeClass)

DATE_KINDS: Final = {
    "updated": "last updated",
    "effective": "takes effect",
    "notice": "notice period",
    "objection": "time to object or opt out",
}
"""Kind of a date or period that a document states -> its words."""

VERIFICATIONS: Final = ("verified", "partial", "stale", "unverified")
"""Verification statuses of a platform: whether all of its documents were read, and whether their texts are current."""

VERIFICATION_STATUSES: Final = ("verified", "moved", "altered", "missing", "hash_mismatch", "unavailable")
"""Results of verifying a quote, best first."""

ACCURACY_PARTS: Final = {
    "test": "vendors not used to develop the program",
    "unseen": "AI platforms not used to develop the program",
    "calibrate": "vendors used only to calibrate the confidence",
    "given": "the given labels",
}
"""Set of labelled documents -> its description. Where only one set is used, it is the first with accuracy figures."""

DECIDED_BY: Final = {"hand_written": "Rules alone", "learned": "Model alone", "all": "All findings"}
"""Group of findings for which accuracy is measured, by what decided them -> its readable name."""

REFUSALS: Final = (
    "no_evidence", "silent", "unknown_platform", "not_about_policies", "legal_advice", "ambiguous_platform",
)  # fmt: skip
"""Reasons for refusing a question."""

DISCLAIMER: Final = (
    "Informational only, not legal advice. Ratings and findings are computed automatically from publicly "
    "available policy documents and must be verified against the cited source."
)
"""Notice in every payload and on every page (specification section 1)."""


def names_way_out(quote: object) -> bool:
    """Return whether a clause on training mentions an opt-out or a right to object, even if only for some users.

    Parameters
    ----------
    quote : str

    Examples
    --------
    >>> names_way_out("If you are in the European Union, you may have the right to object to the use for improving models.")
    True
    >>> names_way_out("We train models to recognise objects in your photos.")
    False
    """
    way_out = (
        r"\bopt(?:s|ed|ing)?[- ]?outs?\b|选择退出|反对|(?:\bobject(?:ing|ions?)|"
        r"\b(?:to|may|can|not|you|who|users?|customers?|individuals?) objects?)\b(?! to (?:the |our )?(?:new|change))"
    )
    return bool(re.search(way_out, str(quote), re.IGNORECASE))


def stance_name(stance: str | None) -> str:
    """Return the readable name of a platform's stance on training use, such as "Does not train".

    Parameters
    ----------
    stance : str or None
        Identifier of the stance. None: no clause on training was found, but a document could not be read.

    Returns
    -------
    str
        "Not read" for None; for an identifier that is not in `STANCE_NAMES`, the identifier with spaces.
    """
    return "Not read" if stance is None else STANCE_NAMES.get(stance) or stance.replace("_", " ").strip().capitalize()


def state_words(state: object, to_read: int = 0) -> str:
    """Return a phrase that says why a surface has no level.

    Parameters
    ----------
    state : object
        One of `SURFACE_STATES`; any other value means not read.
    to_read : int
        Number of clauses that a person must read.

    Examples
    --------
    >>> state_words("quiet"), state_words("to_read", 2), state_words("unread")
    ('no clause found', 'to be read (2 clauses)', 'not read')
    """
    if state == "to_read":
        return f"to be read ({plural(to_read, 'clause')})" if to_read else "to be read"
    return {"quiet": "no clause found", "found": "no level"}.get(str(state), "not read")


def in_other_language(document: Mapping[str, object]) -> bool:
    """Return whether a document has usable text, but in a language that this package does not read.

    Parameters
    ----------
    document : mapping
        A document in an answer of a service, with the fields `read` and `state`.
    """
    return document.get("read") is False and document.get("state") in ("good", "stale")


def language_name(code: object) -> str:
    """Return the English name of a language by its ISO 639-1 code.

    For a code that is not in `LANGUAGE_NAMES`, return the code in quotation marks; without a code (None), "an unknown language".
    """
    return LANGUAGE_NAMES.get(code, f"“{code}”") if isinstance(code, str) else LANGUAGE_NAMES["und"]


def languages_not_read(documents: Iterable[Mapping[str, object]]) -> str:
    """Return a phrase that counts the documents in languages that this package does not read; empty if all are read.

    Parameters
    ----------
    documents : iterable of mapping
        Documents in an answer of a service, with the fields `read`, `state` and `language`.

    Examples
    --------
    >>> languages_not_read([{"state": "good", "read": False, "language": "zh"}, {"state": "good", "read": True}])
    '1 document in Chinese'
    """
    names = Counter(language_name(row.get("language")) for row in documents if in_other_language(row))
    return joined([f"{plural(count, 'document')} in {name}" for name, count in names.most_common()])


def document_words(document: Mapping[str, object]) -> str:
    """Return in words whether a document was read and, if not, why; empty if its state is missing.

    Parameters
    ----------
    document : mapping
        A document in an answer of a service, with the fields `read`, `state` and `language`.

    Examples
    --------
    >>> document_words({"state": "good", "read": False, "language": "zh"}), document_words({"state": "good"})
    ('not read: in Chinese', 'read')
    """
    if in_other_language(document):
        return f"not read: in {language_name(document.get('language'))}"
    state = document.get("state")
    return DOCUMENT_STATE_NAMES.get(state, state.replace("_", " ")) if isinstance(state, str) else ""


def audience_of_document(name: str) -> str | None:
    """Return the users for whom a whole document is meant, judged by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
        `business` or `developer`; None for everybody.
    """
    words = r"\b(?:business|commercial|enterprise|corporate|data process(?:or|ing)|(developer|api))\b"
    found = re.search(words, name, re.IGNORECASE)
    return found and ("developer" if found[1] else "business")
