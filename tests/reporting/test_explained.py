"""Blocks about the method: what they say with everything known, and with nothing told."""

from __future__ import annotations

import re
from typing import Any, cast

from riskanalytics import analysis, frames
from riskanalytics.client import Client
from riskanalytics.extraction import accuracy, published_formula
from riskanalytics.models import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.reporting import blocks
from riskanalytics.sources import load_accuracy
from tests.frames_given import Market
from tests.reporting.test_blocks import HOSTILE, finding


def words(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


def test_every_surface_is_shown_with_what_counts_and_what_does_not() -> None:
    html = words(blocks.surfaces().html)
    for surface, told in SURFACE_DESCRIPTIONS.items():
        assert f"{surface_name(surface)}: {told.question}" in html.replace("&#x27;", "'")
    assert html.count("not counted") == len(SURFACE_DESCRIPTIONS)


def test_the_formula_is_shown_as_it_is_published() -> None:
    formula = published_formula()
    html = words(blocks.rating_formula(formula).html)
    assert all(step in html.replace("&#x27;", "'") for step in formula["steps"])
    assert f"version {formula['version']}" in html
    assert "3 for Training use and Content licence" in html
    for nothing in ({}, None, {"steps": "three"}, {"steps": []}):
        assert "does not publish" in blocks.rating_formula(nothing).html


def made(**more: Any) -> str:
    row = finding("We may use it.", duplicate_of=None)
    findings = frames.findings_frame([row])
    surfaces = {"content_license": {"count": 1, "risk": "HIGH", "decided_by": [row["id"]]}} | more
    cells = frames.surfaces_frame([{"slug": "aurelia-chat", "surfaces": surfaces}])
    parts = analysis.rating_parts(cells, findings, published_formula())
    platform = Market(1).platforms.iloc[0]
    mean = analysis.rating_mean(parts)
    return blocks.rating_made(platform, parts, findings, mean=mean, rules=["rating.mean=2.00>=1.25"]).html


def test_a_rating_is_taken_apart_with_the_clauses_that_decided() -> None:
    html = words(made())
    assert "The weighted mean of its levels is 6 / 3 = 2.00." in html
    assert "We may use it." in html
    assert "rating.mean=2.00&gt;=1.25" in html
    assert "Without a level, and so not in the mean: " in html


def test_a_service_that_publishes_neither_weights_nor_clauses_is_told_so() -> None:
    cells = frames.surfaces_frame([{"slug": "a", "surfaces": {"training_use": {"count": 1, "risk": "HIGH"}}}])
    findings = frames.findings_frame([])
    parts = analysis.rating_parts(cells, findings, {})
    html = blocks.rating_made(Market(1).platforms.iloc[0], parts, findings, mean=None, rules=None).html
    assert "does not publish its weights" in html
    assert "does not name the clauses that decided" in html


def test_a_platform_without_a_level_has_nothing_to_weigh() -> None:
    parts = analysis.rating_parts(
        frames.surfaces_frame([{"slug": "a"}]), frames.findings_frame([]), published_formula()
    )
    html = blocks.rating_made(Market(1).platforms.iloc[0], parts, frames.findings_frame([]), mean=None, rules=[]).html
    assert "nothing to weigh" in html
    assert "<table" not in html


def shown(figures: dict[str, Any]) -> str:
    """What is said of figures that a service records."""
    measured = load_accuracy(cast("Client", Coverage(figures)))
    return blocks.accuracy_told(measured.figures, measured.told).html


class Coverage:
    """A client that tells figures and nothing else."""

    def __init__(self, figures: dict[str, Any]) -> None:
        self.figures = figures

    def coverage(self) -> dict[str, Any]:
        return {"extraction": {"figures": self.figures}}


OLDER = {
    "precision": 0.99,
    "recall": 0.98,
    "measured_on": "2026-11-21",
    "never_seen": {"precision": {"value": 0.93, "part": 399, "whole": 430}, "recall": {"value": 0.67}},
    "vendors_left_out": {"precision": {"value": 0.98}},
}


def test_every_part_is_shown_with_rules_and_model_apart_what_nothing_was_made_from_first() -> None:
    told = accuracy()["calibrate"]
    html = shown({"calibrate": told, "test": told | {"times_scored": 2, "documents": 48}})
    assert html.index("Vendors that nothing was made from") < html.index("Vendors kept apart to set the confidence by")
    assert html.count("<details class=keep open>") == 1
    assert "scored 2 times so far; three are allowed" in html
    assert "48 documents" in html
    assert "<th scope=col>Rules alone</th><th scope=col>Model alone</th><th scope=col>All findings</th>" in html
    share = told["groups"]["learned"]["precision"]
    assert f"{share['part']:,} of {share['whole']:,}" in words(html)
    assert f"{told['groups']['hand_written']['calibration_error']:.3f}" in html


def test_stances_under_a_platforms_name_are_counted_by_what_was_said() -> None:
    share = {"value": 0.75, "low": 0.2, "high": 0.9, "part": 3, "whole": 4, "families": 4}
    told = accuracy()["calibrate"] | {"stances": {"said_to_train": share, "said_not_to_train": {"part": 0, "whole": 0}}}
    html = shown({"unseen": told})
    assert "said to train on user content: of these, rightly: 75\u00a0% (3 of 4), 20\u00a0% to 90\u00a0%" in html
    assert "said not to train" not in html


def test_what_readers_found_who_judged_what_is_shown_stands_beside_the_figures_whatever_it_is() -> None:
    html = shown(accuracy())
    assert "200 findings drawn at random" in html
    assert "<li>Changes: 83\u00a0% (20 of 24) material, 61\u00a0% (31 of 51) with the right direction" in html
    assert "Read by others" not in shown(OLDER)


def test_the_figures_of_before_are_marked_as_withdrawn_with_the_reason() -> None:
    html = shown(accuracy())
    assert html.index("<h3>Withdrawn</h3>") < html.index("<s>on platforms that nothing was made from: 93")
    assert "they counted only text that somebody had judged" in html


def test_a_service_that_tells_only_the_older_figures_tells_none_that_hold() -> None:
    html = shown(OLDER)
    assert "tells no figures of its accuracy on whole documents" in html
    assert "Do not rely on these older figures, measured on 2026-11-21: they counted only text" in html
    assert "(399 of 430)" in html
    assert html.count("<s>") == 3


def test_labels_that_hold_no_document_of_the_data_are_said_to() -> None:
    html = blocks.accuracy_told(frames.accuracy_frame({}), {"source": "labels", "not_scored": 2}).html
    assert "hold no document that is labelled whole" in html
    assert "2 labels or texts could not be scored" in html


def test_a_service_that_tells_no_figures_is_told_so() -> None:
    for figures in ({}, {"test": 3}, {"test": {"groups": []}}, {"precision": "good"}):
        assert "tells no figures of its accuracy" in shown(figures)
    page = blocks.method({}, extraction={}, figures={}, command="x").html
    assert "tells no accuracy figures" in page


def test_the_method_of_a_report_tells_figures_on_whole_documents_or_that_there_are_none() -> None:
    figures = accuracy()
    page = blocks.method({}, extraction={"figures": figures}, figures={}, command="x").html
    assert "On documents of vendors that nothing was made from, labelled whole, " in page
    for other in (OLDER, {"test": None}, {"test": {"groups": {"all": {"precision": {"value": "good"}, "recall": 3}}}}):
        page = blocks.method({}, extraction={"figures": other}, figures={}, command="x").html
        assert "tells no accuracy figures on whole documents" in page


def test_faults_are_shown_by_kind_and_only_beside_labels() -> None:
    rows = [
        ("training_use", "missed", "aurelia-chat", "Terms", "HIGH", None, None, f"words {n}", "ab" * 32, 1, 8)
        for n in range(3)
    ]
    faults = analysis.faults(frames.faults_frame(rows))
    html = words(blocks.fault_gallery(faults, most=2).html)
    assert "Missed 2 of 3" in html
    assert "words 0" in html
    assert "words 2" not in html
    assert "labels=LABELS" in blocks.fault_gallery(analysis.faults(frames.faults_frame([]))).html


def test_the_noise_is_told_or_said_to_be_unknown() -> None:
    noise = analysis.change_noise(Market(6).changes)
    assert "67 % of 6 recorded steps are noise" in blocks.noise_told(noise).html
    assert "Pro keys only" in blocks.noise_told(None).html
    assert "No change is recorded" in blocks.noise_told(analysis.change_noise(frames.changes_frame([]))).html


def test_the_limits_are_said() -> None:
    html = blocks.limits().html
    assert "Two readers of the same 48 documents" in html
    assert "not what the vendor does" in html


def test_nothing_from_data_leaves_its_place() -> None:
    faults = analysis.faults(
        frames.faults_frame([(HOSTILE, "missed", HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, 1, 2)])
    )
    platform = Market(1).platforms.iloc[0].copy()
    platform["name"] = platform["risk_reason"] = HOSTILE
    findings = frames.findings_frame([finding(HOSTILE)])
    surfaces = {HOSTILE: {"count": 1, "risk": HOSTILE, "decided_by": [findings["finding_id"].iloc[0]]}}
    parts = analysis.rating_parts(frames.surfaces_frame([{"surfaces": surfaces}]), findings, {"weights": {HOSTILE: 3}})
    counts = dict.fromkeys(("measured_on", "rules", "documents", "families", "labels", "firm", "times_scored"), HOSTILE)
    measured = {
        "groups": {HOSTILE: {HOSTILE: 1}, "all": {"precision": {"value": HOSTILE}}},
        "stances": {HOSTILE: HOSTILE},
    }
    withdrawn = {
        "why": HOSTILE,
        "measured_on": HOSTILE,
        "groups": {HOSTILE: {}, "never_seen": {"precision": {"value": 1}}},
    }
    pieces = [
        blocks.fault_gallery(faults),
        blocks.rating_made(platform, parts, findings, mean=1.0, rules=[HOSTILE]),
        blocks.rating_formula({"steps": [HOSTILE], "version": HOSTILE, "weights": {HOSTILE: 1}}),
        blocks.noise_told(analysis.change_noise(frames.changes_frame([{"class": HOSTILE}]))),
        blocks.method({}, extraction={"rating": {"steps": [HOSTILE]}}, figures={}, command=""),
    ]
    for html in (*(piece.html for piece in pieces), shown({"test": measured | counts, "withdrawn": withdrawn})):
        assert "<script" not in html
        assert "<img" not in html


def test_a_page_shows_the_published_formula_and_no_other() -> None:
    page = blocks.method({}, extraction={"rating": published_formula()}, figures={}, command="x").html
    assert "The weighted mean is the sum over surfaces" in page
    assert "does not publish" in blocks.method({}, extraction={}, figures={}, command="x").html
