"""How explicitly a clause says that the vendor trains models with users' material, or does not: from its own words.

A reading may take a clause for more than it says. What accuses or acquits a vendor is therefore read here a second
time, by a few general patterns, without regard to what took the clause. Four things must be in the words: the vendor
acts (no user, third party or staff); on material of its users (not feedback alone, what a connector or an identity
provider hands over, the public web, usage statistics); to train, fine-tune or improve models (not services alone, nor
the customer's own models); and what holds: it does, does not, only after consent, or with a way out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from riskanalytics.extraction import evidence_words as look
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.records import ClauseFinding, Roles

NONE, VAGUE, CLEAR, EXPLICIT = 0, 1, 2, 3
"""Grades: says nothing on it; speaks of it, and leaves out what would decide; says it, the vendor or the models being
understood; names vendor, material, training and what holds."""


class Evidence(NamedTuple):
    """What the words of a clause say on training with users' material."""

    grade: int
    """`NONE`, `VAGUE`, `CLEAR` or `EXPLICIT`; from `CLEAR` on it may decide."""
    effect: str
    """`used`, `never`, `opt_in`, `opt_out`, `choice` (a switch whose default is not told), `paid_opt_out` (a way out for
    paying users only), `free_only` (used on the free plan only), `by_plan` (a way out on some plans), or nothing."""
    audience: str | None = None
    """`business` or `consumer` where the words speak of paid or free plans."""
    special: frozenset[str] = frozenset()
    """Kinds of material, such as recordings, where nothing more general is named."""


_WAYS_OUT: Final = ("opt_out", "by_plan", "paid_opt_out")
NOTHING: Final = Evidence(NONE, "")
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
    return NOTHING if finding.scope.product is not None else grade_of(finding.quote, finding.roles)


@lru_cache(maxsize=20_000)
def grade_of(quote: str, roles: Roles) -> Evidence:
    """Say the same of a clause that is no finding; kept, since versions repeat each other.

    Parameters
    ----------
    quote : str
    roles : Roles
        What its lead-in tells counts where the clause leaves it out.

    Returns
    -------
    Evidence
    """
    words = plain(quote)
    told = [
        _grade(said)
        for said in look.SENTENCE.split(words)
        if len(said) <= _LONGEST and not said.rstrip("*_\" '").endswith("?")
    ]
    best = max(told, key=lambda one: one.grade, default=NOTHING)
    if best.grade == NONE or best.effect not in ("used", "never"):
        return best
    if best.effect == "used" and (way_out := _way_out(plain(roles.condition or "").lower())):
        return best._replace(effect=way_out) if way_out in _WAYS_OUT else best
    if roles.actor in ("user", "third_party") and not look.VENDOR.search(words):
        return NOTHING
    if best.grade == VAGUE and roles.actor == "vendor" and roles.object:
        whole = _grade(f"We {roles.action or 'use'} {roles.object} to {words[:1].lower()}{words[1:]}")
        return max(best, whole, key=lambda one: one.grade)
    return best


def _grade(said: str) -> Evidence:
    """Grade one sentence."""
    words = look.IDIOM.sub(" ", look.UNPAID.sub("have an unpaid", said.lower()))
    if look.BROUGHT.search(said.lower()):
        return NOTHING
    if look.DEFINES.search(words) or look.STAFF.search(words) or look.FEEDBACK.search(words):
        return NOTHING
    words = look.OWN_MODELS.sub(" ", look.HANDS_ON.sub(" ", words))
    models = bool(look.TRAINS_MODELS.search(words) or look.IMPROVES.search(words))
    training = models or look.TRAINS.search(words) is not None
    way_out = _way_out(words)
    by_others = look.OTHERS.search(words) and not look.FOR_ITSELF.search(words)
    if way_out:
        of_others = by_others or (look.SHARES.search(words) and not look.FOR_ITSELF.search(words))
        return Evidence(VAGUE, way_out) if of_others else _of_a_way_out(way_out, words, training)
    if look.BANS.search(words):
        return NOTHING
    if by_others or not training:
        vague = (look.SHARES if by_others else look.LOOSELY).search(words) and not look.NEVER.search(words)
        return Evidence(VAGUE, "used") if vague else NOTHING
    return _of_a_use(words, said, models=models)


def _of_a_use(words: str, said: str, *, models: bool) -> Evidence:
    """Grade a sentence that speaks of training and names no way out."""
    effect = _effect(words)
    material = look.ELSEWHERE.sub(" ", words)
    given = look.MATERIAL.search(look.ABOUT_USE.sub(" ", material)) is not None
    only_elsewhere = material != words and not given
    if only_elsewhere or (effect == "used" and look.POINTS.search(words)):
        return NOTHING
    grading = VAGUE if not given or _depends(words, effect) else _named(words, said, models=models)
    return Evidence(grading, effect, audience_of(words), _kinds(material))


def _way_out(words: str) -> str:
    """The way out that a sentence names; nothing where it names none."""
    if look.PARTIAL.search(words):
        return "partial"
    if look.PAID_WAY.search(words):
        return "paid_opt_out"
    if look.NO_WAY_OUT.search(words):
        return ""
    if look.OUT.search(words):
        never = look.NEVER.search(words)
        by_plan = look.SOME_PLANS.search(words) or (never and look.FREE_ONLY.search(words, never.end()))
        return "by_plan" if by_plan else "opt_out"
    if look.CHOICE.search(words) and not look.NEVER.search(words):
        return "choice"
    return ""


def _of_a_way_out(effect: str, words: str, training: bool) -> Evidence:
    """Grade a sentence that names a way out: it must speak of training or of better models."""
    if effect == "partial" or look.OPTED_OUT.search(words):
        return NOTHING
    if not training:
        return NOTHING if effect == "choice" else Evidence(VAGUE, effect)
    material = bool(look.MATERIAL.search(look.ELSEWHERE.sub(" ", words)))
    return Evidence(EXPLICIT if material else CLEAR, effect, audience_of(words) if effect == "opt_out" else None)


def _effect(words: str) -> str:
    """What holds, by a sentence that names no way out."""
    never = look.NEVER.search(words)
    if never and look.FREE_ONLY.search(words, never.end()):
        return "free_only"
    if never:
        return "opt_in" if look.UNLESS_ASKED.search(words) or look.IF_ASKED.search(words) else "never"
    return "opt_in" if look.IF_ASKED.search(words) and not look.NO_CONSENT.search(words) else "used"


def _depends(words: str, effect: str) -> bool:
    """Say whether what holds depends on something that the sentence does not settle."""
    if look.NOT_BY_THEMSELVES.search(words):
        return True
    if effect == "used":
        limited = look.CONDITIONED.search(words) and not look.AS_USED.search(words)
        return bool(limited or "before we" in words or not look.LINKED.search(words))
    excepted = look.CONDITIONED.search(words) or look.EXCEPT.search(words)
    return bool(effect == "never" and excepted and not look.PAID.search(words))


def _named(words: str, said: str, *, models: bool) -> int:
    """Grade a sentence that names training and material by whether vendor and models are named too."""
    vendor = look.VENDOR.search(said) is not None
    if not vendor and not look.PASSIVE.search(words) and not look.CHINESE.search(words):
        return VAGUE
    return EXPLICIT if vendor and models else CLEAR


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
    if look.FREE.search(words):
        return "consumer"
    return "business" if look.PAID.search(words) else None


def _kinds(material: str) -> frozenset[str]:
    """Special kinds of material, where no general one is named."""
    return frozenset() if look.GENERAL.search(material) else frozenset(look.SPECIAL.findall(material))
