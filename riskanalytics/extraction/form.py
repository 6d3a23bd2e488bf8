"""How a clause is built: what it ends with, how long it is, who stands at its head, and whether it states anything.

A definition, a question, a title, a pointer or a line that leads in to a list may hold all the words of a surface and
states nothing by itself. The form tells; what it weighs is learned.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

_VERB: Final = re.compile(
    r"\b(?:we|you|is|are|was|were|may|will|shall|do|does|did|can|must|should|has|have|had|own|owns|agree|grants?|uses?|"
    r"used|shares?|collects?|keep|keeps|retain|sell|disclose|process|provide|allow|require|includes?|apply|applies)\b"
    r"|[\u4e00-\u9fff]"
)
_START: Final = (
    r"(?:(?:in addition|also|additionally|however|further|furthermore|therefore|similarly|accordingly|for example|"
    r"in some cases|from time to time|when necessary|as a result|except as [^,]{0,60}|(?:in|if|when|where|to|for|with|"
    r"subject to|unless|by|as|at|on) [^,]{3,100}),? )?"
)
_HEADS: Final = {
    "user": re.compile(
        r"(?:if )?(?:you|users?|customers?|members?|subscribers?|licen[sc]ees?|developers?|advertisers?|publishers?|"
        r"the customer|each party|each user)\b"
    ),
    "vendor": re.compile(_START + r"(?:we|our company|the company)\b"),
    "third": re.compile(
        r"(?:(?:our|these|such|those|the|some|certain|other) ){0,2}(?:third[- ]part|service providers?|providers?|vendors?|"
        r"partners?|sub-?processors?|advertisers|affiliates|social)"
    ),
    "defines": re.compile(
        r"[\"'(]?[\w \-]{2,40}[\"']? ?(?:\([^)]{0,40}\) )?(?:means?|refers? to|is defined|shall mean|has the meaning)\b"
    ),
    "points": re.compile(
        r"(?:please |to (?:learn|find|read|see|opt|exercise|request)|for (?:more|further|additional) |see |read |learn |"
        r"click|visit|contact|if you (?:have|would|wish|want)|you can (?:find|read|learn|also find))"
    ),
    "example": re.compile(r"(?:for example|e\.g|for instance|such as|examples?)"),
}
_MEANS: Final = re.compile(r"\bmeans any\b")
_NEGATED: Final = re.compile(r"\b(?:not|never|no|don't|without)\b")
_LENGTHS: Final = (3, 6, 10, 20, 40)
_TRAILING: Final = " *_\"')"
COLUMNS: Final = (
    "words", "colon", "question", "stop", "item", "row", "continues", "verb", *(f"head_{name}" for name in _HEADS),
    "lead_negated", "lead_user", "lead_vendor", "lead_third",
)  # fmt: skip
"""What `Form.numbers` holds, in order."""


class Form(NamedTuple):
    """How a clause is built."""

    features: tuple[str, ...]
    """Names for a model; the last ones speak of the clause as a whole."""
    numbers: tuple[int, ...]
    """The same as whole numbers, in the order of `COLUMNS`."""


@lru_cache(maxsize=50_000)
def form_of(words: str, kind: str, lead_in: str = "") -> Form:
    """Return how a clause is built.

    Parameters
    ----------
    words, lead_in : str
        Plain and lower-case.
    kind : str
        `sentence`, `item` or `row`.

    Returns
    -------
    Form
    """
    bare = words.rstrip(_TRAILING)
    end = bare[-1:] if bare[-1:] in ".:;?!," else "n"
    count = len(words.split())
    length = sum(count > border for border in _LENGTHS)
    verb = _VERB.search(words) is not None
    heads = [name for name, pattern in _HEADS.items() if pattern.match(words)]
    if "defines" not in heads and _MEANS.search(words):
        heads.append("defines")
    leads = [name for name in ("user", "vendor", "third") if lead_in and _HEADS[name].match(lead_in)]
    negated = bool(lead_in and _NEGATED.search(lead_in))
    features = (
        f"E{end}", f"n{length}", f"E{end}{kind[0]}{length}", f"V{verb:d}", f"V{verb:d}{kind[0]}{end}",
        *(f"A{name}" for name in heads), *(f"LA{name}" for name in leads), *(("Lnot",) if negated else ()),
        *(() if lead_in else ("noL",)),
    )  # fmt: skip
    numbers = (
        min(count, 300), end == ":", end == "?", end == ".", kind == "item", kind == "row", bool(lead_in), verb,
        *(name in heads for name in _HEADS), negated, *(name in leads for name in ("user", "vendor", "third")),
    )  # fmt: skip
    return Form(features, tuple(map(int, numbers)))
