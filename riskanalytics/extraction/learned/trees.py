"""Boosted trees over whole numbers, all of them and all rows at once (Friedman 2001, Annals of Statistics 29:1189)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
