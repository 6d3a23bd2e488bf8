"""A linear model beside the rules: weights for the words of a clause, learned from labelled sentences.

Rules say exactly what they look for and miss what nobody thought of. The model has no such gaps and knows no
reasons. So both are asked: a rule's finding stands unless the model is sure that the clause does not speak to the
surface (`Reader.keep`), and a clause that no rule took is taken where the model is sure that it does
(`Reader.take`). The level of such a finding is the model's too. The weights are data (`weights.tsv.gz`), made by
tests/accuracy/train.py; adding them up is deterministic and linear in the clause.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.learned.features import Seen
from riskanalytics.models import SURFACES

_FILE: Final = "weights.tsv.gz"
POLARITIES: Final = frozenset(("raises_risk", "mitigates_risk", "neutral"))
_SCALE: Final = 1000
"""Weights are kept as thousandths."""

_BITS: Final = 24
_HALF: Final = 1 << (_BITS - 1)
_MASK: Final = (1 << _BITS) - 1


class Weights:
    """Weights by feature.

    A feature's cell is read when the feature is first seen, since most never are. It is kept as one number with
    `_BITS` bits a column, so that the weights of all columns are added at once.
    """

    def __init__(self) -> None:
        self.cells: dict[str, str] = {}
        """Feature -> `column:weight` pairs between spaces."""
        self._rows: dict[str, int] = {}

    def summed(self, seen: Seen, bias: Sequence[float]) -> list[float]:
        """Add the weights of a clause up, a sum a column."""
        rows, cells = self._rows, self.cells
        total = 0
        for name in seen.features:
            row = rows.get(name)
            if row is not None:
                total += row
            elif name in cells:
                total += self._row(name)
        size, sums = _SCALE * seen.size, []
        for least in bias:
            column = ((total + _HALF) & _MASK) - _HALF
            total = (total - column) >> _BITS
            sums.append(column / size + least)
        return sums

    def _row(self, name: str) -> int:
        """Read a cell."""
        pairs = (pair.split(":") for pair in self.cells[name].split(" "))
        row = self._rows[name] = sum(int(weight) << (_BITS * int(column)) for column, weight in pairs)
        return row


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


@dataclass(frozen=True)
class Reader:
    """The model.

    Parameters
    ----------
    version : str
        Of the weights.
    bias, keep, take : tuple of float
        For each surface of `riskanalytics.models.SURFACES`: what is added to the weights, the score below which a
        rule's finding falls, and the score from which a clause is taken without a rule.
    kinds : dict of str to tuple of Kind
        For each surface, what its clauses may say.
    kind_bias : dict of str to tuple of float
    weights : Weights
        By surface.
    kind_weights : dict of str to Weights
        For each surface, by kind.
    """

    version: str
    bias: tuple[float, ...]
    keep: tuple[float, ...]
    take: tuple[float, ...]
    kinds: dict[str, tuple[Kind, ...]]
    kind_bias: dict[str, tuple[float, ...]]
    weights: Weights = field(repr=False)
    kind_weights: dict[str, Weights] = field(repr=False)

    def scores(self, seen: Seen) -> list[float]:
        """Return how surely a clause speaks to each surface.

        Parameters
        ----------
        seen : Seen
            The clause.

        Returns
        -------
        list of float
            A score for each surface; 0 is the border that was learned.
        """
        return self.weights.summed(seen, self.bias)

    def kind(self, surface: str, seen: Seen, polarities: Collection[str] = POLARITIES) -> Kind:
        """Return what a clause most likely says of a surface.

        Parameters
        ----------
        surface : str
        seen : Seen
            The clause.
        polarities : collection of str
            Effects on the risk that come into question; where the surface has a kind of none of them, all do.

        Returns
        -------
        Kind
        """
        kinds = self.kinds[surface]
        totals = self.kind_weights[surface].summed(seen, self.kind_bias[surface])
        fitting = [place for place, kind in enumerate(kinds) if kind.polarity in polarities] or range(len(kinds))
        return kinds[max(fitting, key=totals.__getitem__)]


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
    if head["surfaces"] != list(SURFACES):
        raise ValueError("the weights were learned for other surfaces")
    weights = {name: Weights() for name in ("", *SURFACES)}
    for line in lines:
        feature, *cells = line.split("\t")
        for cell in cells:
            name, _, pairs = cell.partition(" ")
            weights[name].cells[feature] = pairs
    return Reader(
        version=head["version"],
        bias=tuple(head["bias"]),
        keep=tuple(head["keep"]),
        take=tuple(head["take"]),
        kinds={name: tuple(Kind(*kind) for kind in kinds) for name, kinds in head["kinds"].items()},
        kind_bias={name: tuple(bias) for name, bias in head["kind_bias"].items()},
        weights=weights.pop(""),
        kind_weights=weights,
    )
