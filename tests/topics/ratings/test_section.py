"""Ratings on a page: what moved them, the published formula, and how one of them came about."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pandas as pd

from riskanalytics import frames
from riskanalytics.extraction import published_formula
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.changes import material_changes
from riskanalytics.topics.ratings import rating_mean, rating_moves, rating_parts, section
from riskanalytics.topics.ratings.matrix import rule_words
from tests.frames_given import CHANGES, PLATFORMS, Market, given
from tests.topics.given import HOSTILE, change, finding, read


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_a_month_without_a_rating_change_says_so() -> None:
    quiet = material_changes(given(CHANGES), "2026-07-01", "2026-08-01")
    same = given(PLATFORMS, {"slug": "aurelia-chat", "rating": "MED"})
    assert "No rating differs" in section.rating_moves(rating_moves(same, same), quiet).html


def test_a_changed_rating_is_shown_with_its_reasons_or_with_unknown() -> None:
    before, after = (given(PLATFORMS, {"slug": "aurelia-chat", "rating": rating}) for rating in ("MED", "HIGH"))
    moves = rating_moves(before, after)
    result = section.rating_moves(moves, change(added=[finding("You grant us all rights in what you make.")]))
    assert result.text == "1 rating moved"
    assert "MED → HIGH" in words(result.html)
    assert '<a href="#change-c1">now says</a>: <q>You grant us all rights in what you make.</q>' in result.html
    for some in (change(), change()[:0]):
        assert "no single clause" in section.rating_moves(moves, some).html
    assert "not known without the changes" in section.rating_moves(moves, None).html
    several = [
        change(change_id="c1", rating_after="MED", document="Privacy", added=[finding("We may keep it.")]),
        change(change_id="c2", added=[finding("We may sell it.")]),
        change(change_id="c3", document="Cookies", added=[finding("We may track you.")]),
    ]
    shown = read(section.rating_moves(moves, pd.concat(several, ignore_index=True)).html)
    assert shown.endswith("|Aurelia Chat|MED|→ |HIGH|Terms |now says|: |We may sell it.|")
    others = given(PLATFORMS, *({"slug": slug, "name": slug.upper(), "rating": "LOW"} for slug in "abcdefg"))
    both = rating_moves(pd.concat([after, others[:1]]), pd.concat([after, others[1:]]))
    assert read(section.rating_moves(both, None).html) == (
        "|No rating differs between the beginning and the end of the month."
        "|6 platforms are new: B, C, D, E, F and 1 other.|1 platform is no longer tracked: A.|"
    )
    read_otherwise = section.rating_moves(moves.assign(direction="other_texts"), None)
    assert read_otherwise.text == "0 ratings moved"
    assert read(read_otherwise.html) == (
        "|No rating moved in the month because a text changed."
        "|1 rating changed because other documents are read than before, not because a text changed: Aurelia Chat.|"
    )
    unclear = rating_moves(after, after.assign(rating="CRITICAL"))
    assert section.rating_moves(unclear, None).text == "1 rating moved"


def test_the_formula_is_shown_as_it_is_published() -> None:
    formula = published_formula()
    html = words(section.rating_formula(formula).html)
    assert all(step in html for step in formula["steps"])
    assert f"version {formula['version']}" in html
    assert "3 for Training use and Content licence" in html
    own = {"training_use": 1, "ip_liability": 3, "human_review": 1, "ads_tracking": "2"}
    shown = read(section.rating_formula({"steps": ["One.", "Two."], "version": "7", "weights": own}).html)
    assert shown == "|One.|Two.|Formula, version 7. Weights: 3 for IP liability; 1 for Training use and Human review.|"
    bare = read(section.rating_formula({"steps": ["One."]}).html)
    assert bare == "|One.|Formula, version not reported. Weights: not reported.|"
    for nothing in ({}, None, {"steps": "three"}, {"steps": []}):
        assert "does not publish" in section.rating_formula(nothing).html


def made(**more: Any) -> str:
    row = finding("We may use it.", duplicate_of=None)
    findings = frames.findings_frame([row])
    surfaces = {"content_license": {"count": 1, "risk": "HIGH", "decided_by": [row["id"]]}} | more
    cells = frames.surfaces_frame([{"slug": "aurelia-chat", "surfaces": surfaces}])
    parts = rating_parts(cells, findings, published_formula())
    platform = Market(1).platforms.iloc[0]
    mean = rating_mean(parts)
    return section.rating_made(platform, parts, findings, mean=mean, rules=["rating.mean=2.00>=1.25"]).html


def test_a_rating_is_explained_by_the_clauses_that_decided_it() -> None:
    html = words(made())
    assert "The weighted mean of its levels is 6 / 3 = 2.00." in html
    assert "We may use it." in html
    assert "By the formula, the rating is HIGH: the mean, 2.00, is 1.25 or more." in html
    assert "Without a level, not in the mean: " in html


def test_the_rules_of_a_rating_are_told_in_words_and_unknown_ones_as_they_are() -> None:
    known = {
        "rating.training_high": "training use is HIGH",
        "rating.training_low": "training use is LOW",
        "rating.mean=1.45": "the mean is 1.45",
        "rating.mean=0.50<0.9": "the mean, 0.50, is below 0.9",
        "rating.high=ip_liability": "IP liability is HIGH",
        "rating.not_read": "no document is in a language that is read",
        "house.rule=7": "house.rule=7",
    }
    assert {rule: rule_words(rule) for rule in known} == known


def test_deciding_clauses_that_are_not_shown_are_counted_and_said_to_be_among_the_verified_ones() -> None:
    assert "clauses shown" not in made()
    assert "re-verified" not in made()
    rows = [finding(f"We may use it {number}.", duplicate_of=None) for number in range(3)]
    surfaces = {"content_license": {"count": 3, "risk": "HIGH", "decided_by": [row["id"] for row in rows]}}
    cells = frames.surfaces_frame([{"slug": "aurelia-chat", "surfaces": surfaces}])
    findings = frames.findings_frame(rows)
    parts = rating_parts(cells, findings, published_formula())
    html = section.rating_made(Market(1).platforms.iloc[0], parts, findings, mean=2.0, rules=None).html
    assert '<span class="thin">2 of 3 clauses shown</span>' in html
    assert "We may use it 0." in html and "We may use it 1." in html
    surfaces["content_license"]["decided_by"] = [row["id"] for row in rows[::-1]]
    surfaces["human_review"] = {"count": 1, "risk": "LOW", "decided_by": [rows[0]["id"]]}
    surfaces["ip_liability"] = {"state": "to_read", "count": 0, "to_read": 2}
    surfaces["terms_changes"] = {"state": "to_read", "count": 3}
    cells = frames.surfaces_frame([{"slug": "aurelia-chat", "surfaces": surfaces}])
    parts, platform = rating_parts(cells, findings, published_formula()), Market(1).platforms.iloc[0]
    html = section.rating_made(platform, parts, findings, mean=1.5, rules=None).html
    assert html.index("We may use it 2.") < html.index("We may use it 1.")
    assert "The weighted mean of its levels is 6 / 4 = 1.50." in html
    assert "at most 2 clauses are shown" in html
    assert "Output rights: not read; " in html and "IP liability: to be read (2 clauses); " in html
    assert "Terms changes: to be read (3 clauses)." in html
    assert "|Content licence|HIGH|3|2|6|3|3|0|0|Human review|LOW|1|0|0|1|Near" in read(html)
    linked = section.rating_made(platform, parts, None, mean=1.5, rules=None).html
    assert '<a href="#surface-content_license">Content licence</a>' in linked
    assert "#surface-" not in html
    every = {name: {"count": 1, "risk": "LOW", "decided_by": [rows[0]["id"]]} for name in SURFACES}
    cells = frames.surfaces_frame([{"slug": "aurelia-chat", "surfaces": every}])
    full = section.rating_made(platform, rating_parts(cells, findings, published_formula()), None, mean=0.0, rules=None)
    assert "Without a level" not in full.html
    assert "Without a level, not in the mean: " in html
    unrated = section.rating_made(
        Market(1).platforms.assign(rating="UNRATED").iloc[0], parts, None, mean=1.5, rules=None
    )
    assert unrated.text == "Aurelia Chat: UNRATED"
    assert "weighted mean" not in unrated.html
    assert "at most 2 clauses are shown. The number of re-verified clauses includes the others." in html


def test_a_service_that_publishes_neither_weights_nor_clauses_is_reported_as_such() -> None:
    cells = frames.surfaces_frame([{"slug": "a", "surfaces": {"training_use": {"count": 1, "risk": "HIGH"}}}])
    findings = frames.findings_frame([])
    parts = rating_parts(cells, findings, {})
    html = section.rating_made(Market(1).platforms.iloc[0], parts, findings, mean=None, rules=None).html
    assert "does not publish its weights" in html
    assert "does not name the deciding clauses" in html


def test_a_platform_without_a_level_has_nothing_to_weigh() -> None:
    parts = rating_parts(frames.surfaces_frame([{"slug": "a"}]), frames.findings_frame([]), published_formula())
    html = section.rating_made(Market(1).platforms.iloc[0], parts, frames.findings_frame([]), mean=None, rules=[]).html
    assert "there is no mean" in html
    assert "<table" not in html


def test_nothing_from_data_leaves_its_place() -> None:
    platform = Market(1).platforms.iloc[0].copy()
    platform["name"] = platform["risk_reason"] = HOSTILE
    findings = frames.findings_frame([finding(HOSTILE)])
    surfaces = {HOSTILE: {"count": 1, "risk": HOSTILE, "decided_by": [findings["finding_id"].iloc[0]]}}
    parts = rating_parts(frames.surfaces_frame([{"surfaces": surfaces}]), findings, {"weights": {HOSTILE: 3}})
    sides = (given(PLATFORMS, {"slug": "a", "name": HOSTILE, "rating": rating}) for rating in ("LOW", HOSTILE))
    moves = rating_moves(*sides)
    pieces = [
        section.rating_made(platform, parts, findings, mean=1.0, rules=[HOSTILE]),
        section.rating_formula({"steps": [HOSTILE], "version": HOSTILE, "weights": {HOSTILE: 1}}),
        section.rating_moves(moves, change(slug="a", document=HOSTILE, change_id=HOSTILE, added=[finding(HOSTILE)])),
    ]
    for piece in pieces:
        assert "<script" not in piece.html
        assert "<img" not in piece.html
        assert "\u202e" not in piece.html


def test_a_rating_that_moved_and_came_back_is_mentioned_though_none_is_another_at_the_end() -> None:
    same = given(PLATFORMS, {"slug": "aurelia-chat", "rating": "MED"})
    moves = rating_moves(same, same)
    back = change(rating_before="HIGH", rating_after="MED").assign(came_back=True)
    assert "1 rating moved in the month and returned: Aurelia Chat." in section.rating_moves(moves, back).html
    twice = pd.concat([back, back.assign(change_id="c2")], ignore_index=True)
    assert "1 rating moved in the month and returned: Aurelia Chat." in section.rating_moves(moves, twice).html
    up = rating_moves(same, same.assign(rating="HIGH"))
    assert "1 rating moved in the month and returned" in section.rating_moves(up, back).html
    assert "came back" not in section.rating_moves(moves, change()).html


def test_a_period_other_than_a_month_is_not_called_a_month_and_unknown_ratings_are_not_called_unchanged() -> None:
    same = given(PLATFORMS, {"slug": "aurelia-chat", "rating": "MED"})
    moves = rating_moves(same, same)
    assert (
        "No rating differs between the beginning and the end of the period."
        in section.rating_moves(moves, None, period="period").html
    )
    unknown = section.rating_moves(None, None).html
    assert "Rating moves are not known" in unknown
    assert "No rating differs" not in unknown
