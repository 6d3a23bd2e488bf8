"""Turn a clause into features of the linear model: its words, lead-in, heading, how it is built, which rules match.

Words are cut to stems by removing their endings. All names for the provider become one word, all names for the user a second
word, and all numbers a third; Chinese is read in pairs of characters. The features are single words, pairs of neighbouring words,
pairs with one word between, and the first one, two and three words. Words of a lead-in and of a heading are marked as such.

A sign is a feature for one surface: `#training_use` if the clause contains words that are typical of training use, and also
`!training_use` if the clause with these words is only a lookalike, such as a duty of the user, a heading or a question.

Features that a clause gets from its neighbours (`neighbours`) and from the kind of its document (`within`) are made
separately, because they can change while the clause does not. The time is linear in the length of the clause.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
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
"""Maximum number of words that are read of a clause; a longer clause is not a sentence."""
_PARTIES: Final = {
    "#we": "we us company provider licensor vendor supplier processor platform",
    "#our": "our ours company's provider's vendor's",
    "#you": "you customer customers user users subscriber subscribers client clients licensee member members controller",
    "#your": "your yours customer's user's subscriber's client's licensee's users' customers'",
}
_PARTY: Final = {word: name for name, words in _PARTIES.items() for word in words.split()}


@lru_cache(50_000)
def _stem(word: str) -> str:
    """Return the stem of a word; `#we`, `#our`, `#you` or `#your` for a party, `#number` for a number."""
    if (party := _PARTY.get(word)) is not None:
        return party
    if word[0].isdigit():
        return "#number"
    if len(word) > 4:
        word = next((word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), word)
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def tokens(words: str) -> list[str]:
    """Return the stems of plain words, in the order of the words.

    Parameters
    ----------
    words : str
        A clause or other text, plain and lower-case.

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
    """What the patterns of all surfaces find in a clause: the rules that match, and signs of words that are typical of a surface.

    The sign `#training_use` says that the clause contains words that are typical of training use. The sign `!training_use` says
    that the clause with these words is only a lookalike, such as a duty of the user or a question.
    """

    rules: dict[str, RuleTable]
    """Surface -> its first rule that matches the clause; surfaces without such a rule are left out."""
    signs: tuple[str, ...]
    """`#` and the name of each surface whose typical words the clause contains; then `!` and the name of each surface of which the
    clause is only a lookalike. Only surfaces that the model knows have signs."""
    names: tuple[str | None, ...]
    """For each surface that the model knows, the identifier of its rule in `rules`; None without a rule."""


def by_patterns(words: str, lead_in: str = "", learned: Sequence[str] = SURFACES) -> Looks:
    """Match the patterns of all surfaces against a clause.

    Parameters
    ----------
    words, lead_in : str
        The clause and its lead-in, plain and lower-case.
    learned : sequence of str, optional
        The surfaces that the model knows. Signs are made for these surfaces only, since other signs would disturb the model.

    Returns
    -------
    Looks
        The rules that match; and signs that say, for each surface, such as `training_use`, whether the clause contains words
        that are typical of the surface (`#training_use`), and whether the clause is only a lookalike, such as a duty of the user
        or a question with these words (`!training_use`).
    """
    words, with_lead = without_idioms(words, lead_in)
    looks = {surface: rules.look(words, with_lead) for surface, rules in surface_rules().items()}
    rules = {name: look.rule for name, look in looks.items() if look.rule is not None}
    signs = [f"#{name}" for name in learned if looks[name].triggered]
    signs += [f"!{name}" for name in learned if looks[name].excluded]
    return Looks(rules, tuple(signs), tuple(rules[name].id if name in rules else None for name in learned))


class Seen(NamedTuple):
    """The `features` of a clause for the linear model, and `size`, by which the model divides the sum of the features' weights."""

    features: set[str]
    """Stems: `a`, `a b` (neighbouring words), `a~b` (one word between) and `^a b c` (the first words); `L:` with a stem or pair of
    stems of the lead-in; `L&` with a stem of the clause, if the clause has a lead-in; `H:` with a stem of the heading; the signs
    (see `Looks`); `Form.features`; each `#` sign with each of `Form.features`; `R:` with each rule that matches the clause."""
    size: float
    """Divisor of the sum of weights, so that a long clause does not get a higher score than a short one merely by its length. The
    divisor grows with the square root of the number of stems."""


def see(
    words: str, lead_in: str, heading: str, form: Form, signs: Sequence[str] = (), rules: Iterable[str | None] = ()
) -> Seen:
    """Return the features of a clause.

    Parameters
    ----------
    words, lead_in, heading : str
        The clause, its lead-in and its heading, plain and lower-case.
    form : Form
        How the clause is built, such as its length and ending; from `sense.form_of`.
    signs : sequence of str
        `#` and the name of each surface whose typical words the clause contains; `!` and the name of each surface of which the
        clause is only a lookalike, such as a question with these words. From `by_patterns`.
    rules : iterable of str or None
        Identifiers of the rules that match the clause; None is ignored.

    Returns
    -------
    Seen
        The features, and the divisor of the sum of their weights, which grows with the length of the clause.
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
    """Return the features that a plain, lower-case heading gives to the clauses below it: `H:` and the stem of each word."""
    return {f"H:{stem}" for stem in tokens(heading)[:_HEADING]}


def neighbours(mark: str, kind: str, signs: Iterable[str]) -> list[str]:
    """Return the features that a clause gets from a neighbouring clause.

    Parameters
    ----------
    mark : str
        First letter of the features: `P` for the previous clause, `N` for the next one.
    kind : str
        Kind of the neighbour: `sentence`, `item` or `row`.
    signs : iterable of str
        `#` and the name of each surface whose typical words the neighbour contains; `!` and the name of each surface of which the
        neighbour is only a lookalike, such as a question with these words. From `by_patterns`.

    Returns
    -------
    list of str
        `mark`, `k` and the kind, joined; then, for each sign, `mark` and the sign, joined.
    """
    return [f"{mark}k{kind}", *(f"{mark}{sign}" for sign in signs)]


def within(document: str, signs: Iterable[str]) -> list[str]:
    """Return the features that a clause gets from the kind of its document.

    Parameters
    ----------
    document : str
        Kind of the document, one of `plain.KINDS`.
    signs : iterable of str
        `#` and the name of each surface whose typical words the clause contains, from `by_patterns`; other signs are ignored.

    Returns
    -------
    list of str
        `K:` and the kind, joined; then, for each sign that begins with `#`, the sign and the kind, joined.
    """
    return [f"K:{document}", *(f"{sign}{document}" for sign in signs if sign[0] == "#")]


def columns_of(looks: Looks, form: Form, trust: Mapping[str, int], surfaces: Sequence[str]) -> tuple[int, ...]:
    """Return what the rules say about a clause, and how it is built, as numbers for the decision trees (see `learned.table`).

    Parameters
    ----------
    looks : Looks
        The rules that match the clause, and for each surface whether the clause contains its typical words and whether the clause
        is only a lookalike; from `by_patterns`.
    form : Form
        How the clause is built, such as its length and ending; from `sense.form_of`.
    trust : mapping of str to int
        Rule -> how many of a thousand clauses that it matches speak to its surface (`learned.Reader.trust`).
    surfaces : sequence of str
        The surfaces that the model knows.

    Returns
    -------
    tuple of int
        For each surface, the trust in the rule that matches the clause (-1 if no rule matches); for each surface, whether the
        clause is only a lookalike (such as a duty of the user or a question); for each surface, whether the clause contains
        words that are typical of the surface; then `Form.numbers`.
    """
    taken = (trust.get(rule, 0) if rule else -1 for rule in looks.names)
    signs = (f"{mark}{name}" in looks.signs for mark in "!#" for name in surfaces)
    return (*taken, *map(int, signs), *form.numbers)


class OwnFeatures(NamedTuple):
    """The features of a clause that do not depend on its place in a text: all except those of heading, neighbours and document."""

    looks: Looks
    columns: tuple[int, ...]
    """See `columns_of`."""
    known: list[int]
    """Numbers of the rows of `Reader.weights` that belong to these features."""
    neighbours: dict[str, tuple[int, ...]]
    """Numbers of the rows of the features that this clause gives to the next clause (key `P`) and to the previous one (key `N`)."""
    size: float


@lru_cache(4_096)
def own_features(reader: Reader, words: str, kind: str, lead_in: str) -> OwnFeatures:
    """Return the features of a clause that do not depend on its place in a text.

    Results are cached, since versions of a text repeat each other, and the same clause appears under many headings.

    Parameters
    ----------
    reader : Reader
        The model.
    words, lead_in : str
        The clause and its lead-in, plain and lower-case.
    kind : str
        Kind of the clause: `sentence`, `item` or `row`.
    """
    looks, form = by_patterns(words, lead_in, reader.surfaces), form_of(words, kind, lead_in)
    seen = see(words, lead_in, "", form, looks.signs, looks.names)
    columns = columns_of(looks, form, reader.trust, reader.surfaces)
    near = {mark: tuple(reader.known(neighbours(mark, kind, looks.signs))) for mark in "PN"}
    return OwnFeatures(looks, columns, reader.known(seen.features), near, seen.size)
