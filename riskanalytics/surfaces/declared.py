"""The complete files of the surfaces: rules, patterns of users' questions, controls of frameworks, clauses of the demo."""

from functools import cache
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from . import SURFACES, Surface, Table, checked, texts

Level = Literal["HIGH", "MED", "LOW"]
Polarity = Literal["raises_risk", "mitigates_risk", "neutral"]
Patterns = tuple[str, ...]


class Reading(Table):
    """The patterns that select the clauses on which the rules of a surface are tried.

    `{name}` in a pattern is replaced by the pattern of that name in `extraction/rules/words.toml`.
    """

    keywords: Patterns
    """Plain words; a clause with none of them is not matched any further."""
    trigger: Patterns = Field(min_length=1)
    """At least one must match: words that are typical of the surface."""
    exclude: Patterns = Field(min_length=1)
    """Duties of the user, headings, questions and lookalikes; if one of these matches, no rule of the surface is tried."""
    ignore: Patterns = ()
    """Phrases that contain the surface's words but mean something else; they are removed before `exclude` and the rules."""
    context: Patterns = ()
    """If given, at least one must match in lead-in and clause together; otherwise no rule is tried."""
    hides: Patterns = ()
    """A clause that matches one of these is a lead at most, because it is about a different subject."""


class RuleTable(Table):
    """A rule: patterns of clauses that are about a surface, and the level and polarity of such clauses.

    The rules of a surface are tried in the order of the file, and the first match counts.
    """

    id: str
    """Identifier of the rule, `surface.name`: it never changes, and each finding shows it."""
    own: Patterns
    """All must match in the clause itself."""
    context: Patterns = ()
    """All must match in lead-in and clause together."""
    none: Patterns = ()
    """None may match in lead-in and clause together."""
    risk: Level
    polarity: Polarity
    alone: Level | None = None
    """Level of the rule's findings if the text names no way out of training; None if the level is always `risk`."""
    stance: str | None = None
    """On training use, the answer that the clause gives."""
    product: str | None = None
    """The product to which the clause is limited; see `Scope.product`."""
    opposes: tuple[str, ...] = ()
    """Identifiers of rules that say the opposite."""
    examples: tuple[str, ...] = ()
    """Sentences that the rule must match; they are its tests."""
    lead_examples: tuple[tuple[str, str], ...] = ()
    """Pairs of a lead-in and a clause that the rule must match."""
    counter: tuple[str, ...] = ()
    """Sentences that the rule must not match."""

    @property
    def taken(self) -> tuple[tuple[str, str], ...]:
        """The examples that the rule must match, as pairs of lead-in and clause; the lead-in is empty if an example has none."""
        return (*(("", text) for text in self.examples), *self.lead_examples)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.taken:
            raise ValueError("a rule needs at least one example")
        return self


class TopicTable(Table):
    """A topic of users' questions: patterns that recognise such a question, and patterns of the quotes that answer it.

    Patterns match text in lower case, without accents and with straight quotation marks.
    """

    id: str
    asks: Patterns
    """A question that matches one of these asks about the topic."""
    also: tuple[str, ...] = ()
    """Further surfaces with findings on the topic."""
    unless: Patterns = ()
    """A question that matches one of these means something else."""
    shows: Patterns = ()
    """A quote on the topic must match one of these; without such patterns, any finding on the surface is on the topic."""
    hides: Patterns = ()
    """A quote that matches one of these is not on the topic."""
    best: Patterns = ()
    """Quotes that match one of these are preferred."""
    covers: tuple[str, ...] = ()
    """Topics that this topic replaces if a question asks about both."""
    weak: bool = False
    """Whether the topic counts only if a question asks about no other topic."""
    object: bool = False
    """Whether the topic is an object of verbs, such as "voice"; together with another topic, the quotes must match both."""
    yes: Polarity | Literal["any"] | None = None
    """Polarity of the findings that affirm the topic, so that affirming platforms can be counted. With `any`, a clause of any
    polarity affirms the topic if it matches `affirms`, and the match contains the question's own words."""
    affirms: Patterns = ()
    """If given, an affirming clause must also match one of these."""
    denies: Patterns = ()
    """Clauses that match one of these deny the topic; by default, clauses with a match of `shows` (or `asks`) after a negation."""

    @field_validator("also")
    @classmethod
    def _known(cls, also: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [surface for surface in also if surface not in SURFACES]:
            raise ValueError(f"the surface {unknown[0]!r} is not known; the surfaces are {', '.join(SURFACES)}")
        return also


class ModifierTable(Table):
    """A restriction that a user's question may contain, such as that users can opt out.

    The fields `asks` and `shows` are lists of patterns. If a question matches one of `asks`, each quote in its answer must match
    one of `shows`. If such a question matches no topic, it is about the surface of this file.
    """

    id: str
    asks: Patterns
    shows: Patterns


class StanceTable(Table):
    """A way to ask about the stance on training use: patterns of questions, and the stances that mean "yes".

    If several of these tables in a surface's file match a question, only the first of them counts.
    """

    asks: Patterns
    says: tuple[str, ...]
    """The stances that affirm the question."""
    denied: tuple[str, ...] = ()
    """The stances that affirm the negated question ("who does not train?"); the default is `says`."""


class Demo(Table):
    """Sentences on a surface, for each level or stance, from which the demo composes the policies of its fictional platforms."""

    document: Literal["privacy", "terms"]
    """Document that contains the section: at its end, unless a plan in `riskanalytics/demo/written/form.toml` says where."""
    titles: tuple[str, ...] = Field(min_length=1)
    """Possible titles of the section."""
    says: dict[str, tuple[str, ...]]
    """Level or stance -> alternative wordings; a wording may have several sentences. `{name}` is the platform, `{company}` its
    operator; `{days}`, `{years}` and `{notice}` are the platform's own numbers."""
    drawn: int | None = None
    """Position among the surfaces that may change, for random draws; without it the surface never changes."""
    optional: bool = False
    """Whether a policy may leave the surface out."""
    once: bool = False
    """Whether a policy uses only one wording."""


class Declared(Surface):
    """A surface with all that its TOML file contains: the fields of `Surface`, which begin the file, and its TOML tables.

    Each further field is the TOML table, or the list of TOML tables, of that name.
    """

    reading: Reading
    rule: tuple[RuleTable, ...] = Field(min_length=1)
    effect: tuple[RuleTable, ...] = ()
    """Rules that set level and polarity of a clause on the surface and override model and `rule`; the first that holds decides."""
    particulars: dict[str, str] = Field(default_factory=dict)
    """Name -> pattern of details that clauses may name; two versions of a clause with the same particulars say the same."""
    topic: tuple[TopicTable, ...] = Field(min_length=1)
    modifier: tuple[ModifierTable, ...] = ()
    stance: tuple[StanceTable, ...] = ()
    controls: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Framework -> controls that the surface concerns (`service/compliance/framework.toml`)."""
    demo: Demo | None = None

    @model_validator(mode="after")
    def _own_rules(self) -> Self:
        names = [rule.id for rule in (*self.rule, *self.effect)]
        if foreign := [name for name in names if not name.startswith(f"{self.id}.")]:
            raise ValueError(
                f"the rule id {foreign[0]!r} must begin with the name of its surface, as in {self.id}.example"
            )
        if len(set(names)) < len(names):
            raise ValueError(f"the rule id {max(names, key=names.count)!r} is used twice")
        return self


def declared_in(surface: str, text: str) -> Declared:
    """Parse and validate the complete file of a surface.

    Parameters
    ----------
    surface : str
        Identifier of the surface.
    text : str
        TOML text of the file.

    Raises
    ------
    SurfaceError
        If a part of the file is invalid; the message is one line.
    """
    return checked(Declared, f"{surface}.toml", text, id=surface)


@cache
def declared() -> tuple[Declared, ...]:
    """Return the parsed files of all surfaces, in the order in which pages list surfaces; only the first call reads them."""
    files = texts()
    return tuple(declared_in(surface, files[surface]) for surface in SURFACES)
