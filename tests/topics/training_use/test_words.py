"""The headline of training use: what the plan changes, who moved, and what is not known."""

from __future__ import annotations

from riskanalytics.models import STANCES
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
    assert said == (
        "1 of 2 platforms changed its answer in May: 1 from no clause to an answer; "
        "1 more platform changed and returned to its earlier answer."
    )


def test_a_platform_that_was_not_read_is_neither_silent_nor_among_those_that_could_move() -> None:
    answers = given(ANSWERS, {"slug": "opal", "stance": "silent"}, {"slug": "tarn"}, {"slug": "quill"})
    changes = given(
        CHANGES, change("2026-05-02", "trains_by_default", "silent"), change("2026-05-03", "silent", None, "tarn")
    )
    moves = history.stance_moves(history.stance_changes(changes))
    said = words.training_sentences(analysis.stance_shares(answers), answers, moves, "in May")
    assert said[0] == "Of 1 platform, 1 has no clause on it; 2 more are not read."
    assert said[2] == "1 of 1 platform changed its answer in May: 1 to no clause found."
    unread = answers.assign(stance=None)
    assert words.training_sentences(analysis.stance_shares(unread), unread, moves, "in May")[2] == said[2]
    assert (
        "not known: no stance could be read"
        in words.training_sentences(analysis.stance_shares(answers[1:]), answers[1:], None, "in May")[0]
    )


def test_every_stance_has_its_own_words_for_one_platform_and_for_several() -> None:
    stances = (*STANCES, "sells_it")
    ends = (" on customer content with no general opt-out found", " it depend on the plan", " unless the customer opts out",
            " only after an opt-in", " not", " unclear clauses that need reading", " no clause on it",
            " reported as sells it")  # fmt: skip
    verbs = {
        1: ("trains", "makes", "trains", "trains", "says that it does", "has", "has", "is"),
        2: ("train", "make", "train", "train", "say that they do", "have", "have", "are"),
    }
    for number, own in verbs.items():
        rows = [{"slug": f"p{n}{stance}", "stance": stance} for n in range(number) for stance in stances]
        shares = analysis.stance_shares(given(ANSWERS, *rows, {"slug": "unread"}))
        parts = [f"{number} {verb}{end}" for verb, end in zip(own, ends, strict=True)]
        said = f"Of {8 * number} platforms, {', '.join(parts[:-1])} and {parts[-1]}; 1 more is not read."
        assert words.stance_sentence(shares) == said


def test_who_trains_on_the_content_of_one_group_only_is_named_and_who_asks_first_or_is_unclear_is_not() -> None:
    sides = [("trains_by_default", "does_not_train"), ("trains_with_opt_out", "silent"),
             ("trains_with_opt_in", "trains_by_default"), ("trains_by_default", "trains_with_opt_out"),
             ("trains_by_default", "undetermined"),
             ("trains_by_default", None)]  # fmt: skip
    rows = [{"slug": f"p{n}", "consumer_stance": a, "business_stance": b} for n, (a, b) in enumerate(sides)]
    answers = given(ANSWERS, *rows)
    said = words.training_sentences(analysis.stance_shares(answers), answers, None, "", names=1)[1]
    assert said == (
        "4 platforms answer separately for consumers and for business users; 2 train on the content of consumers only, without "
        "asking first (P0 and 1 other) and 1 trains on the content of business users only, without asking first (P2)."
    )
    none = words.training_sentences(analysis.stance_shares(answers), answers[3:4], None, "")[1]
    assert none.endswith("; no platform trains on the content of one group only without asking first.")


def test_changed_answers_are_counted_by_direction_and_those_that_returned_are_not_changed() -> None:
    answers = given(ANSWERS, *({"slug": f"p{n}", "stance": "silent"} for n in range(5)))
    moved = [
        ("does_not_train", "trains_by_default"),
        ("silent", "does_not_train"),
        ("trains_by_default", "does_not_train"),
    ]
    changes = [change("2026-05-02", *pair, f"p{n}") for n, pair in enumerate(moved)]
    back = [change(f"2026-05-0{n}", *pair, slug) for slug in ("p3", "p4")
            for n, pair in enumerate((("silent", "does_not_train"), ("does_not_train", "silent")), 1)]  # fmt: skip
    shares = analysis.stance_shares(answers)
    all_moves, returned = (
        history.stance_moves(history.stance_changes(given(CHANGES, *some))) for some in (changes + back, back)
    )
    assert words.training_sentences(shares, answers, all_moves, "in May")[2] == (
        "3 of 5 platforms changed their answer in May: 1 towards training, 1 from no clause to an answer and "
        "1 away from training; 2 more platforms changed and returned to their earlier answer."
    )
    assert words.training_sentences(shares, answers, returned, "in May")[2] == (
        "No platform changed its answer in May, except 2 platforms that changed and returned."
    )
