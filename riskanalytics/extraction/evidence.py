"""Grade how explicitly a clause says that the vendor trains models with users' material, or that it does not.

The rules and the model may read more into a clause than it says. Therefore, before a clause decides a vendor's stance on training,
it is read a second time here, by a few general patterns, independently of the rule that matched it. Its words must say four things:

- who acts: the vendor (not a user, a third party or staff);
- on what: material of its users (feedback, data from a connector or an identity provider, the public web and usage
  statistics are not enough);
- for what: to train, fine-tune or improve models (improving services is not enough, nor is training the customer's own models);
- with which effect: the vendor does, does not, does only after consent, or does with a way out, such as an opt-out.
"""

from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

from .learned import load_head
from .plain import plain
from .records import ClauseFinding, Roles
from .rules import NamedPatterns

NONE, VAGUE, CLEAR, EXPLICIT = 0, 1, 2, 3
"""Grades. `NONE`: the clause says nothing about training with users' material. `VAGUE`: it speaks of such training, but
leaves out the deciding words. `CLEAR`: it says whether the vendor trains, but only implies the vendor or the models.
`EXPLICIT`: it names vendor, material, training and effect."""


class Evidence(NamedTuple):
    """What a clause says about training with users' material, and how explicitly.

    `grade` says how explicitly, from `NONE` (0) to `EXPLICIT` (3); `effect` says whether the vendor trains, such as `never` or
    `opt_out`; `audience` is `consumer` or `business`, or None if the clause names neither free nor paid plans; `special` names
    special kinds of material, such as recordings.
    """

    grade: int
    """`NONE`, `VAGUE`, `CLEAR` or `EXPLICIT`; a clause may decide a stance if its grade is at least `CLEAR`."""
    effect: str
    """`used`, `never`, `opt_in`, `opt_out`, `choice` (a switch whose default is not given), `paid_opt_out` (a way out for
    paying users only), `free_only` (used on the free plan only), `by_plan` (a way out on some plans), or empty."""
    audience: str | None = None
    """`business` or `consumer` if the words name paid or free plans."""
    special: frozenset[str] = frozenset()
    """Special kinds of material, such as recordings; empty if the words also name material in general."""


PATTERNS: Final = NamedPatterns("evidence.toml")
_WAYS_OUT: Final = ("opt_out", "by_plan", "paid_opt_out")
NOTHING: Final = Evidence(NONE, "")
_GRADE: Final = attrgetter("grade")
_LONGEST: Final = 1200
"""Longest sentence that is graded, in characters; a longer one joins too many statements."""


def grade(finding: ClauseFinding) -> Evidence:
    """Grade how explicitly a finding speaks of training with users' material.

    Parameters
    ----------
    finding : ClauseFinding
        Normally, only its quote, roles and product count, not its rule, stance and level. But if language models judged the
        finding (`read_by`), its stance and confidence decide.

    Returns
    -------
    Evidence
        The evidence of the quote's most explicit sentence. `NOTHING` (grade `NONE`) if the clause is limited to one product
        (`scope.product`). But a clause limited to a connector (an integration) is graded if it also names users' material
        that does not come from the connector.
    """
    if finding.rule.rpartition(".")[2] in (READ, CONDITIONAL):
        return _grade_of_verdict(finding)
    limited = finding.scope.product is not None
    if finding.scope.product == "connector":  # it may also name material that does not come from a connector
        words = plain(finding.quote).lower()
        others = _without(words, "elsewhere")
        limited = others == words or not _holds(others, "material")
    return NOTHING if limited else grade_of(finding.quote, finding.roles)


READ, CONDITIONAL = "read", "read_if"
"""Last part of `rule` of a finding by language models; `CONDITIONAL` if it depends on a condition that the clause leaves open."""
_BY_STANCE: Final = {
    "trains_by_default": "used", "trains_with_opt_out": "opt_out", "trains_with_opt_in": "opt_in", "does_not_train": "never",
    "depends_on_plan": "by_plan",
}  # fmt: skip
_LEAST: Final = float(load_head()["shown"])
"""A verdict with a smaller confidence is a lead, and no evidence."""


def _grade_of_verdict(finding: ClauseFinding) -> Evidence:
    """Grade a finding that readers judged, by its stance."""
    effect = _BY_STANCE.get(finding.stance or "")
    if effect is None or finding.scope.product is not None or finding.confidence < _LEAST:
        return NOTHING
    leaves_open = finding.rule.endswith(f".{CONDITIONAL}") and effect in ("used", "never")
    special = _special(plain(finding.quote).lower())
    return Evidence(VAGUE if leaves_open else EXPLICIT, effect, finding.scope.audience, special)


def _special(words: str) -> frozenset[str]:
    """Return the special kinds of material that words name, such as recordings; empty if they also name material in general."""
    found = frozenset(PATTERNS["special"].findall(words))
    return frozenset() if _holds(_without(words, "special_data"), "general") else found


@lru_cache(8_192)
def grade_of(quote: str, roles: Roles) -> Evidence:
    """Grade how explicitly the words of any clause speak of training with users' material.

    Results are cached, since versions of a text repeat each other.

    Parameters
    ----------
    quote : str
        The clause as it is in the snapshot.
    roles : Roles
        Who does what, under which condition (see `sense.roles_of`). The roles supply what only the lead-in of the quote says:
        the vendor, the action or a way out.

    Returns
    -------
    Evidence
        The evidence of the most explicit sentence; `NOTHING` if no sentence speaks of such training.
    """
    words = plain(quote)
    graded = (_grade(sentence) for sentence in _sentences(words) if len(sentence) <= _LONGEST)
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
    """Return whether a clause could speak of training with users' material.

    A document with such a clause is not silent on training.

    Parameters
    ----------
    quote : str
        The clause as it is in the snapshot.
    lead_in : str
        Introductory words before the clause.

    Returns
    -------
    bool
        False if the clause names no training, or is certainly about something else: users' duties, definitions, staff or
        models of other companies.
    """
    words, above = plain(quote), plain(lead_in)
    return _holds(words.lower(), "speaks") and any(_sentence_may_speak(part, above) for part in _sentences(words))


def _sentences(words: str) -> list[str]:
    """Cut words into sentences and leave out questions."""
    sentences = PATTERNS["sentence"].split(words)
    return [sentence for sentence in sentences if not sentence.rstrip("*_\" '").endswith("?")]


def _sentence_may_speak(sentence: str, above: str) -> bool:
    """Return whether one sentence could speak of training with users' material, given the lead-in above it."""
    whole = _without(sentence.lower(), "idiom", "hands_on", "own_models")
    words = _without(whole, "elsewhere")
    if (
        not _holds(words, "speaks")
        or _holds(words, "defines", "staff", "feedback", "brought", "bans", "speaks_of_else")
        or _holds(above.lower(), "bans", "speaks_of_else")
        or (words != whole and not _holds(_without(words, "about_use"), "material"))
        or (_holds(words, "others") and not _holds(words, "for_itself"))
    ):
        return False
    return _holds(f"{above} {sentence}", "vendor", "passive") or _holds(words, "material", "chinese")


def _holds(words: str, *names: str) -> bool:
    """Return whether one of the named patterns matches in the words."""
    return any(PATTERNS[name].search(words) for name in names)


def _without(words: str, *names: str) -> str:
    """Remove the matches of the named patterns, one pattern after the other."""
    for name in names:
        words = PATTERNS[name].sub(" ", words)
    return words


def as_unpaid(words: str) -> str:
    """Return lower-case text with each "does not have a paid", "is not on a paid" or "without a paid" as "have an unpaid".

    Then no negation remains that another pattern could take for a denial of training.
    """
    return PATTERNS["unpaid"].sub("have an unpaid", words)


def _grade(sentence: str) -> Evidence:
    """Grade one sentence."""
    words = _without(as_unpaid(sentence.lower()), "idiom")
    if _holds(sentence.lower(), "brought") or _holds(words, "defines", "staff", "feedback"):
        return NOTHING
    words = _without(words, "hands_on", "own_models")
    models = _holds(words, "trains_models", "improves", "trains_itself")
    training = models or _holds(words, "trains")
    for_itself = _holds(words, "for_itself")
    by_others = not for_itself and _holds(words, "others")
    if way_out := _way_out(words):
        of_others = by_others or (not for_itself and _holds(words, "shares"))
        return Evidence(VAGUE, way_out) if of_others else _grade_of_way_out(way_out, words, training)
    if _holds(words, "bans"):
        return NOTHING
    if by_others or not training:
        vague = _holds(words, "shares" if by_others else "loosely") and not _holds(words, "never")
        return Evidence(VAGUE, "used") if vague else NOTHING
    return _grade_of_use(words, sentence, models=models)


def _grade_of_use(words: str, sentence: str, *, models: bool) -> Evidence:
    """Grade a sentence that speaks of training and names no way out."""
    effect = _effect(words)
    material = _without(words, "elsewhere")
    given = _holds(_without(material, "about_use"), "material")
    only_elsewhere = material != words and not given
    if only_elsewhere or (effect == "used" and _holds(words, "points")):
        return NOTHING
    vendor = _holds(sentence, "vendor")
    if not given or _depends(words, effect) or not (vendor or _holds(words, "passive", "chinese")):
        grading = VAGUE
    else:
        grading = EXPLICIT if vendor and models else CLEAR
    return Evidence(grading, effect, audience_of(words), _special(material))


def _way_out(words: str) -> str:
    """Return the way out that a sentence names; empty if it names no way out."""
    if _holds(words, "partial"):
        return "partial"
    if _holds(words, "paid_way"):
        return "paid_opt_out"
    if _holds(words, "no_way_out"):
        return ""
    if _holds(words, "out"):
        return "by_plan" if _holds(words, "some_plans") or _free_only(words) else "opt_out"
    return "choice" if _holds(words, "choice") and not _holds(words, "never") else ""


def _grade_of_way_out(effect: str, words: str, training: bool) -> Evidence:
    """Grade a sentence that names a way out; if it does not name training, it is vague at most."""
    if effect == "partial" or _holds(words, "opted_out"):
        return NOTHING
    if not training:
        return NOTHING if effect == "choice" else Evidence(VAGUE, effect)
    material = _without(words, "elsewhere")
    grading = EXPLICIT if _holds(material, "material") else CLEAR
    audience = audience_of(words) if effect == "opt_out" else None
    return Evidence(grading, effect, audience, _special(material))


def _effect(words: str) -> str:
    """Return the effect of a sentence that names no way out: used, never, only after consent, or on the free plan only."""
    if _free_only(words):
        return "free_only"
    if _holds(words, "never"):
        return "opt_in" if _holds(words, "unless_asked", "if_asked") else "never"
    return "opt_in" if _holds(words, "if_asked") and not _holds(words, "no_consent") else "used"


def _free_only(words: str) -> bool:
    """Return whether a sentence excepts the free plan from its negation."""
    never = PATTERNS["never"].search(words)
    return never is not None and PATTERNS["free_only"].search(words, never.end()) is not None


def _depends(words: str, effect: str) -> bool:
    """Return whether the effect depends on a condition that the sentence leaves open."""
    if _holds(words, "not_by_themselves"):
        return True
    if effect == "used":
        limited = _holds(words, "conditioned") and not _holds(words, "as_used")
        return limited or "before we" in words or not _holds(words, "linked")
    return effect == "never" and _holds(words, "conditioned", "except") and not _holds(words, "paid")


def depends_on_plan(quote: str) -> bool:
    """Return whether a clause says that an opt-out depends on the user's plan, but not which plans have it.

    Parameters
    ----------
    quote : str
        The clause as it is in the snapshot.
    """
    return _holds(plain(quote).lower(), "depends_on_plan")


def audience_of(words: str) -> str | None:
    """Return the audience of a sentence that names paid or free plans.

    Parameters
    ----------
    words : str
        The sentence, plain and lower-case.

    Returns
    -------
    str or None
        `consumer` for free plans, `business` for paid ones; None if no plan is named.
    """
    if _holds(words, "free"):
        return "consumer"
    return "business" if _holds(words, "paid") else None


_PATTERNS: Final = NamedPatterns("duties.toml")


def is_duty(finding: ClauseFinding, words: str, above: str) -> bool:
    """Return whether a finding only states a duty of users, or only invites them to sign up.

    Parameters
    ----------
    finding : ClauseFinding
        A finding of any surface.
    words : str
        The plain words of the finding's clause.
    above : str
        The words that introduce the clause: the lead-in of its list, the first row of its table, or, for a list item without a
        lead-in, the heading of its list; else empty.

    Returns
    -------
    bool
        True for an invitation to sign up, and for a duty of users. A clause that names the vendor, or a clause on a surface that
        is about what users grant or accept, is no duty of users.
    """
    if _PATTERNS["sign_up"].match(words):
        return True
    if finding.surface == "training_use" and grade(finding).grade >= CLEAR:  # it names the vendor's training
        return False
    users_part = SURFACE_DESCRIPTIONS[finding.surface].users_part or _PATTERNS["grants"].match(words)
    actor = finding.roles.actor
    if users_part or any(map(_PATTERNS["vendor"].search, (words, above))) or actor not in (None, "user"):
        return False
    bound = actor == "user" and finding.polarity != "mitigates_risk"
    if bound or _PATTERNS["age"].search(words):
        return bound
    return bool(_PATTERNS["duty"].match(words) or _PATTERNS["above"].search(above))
