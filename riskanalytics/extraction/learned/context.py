"""A clause's score in its place: beside the clauses around it, its section, its lead-in and the whole document.

Clauses of one surface stand together: a row of recipients is read with the line that leads in to it, and a lonely
word in another section is most often boilerplate. `table` makes a row of whole numbers of each clause and surface
that may count; the trees read them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskanalytics.extraction.plain import KINDS
from riskanalytics.extraction.sense import COLUMNS, Form
from riskanalytics.surfaces import SURFACES

_MOST_KEPT: Final = 50_000
Table = NDArray[np.int32]
"""Rows of whole numbers."""


class Trees:
    """Trees whose leaves hold millionths of a logit.

    Parameters
    ----------
    trees : sequence of sequence of [column, border, left, right, value]
        The nodes of each tree, the root first: left where the row's number in the column is at most the border. A
        leaf names itself as left and right.
    """

    def __init__(self, trees: Sequence[Sequence[Sequence[int]]]) -> None:
        longest = max(map(len, trees), default=0)
        nodes = np.zeros((len(trees), longest, 5), dtype=np.int64)
        for place, tree in enumerate(trees):
            nodes[place, : len(tree)] = tree
        base = (np.arange(len(trees)) * longest)[:, None]
        self._roots: NDArray[np.int64] = base[:, 0]
        self._column, self._border = nodes[:, :, 0].ravel(), nodes[:, :, 1].ravel()
        self._left, self._right = (nodes[:, :, 2] + base).ravel(), (nodes[:, :, 3] + base).ravel()
        self._value = nodes[:, :, 4].ravel()
        self._kept: dict[bytes, int] = {}
        """Row -> its sum: the versions of a document share most rows."""

    def sums(self, rows: Table) -> list[int]:
        """Add up the leaves that each row falls into.

        Parameters
        ----------
        rows : array of int32, shape (rows, columns)

        Returns
        -------
        list of int
            Millionths of a logit, a sum a row.
        """
        if not len(rows) or not len(self._roots):
            return [0] * len(rows)
        if len(self._kept) > _MOST_KEPT:
            self._kept = {}
        kept, keys = self._kept, _keys(rows)
        if new := {key: at for at, key in enumerate(keys) if key not in kept}:
            kept.update(zip(new, self._summed(rows[list(new.values())]), strict=True))
        return [kept[key] for key in keys]

    def _summed(self, rows: Table) -> list[int]:
        """Walk down all trees with all rows."""
        every = np.arange(len(rows))[:, None]
        at = np.broadcast_to(self._roots, (len(rows), len(self._roots)))
        while True:
            goes_left = rows[every, self._column[at]] <= self._border[at]
            below = np.where(goes_left, self._left[at], self._right[at])
            if np.array_equal(below, at):
                return [int(total) for total in self._value[at].sum(axis=1)]
            at = below


def _keys(rows: Table) -> list[bytes]:
    """The bytes of each row."""
    whole = np.ascontiguousarray(rows)
    return list(map(bytes, whole.view(np.dtype((np.void, whole.shape[1] * whole.itemsize))).ravel().tolist()))


FAR: Final = -1500
"""Score of what is not there, in thousandths."""
FROM: Final = -1000
"""A clause that no rule takes is looked at from this score."""
_WIDE: Final = 1500
_APART: Final = 1 << 40
"""More than any two scores differ by."""
_COLON, _CONTINUES = COLUMNS.index("colon"), COLUMNS.index("continues")


class Read(NamedTuple):
    """What the table needs of a clause."""

    heading: str
    form: Form
    told: tuple[int, ...]
    """For each surface the trust in the rule that takes the clause (-1: none does), then whether its words are there
    as a lookalike has them, then whether they are there."""


def read(
    heading: str,
    form: Form,
    signs: Collection[str],
    rules: Sequence[str | None],
    trust: Mapping[str, int],
    surfaces: Sequence[str] = SURFACES,
) -> Read:
    """Return what the table needs of a clause.

    Parameters
    ----------
    heading : str
    form : Form
    signs : collection of str
        What the patterns say of it: `#surface`, `!surface`.
    rules : sequence of str or None
        For each surface, the rule that takes it.
    trust : mapping of str to int
        See `riskanalytics.extraction.learned.Reader`.
    surfaces : sequence of str, optional
        What is learned; all surfaces without it.
    """
    taken = (trust.get(rule, 0) if rule else -1 for rule in rules)
    excluded, triggered = ([f"{mark}{name}" in signs for name in surfaces] for mark in "!#")
    return Read(heading, form, tuple(map(int, (*taken, *excluded, *triggered))))


class Reads(NamedTuple):
    """What the table needs of the clauses of a text, in their order, headings left out."""

    headings: Sequence[str]
    columns: NDArray[np.int32]
    """A row a clause, as `told_columns` gives it."""


def told_columns(clause: Read) -> tuple[int, ...]:
    """Return what the table needs of a clause beside its heading: `Read.told`, then the numbers of its form."""
    return (*clause.told, *clause.form.numbers)


def stacked(clauses: Sequence[Read]) -> Reads:
    """Put clauses one under the other.

    Parameters
    ----------
    clauses : sequence of Read
        In the order of the text, without headings.
    """
    return Reads([one.heading for one in clauses], np.array([told_columns(one) for one in clauses], dtype=np.int32))


class Candidates(NamedTuple):
    """Clauses that may speak to a surface."""

    rows: Table
    places: list[tuple[int, int]]
    """Clause and surface of each row, as places."""


def table(scores: NDArray[np.int32], reads: Reads, document: str) -> Candidates:
    """Make a row of each clause and surface that may count.

    Parameters
    ----------
    scores : array of int32, shape (clauses, surfaces)
        Of the linear model, in thousandths.
    reads : Reads
    document : str
        Kind of the document, one of `riskanalytics.extraction.document_kind.KINDS`.

    Returns
    -------
    Candidates
    """
    count, width = scores.shape
    if not count:
        return Candidates(np.zeros((0, 0), dtype=np.int32), [])
    taken, excluded, triggered, numbers = np.split(reads.columns, [width, 2 * width, 3 * width], axis=1)
    where, which = np.nonzero((scores >= FROM) | (taken >= 0))
    padded = np.full((count + 4, width), FAR, dtype=np.int32)
    padded[2:-2] = scores
    mean, second = _sections(scores, reads.headings)
    share = (1000 * (scores > 0).sum(axis=0)) // count
    followed = np.zeros(count, dtype=np.int32)
    followed[:-1] = numbers[:-1, _COLON] & numbers[1:, _CONTINUES]
    ordered = np.sort(scores, axis=1)
    own = scores[where, which]
    other = np.where(own == ordered[where, -1], ordered[where, -2], ordered[where, -1])
    columns = [
        own, other, *(padded[where + step, which] for step in (0, 1, 3, 4)), mean[where, which], second[where, which],
        share[which], _leads(scores, numbers)[where, which], which, taken[where, which], excluded[where, which],
        triggered[where, which], triggered.sum(axis=1)[where], *numbers[where].T, followed[where],
        np.full(len(where), KINDS.index(document)),
    ]  # fmt: skip
    places = list(zip(where.tolist(), which.tolist(), strict=True))
    return Candidates(np.stack(columns, axis=1).astype(np.int32), places)


def _sections(scores: NDArray[np.int32], headings: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Mean and second-best score of the section that each clause stands in: all that stands under one heading."""
    numbers: dict[str, int] = {}
    of = np.array([numbers.setdefault(heading, len(numbers)) for heading in headings])
    sizes = np.bincount(of)
    ends = np.cumsum(sizes)
    by_section = np.argsort(of, kind="stable")
    narrow = np.clip(scores, -_WIDE, _WIDE).astype(np.int64)[by_section]
    mean = np.add.reduceat(narrow, ends - sizes, axis=0) // sizes[:, None]
    apart = of[:, None] * _APART  # sorted all at once, and the sections stay in order
    second = np.sort(scores + apart, axis=0)[ends - np.minimum(sizes, 2)] - np.arange(len(sizes))[:, None] * _APART
    return mean[of], second[of]


def _leads(scores: NDArray[np.int32], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Scores of the line that leads in to each clause."""
    places = np.where(numbers[:, _COLON], np.arange(len(scores)), -1)
    last = np.concatenate(([-1], np.maximum.accumulate(places)[:-1]))
    led = (numbers[:, _CONTINUES] != 0) & (last >= 0)
    return np.where(led[:, None], scores[last], FAR)
