"""Whether a clause says something where it is quoted, and what must be quoted before it so that it does.

An item of a list is quoted behind the line that leads in to it, a row behind the heads of its columns, a sentence that
speaks of "this" or "such partners" behind the one before it. What says nothing even so (a line that leads in to what is
not quoted, a question, a definition, a pointer, what others' products are) is worth reading at most.
"""

from __future__ import annotations

from typing import Final

from riskanalytics.extraction.memory import remembered
from riskanalytics.extraction.records import Clause, Span
from riskanalytics.extraction.rules import patterns_of

_PATTERNS: Final = patterns_of("sense.toml")
_NEVER: Final = ("question", "breaks_off", "points", "defines", "explains", "grounds", "asks")
"""What is no statement, whatever stands before it."""
_TRAILING: Final = " *_\"'"
_LONGEST: Final = 700
_FEW: Final = 32
"""Words of a line that leads in and holds little else."""


def before_quote(clause: Clause, words: str) -> Span | None:
    """Return where the words stand that are quoted before a clause.

    Parameters
    ----------
    clause : Clause
    words : str
        Of the clause, plain.

    Returns
    -------
    Span or None
        None where it stands alone, or where those words are too long to be quoted.
    """
    if clause.lead is not None and (clause.lead_in or clause.kind == "row" or is_fragment(words, clause.kind)):
        return clause.lead
    before = clause.before
    back = before is not None and before[1] - before[0] <= _LONGEST and _PATTERNS["back"].search(words.lower())
    return before if back else None


@remembered(20_000)
def says_something(words: str, kind: str, led: bool) -> bool:
    """Say whether a clause is a statement as it is quoted; kept, since versions repeat each other.

    Parameters
    ----------
    words : str
        Plain.
    kind : str
        `sentence`, `item` or `row`.
    led : bool
        Whether what it continues is quoted before it.
    """
    lower = words.lower().strip(_TRAILING)
    if any(_PATTERNS[name].search(lower) for name in _NEVER):
        return False
    if lower.count(" ") < _FEW and _PATTERNS["leads_in"].search(lower):
        return False
    if led:
        return True
    if kind == "row" and "|" in words:
        return any(_PATTERNS["tells"].search(cell) for cell in lower.split("|"))
    return not (_PATTERNS["lost"].search(lower) or is_fragment(words, kind))


@remembered(20_000)
def is_fragment(words: str, kind: str) -> bool:
    """Say whether a clause is no whole sentence; kept, since versions repeat each other.

    Parameters
    ----------
    words : str
        Plain.
    kind : str
        `sentence`, `item` or `row`.
    """
    lower = words.lower()
    if _PATTERNS["begun"].search(words) or _PATTERNS["depends"].search(lower):
        return True
    bare = not _PATTERNS["finite"].search(lower)
    if kind == "sentence" and lower.rstrip(_TRAILING).endswith("."):
        return bare and lower.count(" ") < _FEW // 2 and bool(_PATTERNS["hangs"].search(lower))
    return bare or bool(
        lower.count(" ") < _FEW and _PATTERNS["hangs"].search(lower) and not _PATTERNS["whole"].search(lower)
    )
