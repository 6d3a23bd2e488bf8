"""The model learned from fully labelled documents: whether a clause speaks to a surface, how certainly, and what it says.

It has three steps. Scores and sums are whole numbers, so that the same text gives the same bytes on every machine and in any
batch:

1. A linear model scores each clause for each surface by its words, how it is built, and its surroundings (`features`). The
   hand-written rules are features too, so that the trust in each rule is learned.
2. Decision trees judge the score in its context: the scores of the neighbouring clauses, of the section and of the lead-in.
   Clauses on one surface usually come together, and a single match among clauses on other subjects is mostly boilerplate.
3. The sum of the trees becomes the confidence, calibrated on vendors that were left out of the learning, so that nine in ten
   clauses with a confidence of 0.9 are right (Platt 1999, "Probabilistic outputs for support vector machines").

A linear model for each surface decides what a clause says (level, effect, answer on training). It says HIGH only if the
calibrated chance of HIGH is large enough. The weights are data (`weights.npz`), made by tests/accuracy/train.py.
"""

import json
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from riskanalytics.surfaces import SURFACES

from .plain import KINDS
from .sense import COLUMNS, POLARITIES

_FILE: Final = Path(__file__).with_name("weights.npz")
SCALE: Final = 1000
"""Weights and scores are stored in thousandths."""
MILLION: Final = 1e6
"""Leaves of trees are stored in millionths."""
Table = NDArray[np.int32]
"""A two-dimensional array of whole numbers."""


class Trees:
    """Decision trees whose leaves contain millionths of a logit.

    Parameters
    ----------
    trees : sequence of sequence of [column, border, left, right, value]
        The nodes of each tree, the root first. From a node, a row of numbers about a clause (see `table`) goes on to the node
        `left` if its number in `column` is at most `border`, else to `right`. `left` and `right` are positions of nodes in
        the same tree; for a leaf, both are the position of the leaf itself.
    """

    def __init__(self, trees: Sequence[Sequence[Sequence[int]]]) -> None:
        self._roots = np.cumsum([0, *map(len, trees)])[:-1]
        nodes = np.concatenate([np.zeros((0, 5), dtype=np.int64), *map(np.array, trees)])
        self._column, self._border, self._left, self._right, self._value = nodes.T.copy()
        base = np.repeat(self._roots, list(map(len, trees)))
        self._left, self._right = self._left + base, self._right + base
        self._kept: LRUCache[bytes, int] = LRUCache(4_096)

    def sums(self, rows: Table) -> NDArray[np.int64]:
        """Return for each row the sum of the leaves that it reaches, one leaf in each tree, in millionths of a logit.

        Results are cached, since rows repeat.

        Parameters
        ----------
        rows : array of int32
            Numbers about clauses, one row for each clause and surface; see `table`.
        """
        keys = [row.tobytes() for row in rows]
        missing = {key: at for at, key in enumerate(keys) if key not in self._kept}
        new = dict(zip(missing, self._added(rows[list(missing.values())]).tolist(), strict=True)) if missing else {}
        sums = np.array([new[key] if key in new else self._kept[key] for key in keys], dtype=np.int64)
        self._kept.update(new)
        return sums

    def _added(self, rows: Table) -> NDArray[np.int64]:
        """Add up the leaves of rows that are not cached."""
        every = np.arange(len(rows))[:, None]
        at = np.broadcast_to(self._roots, (len(rows), len(self._roots)))
        while True:
            goes_left = rows[every, self._column[at]] <= self._border[at]
            below = np.where(goes_left, self._left[at], self._right[at])
            if np.array_equal(below, at):
                sums: NDArray[np.int64] = self._value[at].sum(axis=1)
                return sums
            at = below


class Kind(NamedTuple):
    """A kind of statement that the model knows: the level, polarity and stance of what a clause says on a surface."""

    risk: str
    polarity: str
    stance: str | None = None

    @property
    def rule(self) -> str:
        """Identifier of the model's decision, such as `learned.high`; in a finding, `rule` is `training_use.learned.high`."""
        usual = "mitigates_risk" if self.risk == "LOW" else "raises_risk"
        level = self.risk.lower() + ("" if self.polarity == usual else f"_{self.polarity.removesuffix('_risk')}")
        return f"learned.{self.stance or level}"


class Sigmoid(NamedTuple):
    """A function from a score to a chance: 1 / (1 + exp(-(slope * score + shift)))."""

    slope: float
    shift: float

    def __call__(self, score: float) -> float:
        """Return the chance, 0 to 1, rounded to three digits."""
        logit = max(-30.0, min(30.0, self.slope * score + self.shift))
        return round(1 / (1 + math.exp(-logit)), 3)


@dataclass(frozen=True, eq=False, config=ConfigDict(arbitrary_types_allowed=True))
class Reader:
    """The package's model, learned from labelled documents: it says whether a clause speaks to a surface, and what it says.

    Parameters
    ----------
    version : str
        Version of the weights.
    surfaces : tuple of str
        The learned surfaces; other surfaces are read by their rules alone.
    bias : tuple of int
        Bias of each column of the weights, in thousandths.
    trust : dict of str to int
        Rule -> how many of a thousand clauses that it matches speak to its surface.
    trees : Trees
        Decision trees that judge the scores of a clause in its context.
    calibration : tuple of Sigmoid
        For each surface, the function from the sum of the trees (in logits) to the chance that a clause speaks to it.
    high : tuple of Sigmoid
        Two functions from the margin of HIGH over the other levels to the chance that the level is HIGH; the second
        applies if a rule also says HIGH.
    shown, high_from, lead_from : float
        Minimum chances: `shown` for a finding, `high_from` for the level HIGH, and `lead_from` for a lead.
    explicit : float
        Chance that a clause speaks to training use if `riskanalytics.extraction.evidence` grades it `EXPLICIT`.
    bins : tuple of (float, float, float)
        Findings are divided into bins by their confidence. For each bin: the confidence at which it begins, and the lower and
        upper bound of the share of its findings that are right.
    kinds : dict of str to tuple of Kind
        For each surface, the kinds of statements (level, polarity, stance) that clauses make on it.
    rows : dict of str to int
        Feature -> its row in the weights. Row 0 is empty.
    weights : array of int, shape (features, columns)
        A column for each surface, then one for each kind of each surface, in thousandths.
    """

    version: str
    surfaces: tuple[str, ...]
    bias: tuple[int, ...]
    trust: dict[str, int]
    trees: Trees = field(repr=False)
    calibration: tuple[Sigmoid, ...]
    high: tuple[Sigmoid, Sigmoid]
    shown: float
    high_from: float
    lead_from: float
    explicit: float
    bins: tuple[tuple[float, float, float], ...]
    kinds: dict[str, tuple[Kind, ...]]
    rows: dict[str, int] = field(repr=False)
    weights: NDArray[np.int32] = field(repr=False)

    def known(self, features: Iterable[str]) -> list[int]:
        """Return the numbers of the rows of `weights` that belong to the given features; features without a row are left out."""
        return [self.rows[name] for name in features if name in self.rows]

    def scores(self, features: Sequence[Sequence[int]], sizes: Sequence[float]) -> NDArray[np.int32]:
        """Return the scores of clauses for each surface, and for each kind of statement on it.

        Parameters
        ----------
        features : sequence of sequence of int
            For each clause, the numbers of the rows of `weights` that belong to its features, as `known` returns them.
        sizes : sequence of float
            For each clause, the divisor of its sum of weights, which grows with its length; see `features.Seen`.

        Returns
        -------
        array of int32, shape (clauses, columns)
            Scores in thousandths: a column for each surface, then one for each kind of statement (level, polarity, stance) on
            each surface.
        """
        places = [place for rows in features for place in (0, *rows)]  # row 0, so that each clause has a row
        starts = list(accumulate((len(rows) + 1 for rows in features), initial=0))[:-1]
        totals = np.add.reduceat(self.weights[places], starts) / np.array(sizes)[:, None]
        return np.asarray(np.rint(totals) + self.bias, dtype=np.int32)

    def columns(self, surface: str) -> slice:
        """Return the range of the columns of `weights` that score what a clause may say on a surface (level, polarity, stance)."""
        ends = accumulate((len(self.kinds[name]) for name in self.surfaces), initial=len(self.surfaces))
        return next(slice(*pair) for name, pair in zip(self.surfaces, pairwise(ends), strict=True) if name == surface)

    def kind(
        self, surface: str, scores: Sequence[int], effects: Collection[str] = POLARITIES, *, confidence: float = 1.0,
        agreed: bool = False,
    ) -> tuple[Kind, float]:  # fmt: skip
        """Return the level, polarity and stance that a clause most likely states on a surface, and by which margin.

        The level is HIGH only if the chance of HIGH is at least `high_from`, or if the surface has no other level.

        Parameters
        ----------
        surface : str
        scores : sequence of int
            Scores of the clause: its row in the result of `Reader.scores`.
        effects : collection of str
            Polarities that the words of the clause allow; ignored if the surface has no kind of statement with one of them.
        confidence : float
            Chance that the clause speaks to the surface.
        agreed : bool
            Whether a hand-written rule also says HIGH.

        Returns
        -------
        tuple of Kind and float
            The kind of statement, and the margin of its score over the best score of a kind with another level or polarity. The
            margin can be negative if HIGH was not allowed.
        """
        scored = list(zip(self.kinds[surface], scores[self.columns(surface)], strict=True))
        scored = [pair for pair in scored if pair[0].polarity in effects] or scored
        best = max(scored, key=lambda pair: pair[1])
        others = [pair for pair in scored if pair[0].risk != "HIGH"]
        if best[0].risk == "HIGH" and others:
            margin = (best[1] - max(score for _, score in others)) / SCALE
            if confidence * self.high[agreed](margin) < self.high_from:
                polarity = best[0].polarity
                best = max(others, key=lambda pair: (pair[0].polarity == polarity, pair[1]))
        rest = [score for kind, score in scored if kind[:2] != best[0][:2]]
        return best[0], (best[1] - max(rest, default=-SCALE * SCALE)) / SCALE

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the lower and upper bound (95 %) of the share of right findings among findings of about this confidence.

        If necessary, the interval is widened so that it contains the confidence.
        """
        low, high = next((ends for start, *ends in reversed(self.bins) if confidence >= start), (0.0, 1.0))
        return min(low, confidence), max(high, confidence)


def load_head() -> dict[str, Any]:
    """Return the parameters of the package's model by their names in `Reader`, except `rows` and `weights`."""
    with np.load(_FILE) as file:
        return dict(json.loads(file["head"].tobytes()))


@cache
def load_reader() -> Reader:
    """Return the package's model, read from `weights.npz`."""
    with np.load(_FILE) as file:
        return reader_of(load_head(), file["features"].tobytes().decode().split("\n"), file["weights"])


def reader_of(head: dict[str, Any], features: Sequence[str], weights: NDArray[np.integer]) -> Reader:
    """Make a model from its parts.

    Parameters
    ----------
    head : dict
        The parameters of the model except its weights; see `load_head`.
    features : sequence of str
        Names of the features, in the order of the rows of `weights`.
    weights : array of int, shape (features, columns)
        The weights in thousandths, without the empty row 0.

    Raises
    ------
    ValueError, KeyError, TypeError
        If a part is missing or invalid.
    """
    if unknown := set(head["surfaces"]) - set(SURFACES):
        raise ValueError(
            f"the learned weights are for the surface {min(unknown)!r} too, but this surface has no file in "
            "riskanalytics/surfaces: add the file, or learn new weights"
        )
    rows = {name: at for at, name in enumerate(features, 1)}
    padded = np.concatenate([np.zeros((1, len(head["bias"])), dtype=np.int32), weights.astype(np.int32)])
    return Reader(**head | {"trees": Trees(head["trees"]), "rows": rows, "weights": padded})


FAR: Final = -1500
"""Score, in thousandths, that is used if a neighbouring clause does not exist."""
FROM: Final = -1000
"""Minimum score, in thousandths, for a clause that no rule of a surface matches to be considered for the surface."""
_WIDE: Final = 1500
_APART: Final = 1 << 40
"""More than the difference of any two scores."""
_COLON, _CONTINUES = COLUMNS.index("colon"), COLUMNS.index("continues")


def table(
    scores: NDArray[np.int32], headings: Sequence[str], columns: Table, document: str
) -> tuple[Table, list[tuple[int, int]]]:
    """Make the rows of numbers that the decision trees read: one row for each clause and each surface it may speak to.

    A clause may speak to a surface if its score is not too low, or if a rule of the surface matches it.

    Parameters
    ----------
    scores : array of int32, shape (clauses, surfaces)
        Scores of the linear model, in thousandths, for at least one clause.
    headings : sequence of str
        Headings of the clauses, in the order of the text.
    columns : array of int32
        Numbers about the clauses, one row for each; see `features.columns_of`.
    document : str
        Kind of the document, one of `riskanalytics.extraction.plain.KINDS`.

    Returns
    -------
    tuple of array and list of (int, int)
        The rows, and for each row the indexes of clause and surface.
    """
    count, width = scores.shape
    taken, excluded, triggered, numbers = np.split(columns, [width, 2 * width, 3 * width], axis=1)
    where, which = np.nonzero((scores >= FROM) | (taken >= 0))
    padded = np.pad(scores, ((2, 2), (0, 0)), constant_values=FAR)
    mean, second = _sections(scores, headings)
    share = (1000 * (scores > 0).sum(axis=0)) // count
    followed = np.append(numbers[:-1, _COLON] & numbers[1:, _CONTINUES], 0)
    ordered = np.sort(scores, axis=1)
    own = scores[where, which]
    other = np.where(own == ordered[where, -1], ordered[where, -2], ordered[where, -1])
    rows = [
        own, other, *(padded[where + step, which] for step in (0, 1, 3, 4)), mean[where, which], second[where, which],
        share[which], _leads(scores, numbers)[where, which], which, taken[where, which], excluded[where, which],
        triggered[where, which], triggered.sum(axis=1)[where], *numbers[where].T, followed[where],
        np.full(len(where), KINDS.index(document)),
    ]  # fmt: skip
    places = list(zip(where.tolist(), which.tolist(), strict=True))
    return np.stack(rows, axis=1).astype(np.int32), places


def _sections(scores: NDArray[np.int32], headings: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each clause the mean and the second-best score of its section (all clauses under one heading)."""
    of = np.unique(np.array(headings, dtype=np.object_), return_inverse=True)[1]
    sizes = np.bincount(of)
    ends = np.cumsum(sizes)
    by_section = np.argsort(of, kind="stable")
    narrow = np.clip(scores, -_WIDE, _WIDE).astype(np.int64)[by_section]
    mean = np.add.reduceat(narrow, ends - sizes, axis=0) // sizes[:, None]
    apart = of[:, None] * _APART  # one sort for all sections, which keeps them apart
    second = np.sort(scores + apart, axis=0)[ends - np.minimum(sizes, 2)] - np.arange(len(sizes))[:, None] * _APART
    return mean[of], second[of]


def _leads(scores: NDArray[np.int32], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return for each clause the scores of its lead-in."""
    places = np.where(numbers[:, _COLON], np.arange(len(scores)), -1)
    last = np.concatenate(([-1], np.maximum.accumulate(places)[:-1]))
    led = (numbers[:, _CONTINUES] != 0) & (last >= 0)
    return np.where(led[:, None], scores[last], FAR)
