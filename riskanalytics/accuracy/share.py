"""A share of a count, with an interval that knows that what one vendor writes hangs together.

Clauses of one vendor are not independent, so whole families of vendors are drawn again (cluster bootstrap; Davison and
Hinkley 1997, section 3.8; 1,000 resamples, 2.5 % to 97.5 % of them), with a fixed seed. Where every family says the
same, drawing again shows no width: each family then counts as one trial (Clopper and Pearson 1934). Of fewer than two
families nothing is known beyond them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

_RESAMPLES: Final = 1000
_SEED: Final = 0
_TAIL: Final = 0.025


@dataclass(frozen=True)
class Share:
    """A part of a whole.

    Parameters
    ----------
    counts : mapping of str to (int, int)
        Part and whole of each family of vendors, also of those that add nothing.
    """

    counts: Mapping[str, tuple[int, int]]

    @classmethod
    def of(cls, counted: Iterable[tuple[str, int, int]]) -> Share:
        """Return the share of all parts in all wholes, each given with its family; a verdict is a part of one."""
        counts: dict[str, tuple[int, int]] = {}
        for family, part, whole in counted:
            known = counts.get(family, (0, 0))
            counts[family] = known[0] + part, known[1] + whole
        return cls(counts)

    @cached_property
    def part(self) -> int:
        """What is counted."""
        return sum(part for part, _ in self.counts.values())

    @cached_property
    def whole(self) -> int:
        """Of how many."""
        return sum(whole for _, whole in self.counts.values())

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None of nothing."""
        return self.part / self.whole if self.whole else None

    @property
    def families(self) -> int:
        """How many families the whole is made of."""
        return sum(whole > 0 for _, whole in self.counts.values())

    @cached_property
    def interval(self) -> tuple[float, float]:
        """95 % interval as the module says; (0, 1) of fewer than two families."""
        if self.families < 2:
            return 0.0, 1.0
        bound = _TAIL ** (1 / self.families)
        if self.part == self.whole:
            return bound, 1.0
        if not self.part:
            return 0.0, 1 - bound
        pairs = sorted(self.counts.values())
        drawn = sorted(value for chosen in _draws(len(pairs)) if (value := _of_drawn(pairs, chosen)) is not None)
        place = int(_TAIL * len(drawn))
        return drawn[place], drawn[-1 - place]

    def __str__(self) -> str:
        """Share, interval and counts for a person: `0.988 [0.97-0.99] 500/506`; `-` of nothing."""
        if self.value is None:
            return "-"
        low, high = self.interval
        return f"{self.value:.3f} [{low:.2f}-{high:.2f}] {self.part}/{self.whole}"

    def record(self) -> dict[str, float]:
        """Return the share for machines: `value`, `low`, `high` (0 to 1; not there of nothing), `part`, `whole`, `families`."""
        counts: dict[str, float] = {"part": self.part, "whole": self.whole, "families": self.families}
        if self.value is None:
            return counts
        low, high = self.interval
        return {"value": round(self.value, 3), "low": round(low, 3), "high": round(high, 3)} | counts


class Verdicts:
    """Verdicts by what they are about, each of a family of vendors.

    Parameters
    ----------
    names : iterable of str
        What verdicts may be about; those of which there are none are told, too.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._counted: dict[str, list[tuple[str, int, int]]] = {name: [] for name in names}

    def add(self, name: str, family: str, verdict: bool) -> None:
        """Count one verdict."""
        self._counted[name].append((family, verdict, 1))

    @property
    def shares(self) -> dict[str, Share]:
        """The share of verdicts that are true, by what they are about."""
        return {name: Share.of(counted) for name, counted in self._counted.items()}


def sum_of(shares: Iterable[Share]) -> Share:
    """Return the share of all parts in all wholes.

    Parameters
    ----------
    shares : iterable of Share
    """
    return Share.of((family, *counts) for share in shares for family, counts in share.counts.items())


@cache
def _draws(families: int) -> list[list[int]]:
    """Which families stand in each resample."""
    chance = random.Random(_SEED)  # noqa: S311 (no secret: the same draws each time are wanted)
    return [chance.choices(range(families), k=families) for _ in range(_RESAMPLES)]


def _of_drawn(pairs: list[tuple[int, int]], chosen: list[int]) -> float | None:
    """The share in one resample; None where it holds nothing."""
    whole = sum(pairs[place][1] for place in chosen)
    return sum(pairs[place][0] for place in chosen) / whole if whole else None
