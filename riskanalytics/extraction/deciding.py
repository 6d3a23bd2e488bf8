"""What one clause says on a surface: level, effect, answer on training, what decided so, and how sure that is."""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import Final, NamedTuple

from riskanalytics.extraction.learned import POLARITIES, Kind, Reader
from riskanalytics.extraction.plain import remembered
from riskanalytics.extraction.records import Scope
from riskanalytics.extraction.rules import RuleSet, load_rules, patterns_of
from riskanalytics.extraction.sense import scope_of
from riskanalytics.surfaces import SURFACES
from riskanalytics.surfaces.declared import RuleTable

RULES: Final[RuleSet] = load_rules()
_PATTERNS: Final = patterns_of("deciding.toml")
_CLEARLY, _DESPITE = 0.3, 1.0
"""How far level and effect must be ahead of all others; of findings nearer to them, half were right on both. The second:
where a clause raises the risk by the model, and not by its rule or some of its words."""


class Decision(NamedTuple):
    """What a clause says on one surface, and what decided so."""

    rule: str
    kind: Kind
    scope: Scope
    clear: bool
    """Whether its words alone decide level and effect, or the model is far from any other."""


class Looks(NamedTuple):
    """What the patterns of all surfaces say of a clause."""

    rules: dict[str, RuleTable]
    """Surface -> the rule that takes it."""
    signs: tuple[str, ...]
    """The learned surfaces whose words it holds (`#surface`), and as a lookalike does (`!surface`)."""
    names: tuple[str | None, ...]
    """For each learned surface, the identifier of the rule."""


def by_patterns(words: str, lead_in: str = "", learned: Sequence[str] = SURFACES) -> Looks:
    """Look at a clause by the patterns of all surfaces.

    Parameters
    ----------
    words, lead_in : str
        Plain and lower-case.
    learned : sequence of str, optional
        The surfaces that the model knows: what it is shown of others would blur what it sees of these.

    Returns
    -------
    Looks
    """
    words, with_lead = _without_idioms(words, lead_in)
    looks = {surface.id: surface.look(words, with_lead) for surface in RULES.surfaces}
    rules = {name: look.rule for name, look in looks.items() if look.rule is not None}
    signs = [f"#{name}" for name in learned if looks[name].triggered]
    signs += [f"!{name}" for name in learned if looks[name].excluded]
    return Looks(rules, tuple(signs), tuple(rules[name].id if name in rules else None for name in learned))


class Said(NamedTuple):
    """A clause as it is decided on."""

    words: str
    """Plain and lower-case."""
    lead_in: str
    heading: str
    features: frozenset[str]
    """What the model sees of it, and around it."""
    size: float


def decide(reader: Reader, surface: str, said: Said, rule: RuleTable | None, confidence: float) -> Decision:
    """Decide what a clause says of a surface that it speaks to.

    Parameters
    ----------
    reader : Reader
        Weights to read by.
    surface : str
    said : Said
    rule : Rule, optional
        The rule that takes it.
    confidence : float
        Chance that it speaks to the surface.

    Returns
    -------
    Decision
        By the rule where the model reads level and effect as the rule does or does not know the surface, else by the
        model.
    """
    scope = scope_of(f"{said.lead_in} {said.words}".strip(), said.heading, None if rule is None else rule.product)
    if rule is not None and surface not in reader.surfaces:
        return Decision(rule.id, Kind(rule.risk, rule.polarity, rule.stance), scope, clear=True)
    words, with_lead = _without_idioms(said.words, said.lead_in)
    effects = effects_of(said.words, _PATTERNS["idiom"].sub(" ", said.lead_in))
    agreed = rule is not None and rule.risk == "HIGH"
    kind, ahead = reader.kind(surface, said.features, said.size, effects, confidence=confidence, agreed=agreed)
    kinder = _PATTERNS["seldom"].search(with_lead) or (rule is not None and rule.polarity != kind.polarity)
    least = _DESPITE if kinder and kind.polarity == "raises_risk" else _CLEARLY
    name = f"{surface}.{kind.rule}"
    if rule is not None and (rule.risk, rule.polarity) == kind[:2]:
        name, kind = rule.id, Kind(rule.risk, rule.polarity, rule.stance)
    effect = RULES.by_surface[surface].effect(words, with_lead)
    if effect is not None and (effect.risk, effect.polarity) != kind[:2]:
        name, kind = effect.id, Kind(effect.risk, effect.polarity, effect.stance or kind.stance)
    return Decision(name, kind, scope, clear=effect is not None or ahead >= least)


def _without_idioms(words: str, lead_in: str) -> tuple[str, str]:
    """Return a clause alone and behind its lead-in, without turns of phrase that negate nothing."""
    words, lead_in = (_PATTERNS["idiom"].sub(" ", part) for part in (words, lead_in))
    return words, f"{lead_in} {words}".strip() if lead_in else words


@remembered(20_000)
def effects_of(words: str, lead_in: str) -> frozenset[str]:
    """Return the effects on the risk that the words of a clause admit; kept, since versions repeat each other.

    Parameters
    ----------
    words, lead_in : str
        Plain and lower-case.

    Returns
    -------
    frozenset of str
    """
    if _PATTERNS["negated"].search(lead_in) and not _PATTERNS["excepted"].search(f"{lead_in} {words}"):
        return POLARITIES - {"raises_risk"}
    return POLARITIES if _PATTERNS["protects"].search(f"{lead_in} {words}") else POLARITIES - {"mitigates_risk"}


_Z: Final = 1.959964


def wilson(right: float, judged: float) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a proportion.

    Parameters
    ----------
    right, judged : float
        Successes and trials; 0 <= right <= judged.

    Returns
    -------
    tuple of float
        Lower and upper bound; (0, 1) without trials.
    """
    if judged == 0:
        return 0.0, 1.0
    share = right / judged
    middle = share + _Z * _Z / (2 * judged)
    width = _Z * math.sqrt(share * (1 - share) / judged + _Z * _Z / (4 * judged * judged))
    scale = 1 + _Z * _Z / judged
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


@functools.cache
def accuracy() -> dict[str, object]:
    """Return how well documents are read that were labelled whole, as last measured.

    Returns
    -------
    dict
        A table for each part of the labels that was scored (`calibrate`, `test`, `unseen`), and `withdrawn`, what was
        published before; see `tests/accuracy/record.py`. Read once in a process: not to be changed.
    """
    path = resources.files(__package__).joinpath("rules", "measured.toml")
    return dict(tomllib.loads(path.read_text(encoding="utf-8"))["figures"])
