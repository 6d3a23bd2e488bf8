"""How explicitly a clause says that the vendor trains models with users' material, or does not: from its own words.

A reading may take a clause for more than it says. What accuses or acquits a vendor is therefore read here a second
time, by a few general patterns, without regard to what took the clause. Four things must be in the words: the vendor
acts (no user, third party or staff); on material of its users (not feedback alone, what a connector or an identity
provider hands over, the public web, usage statistics); to train, fine-tune or improve models (not services alone, nor
the customer's own models); and what holds: it does, does not, only after consent, or with a way out.
"""

from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

from .plain import plain
from .records import ClauseFinding, Roles
from .rules import NamedPatterns

NONE, VAGUE, CLEAR, EXPLICIT = 0, 1, 2, 3
"""Grades: says nothing on it; speaks of it, and leaves out what would decide; says it, the vendor or the models being
understood; names vendor, material, training and what holds."""


class Evidence(NamedTuple):
    """What the words of a clause say on training with users' material."""

    grade: int
    """`NONE`, `VAGUE`, `CLEAR` or `EXPLICIT`; from `CLEAR` on it may decide."""
    effect: str
    """`used`, `never`, `opt_in`, `opt_out`, `choice` (a switch whose default is not given), `paid_opt_out` (a way out for
    paying users only), `free_only` (used on the free plan only), `by_plan` (a way out on some plans), or nothing."""
    audience: str | None = None
    """`business` or `consumer` where the words speak of paid or free plans."""
    special: frozenset[str] = frozenset()
    """Kinds of material, such as recordings, where nothing more general is named."""


PATTERNS: Final = NamedPatterns("evidence.toml")
_WAYS_OUT: Final = ("opt_out", "by_plan", "paid_opt_out")
NOTHING: Final = Evidence(NONE, "")
_GRADE: Final = attrgetter("grade")
_LONGEST: Final = 1200
"""A longer sentence joins too many things for its words to be one statement."""


def grade(finding: ClauseFinding) -> Evidence:
    """Say how explicitly a clause speaks of training with users' material.

    Parameters
    ----------
    finding : ClauseFinding
        Its quote and roles are read; rule, stance and level are not.

    Returns
    -------
    Evidence
        That of the sentence which says most.
    """
    if finding.scope.product == "connector":  # it may name material of users besides what a connector hands over
        words = plain(finding.quote).lower()
        others = _without(words, "elsewhere")
        limited = others == words or not _holds(others, "material")
    else:
        limited = finding.scope.product is not None
    return NOTHING if limited else grade_of(finding.quote, finding.roles)


@lru_cache(8_192)
def grade_of(quote: str, roles: Roles) -> Evidence:
    """Say the same of a clause that is no finding; kept, since versions repeat each other.

    Parameters
    ----------
    quote : str
    roles : Roles
        What its lead-in says counts where the clause leaves it out.

    Returns
    -------
    Evidence
    """
    words = plain(quote)
    graded = (_grade(said) for said in _statements(words) if len(said) <= _LONGEST)
    best = max(graded, key=_GRADE, default=NOTHING)
    if best.grade == NONE or best.effect not in ("used", "never"):
        return best
    if best.effect == "used" and (way_out := _way_out(plain(roles.condition or "").lower())):
        return best._replace(effect=way_out) if way_out in _WAYS_OUT else best
    if roles.actor in ("user", "third_party") and not _holds(words, "vendor"):
        return NOTHING
    if best.grade == VAGUE and roles.actor == "vendor" and roles.object:
        whole = _grade(f"We {roles.action or 'use'} {roles.object} to {words[:1].lower()}{words[1:]}")
        return max(best, whole, key=_GRADE)
    return best


@lru_cache(8_192)
def may_speak(quote: str, lead_in: str = "") -> bool:
    """Say whether a clause could speak of training with users' material: only where none could is a document silent.

    Parameters
    ----------
    quote : str
    lead_in : str
        Words that the clause continues.

    Returns
    -------
    bool
        False where it names no training or is surely about something else: users' duties, definitions, staff, models
        of others.
    """
    words, above = plain(quote), plain(lead_in)
    return _holds(words.lower(), "speaks") and any(_sentence_may_speak(said, above) for said in _statements(words))


def _statements(words: str) -> list[str]:
    """Cut words into sentences and leave out questions."""
    return [said for said in PATTERNS["sentence"].split(words) if not said.rstrip("*_\" '").endswith("?")]


def _sentence_may_speak(said: str, above: str) -> bool:
    """Say so of one sentence and of what leads it in."""
    whole = _without(said.lower(), "idiom", "hands_on", "own_models")
    words = _without(whole, "elsewhere")
    if (
        not _holds(words, "speaks")
        or _holds(words, "defines", "staff", "feedback", "brought", "bans", "speaks_of_else")
        or _holds(above.lower(), "bans", "speaks_of_else")
        or (words != whole and not _holds(_without(words, "about_use"), "material"))
        or (_holds(words, "others") and not _holds(words, "for_itself"))
    ):
        return False
    return _holds(f"{above} {said}", "vendor", "passive") or _holds(words, "material", "chinese")


def _holds(words: str, *names: str) -> bool:
    """Say whether words hold what one of the named patterns looks for."""
    return any(PATTERNS[name].search(words) for name in names)


def _without(words: str, *names: str) -> str:
    """Take out what the named patterns look for, one after the other."""
    for name in names:
        words = PATTERNS[name].sub(" ", words)
    return words


def as_unpaid(words: str) -> str:
    """Return lower-case words in which who has no paid plan has an unpaid one: the negation negates nothing else."""
    return PATTERNS["unpaid"].sub("have an unpaid", words)


def _grade(said: str) -> Evidence:
    """Grade one sentence."""
    words = _without(as_unpaid(said.lower()), "idiom")
    if _holds(said.lower(), "brought") or _holds(words, "defines", "staff", "feedback"):
        return NOTHING
    words = _without(words, "hands_on", "own_models")
    models = _holds(words, "trains_models", "improves", "trains_itself")
    training = models or _holds(words, "trains")
    for_itself = _holds(words, "for_itself")
    by_others = not for_itself and _holds(words, "others")
    if way_out := _way_out(words):
        of_others = by_others or (not for_itself and _holds(words, "shares"))
        return Evidence(VAGUE, way_out) if of_others else _of_a_way_out(way_out, words, training)
    if _holds(words, "bans"):
        return NOTHING
    if by_others or not training:
        vague = _holds(words, "shares" if by_others else "loosely") and not _holds(words, "never")
        return Evidence(VAGUE, "used") if vague else NOTHING
    return _of_a_use(words, said, models=models)


def _of_a_use(words: str, said: str, *, models: bool) -> Evidence:
    """Grade a sentence that speaks of training and names no way out."""
    effect = _effect(words)
    material = _without(words, "elsewhere")
    given = _holds(_without(material, "about_use"), "material")
    only_elsewhere = material != words and not given
    if only_elsewhere or (effect == "used" and _holds(words, "points")):
        return NOTHING
    vendor, special = _holds(said, "vendor"), frozenset(PATTERNS["special"].findall(material))
    if not given or _depends(words, effect) or not (vendor or _holds(words, "passive", "chinese")):
        grading = VAGUE
    else:
        grading = EXPLICIT if vendor and models else CLEAR
    return Evidence(grading, effect, audience_of(words), frozenset() if _holds(material, "general") else special)


def _way_out(words: str) -> str:
    """The way out that a sentence names; nothing where it names none."""
    if _holds(words, "partial"):
        return "partial"
    if _holds(words, "paid_way"):
        return "paid_opt_out"
    if _holds(words, "no_way_out"):
        return ""
    if _holds(words, "out"):
        return "by_plan" if _holds(words, "some_plans") or _free_only(words) else "opt_out"
    return "choice" if _holds(words, "choice") and not _holds(words, "never") else ""


def _of_a_way_out(effect: str, words: str, training: bool) -> Evidence:
    """Grade a sentence that names a way out: it must speak of training or of better models."""
    if effect == "partial" or _holds(words, "opted_out"):
        return NOTHING
    if not training:
        return NOTHING if effect == "choice" else Evidence(VAGUE, effect)
    material = _holds(_without(words, "elsewhere"), "material")
    return Evidence(EXPLICIT if material else CLEAR, effect, audience_of(words) if effect == "opt_out" else None)


def _effect(words: str) -> str:
    """What holds, by a sentence that names no way out."""
    if _free_only(words):
        return "free_only"
    if _holds(words, "never"):
        return "opt_in" if _holds(words, "unless_asked", "if_asked") else "never"
    return "opt_in" if _holds(words, "if_asked") and not _holds(words, "no_consent") else "used"


def _free_only(words: str) -> bool:
    """Say whether a sentence excepts the free plan from what it negates."""
    never = PATTERNS["never"].search(words)
    return never is not None and PATTERNS["free_only"].search(words, never.end()) is not None


def _depends(words: str, effect: str) -> bool:
    """Say whether what holds depends on something that the sentence does not settle."""
    if _holds(words, "not_by_themselves"):
        return True
    if effect == "used":
        limited = _holds(words, "conditioned") and not _holds(words, "as_used")
        return limited or "before we" in words or not _holds(words, "linked")
    return effect == "never" and _holds(words, "conditioned", "except") and not _holds(words, "paid")


def depends_on_plan(quote: str) -> bool:
    """Say whether a clause leaves a way out to the plan without naming who has it.

    Parameters
    ----------
    quote : str
    """
    return _holds(plain(quote).lower(), "depends_on_plan")


def audience_of(words: str) -> str | None:
    """Whom a sentence speaks of, where it names paid or free plans.

    Parameters
    ----------
    words : str
        Plain and lower-case.

    Returns
    -------
    str or None
        `consumer` or `business`.
    """
    if _holds(words, "free"):
        return "consumer"
    return "business" if _holds(words, "paid") else None


_PATTERNS: Final = NamedPatterns("duties.toml")


def is_duty(finding: ClauseFinding, words: str, above: str) -> bool:
    """Say whether a finding only binds users, or only says where to sign up.

    Parameters
    ----------
    finding : ClauseFinding
    words : str
        What a reader sees of its clause.
    above : str
        The lead-in of its list, else its heading; empty if it is no item.

    Returns
    -------
    bool
        False where the vendor is named as well, and on surfaces where the user's part is the term itself.
    """
    if _PATTERNS["sign_up"].match(words):
        return True
    if finding.surface == "training_use" and grade(finding).grade >= CLEAR:  # its words say that the vendor trains
        return False
    users_part = SURFACE_DESCRIPTIONS[finding.surface].users_part or _PATTERNS["grants"].match(words)
    actor = finding.roles.actor
    if users_part or any(map(_PATTERNS["vendor"].search, (words, above))) or actor not in (None, "user"):
        return False
    bound = actor == "user" and finding.polarity != "mitigates_risk"
    if bound or _PATTERNS["age"].search(words):
        return bound
    return bool(_PATTERNS["duty"].match(words) or _PATTERNS["above"].search(above))
