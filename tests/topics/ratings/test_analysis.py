"""Ratings: nothing lost, the unknown kept apart, the same columns for any rows."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.errors import ReportError
from riskanalytics.topics import ratings as analysis
from riskanalytics.topics.ratings.chart import rating_transitions
from riskanalytics.topics.ratings.section import rating_moves
from tests.frames_given import CHANGES, HISTORY, PLATFORMS, Market, given


def made(market: Market) -> list[pd.DataFrame]:
    return [
        analysis.rating_mix(market.platforms),
        analysis.rating_history(market.history),
        analysis.rating_transitions(market.history),
        analysis.rating_moves(market.platforms[:5], market.platforms[2:].assign(rating="LOW")),
    ]


def test_columns_and_dtypes_do_not_depend_on_the_rows() -> None:
    for none, one, many in zip(*(made(Market(size)) for size in (0, 1, 60)), strict=True):
        assert none.dtypes.map(str).to_dict() == one.dtypes.map(str).to_dict() == many.dtypes.map(str).to_dict()
        assert isinstance(many.index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    history, platforms = market.history.copy(deep=True), market.platforms.copy(deep=True)
    first = made(market)[:3]
    pd.testing.assert_frame_equal(market.history, history)
    pd.testing.assert_frame_equal(market.platforms, platforms)
    market.history, market.platforms = (frame.iloc[::-1].reset_index(drop=True) for frame in (history, platforms))
    for result, before in zip(made(market)[:3], first, strict=True):
        pd.testing.assert_frame_equal(result, before)


def test_unknown_ratings_have_their_own_row_and_never_count_as_low() -> None:
    words = ["LOW", "CRITICAL", None, " HIGH ", "high", "HIGH", ""]
    mix = analysis.rating_mix(given(PLATFORMS, *({"slug": f"p{n}", "rating": w} for n, w in enumerate(words))))
    result = dict(zip(mix["rating"], mix["platforms"], strict=True))
    assert result == {"HIGH": 1, "MED": 0, "LOW": 1, "CRITICAL": 1, "not given": 2, " HIGH ": 1, "high": 1}
    assert mix["share"].sum() == pytest.approx(1)
    assert set(mix.loc[3:, "level"]) == {"UNKNOWN"}


def test_a_month_that_cannot_be_known_is_said_to_be_unknown() -> None:
    row = {"slug": "opal", "date": "2026-01-31", "rating": "LOW", "known": False}
    rows = [row, row | {"slug": "tarn", "known": True}, row | {"date": "2026-02-28", "rating": "HIGH", "known": True}]
    course = analysis.rating_history(given(HISTORY, *rows))
    assert course["share"].tolist() == [0, 0, 0.5, 0.5, 1, 0, 0, 0]
    assert course["total"].tolist() == [2] * 4 + [1] * 4
    course = course[:4]
    result = course.set_index("rating")["platforms"].to_dict()
    assert result == {"HIGH": 0, "MED": 0, "LOW": 1, "not known": 1}
    assert course["known"].tolist() == [True, True, True, False]


def test_transitions_count_pairs_of_ratings_and_name_who_moved() -> None:
    first = {"aurelia": "LOW", "cobalt": "HIGH", "opal": "MED", "tarn": "LOW", "quill": "LOW", "sable": "UNRATED"}
    last = {"aurelia": "MED", "cobalt": "MED", "opal": "CRITICAL", "tarn": "LOW", "harbor": "HIGH", "sable": "LOW"}
    rows = [
        {"slug": slug, "date": day, "rating": rating, "known": slug != "quill"}
        for day, side in (("2025-07-31", first), ("2026-01-31", {"tarn": "HIGH"}), ("2026-07-31", last))
        for slug, rating in side.items()
    ]
    result = analysis.rating_transitions(given(HISTORY, *rows))
    columns = ["rating_before", "rating_after", "direction", "platforms"]
    assert result[columns].to_numpy().tolist() == [
        ["HIGH", "MED", "down", 1], ["MED", "CRITICAL", "unclear", 1], ["LOW", "MED", "up", 1],
        ["LOW", "LOW", "stayed", 1], ["UNRATED", "LOW", "unclear", 1], ["not known", "not tracked", "disappeared", 1],
        ["not tracked", "HIGH", "appeared", 1],
    ]  # fmt: skip
    assert result["total"].tolist() == [7] * 7
    assert result["level_after"].tolist() == ["MED", "UNKNOWN", "MED", "LOW", "LOW", "UNKNOWN", "HIGH"]
    assert [f"{end:%F}" for end in result.loc[0, ["since", "until"]]] == ["2025-07-31", "2026-07-31"]
    assert result["names"].tolist() == ["Cobalt", "Opal", "Aurelia", "", "Sable", "Quill", "Harbor"]


def test_a_rating_that_no_recorded_change_moved_has_not_risen_between_two_dates() -> None:
    rows = [
        {"slug": slug, "date": day, "rating": rating, "known": True}
        for slug in ("opal", "quill", "tarn")
        for day, rating in (("2026-06-30", "LOW"), ("2026-08-31", "HIGH"))
    ]
    changes = [
        {"slug": "opal", "reviewed_at": "2026-08-31T12:00:00", "rating_before": "LOW", "rating_after": "HIGH"},
        {"slug": "tarn", "reviewed_at": "2026-06-30T12:00:00", "rating_before": "LOW", "rating_after": "HIGH"},
    ]
    result = analysis.rating_transitions(given(HISTORY, *rows), given(CHANGES, *changes))
    columns = ["rating_before", "rating_after", "direction", "platforms", "names"]
    assert result[columns].to_numpy().tolist() == [
        ["LOW", "HIGH", "up", 1, "Opal"], ["LOW", "HIGH", "other_texts", 2, "Quill and Tarn"],
    ]  # fmt: skip
    drawn = rating_transitions(result)
    assert (
        drawn.title
        == "Since June 2026 the rating rose on 1 and fell on 0 platforms; 0 stayed, 2 differ by the documents read"
    )
    assert "LOW to HIGH: 1; LOW to HIGH: 2 because other documents are read than before." in drawn.words
    (heat,) = drawn.figure.data
    assert (heat.text[2][0], heat.z[2][0], heat.hovertext[2][0]) == ("▲ 1, ≠ 2", 3, "Opal<br>Quill and Tarn")
    only = rating_transitions(analysis.rating_transitions(given(HISTORY, *rows), given(CHANGES)))
    assert only.title == "Since June 2026 no rating moved; 0 stayed, 3 differ by the documents read"


def test_one_date_has_no_transitions_and_long_lists_of_names_are_counted() -> None:
    rows = [{"slug": f"p{n:02}", "date": "2025-07-31", "rating": "LOW", "known": True} for n in range(15)]
    assert analysis.rating_transitions(given(HISTORY, *rows)).empty
    later = [row | {"date": "2026-07-31", "rating": "HIGH"} for row in rows]
    (names,) = analysis.rating_transitions(given(HISTORY, *rows, *later))["names"]
    assert names.endswith(" and 3 others")
    alike = [
        row | {"slug": f"q{n}", "name": name}
        for n, (row, name) in enumerate(zip(rows, ["grok", "GROK", "Grok"], strict=False))
    ]
    moved = [row | {"date": "2026-07-31", "rating": "HIGH"} for row in alike]
    assert analysis.rating_transitions(given(HISTORY, *alike, *moved))["names"].tolist() == ["GROK, Grok and grok"]


def test_moves_from_unclear_to_an_answer_count_as_up_and_come_worst_first() -> None:
    before = {"aurelia": "LOW", "cobalt": "HIGH", "opal": "MED", "tarn": "LOW", "quill": "LOW"}
    after = {"aurelia": "MED", "cobalt": "MED", "opal": "CRITICAL", "tarn": "LOW", "harbor": "HIGH"}
    rows = [[{"slug": s, "rating": r} for s, r in side.items()] for side in (before, after)]
    moves = analysis.rating_moves(given(PLATFORMS, *rows[0]), given(PLATFORMS, *rows[1]))
    assert list(zip(moves["slug"], moves["direction"], strict=True)) == [
        ("aurelia", "up"), ("opal", "unclear"), ("cobalt", "down"),
        ("harbor", "appeared"), ("quill", "disappeared"),
    ]  # fmt: skip
    levels = moves[["level_before", "level_after"]].values.tolist()
    assert levels[:3] == [["LOW", "MED"], ["MED", "UNKNOWN"], ["HIGH", "MED"]]
    called = [frame.assign(name=frame["slug"].map({"aurelia": "Zeta"}).fillna("Eta"), rating=word)
              for frame, word in ((given(PLATFORMS, *rows[0]), "LOW"), (given(PLATFORMS, *rows[0]), "MED"))]  # fmt: skip
    assert analysis.rating_moves(*called)["slug"].tolist() == ["cobalt", "opal", "quill", "tarn", "aurelia"]


@pytest.mark.parametrize(
    ("after", "told", "at", "direction"),
    [("HIGH", ("MED", "HIGH"), "2026-08-01", "up"), ("HIGH", ("MED", "HIGH"), "2026-09-01", "other_texts"),
     ("HIGH", ("MED", None), "2026-08-31T23:59", "up"), ("LOW", (None, None), "2026-08-03", "down"),
     ("CRITICAL", ("MED", "CRITICAL"), "2026-08-03", "unclear"), ("CRITICAL", ("MED", "MED"), "2026-08-03", "other_texts"),
     ("LOW", ("MED", "MED"), "2026-08-03", "other_texts")],
)  # fmt: skip
def test_a_change_of_the_period_that_may_have_moved_the_rating_is_its_reason(
    after: str, told: tuple[str | None, str | None], at: str, direction: str
) -> None:
    before = given(PLATFORMS, {"slug": "opal", "rating": "MED"})
    row = {"slug": "opal", "reviewed_at": at, "rating_before": told[0], "rating_after": told[1]}
    moves = analysis.rating_moves(before, before.assign(rating=after), given(CHANGES, row), "2026-08-01", "2026-09-01")
    assert moves["direction"].tolist() == [direction]


def test_a_rating_that_is_not_known_on_one_day_did_not_move_and_has_no_cause() -> None:
    days = [{"opal": None, "tarn": "HIGH", "quill": None}, {"opal": "HIGH", "tarn": None, "quill": None}]
    sides = [given(PLATFORMS, *({"slug": slug, "rating": rating} for slug, rating in day.items())) for day in days]
    assert analysis.rating_moves(*sides, given(CHANGES)).empty
    rows = [
        {"slug": slug, "date": date, "rating": rating, "known": rating is not None}
        for day, date in zip(days, ("2025-07-31", "2026-07-31"), strict=True)
        for slug, rating in day.items()
    ]
    went = analysis.rating_transitions(given(HISTORY, *rows), given(CHANGES))
    assert "other_texts" not in set(went["direction"])


def test_a_frame_without_a_needed_column_is_refused_by_name() -> None:
    with pytest.raises(ReportError, match="rating_mix: the frame lacks"):
        analysis.rating_mix(pd.DataFrame({"slug": ["opal"]}))


def test_a_platform_whose_name_is_empty_goes_by_its_slug() -> None:
    before = given(
        PLATFORMS, {"slug": "opal", "name": "Opal", "rating": "LOW"}, {"slug": "tarn", "name": "", "rating": "LOW"}
    )
    moves = analysis.rating_moves(before, before.assign(name="", rating="HIGH"))
    assert moves["name"].tolist() == ["Opal", "tarn"]
    assert analysis.rating_moves(before, before.assign(name="New", rating="HIGH"))["name"].tolist() == ["New", "New"]


def test_a_rating_that_no_recorded_change_moved_differs_because_other_documents_are_read() -> None:
    before = given(PLATFORMS, *({"slug": slug, "name": slug, "rating": "LOW"} for slug in ("opal", "quill", "tarn")))
    rows = [
        {"slug": "opal", "reviewed_at": "2026-08-03", "rating_before": "LOW", "rating_after": "HIGH"},
        {"slug": "quill", "reviewed_at": "2026-08-03", "rating_before": "LOW", "rating_after": "LOW"},
        {"slug": "tarn", "reviewed_at": "2026-07-03", "rating_before": "LOW", "rating_after": "HIGH"},
    ]
    after = pd.concat([before.assign(rating="HIGH"), given(PLATFORMS, {"slug": "amber", "rating": "LOW"})])
    moves = analysis.rating_moves(before, after, given(CHANGES, *rows), "2026-08-01", "2026-09-01")
    assert moves[["slug", "direction"]].values.tolist() == [
        ["opal", "up"],
        ["quill", "other_texts"],
        ["tarn", "other_texts"],
        ["amber", "appeared"],
    ]
    result = rating_moves(moves, None)
    assert result.text == "1 rating moved"
    assert (
        "2 ratings changed because other documents are read than before, not because a text changed: quill and tarn."
        in result.html
    )
    assert "1 platform is new: Amber." in result.html
    gone = rating_moves(analysis.rating_moves(after, before.iloc[:1]), None).html
    assert "3 platforms are no longer tracked: Amber, quill and tarn." in gone
    assert "new:" not in gone
