"""The page of a platform, also when its vendor is hostile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Store
from riskanalytics.service.pages.platform import inline, quoted
from tests.service.given import PRIVACY, Caller, give_readings, lead_on

HTML = {"accept": "text/html", "user-agent": "Mozilla/5.0"}
HOSTILE = '<img src=x onerror="alert(1)"></script><script>alert(2)</script>'


class Tags(HTMLParser):
    """Elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    folder = tmp_path_factory.mktemp("hostile")
    text = PRIVACY.replace("prompts you enter", f"prompts {HOSTILE} you enter")
    path = folder / "set" / "<b>Evil & Co\u202e\U000e0041" / "Privacy [x](javascript:1)" / "2026-01-10.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with open_collection(folder / "set") as collection:
        ingest(collection, folder / "a.sqlite")
    with closing(Store(folder / "a.sqlite")) as store:
        ((slug, _),) = store.names()
    quote = next(line for line in text.splitlines() if HOSTILE in line)
    finding = lead_on(text, quote, 0.95, "training_use", stance="trains_by_default")
    give_readings(folder / "a.sqlite", slug, lambda _, reading: replace(reading, findings=(finding,), leads=()))
    caller = Caller(folder / "a.sqlite")
    yield caller
    caller.close()


def test_the_page_shows_each_quote_in_its_paragraph_with_a_link_to_its_snapshot(caller: Caller) -> None:
    page = caller.call("/platform/aurelia-chat", headers=HTML).body.decode()
    record = caller.call("/api/machine/platform/aurelia-chat").json()
    for finding in record["findings"]:
        assert f'<figure id="finding-{finding["id"]}">' in page
        assert f"/archive/{finding['provenance']['snapshot_sha256']}" in page
    assert page.count("<mark>") == len(record["findings"])
    assert "Privacy Policy</td><td>material" in page
    assert "Does not train" in page


def test_the_page_has_headings_tables_and_landmarks_and_no_external_requests(caller: Caller) -> None:
    page = Tags()
    page.feed(caller.call("/platform/cafe-lumiere", headers=HTML).body.decode())
    tags = [tag for tag, _ in page.seen]
    assert tags.count("h1") == tags.count("main") == tags.count("footer") == 1
    assert {"script", "img", "iframe", "form", "object"}.isdisjoint(tags)
    assert all("scope" in attributes for tag, attributes in page.seen if tag == "th")
    identifiers = [attributes["id"] for _, attributes in page.seen if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    fragments = {
        str(attributes["href"])[1:] for _, attributes in page.seen if str(attributes.get("href", "")).startswith("#")
    }
    assert fragments <= set(identifiers)


def test_a_hostile_record_is_escaped_in_every_form(hostile: Caller) -> None:
    slug = hostile.call("/api/v1/platforms", tier="pro").json()["data"][0]["id"]
    reply = hostile.call(f"/platform/{slug}", headers=HTML)
    page = Tags()
    page.feed(reply.body.decode())
    assert {"script", "img", "b"}.isdisjoint(tag for tag, _ in page.seen)
    assert not any(name.startswith("on") for _, attributes in page.seen for name in attributes)
    assert not any(str(attributes.get("href", "")).startswith("javascript:") for _, attributes in page.seen)
    assert "&lt;img src=x onerror=" in reply.body.decode()
    markdown = hostile.call(f"/platform/{slug}", headers={"accept": "text/markdown"}).body.decode()
    assert not re.search(r"<(?:img|script|b)\b|\]\(javascript:", markdown)
    index = hostile.call("/llms-full.txt").body.decode()
    assert not re.search(r"<b>|\]\(javascript:", index)
    for text in (markdown, index):
        assert "Co\\u{202E}\\u{E0041}" in unescape(text)
        assert not re.search("[\u202a-\u202e\U000e0000-\U000e007f]", text)


def test_the_policy_of_the_page_allows_its_own_style_only(caller: Caller) -> None:
    reply = caller.call("/platform/aurelia-chat", headers=HTML)
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert reply.headers["vary"] == "Accept, User-Agent, Accept-Encoding, Origin"


def test_the_markdown_form_contains_every_quote_with_its_offsets(caller: Caller) -> None:
    reply = caller.call("/platform/cafe-lumiere", headers={"accept": "text/markdown"})
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    text = reply.body.decode()
    assert text.startswith("# Café Lumière\n")
    for finding in caller.call("/api/machine/platform/cafe-lumiere").json()["findings"]:
        source = finding["provenance"]
        assert "> " + finding["quote"] in text
        assert f"characters {source['start']} to {source['end']} of" in text


def test_the_page_of_a_platform_that_was_never_read_says_so(caller: Caller) -> None:
    page = caller.call("/platform/northwind-draft", headers=HTML).body.decode()
    assert "UNRATED" in page
    assert "not read" in page
    assert "nothing found</span>" not in page


def test_a_database_path_never_shows(caller: Caller, given_database: Path) -> None:
    assert str(given_database.parent) not in caller.call("/platform/aurelia-chat", headers=HTML).body.decode()


def test_invisible_characters_are_shown_as_code_points(hostile: Caller) -> None:
    (slug,) = [slug for slug, name in hostile.store.names() if "Evil" in name]
    page = hostile.call(f"/platform/{slug}", headers=HTML).body.decode()
    assert not [letter for letter in page if not letter.isprintable() and letter not in "\n\t"]
    assert "\\u{202E E0041}" in unescape(page) or "\\u{202E}\\u{E0041}" in unescape(page)


def test_markdown_syntax_becomes_references_and_hidden_characters_code_points() -> None:
    assert inline("# [a](b) <i>*c*") == "&#35; &#91;a&#93;(b) &#60;i&#62;&#42;c&#42;"
    assert inline("one\r\n\u2028two") == "one two"
    assert "202E" in inline("a\u202eb")
    assert "\u202e" not in inline("a\u202eb")


def test_a_quote_is_quoted_line_by_line() -> None:
    assert quoted("a\n# b") == "> a\n> &#35; b"
    assert quoted("") == "> "
