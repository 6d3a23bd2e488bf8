"""Blocks about the method: what they say with everything known, and with nothing told."""

from __future__ import annotations

import re
from typing import Any

from riskanalytics import analysis, frames
from riskanalytics.extraction import accuracy, published_formula
from riskanalytics.models import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.reporting import blocks
from tests.frames_given import Market
from tests.reporting.test_blocks import HOSTILE, finding


def words(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


def test_every_surface_is_shown_with_what_counts_and_what_does_not() -> None:
    html = words(blocks.surfaces().html)
    for surface, told in SURFACE_DESCRIPTIONS.items():
        assert f"{surface_name(surface)}: {told.question}" in html.replace("&#x27;", "'")
    assert html.count("not counted") == 12


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


def test_the_accuracy_says_where_it_is_from() -> None:
    figures = accuracy()
    recorded = {"source": "recorded", **figures, **figures["vendors_left_out"]}
    html = blocks.accuracy_told(recorded).html
    assert f"Measured on {figures['measured_on']}, on {figures['labelled_clauses']} clauses labelled by hand." in html
    assert "held out in turn" in html
    assert "Brier score" in html
    labels = blocks.accuracy_told({"source": "labels", "labelled_clauses": 5, "not_scored": 2}).html
    assert "Measured against the labels given, on 5 clauses" in labels
    assert "2 labels or texts could not be scored" in labels
    assert "no figures of its accuracy" in blocks.accuracy_told({"source": "none"}).html


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
    assert "labels=FOLDER" in blocks.fault_gallery(analysis.faults(frames.faults_frame([]))).html


def test_the_noise_is_told_or_said_to_be_unknown() -> None:
    noise = analysis.change_noise(Market(6).changes)
    assert "67 % of 6 recorded steps are noise" in blocks.noise_told(noise).html
    assert "Pro keys only" in blocks.noise_told(None).html
    assert "No change is recorded" in blocks.noise_told(analysis.change_noise(frames.changes_frame([]))).html


def test_the_limits_are_said() -> None:
    html = blocks.limits().html
    assert "one reader" in html
    assert "no figure of agreement" in html
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
    told = {"source": "recorded", "measured_on": HOSTILE, "labelled_clauses": HOSTILE, "families": HOSTILE}
    pieces = [
        blocks.fault_gallery(faults),
        blocks.rating_made(platform, parts, findings, mean=1.0, rules=[HOSTILE]),
        blocks.rating_formula({"steps": [HOSTILE], "version": HOSTILE, "weights": {HOSTILE: 1}}),
        blocks.accuracy_told(told),
        blocks.noise_told(analysis.change_noise(frames.changes_frame([{"class": HOSTILE}]))),
        blocks.method({}, extraction={"rating": {"steps": [HOSTILE]}}, figures={}, command=""),
    ]
    for piece in pieces:
        assert "<script" not in piece.html
        assert "<img" not in piece.html


def test_a_page_shows_the_published_formula_and_no_other() -> None:
    page = blocks.method({}, extraction={"rating": published_formula()}, figures={}, command="x").html
    assert "The weighted mean is the sum over surfaces" in page
    assert "does not publish" in blocks.method({}, extraction={}, figures={}, command="x").html
