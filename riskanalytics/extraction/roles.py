# ruff: noqa: E501 (patterns that lines would tear apart)
"""Who does what to what, and under which condition: a shallow reading of one clause.

The subject nearest before the first verb tells who acts, the verb with its modality what is done, the words behind it
to what; a condition is what an "if", "unless", "only with", "within" or the like begins. Patterns alone: no parser, no
vendor's name. What they do not tell stays None. Linear in the clause: every repetition is bounded.
"""

from __future__ import annotations

import re
from typing import Final

from riskanalytics.extraction.records import Roles

_ADVERBS: Final = r"(?:(?:also|only|never|not|always|currently|generally|typically|otherwise|further|then|hereby|sometimes|automatically) ){0,3}"
_MODAL: Final = (
    r"(?:(?:may|might|will|shall|can|cannot|could|must|should|do|does|did|would|don't|doesn't|won't|can't|"
    r"reserves? the right to|agrees? to|is entitled to|are entitled to|have the right to|has the right to|need to|"
    r"are required to|is required to) )?"
)
_NAMED: Final = r"(?-i:(?!(?:You|Your|Users?|Customers?|This|These|That|Those|The|It|There|Any|All|If|When|In|For)\b)[A-Z][\w&.'-]{1,24}(?: [A-Z][\w&.'-]{1,24}){0,2})"
_SUBJECTS: Final = (
    ("user", r"you|users?|(?:the |each |our )?customers?|subscribers?|members?|licen[sc]ees?|(?:the )?clients?|visitors?|"
             r"developers?|advertisers|publishers|creators|sellers|guests|players"),
    ("third_party", r"(?:(?:our|these|such|those|the|other|some|certain|any|selected|trusted) ){0,2}(?:third[- ]part(?:y|ies)(?: [a-z]+)?|"
                    r"(?:service )?providers?|vendors?|(?:business |advertising |analytics |ad )?partners?|sub-?processors?|"
                    r"advertisers|affiliates|ad networks|social networks?)"),
    ("vendor", r"we|(?:the |this )(?:company|provider|licensor|vendor|service provider|platform|processor|controller|operator)"),
    (None, _NAMED),
)  # fmt: skip
_ACTION: Final = rf"{_MODAL}{_ADVERBS}(?:(?:be|been|is|are|was|were) )?(?!(?:may|might|will|shall|can|must|should|and|or|of|who|that|which|in|to|with|for|from|on|at|as|by|the|a|an)\b)[a-z]{{2,20}}"
_ACTS: Final = [
    (actor, re.compile(rf"(?:^|[\s,;:(\"])(?:{words}),? (?P<action>{_ADVERBS}{_ACTION}(?: (?:and|or|and/or|, ) ?[a-z]{{2,20}})?)(?P<rest>.{{0,240}})", re.IGNORECASE))
    for actor, words in _SUBJECTS
]  # fmt: skip
_PASSIVE: Final = re.compile(
    r"(?P<object>(?:your|customer|user|personal|such|this|the|these)(?: [\w'-]{2,20}){1,5}?) "
    r"(?P<action>(?:(?:may|will|shall|can|must|is|are) )(?:(?:not|never|also|only) ){0,2}(?:be )?[a-z]{2,20}(?:ed|ld|pt|de|nt|en))\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|except|provided that|only (?:if|where|when|after|with|for|as|to the extent)|"
    r"(?:with|without|subject to|based on) your (?:\w+ ){0,2}(?:consent|permission|approval|agreement)|as long as|"
    r"for (?:up to |a period of |at least |no longer than )?(?:\d+|one|two|three|six|twelve) (?:\w+ )?(?:days?|months?|years?)|"
    r"(?:within|after) (?:\d+|one|two|three|six|thirty|sixty|ninety) (?:\w+ )?(?:days?|months?|years?)|"
    r"until|where (?:required|permitted|you|we)|as (?:required|permitted) by|to the extent|at any time|in (?:our|its) sole discretion)\b[^.;:]{0,110}",
    re.IGNORECASE,
)
_OBJECT_ENDS: Final = re.compile(
    r"[.;:,()]|\b(?:if|unless|except|in order|so that|because|which|who|when|where|until|for|to|as|with|within|without|after|by|in|on|from|only|at)\b",
    re.IGNORECASE,
)
_LEADING: Final = " :-\u2013"
_LONGEST: Final = 600
_WIDTH: Final = 90


def roles_of(words: str, lead_in: str = "") -> Roles:
    """Read who does what, to what, under which condition.

    Parameters
    ----------
    words : str
        The clause, plain.
    lead_in : str
        Words that it continues, plain.

    Returns
    -------
    Roles
        What the patterns tell; each part is None where they do not.
    """
    whole = f"{lead_in.rstrip(_LEADING)} {words}".strip()[:_LONGEST]
    condition = _CONDITION.search(whole)
    told = main = None
    if condition is not None:
        opening = condition[0].partition(",")[0] if condition.start() == 0 else condition[0]
        told, main = shortened(opening), whole[len(opening) :] if condition.start() == 0 else None
    main = main or whole
    acts = [(match.start(), actor, match) for actor, pattern in _ACTS if (match := pattern.search(main))]
    passive = _PASSIVE.search(main)
    if acts:
        at, actor, match = min(acts, key=lambda act: act[0])
        if passive is None or at <= passive.start():
            rest = match["rest"].strip()
            end = _OBJECT_ENDS.search(rest)
            return Roles(actor, match["action"].strip(), shortened(rest[: end.start()] if end else rest), told)
    if passive is not None:
        return Roles(None, passive["action"], shortened(passive["object"]), told)
    return Roles(None, None, None, told)


def shortened(words: str) -> str | None:
    """Cut words to what stands beside a quote.

    Parameters
    ----------
    words : str

    Returns
    -------
    str or None
        At most 90 characters, whole words, with a mark where some are left out; None where nothing stands.
    """
    words = words.strip(" ,-\"'")
    if len(words) <= _WIDTH:
        return words or None
    return f"{words[:_WIDTH].rpartition(' ')[0]} […]"
