"""The page of a platform, also when its vendor is hostile."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from riskanalytics.extraction import LeadIn, Reading
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.models import DISCLAIMER
from riskanalytics.service import Store
from riskanalytics.service.pages.platform import inline, quoted
from tests.service.given import PRIVACY, PRIVACY_LATER, PUBLIC_URL, Caller, by_hand, give_readings, lead_on

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


def led_by(text: str, reading: Reading) -> Reading:
    """A reading by hand: a clause led in by the words before it in its paragraph, one by the paragraph above, one by none."""
    if "retain" not in text:
        return reading
    kept = text.index("retain personal")
    inside = LeadIn("We", kept - 3, kept - 1)
    above = LeadIn("This policy tells", text.index("This policy"), text.index(" which"))
    found = (
        lead_on(text, "We do not sell", 0.95, "ads_tracking", lead_in=above),
        lead_on(text, "retain personal data", 0.95, "data_retention", lead_in=inside),
        lead_on(text, "your personal data", 0.9, "ads_tracking"),
    )
    return replace(reading, findings=found, leads=())


@pytest.fixture(scope="module")
def rich(given_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of Aurelia Chat with lead-ins, public copies, stances that differ, related clauses and many changes."""
    database = Path(shutil.copy(given_database, tmp_path_factory.mktemp("rich") / "a.sqlite"))
    give_readings(database, "aurelia-chat", led_by)
    with closing(Store(database)) as store:
        by_surface: dict[str, list[str]] = {}
        for finding in store.findings(store.platform("aurelia-chat") or {}):
            by_surface.setdefault(finding["surface"], []).append(finding["id"])
    (first, second), (licence,) = by_surface["ads_tracking"], by_surface["content_license"]
    with by_hand(database) as writer:
        writer.execute(
            "UPDATE state SET consumer_stance = 'trains_by_default', business_stance = 'does_not_train', documents = "
            "json_set(documents, '$[0].archive_url', 'http://copies.example/1', '$[0].document_url', "
            "'https://aurelia.example/privacy', '$[0].newest_capture_at', '2026-03-09T00:00:00Z', "
            "'$[1].archive_url', 'javascript:alert(1)')"
        )
        writer.execute("UPDATE platform SET website = 'https://aurelia.example' WHERE slug = 'aurelia-chat'")
        writer.execute(
            "UPDATE live_finding SET duplicate_of = ?, conflicts_with = json_array(?, 'gone', ?) WHERE id = ?",
            (first, licence, first, second),
        )
        writer.execute("CREATE TEMP TABLE more AS SELECT * FROM change")
        writer.execute("DELETE FROM change")
        for number, kind in enumerate(
            ["material", "capture_failure", *["revert"] * 20, "wording", "format", "technical"]
        ):
            values = f"{number:02}", kind, "MED" if number == 0 else "HIGH"
            writer.execute("UPDATE more SET id = ?, class = ?, rating_before = 'HIGH', rating_after = ?", values)
            writer.execute("INSERT INTO change SELECT * FROM more")
        writer.execute("UPDATE more SET id = 'other', platform_id = platform_id + 1")
        writer.execute("INSERT INTO change SELECT * FROM more")
    caller = Caller(database)
    yield caller.call("/platform/aurelia-chat", headers=HTML).body.decode()
    caller.close()


def test_a_lead_in_is_shown_once_before_its_quote(rich: str) -> None:
    quotes = re.findall("<blockquote>(.*?)</blockquote>", rich, re.DOTALL)
    assert quotes == [
        "<mark>You grant us a worldwide, perpetual, irrevocable and sublicensable licence to use and adapt your content.</mark>",
        "We <mark>retain personal data</mark> for as long as necessary for the purposes described in this policy.",
        "This policy tells […] <mark>We do not sell</mark> your personal data.",
        "We do not sell <mark>your personal data</mark>.",
        "<mark>We may change these terms at any time in our sole discretion.</mark>",
    ]


def test_each_clause_links_to_its_snapshot_public_copy_live_page_and_related_clauses(rich: str) -> None:
    captions = re.findall("<figcaption>(.*?)</figcaption>", rich, re.DOTALL)
    assert [caption.split(" ")[0] for caption in captions] == ["1", "2", "3", "4", "5"]
    shown = [re.findall(r">([^<>]+)</a>", re.sub("</?code>", "", caption))[1:] for caption in captions]
    both = ["public archive", "live page, if unchanged"]
    assert shown == [[], both, both, [*both, "3", "1", "3"], []]
    start = PRIVACY_LATER.index("your personal data")
    assert (
        f'MED</span> Privacy Policy, <time datetime="2026-03-05T00:00:00Z">2026-03-05</time>, characters {start} to '
        in (captions[3])
    )
    links = re.findall('(?:; |, )([a-z ]*)<a href="#finding-[0-9a-f]{20}">(.)</a>', captions[3])
    assert links == [("same words as ", "3"), ("conflicts with ", "1"), ("", "3")]
    assert '<a href="http://copies.example/1" rel="noreferrer noopener">public archive</a>' in captions[3]
    assert 'href="https://aurelia.example/privacy#:~:text=' in captions[3]
    assert "javascript" not in rich
    snapshots = [re.search(r'of <a href="(.*?)[0-9a-f]{64}"><code>', caption) for caption in captions]
    assert {found and found[1] for found in snapshots} == {f"{PUBLIC_URL}/archive/"}
    assert '<tr><th scope="row">Privacy Policy</th><td>2026-03-05</td>' in rich


def test_the_page_tells_the_stances_of_consumers_and_business_apart(rich: str, caller: Caller) -> None:
    assert "; consumers: trains, no opt-out found; business: does not train</dd>" in rich
    given = caller.call("/platform/aurelia-chat", headers=HTML).body.decode()
    assert "<dt>Training use</dt><dd>Does not train</dd>" in given
    assert '<p class="lead"><span class="level med">◆ MED</span> 5 citations extracted; says that it does not ' in given
    assert "<dt>Evidence</dt><dd>verified, 5 clauses cited</dd>" in given
    machine, report = (f"{PUBLIC_URL}/api/{kind}/aurelia-chat" for kind in ("machine/platform", "verified/export"))
    assert f'<dd><a href="{machine}">JSON</a>, <a href="{report}">compliance report (PDF)</a></dd>' in given
    assert f'<link rel="canonical" href="{PUBLIC_URL}/platform/aurelia-chat">' in given
    assert f'<link rel="alternate" type="application/json" href="{machine}">' in given
    assert "<title>Aurelia Chat: MED &middot; AI platform risk</title>" in given
    assert "<dt>Website</dt>" not in given
    assert "<dt>Website</dt><dd>https://aurelia.example</dd>" in rich
    assert '<dt>Last reviewed</dt><dd><time datetime="2026-03-05">2026-03-05</time></dd>' in given
    for level in ('high">▲ HIGH', 'med">◆ MED', 'low">▼ LOW'):
        assert f'<td><span class="level {level}</span></td>' in given
    for document, day in (("Privacy Policy", "2026-03-05"), ("Terms of Service", "2026-01-10")):
        assert f'<tr><th scope="row">{document}</th><td>{day}</td><td>read</td><td><a href="' in given
    assert "public archive" not in given and "live page" not in given
    row = re.search(r'<tr><th scope="row">Human review</th>\n(.*)\n(.*)</tr>', given)
    assert row is not None
    assert row.groups() == ('<td><span class="quiet">no clause found</span></td>', '<td class="n">0</td>')


def test_the_page_shows_the_newest_changes_and_counts_the_others(rich: str, caller: Caller) -> None:
    rows = re.findall("<tr><td>2026-03-05</td><td>Privacy Policy</td><td>(.*?)</td><td>(.*?)</td></tr>", rich)
    assert [kind for kind, _ in rows] == ["material", "capture failure", *["revert"] * 18]
    assert [said.endswith(". Rating HIGH to MED.") for _, said in rows] == [True, *[False] * 19]
    assert "2 older changes not shown." in rich
    assert "3 other changes in wording, format or capture technique did not affect findings." in rich
    given = caller.call("/platform/aurelia-chat", headers=HTML).body.decode()
    assert "not shown." not in given and "did not affect findings" not in given


def test_one_clause_one_older_change_and_one_other_change_are_named_in_the_singular(
    given_database: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "one.sqlite"))
    with by_hand(database) as writer:
        surfaces = "json_set(surfaces, '$.human_review.state', 'to_read', '$.human_review.to_read', 2)"
        equal = "consumer_stance = 'trains_by_default', business_stance = 'trains_by_default'"
        writer.execute(f"UPDATE state SET citation_count = 1, {equal}, surfaces = {surfaces}")
        writer.execute("CREATE TEMP TABLE more AS SELECT * FROM change")
        for number, kind in enumerate(["revert"] * 20 + ["wording"]):
            writer.execute("UPDATE more SET id = ?, class = ?", (f"{number:02}", kind))
            writer.execute("INSERT INTO change SELECT * FROM more")
    with closing(Caller(database)) as caller:
        page = caller.call("/platform/aurelia-chat", headers=HTML).body.decode()
    assert "<dd>verified, 1 clause cited</dd>" in page
    assert '<p class="quiet">1 older change not shown.</p>' in page
    assert (
        '<p class="quiet">1 other change in wording, format or capture technique did not affect findings.</p>' in page
    )
    assert '<td><span class="quiet">to be read (2 clauses)</span></td>\n<td class="n">0</td></tr>' in page
    assert "<dt>Training use</dt><dd>Does not train</dd>" in page


def test_an_answer_of_language_models_names_them_and_quotes_the_findings_and_leads_that_it_rests_on(
    given_database: Path, tmp_path: Path
) -> None:
    def read(text: str, reading: Reading) -> Reading:
        leads = (lead_on(text, "which rights", 0.6, "training_use"),) if "which rights" in text else ()
        return replace(led_by(text, reading), leads=leads)

    database = Path(shutil.copy(given_database, tmp_path / "read.sqlite"))
    give_readings(database, "aurelia-chat", read)
    pages, by = {}, "json_set(surfaces, '$.training_use.read_by', 'one, two_b')"
    copy = "json_set(documents, '$[1].archive_url', 'https://web.archive.org/web/20260110000000/https://aurelia.example/terms')"
    with closing(Caller(database)) as caller:
        record = caller.call("/api/machine/platform/aurelia-chat").json()
        cited = [record["leads"][0]["id"], record["findings"][1]["id"]]
        for decided in (cited, []):
            with by_hand(database) as writer:
                writer.execute(
                    f"UPDATE state SET surfaces = {by}, documents = {copy}, stance_decided_by = ?",
                    (json.dumps(decided),),
                )
            pages[len(decided)] = caller.call("/platform/aurelia-chat", headers=HTML).body.decode()
        text = caller.call("/platform/aurelia-chat", headers={"accept": "text/markdown"}).body.decode()
    said = "The answer on training use is that of language models (one, two_b), which read all clauses that bear on it"
    head, _, rest = pages[2].partition('<h2 id="surfaces">')
    assert f"{said}. It rests on these:</p>" in head
    assert re.findall("<blockquote>(.*)</blockquote>", head) == ["This policy tells […] We do not sell", "which rights"]
    assert f'{PUBLIC_URL}/archive/{record["findings"][1]["provenance"]["snapshot_sha256"]}"' in head
    assert '<td><span class="quiet">to be read (1 clause)</span></td>\n<td class="n">0</td></tr>' in rest
    # the address of the vendor's page is that of the copy
    assert '<a href="https://aurelia.example/terms#:~:text=' in rest
    assert f"{said} and found none that says whether content trains models.</p>" in pages[0]
    assert "(as language models read the documents: one, two&#95;b)" in text
    assert "\n> We retain personal data\n" in text


def test_the_page_has_headings_tables_and_landmarks_and_no_external_requests(caller: Caller) -> None:
    page, text = Tags(), caller.call("/platform/cafe-lumiere", headers=HTML).body.decode()
    page.feed(text)
    # its level is not known, but it has a clause
    assert (
        '<th scope="row"><a href="#surface-training_use">Training use</a></th>\n<td><span class="quiet">to be read'
        in text
    )
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
    lines = caller.call("/platform/aurelia-chat", headers={"accept": "text/markdown"}).body.decode().splitlines()
    assert lines[2].startswith("Rating **MED**: 5 citations extracted; says that it does not train (Training use), ")
    assert lines[4:7] == [
        "- Training use: Does not train", "- Evidence: verified; last reviewed 2026-03-05",
        f"- Machine record: {PUBLIC_URL}/api/machine/platform/aurelia-chat",
    ]  # fmt: skip
    sources = [line for line in lines if line.startswith("Privacy Policy, 2026-03-05, characters ")]
    assert len(sources) == 3
    assert all(re.search(rf"of {re.escape(PUBLIC_URL)}/archive/[0-9a-f]{{64}}$", line) for line in sources)
    assert DISCLAIMER in lines[-1]
    assert [line for line in lines if line.startswith("## ")] == [
        "## Training use, LOW", "## Data retention, MED", "## Ads and tracking, LOW", "## Content licence, HIGH",
        "## Terms changes, HIGH",
    ]  # fmt: skip


def test_the_page_of_a_platform_that_was_never_read_says_so(caller: Caller) -> None:
    page = caller.call("/platform/northwind-draft", headers=HTML).body.decode()
    assert '<p class="lead"><span class="level unknown">? UNRATED</span> 0 citations extracted</p>' in page
    assert "<dt>Evidence</dt><dd>unverified, 0 clauses cited</dd>" in page
    assert page.count('<td><span class="quiet">not read</span></td>') == 12
    assert "Not read: some documents were not read, and the others contain no clause.</p>" in page
    assert "no clause found</span>" not in page
    assert "<p>No clause found.</p>" in page
    assert "<td>2026-02-02</td><td>not read: the " in page
    assert "<p>No relevant change since the first capture.</p>" in page


def test_a_database_path_never_shows(caller: Caller, given_database: Path) -> None:
    assert str(given_database.parent) not in caller.call("/platform/aurelia-chat", headers=HTML).body.decode()


def test_invisible_characters_are_shown_as_code_points(hostile: Caller) -> None:
    (slug,) = [slug for slug, name in hostile.store.names() if "Evil" in name]
    page = hostile.call(f"/platform/{slug}", headers=HTML).body.decode()
    assert not [letter for letter in page if not letter.isprintable() and letter not in "\n\t"]
    assert "\\u{202E E0041}" in unescape(page) or "\\u{202E}\\u{E0041}" in unescape(page)


def test_markdown_syntax_becomes_references_and_hidden_characters_code_points() -> None:
    assert inline("# [a](b) <i>*c*") == "&#35; &#91;a&#93;(b) &#60;i&#62;&#42;c&#42;"
    for mark in "\\`_{}|~&!":
        assert inline(mark) == f"&#{ord(mark)};"
    assert inline("one\r\n\u2028two") == "one two"
    assert "202E" in inline("a\u202eb")
    assert "\u202e" not in inline("a\u202eb")


def test_a_quote_is_quoted_line_by_line() -> None:
    assert quoted("a\n# b") == "> a\n> &#35; b"
    assert quoted("") == "> "
