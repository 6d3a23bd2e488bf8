"""The patterns that are matched against clauses: the rules of the surfaces, and patterns of other files.

Each surface has a file with rules. Patterns match plain, lower-case words. The rules of a surface are tried only if a pattern of
`trigger`, the words that are typical of the surface, matches. Phrases of `ignore` contain these words but mean something else:
they are removed first. No rule is tried if a pattern of `exclude` matches: these patterns match duties of the user, headings,
questions and similar lookalikes. A rule holds if every pattern of `own` matches in the clause itself, and if, in the lead-in and
the clause together, every pattern of `context` and no pattern of `none` matches. Rules are tried in the order of the file, and
the first rule that holds decides.
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
from riskanalytics.surfaces import Checked, Table, checked
from riskanalytics.surfaces.declared import Declared, RuleTable, declared

_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_READ_BY: Final = {
    "id", "weight", "longer_is", "users_part", "protective_decide", "recipients", "confidence", "reading", "rule",
    "effect", "particulars",
}  # fmt: skip
"""Parts of a surface that affect findings, levels and ratings."""
_NEVER: Final = ("(?!)",)
"""A pattern that never matches; an empty list of alternatives would match everything."""
Patterns = tuple[re.Pattern[str], ...]


class SharedWords(Table):
    """The patterns of words that many rules use (file `words.toml`)."""

    version: str
    words: dict[str, str]
    """Name -> the pattern that replaces `{name}` in a rule."""
    recipients: dict[str, str]
    """Name of a recipient that clauses may name -> its pattern; for surfaces with `recipients`."""


class PatternTable(Table):
    """The content of a pattern file: patterns by name, each a list of alternatives, and words that patterns share."""

    ignore_case: bool = False
    words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Name -> the alternatives that replace `{name}` in a pattern, or in words further down the file."""
    patterns: dict[str, tuple[str, ...]]


class Rule(NamedTuple):
    """A rule of a surface's file, with its compiled patterns.

    It matches a clause if all patterns of `own` match the clause, and all of `context` but none of `none` match the lead-in and
    the clause together.
    """

    table: RuleTable
    own: Patterns
    context: Patterns
    none: Patterns

    def holds(self, words: str, with_lead: str) -> bool:
        """Return whether the rule matches a clause; `words` is the clause, `with_lead` its lead-in and the clause, lower-case."""
        return (
            all(pattern.search(words) for pattern in self.own)
            and all(pattern.search(with_lead) for pattern in self.context)
            and not any(pattern.search(with_lead) for pattern in self.none)
        )


class Look(NamedTuple):
    """The result of matching a surface's patterns against a clause.

    It says whether the clause contains words that are typical of the surface (`triggered`), whether it is only a lookalike, such
    as a duty of the user or a question with these words (`excluded`), and which rule of the surface matches (`rule`).
    """

    triggered: bool = False
    """Whether the clause contains words that are typical of the surface."""
    excluded: bool = False
    """Whether the clause contains these words only as a duty of the user, a heading, a question or a similar lookalike."""
    rule: RuleTable | None = None
    """The first rule of the surface that matches the clause; None if no rule matches."""


class SurfaceRules(NamedTuple):
    """The compiled patterns of a surface, and its rules in the order in which they are tried."""

    keywords: tuple[str, ...]
    trigger: re.Pattern[str]
    exclude: re.Pattern[str]
    ignore: re.Pattern[str]
    context: re.Pattern[str]
    hides: re.Pattern[str]
    rules: tuple[Rule, ...]
    effects: tuple[Rule, ...]

    def effect(self, words: str, with_lead: str) -> RuleTable | None:
        """Return the first `effect` rule (a rule that overrides level and polarity) that matches a clause; None if no rule matches.

        Parameters
        ----------
        words, with_lead : str
            The clause alone, and after its lead-in; both are plain and lower-case.
        """
        return next((rule.table for rule in self.effects if rule.holds(words, with_lead)), None)

    def look(self, words: str, with_lead: str) -> Look:
        """Match the surface's patterns against a clause.

        Parameters
        ----------
        words, with_lead : str
            The clause alone, and after its lead-in; both are plain and lower-case.

        Returns
        -------
        Look
            Whether the clause contains words that are typical of the surface, whether it is only a lookalike (such as a duty of
            the user or a question with these words), and the first rule of the surface that matches it, if any.
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
    """Return surface -> its compiled rules, in the order in which pages show the surfaces; made at the first call, then kept.

    Raises
    ------
    ExtractionError
        If a pattern or a stance is invalid; the message names file and rule.
    """
    return {surface.id: rules_of(surface, WORDS.words) for surface in declared()}


class NamedPatterns(dict[str, re.Pattern[str]]):
    """The patterns of a file by name; each is compiled when it is first used.

    Parameters
    ----------
    file : str
        Name of a file in the folder of this module, with the fields of `PatternTable`.

    Raises
    ------
    ExtractionError, SurfaceError
        If the file is not well-formed. An invalid pattern is only found at its first use.
    """

    def __init__(self, file: str) -> None:
        super().__init__()
        self._file, self.table = file, _file(PatternTable, file)
        self._words: dict[str, str] = {}
        for name, alternatives in self.table.words.items():
            self._words[name] = _filled(f"{file}: {name}", "|".join(alternatives), self._words)

    def __missing__(self, name: str) -> re.Pattern[str]:
        pattern = "(?i)" * self.table.ignore_case + "|".join(self.table.patterns[name])
        self[name] = found = compiled(f"{self._file}: {name}", pattern, self._words)
        return found


def _file(model: type[Checked], file: str) -> Checked:
    """Read a file of this folder."""
    return checked(model, file, resources.files(__name__).joinpath(file).read_text(encoding="utf-8"))


def rules_of(surface: Declared, words: Mapping[str, str]) -> SurfaceRules:
    """Compile the rules of a surface.

    Parameters
    ----------
    surface : Declared
        The content of the surface's file.
    words : mapping of str to str
        Name -> the pattern that replaces `{name}` in a rule.

    Raises
    ------
    ExtractionError
        If a pattern or a stance is invalid.
    """
    file, reading = f"{surface.id}.toml", surface.reading

    def joined(part: Sequence[str]) -> re.Pattern[str]:
        return compiled(file, "|".join(part), words)

    rules, effects = (
        tuple(_rule(f"{file}: {rule.id}", rule, words) for rule in tables) for tables in (surface.rule, surface.effect)
    )
    return SurfaceRules(
        reading.keywords, joined(reading.trigger), joined(reading.exclude), joined(reading.ignore or _NEVER),
        joined(reading.context), joined(reading.hides or _NEVER), rules, effects,
    )  # fmt: skip


def _rule(where: str, table: RuleTable, words: Mapping[str, str]) -> Rule:
    """Compile one rule."""
    if table.stance not in (None, *STANCES):
        raise ExtractionError(f"{where}: stance {table.stance!r} is not known: use one of {', '.join(STANCES)}")
    parts = (table.own, table.context, table.none)
    return Rule(table, *(tuple(compiled(where, pattern, words) for pattern in part) for part in parts))


def compiled(where: str, pattern: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """Compile a pattern, after replacing each `{name}` in it by the shared pattern of that name.

    Parameters
    ----------
    where : str
        File and rule of the pattern; the error message begins with it.
    pattern : str
        The regular expression.
    words : mapping of str to str
        Name -> the pattern that replaces `{name}`.

    Raises
    ------
    ExtractionError
        If the pattern is invalid, or a name is not in `words`.
    """
    try:
        return re.compile(_filled(where, pattern, words))
    except re.error as error:
        raise ExtractionError(
            f"{where}: the pattern {pattern!r} is not usable: it is not a valid regular expression ({error})"
        ) from error


def _filled(where: str, pattern: str, words: Mapping[str, str]) -> str:
    """Insert shared words into a pattern."""
    try:
        return _PLACEHOLDER.sub(lambda match: f"(?:{words[match[1]]})", pattern)
    except KeyError as error:
        raise ExtractionError(
            f"{where}: the pattern {pattern!r} is not usable: words.toml does not define {error}, which the pattern names"
        ) from error


def _digest() -> str:
    """Hash all data that affect findings, levels and ratings, independent of layout and comments of their files."""
    data = [
        WORDS.model_dump(),
        *(surface.model_dump(mode="json", include=_READ_BY, exclude_defaults=True) for surface in declared()),
    ]
    return hashlib.sha256(json.dumps(data, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:8]


WORDS: Final = _file(SharedWords, "words.toml")
VERSION: Final = f"{WORDS.version}+{_digest()}"
"""Version of the rules as data."""
ALONE: Final = {rule.id: rule.alone for surface in declared() for rule in surface.rule if rule.alone}
"""Rule -> the level of its findings if the text names no way out."""
OPPOSED: Final[dict[str, set[str]]] = defaultdict(set)
"""Rule -> the rules that say the opposite; each pair occurs in both directions."""
for _id, _other in ((rule.id, other) for surface in declared() for rule in surface.rule for other in rule.opposes):
    OPPOSED[_id].add(_other)
    OPPOSED[_other].add(_id)


@cache
def accuracy() -> dict[str, object]:
    """Return the last measured accuracy of the extraction on fully labelled documents.

    Returns
    -------
    dict
        `calibrate`, `test` and `unseen`: accuracy on these three parts of the labelled documents (a part without a measurement
        is absent); `with_readings`: accuracy where language models read the documents; `audit`: how readers who saw
        neither the labels nor the program judged a sample of results; `withdrawn`: figures that were published before and are no
        longer claimed (see `tests/accuracy/record.py`). The dictionary is cached for the process: do not change it.
    """
    return dict(tomllib.loads(resources.files(__name__).joinpath("measured.toml").read_text("utf-8"))["figures"])
