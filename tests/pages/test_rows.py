"""Rows of frames as words of a page."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics.frames import findings_frame, rows_of
from riskanalytics.pages.print import plain
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import (
    below,
    clause_facts,
    cut,
    day,
    first_shown,
    frame_table,
    grouped,
    in_paragraph,
    level,
    question,
    quote,
    rows_table,
    source,
    verification,
    written,
)
from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import BREAK, Column, Fold, Level, Link, Paragraph, Row, Text, Words
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

FOUND: dict[str, Any] = {
    "finding_id": "ab:1/2-34567890", "quote": "We **sell** it.", "snapshot_sha256": "ab" * 32, "start": 1200, "end": 1215,
    "document": "Terms", "captured_at": pd.Timestamp("2026-07-31T23:30:00Z"), "archive_url": "https://archive.example/1",
    "live_url": "https://opal.example/terms", "verification_status": "hash_mismatch", "polarity": "mitigates_risk",
    "confidence": 0.9, "confidence_low": 0.8, "confidence_high": 0.95, "audience": "business", "region": None, "product": "API",
}  # fmt: skip


def row(start: int, **more: Any) -> dict[str, Any]:
    """The row of a finding that continues a line which ends at character 33."""
    lead_in = {"quote": "**We share** your data:", "start": 10, "end": 33}
    record = {
        "id": "f",
        "quote": "with vendors;",
        "lead_in": lead_in,
        "provenance": {"start": start, "end": start + 13},
    }
    [result] = rows_of(findings_frame([record]))
    return result | more


@pytest.mark.parametrize(
    ("start", "shown"),
    [(39, "We share your data: with vendors;"), (90, "We share your data: […] with vendors;")],
)
def test_a_quote_follows_its_lead_in_with_a_mark_where_text_is_omitted(start: int, shown: str) -> None:
    assert plain(in_paragraph(row(start))) == shown


def test_text_shown_in_the_paragraph_is_not_repeated() -> None:
    before = "We share your data:\n\n*   "
    assert plain(in_paragraph(row(34, before=before, after=""))) == f"{before}with vendors;"
    between = "and your friends' data\n\n*   "
    assert plain(in_paragraph(row(33 + len(between), before=between, after=""))).startswith(
        "We share your data: […] and your"
    )


def test_a_server_that_reports_no_lead_in_or_a_lead_in_without_offsets_is_read() -> None:
    [alone] = rows_of(findings_frame([{"id": "f", "quote": "We keep logs."}]))
    assert plain(in_paragraph(alone)) == "We keep logs."
    [unplaced] = rows_of(findings_frame([{"id": "f", "quote": "to run it.", "lead_in": {"quote": "We keep logs"}}]))
    assert plain(in_paragraph(unplaced)) == "We keep logs […] to run it."


def test_a_table_shows_each_column_of_its_rows_as_what_it_is() -> None:
    [finding] = rows_of(
        findings_frame([{"id": "f", "risk": "HIGH", "provenance": {"captured_at": "2026-07-31T10:00:00Z"}}])
    )
    shown = rows_table(
        "Clauses",
        [
            finding
            | {"name": "Opal", "clauses": 1200, "document": None, "surface": "training_use", "level_rating": None}
        ],
        ("Platform", "name"),
        ("Level", "risk"),
        ("whole:Captured", "captured_at"),
        ("n:Clauses", "clauses"),
        ("Document", "document"),
        ("Surface", "surface"),
        ("Rating", "level_rating"),
        ("Twice", lambda row: f"{2 * row['clauses']:,}"),
        anchor=lambda row: f"row-{row['name']}",
    )
    [line] = shown.rows
    assert [plain(cell) for cell in line.cells] == [
        "Opal", "HIGH", "2026-07-31", "1,200", "", "Training use", "?", "2,400",
    ]  # fmt: skip
    assert (line.cells[0], line.cells[1], line.cells[6]) == (Text("Opal", "name"), Level("HIGH"), Level("not known"))
    assert (line.anchor, shown.caption) == ("row-Opal", "Clauses")
    assert [(column.title, column.style) for column in shown.columns][2:4] == [("Captured", "whole"), ("Clauses", "n")]


def test_names_beyond_the_first_are_counted_on_the_page_and_listed_for_saved_tables_only() -> None:
    words = cut(["Aurelia", "Lumen", "Tarn"], 1)
    assert plain(words) == "Aurelia and 2 more"
    assert html_of((Paragraph(words),)).endswith(
        '<span class="more"> and 2 more</span><span class="rest">, Lumen, Tarn</span></p>'
    )


def test_a_paragraph_that_begins_with_the_lead_in_shows_it_once() -> None:
    before = "**We share** your data:\n"
    assert plain(in_paragraph(row(34, before=before, after=""))) == "We share your data:\nwith vendors;"


def links(words: Words) -> list[Link]:
    """All links in some words."""
    if isinstance(words, Link):
        return [words]
    inner = words.words if isinstance(words, Text) else words
    return [link for part in inner for link in links(part)] if isinstance(inner, tuple) else []


def test_a_quote_has_its_document_day_hash_place_addresses_and_check_below_it() -> None:
    facts = "Terms · 2026-07-31 · abababababab · characters 1,200–1,215 · archive · "
    assert plain(source(FOUND)).startswith(facts)
    assert plain(source(FOUND)).endswith(" · not verified: hash mismatch")
    inside, archive, live = links(source(FOUND))
    assert (inside.to, archive.to, live.to) == ("#text-abababababab", FOUND["archive_url"], FOUND["live_url"])
    assert [link.apart for link in links(source(FOUND, alone=True))] == [True, True]
    assert plain(source({"document": "Terms", "start": 4, "end": None, "archive_url": "http://10.0.0.1/"})) == (
        "Terms · not verified: not checked"
    )


def test_a_quote_is_between_its_mark_and_more_and_has_an_anchor_on_a_page_only() -> None:
    made = quote(FOUND, mark=level("HIGH"), more=below("more"))
    assert (plain(made.words), made.anchor, made.evidence) == (
        "We sell it.",
        "finding-ab-1-2-34567",
        evidence_of(FOUND),
    )
    assert plain(made.source) == f"HIGH {plain(source(FOUND))}\nmore"
    assert quote(FOUND, alone=True).anchor == ""


@pytest.mark.parametrize(("before", "after"), [("First. ", ""), ("", " Last."), ("First. ", " Last.")])
def test_the_paragraph_of_a_quote_is_shown_whole_with_the_quote_marked(before: str, after: str) -> None:
    words = in_paragraph(FOUND | {"before": before, "after": after})
    assert words == (Text(before, "around"), Text("We sell it.", "mark"), Text(after, "around"))


def test_only_a_verified_quote_is_said_to_be_verified() -> None:
    said = [plain(verification(status)) for status in (None, "verified", "altered", "unavailable")]
    assert said == ["not verified: not checked", "verified", "not verified: altered", "not verified: unavailable"]


def test_the_facts_of_a_clause_are_its_effect_confidence_and_limits() -> None:
    facts = "protective · confidence 0.90 (0.80 to 0.95) · audience: business · product: API"
    assert plain(clause_facts(FOUND)) == facts
    assert plain(clause_facts(FOUND, decides=True)) == f"decides · {facts}"
    bare = {"polarity": "neutral", "confidence_low": 0.8, "confidence_high": 0.9}
    assert plain(clause_facts(bare)) == ""
    assert plain(clause_facts(bare | {"confidence": 0.5, "confidence_low": None})) == "confidence 0.50"


def test_values_are_written_for_readers() -> None:
    late = pd.Timestamp("2026-07-31T23:30:00Z")
    values = (None, late, True, False, -0.256, 0.256, 1.0, -5.55, 12345.67, 1200, "x", float("nan"))
    assert [written(value) for value in values] == [
        "", "2026-07-31", "yes", "no", "-0.256", "0.256", "1.0", "-5.5", "12,345.7", "1,200", "x", "",
    ]  # fmt: skip
    assert [day(value) for value in (None, pd.NaT, late, "2026-07-31T23:30:00Z")] == [
        "",
        "",
        "2026-07-31",
        "2026-07-31",
    ]
    assert [level(value) for value in ("LOW", None)] == [Level("LOW"), Level("not known")]
    assert [question(surface) for surface in ("training_use", "voice")] == [
        SURFACE_DESCRIPTIONS["training_use"].question,
        "",
    ]
    assert below("") == ""
    assert below("b") == (BREAK, Text("b", "meta"))


def test_a_frame_and_a_list_say_what_they_leave_out() -> None:
    frame = pd.DataFrame({"risk_level": ["a", "b", "c"], "n": [1, 2, 3], "deep": [[1], [2], [3]]}).astype(
        {"risk_level": "str"}
    )
    shown = frame_table(frame, 2)
    assert shown.rows == (Row(("a", "1")), Row(("b", "2")))
    assert shown.columns == (Column("risk level"), Column("n", "n"))
    assert (shown.left_out, frame_table(frame, 3).left_out, frame_table(frame, 4).left_out) == (1, 0, 0)
    rows = rows_table("Clauses", frame.to_dict("records"), ("N", "n"), most=1)  # type: ignore[arg-type]
    assert (rows.rows, rows.left_out) == ((Row(("1",)),), 2)
    one, two, three = (Paragraph(word) for word in ("one", "two", "three"))
    assert first_shown([one, two, three], 1, "more entry", "more entries") == (
        one,
        Fold("2 more entries", (two, three), "keep"),
    )
    assert first_shown([one], 1, "more clause") == (one,)


def test_rows_are_grouped_in_order_of_appearance_and_none_is_lost() -> None:
    rows = [{"key": key, "n": n} for n, key in enumerate("bab")]
    groups = [("b", [rows[0], rows[2]]), ("a", [rows[1]])]
    assert list(grouped(rows, "key").items()) == list(grouped(rows, lambda row: str(row["key"])).items()) == groups
