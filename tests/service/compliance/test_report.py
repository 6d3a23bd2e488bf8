"""The report as its reader opens it: text, tags, outline, evidence; and hostile platforms."""

from __future__ import annotations

import io
import json
import re
import shutil
import time
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.extraction import Reading, Scope
from riskanalytics.models import DISCLAIMER
from riskanalytics.service.compliance import report
from riskanalytics.service.compliance.report import draft
from riskanalytics.service.wire import Service
from tests.service.given import CAFE, PUBLIC_URL, Caller, by_hand, give_readings, lead_on

pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")
pypdf = pytest.importorskip("pypdf", reason="needs pypdf")


@pytest.fixture(scope="session")
def given_place(given_database: Path) -> Path:
    """One place of the database is enough: the places differ in the store only."""
    return given_database


def opened(body: bytes) -> Any:
    return pypdf.PdfReader(io.BytesIO(body))


def words(body: bytes) -> str:
    """All text of a PDF, white space as single blanks."""
    return " ".join(" ".join(page.extract_text() for page in opened(body).pages).split())


def links(body: bytes) -> set[str]:
    """Addresses that a PDF leads to."""
    notes = [entry.get_object() for page in opened(body).pages for entry in page.get("/Annots", [])]
    return {note["/A"]["/URI"] for note in notes if "/URI" in note.get("/A", {})}


def state_of(caller: Caller, slug: str) -> dict[str, Any]:
    state = caller.store.platform(slug)
    assert state is not None
    return state


def made(caller: Caller, slug: str = "aurelia-chat", **changed: Any) -> bytes:
    return draft(Service(caller.store, PUBLIC_URL), state_of(caller, slug) | changed).pdf()


def roles(node: Any, seen: list[str]) -> list[str]:
    """Roles of a structure tree."""
    node = node.get_object()
    if isinstance(node, list):
        for part in node:
            roles(part, seen)
    elif isinstance(node, dict):
        if "/S" in node:
            seen.append(node["/S"])
        if "/K" in node:
            roles(node["/K"], seen)
    return seen


def test_the_first_page_shows_rating_reason_evidence_date_and_disclaimer(caller: Caller) -> None:
    page = " ".join(opened(made(caller)).pages[0].extract_text().split())
    state = state_of(caller, "aurelia-chat")
    assert "Compliance report: Aurelia Chat" in page
    for part in (state["rating"], state["risk_reason"], "2026-03-05", "verified: ", DISCLAIMER, "2 of 2 read"):
        assert part in page
    assert "does not train" in page
    first, second = state["documents"]
    documents = [first, second | {"newest_capture_at": "2026-04-01T00:00:00Z"}]
    text = words(made(caller, business_stance="trains_by_default", documents=documents))
    assert "2026-01-10 read; newest capture 2026-04-01" in text and text.count("newest capture 2") == 1
    said = ("The documents say that it does not train on user content.", "trains on user content")
    assert re.search(
        rf"As a whole {said[0]} For consumers {said[0]} For businesses The documents say that it {said[1]}", text
    )


def test_every_page_has_its_number_and_the_disclaimer(caller: Caller) -> None:
    reader = opened(made(caller))
    for number, page in enumerate(reader.pages, 1):
        text = " ".join(page.extract_text().split())
        assert f"{number} of {len(reader.pages)}" in text
        assert DISCLAIMER in text


def test_the_pdf_is_tagged_with_table_headers_outline_title_and_language(caller: Caller) -> None:
    reader = opened(made(caller))
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"].startswith("en")
    assert reader.metadata.title == "Compliance report: Aurelia Chat"
    assert reader.metadata.creation_date.date().isoformat() == "2026-03-05"
    outline = [entry.title for entry in reader.outline if not isinstance(entry, list)]
    assert outline[0] == "Summary"
    assert {"Surfaces", "Documents", "Mapping to NIST AI RMF 1.0", "Mapping to ISO/IEC 42001"} <= set(outline)
    tags = roles(root["/StructTreeRoot"]["/K"], [])
    assert {"/H1", "/TH", "/TD", "/Link", "/P"} <= set(tags)
    assert tags.count("/Table") == 6


def test_every_citation_has_quote_offsets_hash_and_address(caller: Caller) -> None:
    body = made(caller)
    text, tight = words(body), re.sub(r"\s", "", words(body))
    findings = caller.call("/api/machine/platform/aurelia-chat").json()["findings"]
    assert len(findings) >= 4
    for finding in findings:
        source = finding["provenance"]
        assert finding["quote"] in text
        assert f"characters {source['start']}–{source['end']}" in text
        assert source["snapshot_sha256"] in tight
        assert re.sub(r"\s", "", source["archive_url"]) in tight
    assert {finding["provenance"]["archive_url"] for finding in findings} <= links(body)


def test_the_attached_evidence_contains_every_quote_verbatim(caller: Caller) -> None:
    (body,) = opened(made(caller, "cafe-lumiere")).attachments["evidence.json"]
    record = json.loads(body)
    assert [row["number"] for row in record["citations"]] == list(range(1, len(record["citations"]) + 1))
    for row in record["citations"]:
        assert CAFE[row["provenance"]["start"] : row["provenance"]["end"]] == row["quote"]


def test_the_summary_tables_and_addresses_of_a_report_are_those_of_the_platform(caller: Caller) -> None:
    drawn = draft(Service(caller.store, PUBLIC_URL), state_of(caller, "aurelia-chat"), date(2026, 3, 31))
    data = drawn.data
    assert (data["day"], data["as_of"], data["last_reviewed"], data["read"]) == (
        "2026-03-05",
        "2026-03-31",
        "2026-03-05",
        [2, 2],
    )
    links = {name: data[name]["link"] for name in ("page", "machine", "archive")}
    assert links == {
        "page": f"{PUBLIC_URL}/platform/aurelia-chat",
        "machine": f"{PUBLIC_URL}/api/machine/platform/aurelia-chat",
        "archive": f"{PUBLIC_URL}/archive/",
    }
    assert [(table["key"], table["tally"]) for table in data["frameworks"]] == [
        ("nist-ai-rmf", [6, 2, 0, 4, 1, 6]), ("iso-42001", [3, 0, 0, 1, 2, 3]),
    ]  # fmt: skip
    assert [(row["surface"], row["risk"]) for row in data["weighty"]] == [
        ("content_license", "HIGH"), ("terms_changes", "HIGH"), ("data_retention", "MED"),
    ]  # fmt: skip
    says = "The documents say that it does not train on user content."
    training = data["training"]
    assert (training["stance"], training["consumer"], training["business"]) == (says, says, "not distinguished")
    assert [row["quote"] for row in training["clauses"]] == ["We do not use your prompts to train our models."]
    rows = {row["name"]: (row["level"], row["count"], row["explanation"], row["numbers"]) for row in data["surfaces"]}
    assert rows["Training use"] == ("LOW", 1, "says that it does not train", [[1, 1]])
    assert rows["Terms changes"] == ("HIGH", 1, "any time", [[5, 5]])
    assert data["surfaces"][-1]["excerpt"] == "“We may change these terms at any time in our sole discretion.”"
    assert rows["Human review"] == ("no clause found", 0, "read, no clause found", [])
    record = json.loads(drawn.evidence)
    assert [record[name] for name in ("platform", "name", "rating", "data_of", "disclaimer")] == [
        "aurelia-chat", "Aurelia Chat", "MED", "2026-03-05T00:00:00Z", DISCLAIMER,
    ]  # fmt: skip
    state = state_of(caller, "aurelia-chat")
    first, second = state["documents"]
    later = state | {"documents": [first, second | {"newest_capture_at": "2026-04-01T00:00:00Z"}]}
    check_facts(drawn)
    drawn = draft(Service(caller.store, PUBLIC_URL), later)
    assert (drawn.data["day"], json.loads(drawn.evidence)["data_of"]) == ("2026-04-01", "2026-04-01T00:00:00Z")


def check_facts(drawn: report.Draft) -> None:
    """The PDF names the day of its state, its count of clauses, its versions, and controls without a citation."""
    text = words(drawn.pdf())
    assert (
        "Shows the state of end of 2026-03-31, UTC Last reviewed 2026-03-05 Use for training The documents say " in text
    )
    assert "Clauses cited 5 This platform online" in text
    assert f"Version of the mapping: {drawn.data['mapping_version']}. Version of the extraction rules: " in text
    assert re.search(r"A\.6 AI system life cycle not assessed no surface [^.]*\. no citation", text)


def several(text: str, reading: Reading) -> Reading:
    """A reading by hand: clauses on one surface, of all levels and not in their order."""
    levels = {"We may change": "LOW", "You grant": "HIGH", "These terms": "MED", "These terms are": "HIGH"}
    if not all(words in text for words in levels):
        return reading
    found = (
        lead_on(text, words, 0.95, "terms_changes", scope=Scope(audience="business") if risk == "LOW" else Scope())
        ._replace(risk=risk, polarity="mitigates_risk" if risk == "LOW" else "raises_risk")
        for words, risk in levels.items()
    )  # fmt: skip
    return replace(reading, findings=tuple(sorted(found, key=lambda finding: finding.start)), leads=())


def test_citations_are_numbered_by_surface_and_severity_and_related_ones_are_named(
    given_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "several.sqlite"))
    give_readings(database, "aurelia-chat", several)
    caller = Caller(database)
    ids = {one["quote"]: one["id"] for one in caller.store.findings(state_of(caller, "aurelia-chat"))}
    related = ids["You grant"], json.dumps([ids["These terms"], ids["We may change"]]), ids["These terms are"]
    with by_hand(database) as writer:
        writer.execute("UPDATE live_finding SET duplicate_of = ?, conflicts_with = ? WHERE id = ?", related)
        # of what it repeats nothing is left
        writer.execute("UPDATE live_finding SET duplicate_of = 'gone' WHERE id = ?", (ids["We may change"],))
    state = state_of(caller, "aurelia-chat")
    by = [ids["These terms"], ids["You grant"]]
    deciding = {"terms_changes": state["surfaces"]["terms_changes"] | {"decided_by": by}}
    state |= {"surfaces": state["surfaces"] | deciding}
    whole = draft(Service(caller.store, PUBLIC_URL), state)
    drawn = whole.data
    monkeypatch.setattr(report, "MOST_PRINTED", 4)
    few = draft(Service(caller.store, PUBLIC_URL), state).data["sections"]
    caller.close()
    assert [[row["number"] for row in section["citations"]] for section in few] == [[], [2], [], [4, 5, 6]]
    assert [section["more"] for section in few] == [1, 0, 1, 1]
    (rows,) = [section["citations"] for section in drawn["sections"] if section["name"] == "Terms changes"]
    assert [(row["number"], row["quote"], row["risk"], row["scope"]) for row in rows] == [
        (4, "You grant", "HIGH", ""), (5, "These terms are", "HIGH", ""), (6, "These terms", "MED", ""),
        (7, "We may change", "LOW", "business"),
    ]  # fmt: skip
    assert [(row["same_as"], row["against"]) for row in rows] == [(None, []), (4, [[6, 7]]), (None, []), (None, [])]
    assert (drawn["total"], drawn["repeated"]) == (7, 1)
    (row,) = [row for row in drawn["surfaces"] if row["name"] == "Terms changes"]
    deciders = [[4, 4], [6, 6]]
    assert (row["numbers"], row["excerpt"]) == (deciders, "“You grant”")
    assert [(row["title"], row["quote"]) for row in drawn["weighty"]] == [
        ("Terms changes", "You grant"), ("Data retention", drawn["sections"][1]["citations"][0]["quote"]),
    ]  # fmt: skip
    based_on = {row["id"]: row["numbers"] for table in drawn["frameworks"] for row in table["rows"]}
    assert (based_on["GOVERN 1.5"], based_on["MEASURE 2.8"], based_on["A.6"]) == (deciders, deciders, [])
    check_printed(whole.pdf(), whole._replace(data=drawn | {"sections": few}).pdf())


def check_printed(whole: bytes, short: bytes) -> None:
    """The annex names related citations by number; only printed ones are links."""
    text = words(whole)
    assert "5 HIGH raises risk; same words as 4; conflicts with 6–7 These terms are" in text
    assert "7 LOW mitigates risk; business We may change" in text
    assert "No clause found in the documents that were read." not in text
    assert "further citations" not in text and "Shows the state of" not in text
    assert "; 7 including word-for-word repetitions" in text
    assert (
        len(re.findall("1 further citation of this surface, of the same or a lower level, is only in", words(short)))
        == 3
    )
    notes = [
        [note.get_object() for page in opened(one).pages for note in page.get("/Annots", [])] for one in (whole, short)
    ]
    inner = [len([note for note in one if "/URI" not in note.get("/A", {})]) for one in notes]
    assert inner[0] > inner[1]


def test_characters_without_a_font_are_counted_by_script_and_the_name_is_unchanged(caller: Caller) -> None:
    text = words(made(caller, "cafe-lumiere"))
    assert "Compliance report: Café Lumière" in text
    assert re.search(r"\[\d+ CJK characters\]", text)


def test_a_platform_without_readable_documents_is_not_assessed_on_any_control(caller: Caller) -> None:
    wanted = draft(Service(caller.store, PUBLIC_URL), state_of(caller, "northwind-draft"))
    assert {row["outcome"] for table in wanted.data["frameworks"] for row in table["rows"]} == {"not assessed"}
    assert {row["level"] for row in wanted.data["surfaces"]} == {"not read"}
    nothing = dict.fromkeys(("stance", "consumer", "business"), "not assessed: a document not read")
    assert wanted.data["training"] == nothing | {"clauses": []}
    text = words(wanted.pdf())
    assert "0 of 1 read" in text
    assert "No clause found in the documents that were read." in text


def test_silent_and_not_assessed_controls_are_shown_and_never_called_passed(caller: Caller) -> None:
    text = words(made(caller))
    assert re.search(r"A\.6\s+AI system life cycle\s+not assessed\s+no surface", text)
    assert re.search(r"A\.5\s+Assessing impacts of AI systems\s+silent", text)
    assert not re.search(r"\b(compliant|passed)\b", text, re.IGNORECASE)


def test_clauses_that_give_no_level_leave_a_surface_undetermined_and_never_silent(caller: Caller) -> None:
    state = state_of(caller, "aurelia-chat")
    quiet = state["surfaces"]["content_license"]
    neutral = quiet | {"state": "found", "risk": None, "count": 1, "decided_by": []}
    service = Service(caller.store, PUBLIC_URL)

    def outcomes(surface: dict[str, Any]) -> set[str]:
        only = {name: one | {"state": "quiet", "risk": None, "count": 0} for name, one in state["surfaces"].items()}
        tables = draft(service, state | {"surfaces": only | {"content_license": surface}}).data["frameworks"]
        return {row["outcome"] for table in tables for row in table["rows"] if "Content licence" in row["surfaces"]}

    assert outcomes(neutral) == {"undetermined"}
    only_leads = {"state": "to_read", "risk": None, "count": 0, "to_read": 2, "decided_by": []}
    assert outcomes(quiet | only_leads) == {"undetermined"}
    assert outcomes(quiet | {"state": "quiet", "risk": None, "count": 0, "decided_by": []}) == {"silent"}


def test_equal_data_give_equal_bytes(caller: Caller) -> None:
    assert made(caller) == made(caller)
    assert made(caller) != made(caller, rating="LOW")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('#eval(read("/etc/passwd"))', '#eval(read("/etc/passwd"))'),
        ("[[[getattr]]] <font color='red'>A</font>", "[[[getattr]]] <font color='red'>A</font>"),
        ("A\r\nSet-Cookie: a=b", "A[U+000D][U+000A]Set-Cookie: a=b"),
        ("abc\u202efdp.exe\x00", "abc[U+202E]fdp.exe[U+0000]"),
        ("A" * 100_000, "(100,000 characters in all)"),
    ],
)
def test_a_hostile_name_is_text(caller: Caller, name: str, shown: str) -> None:
    tight = re.sub(r"\s", "", words(made(caller, name=name)))
    assert re.sub(r"\s", "", shown) in tight


def test_an_address_outside_the_web_is_not_a_link(caller: Caller) -> None:
    body = made(caller, website="javascript:alert(1)")
    assert "javascript:alert(1)" in words(body)
    assert f"{PUBLIC_URL}/platform/aurelia-chat" in links(body)
    assert not [url for url in links(body) if not url.startswith("https://")]


@pytest.mark.slow
def test_ten_thousand_findings_are_quick_and_all_are_in_the_evidence(caller: Caller) -> None:
    state = state_of(caller, "aurelia-chat")
    given = caller.store.findings(state)
    many = [{**given[place % len(given)], "id": f"{place:020x}"} for place in range(10_000)]
    caller.store.findings = lambda _: many
    began = time.monotonic()
    body = made(caller)
    assert time.monotonic() - began < 20
    (evidence,) = opened(body).attachments["evidence.json"]
    assert len(json.loads(evidence)["citations"]) == 10_000
    assert len(opened(body).pages) < report.MOST_PRINTED / 4
    assert "further citations of this surface" in words(body)
