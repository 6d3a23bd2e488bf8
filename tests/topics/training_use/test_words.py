"""The headline of training use: what the plan changes, who moved, and what is not known."""

from __future__ import annotations

from riskanalytics.topics import training_use as analysis
from riskanalytics.topics.training_use import history
from riskanalytics.topics.training_use import history as words
from tests.frames_given import ANSWERS, CHANGES, given
from tests.topics.training_use.given import BOTH, change


def test_sentences_state_the_differences_by_plan_the_changed_answers_and_the_unknowns() -> None:
    answers = given(
        ANSWERS,
        {"slug": "opal", **BOTH},
        {"slug": "tarn", "stance": "silent", "consumer_stance": "silent"},
    )
    shares = analysis.stance_shares(answers)
    said = words.training_sentences(shares, answers, None, "in May")
    assert "1 makes it depend on the plan and 1 has no clause on it" in said[0]
    assert said[1].startswith("1 platform answers separately")
    assert "1 trains on the content of consumers only, without asking first (Opal)" in said[1]
    assert "not known" in said[2]
    moves = history.stance_moves(
        history.stance_changes(
            given(CHANGES, change("2026-05-02", "silent", "depends_on_plan")), "2026-05-01", "2026-06-01"
        )
    )
    assert words.training_sentences(shares, answers, moves, "in May")[2] == (
        "1 of 2 platforms changed its answer in May: 1 from no clause to an answer."
    )
    assert words.training_sentences(shares, answers, moves[:0], "in May")[2] == "No platform changed its answer in May."
    assert "No platform answers separately" in words.training_sentences(shares, answers[1:], None, "in May")[1]


def test_platforms_that_returned_to_their_earlier_answer_are_counted_apart_from_those_that_changed_it() -> None:
    answers = given(ANSWERS, {"slug": "opal", "stance": "trains_by_default"}, {"slug": "tarn", "stance": "silent"})
    changes = [
        change("2026-05-02", "silent", "trains_by_default"),
        change("2026-05-03", "silent", "trains_by_default", "tarn"),
        change("2026-05-04", "trains_by_default", "silent", "tarn"),
    ]
    moves = history.stance_moves(history.stance_changes(given(CHANGES, *changes)))
    said = words.training_sentences(analysis.stance_shares(answers), answers, moves, "in May")[2]
    assert said.startswith("1 of 2 platforms changed its answer in May: 1 ")
    assert said.endswith("; 1 more platform changed and returned to its earlier answer.")


def test_a_platform_that_was_not_read_is_neither_silent_nor_among_those_that_could_move() -> None:
    answers = given(ANSWERS, {"slug": "opal", "stance": "silent"}, {"slug": "tarn"}, {"slug": "quill"})
    changes = given(
        CHANGES, change("2026-05-02", "trains_by_default", "silent"), change("2026-05-03", "silent", None, "tarn")
    )
    moves = history.stance_moves(history.stance_changes(changes))
    said = words.training_sentences(analysis.stance_shares(answers), answers, moves, "in May")
    assert said[0] == "Of 1 platform, 1 has no clause on it; 2 more are not read."
    assert said[2] == "1 of 1 platform changed its answer in May: 1 to no clause found."
    assert (
        "not known: no stance could be read"
        in words.training_sentences(analysis.stance_shares(answers[1:]), answers[1:], None, "in May")[0]
    )
