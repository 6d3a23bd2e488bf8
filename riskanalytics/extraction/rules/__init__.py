"""Patterns by which clauses are read: the rules of the surfaces, and other files of patterns, compiled.

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
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Final, NamedTuple

from pydantic import Field

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.rules.needed import Pattern
from riskanalytics.models import STANCES
from riskanalytics.surfaces import Checked, Table, checked, parsed
from riskanalytics.surfaces.declared import Declared, RuleTable, declared

_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_READ_BY: Final = {
    "id", "weight", "longer_is", "users_part", "protective_decide", "recipients", "confidence", "reading", "rule",
    "effect", "particulars",
}  # fmt: skip
"""Parts of a surface that decide on findings, levels and ratings."""
_NEVER: Final = ("(?!)",)
"""A pattern that nothing meets; one without alternatives meets everything."""

Patterns = tuple[Pattern, ...]


class SharedWords(Table):
    """What rules share (`words.toml`)."""

    version: str
    words: dict[str, str]
    """What `{name}` in a pattern stands for."""
    recipients: dict[str, str]
    """Recipients that clauses of some surfaces may name."""


class PatternTable(Table):
    """A file of patterns, each a list of alternatives."""

    ignore_case: bool = False
    words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What `{name}` in a pattern, or in words below these, stands for."""
    patterns: dict[str, tuple[str, ...]]


class Rule(NamedTuple):
    """A rule of a surface's file, and its patterns compiled."""

    table: RuleTable
    own: Patterns
    context: Patterns
    none: Patterns

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
    rule: RuleTable | None
    """What takes it."""


_NOTHING: Final = Look(False, False, None)
_TRIGGERED: Final = Look(True, False, None)
_EXCLUDED: Final = Look(True, True, None)


class SurfaceRules(NamedTuple):
    """A surface's rules, in the order in which they are tried."""

    id: str
    keywords: tuple[str, ...]
    trigger: Pattern
    exclude: Pattern
    ignore: Pattern
    context: Pattern
    hides: Pattern
    rules: tuple[Rule, ...]
    effects: tuple[Rule, ...] = ()

    def effect(self, words: str, with_lead: str) -> RuleTable | None:
        """Return what the words make of a clause that speaks to the surface; None where they tell nothing by themselves.

        Parameters
        ----------
        words : str
            The clause, plain and lower-case.
        with_lead : str
            The same behind its lead-in.
        """
        return next((rule.table for rule in self.effects if rule.holds(words, with_lead)), None)

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
        if self.ignore.search(with_lead):
            words, with_lead = self.ignore.sub(" ", words), self.ignore.sub(" ", with_lead)
            if not self.trigger.search(with_lead):
                return _NOTHING
        if self.exclude.search(words):
            return _EXCLUDED
        if not self.context.search(with_lead):
            return _TRIGGERED
        return Look(True, False, next((rule.table for rule in self.rules if rule.holds(words, with_lead)), None))


@dataclass(frozen=True)
class RuleSet:
    """The rules of all surfaces."""

    version: str
    """Of their data."""
    alone: dict[str, str]
    """Rules whose findings have another level where the text names no way out, and that level."""
    opposed: Mapping[str, frozenset[str]]
    """Rules and those that say the opposite, named by either side."""

    @cached_property
    def surfaces(self) -> tuple[SurfaceRules, ...]:
        """In the order of `riskanalytics.surfaces.SURFACES`; compiled when a text is read: most processes read none."""
        return tuple(rules_of(surface, shared_words().words) for surface in declared())

    @cached_property
    def by_surface(self) -> dict[str, SurfaceRules]:
        """The same by their surfaces."""
        return {one.id: one for one in self.surfaces}


def load_rules() -> RuleSet:
    """Load the rules of all surfaces.

    Returns
    -------
    RuleSet

    Raises
    ------
    ExtractionError, SurfaceError
        If the data are not well-formed; the message names file, rule and field. A pattern that is not usable is found
        when it is compiled.
    """
    words = shared_words()
    tables = [rule for surface in declared() for rule in surface.rule]
    opposed: dict[str, set[str]] = defaultdict(set)
    for rule in tables:
        for other in rule.opposes:
            opposed[rule.id].add(other)
            opposed[other].add(rule.id)
    return RuleSet(
        version=f"{words.version}+{_digest(words)}",
        alone={rule.id: rule.alone for rule in tables if rule.alone},
        opposed={name: frozenset(others) for name, others in opposed.items()},
    )


@cache
def shared_words() -> SharedWords:
    """Return what rules share."""
    return _file(SharedWords, "words.toml")


class NamedPatterns(Mapping[str, Pattern]):
    """Patterns by name, each compiled when it is first asked for.

    Parameters
    ----------
    file : str
        In which they stand.
    told : mapping of str to str
        Name -> pattern, its words put in.
    """

    def __init__(self, file: str, told: Mapping[str, str]) -> None:
        self._file, self._told = file, told
        self._compiled: dict[str, Pattern] = {}

    def __getitem__(self, name: str) -> Pattern:
        known = self._compiled.get(name)
        if known is not None:
            return known
        try:
            return self._compiled.setdefault(name, Pattern(self._told[name]))
        except re.error as error:
            raise ExtractionError(f"{self._file}: {name}: the pattern is not usable: {error}") from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._told)

    def __len__(self) -> int:
        return len(self._told)


def patterns_of(file: str) -> NamedPatterns:
    """Read a file of patterns.

    Parameters
    ----------
    file : str
        Its name in this folder; it holds what `PatternTable` says.

    Returns
    -------
    NamedPatterns

    Raises
    ------
    ExtractionError, SurfaceError
        If the file is not well-formed; a pattern that is not usable is found when it is first asked for.
    """
    table = _file(PatternTable, file)
    flag = "(?i)" if table.ignore_case else ""
    words: dict[str, str] = {}
    for name, some in table.words.items():
        words[name] = _filled(f"{file}: {name}", "|".join(some), words)
    told = {name: _filled(f"{file}: {name}", flag + "|".join(some), words) for name, some in table.patterns.items()}
    return NamedPatterns(file, told)


def _file(model: type[Checked], file: str) -> Checked:
    """Read a file of this folder."""
    return checked(model, file, parsed(file, resources.files(__name__).joinpath(file).read_text(encoding="utf-8")))


def _digest(words: SharedWords) -> str:
    """Hash of all data that decide on findings, levels and ratings, however their files are laid out."""
    told = [
        words.model_dump(),
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

    def joined(patterns: Sequence[str]) -> Pattern:
        return compiled(f"{surface.id}.toml", "|".join(patterns), words)

    told = surface.reading
    return SurfaceRules(
        id=surface.id,
        keywords=told.keywords,
        trigger=joined(told.trigger),
        exclude=joined(told.exclude),
        ignore=joined(told.ignore or _NEVER),
        context=joined(told.context),
        hides=joined(told.hides or _NEVER),
        rules=tuple(_rule(f"{surface.id}.toml: {rule.id}", rule, words) for rule in surface.rule),
        effects=tuple(_rule(f"{surface.id}.toml: {rule.id}", rule, words) for rule in surface.effect),
    )


def _rule(where: str, table: RuleTable, words: Mapping[str, str]) -> Rule:
    """Compile one rule."""
    if table.stance not in (None, *STANCES):
        raise ExtractionError(f"{where}: stance {table.stance!r} is not known")
    parts = (table.own, table.context, table.none)
    return Rule(table, *(tuple(compiled(where, one, words) for one in part) for part in parts))


def compiled(where: str, pattern: str, words: Mapping[str, str]) -> Pattern:
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
        return Pattern(_filled(where, pattern, words))
    except re.error as error:
        raise ExtractionError(f"{where}: the pattern {pattern!r} is not usable: {error}") from error


def _filled(where: str, pattern: str, words: Mapping[str, str]) -> str:
    """Put the shared words into a pattern."""
    try:
        return _PLACEHOLDER.sub(lambda match: f"(?:{words[match[1]]})", pattern)
    except KeyError as error:
        raise ExtractionError(f"{where}: the pattern {pattern!r} is not usable: {error}") from error
