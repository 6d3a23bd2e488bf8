"""What a page tells machines about its quotes."""

from __future__ import annotations

import base64

import pandas as pd
import pytest

from riskanalytics.pages.quoted import Quoted, evidence_of, packed, unpacked
from riskanalytics.pages.section import decode, encode, html_of, live_html_of
from riskanalytics.pages.values import Evidence, Quote

ROW = {
    "quote": "We keep **all** of it.",
    "snapshot_sha256": "ab" * 32,
    "start": 4,
    "end": 26,
    "finding_id": "f1",
    "slug": "vellumo",
    "surface": "data_retention",
    "document": "Terms",
    "captured_at": pd.Timestamp("2026-03-01T12:00:00Z"),
    "archive_url": "https://archive.example/1",
}


def test_a_row_gives_its_quote_verbatim_with_its_place() -> None:
    assert evidence_of(ROW) == Evidence(
        "We keep **all** of it.", "ab" * 32, 4, 26, "f1", "vellumo", "data_retention", "Terms",
        "2026-03-01T12:00:00Z", "https://archive.example/1",
    )  # fmt: skip


@pytest.mark.parametrize("missing", ["quote", "snapshot_sha256", "start", "end"])
def test_a_row_without_its_place_names_none(missing: str) -> None:
    assert evidence_of({**ROW, missing: None}) is None


@pytest.mark.parametrize("offset", ["four", [4], {}, 4.5, float("inf")])
def test_missing_offsets_name_no_place(offset: object) -> None:
    assert evidence_of({**ROW, "start": offset}) is None


@pytest.mark.parametrize(
    "address", ["https://embedded.localhost/archive/1", "javascript:alert(1)", "http://10.0.0.1/", None]
)
def test_an_address_that_nobody_else_can_reach_is_left_out(address: object) -> None:
    result = evidence_of({**ROW, "archive_url": address})
    assert result is not None
    assert result.archive_url == ""


def test_each_quote_names_its_record_and_the_same_quote_the_same() -> None:
    one, other = evidence_of(ROW), evidence_of({**ROW, "start": 40, "end": 62})
    quoted = Quoted()
    parts = tuple(Quote("We keep all of it.", evidence=result) for result in (one, other, one, None))
    html = html_of(parts, quoted=quoted)
    assert [html.count(f"<blockquote data-q={number}>") for number in range(3)] == [2, 1, 0]
    assert html.count("<blockquote>") == 1
    record = quoted.record()
    place = {"snapshot": 0, "quote": "We keep **all** of it.", "finding_id": "f1", "surface": "data_retention"}
    assert record["quotes"] == [place | {"start": 4, "end": 26}, place | {"start": 40, "end": 62}]
    text = {"sha256": "ab" * 32, "slug": "vellumo", "document": "Terms", "captured_at": "2026-03-01T12:00:00Z"}
    assert record["snapshots"] == [text | {"archive_url": "https://archive.example/1"}]
    fourth = evidence_of({**ROW, "snapshot_sha256": "cd" * 32, "archive_url": None})
    assert fourth is not None
    assert (quoted(fourth), len(quoted)) == (2, 3)
    later = quoted.record()
    assert [one["snapshot"] for one in later["quotes"]] == [0, 0, 1]  # type: ignore[attr-defined]
    assert later["snapshots"] == [*record["snapshots"], text | {"sha256": "cd" * 32, "archive_url": ""}]  # type: ignore[misc]


def test_the_lead_in_of_a_quote_is_recorded_if_it_has_one() -> None:
    quoted = Quoted()
    led = evidence_of({**ROW, "lead_in": "We keep:"})
    assert led is not None
    html_of((Quote("We keep all of it.", evidence=led),), quoted=quoted)
    assert [one["lead_in"] for one in quoted.record()["quotes"]] == ["We keep:"]  # type: ignore[attr-defined]


def test_a_quote_in_a_notebook_alone_names_no_record() -> None:
    assert "data-q" not in live_html_of((Quote("We keep all of it.", evidence=evidence_of(ROW)),))


def test_the_context_of_a_quote_travels_in_the_notebook() -> None:
    parts = (Quote("We keep all of it.", evidence=evidence_of(ROW)),)
    assert decode(encode(parts)) == parts


def test_damaged_cut_or_extended_records_are_refused() -> None:
    whole = base64.b64decode(packed("We keep it."))
    assert unpacked(base64.b64encode(whole).decode()) == "We keep it."
    for body, said in (
        (b"x" + whole, "are damaged"),
        (whole[:-1], "are incomplete"),
        (whole + b"x", "have extra bytes"),
    ):
        with pytest.raises(ValueError, match=said):
            unpacked(base64.b64encode(body).decode())
    with pytest.raises(ValueError, match="base64"):
        unpacked(f"!{packed('We keep it.')}")
    with pytest.raises(ValueError, match="unpack to more than 64 MiB"):
        unpacked(packed("x" * ((64 << 20) + 1)))
