"""Declarations of an archive tell from which page each document is captured."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.errors import IngestError
from riskanalytics.ingest import declared_pages, ingest, open_collection
from riskanalytics.service.store.read import Store
from tests.service.given import TERMS


def _declared(folder: Path, **services: object) -> Path:
    (folder / "declarations").mkdir(parents=True)
    for name, result in services.items():
        (folder / "declarations" / f"{name}.json").write_text(json.dumps(result), encoding="utf-8")
    return folder


def test_a_document_of_one_page_has_its_address_and_one_of_several_has_none(tmp_path: Path) -> None:
    one, two = {"fetch": "https://a.example/one"}, {"fetch": "https://a.example/two"}
    terms = {"Terms": one, "Both": {"combine": [one, two]}, "Parts": {"combine": [one, {"select": "p"}, one]}}
    terms |= {"Mixed": one | {"combine": [{"select": "p"}, two]}, "Own": one | {"combine": [{"select": "p"}]}}
    hostile = {"Script": {"fetch": "javascript:alert(1)"}, "Number": {"fetch": 3}, "Other": {"fetch": "httpx://a"}}
    folder = _declared(tmp_path, Acme={"terms": terms | hostile}, Old={"documents": {"Terms": two}})
    (folder / "declarations" / "Acme.history.json").write_text("{", encoding="utf-8")
    (folder / "declarations" / "Marked.json").write_text(
        '\ufeff{"terms": {"A": {"fetch": "http://m.example"}}}', "utf-8"
    )
    result = {
        ("Acme", "Terms"): "https://a.example/one",
        ("Acme", "Parts"): "https://a.example/one",
        ("Acme", "Own"): "https://a.example/one",
        ("Old", "Terms"): "https://a.example/two",
        ("Marked", "A"): "http://m.example",
    }
    assert declared_pages(folder) == result
    assert declared_pages(folder / "declarations") == result


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00", '{"terms": 3}', '{"terms": {"Terms": []}}'])
def test_an_invalid_declaration_is_refused_in_one_line_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "Acme.json").write_text(text, encoding="utf-8")
    with pytest.raises(IngestError, match=r"Acme\.json") as refused:
        declared_pages(tmp_path)
    assert "\n" not in str(refused.value)
    with pytest.raises(IngestError, match="contains no declarations like"):
        declared_pages(tmp_path / "nowhere")


def test_findings_name_the_page_of_their_document_even_if_it_is_reported_later(tmp_path: Path) -> None:
    file = tmp_path / "coll" / "Acme" / "Terms of Service" / "2026-01-01.md"
    file.parent.mkdir(parents=True)
    file.write_text(TERMS, encoding="utf-8")
    database = tmp_path / "a.sqlite"
    folder = _declared(tmp_path / "told", Acme={"terms": {"Terms of Service": {"fetch": "https://a.example/terms"}}})

    def pages() -> set[object]:
        with closing(Store(database)) as store:
            state = store.platform("acme")
            assert state is not None
            assert state["documents"][0]["document_url"] == (expected or None)
            return {finding["provenance"]["document_url"] for finding in store.findings(state)}

    expected = ""
    with open_collection(tmp_path / "coll") as collection:
        ingest(collection, database)
    assert pages() == {None}
    expected = "https://a.example/terms"
    for reviewed in (1, 0):
        with open_collection(tmp_path / "coll") as collection:
            collection.pages = declared_pages(folder)
            assert ingest(collection, database).reviewed == reviewed
    assert pages() == {expected}
    expected = ""
    folder = _declared(
        tmp_path / "withdrawn", Acme={"terms": {"Privacy Policy": {"fetch": "https://a.example/privacy"}}}
    )
    with open_collection(tmp_path / "coll") as collection:
        collection.pages = declared_pages(folder)
        ingest(collection, database)
    assert pages() == {None}
