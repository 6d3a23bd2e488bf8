"""The method on a page: surfaces, faults, noise and limits, with everything known and with nothing told."""

from __future__ import annotations

import re
from html import unescape

from riskanalytics import analysis, frames
from riskanalytics.pages.print import plain
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name
from riskanalytics.topics.method import section
from tests.frames_given import Market
from tests.topics.given import read

HOSTILE = "</blockquote><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}\x1b[31m"


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_every_surface_is_shown_with_what_counts_and_what_does_not() -> None:
    html = words(section.surfaces().html)
    for surface, result in SURFACE_DESCRIPTIONS.items():
        assert f"{surface_name(surface)}: {result.question}" in html
    assert html.count("not counted") == len(SURFACES)
    folds = section.surfaces().parts[0].parts[1:]  # type: ignore[union-attr]
    for fold, known in zip(folds, SURFACE_DESCRIPTIONS.values(), strict=True):
        rows = [tuple(map(plain, row.cells)) for row in fold.parts[0].rows]
        assert rows == [
            ("HIGH", known.high),
            ("MED", known.med),
            ("LOW", known.low),
            ("not counted", known.not_counted),
        ]


def test_errors_are_shown_by_kind_and_only_with_labels() -> None:
    rows = [
        ("training_use", "missed", "aurelia-chat", "Terms", "HIGH", None, None, f"words {n}", "ab" * 32, 1, 8)
        for n in range(3)
    ]
    faults = analysis.extraction_errors(frames.frame_of(frames.FAULTS_COLUMNS, rows))
    html = words(section.extraction_errors(faults, most=2).html)
    assert "Missed 2 of 3" in html
    assert "words 0" in html
    assert "words 2" not in html
    assert "Missed 3A reader" in words(section.extraction_errors(faults, most=3).html)
    level = [(*rows[0][:1], "level", *rows[0][2:4], "HIGH", "LOW", "by-hand", *rows[0][7:])]
    html = section.extraction_errors(analysis.extraction_errors(frames.frame_of(frames.FAULTS_COLUMNS, level))).html
    assert "Training use labelled HIGH found LOW by by-hand" in words(html)
    kinds = read(html)
    assert "|Missed |0|A reader labelled these clauses; the program found nothing in them.|None.|" in kinds
    assert (
        "|False alarms |0|The program found these clauses; a reader says that they are not about the surface.|None."
        in kinds
    )
    assert "|Different level |1|The program rated these clauses higher or lower than the reader.|Training use|" in kinds
    assert "|words 0|aurelia-chat · Terms · |abababababab|· characters 1–8|" in kinds
    assert (
        "labels=LABELS"
        in section.extraction_errors(analysis.extraction_errors(frames.frame_of(frames.FAULTS_COLUMNS, []))).html
    )


def test_the_share_of_noise_is_stated_or_reported_as_unknown() -> None:
    noise = analysis.change_noise(Market(6).changes)
    assert "67\u00a0% of 6 recorded changes are noise" in section.change_noise(noise).html
    one = section.change_noise(analysis.change_noise(frames.changes_frame([{"class": "format"}])))
    assert one.text == "100\xa0% of 1 recorded change is noise"
    rows = [tuple(map(plain, row.cells)) for row in one.parts[0].parts[1].rows]  # type: ignore[union-attr]
    assert [(name, meaning[:31]) for name, meaning in rows] == [
        ("material", "a finding was added or removed,"), ("wording", "statements differ, but no findi"),
        ("format", "only links, punctuation, dates "), ("revert", "the document went back to an ea"),
        ("capture failure", "the captured page was broken, a"), ("technical", "the archive changed how it read"),
    ]  # fmt: skip
    assert "with a Pro key only" in section.change_noise(None).html
    assert "No change is recorded" in section.change_noise(analysis.change_noise(frames.changes_frame([]))).html


def test_the_limits_are_stated() -> None:
    html = section.limits().html
    assert "Two readers of the same 48 documents" in html
    assert "not what the vendor does" in html


def test_nothing_from_data_leaves_its_place() -> None:
    faults = analysis.extraction_errors(
        frames.frame_of(
            frames.FAULTS_COLUMNS,
            [(HOSTILE, "missed", HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, 1, 2)],
        )
    )
    pieces = [
        section.extraction_errors(faults),
        section.change_noise(analysis.change_noise(frames.changes_frame([{"class": HOSTILE}]))),
    ]
    for piece in pieces:
        assert not re.search(r"<(?:script|img)", piece.html)
        assert not re.search("[\u202e\x1b]", piece.html)
