"""What a linear model sees of a clause: its words, who acts, what it continues, its form, and what the rules say of it.

Words are cut to their stems by their endings alone, the parties of a contract are told apart (provider, user)
whatever they are called, numbers are one word, and Chinese is read by pairs of characters. Besides single words
there are neighbours, pairs with one word between, and the first two and three. The words of a lead-in and of a
heading are marked as such. What stands beside the clause (`beside`) and the kind of the
document (`within`) come apart, since they change where the clause does not. Linear in the clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskanalytics.extraction.plain import remembered
from riskanalytics.extraction.sense import Form

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


@remembered(50_000)
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


class Seen(NamedTuple):
    """What the model sees of a clause."""

    features: set[str]
    """A stem, `a b` (neighbours), `a~b` (one word between), `^a b c` (the first), and the same behind `L:` (lead-in),
    `L&` (a stem of the clause where there is a lead-in) and `H:` (heading); the signs, the form, each sign with each
    trait of the form, and `R:` (the rule that takes it)."""
    stems: int
    """Words of the clause."""
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
    return Seen(found, len(stems), float(size_of(len(stems))))


def size_of(stems: int | NDArray[np.int32]) -> NDArray[np.float64]:
    """Return what sums of weights are divided by; see `Seen.size`.

    Parameters
    ----------
    stems : int or array of int
    """
    return np.sqrt(10.0 + 5.0 * stems)


def below(heading: str) -> set[str]:
    """Return what the model sees of the heading that a clause stands below.

    Parameters
    ----------
    heading : str
        Plain and lower-case.

    Returns
    -------
    set of str
        `H:` and a stem.
    """
    return {f"H:{stem}" for stem in tokens(heading)[:_HEADING]}


def beside(mark: str, kind: str, signs: Iterable[str]) -> Iterator[str]:
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
    """Give what the model sees of the document around a clause.

    Parameters
    ----------
    document : str
        Its kind.
    signs : iterable of str
        What the patterns say of the clause.

    Yields
    ------
    str
        `K:` and the kind, and each sign with it.
    """
    yield f"K:{document}"
    for sign in signs:
        if sign[0] == "#":
            yield f"{sign}{document}"
