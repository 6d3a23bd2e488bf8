"""Surfaces and rules as data: loading, checking, and deciding on one clause.

A rule looks at plain, lower-case words. Every pattern of `own` must be found in the clause itself, every
pattern of `context` in its lead-in and the clause together, and none of `none` in either. A surface's
`exclude` speaks for all its rules: duties of the user, headings, questions, lookalikes. Rules are tried in
the order of the file; the first that holds decides. Phrases of `ignore` that carry a surface's words and mean
something else are taken out before anything is looked at.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, Final

from riskanalytics.errors import ExtractionError
from riskanalytics.models import RATINGS, STANCES, SURFACES

FILES: Final = ("training_use.toml", "content.toml", "data.toml", "people.toml")
_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_SURFACE_KEYS: Final = {"surface", "title", "keywords", "trigger", "ignore", "exclude", "context", "rule"}
_RULE_KEYS: Final = {
    "id", "own", "context", "none", "risk", "alone", "polarity", "stance", "product",
    "opposes", "examples", "lead_examples", "counter"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which a clause may speak to a surface.

    Parameters
    ----------
    id : str
        `surface.name`; stable, shown with each finding.
    own, context, none : tuple of compiled patterns
        See the module.
    risk, polarity : str
        What the finding is given.
    alone : str, optional
        Level where the text names no way out.
    stance, product : str, optional
        On training use, the answer that the clause gives; what it limits itself to.
    opposes : tuple of str
        Rules that say the opposite.
    examples, counter : tuple of (lead-in, clause)
        Sentences that the rule must take, and must leave; they are its tests.
    """

    id: str
    own: tuple[re.Pattern[str], ...]
    context: tuple[re.Pattern[str], ...]
    none: tuple[re.Pattern[str], ...]
    risk: str
    alone: str | None
    polarity: str
    stance: str | None
    product: str | None
    opposes: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]
    counter: tuple[tuple[str, str], ...]

    def holds(self, words: str, with_lead: str) -> bool:
        """Say whether the rule holds for a clause.

        Parameters
        ----------
        words : str
            The clause, plain and lower-case.
        with_lead : str
            The same behind its lead-in.
        """
        return (
            all(pattern.search(words) for pattern in self.own)
            and all(pattern.search(with_lead) for pattern in self.context)
            and not any(pattern.search(with_lead) for pattern in self.none)
        )


@dataclass(frozen=True, slots=True)
class Surface:
    """A surface with its rules, in the order in which they are tried."""

    id: str
    title: str
    keywords: tuple[str, ...]
    trigger: re.Pattern[str]
    ignore: re.Pattern[str] | None
    exclude: re.Pattern[str]
    context: re.Pattern[str] | None
    rules: tuple[Rule, ...]

    def decide(self, words: str, with_lead: str) -> Rule | None:
        """Return the rule that decides on a clause; None where the clause does not speak to the surface.

        Parameters
        ----------
        words : str
            The clause, plain and lower-case.
        with_lead : str
            The same behind its lead-in.
        """
        for word in self.keywords:  # plain text before patterns, and no generator: most clauses end here
            if word in with_lead:
                break
        else:
            return None
        if not self.trigger.search(with_lead):
            return None
        if self.ignore is not None and self.ignore.search(with_lead):
            words, with_lead = self.ignore.sub(" ", words), self.ignore.sub(" ", with_lead)
            if not self.trigger.search(with_lead):
                return None
        if self.exclude.search(words):
            return None
        if self.context is not None and not self.context.search(with_lead):
            return None
        return next((rule for rule in self.rules if rule.holds(words, with_lead)), None)


@dataclass(frozen=True)
class RuleSet:
    """All surfaces, in the order of `riskanalytics.models.SURFACES`, and the version of their data."""

    surfaces: tuple[Surface, ...]
    version: str

    @cached_property
    def alone(self) -> dict[str, str]:
        """Rules whose findings have another level where the text names no way out, and that level."""
        return {rule.id: rule.alone for surface in self.surfaces for rule in surface.rules if rule.alone}

    def opposed_to(self, rule: str) -> frozenset[str]:
        """Return the rules that say the opposite of a rule, named by either side.

        Parameters
        ----------
        rule : str
            Its identifier.

        Returns
        -------
        frozenset of str
        """
        return self._opposed.get(rule, frozenset())

    @cached_property
    def _opposed(self) -> dict[str, frozenset[str]]:
        """Rules and those that say the opposite, named by either side."""
        found: dict[str, set[str]] = {}
        for rule in (known for surface in self.surfaces for known in surface.rules):
            for other in rule.opposes:
                found.setdefault(rule.id, set()).add(other)
                found.setdefault(other, set()).add(rule.id)
        return {name: frozenset(others) for name, others in found.items()}


def load_rules() -> RuleSet:
    """Read the rules that the package carries.

    Returns
    -------
    RuleSet

    Raises
    ------
    ExtractionError
        If the data are not well-formed; the message names file, rule and field.
    """
    folder = resources.files(__name__)
    bodies = {name: folder.joinpath(name).read_bytes() for name in ("words.toml", *FILES)}
    tables = {name: _parsed(name, body) for name, body in bodies.items()}
    words = tables["words.toml"]
    surfaces: dict[str, Surface] = {}
    for name in FILES:
        for table in tables[name]["surface"]:
            surface = surface_from(name, table, words["words"])
            if surface.id in surfaces:
                raise ExtractionError(f"{name}: the surface {surface.id!r} is declared twice")
            surfaces[surface.id] = surface
    if set(surfaces) != set(SURFACES):
        raise ExtractionError(f"rules are missing for {sorted(set(SURFACES) - set(surfaces))}")
    digest = hashlib.sha256(b"".join(bodies.values())).hexdigest()[:8]
    return RuleSet(tuple(surfaces[name] for name in SURFACES), f"{words['version']}+{digest}")


def _parsed(name: str, body: bytes) -> dict[str, Any]:
    """Parse one file."""
    try:
        return tomllib.loads(body.decode("utf-8"))
    except ValueError as error:
        raise ExtractionError(f"{name}: not well-formed: {error}") from error


def surface_from(file: str, table: dict[str, Any], words: dict[str, str]) -> Surface:
    """Check one surface's table and compile it.

    Parameters
    ----------
    file : str
        Where the table stands, for messages.
    table : dict
        As TOML gives it.
    words : dict of str to str
        Shared words that patterns name in braces.

    Returns
    -------
    Surface

    Raises
    ------
    ExtractionError
        If a field is missing, unknown or not usable.
    """
    where = f"{file}: {table.get('surface')}"
    _check_fields(where, table, _SURFACE_KEYS, ("surface", "title", "keywords", "trigger", "exclude", "rule"))
    name = table["surface"]
    rules = tuple(_rule(f"{where}: {rule.get('id')}", name, rule, words) for rule in table["rule"])
    if len({rule.id for rule in rules}) != len(rules):
        raise ExtractionError(f"{where}: a rule's id is used twice")
    joined = {
        part: _compiled(where, "|".join(_patterns(where, table, part)), words) if table.get(part) else None
        for part in ("trigger", "ignore", "exclude", "context")
    }
    if joined["trigger"] is None or joined["exclude"] is None:
        raise ExtractionError(f"{where}: 'trigger' and 'exclude' need at least one pattern")
    return Surface(
        id=name,
        title=table["title"],
        keywords=tuple(_patterns(where, table, "keywords")),
        trigger=joined["trigger"],
        ignore=joined["ignore"],
        exclude=joined["exclude"],
        context=joined["context"],
        rules=rules,
    )


def _rule(where: str, surface: str, table: dict[str, Any], words: dict[str, str]) -> Rule:
    """Check one rule's table and compile it."""
    _check_fields(where, table, _RULE_KEYS, ("id", "own", "risk", "polarity"))
    if not table["id"].startswith(f"{surface}."):
        raise ExtractionError(f"{where}: a rule's id must begin with its surface")
    for field in ("risk", "alone"):
        if table.get(field, "MED") not in RATINGS:
            raise ExtractionError(f"{where}: {field} is HIGH, MED or LOW, not {table[field]!r}")
    if table["polarity"] not in ("raises_risk", "mitigates_risk", "neutral"):
        raise ExtractionError(f"{where}: polarity {table['polarity']!r} is not known")
    if table.get("stance") not in (None, *STANCES):
        raise ExtractionError(f"{where}: stance {table['stance']!r} is not known")
    if not table.get("examples") and not table.get("lead_examples"):
        raise ExtractionError(f"{where}: a rule needs an example")
    own, context, none = (
        tuple(_compiled(where, pattern, words) for pattern in _patterns(where, table, name))
        for name in ("own", "context", "none")
    )
    return Rule(
        id=table["id"],
        own=own,
        context=context,
        none=none,
        risk=table["risk"],
        alone=table.get("alone"),
        polarity=table["polarity"],
        stance=table.get("stance"),
        product=table.get("product"),
        opposes=tuple(table.get("opposes", ())),
        examples=(
            *(("", text) for text in table.get("examples", ())),
            *map(_pair, table.get("lead_examples", ())),
        ),
        counter=tuple(("", text) for text in table.get("counter", ())),
    )


def _patterns(where: str, table: dict[str, Any], name: str) -> list[str]:
    """Give a field's patterns."""
    patterns = table.get(name, [])
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise ExtractionError(f"{where}: {name!r} must be a list of patterns")
    return patterns


def _pair(pair: list[str]) -> tuple[str, str]:
    """Give a lead-in and its item."""
    lead, item = pair
    return lead, item


def _check_fields(where: str, table: dict[str, Any], known: set[str], needed: tuple[str, ...]) -> None:
    """Refuse a field that nothing reads (a misspelling), and a missing one."""
    if unknown := set(table) - known:
        raise ExtractionError(f"{where}: unknown field {sorted(unknown)[0]!r}")
    if missing := [name for name in needed if name not in table]:
        raise ExtractionError(f"{where}: the field {missing[0]!r} is missing")


def _compiled(where: str, pattern: str, words: dict[str, str]) -> re.Pattern[str]:
    """Put the shared words in and compile."""
    try:
        return re.compile(_PLACEHOLDER.sub(lambda match: f"(?:{words[match[1]]})", pattern))
    except (KeyError, re.error) as error:
        raise ExtractionError(f"{where}: the pattern {pattern!r} is not usable: {error}") from error
