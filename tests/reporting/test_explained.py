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


def told_of(figures: dict[str, Any]) -> dict[str, Any]:
    """What is told of figures that a service records."""
    return load_accuracy(cast("Client", Coverage(figures))).told


class Coverage:
    """A client that tells figures and nothing else."""

    def __init__(self, figures: dict[str, Any]) -> None:
        self.figures = figures

    def coverage(self) -> dict[str, Any]:
        return {"extraction": {"figures": self.figures}}


def test_figures_on_platforms_never_seen_stand_first() -> None:
    figures = accuracy()
    seen = figures["never_seen"]
    html = blocks.accuracy_told(told_of(figures)).html
    assert f"Measured on {seen['measured_on']} in {seen['texts']} texts of {seen['platforms']} platforms from" in html
    assert f"Of {seen['precision']['whole']} judged findings {seen['precision']['part']} (" in html
    assert f"of {seen['recall']['whole']} labelled clauses {seen['recall']['part']} (" in html
    assert f"Of those found, {seen['levels_right']} (" in html
    assert f"Of {seen['lookalikes']} lookalikes, " in html
    assert html.index("chart shows") < html.index("the second measure")
    assert f"each of {figures['vendors_left_out']['families']} families of vendors" in html
    assert "a linear model, learned from written sentences and from documents labelled whole" in html
    assert "a rule or one kind of the model" in html
    assert "Brier score" in html
    assert "expect less" not in html


def test_where_only_vendors_left_out_are_told_these_are_shown() -> None:
    figures = {name: value for name, value in accuracy().items() if name != "never_seen"}
    html = blocks.accuracy_told(told_of(figures)).html
    assert f"Measured on {figures['measured_on']}, on {figures['labelled_clauses']} clauses labelled by hand." in html
    assert "held out in turn" in html
    assert "expect less on texts never seen" in html
    assert "linear model" not in html


def test_figures_on_labels_say_that_the_weights_stay() -> None:
    labels = blocks.accuracy_told({"source": "labels", "families": 2, "labelled_clauses": 5, "not_scored": 2}).html
    assert "Measured against the labels given, on 5 clauses" in labels
    assert "held out in turn" in labels
    assert "learned weights are the package's and are not learned again" in labels
    assert "2 labels or texts could not be scored" in labels


def test_a_service_that_tells_no_figures_is_told_so() -> None:
    assert "no figures of its accuracy" in blocks.accuracy_told({"source": "none"}).html
    assert "no figures of its accuracy" in blocks.accuracy_told(told_of({})).html
    page = blocks.method({}, extraction={}, figures={}, command="x").html
    assert "tells no accuracy figures" in page


def test_the_method_of_a_report_tells_figures_on_platforms_never_seen_where_there_are_any() -> None:
    figures = accuracy()
    page = blocks.method({}, extraction={"figures": figures}, figures={}, command="x").html
    assert "from which no rule was written and no weight learned, " in page
    assert "expect less" not in page
    for other in (None, {}, {"precision": {"value": "good"}, "recall": 3}):
        page = blocks.method({}, extraction={"figures": figures | {"never_seen": other}}, figures={}, command="x").html
        assert "The rules were written with these clauses at hand: expect less on others." in page


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
    unseen = told | dict.fromkeys(("platforms", "texts", "found", "lookalikes", "levels_right"), HOSTILE)
    pieces = [
        blocks.fault_gallery(faults),
        blocks.rating_made(platform, parts, findings, mean=1.0, rules=[HOSTILE]),
        blocks.rating_formula({"steps": [HOSTILE], "version": HOSTILE, "weights": {HOSTILE: 1}}),
        blocks.accuracy_told(told),
        blocks.accuracy_told(unseen | {"measure": "never_seen"}),
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
