"""Read what does not depend on a surface: whether a clause makes a statement, its form, effects on the risk, roles and scope."""

from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from .records import Clause, Roles, Scope, Span
from .rules import NamedPatterns

_PATTERNS: Final = NamedPatterns("sense.toml")
_NEVER: Final = ("question", "breaks_off", "points", "defines", "explains", "grounds", "asks")
"""Patterns of clauses that are not statements, with or without words quoted before them."""
_TRAILING: Final = " *_\"'"
_LONGEST: Final = 700
_FEW: Final = 32
"""A line of fewer words may be a lead-in and little else."""


def before_quote(clause: Clause, words: str) -> Span | None:
    """Return the place of the words that must be quoted before a clause so that a person understands it.

    Parameters
    ----------
    clause : Clause
        The clause with the places of its lead-in and of the previous sentence.
    words : str
        The clause's words without Markdown marks.

    Returns
    -------
    Span or None
        Start and end of the lead-in or of the previous sentence, in code points. None if the clause can be read alone, or if
        the words before it are too long to quote.
    """
    if clause.lead is not None and (clause.lead_in or clause.kind == "row" or is_fragment(words, clause.kind)):
        return clause.lead
    before = clause.before
    return before if before and before[1] - before[0] <= _LONGEST and _PATTERNS["back"].search(words.lower()) else None


@lru_cache(8_192)
def says_something(words: str, kind: str, led: bool) -> bool:
    """Return whether a clause makes a statement, and is not a question, definition, reference or fragment.

    Parameters
    ----------
    words : str
        The clause's plain words.
    kind : str
        `sentence`, `item` or `row`.
    led : bool
        Whether words that complete the clause, such as its lead-in, are quoted before it.
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


@lru_cache(8_192)
def is_fragment(words: str, kind: str) -> bool:
    """Return whether a clause is only part of a sentence.

    Parameters
    ----------
    words : str
        The clause's plain words.
    kind : str
        `sentence`, `item` or `row`.
    """
    lower = words.lower()
    if _PATTERNS["begun"].search(words) or _PATTERNS["depends"].search(lower):
        return True
    bare = not _PATTERNS["finite"].search(lower)
    hangs = bool(_PATTERNS["hangs"].search(lower))
    if kind == "sentence" and lower.rstrip(_TRAILING).endswith("."):
        return bare and lower.count(" ") < _FEW // 2 and hangs
    return bare or (lower.count(" ") < _FEW and hangs and not _PATTERNS["whole"].search(lower))


_DECIDING: Final = NamedPatterns("deciding.toml")
POLARITIES: Final = frozenset(("raises_risk", "mitigates_risk", "neutral"))


def without_idioms(words: str, lead_in: str) -> tuple[str, str]:
    """Remove idioms that negate nothing ("not limited to"); return the clause alone, and the clause after its lead-in."""
    words, lead_in = (_DECIDING["idiom"].sub(" ", part) for part in (words, lead_in))
    return words, f"{lead_in} {words}".strip() if lead_in else words


def seldom_raises(with_lead: str) -> bool:
    """Return whether a clause after its lead-in has words such as "only", "delete" or "aggregate", which seldom raise the risk."""
    return _DECIDING["seldom"].search(with_lead) is not None


@lru_cache(8_192)
def effects_of(words: str, lead_in: str) -> frozenset[str]:
    """Return the effects on the risk that the words of a clause allow.

    Parameters
    ----------
    words, lead_in : str
        The clause and its lead-in, plain and lower-case.

    Returns
    -------
    frozenset of str
        `POLARITIES` without `raises_risk`, if the lead-in is negated and no exception is named; else without `mitigates_risk`,
        if no word of the clause or its lead-in can protect anybody; else all `POLARITIES`.
    """
    lead_in = _DECIDING["idiom"].sub(" ", lead_in)
    whole = f"{lead_in} {words}"
    if _DECIDING["negated"].search(lead_in) and not _DECIDING["excepted"].search(whole):
        return POLARITIES - {"raises_risk"}
    return POLARITIES if _DECIDING["protects"].search(whole) else POLARITIES - {"mitigates_risk"}


_FORMS: Final = NamedPatterns("form.toml")
_HEADS: Final = ("user", "vendor", "third", "defines", "points", "example")
"""Patterns that the beginning of a clause may match."""
_LEADS: Final = _HEADS[:3]
_LENGTHS: Final = (3, 6, 10, 20, 40)
_AFTER_FORM: Final = " *_\"')"
COLUMNS: Final = (
    "words", "colon", "question", "stop", "item", "row", "continues", "verb", *(f"head_{name}" for name in _HEADS),
    "lead_negated", *(f"lead_{name}" for name in _LEADS),
)  # fmt: skip
"""Names of `Form.numbers`, in order."""


class Form(NamedTuple):
    """How a clause is built, whatever it is about: its length, ending, kind, beginning, verb and lead-in."""

    features: tuple[str, ...]
    """Names of features for the linear model."""
    numbers: tuple[int, ...]
    """Whole numbers for the trees, in the order of `COLUMNS`."""


def form_of(words: str, kind: str, lead_in: str = "") -> Form:
    """Return how a clause is built, whatever it is about: its length, ending, kind, beginning, verb and lead-in.

    For example: it has 7 to 10 words, ends with a full stop, is an item of a list, begins with the user ("you may"), has a verb,
    and its lead-in contains "not".

    Parameters
    ----------
    words, lead_in : str
        The clause and its lead-in, plain and lower-case.
    kind : str
        `sentence`, `item` or `row`.

    Returns
    -------
    Form
        These facts twice: as features of the linear model, and as numbers for the decision trees (see `learned`).
    """
    bare = words.rstrip(_AFTER_FORM)
    end = bare[-1:] if bare[-1:] in ".:;?!," else "n"
    count = len(words.split())
    length = sum(count > border for border in _LENGTHS)
    verb = _FORMS["verb"].search(words) is not None
    heads = [name for name in _HEADS if _FORMS[name].match(words)]
    if "defines" not in heads and _FORMS["means"].search(words):
        heads.append("defines")
    leads = [name for name in _LEADS if lead_in and _FORMS[name].match(lead_in)]
    negated = bool(lead_in and _FORMS["negated"].search(lead_in))
    features = (
        f"E{end}", f"n{length}", f"E{end}{kind[0]}{length}", f"V{verb:d}", f"V{verb:d}{kind[0]}{end}",
        *(f"A{name}" for name in heads), *(f"LA{name}" for name in leads), *(("Lnot",) if negated else ()),
        *(() if lead_in else ("noL",)),
    )  # fmt: skip
    numbers = (
        min(count, 300), end == ":", end == "?", end == ".", kind == "item", kind == "row", bool(lead_in), verb,
        *(name in heads for name in _HEADS), negated, *(name in leads for name in _LEADS),
    )  # fmt: skip
    return Form(features, tuple(map(int, numbers)))


_ROLES: Final = NamedPatterns("roles.toml")
_ACTORS: Final = ("user", "third_party", "vendor", "named")
"""Patterns of actors; `named` is a party called by its own name, whose role is unknown."""
_LEADING: Final = " :-\u2013"
_LONGEST_ROLE: Final = 600
_WIDTH: Final = 90


@lru_cache(8_192)
def roles_of(words: str, lead_in: str = "") -> Roles:
    """Return the roles in a clause: who does what, to what, under which condition.

    Parameters
    ----------
    words : str
        The clause, as plain text.
    lead_in : str
        The introductory words before the clause, as plain text.

    Returns
    -------
    Roles
        Actor, action, object and condition; each None if the patterns do not find it.
    """
    whole = f"{lead_in.rstrip(_LEADING)} {words}".strip()[:_LONGEST_ROLE]
    found, main, condition = _ROLES["condition"].search(whole), whole, None
    if found is not None:
        opening = found[0]
        if found.start() == 0:
            opening = opening.partition(",")[0]
            main = whole[len(opening) :] or whole
        condition = shortened(opening)
    acts = [(match.start(), actor, match) for actor in _ACTORS if (match := _ROLES[actor].search(main))]
    at, actor, match = min(acts, key=itemgetter(0), default=(len(main), "", None))
    passive = _ROLES["passive"].search(main)
    if match and (passive is None or at <= passive.start()):
        rest = match["rest"].strip()
        end = _ROLES["object_ends"].search(rest)
        known = None if actor == "named" else actor
        return Roles(known, match["action"].strip(), shortened(rest[: end.start()] if end else rest), condition)
    return Roles(None, passive and passive["action"], passive and shortened(passive["object"]), condition)


def shortened(words: str) -> str | None:
    """Shorten words to the length that is shown next to a quote.

    Parameters
    ----------
    words : str
        Plain words, such as the object or the condition of a clause.

    Returns
    -------
    str or None
        At most 90 characters in whole words, then " […]" if words are left out; None if no words are left.
    """
    words = words.strip(" ,-\"'")
    if len(words) <= _WIDTH:
        return words or None
    return f"{words[:_WIDTH].rpartition(' ')[0]} […]"


_SCOPES: Final = NamedPatterns("scope.toml")
_AUDIENCES: Final = ("business", "developer", "consumer")
_REGIONS: Final = ("EU", "UK", "US", "CN")
_PRODUCTS: Final = ("feedback", "temporary")


@lru_cache(8_192)
def scope_of(words: str, heading: str, product: str | None = None) -> Scope:
    """Return the audience, region and product that a clause limits itself to.

    Parameters
    ----------
    words : str
        Lead-in and clause, plain and lower-case.
    heading : str
        Nearest heading, lower-case; it gives the audience if the clause does not.
    product : str, optional
        Product that the matching rule names; it overrides the clause's own words.

    Returns
    -------
    Scope
    """
    audience = _first(_AUDIENCES, words) or _first(_AUDIENCES, heading)
    return Scope(audience, _first(_REGIONS, words), product or _first(_PRODUCTS, words))


def _first(names: tuple[str, ...], words: str) -> str | None:
    """Return the name of the first pattern that matches."""
    return next((name for name in names if _SCOPES[name].search(words)), None)
