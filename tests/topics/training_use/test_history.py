"""Training use over time: where an answer went, and shares that move because platforms did."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.topics.training_use import history
from tests.frames_given import ANSWERS, CHANGES, HISTORY, given
from tests.topics.training_use.given import change


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [("does_not_train", "trains_with_opt_in", "more"), ("trains_with_opt_in", "trains_with_opt_out", "more"),
     ("trains_with_opt_out", "does_not_train", "less"), ("depends_on_plan", "silent", "silent"),
     ("trains_by_default", "trains_with_opt_out", "less"),
     ("trains_by_default", "depends_on_plan", "by_plan"), ("depends_on_plan", "trains_by_default", "not_by_plan"),
     ("silent", "depends_on_plan", "answered"), ("trains_by_default", "silent", "silent"), ("silent", "perhaps", "unclear"),
     ("perhaps", "perhaps", "back"), ("undetermined", "does_not_train", "unclear"), ("silent", "undetermined", "unclear")],
)  # fmt: skip
def test_a_split_by_plan_and_silence_are_neither_more_nor_less(before: str, after: str, result: str) -> None:
    assert history.stance_direction(before, after) == result
    assert result in history.STANCE_DIRECTIONS


def test_each_direction_of_an_answer_has_its_own_sign_and_words() -> None:
    assert [(name, sign, words) for name, (sign, _, words) in history.STANCE_DIRECTIONS.items()] == [
        ("more", "▲", "towards training"), ("by_plan", "◆", "to an answer by plan"),
        ("not_by_plan", "◇", "to one answer for all"), ("silent", "○", "to no clause found"),
        ("answered", "●", "from no clause to an answer"), ("unclear", "?", "to or from an unclear answer"),
        ("less", "▼", "away from training"),
        ("back", "↺", "changed and returned"),
    ]  # fmt: skip
    moved = {name: style for name, (_, style, _) in history.STANCE_DIRECTIONS.items() if style != "mixed"}
    assert moved == {"more": "up", "less": "down"}, "only a move towards training is coloured as a rise"


def test_documents_that_moved_at_once_are_one_change_with_its_training_clauses_only() -> None:
    other = {"surface": "human_review", "quote": "A person may look."}
    own = [{"surface": "training_use", "quote": f"We train {n}.", "id": f"f{n}"} for n in range(2)]
    rows = [
        change(
            "2026-03-01", "silent", "trains_by_default", added=[own[0], other], removed=[other], altered=[other, own[1]]
        ),
        change("2026-03-05", "silent", "does_not_train", "tarn", name="tarn", cause=[other]),
        change("2026-03-05", "silent", "does_not_train", "zinc", name="Amber"),
        change("2026-03-01", "silent", "trains_by_default", document="Privacy", change_id="z", added=[own[1]]),
        change("2026-04-01", "trains_by_default", "trains_by_default"),
        change("2026-05-01", None, "silent"),
        change("2026-08-01", "trains_by_default", "silent"),
    ]
    result = history.stance_changes(given(CHANGES, *rows), "2026-01-01", "2026-08-01")
    assert result["name"].tolist() == ["Amber", "tarn", "Opal"]
    assert result["document"].tolist() == ["Terms", "Terms", "Terms, Privacy"]
    assert result[["added", "removed", "altered"]].values.tolist()[2] == [own, [], [own[1]]]
    assert result["cause"].tolist() == [[], [other], []]
    assert result["direction"].tolist() == ["answered"] * 3


def test_moves_sum_to_and_fro_up_and_come_worst_first() -> None:
    rows = [
        change("2026-01-01", "does_not_train", "trains_by_default", "tarn"),
        change("2026-02-01", "trains_by_default", "does_not_train", "tarn", change_class="revert"),
        change("2026-02-01", "trains_by_default", "trains_with_opt_in", "quill"),
        change("2026-03-01", "trains_with_opt_in", "trains_by_default", "opal"),
    ]
    moves = history.stance_moves(history.stance_changes(given(CHANGES, *rows), "2026-01-01", "2026-08-01"))
    assert moves[["slug", "direction", "steps"]].values.tolist() == [
        ["opal", "more", 1], ["quill", "less", 1], ["tarn", "back", 2],
    ]  # fmt: skip
    assert [f"{at:%m-%d}" for at in moves.loc[2, ["first_at", "last_at"]]] == ["01-01", "02-01"]
    named = ((4, "b", "X"), (5, "c", "Z"), (4, "a", "Y"))
    later = [change(f"2026-0{month}-01", "silent", "does_not_train", slug, name=name) for month, slug, name in named]
    assert history.stance_moves(history.stance_changes(given(CHANGES, *later)))["slug"].tolist() == ["c", "b", "a"]


def test_shares_over_time_are_played_back_on_the_platforms_read_at_each_date() -> None:
    ends = [pd.Timestamp(day, tz="UTC") for day in ("2026-01-31", "2026-02-28", "2026-03-31")]
    tracked = [(slug, end) for slug in ("opal", "quill", "tarn") for end in ends]
    rows = [{"slug": slug, "date": end, "known": (slug, end) != ("tarn", ends[0])} for slug, end in tracked]
    rows.append({"slug": "late", "date": ends[2], "known": True})
    answers = [{"slug": slug, "stance": "trains_by_default"} for slug in ("opal", "quill", "tarn", "late")]
    changes = [
        change("2026-02-28T23:59:59", "silent", "does_not_train"),
        change("2026-03-01", "does_not_train", "trains_by_default"),
    ]
    course = history.stance_history(
        given(HISTORY, *rows), given(ANSWERS, *answers), given(CHANGES, *changes), "2026-03-10"
    )
    result = {(f"{row.date:%m-%d}", row.stance): (row.platforms, row.total, row.unknown) for row in course.itertuples()}
    assert result["01-31", "silent"] == (1, 2, 1)
    assert result["02-28", "does_not_train"] == (1, 2, 1)
    assert result["03-10", "trains_by_default"] == (2, 2, 1)
    assert set(course["compared"]) == set(course["total"]) == {2}
    assert ("03-31", "silent") not in result


def test_an_answer_is_that_before_the_first_later_change_and_a_platform_no_longer_tracked_is_not_unknown() -> None:
    ends = [pd.Timestamp(day, tz="UTC") for day in ("2026-01-31", "2026-02-28")]
    rows = [{"slug": slug, "date": end, "known": True} for slug in ("opal", "quill", "tarn") for end in ends]
    rows.append({"slug": "gone", "date": ends[0], "known": True})
    answers = [{"slug": slug, "stance": "trains_by_default"} for slug in ("opal", "quill", "tarn", "gone")]
    changes = [
        change("2026-02-10", "does_not_train", "trains_by_default", change_id="z"),
        change("2026-02-10", "silent", "does_not_train", change_id="a"),
        change("2026-02-10", None, "trains_by_default", "quill"),
    ]
    course = history.stance_history(
        given(HISTORY, *rows), given(ANSWERS, *answers), given(CHANGES, *changes), "2026-02-28"
    )
    told = course[course["platforms"] > 0]
    assert [(f"{row.date:%m-%d}", row.stance, row.platforms, row.total, row.unknown) for row in told.itertuples()] == [
        ("01-31", "trains_by_default", 1, 2, 2), ("01-31", "silent", 1, 2, 2), ("02-28", "trains_by_default", 2, 2, 1),
    ]  # fmt: skip


def test_answers_are_compared_with_the_first_date_on_which_any_was_known() -> None:
    ends = [pd.Timestamp(day, tz="UTC") for day in ("2026-01-31", "2026-02-28", "2026-03-31")]
    rows = [{"slug": slug, "date": end, "known": end != ends[0]} for slug in ("opal", "tarn") for end in ends]
    answers = [{"slug": slug, "stance": "trains_by_default"} for slug in ("opal", "tarn")]
    moved = change("2026-03-10", "silent", "trains_by_default", "tarn")
    result = history.stance_history(
        given(HISTORY, *rows), given(ANSWERS, *answers), given(CHANGES, moved), "2026-03-31"
    )
    assert result.drop_duplicates("date")[["moved", "compared"]].values.tolist() == [[0, 0], [0, 2], [1, 2]]
