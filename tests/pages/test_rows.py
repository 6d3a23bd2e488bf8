"""Rows of frames as words of a page."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.frames import findings_frame, rows_of
from riskanalytics.pages.print import plain
from riskanalytics.pages.rows import cut, in_paragraph, rows_table
from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import Paragraph


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
        [finding | {"name": "Opal", "clauses": 1200, "document": None}],
        ("Platform", "name"),
        ("Level", "risk"),
        ("whole:Captured", "captured_at"),
        ("n:Clauses", "clauses"),
        ("Document", "document"),
        ("Twice", lambda row: f"{2 * row['clauses']:,}"),
        anchor=lambda row: f"row-{row['name']}",
    )
    [line] = shown.rows
    assert [plain(cell) for cell in line.cells] == ["Opal", "HIGH", "2026-07-31", "1,200", "", "2,400"]
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
