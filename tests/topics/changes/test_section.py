"""Changes on a page: what they say, and that nothing from data leaves its place."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import Paragraph
from riskanalytics.topics.changes import SIDES, change_noise, material_changes, section
from riskanalytics.topics.changes.clauses import changed_clauses, clause_pairs
from tests.frames_given import CHANGES, given
from tests.topics.given import HOSTILE, SHA, change, finding, read


def shown(material: pd.DataFrame) -> str:
    return section.changed_platforms(material, change_noise(given(CHANGES))).html


def test_a_quiet_month_says_so() -> None:
    quiet = material_changes(given(CHANGES), "2026-07-01", "2026-08-01")
    assert "<p>No material change in this month.</p>" in shown(quiet)
    none = change_noise(given(CHANGES))
    assert "<p>No material change in this period.</p>" in section.changed_platforms(quiet, none, period="period").html
    assert (
        "Material changes of the period, worst first" in section.changed_platforms(change(), none, period="period").html
    )


def test_changes_that_are_not_shown_to_a_key_are_said_to_be_unknown() -> None:
    for known in ((None, None), (change(), None), (None, change_noise(given(CHANGES)))):
        assert "What changed is not known" in section.changed_platforms(*known).html


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


def test_a_direction_that_language_models_judged_says_so() -> None:
    words = "Findings on Content licence: 1 added."
    for summary, judged in ((words, False), (f"{words} Language models judged the direction.", True)):
        html = shown(change(added=[finding("You grant us all rights.")], summary=summary))
        assert ("as language models judge it" in html) == judged


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
    classes = ("wording", "format", "revert", "capture_failure", "technical", "quite_new", None)
    words = [
        "wording only",
        "format only",
        "back to an earlier text",
        "failed captures",
        "changes of the archive itself",
    ]
    assert [section.class_name(one) for one in classes] == [*words, "quite new", "not given"]
    one = section.changed_platforms(change()[:0], change_noise(given(CHANGES, *rows[:2]))).html
    assert "1 of 2 recorded changes is not material" in one


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
    assert "training: " not in shown(change(stance_before=None, stance_after="silent"))
    assert "|? |direction not known · rating |MED|→ |?|· training: " in read(html)


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
    assert html.count('href="#change-c0"') == 2
    others = ({"direction": "down"}, {"removed": said}, {"added": []}, {"document": "Privacy"}, {"silent_edit": True})
    for other in (*others, *({side: "LOW"} for side in SIDES)):
        apart = pd.concat([twins[0], change(**({"slug": "spruce", "change_id": "c1", "added": said} | other))])
        assert section.changed_platforms(apart, change_noise(given(CHANGES))).html.count("<article") == 2, other
    assert len(section.same_changes([change(change_id=f"c{n}").to_dict("records")[0] for n in range(2)])) == 2


@pytest.mark.parametrize(
    ("word", "words"),
    [("up", "▲ |risk up"), ("down", "▼ |risk down"), ("mixed", "◆ |up and down"), ("unclear", "? |unclear: read both"),
     ("none", "no direction"), (None, "? |direction not known")],
)  # fmt: skip
def test_a_direction_has_a_sign_and_words(word: str | None, words: str) -> None:
    made = section.direction(word)
    assert read(html_of((Paragraph(made),))).strip("|") == words
    assert made.style == {"up": "up", "down": "down", "mixed": "mixed"}.get(str(word), "")


def test_an_edit_under_an_unmoved_date_is_marked_and_any_other_is_not() -> None:
    mark = "text changed, stated date unchanged"
    assert mark in shown(change(silent_edit=True))
    assert [mark in shown(change(silent_edit=value)) for value in (False, None)] == [False, False]


def test_a_change_that_only_language_models_found_shows_its_clauses_without_surface_or_level() -> None:
    unknown = dict.fromkeys(("surface", "risk", "polarity"))
    words = shown(
        change(
            added=[finding("Seven words are enough for a clause.") | unknown],
            removed=[finding("Other text about nothing.") | unknown],
            surfaces=[],
        )
    )
    assert "1 clause added and 1 clause removed; language models agree that the change matters." in words
    assert ">Added<" in words
    assert "not known" not in words
    mixed = shown(change(added=[finding("One.") | unknown, finding("Three.")]))
    assert "2 clauses added." in mixed


def test_changes_that_leave_the_risk_are_folded_and_only_those_shown_in_full_have_a_link() -> None:
    kinds = [("up", "HIGH"), ("unclear", "MED"), ("none", "LOW"), ("none", "MED")]
    rows = [
        change(
            change_id=f"c{n}",
            slug=f"p{n}",
            name=f"P{n}",
            direction=way,
            rating_after=after,
            added=[finding(f"Text {n}.")],
        )
        for n, (way, after) in enumerate(kinds)
    ]
    material = pd.concat(rows, ignore_index=True)
    html, cut = (section.changed_platforms(material, change_noise(given(CHANGES)), most=most).html for most in (4, 3))
    loud, calm = html.split("<summary>1 change that does not move the risk</summary>")
    assert re.findall(r"<article id=\S+change-(c\d)", loud) == ["c0", "c1", "c2"]
    assert re.findall(r"<article id=\S+change-(c\d)", calm) == ["c3"]
    assert "shown in full below" not in html
    assert "The 3 worst are shown in full below." in cut
    assert (
        re.findall(r'href="#change-(c\d)"', cut)
        == re.findall(r"<article id=\S+change-(c\d)", cut)
        == ["c0", "c1", "c2"]
    )
    assert ">P3</bdi>" in cut
    assert section.changed_platforms(material, change_noise(given(CHANGES)), most=3).text == "P0: one\nP1: one\nP2: one"


def test_a_card_tells_what_moved_which_clause_replaced_which_and_links_only_to_what_is_still_there() -> None:
    place = {
        "provenance": {"snapshot_sha256": SHA, "start": 3, "end": 9, "document": "Terms", "captured_at": "2026-07-02"}
    }
    kept, few = "You keep all rights in your content.", "You keep few rights in your content."
    lead, mild = {"quote": "We may:", "start": -60, "end": 2}, {"polarity": "mitigates_risk", "risk": "LOW"}
    material = change(
        document="Terms", directions={"content_license": "up", "training_use": "down"}, stance_before="silent",
        stance_after="trains_by_default", surfaces=["content_license", "training_use", "ads_tracking", "human_review"],
        removed=[finding(kept, id="r1", risk="LOW", **place), finding("Nobody looks.", "human_review", id="r2", **mild, **place)],
        added=[finding(few, id="a1", lead_in=lead, **place), finding("We train.", "training_use", id="a2", risk="MED", **place)],
    )  # fmt: skip
    checked = changed_clauses(material).assign(verification_status="verified")
    checked["live_url"] = "https://live.example/" + checked["finding_id"]
    html = section.changed_platforms(material, change_noise(given(CHANGES)), checked).html
    source = "Terms · |2026-07-02|· |abababababab|· characters 3–9 · "
    live = "|live page from its top, if unchanged|· "
    assert read(html).partition("|Date|")[2] == (
        "Aurelia Chat|Terms|▲ |risk up|Content licence, Training use, Ads and tracking|and 1 more|, Human review|2026-07-02"
        "|Aurelia Chat|Terms|2026-07-02 · |▲ |risk up|· rating |MED|→ |HIGH|· training: no clause found → trains, no opt-out found"
        "|Content licence |▲ |risk up|· |Training use |▼ |risk down|1 clause added, 1 clause removed and 1 clause rewritten."
        f"|Rewritten|LOW|→ |HIGH|Content licence|Before|You keep |all|rights in your content.|{source}verified"
        f"|After|We may: |You keep |few|rights in your content.|{source}{live}verified"
        f"|Added|MED|Training use|We train.|{source}{live}verified"
        f"|1 more clause of this change|Removed|LOW|Human review · protective|Nobody looks.|{source}verified|"
    )
    assert re.findall(r"https://live.example/(\w+)", html) == ["a1", "a2"]
    assert '<blockquote class="ins">We train.' in html and '<blockquote class="del">Nobody looks.' in html
    (row,) = material.to_dict("records")
    assert "now says|: |You keep few rights" in read(html_of((Paragraph(section.says(row, clause_pairs(row)[0])),)))
    assert "wording only" in section.card(row | {"change_class": "wording"}, {}).parts[1].words[4]
    alone = html_of((section.card(row | {"change_class": "revert", "rating_after": "MED"}, {}, named=False),))
    assert read(alone).startswith("|Terms|2026-07-02 · |▲ |risk up|· back to an earlier text · training: ")
