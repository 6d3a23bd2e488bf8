"""Aligning old and new statements, and the effect of the words that differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskanalytics.extraction.align import (
    Balance,
    balances_of,
    covered,
    directions_of,
    effect,
    overall,
    paired,
    recut,
    rewriting,
)  # fmt: skip
from riskanalytics.extraction.records import ClauseFinding, Move, Roles, Scope
from tests.extraction.given import finding


def test_a_new_statement_replaces_the_most_similar_old_one_in_any_word_order() -> None:
    gone = ["we keep logs for a month", "our office is in the old town"]
    new = ["for a month we keep logs of visits", "write to us"]
    assert paired(gone, new) == {new[0]: gone[0]}


def test_each_old_statement_is_replaced_once() -> None:
    assert paired(["we keep logs"], ["we keep our logs", "we keep the logs"]) == {"we keep our logs": "we keep logs"}


def test_a_statement_that_shares_only_common_words_replaces_nothing() -> None:
    gone = ["by default we do not use any of your recordings for training our models unless you have opted in to it"]
    new = [
        "as in our other plans the words of a lesson in the school edition are kept for as long as it is in use by you"
    ]
    assert paired(gone, new) == {}


def test_joined_statements_are_grouped_with_their_parts_only() -> None:
    first, second = "we share your voice with partners", "they pay us for each of these recordings"
    joined = f"{first} and {second}"
    assert [(sorted(old), new) for old, new in recut([first, second, "we sleep at night"], [joined])] == [
        (sorted([first, second]), [joined])
    ]


@pytest.mark.parametrize(
    ("gone", "new", "groups"),
    [
        (["a b c d e f g h"], ["a b c d", "e f g h"], [(["a b c d e f g h"], ["a b c d", "e f g h"])]),
        (["a b c d e"], ["b c d e x"], [(["a b c d e"], ["b c d e x"])]),  # they share half of their runs
        (["a b c d e f"], ["a b c d x y"], []),
        (["a b c"], ["a b c"], [(["a b c"], ["a b c"])]),
        (["a b c"], ["a b c d"], []),
    ],
)
def test_statements_that_share_half_of_the_shorter_one_are_grouped(
    gone: list[str], new: list[str], groups: list[tuple[list[str], list[str]]]
) -> None:
    assert [(old, sorted(found)) for old, found in recut(gone, new)] == groups


@pytest.mark.parametrize(
    ("up", "down", "direction"),
    [(0, 0, "none"), (0.4, 0, "up"), (0.39, 0, "unclear"), (0.5, 0.3, "up"), (0.4, 0.4, "mixed"), (0.4, 0.39, "unclear"),
     (0, 1.5, "down"), (0, 1.4, "unclear")],
)  # fmt: skip
def test_the_risk_falls_only_with_a_larger_margin_than_it_rises(up: float, down: float, direction: str) -> None:
    assert Balance(up, down).direction == direction


@pytest.mark.parametrize(
    ("balances", "order", "whole"),
    [
        ({"human_review": (1, 0), "training_use": (0.5, 0), "content_license": (0.5, 0)},
         {"content_license": "up", "training_use": "up", "human_review": "up"}, "up"),
        ({"human_review": (1, 0), "ip_liability": (0, 2)}, {"ip_liability": "down", "human_review": "up"}, "mixed"),
        ({"human_review": (0.39, 0), "ip_liability": (0.39, 0)}, {"human_review": "unclear", "ip_liability": "unclear"},
         "unclear"),
        ({"human_review": (0.39, 0), "training_use": (0.39, 0)}, {"training_use": "unclear", "human_review": "unclear"},
         "unclear"),  # together they would be up, but no surface is
        ({"human_review": (0, 1.6), "training_use": (0, 0.3)}, {"human_review": "down", "training_use": "unclear"}, "down"),
        ({"training_use": (0, 1.4), "content_license": (0, 1.4)},
         {"content_license": "unclear", "training_use": "unclear"}, "unclear"),  # together down, but no surface is
        ({"human_review": (0.5, 0.5)}, {"human_review": "mixed"}, "mixed"),
    ],
)  # fmt: skip
def test_the_surface_with_the_weightiest_changes_is_first_and_the_whole_agrees_with_a_surface(
    balances: dict[str, tuple[float, float]], order: dict[str, str], whole: str
) -> None:
    weights = {surface: Balance(*sides) for surface, sides in balances.items()}
    directions = directions_of(weights, weights)
    assert list(directions.items()) == list(order.items())
    assert overall(weights, directions) == whole


def test_the_effect_of_a_finding_follows_from_its_level_and_polarity() -> None:
    raising, lowering = ([finding("human_review.x", "x", level)._replace(polarity=polarity) for level in ("HIGH", "MED", "LOW")]
                         for polarity in ("raises_risk", "mitigates_risk"))  # fmt: skip
    assert list(map(effect, [*raising, *lowering])) == [3, 2, 1, -1, -2, -3]
    assert effect(None) == effect(raising[0]._replace(polarity="neutral")) == 0


@pytest.mark.parametrize(
    ("surface", "before", "after", "steps"),
    [
        ("data_retention", "kept for 30 days", "kept for 60 days", (3, 3)),
        ("terms_changes", "30 days ahead", "60 days ahead", (-3, -3)),
        ("human_review", "within 30 days", "within 60 days", (0, 0)),
        ("human_review", "not unless a b", "not unless a b c d e f g h", (-2, 2)),
        ("human_review", "not unless a b c d e f g h", "not unless a b", (2, -2)),
        ("human_review", "not unless a b", "not unless a b c d e f g", (0, 0)),
        ("human_review", "we see it", "affiliates see it", (1, 1)),
        ("human_review", "we see it", "we only see it", (-2, -2)),
    ],
)
def test_a_rewriting_of_a_practice_and_of_a_promise_has_a_size_and_a_sign(
    surface: str, before: str, after: str, steps: tuple[int, int]
) -> None:
    sides = [[finding(f"{surface}.x", words, level) for words in (before, after)] for level in ("MED", "LOW")]
    assert tuple(rewriting(old, new, (before, after)) for old, new in sides) == steps
    promise, practice = sides[1][0], sides[0][1]
    assert rewriting(promise, practice, (before, after)) == 5  # a lost promise outweighs the words


def read(quote: str, risk: str = "MED", **more: object) -> ClauseFinding:
    return finding("data_retention.x", quote, risk)._replace(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "others", "result"),
    [
        (read("kept 30 days or 60 days"), [read("kept 30 days"), read("kept 60 days", "HIGH")], True),
        (read("kept 30 days"), [read("kept 30 days", "HIGH")], False),
        (read("kept 30 days"), [read("kept 60 days")], False),
        (read("kept 30 days"), [read("kept 30 days", surface="human_review")], False),
        (
            read("gone in 30 days or 60 days", "LOW"),
            [read("gone in 30 days", "LOW"), read("gone in 60 days", "LOW")],
            False,
        ),
        (read("gone in 30 days", "LOW"), [read("gone in 30 days", "LOW")], True),
        (read("gone in 30 days", "LOW"), [read("gone in 30 days", "LOW", scope=Scope("business"))], False),
        (read("gone in 30 days", "LOW"), [read("gone in 30 days", "LOW", roles=Roles(condition="if asked"))], False),
        (read("gone in 30 days", "LOW", scope=Scope(region="EU")), [read("gone in 30 days", "LOW")], True),
        (read("gone in 30 days", "LOW", roles=Roles(condition="if asked")), [read("gone in 30 days", "LOW")], True),
        (
            read("gone in 30 days", "LOW", roles=Roles(condition="if asked")),
            [read("gone in 30 days", "LOW", roles=Roles(condition="if so"))],
            True,
        ),
    ],
    ids=[
        "together",
        "other level",
        "other period",
        "other surface",
        "in pieces",
        "the same",
        "for fewer",
        "on condition",
        "for more",
        "without condition",
        "both on condition",
    ],
)
def test_practices_may_be_covered_in_pieces_and_a_promise_by_one_as_wide_only(
    one: ClauseFinding, others: list[ClauseFinding], result: bool
) -> None:
    assert covered(one, others) is result


LICENCE, OUT = (
    finding("content_license.x", "we use it", "HIGH"),
    finding("ads_tracking.x", "you can opt out of it", "LOW"),
)


@pytest.mark.parametrize(
    ("move", "before", "after", "sides"),
    [
        (Move(None, LICENCE, 3), [], [LICENCE], (1.5 + 1, 0)),  # the first practice on its surface
        (Move(None, LICENCE, 3), [LICENCE._replace(quote="we")], [LICENCE], (0.35 * 1.5, 0)),
        (Move(None, LICENCE._replace(confidence=0.5), 3), [], [], (0.45 * 1.5, 0)),
        (Move(None, LICENCE, 3), [], [LICENCE._replace(scope=Scope(product="feedback"))], (1.5, 0)),
        (Move(LICENCE, LICENCE, 2), [], [], (0.5, 0)),
        (Move(LICENCE, LICENCE, -3), [], [], (0, 1.5)),
        (Move(LICENCE, None, -1), [], [], (0, 0.6 * 0.6)),
        (Move(OUT, None, 3), [], [], (0.2 * 1.5, 0)),
        (Move(OUT._replace(quote="never"), None, 3), [], [], (1.5, 0)),
    ],
)
def test_a_move_weighs_less_the_less_certain_it_shows_a_change(
    move: Move, before: list[ClauseFinding], after: list[ClauseFinding], sides: tuple[float, float]
) -> None:
    assert balances_of([move], (before, after)) == {move.shown.surface: pytest.approx(sides)}
    assert balances_of([replace(move, step=0)], (before, after)) == {}
