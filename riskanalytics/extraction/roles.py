"""Who does what to what, and under which condition: a shallow reading of one clause.

The subject nearest before the first verb tells who acts, the verb with its modality what is done, the words behind it
to what; a condition is what an "if", "unless", "only with", "within" or the like begins. Patterns alone: no parser, no
vendor's name. What they do not tell stays None. Linear in the clause: every repetition is bounded.
"""

from __future__ import annotations

from typing import Final

from riskanalytics.extraction.memory import remembered
from riskanalytics.extraction.records import Roles
from riskanalytics.extraction.rules import patterns_of

_PATTERNS: Final = patterns_of("roles.toml")
_ACTORS: Final = ("user", "third_party", "vendor", "named")
"""Who may act; `named` is whom the words name and nothing tells what it is."""
_LEADING: Final = " :-\u2013"
_LONGEST: Final = 600
_WIDTH: Final = 90


@remembered(20_000)
def roles_of(words: str, lead_in: str = "") -> Roles:
    """Read who does what, to what, under which condition; kept, since versions repeat each other.

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
    condition = _PATTERNS["condition"].search(whole)
    told = main = None
    if condition is not None:
        opening = condition[0].partition(",")[0] if condition.start() == 0 else condition[0]
        told, main = shortened(opening), whole[len(opening) :] if condition.start() == 0 else None
    main = main or whole
    acts = [(match.start(), actor, match) for actor in _ACTORS if (match := _PATTERNS[actor].search(main))]
    passive = _PATTERNS["passive"].search(main)
    if acts:
        at, actor, match = min(acts, key=lambda act: act[0])
        if passive is None or at <= passive.start():
            rest = match["rest"].strip()
            end = _PATTERNS["object_ends"].search(rest)
            known = None if actor == "named" else actor
            return Roles(known, match["action"].strip(), shortened(rest[: end.start()] if end else rest), told)
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
