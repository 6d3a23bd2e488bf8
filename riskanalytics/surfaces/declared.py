"""The files of the surfaces, whole: rules, words of questions, controls, the demo."""

from functools import cache
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from . import SURFACES, Surface, Table, checked, parsed, texts

Level = Literal["HIGH", "MED", "LOW"]
Polarity = Literal["raises_risk", "mitigates_risk", "neutral"]
Patterns = tuple[str, ...]


class Reading(Table):
    """Which clauses are looked at; `{name}` in a pattern means the words of `extraction/rules/words.toml`."""

    keywords: Patterns
    """Plain text: none of these in the words, and the surface is not looked at."""
    trigger: Patterns = Field(min_length=1)
    """One of these must be there."""
    exclude: Patterns = Field(min_length=1)
    """Duties of the user, headings, questions, lookalikes: speaks for all rules."""
    ignore: Patterns = ()
    """Phrases that carry the surface's words and mean something else: taken out before anything is looked at."""
    context: Patterns = ()
    """Where given, one of these must be there, too."""
    hides: Patterns = ()
    """What no clause holds that is shown: it speaks to something beside the surface."""


class RuleTable(Table):
    """One way in which a clause may speak to a surface; rules are tried in the order of the file."""

    id: str
    """`surface.name`; stable, shown with each finding."""
    own: Patterns
    """All of these must be found in the clause itself."""
    context: Patterns = ()
    """All of these in its lead-in and the clause together."""
    none: Patterns = ()
    """None of these in either."""
    risk: Level
    polarity: Polarity
    alone: Level | None = None
    """Level where the text names no way out."""
    stance: str | None = None
    """On training use, the answer that the clause gives."""
    product: str | None = None
    """What the clause limits itself to."""
    opposes: tuple[str, ...] = ()
    """Rules that say the opposite."""
    examples: tuple[str, ...] = ()
    """Sentences that the rule must take; they are its tests."""
    lead_examples: tuple[tuple[str, str], ...] = ()
    """The same behind a lead-in."""
    counter: tuple[str, ...] = ()
    """Sentences that it must leave."""

    @property
    def taken(self) -> tuple[tuple[str, str], ...]:
        """Lead-in and clause of each example."""
        return (*(("", text) for text in self.examples), *self.lead_examples)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.taken:
            raise ValueError("a rule needs an example")
        return self


class TopicTable(Table):
    """One thing that questions ask about; patterns meet folded text: lower case, no accents, plain quotes."""

    id: str
    asks: Patterns
    """Of a question."""
    also: tuple[str, ...] = ()
    """Surfaces of its findings, besides that of the file."""
    unless: Patterns = ()
    """In a question, make the words mean something else."""
    shows: Patterns = ()
    """What a quote must hold to speak to it; any finding of the surface does without it."""
    hides: Patterns = ()
    """What no quote of it holds."""
    best: Patterns = ()
    """What the best quotes hold."""
    covers: tuple[str, ...] = ()
    """Topics that it replaces."""
    weak: bool = False
    """It counts only where no other topic does."""
    object: bool = False
    """It is what another topic's verb is about; beside another topic the quotes must hold it."""
    yes: Polarity | Literal["any"] | None = None
    """Polarity of the findings that affirm it, so that platforms that say so can be counted; `any` where the
    words of a clause do, and the question's own words are in what affirms."""
    affirms: Patterns = ()
    """What clauses that say so hold besides."""
    denies: Patterns = ()
    """What clauses that say the opposite hold; without it what is shown, behind a negation."""

    @field_validator("also")
    @classmethod
    def _known(cls, also: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [surface for surface in also if surface not in SURFACES]:
            raise ValueError(f"the surface {unknown[0]!r} is not known")
        return also


class ModifierTable(Table):
    """What narrows topics: every quote must hold what it shows; alone it means the surface of its file."""

    id: str
    asks: Patterns
    shows: Patterns


class StanceTable(Table):
    """A way to ask for stances on training use, the first that fits counts."""

    asks: Patterns
    says: tuple[str, ...]
    """The stances that affirm the question."""
    denied: tuple[str, ...] = ()
    """Those that do where it is in the negative, if others."""


class Demo(Table):
    """What the fictional platforms say on a surface."""

    document: Literal["privacy", "terms"]
    """Its place: at the end, unless a plan of `riskanalytics/demo/written/form.toml` places it."""
    titles: tuple[str, ...] = Field(min_length=1)
    """Of its section."""
    says: dict[str, tuple[str, ...]]
    """What it says -> ways to say it; an entry of several sentences is one way. `{name}` is the platform, `{company}`
    who runs it; `{days}`, `{years}` and `{notice}` are numbers of the platform's own."""
    drawn: int | None = None
    """Its place in what is drawn when a platform changes; without it the surface never changes."""
    optional: bool = False
    """A policy may say nothing on it."""
    once: bool = False
    """It is never said in two ways."""


class Declared(Surface):
    """A whole file."""

    reading: Reading
    rule: tuple[RuleTable, ...] = Field(min_length=1)
    effect: tuple[RuleTable, ...] = ()
    """What some words make of a clause that speaks to it, whatever else was read out of it; the first that holds decides."""
    particulars: dict[str, str] = Field(default_factory=dict)
    """What its clauses may name -> pattern: two versions that name the same say the same."""
    topic: tuple[TopicTable, ...] = Field(min_length=1)
    modifier: tuple[ModifierTable, ...] = ()
    stance: tuple[StanceTable, ...] = ()
    controls: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Framework -> its controls to which the surface speaks (`service/compliance/framework.toml`)."""
    demo: Demo | None = None

    @model_validator(mode="after")
    def _own_rules(self) -> Self:
        names = [rule.id for rule in (*self.rule, *self.effect)]
        if strange := [name for name in names if not name.startswith(f"{self.id}.")]:
            raise ValueError(f"{strange[0]}: a rule's id must begin with its surface")
        if len(set(names)) < len(names):
            raise ValueError("a rule's id is used twice")
        return self


def declared_in(surface: str, text: str) -> Declared:
    """Read a whole file.

    Parameters
    ----------
    surface : str
    text : str

    Raises
    ------
    SurfaceError
        If a part of it is not what it must be: one line.
    """
    file = f"{surface}.toml"
    return checked(Declared, file, {**parsed(file, text), "id": surface})


@cache
def declared() -> tuple[Declared, ...]:
    """Return the files of all surfaces in the order in which pages show them, read once."""
    found = texts()
    return tuple(declared_in(surface, found[surface]) for surface in SURFACES)
