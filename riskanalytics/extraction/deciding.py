"""What one clause says on each surface: the rules decide, and a linear model checks them and fills their gaps."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from riskanalytics.extraction.learned import POLARITIES, Kind, Reader, load_reader
from riskanalytics.extraction.learned.features import see
from riskanalytics.extraction.plain import is_chinese
from riskanalytics.extraction.records import Scope
from riskanalytics.extraction.rules import Rule, RuleSet, load_rules
from riskanalytics.extraction.scope import scope_of
from riskanalytics.models import SURFACES

RULES: Final[RuleSet] = load_rules()
_IDIOM: Final = re.compile(
    r",? ?\b(?:including,?|but|are|is)? ?(?:not limited to|without limitation)\b"
    r"|\bnot only\b|\bwhether or not\b|\bno matter\b"
    r"|\bfor the avoidance of doubt\b"
)
"""Turns of phrase that hold a negation and negate nothing."""
_SHORTEST: Final = 12
_SHORTEST_CHINESE: Final = 5
_FEWEST_STEMS: Final = 6
_FEWEST_UNDER_LEAD: Final = 3
"""A clause of fewer words is a title, and is not taken without a rule; under a lead-in fewer say enough."""
_PROTECTIVE: Final = frozenset(("mitigates_risk", "neutral"))
_NOT_PROTECTIVE: Final = frozenset(("raises_risk", "neutral"))
_NEGATED: Final = re.compile(r"\bnot\b|\bnever\b|n't\b|\bno\b|不会|不得|不将")
_EXCEPTED: Final = re.compile(r"\bexcept|\bunless\b|\bother than\b|除")
_PROTECTS: Final = re.compile(
    r"\bnot\b|\bnever\b|n't\b|\bno\b|\bnor\b|\bneither\b|\bcannot\b|\bonly\b|\bsolely\b|\bstrictly\b|\bwithout\b|\bunless\b|"
    r"\bopt|\bconsent|\bpermission|\bdelet|\beras|\bremov|\bwithin\b|\bdays?\b|\bhours?\b|anonym|de-?identif|pseudonym|\blimit|"
    r"\bown|\bretain|\bkeep|\bassign|\bbelong|\btitle\b|\brights?\b|\bdefend|indemn|\bwarrant|safeguard|contractual|clauses|"
    r"adequa|framework|\bbound\b|confidential|\bnoti|\badvance|\bprior\b|\bobject|withdraw|\brevok|\bchoose|\bchoice|\bcontrol|"
    r"disabl|\bturn|\bswitch|\bset(?:ting)?s?\b|request|\bprevent|\bblock|\breject|\bdecline|\bterminat|\bcancel|\bends?\b|"
    r"\bexclu|\bage\b|\byears\b|\bunder\b|\bstop|\bcease|robots|respect|\bprotect|\brefrain|\bfree\b|\bcommercial|"
    r"不|未|无|仅|除|删除|同意|归|通知|拒绝|关闭|撤回|注销|匿名|去标识|选择|境内|权"
)
"""Words without which nothing protects anybody: a clause that holds none of them is not taken for a promise."""


class Decision(NamedTuple):
    """What a clause says on one surface, and what decided so."""

    surface: str
    rule: str
    kind: Kind
    scope: Scope


class Looks(NamedTuple):
    """What the patterns of all surfaces say of a clause."""

    rules: list[Rule | None]
    """The rule that takes it, for each of `riskanalytics.models.SURFACES`."""
    signs: list[str]
    """The surfaces whose words it holds (`#surface`), and as a lookalike does (`!surface`)."""


def by_patterns(words: str, lead_in: str = "") -> Looks:
    """Look at a clause by the patterns of all surfaces.

    Parameters
    ----------
    words, lead_in : str
        Plain and lower-case.

    Returns
    -------
    Looks
    """
    words = _IDIOM.sub(" ", words)
    with_lead = f"{_IDIOM.sub(' ', lead_in)} {words}".strip() if lead_in else words
    looks = [surface.look(words, with_lead) for surface in RULES.surfaces]
    signs = [f"#{name}" for name, look in zip(SURFACES, looks, strict=True) if look.triggered]
    signs += [f"!{name}" for name, look in zip(SURFACES, looks, strict=True) if look.excluded]
    return Looks([look.rule for look in looks], signs)


@lru_cache(maxsize=100_000)
def decide(words: str, lead_in: str = "", heading: str = "") -> tuple[Decision, ...]:
    """Decide on a clause by all surfaces; kept, since most clauses of a changed block stood in the last.

    Parameters
    ----------
    words, lead_in, heading : str
        Plain and lower-case.

    Returns
    -------
    tuple of Decision
        At most one for each surface.
    """
    return decide_with(load_reader(), words, lead_in, heading)


def decide_with(reader: Reader, words: str, lead_in: str = "", heading: str = "") -> tuple[Decision, ...]:
    """Decide on a clause with given weights.

    Parameters
    ----------
    reader : Reader
    words, lead_in, heading : str
        Plain and lower-case.

    Returns
    -------
    tuple of Decision
        At most one for each surface.
    """
    if len(words) < (_SHORTEST_CHINESE if is_chinese(words) else _SHORTEST):
        return ()
    looks = by_patterns(words, lead_in)
    seen = see(words, lead_in, heading, looks.signs)
    a_sentence = seen.stems >= (_FEWEST_UNDER_LEAD if lead_in else _FEWEST_STEMS)
    found = []
    for place, score in enumerate(reader.scores(seen)):
        surface, rule = SURFACES[place], looks.rules[place]
        if rule is not None and score >= reader.keep[place]:
            kind, name, product = Kind(rule.risk, rule.polarity, rule.stance), rule.id, rule.product
        elif a_sentence and score >= reader.take[place]:
            kind, product = reader.kind(surface, seen, _effects(words, lead_in)), None
            name = f"{surface}.{kind.rule}"
        else:
            continue
        found.append(Decision(surface, name, kind, scope_of(f"{lead_in} {words}".strip(), heading, product)))
    return tuple(found)


def _effects(words: str, lead_in: str) -> frozenset[str]:
    """Effects on the risk that the words of a clause admit."""
    if _NEGATED.search(lead_in) and not _EXCEPTED.search(words):
        return _PROTECTIVE
    return POLARITIES if _PROTECTS.search(f"{lead_in} {words}") else _NOT_PROTECTIVE
