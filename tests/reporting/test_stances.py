"""Training use in full: two sides of a platform, who changed, and nothing from data leaves its place."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.reporting import blocks
from tests.analysis.test_stances import BOTH, change
from tests.frames_given import ANSWERS, CHANGES, FINDINGS, Market, given
from tests.reporting.test_blocks import HOSTILE, finding


def page(answers: pd.DataFrame, findings: pd.DataFrame, changes: pd.DataFrame, most: int = 400) -> str:
    stances = analysis.training_use(answers, findings)
    clauses = analysis.training_clauses(answers, findings)
    changed = analysis.stance_changes(changes, "2025-01-01", "2027-01-01")
    checked = blocks.changed_clauses(changed).assign(verification_status="hash_mismatch")
    made = [
        blocks.stance_table(stances, first=2),
        blocks.training_clauses(stances, clauses, analysis.stance_shares(stances), most=most),
        blocks.stance_moves(analysis.stance_moves(changed), changed, checked),
    ]
    assert all(block.text for block in made)
    return "".join(block.html for block in made)


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


def test_two_answers_stand_side_by_side_each_over_its_clause() -> None:
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
    told = re.findall(r"<p class=side>([^<]+)</p><blockquote[^>]*>([^<]+)", html)
    assert told == [
        ("Consumers: Trains by default", "For consumer."),
        ("Business users: Does not train", "For business."),
    ]
    assert html.count("class=pair") == 1
    assert "No answer moved" in html


def test_who_is_undetermined_is_shown_with_what_must_be_read_however_many_others_are_named_only() -> None:
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
    assert "Undetermined: to be read <span class=thin>1 of 3 platforms" in html
    assert "a person must read the sentences below" in html
    assert "Sentence b." in html and "Sentence c." in html and "Sentence d." not in html


def test_an_answer_for_one_audience_says_that_the_other_has_none_apart() -> None:
    html = page(
        given(ANSWERS, {"slug": "opal", "stance": "silent", "consumer_stance": "silent"}),
        given(FINDINGS),
        given(CHANGES),
    )
    assert "not told apart</span></td>" in html
    html = page(given(ANSWERS, {"slug": "opal"}), given(FINDINGS), given(CHANGES))
    assert html.count("not known</span></td>") == 2


def test_to_and_fro_is_summed_up_and_unverified_quotes_are_said_loudly() -> None:
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
    assert html.count("<article") == 3
    assert "4 earlier changes to and fro not shown" in html
    assert "not verified: hash mismatch" in html


def test_what_is_not_known_is_said() -> None:
    assert "Pro keys only" in blocks.stance_moves(None, None, None).html


def test_hostile_words_are_text_wherever_they_stand() -> None:
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
