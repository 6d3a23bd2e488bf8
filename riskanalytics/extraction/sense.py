"""What a clause is besides its surface: its sense, form and effects, who acts, and whom it concerns."""

from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from .records import Clause, Roles, Scope, Span
from .rules import NamedPatterns

_PATTERNS: Final = NamedPatterns("sense.toml")
_NEVER: Final = ("question", "breaks_off", "points", "defines", "explains", "grounds", "asks")
"""What is no statement, whatever precedes it."""
_TRAILING: Final = " *_\"'"
_LONGEST: Final = 700
_FEW: Final = 32
"""Words of a line that leads in and holds little else."""


def before_quote(clause: Clause, words: str) -> Span | None:
    """Return the place of the words that are quoted before a clause.

    Parameters
    ----------
    clause : Clause
    words : str
        Of the clause, plain.

    Returns
    -------
    Span or None
        None if it continues nothing, or if those words are too long to quote.
    """
    if clause.lead is not None and (clause.lead_in or clause.kind == "row" or is_fragment(words, clause.kind)):
        return clause.lead
    before = clause.before
    return before if before and before[1] - before[0] <= _LONGEST and _PATTERNS["back"].search(words.lower()) else None


@lru_cache(8_192)
def says_something(words: str, kind: str, led: bool) -> bool:
    """Say whether a clause is a statement as it is quoted.

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


@lru_cache(8_192)
def is_fragment(words: str, kind: str) -> bool:
    """Say whether a clause is no whole sentence.

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
    hangs = bool(_PATTERNS["hangs"].search(lower))
    if kind == "sentence" and lower.rstrip(_TRAILING).endswith("."):
        return bare and lower.count(" ") < _FEW // 2 and hangs
    return bare or (lower.count(" ") < _FEW and hangs and not _PATTERNS["whole"].search(lower))


_DECIDING: Final = NamedPatterns("deciding.toml")
POLARITIES: Final = frozenset(("raises_risk", "mitigates_risk", "neutral"))


def without_idioms(words: str, lead_in: str) -> tuple[str, str]:
    """Return a clause alone and behind its lead-in, without turns of phrase that negate nothing."""
    words, lead_in = (_DECIDING["idiom"].sub(" ", part) for part in (words, lead_in))
    return words, f"{lead_in} {words}".strip() if lead_in else words


def seldom_raises(with_lead: str) -> bool:
    """Say whether words of limits, of deletion or of figures about nobody are there."""
    return _DECIDING["seldom"].search(with_lead) is not None


@lru_cache(8_192)
def effects_of(words: str, lead_in: str) -> frozenset[str]:
    """Return the effects on the risk that the words of a clause admit.

    Parameters
    ----------
    words, lead_in : str
        Plain and lower-case.

    Returns
    -------
    frozenset of str
        Of `POLARITIES`.
    """
    lead_in = _DECIDING["idiom"].sub(" ", lead_in)
    whole = f"{lead_in} {words}"
    if _DECIDING["negated"].search(lead_in) and not _DECIDING["excepted"].search(whole):
        return POLARITIES - {"raises_risk"}
    return POLARITIES if _DECIDING["protects"].search(whole) else POLARITIES - {"mitigates_risk"}


_FORMS: Final = NamedPatterns("form.toml")
_HEADS: Final = ("user", "vendor", "third", "defines", "points", "example")
"""What a clause may begin with."""
_LEADS: Final = _HEADS[:3]
_LENGTHS: Final = (3, 6, 10, 20, 40)
_AFTER_FORM: Final = " *_\"')"
COLUMNS: Final = (
    "words", "colon", "question", "stop", "item", "row", "continues", "verb", *(f"head_{name}" for name in _HEADS),
    "lead_negated", *(f"lead_{name}" for name in _LEADS),
)  # fmt: skip
"""What `Form.numbers` holds, in order."""


class Form(NamedTuple):
    """How a clause is built."""

    features: tuple[str, ...]
    """Names for a model; the last ones speak of the clause as a whole."""
    numbers: tuple[int, ...]
    """The same as whole numbers, in the order of `COLUMNS`."""


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
"""Who may act; `named` is somebody named whose part is unknown."""
_LEADING: Final = " :-\u2013"
_LONGEST_ROLE: Final = 600
_WIDTH: Final = 90


@lru_cache(8_192)
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
        What the patterns find; a part that they do not find is None.
    """
    whole = f"{lead_in.rstrip(_LEADING)} {words}".strip()[:_LONGEST_ROLE]
    condition, main, said = _ROLES["condition"].search(whole), whole, None
    if condition is not None:
        opening = condition[0]
        if condition.start() == 0:
            opening = opening.partition(",")[0]
            main = whole[len(opening) :] or whole
        said = shortened(opening)
    acts = [(match.start(), actor, match) for actor in _ACTORS if (match := _ROLES[actor].search(main))]
    at, actor, match = min(acts, key=itemgetter(0), default=(len(main), "", None))
    passive = _ROLES["passive"].search(main)
    if match and (passive is None or at <= passive.start()):
        rest = match["rest"].strip()
        end = _ROLES["object_ends"].search(rest)
        known = None if actor == "named" else actor
        return Roles(known, match["action"].strip(), shortened(rest[: end.start()] if end else rest), said)
    return Roles(None, passive and passive["action"], passive and shortened(passive["object"]), said)


def shortened(words: str) -> str | None:
    """Cut words to what is shown beside a quote.

    Parameters
    ----------
    words : str

    Returns
    -------
    str or None
        At most 90 characters, whole words, with a mark where some are left out; None if no words are left.
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
    """Read the limits that a clause sets itself.

    Parameters
    ----------
    words : str
        Lead-in and clause, plain and lower-case.
    heading : str
        Nearest heading, lower-case; it gives the audience where the clause does not.
    product : str, optional
        What the rule knows already.

    Returns
    -------
    Scope
    """
    audience = _first(_AUDIENCES, words) or _first(_AUDIENCES, heading)
    return Scope(audience, _first(_REGIONS, words), product or _first(_PRODUCTS, words))


def _first(names: tuple[str, ...], words: str) -> str | None:
    """The first of the named patterns that is found."""
    return next((name for name in names if _SCOPES[name].search(words)), None)
