"""Quotes checked again: exact, wherever they are told."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_notebook, new_output
from starlette.testclient import TestClient

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.errors import EvidenceError, ParameterError, SettingsError
from riskanalytics.evidence import Pack, pack_of, public_pem, write_pack
from riskanalytics.evidence.verifying import COLUMNS, require_verified
from riskanalytics.frames import rows_of
from riskanalytics.models.provenance import sha256_of
from riskanalytics.models.provenance import verify as checked
from riskanalytics.pages.quoted import packed, unpacked
from riskanalytics.pages.rows import quote
from riskanalytics.pages.section import DETAILS, encode
from riskanalytics.pages.values import PAGE_TYPE, Group, Heading, Parts
from riskanalytics.reporting.execution import contents_of, publish
from riskanalytics.service import Access, Store, create_app
from tests.evidence.conftest import SLUG

STATUSES = "verification_status"


def page_of(parts: Parts, folder: Path, *, pdf: bool = False) -> Path:
    """Publish parts as a page like any other."""
    shown: Parts = (Group((Heading("Clauses", 1),), "header"), *parts)
    result = {DETAILS: {"report": {"title": "Clauses", "name": "clauses"}}}
    output = new_output("display_data", data={PAGE_TYPE: encode(shown)}, metadata=result)
    notebook = new_notebook(cells=[new_code_cell("", outputs=[output])])
    return publish(contents_of(notebook, "page", pdf=pdf), "page", folder)


@pytest.fixture(scope="module")
def findings(client: Client) -> pd.DataFrame:
    """Clauses of one platform, read in their paragraphs."""
    from riskanalytics.dataset.checks import read_findings

    return read_findings(client, ra.load(client, platforms=[SLUG]).findings)


@pytest.fixture(scope="module")
def page(findings: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that shows them, with its PDF beside it."""
    return page_of(tuple(quote(row) for row in rows_of(findings)), tmp_path_factory.mktemp("pages"), pdf=True)


def changed(page: Path, folder: Path, old: str, new: str) -> Path:
    """Return a copy of a page with one thing changed."""
    text = page.read_text(encoding="utf-8")
    assert old in text
    copy = folder / page.name
    copy.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


def records_of(page: Path) -> str:
    """What a page tells machines about its quotes, JSON."""
    found = re.search(r'id="report-quotes">([^<]*)', page.read_text(encoding="utf-8"))
    assert found
    return unpacked(found[1])


def with_records(page: Path, folder: Path, records: str) -> Path:
    """Return a copy of a page with other records of its quotes."""
    text = page.read_text(encoding="utf-8")
    copy = folder / page.name
    copy.write_text(re.sub(r'(id="report-quotes">)[^<]*', rf"\g<1>{packed(records)}", text), encoding="utf-8")
    return copy


def test_the_quotes_of_a_platform_and_of_a_finding_are_verified(client: Client) -> None:
    frame = ra.verify(SLUG, client)
    assert dict(frame.dtypes.astype(str)) == COLUMNS
    assert set(frame[STATUSES]) == {"verified"}
    assert set(frame["snapshot_from"]) == {"source"}
    one = ra.verify(frame["finding_id"].iloc[0], client)
    assert one["quote"].tolist() == [frame["quote"].iloc[0]]


def test_a_page_and_its_pdf_carry_all_their_parts(page: Path, client: Client, findings: pd.DataFrame) -> None:
    shown, printed = ra.verify(page, client), ra.verify(page.with_suffix(".pdf"), client)
    assert set(shown[STATUSES]) == set(printed[STATUSES]) == {"verified"}
    assert set(shown["finding_id"]) == set(printed["finding_id"]) == set(findings["finding_id"])
    assert set(shown["shown"]) == {"whole"}
    assert printed["shown"].isna().all()


def test_a_pack_brings_its_own_snapshots(packed: Path) -> None:
    frame = ra.verify(packed)
    assert set(frame[STATUSES]) == {"verified"}
    assert set(frame["snapshot_from"]) == {"pack"}


def shown_words(page: Path) -> str:
    """The words of the first quote, as they stand in the page's markup."""
    found = re.search(r"<mark>([A-Za-z ,]{30,})", page.read_text(encoding="utf-8"))
    assert found
    return found[1]


def test_one_word_less_in_the_words_shown_is_altered(page: Path, client: Client, tmp_path: Path) -> None:
    words = shown_words(page)
    fewer = words.partition(" ")[2]
    frame = ra.verify(changed(page, tmp_path, f"<mark>{words}", f"<mark>{fewer}"), client)
    assert frame[STATUSES].value_counts().to_dict()["altered"] == 1
    assert frame.loc[frame[STATUSES] == "altered", "shown"].tolist() == ["differs"]


def test_a_quote_taken_off_a_page_is_reported(page: Path, client: Client, tmp_path: Path) -> None:
    found = re.search(r"<blockquote[^>]*data-q=0>.*?</blockquote>", page.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    frame = ra.verify(changed(page, tmp_path, found[0], ""), client)
    assert frame["shown"].tolist()[0] == "not shown"
    assert frame[STATUSES].tolist()[0] == "altered"


def test_a_page_saved_with_other_ends_of_lines_is_the_same_page(page: Path, client: Client, tmp_path: Path) -> None:
    for ends in (b"\r\n", b"\r"):
        (tmp_path / page.name).write_bytes(page.read_bytes().replace(b"\n", ends))
        assert ra.verify(tmp_path / page.name, client).equals(ra.verify(page, client))


def test_a_pdf_that_was_cut_is_refused_or_verified_whole(page: Path, client: Client, tmp_path: Path) -> None:
    body, whole = page.with_suffix(".pdf").read_bytes(), len(ra.verify(page.with_suffix(".pdf"), client))
    copy = tmp_path / "page.pdf"
    for part in range(1, 40):
        copy.write_bytes(body[: len(body) * part // 40])
        try:
            frame = ra.verify(copy, client)
        except EvidenceError as error:
            assert "\n" not in str(error)
        else:
            assert (len(frame), set(frame[STATUSES])) == (whole, {"verified"})


def test_a_page_with_quotes_in_other_elements_is_altered(page: Path, client: Client, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("<blockquote", "<div").replace("</blockquote", "</div")
    (tmp_path / page.name).write_text(text, encoding="utf-8")
    frame = ra.verify(tmp_path / page.name, client)
    assert set(frame["shown"]) == {"not shown"}
    assert set(frame[STATUSES]) == {"altered"}


def test_a_hash_in_capitals_is_the_same_hash(page: Path, client: Client, tmp_path: Path) -> None:
    result = records_of(page)
    sha256 = json.loads(result)["snapshots"][0]["sha256"]
    frame = ra.verify(with_records(page, tmp_path, result.replace(sha256, sha256.upper())), client)
    assert set(frame[STATUSES]) == {"verified"}
    assert sha256 in set(frame["snapshot_sha256"])


@pytest.mark.slow
def test_a_text_under_the_name_of_another_platform_or_document_is_not_confirmed(
    page: Path, client: Client, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    assert set(ra.verify(page, client)["whose"]) == {"confirmed"}
    result = json.loads(records_of(page))
    for text in result["snapshots"]:
        text["slug"] = "alalix-chat"
    forged = with_records(page, tmp_path, json.dumps(result))
    frame = ra.verify(forged, client)
    assert set(frame[STATUSES]) == {"verified"}
    assert set(frame["whose"]) == {"not confirmed"}
    with pytest.raises(EvidenceError, match=r"does not list the texts of .* under the platforms"):
        pack_of(forged, client, key)
    result = json.loads(records_of(page))
    result["snapshots"][0]["document"] = "Enterprise Agreement"
    assert set(ra.verify(with_records(page, tmp_path, json.dumps(result)), client)["whose"]) == {
        "confirmed",
        "not confirmed",
    }


@pytest.mark.slow
def test_texts_of_past_states_are_confirmed(client: Client, tmp_path: Path) -> None:
    newest = set(ra.load(client).findings["snapshot_sha256"])
    past = ra.load(client, "2025-06-30").findings
    rows = rows_of(past[~past["snapshot_sha256"].isin(newest)].head(20))
    assert rows
    frame = ra.verify(page_of(tuple(quote(row) for row in rows), tmp_path), client)
    assert set(frame["whose"]) == {"confirmed"}


def test_another_quote_in_the_records_is_not_verified(page: Path, client: Client, tmp_path: Path) -> None:
    copy = with_records(page, tmp_path, records_of(page).replace('"quote":"', '"quote":"Never ', 1))
    assert ra.verify(copy, client)[STATUSES].tolist()[0] in ("missing", "altered")


def test_different_offsets_show_where_the_words_moved(page: Path, client: Client, tmp_path: Path) -> None:
    result = json.loads(records_of(page))
    result["quotes"][0]["end"] *= 10
    copy = with_records(page, tmp_path, json.dumps(result))
    assert ra.verify(copy, client)[STATUSES].tolist()[0] == "moved"


def test_another_hash_is_unavailable_and_says_no_more(
    page: Path, client: Client, key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    result = records_of(page)
    copy = with_records(page, tmp_path, result.replace(json.loads(result)["snapshots"][0]["sha256"], "0" * 64))
    frame = ra.verify(copy, client, offline=True)
    assert set(frame[STATUSES]) <= {"verified", "unavailable"}
    assert (frame[STATUSES] == "unavailable").any()
    with pytest.raises(EvidenceError, match=r"not all quotes of .* verify \(.*unavailable"):
        pack_of(copy, client, key)


def test_changed_words_on_a_page_are_altered_even_if_their_text_is_unavailable(
    page: Path, client: Client, tmp_path: Path
) -> None:
    words = shown_words(page)
    copy = changed(page, tmp_path, f"<mark>{words}", f"<mark>{words.partition(' ')[2]}")
    result = records_of(copy)
    copy = with_records(copy, tmp_path, re.sub(r'"sha256":"[0-9a-f]{64}"', f'"sha256":"{"0" * 64}"', result))
    frame = ra.verify(copy, client, offline=True)
    assert frame[STATUSES].value_counts()["altered"] == 1
    assert set(frame[STATUSES]) == {"altered", "unavailable"}


@pytest.mark.parametrize(
    "body",
    [b"", b"<html></html>", b"\x00\xff" * 50, b"%PDF-1.7 nothing", b"%PDF-", b"<script type=x id='report-facts'>"],
)
def test_a_file_not_made_by_riskanalytics_is_refused_in_one_line(body: bytes, client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(body)
    with pytest.raises(EvidenceError) as result:
        ra.verify(path, client)
    assert "\n" not in str(result.value)


@pytest.mark.parametrize("record", ["[]", "{}", '{"snapshots":[],"quotes":[{"snapshot":0}]}', "nothing", "[" * 50_000,
    '{"snapshots":[{"sha256":1}],"quotes":[{"snapshot":0,"quote":"x","start":0,"end":1}]}',
    '{"snapshots":[{"sha256":"0"}],"quotes":[{"snapshot":0,"quote":"x","start":"0","end":true}]}',
    '{"snapshots":[{"sha256":"0"}],"quotes":[{"snapshot":0,"quote":"x","start":0,"end":1%s}]}' % ("0" * 30),
    '{"snapshots":[{"sha256":"0"}],"quotes":[{"snapshot":0,"quote":"x","start":-1,"end":1}]}',
    '{"snapshots":[{"sha256":"0"}],"quotes":[{"snapshot":0,"quote":"","start":0,"end":1}]}',
    '{"snapshots":[{"sha256":"0"}],"quotes":[{"snapshot":-1,"quote":"x","start":0,"end":1}]}'])  # fmt: skip
def test_damaged_records_of_a_page_are_refused_in_one_line(
    record: str, page: Path, client: Client, tmp_path: Path
) -> None:
    with pytest.raises(EvidenceError, match="damaged"):
        ra.verify(with_records(page, tmp_path, record), client)


@pytest.mark.parametrize("form", ["{}", "{}A", "A{}", "{}====", "H4sI", "", "{}H4sI"])
def test_records_that_are_not_packed_as_a_page_packs_them_are_refused_in_one_line(
    form: str, page: Path, client: Client, tmp_path: Path
) -> None:
    bomb = gzip.compress(b" " * (65 * 1024 * 1024) + records_of(page).encode())
    text = form.format(base64.b64encode(bomb).decode())
    copy = tmp_path / page.name
    copy.write_text(
        re.sub(r'(id="report-quotes">)[^<]*', rf"\g<1>{text}", page.read_text(encoding="utf-8")), encoding="utf-8"
    )
    with pytest.raises(EvidenceError, match="damaged"):
        ra.verify(copy, client)


def test_missing_parts_are_named(client: Client) -> None:
    with pytest.raises(ParameterError, match="nothing to verify"):
        ra.verify(" ", client)
    for name in ("reports/nothing", "reports\\nothing", "x.HTML", "x.htm", "x.pdf", "x.Zip"):
        with pytest.raises(ParameterError, match="no file"):
            ra.verify(name, client)
    with pytest.raises(ParameterError, match="the newest data have no finding"):
        ra.verify("0" * 20, client)
    with pytest.raises(ParameterError, match="did you mean orvewick-voice"):
        ra.verify("orvewick-vioce", client)


def test_a_pack_is_held_against_the_key_that_is_known(client: Client, pack: Pack, tmp_path: Path) -> None:
    packed = write_pack(pack, tmp_path / "pack.zip")
    (tmp_path / "known.pem").write_bytes(pack.members["public_key.pem"])
    (tmp_path / "line").write_text(pack.key, encoding="utf-8")
    (tmp_path / "other.pem").write_bytes(public_pem(Ed25519PrivateKey.generate()))
    packed = packed.rename(tmp_path / "PACK.ZIP")
    for key in ("known.pem", "line"):
        assert set(ra.verify(packed, key=tmp_path / key)[STATUSES]) == {"verified"}
    with pytest.raises(EvidenceError, match="another key"):
        ra.verify(packed, key=tmp_path / "other.pem")
    with pytest.raises(ParameterError, match="the target is not a pack"):
        ra.verify(SLUG, client, key=tmp_path / "known.pem")
    with pytest.raises(SettingsError, match="cannot be read"):
        ra.verify(packed, key=tmp_path / "none.pem")


def test_quotes_that_do_not_verify_are_counted_by_kind() -> None:
    for statuses, whose, why in (
        (["verified", "hash_mismatch", "missing", "missing"], ["confirmed"] * 4,
         "not all quotes of x verify (2 missing, 1 verified, 1 hash mismatch): run 'riskanalytics verify' to list them"),
        (["verified"] * 2, ["confirmed", "not confirmed"],
         "the source does not list the texts of 1 quote of x under the platforms and documents that they name: "
         "run 'riskanalytics verify' to list them"),
    ):  # fmt: skip
        with pytest.raises(EvidenceError) as error:
            require_verified(pd.DataFrame({STATUSES: statuses, "whose": whose}), "x")
        assert str(error.value) == why
    require_verified(pd.DataFrame({STATUSES: ["verified"], "whose": ["confirmed"]}), "x")


def test_the_compliance_report_of_the_service_is_verified(client: Client, embedded_demo: Path, tmp_path: Path) -> None:
    store = Store(embedded_demo)
    with TestClient(create_app(store, Access.embedded(), public_url="http://testserver")) as served:
        (tmp_path / "report.pdf").write_bytes(served.get(f"/api/verified/export/{SLUG}").content)
    store.close()
    frame = ra.verify(tmp_path / "report.pdf", client)
    assert set(frame[STATUSES]) == {"verified"}
    assert set(frame["slug"]) == {SLUG}


TEXT = "We keep what you write for ten years.\n\nWe do not sell it, and we do not train models on it. We do not."


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_change_of_one_character_in_quote_or_snapshot_is_detected(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT) - 1))
    end = data.draw(st.integers(start + 1, len(TEXT)))
    words, body = TEXT[start:end], TEXT.encode()
    assert checked(words, start, end, sha256_of(body), body) == "verified"
    place = data.draw(st.integers(0, len(words) - 1))
    letter = data.draw(st.characters(exclude_characters=words[place], exclude_categories=["Cs"]))
    head, tail = words[:place], words[place + 1 :]
    for other in (head + letter + tail, head + letter + words[place:], head + tail):
        if other != words:
            assert checked(other, start, end, sha256_of(body), body) != "verified"
    at = data.draw(st.integers(0, len(body) - 1))
    damaged = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
    assert checked(words, start, end, sha256_of(body), damaged) == "hash_mismatch"


@pytest.mark.parametrize(
    "words",
    ["We do sell it, and we do not train models on it.", "We do not sell it […] train models on it.",
     "we do not train models on it. We do not sell it,", "We do not sell it... and we do not train models on it.",
     "we do not sell it, and we do not train models on it."],
)  # fmt: skip
def test_ellipses_reordered_pieces_and_a_dropped_not_fail(words: str) -> None:
    start = TEXT.index("We do not sell")
    body = TEXT.encode()
    assert checked(words, start, start + len(words), sha256_of(body), body) not in ("verified", "moved")


def test_the_records_of_a_page_hold_each_quote_verbatim(page: Path, client: Client) -> None:
    result = json.loads(records_of(page))
    for one in result["quotes"]:
        body = client.snapshot(result["snapshots"][one["snapshot"]]["sha256"])
        assert body.decode()[one["start"] : one["end"]] == one["quote"]


def test_one_altered_copy_of_a_quote_is_reported_although_another_copy_is_whole(
    page: Path, client: Client, tmp_path: Path
) -> None:
    html = page.read_text(encoding="utf-8")
    found = re.search(r"<blockquote[^>]*data-q=0>.*?</blockquote>", html, re.DOTALL)
    assert found
    altered = re.sub("<mark>[A-Za-z]+ ", "<mark>", found[0], count=1)
    for both in (found[0] + altered, altered + found[0]):
        frame = ra.verify(changed(page, tmp_path, found[0], both), client)
        assert frame["shown"].tolist()[0] == "differs"
        assert frame[STATUSES].tolist()[0] == "altered"
