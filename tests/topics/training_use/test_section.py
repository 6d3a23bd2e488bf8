"""Training use in full: two sides of a platform, who changed, and nothing from data leaves its place."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from riskanalytics.pages.values import Choice
from riskanalytics.topics import training_use as analysis
from riskanalytics.topics.changes.clauses import changed_clauses
from riskanalytics.topics.training_use import history, section
from tests.frames_given import ANSWERS, CHANGES, FINDINGS, Market, given
from tests.topics.given import HOSTILE, finding, read
from tests.topics.training_use.given import BOTH, change


def page(answers: pd.DataFrame, findings: pd.DataFrame, changes: pd.DataFrame, most: int = 400) -> str:
    stances = analysis.training_use(answers, findings)
    clauses = analysis.training_clauses(answers, findings)
    changed = history.stance_changes(changes, "2025-01-01", "2027-01-01")
    checked = changed_clauses(changed).assign(verification_status="hash_mismatch")
    made = [
        section.stance_table(stances, first=2),
        section.training_clauses(stances, clauses, analysis.stance_shares(stances), most=most),
        section.stance_moves(history.stance_moves(changed), changed, checked),
    ]
    assert all(one.text for one in made)
    return "".join(one.html for one in made)


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("most", [0, 3, 400])
def test_none_one_and_many_platforms_each_have_one_place_that_their_links_lead_to(size: int, most: int) -> None:
    market = Market(size)
    html = page(market.answers, market.findings, market.changes, most)
    anchors = re.findall(r'\sid="?([^"\s>]+)', html)
    assert len(anchors) == len(set(anchors))
    assert {goal for goal in re.findall(r'href="#([^"]+)"', html) if not goal.startswith("text-")} <= set(anchors)
    for tag in ("details", "table", "section", "div", "article"):
        assert html.count(f"<{tag}") == html.count(f"</{tag}>")


def test_two_answers_are_shown_side_by_side_each_above_its_clause() -> None:
    columns = {**FINDINGS, "audience": "str"}
    rows = [
        {"slug": "opal", "finding_id": name, "surface": "training_use", "audience": name, "quote": f"For {name}."}
        for name in ("business", "consumer")
    ]
    html = page(
        given(ANSWERS, {"slug": "opal", "decided_by": ["business", "consumer"], **BOTH}),
        given(columns, *rows),
        given(CHANGES),
    )
    result = re.findall(r'<p class="side">([^<]+)</p><blockquote[^>]*>([^<]+)', html)
    assert result == [
        ("Consumers: Trains, no opt-out found", "For consumer."),
        ("Business users: Does not train", "For business."),
    ]
    assert html.count('class="pair"') == 1
    assert "No answer changed" in html


def test_who_is_undetermined_is_shown_with_what_must_be_read() -> None:
    answers = [
        {"slug": "opal", "stance": "trains_by_default", "decided_by": ["a"]},
        {"slug": "amber", "stance": "trains_with_opt_out", "decided_by": ["d"]},
        {"slug": "onyx", "stance": "undetermined", "consumer_stance": "undetermined", "decided_by": ["b", "c"]},
    ]
    rows = [
        {"slug": slug, "finding_id": name, "surface": "training_use", "quote": f"Sentence {name}."}
        for slug, name in (("opal", "a"), ("onyx", "b"), ("onyx", "c"), ("amber", "d"))
    ]
    html = page(given(ANSWERS, *answers), given(FINDINGS, *rows), given(CHANGES), most=1)
    assert 'Undetermined: to be read <span class="thin">1 of 3 platforms read' in html
    assert "read the sentences below" in html
    assert "Sentence b." in html and "Sentence c." in html and "Sentence d." in html


def test_an_answer_for_one_audience_says_that_the_other_has_no_separate_answer() -> None:
    html = page(
        given(ANSWERS, {"slug": "opal", "stance": "silent", "consumer_stance": "silent"}),
        given(FINDINGS),
        given(CHANGES),
    )
    assert "no separate answer</span>" in html
    html = page(given(ANSWERS, {"slug": "opal"}), given(FINDINGS), given(CHANGES))
    assert html.count("not read</span>") == 2


def test_answers_that_changed_and_returned_are_summed_up_and_unverified_quotes_are_emphasised() -> None:
    days = [f"2026-03-{day:02d}" for day in range(1, 8)]
    words = ("silent", "does_not_train")
    changes = given(
        CHANGES,
        *(
            change(day, words[place % 2], words[(place + 1) % 2], added=[finding(f"Text {day}.", "training_use")])
            for place, day in enumerate(days)
        ),
    )
    html = page(given(ANSWERS), given(FINDINGS), changes)
    assert html.count("<article") == 7
    assert "<summary>4 earlier changes</summary>" in html
    assert "not verified: hash mismatch" in html


def test_a_move_without_a_clause_names_the_documents_that_changed() -> None:
    moved = {"added": [finding("We show adverts.", "ads_tracking")]}
    changes = given(
        CHANGES,
        change("2026-03-01", "silent", "does_not_train", document="Terms", change_id="one", **moved),
        change("2026-03-01", "silent", "does_not_train", document="Privacy Policy", change_id="two", **moved),
    )
    html = page(given(ANSWERS), given(FINDINGS), changes)
    assert "No clause on training use was added or removed" in html
    assert "the text of Terms, Privacy Policy changed" in html


def test_unknown_values_are_named() -> None:
    assert "with a Pro key only" in section.stance_moves(None, None, None).html
    assert (
        "with a Pro key only"
        in section.stance_moves(history.stance_moves(history.stance_changes(given(CHANGES))), None, None).html
    )


def test_hostile_words_are_text_everywhere() -> None:
    market = Market(3)
    for frame in (market.answers, market.findings, market.changes):
        for column in frame.columns.intersection(
            ["slug", "name", "rating", "stance", "consumer_stance", "document", "quote"]
        ):
            frame[column] = HOSTILE
    market.changes["added"] = [[finding(HOSTILE, "training_use", risk=HOSTILE)]] * 3
    market.changes["stance_before"] = HOSTILE
    html = page(market.answers, market.findings, market.changes)
    assert not re.search(r"<(?:script|img)", html)
    assert "javascript:" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html


@pytest.mark.parametrize("size", [0, 1, 30])
def test_platforms_by_stance_take_none_one_and_many(size: int) -> None:
    market = Market(size)
    stances = analysis.training_use(market.answers, market.findings)
    made = section.training_use(stances, analysis.stance_shares(stances))
    assert made.text
    assert made.html.count("<details") == made.html.count("</details>")
    assert made.html.count("<table") == made.html.count("</table>")


def test_a_stance_never_seen_is_shown_with_its_clauses_after_many_that_are_undetermined() -> None:
    answers = [{"slug": f"p{n}", "stance": "undetermined"} for n in range(3)]
    answers += [{"slug": f"q{n}", "stance": "perhaps"} for n in range(4)]
    html = page(given(ANSWERS, *answers), given(FINDINGS), given(CHANGES), most=3)
    assert re.findall(r'<details class="keep platform" id="platform-(q\d)"', html) == ["q0", "q1", "q2"]


def test_platforms_that_were_not_read_are_listed_separately_and_excluded_from_the_denominator() -> None:
    answers = given(
        ANSWERS, {"slug": "opal", "stance": "silent"}, {"slug": "tarn", "stance": "perhaps"}, {"slug": "quill"}
    )
    stances = analysis.training_use(answers, given(FINDINGS))
    for made in (
        section.training_use(stances, analysis.stance_shares(stances)),
        section.training_clauses(
            stances, analysis.training_clauses(answers, given(FINDINGS)), analysis.stance_shares(stances)
        ),
    ):
        html = made.html
        assert 'No clause found <span class="thin">1 of 2 platforms read, 50\xa0%' in html
        assert 'Not read <span class="thin">1 of 3 platforms</span>' in html
        assert "nan" not in re.sub("<[^>]*>", "", html)


def test_a_platform_with_clauses_for_business_users_only_says_so() -> None:
    answers = given(ANSWERS, {"slug": "opal", "stance": "undetermined", "business_stance": "does_not_train"})
    stances = analysis.training_use(answers, given(FINDINGS))
    assert "clauses for business users only" in section.training_use(stances, analysis.stance_shares(stances)).html


def test_one_platform_is_counted_in_the_singular() -> None:
    stances = analysis.training_use(given(ANSWERS, {"slug": "opal", "stance": "silent"}), given(FINDINGS))
    assert section.training_use(stances, analysis.stance_shares(stances)).text == "1 platform by stance"
    assert section.stance_table(stances).text == "1 platform, consumers and business users"


def test_a_platform_that_trains_is_reported_even_if_some_users_may_object() -> None:
    quotes = {"a": "We train on your content.", "b": "Users in the UK have the right to object to this training."}
    rows = [
        {"slug": "opal", "finding_id": name, "surface": "training_use", "quote": words, "polarity": side}
        for (name, words), side in zip(quotes.items(), ("raises_risk", "mitigates_risk"), strict=True)
    ]
    answers = given(ANSWERS, {"slug": "opal", "stance": "trains_by_default", "rating": "LOW", "level": "HIGH"})
    stances = analysis.training_use(answers, given(FINDINGS, *rows))
    assert stances[["rating", "level", "level_rating"]].values.tolist() == [["LOW", "HIGH", "LOW"]]
    assert "Some users may opt out or object." in section.training_use(stances, analysis.stance_shares(stances)).html
    assert "Some users may opt out" in page(answers, given(FINDINGS, *rows), given(CHANGES))
    assert "Some users" not in page(answers, given(FINDINGS, rows[0]), given(CHANGES))
    assert "Some users" not in page(answers.assign(stance="depends_on_plan"), given(FINDINGS, *rows), given(CHANGES))


def test_every_platform_stands_under_its_answer_with_its_own_rating_clauses_and_links() -> None:
    own = {"slug": "opal", "surface": "training_use"}
    rows = [own | {"finding_id": "a", "quote": "For all.", "risk": "HIGH"},
            own | {"finding_id": "b", "quote": "For business.", "risk": "LOW", "audience": "business"},
            own | {"slug": "tarn", "finding_id": "c", "quote": "Tarn trains.", "risk": "HIGH"}]  # fmt: skip
    found = given({**FINDINGS, "audience": "str"}, *rows)
    trains = {"stance": "trains_by_default", "consumer_stance": "trains_by_default"}
    answers = given(
        ANSWERS, {"slug": "opal", "rating": "MED", "level": "HIGH", "decided_by": ["a", "b"], **BOTH}, {"slug": "birch"},
        {"slug": "tarn", "rating": "LOW", "decided_by": ["c"], **trains}, {"slug": "quill", "stance": "silent", "rating": "LOW"},
        {"slug": "twin", "rating": "LOW", **trains, "business_stance": "trains_by_default"},
    )  # fmt: skip
    stances = analysis.training_use(answers, found)
    shares, clauses = analysis.stance_shares(stances), analysis.training_clauses(answers, found)
    one, two = (
        "1 of 4 platforms read, 25\xa0% (95 % interval 5\xa0% to 70\xa0%), by the answer for all users",
        "2 of 4 platforms read, 50\xa0% (95 % interval",
    )
    end = f"No clause found |{one}|Finding nothing is not proof of absence.|Quill"
    plan = f"Depends on the plan |{one}|Opal|MED|Consumers: trains, no opt-out found · Business users: does not train|"
    unsure = "not verified: not checked"
    assert read(section.training_use(stances, shares).html) == (
        f"|Trains, no opt-out found |{two} 15\xa0% to 85\xa0%), by the answer for all users|Tarn|LOW|Tarn trains.|{unsure}|Twin|LOW"
        f"|No clause is shown for this answer.|{plan}For all.|{unsure}|{end}|Not read |1 of 5 platforms|Birch|"
    )
    made = section.training_clauses(stances, clauses, shares, most=1)
    assert made.text == "3 clauses of 2 platforms"
    assert read(made.html) == (
        f"|Trains, no opt-out found |{two} 15\xa0% to 85\xa0%), by the answer for all users|Tarn|LOW|Tarn trains.|HIGH|"
        f"{unsure}|Twin|. To see their clauses, name them with |-p platforms=|."
        f"|{plan}Consumers: Trains, no opt-out found|For all.|HIGH|{unsure}"
        f"|Business users: Does not train|For business.|LOW|{unsure}|{end}|.|Not read |1 of 5 platforms|Birch|.|"
    )
    table = section.stance_table(stances).html
    assert read(table).partition("|Business|")[2] == (
        "Twin|LOW|Trains, no opt-out found|Trains, no opt-out found|Opal|MED|Trains, no opt-out found|Does not train"
        "|Tarn|LOW|Trains, no opt-out found|no separate answer|Quill|LOW|no separate answer|no separate answer"
        "|Birch|?|not read|not read|"
    )
    assert re.findall(r'href="#platform-(\w+)"', table) == ["twin", "opal", "tarn"]


def test_the_table_of_answers_is_filtered_by_the_answer_for_all_and_shows_the_rows_asked_for_first() -> None:
    answers = given(ANSWERS, {"slug": "opal", **BOTH}, {"slug": "quill", "stance": "silent"}, {"slug": "birch"})
    (made,) = section.stance_table(analysis.training_use(answers, given(FINDINGS)), first=2).parts[0].parts
    options = ("depends_on_plan", "Depends on the plan"), ("silent", "No clause found")
    assert made.choice == Choice("Answer", options, 2)
    assert [(line.slug, line.value) for line in made.rows] == [
        ("opal", "depends_on_plan"), ("quill", "silent"), ("birch", ""),
    ]  # fmt: skip


def test_of_many_platforms_twelve_are_shown_with_clauses_six_of_them_open_and_all_are_named() -> None:
    for size, quoted in ((30, 30), (31, 12)):
        rows = [
            {"slug": f"p{n:02}", "surface": "training_use", "finding_id": f"f{n}", "quote": f"Q{n}."}
            for n in range(size)
        ]
        answers = given(ANSWERS, *({"slug": row["slug"], "stance": "trains_by_default"} for row in rows))
        stances = analysis.training_use(answers, given(FINDINGS, *rows))
        html = section.training_use(stances, analysis.stance_shares(stances)).html
        head, rest = html.split(f"<summary>{size - 6} more platforms</summary>")
        assert (head.count("<blockquote"), rest.count("<blockquote")) == (6, quoted - 6)
        assert [html.count(f">P{n:02}<") for n in range(size)] == [1] * size
        opened = section.training_clauses(stances, analysis.training_clauses(answers, given(FINDINGS, *rows)),
                                          analysis.stance_shares(stances)).html  # fmt: skip
        assert len(re.findall(r"<details[^>]* open", opened)) == 3


def test_who_changed_is_told_with_both_answers_and_each_step_newest_first() -> None:
    never = finding("We never train.", "training_use", risk="LOW")
    rows = [change("2026-03-01", "silent", "does_not_train", added=[never]),
            change("2026-04-01", "does_not_train", "trains_by_default"),
            change("2026-02-01", "does_not_train", "trains_by_default", "tarn")]  # fmt: skip
    changes = history.stance_changes(given(CHANGES, *rows))
    made = section.stance_moves(history.stance_moves(changes), changes, changed_clauses(changes))
    assert made.text == "Tarn: does_not_train → trains_by_default\nOpal: silent → trains_by_default"
    some = history.stance_changes(
        given(CHANGES, *(change("2026-03-01", "silent", "does_not_train", f"p{n}") for n in range(4)))
    )
    every = section.stance_moves(history.stance_moves(some), some, None).html
    assert (
        re.findall(r'href="#moved-(p\d)"', every) == re.findall(r'id="moved-(p\d)"', every) == ["p0", "p1", "p2", "p3"]
    )
    assert len(re.findall(r"<details[^>]* open", every)) == 3
    none = "No clause on training use was added or removed, but the text of Terms changed."
    none += " The answer follows from all clauses together."
    assert read(made.html).partition("|Last change|")[2].partition("|</blockquote>")[0] == (
        "Tarn|▲ |towards training|Does not train|Trains, no opt-out found|1|2026-02-01"
        "|Opal|● |from no clause to an answer|No clause found|Trains, no opt-out found|2|2026-04-01"
        f"|Tarn|▲ |towards training|2026-02-01|2026-02-01 · Terms · |Does not train → Trains, no opt-out found|{none}"
        f"|Opal|● |from no clause to an answer|2026-04-01|2026-04-01 · Terms · |Does not train → Trains, no opt-out found|{none}"
        "|2026-03-01 · Terms · |No clause found → Does not train|1 clause added.|Added|LOW|Training use|We never train."
    )
