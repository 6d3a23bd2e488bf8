"""Patterns by which clauses are read: the rules of the surfaces, and other files of patterns.

A rule looks at plain, lower-case words. Every pattern of `own` must be found in the clause itself, every
pattern of `context` in its lead-in and the clause together, and none of `none` in either. A surface's
`exclude` speaks for all its rules: duties of the user, headings, questions, lookalikes. Rules are tried in
the order of the file; the first that holds decides. Phrases of `ignore` that carry a surface's words and mean
something else are taken out before anything is looked at.
"""

import hashlib
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from pydantic import Field

from riskanalytics.errors import ExtractionError
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
Patterns = tuple[re.Pattern[str], ...]


class SharedWords(Table):
    """What rules share (`words.toml`)."""

    version: str
    words: dict[str, str]
    """What `{name}` in a pattern means."""
    recipients: dict[str, str]
    """Recipients that clauses of some surfaces may name."""


class PatternTable(Table):
    """A file of patterns, each a list of alternatives."""

    ignore_case: bool = False
    words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What `{name}` in a pattern, or in words below these, means."""
    patterns: dict[str, tuple[str, ...]]


class Rule(NamedTuple):
    """A rule of a surface's file, and its patterns compiled."""

    table: RuleTable
    own: Patterns
    context: Patterns
    none: Patterns

    def holds(self, words: str, with_lead: str) -> bool:
        """Say whether the rule holds for a clause, given alone and behind its lead-in (plain, lower-case)."""
        return (
            all(pattern.search(words) for pattern in self.own)
            and all(pattern.search(with_lead) for pattern in self.context)
            and not any(pattern.search(with_lead) for pattern in self.none)
        )


class Look(NamedTuple):
    """What a surface's patterns say of a clause."""

    triggered: bool = False
    """It holds the surface's words."""
    excluded: bool = False
    """It holds them as a duty of the user, a heading or another lookalike does."""
    rule: RuleTable | None = None
    """The rule that takes it."""


class SurfaceRules(NamedTuple):
    """A surface's rules, in the order in which they are tried."""

    keywords: tuple[str, ...]
    trigger: re.Pattern[str]
    exclude: re.Pattern[str]
    ignore: re.Pattern[str]
    context: re.Pattern[str]
    hides: re.Pattern[str]
    rules: tuple[Rule, ...]
    effects: tuple[Rule, ...]

    def effect(self, words: str, with_lead: str) -> RuleTable | None:
        """Return what the words make of a clause that speaks to the surface; None where they decide nothing."""
        return next((rule.table for rule in self.effects if rule.holds(words, with_lead)), None)

    def look(self, words: str, with_lead: str) -> Look:
        """Look at a clause.

        Parameters
        ----------
        words, with_lead : str
            The clause alone and behind its lead-in, plain and lower-case.

        Returns
        -------
        Look
        """
        if not any(map(with_lead.__contains__, self.keywords)) or not self.trigger.search(with_lead):
            return Look()
        if self.ignore.search(with_lead):
            words, with_lead = self.ignore.sub(" ", words), self.ignore.sub(" ", with_lead)
            if not self.trigger.search(with_lead):
                return Look()
        if self.exclude.search(words):
            return Look(True, True)
        if not self.context.search(with_lead):
            return Look(True)
        return Look(True, False, next((rule.table for rule in self.rules if rule.holds(words, with_lead)), None))


@cache
def surface_rules() -> dict[str, SurfaceRules]:
    """Return the rules by surface, in the order of pages; compiled at the first call, since most processes read nothing.

    Raises
    ------
    ExtractionError
        If a pattern or a stance is not usable; the message names file and rule.
    """
    return {surface.id: rules_of(surface, WORDS.words) for surface in declared()}


class NamedPatterns(dict[str, re.Pattern[str]]):
    """The patterns of a file by name, each compiled when it is first used.

    Parameters
    ----------
    file : str
        Its name in this folder; it holds what `PatternTable` says.

    Raises
    ------
    ExtractionError, SurfaceError
        If the file is not well-formed; a pattern that is not usable is found at its first use.
    """

    def __init__(self, file: str) -> None:
        super().__init__()
        self._file, self.table = file, _file(PatternTable, file)
        self._words: dict[str, str] = {}
        for name, some in self.table.words.items():
            self._words[name] = _filled(f"{file}: {name}", "|".join(some), self._words)

    def __missing__(self, name: str) -> re.Pattern[str]:
        pattern = "(?i)" * self.table.ignore_case + "|".join(self.table.patterns[name])
        self[name] = found = compiled(f"{self._file}: {name}", pattern, self._words)
        return found


def _file(model: type[Checked], file: str) -> Checked:
    """Read a file of this folder."""
    return checked(model, file, parsed(file, resources.files(__name__).joinpath(file).read_text(encoding="utf-8")))


def rules_of(surface: Declared, words: Mapping[str, str]) -> SurfaceRules:
    """Compile the rules of a surface.

    Parameters
    ----------
    surface : Declared
    words : mapping of str to str
        Shared words that patterns name in braces.

    Raises
    ------
    ExtractionError
        If a pattern or a stance is not usable.
    """
    file, reading = f"{surface.id}.toml", surface.reading

    def joined(part: Sequence[str]) -> re.Pattern[str]:
        return compiled(file, "|".join(part), words)

    rules, effects = (
        tuple(_rule(f"{file}: {rule.id}", rule, words) for rule in some) for some in (surface.rule, surface.effect)
    )
    return SurfaceRules(
        reading.keywords, joined(reading.trigger), joined(reading.exclude), joined(reading.ignore or _NEVER),
        joined(reading.context), joined(reading.hides or _NEVER), rules, effects,
    )  # fmt: skip


def _rule(where: str, table: RuleTable, words: Mapping[str, str]) -> Rule:
    """Compile one rule."""
    if table.stance not in (None, *STANCES):
        raise ExtractionError(f"{where}: stance {table.stance!r} is not known")
    parts = (table.own, table.context, table.none)
    return Rule(table, *(tuple(compiled(where, one, words) for one in part) for part in parts))


def compiled(where: str, pattern: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """Put shared words into a pattern and compile it; an `ExtractionError` that names its place if it is not usable."""
    try:
        return re.compile(_filled(where, pattern, words))
    except re.error as error:
        raise ExtractionError(f"{where}: the pattern {pattern!r} is not usable: {error}") from error


def _filled(where: str, pattern: str, words: Mapping[str, str]) -> str:
    """Put shared words into a pattern."""
    try:
        return _PLACEHOLDER.sub(lambda match: f"(?:{words[match[1]]})", pattern)
    except KeyError as error:
        raise ExtractionError(f"{where}: the pattern {pattern!r} is not usable: {error}") from error


def _digest() -> str:
    """Hash all data that decide on findings, levels and ratings, however their files are laid out."""
    data = [
        WORDS.model_dump(),
        *(surface.model_dump(mode="json", include=_READ_BY, exclude_defaults=True) for surface in declared()),
    ]
    return hashlib.sha256(json.dumps(data, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:8]


WORDS: Final = _file(SharedWords, "words.toml")
VERSION: Final = f"{WORDS.version}+{_digest()}"
"""Version of the rules' data."""
ALONE: Final = {rule.id: rule.alone for surface in declared() for rule in surface.rule if rule.alone}
"""Rules whose findings have another level where the text names no way out, and that level."""
OPPOSED: Final[dict[str, set[str]]] = defaultdict(set)
"""Rules and those that say the opposite, from both sides."""
for _one, _other in ((rule.id, other) for surface in declared() for rule in surface.rule for other in rule.opposes):
    OPPOSED[_one].add(_other)
    OPPOSED[_other].add(_one)


@cache
def accuracy() -> dict[str, object]:
    """Return how well documents are read that were labelled whole, as last measured.

    Returns
    -------
    dict
        A table for each part of the labels that was scored (`calibrate`, `test`, `unseen`), and `withdrawn`, what was
        published before; see `tests/accuracy/record.py`. Read once in a process: not to be changed.
    """
    return dict(tomllib.loads(resources.files(__name__).joinpath("measured.toml").read_text("utf-8"))["figures"])
