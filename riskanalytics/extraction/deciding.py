"""What one clause says on a surface that it speaks to: level, effect, answer on training, and what decided so."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from riskanalytics.extraction.learned import Kind, Reader
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


class Decision(NamedTuple):
    """What a clause says on one surface, and what decided so."""

    rule: str
    kind: Kind
    scope: Scope


class Looks(NamedTuple):
    """What the patterns of all surfaces say of a clause."""

    rules: tuple[Rule | None, ...]
    """The rule that takes it, for each of `riskanalytics.models.SURFACES`."""
    signs: tuple[str, ...]
    """The surfaces whose words it holds (`#surface`), and as a lookalike does (`!surface`)."""

    @property
    def names(self) -> list[str | None]:
        """Identifiers of the rules."""
        return [None if rule is None else rule.id for rule in self.rules]


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
    return Looks(tuple(look.rule for look in looks), tuple(signs))


class Said(NamedTuple):
    """A clause as it is decided on."""

    words: str
    """Plain and lower-case."""
    lead_in: str
    heading: str
    features: frozenset[str]
    """What the model sees of it, and around it."""
    size: float


def decide(reader: Reader, surface: str, said: Said, rule: Rule | None) -> Decision:
    """Decide what a clause says of a surface that it speaks to.

    Parameters
    ----------
    reader : Reader
        Weights to read by.
    surface : str
    said : Said
    rule : Rule, optional
        The rule that takes it.

    Returns
    -------
    Decision
        By the rule where the model reads level and effect as the rule does, else by the model.
    """
    kind = reader.kind(surface, said.features, said.size)
    if rule is not None and (rule.risk, rule.polarity) == kind[:2]:
        name, kind = rule.id, Kind(rule.risk, rule.polarity, rule.stance)
    else:
        name = f"{surface}.{kind.rule}"
    product = None if rule is None else rule.product
    return Decision(name, kind, scope_of(f"{said.lead_in} {said.words}".strip(), said.heading, product))
