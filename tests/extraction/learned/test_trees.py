"""Trees over whole numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.extraction.learned.context import Trees

ALONE = [[0, 0, 0, 0, 7]]
DEEP = [[0, 5, 1, 2, 0], [0, 0, 1, 1, 100], [1, -3, 3, 4, 0], [0, 0, 3, 3, 200], [0, 0, 4, 4, -300]]
"""Column 0 at most 5: 100; else column 1 at most -3: 200, else -300."""


def table(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.int32)


def test_a_row_falls_left_up_to_the_border_and_right_above_it() -> None:
    rows = table([5, 9], [6, -3], [6, -2], [-100, -100])
    assert Trees([DEEP]).sums(rows) == [100, 200, -300, 100]


def test_the_leaves_of_all_trees_are_added_whatever_their_depth() -> None:
    assert Trees([ALONE, DEEP, DEEP]).sums(table([6, -3], [6, 0])) == [407, -593]


def test_no_trees_and_no_rows_give_nothing() -> None:
    assert Trees([]).sums(table([1, 2], [3, 4])) == [0, 0]
    assert Trees([DEEP]).sums(np.zeros((0, 0), dtype=np.int32)) == []


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=30))
def test_a_row_alone_sums_as_it_does_among_others(rows: list[tuple[int, int]]) -> None:
    trees = Trees([ALONE, DEEP])
    assert trees.sums(table(*map(list, rows))) == [trees.sums(table(list(row)))[0] for row in rows]


def test_a_sum_is_the_same_when_rows_come_again_and_after_those_that_were_kept_are_given_up() -> None:
    trees = Trees([ALONE, DEEP])
    rows = [[number, -number] for number in range(-50, 50)]
    first = trees.sums(table(*rows))
    assert trees.sums(table(*rows[::-1], *rows)) == first[::-1] + first
    for start in range(0, 120_000, 20_000):
        trees.sums(table(*([start + number, 0] for number in range(20_000))))
    assert trees.sums(table(*rows)) == first
