"""What is learned from documents labelled whole: whether a clause speaks to a surface, how surely, and what it says.

Three steps, all in whole numbers, so that the same text gives the same bytes on every machine and in any batch:

1. A linear model scores each clause for each surface by its words, its form and what stands around it (`features`).
   The hand-written rules are features too: how far a rule can be trusted is learned.
2. Trees read that score in its place: beside the scores of the clauses around it, of its section and of the line that
   leads in to it (`context`).
3. The sum is calibrated on vendors from which nothing was learned, so that a confidence of 0.9 means nine of ten
   (Platt 1999, "Probabilistic outputs for support vector machines").

What a clause says (level, effect, answer on training) is told by a linear model for each surface; HIGH is said only
where its own calibrated chance allows it. The weights are data (`weights.tsv.gz`), made by tests/accuracy/train.py.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, TypeAdapter

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.learned.context import Trees
from riskanalytics.surfaces import SURFACES

_FILE: Final = "weights.tsv.gz"
POLARITIES: Final = frozenset(("raises_risk", "mitigates_risk", "neutral"))
SCALE: Final = 1000
"""Weights and scores are kept as thousandths."""

_BITS: Final = 24
_HALF: Final = 1 << (_BITS - 1)


class Weights:
    """Weights by feature.

    A feature's cell is read when the feature is first seen, since most never are. It is kept as one number with
    `_BITS` bits a column, so that the weights of all columns are added at once.
    """

    def __init__(self) -> None:
        self.cells: dict[str, str] = {}
        """Feature -> `column:weight` pairs between spaces."""
        self._rows: dict[str, int] = {}

    def packed(self, features: Iterable[str]) -> int:
        """Add the weights of features up, all columns in one number; such numbers may be added."""
        rows, cells = self._rows, self.cells
        total = 0
        if isinstance(features, Set):  # most features have no weights
            features = cells.keys() & features
        for name in features:
            row = rows.get(name)
            if row is not None:
                total += row
            elif name in cells:
                total += self._row(name)
        return total

    def _row(self, name: str) -> int:
        """Read a cell."""
        pairs = (pair.split(":") for pair in self.cells[name].split(" "))
        row = self._rows[name] = sum(int(weight) << (_BITS * int(column)) for column, weight in pairs)
        return row


def unpacked(totals: Sequence[int], sizes: Sequence[float], bias: Sequence[int]) -> NDArray[np.int32]:
    """Return the scores behind numbers that `Weights.packed` gave.

    Parameters
    ----------
    totals : sequence of int
    sizes : sequence of float
        What the sums of each are divided by.
    bias : sequence of int
        Added to each column, in thousandths.

    Returns
    -------
    array of int32, shape (totals, columns)
        Thousandths.
    """
    return scored(sums(totals, len(bias)), np.array(sizes), bias)


def sums(totals: Sequence[int], columns: int) -> NDArray[np.int64]:
    """Return the sums behind numbers that `Weights.packed` gave.

    Parameters
    ----------
    totals : sequence of int
    columns : int

    Returns
    -------
    array of int64, shape (totals, columns)
    """
    lift = sum(_HALF << (_BITS * column) for column in range(columns))
    packed = b"".join([(total + lift).to_bytes(columns * _BITS // 8, "little") for total in totals])
    parts = np.frombuffer(packed, dtype=np.uint8).reshape(len(totals), columns, _BITS // 8).astype(np.int64)
    found: NDArray[np.int64] = parts @ np.array([1, 1 << 8, 1 << 16]) - _HALF
    return found


def scored(totals: NDArray[np.integer], sizes: NDArray[np.float64], bias: Sequence[int]) -> NDArray[np.int32]:
    """Return the scores behind sums; see `unpacked`.

    Parameters
    ----------
    totals : array of int, shape (rows, columns)
    sizes : array of float
        What the sums of each are divided by.
    bias : sequence of int
        Added to each column, in thousandths.
    """
    scores: NDArray[np.int32] = (np.rint(totals / sizes[:, None]) + np.array(bias)).astype(np.int32)
    return scores


class Kind(NamedTuple):
    """What a clause says of a surface."""

    risk: str
    polarity: str
    stance: str | None = None

    @property
    def rule(self) -> str:
        """What the finding names as its rule, behind the surface."""
        usual = "mitigates_risk" if self.risk == "LOW" else "raises_risk"
        told = self.risk.lower() + ("" if self.polarity == usual else f"_{self.polarity.removesuffix('_risk')}")
        return f"learned.{self.stance or told}"


class Sigmoid(NamedTuple):
    """Chance by a score: 1 / (1 + exp(-(slope * score + shift)))."""

    slope: float
    shift: float

    def __call__(self, score: float) -> float:
        """Return the chance, 0 to 1, to three digits."""
        told = max(-30.0, min(30.0, self.slope * score + self.shift))
        return round(1 / (1 + math.exp(-told)), 3)


@dataclass(frozen=True, eq=False)
class Reader:
    """The model.

    Parameters
    ----------
    version : str
        Of the weights.
    surfaces : tuple of str
        What was learned; the rules alone read the others.
    bias : tuple of int
        For each of the surfaces, added to the weights, in thousandths.
    trust : dict of str to int
        Rule -> how many of thousand of its clauses spoke to the surface.
    trees : Trees
        See `context`.
    calibration : tuple of Sigmoid
        For each surface, from the sum of the trees to the chance that the clause speaks to it.
    high : tuple of Sigmoid
        From the margin of HIGH over the other levels to the chance that the level is HIGH; the second where a rule says so
        too.
    shown, high_from, lead_from : float
        Chance from which a clause is a finding, from which it is one and HIGH, and from which it is a lead.
    explicit : float
        Chance that a clause speaks to training use which by `riskanalytics.extraction.evidence` says so explicitly.
    bins : tuple of (float, float, float)
        Confidence from which a bin begins, and the interval of the share that was right in it.
    kinds : dict of str to tuple of Kind
        For each surface, what its clauses may say.
    kind_bias : dict of str to tuple of int
    weights : Weights
        By surface.
    kind_weights : dict of str to Weights
        For each surface, by kind.
    """

    __pydantic_config__: ClassVar = ConfigDict(arbitrary_types_allowed=True)

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
    kind_bias: dict[str, tuple[int, ...]]
    weights: Weights = field(repr=False)
    kind_weights: dict[str, Weights] = field(repr=False)

    def kind(
        self, surface: str, features: Iterable[str], size: float, effects: Collection[str] = POLARITIES, *,
        confidence: float = 1.0, agreed: bool = False,
    ) -> tuple[Kind, float]:  # fmt: skip
        """Return what a clause most likely says of a surface; HIGH only where the chance that it is one allows it.

        Parameters
        ----------
        surface : str
        features : iterable of str
            What the model sees of the clause, and around it.
        size : float
            See `features.Seen`.
        effects : collection of str
            Effects on the risk that come into question; where the surface has a kind of none of them, all do.
        confidence : float
            Chance that it speaks to the surface.
        agreed : bool
            Whether a hand-written rule says HIGH too.

        Returns
        -------
        tuple of Kind and float
            The second is how far it is ahead of what has another level or effect; below 0 where HIGH was not allowed.
        """
        kinds = self.kinds[surface]
        totals = unpacked([self.kind_weights[surface].packed(features)], [size], self.kind_bias[surface])[0].tolist()
        fitting = [place for place, kind in enumerate(kinds) if kind.polarity in effects] or list(range(len(kinds)))
        best = max(fitting, key=totals.__getitem__)
        others = [place for place in fitting if kinds[place].risk != "HIGH"]
        if kinds[best].risk == "HIGH" and others:
            margin = (totals[best] - max(totals[place] for place in others)) / SCALE
            if confidence * self.high[agreed](margin) < self.high_from:
                best = max(others, key=lambda place: (kinds[place].polarity == kinds[best].polarity, totals[place]))
        rest = [totals[place] for place in fitting if kinds[place][:2] != kinds[best][:2]]
        return kinds[best], (totals[best] - max(rest, default=-SCALE * SCALE)) / SCALE

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of the share that was right among findings of about this confidence.

        Parameters
        ----------
        confidence : float

        Returns
        -------
        tuple of float
        """
        low, high = next(((low, high) for start, low, high in reversed(self.bins) if confidence >= start), (0.0, 1.0))
        return min(low, confidence), max(high, confidence)


class Head(NamedTuple):
    """What weights tell of themselves: the `version` and `shown` of their `Reader`."""

    version: str
    shown: float


_READER: Final = TypeAdapter(Reader)


@cache
def load_reader() -> Reader:
    """Read the weights that the package carries.

    Returns
    -------
    Reader

    Raises
    ------
    ExtractionError
        If the data are not well-formed.
    """
    body = gzip.decompress(resources.files(__name__).joinpath(_FILE).read_bytes()).decode("utf-8")
    try:
        return parsed(body)
    except (ValueError, KeyError, TypeError) as error:
        raise ExtractionError(f"{_FILE}: not well-formed: {error}") from error


def load_head() -> Head:
    """Read what the weights that the package carries tell of themselves, without the weights.

    Raises
    ------
    ExtractionError
        If the data are not well-formed.
    """
    try:
        with resources.files(__name__).joinpath(_FILE).open("rb") as file, gzip.open(file) as lines:
            told = json.loads(lines.readline())
        return Head(str(told["version"]), float(told["shown"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ExtractionError(f"{_FILE}: not well-formed: {error}") from error


def parsed(body: str) -> Reader:
    """Read weights out of their text.

    Parameters
    ----------
    body : str
        A line of JSON, then a line a feature: its name and, behind tabs, cells of a surface's name (none: the
        weights by surface) and `column:weight` pairs.

    Returns
    -------
    Reader

    Raises
    ------
    ValueError, KeyError, TypeError
        If a part is missing or is not what it should be.
    """
    first, *lines = body.splitlines()
    head = json.loads(first)
    if unknown := set(head["surfaces"]) - set(SURFACES):
        raise ValueError(f"the weights were learned for the surface {min(unknown)!r}, which is not declared")
    weights = {name: Weights() for name in ("", *head["surfaces"])}
    for line in lines:
        feature, *cells = line.split("\t")
        for cell in cells:
            name, _, pairs = cell.partition(" ")
            weights[name].cells[feature] = pairs
    trees = Trees(head["trees"])
    return _READER.validate_python(head | {"trees": trees, "weights": weights.pop(""), "kind_weights": weights})
