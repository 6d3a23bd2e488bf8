"""Platforms beside each other on a page: clauses in columns, silence said, nothing from data leaves its place."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

from riskanalytics import frames
from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import Paragraph
from riskanalytics.topics import comparison as analysis
from riskanalytics.topics.changes.clauses import changed_clauses
from riskanalytics.topics.comparison import chart, comparison_changes, comparison_shown, section, words
from riskanalytics.topics.coverage.documents import freshness
from riskanalytics.topics.ratings.matrix import risk_matrix
from tests.topics.given import HOSTILE, SHA, change, finding, read

DAY = "2026-07-31"
TEXT = {"document": "Terms", "captured_at": "2026-07-02T00:00:00Z", "state": "good"}


def record(slug: str, surfaces: dict[str, Any], findings: Any = (), **more: Any) -> dict[str, Any]:
    training = {
        "stance": "depends_on_plan",
        "consumer_stance": "trains_by_default",
        "business_stance": "does_not_train",
    }
    result = {"slug": slug, "name": slug.title(), "surfaces": surfaces, "findings": list(findings), "documents": [TEXT]}
    return {**result, "training_use": training, **more}


def page(*records: dict[str, Any], changes: pd.DataFrame | None = None) -> dict[str, str]:
    found = [{**row, "slug": one["slug"], "name": one["name"]} for one in records for row in one["findings"]]
    findings, surfaces = frames.findings_frame(found), frames.surfaces_frame(records)
    training, documents = frames.training_use_frame(records), frames.documents_frame(records)
    rated = ({"rating": "HIGH", **one, "id": one["slug"]} for one in records)
    platforms = frames.platforms_frame(rated)
    matrix = risk_matrix(findings, surfaces, platforms)
    result = analysis.comparison(matrix, surfaces, findings, training, [one["slug"] for one in records])
    compared = analysis.compared_platforms(result, platforms, training, freshness(documents, DAY))
    clauses = analysis.comparison_clauses(result, surfaces, findings).assign(verification_status="verified")
    moved = (
        None
        if changes is None
        else comparison_changes(changes.assign(change_class="material"), result, "2026-01-01", "2026-08-01")
    )
    checked = changed_clauses(comparison_shown(moved)).assign(verification_status="verified")
    return {
        "platforms": section.compared_platforms(compared).html,
        "levels": section.comparison(result).html,
        "clauses": section.compared_surfaces(result, compared, clauses, documents).html,
        "moved": section.comparison_changes(moved, checked, "in the 12 months to today").html,
        "headline": html_of((Paragraph((words.comparison_title(result), *words.comparison_sentences(result, compared))),)),
        "words": chart.comparison(result).words,
    }  # fmt: skip


def level(risk: str, count: int = 1, **more: Any) -> dict[str, Any]:
    return {"risk": risk, "count": count, **more}


def test_clauses_are_shown_side_by_side_and_silence_lists_the_documents_searched() -> None:
    shown = page(
        record("aurelia", {"ads_tracking": level("HIGH")}, [finding("We sell it.", "ads_tracking", confidence=0.9)]),
        record("opal", {}, searched_without_result=[{"surface": "ads_tracking", "snapshots": ["ab"]}]),
    )
    assert "no clause found for 1 platform" in shown["clauses"]
    assert ">We sell it.</blockquote>" in shown["clauses"]
    assert "characters 3–9" in shown["clauses"]
    assert "Terms: searched, text of 2026-07-02." in shown["clauses"]
    assert "The service names no deciding clause" in shown["clauses"]
    assert "surfaces without a known difference, some levels unknown" in shown["clauses"]
    assert ">H</span></a>" in shown["levels"]
    assert "Trains, no opt-out found" in shown["platforms"]
    assert "What moved is not known: the service shows changes with a Pro key only." in shown["moved"]


def test_every_link_of_the_table_leads_to_the_clauses() -> None:
    surfaces = {"ads_tracking": level("HIGH"), "output_rights": level("LOW")}
    result = [finding("We sell it.", "ads_tracking"), finding("It is yours.", "output_rights", risk="LOW")]
    shown = page(record("aurelia", surfaces, result), record("opal", {}, name="Aurelia", documents=[]))
    anchors = re.findall(r' id="([^"]+)"', shown["clauses"])
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', shown["levels"])) <= set(anchors)
    assert "Aurelia (opal)" in shown["levels"]
    assert "The service lists no document." in shown["clauses"]


def three() -> dict[str, str]:
    """Return a page on three platforms: levels that differ, the same level, silence, clauses to be read, and nothing read."""
    place = {"snapshot_sha256": SHA, "start": 3, "end": 9, "document": "Terms", "captured_at": "2026-07-02"}
    found = [finding(f"We sell it {n}.", "ads_tracking", confidence=0.9 - n / 10, provenance=place) for n in range(3)]
    trains = finding("We train.", "training_use", risk="MED", provenance=place)
    deciding = level("HIGH", 5, decided_by=[one["id"] for one in found])
    texts = [{**TEXT, "captured_at": None}, {**TEXT, "document": "Menu", "state": "not_a_policy"}]
    searched = [{"surface": surface, "snapshots": ["ab"]} for surface in ("output_rights", "ip_liability")]
    others = {"training_use": level("MED"), "human_review": level("MED", 2)}
    return page(
        record("aurelia", {**others, "ads_tracking": deciding, "output_rights": level("LOW")}, [*found, trains]),
        record("opal", {**others, "ads_tracking": level("LOW")}, searched_without_result=searched, documents=texts),
        record("tarn", {"ads_tracking": {"state": "to_read", "count": 0, "to_read": 2}}, documents=[],
               training_use={"stance": "does_not_train"}),
    )  # fmt: skip


def test_each_cell_says_what_is_known_and_each_surface_how_the_platforms_compare_on_it() -> None:
    open_ = "no known difference, some levels unknown"
    lines = read(three()["levels"]).partition("|Difference|")[2].split("|Web data training|")[0]
    assert lines == (
        "Ads and tracking|H|5 · 0.90|L|1|?|to be read (2 clauses)|2 levels apart"
        "|Training use|M|1|M|1|not read|the same level, different answers by plan"
        "|Output rights|L|1|no clause found|not read|no clause found for 1 platform"
        f"|Human review|M|2|M|2|not read|{open_}"
    )


def test_the_surfaces_that_differ_come_first_with_the_clauses_of_each_platform_under_its_own_name() -> None:
    first, folded = read(three()["clauses"]).split("|9 surfaces without a known difference, some levels unknown|")
    source = "Terms · |2026-07-02|· |abababababab|· characters 3–9 · verified"
    none, unread = (
        "The service shows none of its clauses.",
        "not read|Not read: the level is unknown.|The service lists no document.",
    )
    plans = "Consumers: Trains, no opt-out found. Business: Does not train."
    assert first == (
        "|Ads and tracking |2 levels apart|Are personal data used for advertising, cross-site tracking, sale or sharing?"
        f"|1|Aurelia|HIGH|5 clauses|We sell it 0.|HIGH|{source}|confidence 0.90|2 more clauses|We sell it 1.|HIGH|{source}"
        f"|confidence 0.80|We sell it 2.|HIGH|{source}|confidence 0.70|2|Opal|LOW|1 clause|{none}|3|Tarn|to be read (2 clauses)"
        "|The clauses to be read are not findings: the dossier lists them under “Worth reading”."
        "|Training use |the same level, different answers by plan|Does the provider use content, inputs, outputs or personal data"
        f" of its users to train or improve its models?|1|Aurelia|MED|1 clause|{plans}"
        f"|The service names no deciding clause; these have the highest level.|We train.|MED|{source}"
        f"|2|Opal|MED|1 clause|{plans}|{none}|3|Tarn|{unread}"
        "|Output rights |no clause found for 1 platform|Who owns generated output, and who may use it?"
        f"|1|Aurelia|LOW|1 clause|{none}|2|Opal|no clause found|No clause found. Silence is not a promise."
        f"|Terms: searched, text of an unknown day.|Menu: not read: the page is not a policy.|3|Tarn|{unread}"
    )
    assert folded.startswith("Human review |no known difference, some levels unknown|")


@pytest.mark.parametrize("count", [2, 3, 8])
def test_any_number_of_platforms_has_a_column_each(count: int) -> None:
    shown = page(*(record(f"p{n}", {"ads_tracking": level("HIGH" if n % 2 else "MED")}) for n in range(count)))
    first = shown["clauses"].split("</article>")[0]
    assert first.count('<div id="compared-ads_tracking-p') == count
    assert first.count("The service shows none of its clauses.") == count
    assert shown["levels"].count("<th scope=col") == count + 2


def test_changes_where_they_differ_are_listed_and_the_latest_shown() -> None:
    both = (
        record("aurelia-chat", {"content_license": level("HIGH")}),
        record("opal", {"content_license": level("LOW")}),
    )
    moved = page(*both, changes=change(added=[finding("You grant us all rights.")]))["moved"]
    assert "You grant us all rights." in moved
    assert "risk up" in moved
    assert "shown in full below" not in moved
    assert "· verified" in read(moved) and "not verified" not in moved
    added = [finding("You grant us all rights.")]
    several = pd.concat([change(change_id=f"c{n}", slug="opal", added=added) for n in range(3)])
    assert "The latest 2 of each platform are shown in full below." in page(*both, changes=several)["moved"]
    none = "No material change in the 12 months to today moved the risk on a surface where the platforms differ."
    assert read(page(*both, changes=change(direction="none"))["moved"]).strip("|") == none


def test_hostile_words_stay_text_in_every_piece() -> None:
    named = {"name": HOSTILE, "rating": HOSTILE, "documents": [{**TEXT, "document": HOSTILE, "state": HOSTILE}]}
    training = dict.fromkeys(("stance", "consumer_stance", "business_stance"), HOSTILE)
    result = [
        finding(HOSTILE, surface, risk=HOSTILE, scope={"audience": HOSTILE}) for surface in (HOSTILE, "training_use")
    ]
    cells = {HOSTILE: level(HOSTILE), "training_use": level("HIGH")}
    other = record("b", {"training_use": level("LOW")}, [finding(HOSTILE, "training_use", risk="LOW")], **named)
    changes = change(slug="a", name=HOSTILE, document=HOSTILE, surfaces=["training_use"], summary=HOSTILE,
                     added=[finding(HOSTILE, "training_use", risk=HOSTILE)])  # fmt: skip
    shown = page(record("a", cells, result, **named, training_use=training), other, changes=changes)
    html = "".join(words for piece, words in shown.items() if piece != "words")
    assert "<script" not in html
    assert "<img" not in html
    assert "javascript:" not in html
    assert "\u202e" not in html
    assert html.count("<blockquote") == html.count("</blockquote>")


def test_a_platform_that_was_not_read_is_not_counted_as_silent() -> None:
    rows = [{"state": state, "relation": "silence", "spread": 0} for state in ("found", "quiet", "unread")]
    assert section._relation(rows) == "no clause found for 1 platform"
    assert section._relation(rows[1:]) == "no clause found for 1 platform"


def test_documents_that_were_not_searched_are_not_said_to_be_and_an_unread_platform_is_not_silent() -> None:
    texts: list[dict[str, Any]] = [
        {**TEXT, "document": name, "state": state}
        for name, state in (("Terms", "good"), ("Privacy", "stale"), ("Menu", "not_a_policy"), ("Chinese", "good"))
    ]
    texts[3] |= {"language": "zh", "read": False}
    found = [
        finding("We sell it.", "ads_tracking", confidence=0.9),
        finding("We sell more.", "ads_tracking"),
        finding("Also.", "ads_tracking"),
    ]
    deciding = level("HIGH", 2, decided_by=[one["id"] for one in found[:2]])
    other = record(
        "opal", {}, searched_without_result=[{"surface": "ads_tracking", "snapshots": ["ab"]}], documents=texts
    )
    shown = page(record("aurelia", {"ads_tracking": deciding}, found), other)
    assert ">2 · 0.90<" in shown["levels"]
    first = shown["clauses"].split("</article>")[0]
    silent = first[first.index('id="compared-ads_tracking-opal"') :]
    assert "No clause found. Silence is not a promise." in silent
    searched = re.findall(r"(\w+): (searched|not [^.<]+)", re.sub("<[^>]+>", " ", silent))
    assert [(name, said == "searched") for name, said in searched] == [
        ("Terms", True), ("Privacy", True), ("Menu", False), ("Chinese", False),
    ]  # fmt: skip
    assert "names no deciding clause" not in first
    assert "more clause" not in first  # of a pair, two clauses each are open
    assert "Also." not in first
    unread = page(record("aurelia", {"ads_tracking": level("HIGH")}), record("opal", {}))["clauses"]
    assert "Not read: the level is unknown." in unread
    said = {"aurelia": "We train.", "opal": "We learn."}
    own = (
        record(slug, {"training_use": level("HIGH")}, [finding(words, "training_use")]) for slug, words in said.items()
    )
    both = page(*own)["clauses"]
    sides = both.partition('id="compared-training_use-opal"')[::2]
    assert [[words in side for words in said.values()] for side in sides] == [[True, False], [False, True]]
    plans = "Consumers: Trains, no opt-out found. Business: Does not train."
    assert re.sub("<[^>]+>", "", both).count(plans) == 2


@pytest.mark.parametrize(
    ("facts", "fact", "said"),
    [
        (
            {"consumer_stance": "trains_by_default", "stance": "depends_on_plan"},
            "Training, business",
            "no separate answer",
        ),
        (
            {"consumer_stance": "trains_by_default", "stance": "depends_on_plan"},
            "Training, consumers",
            "Trains, no opt-out found",
        ),
        ({"business_stance": "does_not_train", "stance": "depends_on_plan"}, "Training, business", "Does not train"),
        ({"stance": "does_not_train"}, "Training, consumers", "Does not train (for all)"),
        ({"stance": None}, "Training, consumers", "not read"),
        ({"lowest": 1}, "Lowest level", "on 1 surface"),
        ({"highest": 2}, "Highest level", "on 2 surfaces"),
        ({"undetermined": 3}, "To be read", "on 3 surfaces"),
        ({"silent": 4}, "No clause found", "on 4 surfaces"),
        ({"unread": 5}, "Not read", "on 5 surfaces"),
        ({"documents": 3, "flagged": 2}, "Evidence", "verified; 2 of 3 documents not read as last captured"),
        ({"documents": 3}, "Evidence", "verified; 3 documents read"),
        ({}, "Evidence", "verified; no document known"),
        ({"newest_days": 4}, "Dates of texts", "2026-07-01 to 2026-07-27 the newest is 4 days old"),
        ({"newest_days": 1}, "Dates of texts", "2026-07-01 to 2026-07-27 the newest is 1 day old"),
        ({"newest_days": 0}, "Dates of texts", "2026-07-01 to 2026-07-27 captured on the newest day"),
        (
            {"oldest_text_at": pd.Timestamp("2026-07-27"), "newest_days": 4},
            "Dates of texts",
            "2026-07-27 the newest is 4 days old",
        ),
        ({"rating": None}, "Rating", "not reported"),
        ({"rating": "SEVERE"}, "Rating", "? SEVERE"),
    ],
)
def test_each_fact_of_a_platform_is_its_own(facts: dict[str, Any], fact: str, said: str) -> None:
    row: dict[str, Any] = {"verification": "verified", "consumer_stance": None, "business_stance": None, "stance": None}
    counts = dict.fromkeys(("lowest", "highest", "undetermined", "silent", "unread", "documents", "flagged"), 0)
    dates = {"oldest_text_at": pd.Timestamp("2026-07-01"), "newest_text_at": pd.Timestamp("2026-07-27")}
    html = html_of((Paragraph(section._FACTS[fact]({**row, **counts, **dates, **facts})),))
    assert " ".join(re.sub("<[^>]+>", " ", html).split()) == said
