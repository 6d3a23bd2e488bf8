"""The rules of the surfaces, compiled, and deciding on one clause.

A rule looks at plain, lower-case words. Every pattern of `own` must be found in the clause itself, every
pattern of `context` in its lead-in and the clause together, and none of `none` in either. A surface's
`exclude` speaks for all its rules: duties of the user, headings, questions, lookalikes. Rules are tried in
the order of the file; the first that holds decides. Phrases of `ignore` that carry a surface's words and mean
something else are taken out before anything is looked at.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final, NamedTuple

from riskanalytics.errors import ExtractionError
from riskanalytics.models import STANCES
from riskanalytics.surfaces.declared import Declared, RuleTable, declared

_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_READ_BY: Final = {
    "id", "weight", "longer_is", "users_part", "protective_decide", "recipients", "confidence", "reading", "rule",
    "particulars",
}  # fmt: skip
"""Parts of a surface that decide on findings, levels and ratings."""


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


class Look(NamedTuple):
    """What a surface's patterns say of a clause."""

    triggered: bool
    """It holds the surface's words."""
    excluded: bool
    """It holds them as a duty of the user, a heading or another lookalike does."""
    rule: Rule | None
    """What takes it."""


_NOTHING: Final = Look(False, False, None)
_TRIGGERED: Final = Look(True, False, None)
_EXCLUDED: Final = Look(True, True, None)


@dataclass(frozen=True, slots=True)
class SurfaceRules:
    """A surface's rules, in the order in which they are tried."""

    id: str
    keywords: tuple[str, ...]
    trigger: re.Pattern[str]
    ignore: re.Pattern[str] | None
    exclude: re.Pattern[str]
    context: re.Pattern[str] | None
    rules: tuple[Rule, ...]

    def look(self, words: str, with_lead: str) -> Look:
        """Look at a clause.

        Parameters
        ----------
        words : str
            The clause, plain and lower-case.
        with_lead : str
            The same behind its lead-in.

        Returns
        -------
        Look
        """
        for word in self.keywords:  # plain text before patterns, and no generator: most clauses end here
            if word in with_lead:
                break
        else:
            return _NOTHING
        if not self.trigger.search(with_lead):
            return _NOTHING
        if self.ignore is not None and self.ignore.search(with_lead):
            words, with_lead = self.ignore.sub(" ", words), self.ignore.sub(" ", with_lead)
            if not self.trigger.search(with_lead):
                return _NOTHING
        if self.exclude.search(words):
            return _EXCLUDED
        if self.context is not None and not self.context.search(with_lead):
            return _TRIGGERED
        return Look(True, False, next((rule for rule in self.rules if rule.holds(words, with_lead)), None))


@dataclass(frozen=True)
class RuleSet:
    """All surfaces, in the order of `riskanalytics.surfaces.SURFACES`, and the version of their data."""

    surfaces: tuple[SurfaceRules, ...]
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
    """Compile the rules of all surfaces.

    Returns
    -------
    RuleSet

    Raises
    ------
    ExtractionError, SurfaceError
        If the data are not well-formed; the message names file, rule and field.
    """
    words = shared_words()
    return RuleSet(
        tuple(rules_of(surface, words["words"]) for surface in declared()), f"{words['version']}+{_digest(words)}"
    )


@cache
def shared_words() -> dict[str, Any]:
    """Return what rules share: `words`, and the `recipients` that clauses of some surfaces may name."""
    return tomllib.loads(resources.files(__name__).joinpath("words.toml").read_text(encoding="utf-8"))


def _digest(words: dict[str, Any]) -> str:
    """Hash of all data that decide on findings, levels and ratings, however their files are laid out."""
    told = [
        words,
        *(surface.model_dump(mode="json", include=_READ_BY, exclude_defaults=True) for surface in declared()),
    ]
    body = json.dumps(told, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(body.encode()).hexdigest()[:8]


def rules_of(surface: Declared, words: Mapping[str, str]) -> SurfaceRules:
    """Compile the rules of a surface.

    Parameters
    ----------
    surface : Declared
    words : mapping of str to str
        Shared words that patterns name in braces.

    Returns
    -------
    SurfaceRules

    Raises
    ------
    ExtractionError
        If a pattern or a stance is not usable.
    """
    where, told = f"{surface.id}.toml", surface.reading
    joined = (
        compiled(where, "|".join(patterns), words) if patterns else None
        for patterns in (told.ignore, told.context, told.trigger, told.exclude)
    )
    ignore, context, trigger, exclude = joined
    assert trigger is not None and exclude is not None  # noqa: S101 (the file must hold them)
    return SurfaceRules(
        id=surface.id,
        keywords=told.keywords,
        trigger=trigger,
        ignore=ignore,
        exclude=exclude,
        context=context,
        rules=tuple(_rule(f"{where}: {rule.id}", rule, words) for rule in surface.rule),
    )


def _rule(where: str, table: RuleTable, words: Mapping[str, str]) -> Rule:
    """Compile one rule."""
    if table.stance not in (None, *STANCES):
        raise ExtractionError(f"{where}: stance {table.stance!r} is not known")
    own, context, none = (
        tuple(compiled(where, pattern, words) for pattern in patterns)
        for patterns in (table.own, table.context, table.none)
    )
    told = {name: getattr(table, name) for name in ("id", "risk", "alone", "polarity", "stance", "product", "opposes")}
    return Rule(own=own, context=context, none=none, **told)


def compiled(where: str, pattern: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """Put the shared words into a pattern and compile it.

    Parameters
    ----------
    where : str
        Where it stands, for messages.
    pattern : str
    words : mapping of str to str

    Raises
    ------
    ExtractionError
        If it is not usable.
    """
    try:
        return re.compile(_PLACEHOLDER.sub(lambda match: f"(?:{words[match[1]]})", pattern))
    except (KeyError, re.error) as error:
        raise ExtractionError(f"{where}: the pattern {pattern!r} is not usable: {error}") from error
