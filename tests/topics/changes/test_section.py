"""Changes on a page: what they say, and that nothing from data leaves its place."""

from __future__ import annotations

import re

import pandas as pd

from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import Paragraph
from riskanalytics.topics.changes import change_noise, material_changes, section
from riskanalytics.topics.changes.clauses import changed_clauses, clause_pairs
from tests.frames_given import CHANGES, given
from tests.topics.given import HOSTILE, change, finding


def shown(material: pd.DataFrame) -> str:
    return section.changed_platforms(material, change_noise(given(CHANGES))).html


def test_a_quiet_month_says_so() -> None:
    quiet = material_changes(given(CHANGES), "2026-07-01", "2026-08-01")
    assert "No material change in this" in shown(quiet)


def test_changes_that_are_not_shown_to_a_key_are_said_to_be_unknown() -> None:
    assert "What changed is not known" in section.changed_platforms(None, None).html


def test_a_change_is_shown_with_its_surface_direction_and_rating() -> None:
    html = shown(change(added=[finding("You grant us all rights in what you make.")]))
    for words in (
        "Aurelia Chat",
        "risk up",
        "Content licence",
        "MED",
        "HIGH",
        "1 clause added",
        "You grant us all rights",
    ):
        assert words in html


def test_hostile_words_are_text_everywhere() -> None:
    material = change(
        name=HOSTILE,
        document=HOSTILE,
        summary=HOSTILE,
        surfaces=[HOSTILE],
        added=[finding(HOSTILE, HOSTILE, risk=HOSTILE)],
    )
    html = shown(material)
    assert not re.search(r"<(?:script|img)", html)
    assert "javascript:" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "U+202E" in html


def test_a_removed_clause_is_shown_next_to_the_clause_that_replaced_it() -> None:
    before, after = "You keep all rights in your content.", "You keep few rights in your content."
    [row] = change(removed=[finding(before)], added=[finding(after)]).to_dict("records")
    [pair] = clause_pairs(row)
    assert pair.kind == "rewritten"
    assert "<del>all</del>" in shown(change(removed=[finding(before)], added=[finding(after)]))


def test_the_same_words_read_differently_are_shown_once() -> None:
    words = "We may keep and use what you upload."
    html = shown(change(removed=[finding(words, risk="LOW")], added=[finding(words)]))
    assert html.count("<blockquote") == 1
    assert "read differently" in html


def test_sentences_without_findings_are_not_clauses() -> None:
    material = change(altered=[{"before": "Updated 1 May.", "after": "Updated 2 May.", "surface": None}])
    assert "no clause" in shown(material)


def test_quotes_that_failed_verification_are_reported_prominently() -> None:
    material = change(added=[finding("You grant us all rights.")])
    clauses = changed_clauses(material).assign(verification_status="hash_mismatch")
    html = section.changed_platforms(material, change_noise(given(CHANGES)), clauses).html
    assert "not verified: hash mismatch" in html


def test_a_change_of_many_clauses_shows_the_first_folds_the_others_and_counts_what_it_leaves_out() -> None:
    html = shown(change(added=[finding(f"{'word ' * number}here {number * 7919}.") for number in range(20)]))
    assert html.count("<blockquote") == 12
    assert "18 more clauses of this change" in html
    assert "8 clauses of lower weight not shown." in html


def test_the_noise_is_folded_with_its_kinds() -> None:
    rows = [
        {"change_id": f"c{n}", "change_class": kind} for n, kind in enumerate(["material", "revert", "capture_failure"])
    ]
    html = section.changed_platforms(change()[:0], change_noise(given(CHANGES, *rows))).html
    assert "2 of 3 recorded changes are not material" in html
    assert 'back to an earlier text<td class="n">1<td class="n">33 %' in html
    assert "wording only" not in html


def test_text_from_a_document_is_cut_and_links_to_its_card() -> None:
    [row] = change(removed=[finding("long words " * 40)]).to_dict("records")
    html = html_of((Paragraph(section.says(row, clause_pairs(row)[0])),)).removeprefix("<p>").removesuffix("</p>")
    assert html.startswith('Terms <a href="#change-c1">no longer says</a>: <q>long words')
    assert html.endswith(" […]</q>")


def test_a_rating_that_moved_and_came_back_in_the_period_is_said_to_have() -> None:
    sides = {"slug": "opal", "document": "Terms", "change_class": "material", "added": [finding("We may.")]}
    rows = [
        {"change_id": "c1", "reviewed_at": "2026-07-02", "rating_before": "MED", "rating_after": "HIGH"},
        {"change_id": "c2", "reviewed_at": "2026-07-20", "rating_before": "HIGH", "rating_after": "MED"},
    ]
    changes = given(CHANGES, *(sides | row for row in rows))
    html = shown(material_changes(changes, "2026-07-01", "2026-08-01"))
    assert html.count("moved and returned within the period") == 2
    assert "came back" not in shown(material_changes(changes, "2026-07-01", "2026-07-10"))


def test_missing_details_of_a_change_are_shown_as_unknown() -> None:
    html = shown(change(rating_after=None, stance_before="silent", stance_after=None, direction=None, summary=None))
    assert "training: no clause found → not known" in html
    assert "nan" not in re.sub(r"<[^>]*>", "", html)


def test_the_same_change_of_several_products_of_one_vendor_is_one_card_with_their_names() -> None:
    said = [finding("You grant us all rights in what you make.")]
    twins = [
        change(change_id=f"c{n}", slug=slug, name=slug.title(), added=said)
        for n, slug in enumerate(("larch", "spruce"))
    ]
    material = pd.concat(twins, ignore_index=True)
    html = section.changed_platforms(material, change_noise(given(CHANGES))).html
    assert html.count("id='change-") + html.count('id="change-') == 1
    assert "Larch and Spruce" in html
