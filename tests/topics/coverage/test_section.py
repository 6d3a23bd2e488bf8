"""Coverage on a page: every section takes none, one and many, and nothing from data leaves its place."""

from __future__ import annotations

import re

import pytest

from riskanalytics import analysis
from riskanalytics.frames import CONTRACT_COLUMNS, ENDPOINTS_COLUMNS, frame_of
from riskanalytics.pages.section import Section
from riskanalytics.pages.values import Text
from riskanalytics.topics import quotes
from riskanalytics.topics.coverage import section
from tests.frames_given import CELLS, CHANGES, DOCUMENTS, PLATFORMS, Market, given
from tests.topics.given import read

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}\x1b[31m'\""
NO_DRIFT = analysis.contract_drift(frame_of(CONTRACT_COLUMNS, []))
NO_ENDPOINTS = frame_of(ENDPOINTS_COLUMNS, [])


def made(market: Market) -> list[Section]:
    fresh = analysis.freshness(market.documents, "2026-07-31")
    reasons = analysis.unverified_platforms(market.platforms, market.documents)
    findings = market.findings.assign(confidence=0.6)
    return [
        section.unverified_platforms(reasons, len(market.platforms)),
        section.broken_captures(analysis.broken_captures(fresh, market.changes)),
        section.not_policies(fresh.assign(state="not_a_policy")),
        section.unchanged_documents(fresh),
        section.quiet_platforms(
            analysis.quiet_surfaces(market.cells), analysis.quiet_platforms(market.cells, market.documents)
        ),
        quotes.unsure_findings(analysis.unsure_findings(findings), findings, 0.7),
        quotes.integrity(analysis.integrity(findings, len(findings) + 5), findings),
        section.contract_drift(NO_DRIFT, NO_ENDPOINTS),
    ]


@pytest.mark.parametrize("size", [0, 1, 30])
def test_every_section_takes_none_one_and_many(size: int) -> None:
    for block in made(Market(size)):
        assert block.text
        for tag in ("section", "details", "table", "ul", "div"):
            assert block.html.count(f"<{tag}") == block.html.count(f"</{tag}>")


def test_hostile_words_are_text_everywhere() -> None:
    market = Market(2)
    for frame in (market.platforms, market.documents, market.cells, market.findings, market.changes):
        frame["name"] = HOSTILE
    market.platforms["verification"] = HOSTILE
    market.documents = market.documents.assign(
        document=HOSTILE, state="stale", check=HOSTILE, archive_url="javascript:x"
    )
    market.findings = market.findings.assign(quote=HOSTILE, surface=HOSTILE, document=HOSTILE, archive_url="data:x")
    market.cells = market.cells.assign(surface=HOSTILE, state="quiet")
    drift = frame_of(CONTRACT_COLUMNS, [(HOSTILE, "unknown", HOSTILE, HOSTILE, HOSTILE, 1, 2, HOSTILE)])
    endpoints = frame_of(ENDPOINTS_COLUMNS, [(HOSTILE, 1, HOSTILE, 500)])
    shown = [
        *made(market),
        section.contract_drift(analysis.contract_drift(drift, endpoints), endpoints),
    ]
    for block in shown:
        assert not re.search(r"<(?:script|img)", block.html)
        assert not re.search("[\u202e\x1b]", block.html)
        assert 'href="javascript:' not in block.html


def test_each_platform_that_is_not_verified_has_its_state_and_reason_and_checks_are_explained() -> None:
    platforms = given(PLATFORMS, *({"slug": slug, "verification": "stale"} for slug in ("opal", "tarn")))
    documents = given(
        DOCUMENTS,
        *({"slug": s, "document": "Terms", "state": "stale", "check": "error_page"} for s in ("opal", "tarn")),
    )
    html = section.unverified_platforms(analysis.unverified_platforms(platforms, documents), 8).html
    assert "2 of 8 platforms not verified" in html
    assert html.count("Terms: error page") == 2
    assert "Error page: an error message" in html
    assert read(html).partition("|Reason|")[2].startswith("Opal|stale|Terms: error page|Tarn|stale|Terms: error page|")


def broken(recorded: bool) -> str:
    row = {"slug": "opal", "document": "Terms", "state": "stale", "check": "collapsed", "captured_at": "2026-05-01"}
    fresh = analysis.freshness(given(DOCUMENTS, row | {"newest_capture_at": "2026-07-02"}), "2026-07-31")
    return section.broken_captures(analysis.broken_captures(fresh), recorded=recorded).html


def test_a_gap_without_a_recorded_day_is_described_by_its_latest_day_and_reason() -> None:
    assert "by 2026-07-02" in broken(recorded=True)
    assert "the record does not say since when" in broken(recorded=True)
    assert "with a Pro key only" in broken(recorded=False)


def test_a_break_is_dated_exactly_if_it_is_recorded_and_a_document_without_a_good_text_was_never_read() -> None:
    row = {"document": "Terms", "check": "collapsed", "captured_at": "2026-05-01", "newest_capture_at": "2026-07-02"}
    states = {"opal": "stale", "tarn": "broken", "quill": "not_a_policy", "aurelia": "good"}
    rows = [{"slug": slug, "state": state} | row for slug, state in states.items()]
    rows.append(rows[-1] | {"slug": "old", "captured_at": "2024-05-01"})
    fresh = analysis.freshness(given(DOCUMENTS, *rows), "2026-07-31")
    failure = {"slug": "opal", "document": "Terms", "reviewed_at": "2026-06-10"}
    html = section.broken_captures(analysis.broken_captures(fresh, given(CHANGES, failure))).html
    cells = re.findall(r"<bdi>(\w+)</bdi>.*?>((?:by )?(?:<time>)?2026[-0-9]+).*?(never|2026-05-01)", html, re.DOTALL)
    assert [(name, re.sub("<[^>]+>", "", since), good) for name, since, good in cells] == [
        ("Tarn", "by 2026-07-02", "never"),
        ("Opal", "2026-06-10", "2026-05-01"),
    ]
    assert "“By” before a date" in html
    assert section.not_policies(fresh).text == "1 page not a policy"
    assert re.findall(r"<bdi>(\w+)</bdi>", section.not_policies(fresh).html) == ["Quill"]
    assert 'class="bad">never<' in html
    assert section.freshness(fresh).text == "3 documents need attention"
    late = rows[3] | {"slug": "late", "captured_at": "2026-08-01"}
    attention = section.freshness(analysis.freshness(given(DOCUMENTS, rows[3], late), "2026-07-31"))
    assert attention.text == "1 document needs attention"
    assert read(attention.html).partition("|Text of|")[2] == "Late|Terms|dated after now|2026-08-01|"
    assert read(section.unchanged_documents(fresh).html).endswith("|Days old|Old|Terms|2024-05-01|821|")
    assert section.document_state({"flag": "unchanged", "check": "passed"}) == "long unchanged"
    assert section.document_state({"flag": "no date", "check": "passed"}) == Text("without a date", "bad")


def test_differences_and_documented_additions_are_shown_apart_with_what_was_asked() -> None:
    rows = [
        ("/a", "retyped", "f", "a word", "a number", 2, 5, "opal"),
        ("/b", "addition", "g", "new", "", 1, 1, "tarn"),
    ]
    endpoints = frame_of(ENDPOINTS_COLUMNS, [("/c", 0, "failed", 500), ("/d", 0, "no key", None)])
    made = section.contract_drift(analysis.contract_drift(frame_of(CONTRACT_COLUMNS, [*rows, rows[1]])), endpoints)
    assert made.text == "1 difference in the interface"
    found, _, added = made.html.partition("2 documented additions")
    words = re.sub(r"<[^>]+>|\s+", " ", found)
    assert re.search(r"/a +f +another type +a word +a number +2 of 5 +opal", words)
    assert "/b" not in words
    assert ">/b<" in added
    assert re.search(r"failed\W+HTTP 500", re.sub("<[^>]+>", " ", added))
    assert "not requested: needs a key" in added


def test_each_kind_of_difference_and_each_state_of_an_endpoint_has_its_words() -> None:
    kinds = {"missing": "missing", "retyped": "another type", "unknown": "not known", "unseen": "new value"}
    rows = [("/a", kind, kind, "seen", "", 1, 2, "x") for kind in (*kinds, "lacking")]
    states = [
        ("/b", 3, "compared", 200),
        ("/c", 0, "not shown", 403),
        ("/d", 0, "no key", None),
        ("/e", 0, "failed", None),
        ("/f", 0, "withheld", None),
    ]
    endpoints = frame_of(ENDPOINTS_COLUMNS, states)
    made = section.contract_drift(analysis.contract_drift(frame_of(CONTRACT_COLUMNS, rows), endpoints), endpoints)
    assert made.text == "5 differences in the interface"
    found, added, answers = (part.partition("|Endpoint|")[2] for part in re.split(
        r"(?=\|1 documented addition\||\|Answers that were compared\|)", read(made.html)))  # fmt: skip
    differences = "".join(f"|/a|{kind}|{words}|seen|1 of 2|x" for kind, words in kinds.items())
    assert found.partition("|First seen in|")[2] == f"/e|failed|no answer|an answer|1 of 1{differences}"
    assert added.partition("|First seen in|")[2] == "/a|lacking|not in this service|seen|1 of 2|x"
    assert answers.partition("|State|")[2] == (
        "/b|3|compared (HTTP 200)|/c|0|not shown with this key (HTTP 403)|/d|0|not requested: needs a key|/e|0|failed"
        "|/f|0|withheld|"
    )


def test_old_texts_are_flagged_and_never_called_wrong_and_their_number_is_that_of_the_figure() -> None:
    fresh = analysis.freshness(Market(30).documents, "2026-07-31")
    block = section.unchanged_documents(fresh)
    old = int((fresh["flag"] == "unchanged").sum())
    assert block.text == f"{old} of 60 documents unchanged for more than 365 days"
    assert "its age alone says nothing against it" in block.html
    assert block.html.count("<tr>") == old + 1


def quiet(*counts: int) -> Section:
    """Return the section on platforms with so many quiet surfaces of twelve."""
    cells = given(
        CELLS,
        *(
            {"slug": f"p{n}", "surface": f"s{place}", "state": "quiet" if place < count else "found"}
            for n, count in enumerate(counts)
            for place in range(12)
        ),
    )
    result = analysis.quiet_platforms(cells, given(DOCUMENTS))
    return section.quiet_platforms(analysis.quiet_surfaces(cells), result)


def test_an_unusually_quiet_platform_is_named_with_its_count_and_the_rule_with_its_source() -> None:
    made = quiet(8, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    html = made.html
    assert made.text == "1 platform has unusually many surfaces without a clause"
    assert html.count("1 of 10") == 7  # each surface on which one platform is quiet
    assert html.count("2\xa0% to 40\xa0%") == 7
    assert html.count(" of 12") == 3  # at least the three quietest
    assert '<bdi>P0</bdi><td class="n">8 of 12' in html
    assert (
        "|1 platform has unusually many surfaces without a clause. For the 10 platforms that were read in full or in part, the "
        "median is 1 such surfaces. The score of a platform is how far its number of such surfaces is above this median, divided "
        "by the usual spread of these numbers (the modified z-score; Iglewicz and Hoaglin, 1993); 3.5 or more is unusual."
    ) in read(html)
    assert re.findall(r"<bdi>(P\d+)</bdi><td class=\"n\">8 of 12", quiet(*[8] * 4, *[1] * 20).html) == [
        "P0",
        "P1",
        "P2",
        "P3",
    ]
