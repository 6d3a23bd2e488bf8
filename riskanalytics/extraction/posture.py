"""Find the facts of the posture feed that a clause states, and the routes (consumer, business, API) for which the facts hold.

Only explicit words count. As in `evidence`, a clause is read a second time here, by separate patterns and independently of the rule
that found the clause. A clause that leaves out a deciding word states nothing. A clause with an exception, or a clause that holds
only for some users, content, models, features or products, states a fact `partly`, and promises nothing.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from riskanalytics.models import audience_of_document
from riskanalytics.models.records import NO, ON_REQUEST, OPT_IN, PARTLY, ROUTES, YES

from .evidence import CLEAR, grade, grade_of
from .evidence import PATTERNS as TRAINING
from .plain import plain
from .records import ClauseFinding
from .rules import NamedPatterns
from .units import units_of

_PATTERNS: Final = NamedPatterns("posture.toml")
_RULES: Final = {name: name.split(".") for name in _PATTERNS.table.patterns if name.count(".") == 2}
SURFACES_READ: Final = list(dict.fromkeys(surface for surface, _, _ in _RULES.values()))
"""Surfaces whose clauses state facts."""
_AUDIENCES: Final = NamedPatterns("scope.toml")
_IN_PART: Final = dict.fromkeys((YES, ON_REQUEST, PARTLY), PARTLY)
"""What a value becomes if its clause holds only in part; a clause with another value then states nothing."""
_ROUTE_OF: Final = dict(zip(("consumer", "business", "developer"), ROUTES, strict=True))


@lru_cache(8_192)
def stated_by(finding: ClauseFinding) -> dict[str, str]:
    """Return the facts that a clause states.

    Parameters
    ----------
    finding : ClauseFinding
        A finding on one of `SURFACES_READ`.

    Returns
    -------
    dict of str to str
        Fact -> `yes`, `no`, `not_by_default`, `on_request` or `partly`; for `retention` a duration in ISO 8601, such as `P30D`.
        Facts that the clause does not state, or on which its sentences differ, are missing. The dict is cached: do not change it.
    """
    found: dict[str, set[str]] = {}
    above = plain(finding.lead_in.quote if finding.lead_in else "").lower()
    for sentence in TRAINING["sentence"].split(plain(finding.quote)):
        if len(sentence) <= 700 and not sentence.rstrip().endswith("?"):
            for fact, value in _said(sentence.lower(), above, finding.surface).items():
                found.setdefault(fact, set()).add(value)
    for fact, value in _of_training(finding, above) if finding.surface == "training_use" else ():
        found.setdefault(fact, set()).add(value)
    return {fact: value for fact, values in found.items() for value in values if value and len(values) == 1}


def in_region(finding: ClauseFinding, text: str) -> dict[str, str]:
    """Return the facts that a clause states if it is limited to a region, by its own words or by a heading below the title.

    Parameters
    ----------
    finding : ClauseFinding
        A finding on one of `SURFACES_READ`.
    text : str
        The text of the snapshot that contains the clause.

    Returns
    -------
    dict of str to str
        Fact -> value as in `stated_by`, but `partly` instead of `yes` and `on_request`, and an empty text instead of other values.
        If the clause states a way out of training, its value of `trains` is unchanged: the way out is limited to the region,
        the training is not. The dict is empty if the clause is not limited to a region.
    """
    headed = _PATTERNS["region_heading"].search(text, 0, finding.start)  # to cut a text into units is slow
    above = (unit.headings[1:] for unit in units_of(text) if unit.clause.start == finding.start) if headed else ()
    if finding.scope.region is None and not any(_PATTERNS["region_named"].search("\n".join(names)) for names in above):
        return {}
    stated = stated_by(finding)
    return {of: one if of == "trains" and "opt_out" in stated else _IN_PART.get(one, "") for of, one in stated.items()}


def routes_of(finding: ClauseFinding, document: str, text: str = "") -> set[str]:
    """Return the routes (ways to use a platform) to which a clause applies, by its own words, else its heading, else its document.

    Parameters
    ----------
    finding : ClauseFinding
        The finding of the clause.
    document : str
        Name of the document that contains the clause.
    text : str
        The text of the snapshot that contains the clause. It may say that the document is not meant for consumers.

    Returns
    -------
    set of str
        One or more of `consumer`, `business` and `api`. If none of these three names a route, only `consumer`:
        businesses and users of an API often have a separate contract, and then the policies for everybody do not apply to them.
    """
    whole = plain(f"{finding.lead_in.quote if finding.lead_in else ''} {finding.quote}").lower()
    words = _PATTERNS["elsewhere"].sub(" ", whole)
    named = {route for name, route in _ROUTE_OF.items() if _AUDIENCES[name].search(words)}
    if not named and _PATTERNS["api"].search(words):
        return {"api"}
    if named or (finding.scope.audience and not any(_AUDIENCES[name].search(whole) for name in _ROUTE_OF)):
        return named or {_ROUTE_OF[finding.scope.audience or ""]}
    whole = audience_of_document(document) or ("business" if _PATTERNS["not_consumers"].search(text) else "")
    return {"business": {"business", "api"}, "developer": {"api"}}.get(whole, {"consumer"})


def is_by_plan(finding: ClauseFinding) -> bool:
    """Return whether a clause is limited to free or to paid plans."""
    return _says(finding, "plan")


def is_exception(finding: ClauseFinding) -> bool:
    """Return whether a clause says that the vendor trains on some content even if users opt out."""
    return _says(finding, "training_use.opt_out.partly")


def only_way_out(finding: ClauseFinding) -> bool:
    """Return whether a clause offers a way out of training, and only presupposes that the vendor trains."""
    return _says(finding, "only_way_out")


def uses_with_feedback(finding: ClauseFinding) -> bool:
    """Return whether a clause on training says that the vendor uses content on which users give feedback."""
    return finding.surface == "training_use" and _says(finding, "with_feedback")


def _says(finding: ClauseFinding, name: str) -> bool:
    """Return whether the plain words of a clause match a pattern."""
    return _PATTERNS[name].search(plain(finding.quote).lower()) is not None


def _said(words: str, above: str, surface: str) -> dict[str, str]:
    """Return the facts that a sentence states."""
    whole, said = f"{above} {words}".strip(), dict[str, str]()
    for rule, (of, fact, value) in _RULES.items():
        if of == surface and _PATTERNS[rule].search(words) and not _PATTERNS[f"{rule}.not"].search(whole):
            said.setdefault(fact, _period(words) if value == "period" else value)
    return {fact: _as_limited(fact, value, whole) for fact, value in said.items()}


def _as_limited(fact: str, value: str, words: str) -> str:
    """Return the value of a fact, limited if the words limit the fact."""
    return _IN_PART.get(value, "") if _PATTERNS[f"{fact}.limited"].search(words) else value


def _period(words: str) -> str:
    """Return the only period that a sentence names, as a duration in ISO 8601; empty if it names more than one."""
    found = {(one["number"], one["unit"].split()[-1][0].upper()) for one in _PATTERNS["period"].finditer(words)}
    return "".join(f"P{'T' * (unit == 'H')}{int(number)}{unit}" for number, unit in found) if len(found) == 1 else ""


def _of_training(finding: ClauseFinding, above: str) -> Iterator[tuple[str, str]]:
    """Yield the facts on training that the graded evidence of a clause states."""
    words, roles = plain(finding.quote), finding.roles._replace(condition=None)  # it may be in the next sentence
    effect, own = (one.effect if one.grade >= CLEAR else "" for one in (grade(finding), grade_of(finding.quote, roles)))
    if effect in ("used", "opt_out", "choice") and not _PATTERNS["open_default"].search(words):
        yield "trains", _as_limited("trains", YES, f"{above} {words}".lower())
    elif effect in ("never", "opt_in") and not _PATTERNS["not_of_all"].search(words):
        yield "trains", OPT_IN if effect == "opt_in" or _PATTERNS["by_default"].search(words) else NO
    if own in ("opt_out", "choice", "paid_opt_out", "by_plan") and not _PATTERNS["no_way_out"].search(words):
        yield "opt_out", PARTLY if own in ("paid_opt_out", "by_plan") else _as_limited("opt_out", YES, words.lower())
