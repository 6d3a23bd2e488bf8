"""What a model sees of a clause: its words, who acts, what it continues, its form, and what the rules say of it.

Words are cut to their stems by their endings alone, the parties of a contract are distinguished (provider, user)
whatever they are called, numbers are one word, and Chinese is read by pairs of characters. Besides single words
there are neighbours, pairs with one word between, and the first two and three. The words of a lead-in and of a
heading are marked as such. What is beside the clause (`neighbours`) and the kind of the document (`within`) are apart,
since they change where the clause does not. Linear in the clause.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from riskanalytics.surfaces import SURFACES
from riskanalytics.surfaces.declared import RuleTable

from .learned import Reader
from .rules import surface_rules
from .sense import Form, form_of, without_idioms

_TOKEN: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[\u4e00-\u9fff]+")
_ENDINGS: Final = ("ing", "ed", "es", "s", "ly")
_LEAD: Final = 25
_HEADING: Final = 10
_LONGEST: Final = 300
"""Words looked at in one clause at most: longer ones are no sentence."""
_PARTIES: Final = {
    "#we": "we us company provider licensor vendor supplier processor platform",
    "#our": "our ours company's provider's vendor's",
    "#you": "you customer customers user users subscriber subscribers client clients licensee member members controller",
    "#your": "your yours customer's user's subscriber's client's licensee's users' customers'",
}
_PARTY: Final = {word: name for name, words in _PARTIES.items() for word in words.split()}


@lru_cache(50_000)
def _stem(word: str) -> str:
    """Cut a word to its stem, or name the party."""
    if (party := _PARTY.get(word)) is not None:
        return party
    if word[0].isdigit():
        return "#number"
    if len(word) > 4:
        word = next((word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), word)
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def tokens(words: str) -> list[str]:
    """Return the stems of plain words, in order.

    Parameters
    ----------
    words : str
        Plain and lower-case.

    Returns
    -------
    list of str
    """
    found: list[str] = []
    for word in _TOKEN.findall(words):
        if word[0] >= "\u4e00":
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            found.append(_stem(word))
    return found


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
    words, with_lead = without_idioms(words, lead_in)
    looks = {surface: rules.look(words, with_lead) for surface, rules in surface_rules().items()}
    rules = {name: look.rule for name, look in looks.items() if look.rule is not None}
    signs = [f"#{name}" for name in learned if looks[name].triggered]
    signs += [f"!{name}" for name in learned if looks[name].excluded]
    return Looks(rules, tuple(signs), tuple(rules[name].id if name in rules else None for name in learned))


class Seen(NamedTuple):
    """What the model sees of a clause."""

    features: set[str]
    """A stem, `a b` (neighbours), `a~b` (one word between), `^a b c` (the first), and the same behind `L:` (lead-in),
    `L&` (a stem of the clause where there is a lead-in) and `H:` (heading); the signs, the form, each sign with each
    trait of the form, and `R:` (the rule that takes it)."""
    size: float
    """What the sum of weights is divided by, so that a long clause is not surer than a short one: the root of a
    number that grows with the features."""


def see(
    words: str, lead_in: str, heading: str, form: Form, signs: Sequence[str] = (), rules: Iterable[str | None] = ()
) -> Seen:
    """Return what the model sees of a clause.

    Parameters
    ----------
    words, lead_in, heading : str
        Plain and lower-case.
    form : Form
        How it is built.
    signs : sequence of str
        What the patterns of the surfaces say of it: `#surface`, `!surface`.
    rules : iterable of str or None
        The rules that take it.

    Returns
    -------
    Seen
    """
    stems = tokens(words)[:_LONGEST]
    found = {*stems, *signs, *form.features}
    found.update(map(" ".join, pairwise(stems)))
    found.update([f"{first}~{second}" for first, second in zip(stems, stems[2:], strict=False)])
    found.update([f"^{' '.join(stems[:count])}" for count in (1, 2, 3) if len(stems) >= count])
    if lead_in:
        lead = tokens(lead_in)[-_LEAD:]
        found.update([f"L:{stem}" for stem in lead])
        found.update([f"L:{first} {second}" for first, second in pairwise(lead)])
        found.update([f"L&{stem}" for stem in stems])
    found.update(below(heading))
    found.update([f"R:{rule}" for rule in rules if rule])
    found.update([f"{sign}{trait}" for sign in signs if sign[0] == "#" for trait in form.features])
    return Seen(found, math.sqrt(10 + 5 * len(stems)))


def below(heading: str) -> set[str]:
    """Return what the model sees of the heading above a clause (plain and lower-case): `H:` and a stem."""
    return {f"H:{stem}" for stem in tokens(heading)[:_HEADING]}


def neighbours(mark: str, kind: str, signs: Iterable[str]) -> Iterator[str]:
    """Give what the model sees of a clause's neighbour.

    Parameters
    ----------
    mark : str
        `P` for the clause before, `N` for the one after.
    kind : str
        `sentence`, `item` or `row`.
    signs : iterable of str
        What the patterns say of the neighbour.

    Yields
    ------
    str
    """
    yield f"{mark}k{kind}"
    for sign in signs:
        yield f"{mark}{sign}"


def within(document: str, signs: Iterable[str]) -> Iterator[str]:
    """Give what the model sees of the document around a clause: `K:` and its kind, and each sign with it.

    Parameters
    ----------
    document : str
        Its kind.
    signs : iterable of str
        What the patterns say of the clause.

    Yields
    ------
    str
    """
    yield f"K:{document}"
    for sign in signs:
        if sign[0] == "#":
            yield f"{sign}{document}"


def columns_of(looks: Looks, form: Form, trust: Mapping[str, int], surfaces: Sequence[str]) -> tuple[int, ...]:
    """Return what `learned.table` needs of a clause.

    Parameters
    ----------
    looks : Looks
    form : Form
    trust : mapping of str to int
        See `riskanalytics.extraction.learned.Reader`.
    surfaces : sequence of str
        What is learned.

    Returns
    -------
    tuple of int
        For each surface the trust in the rule that takes the clause (-1 without a rule), then whether its words are there
        as a lookalike has them, then whether they are there; then the numbers of its form.
    """
    taken = (trust.get(rule, 0) if rule else -1 for rule in looks.names)
    signs = (f"{mark}{name}" in looks.signs for mark in "!#" for name in surfaces)
    return (*taken, *map(int, signs), *form.numbers)


class Alone(NamedTuple):
    """What is known of a clause wherever it is, the heading above it left out."""

    looks: Looks
    columns: tuple[int, ...]
    """See `columns_of`."""
    known: list[int]
    """Rows of its own features in the weights."""
    neighbours: dict[str, tuple[int, ...]]
    """Rows of what it adds to the clauses after and before it."""
    size: float


@lru_cache(4_096)
def alone(reader: Reader, words: str, kind: str, lead_in: str) -> Alone:
    """Read a clause without its heading; versions repeat each other, and the same clause has many headings.

    Parameters
    ----------
    reader : Reader
    words, lead_in : str
        Plain and lower-case.
    kind : str
        `sentence`, `item` or `row`.
    """
    looks, form = by_patterns(words, lead_in, reader.surfaces), form_of(words, kind, lead_in)
    seen = see(words, lead_in, "", form, looks.signs, looks.names)
    columns = columns_of(looks, form, reader.trust, reader.surfaces)
    near = {mark: tuple(reader.known(neighbours(mark, kind, looks.signs))) for mark in "PN"}
    return Alone(looks, columns, reader.known(seen.features), near, seen.size)
