"""Quotes on a page: the clauses of platforms, and the texts that they were quoted from."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from riskanalytics import analysis, frames
from riskanalytics.pages.print import plain
from riskanalytics.topics import quotes as section
from tests.frames_given import Market
from tests.topics.given import HOSTILE, SHA, finding, read


@pytest.mark.parametrize("size", [0, 1, 30])
def test_every_section_takes_none_one_and_many_platforms(size: int) -> None:
    market = Market(size)
    for made in (section.evidence(market.findings, list(market.platforms["slug"])), section.snapshots(market.findings)):
        assert made.text
        assert made.html.count("<details") == made.html.count("</details>")
        assert made.html.count("<table") == made.html.count("</table>")


def test_the_weightiest_clauses_of_a_surface_come_first_and_the_others_are_counted() -> None:
    rows = [
        finding("Low.", risk="LOW"),
        finding("High."),
        finding("Also high."),
        finding("Copy.", duplicate_of="High.-x"),
    ]
    made = section.evidence(frames.findings_frame(rows).assign(slug="a", name="A"), ["a", "b"])
    assert made.text == "2 quotes of 1 platform"
    assert "4 clauses on 1 surface" in made.html
    assert 'id="a-content_license"' in made.html
    assert '<h3>Content licence <span class="thin">2 of 3 clauses shown</span></h3>' in made.html
    assert made.html.index("High.") < made.html.index("Also high.")
    assert "Low." not in made.html
    assert "Copy." not in made.html


def test_every_quoted_text_appears_once_with_its_full_hash_at_its_own_address() -> None:
    findings = frames.findings_frame([finding("One."), finding("Two.")]).assign(name="A")
    made = section.snapshots(findings, findings[:1])
    assert made.text == "1 text quoted"
    assert f'<tr id="text-{SHA[:12]}">' in made.html
    assert made.html.count(f"<code>{SHA}</code>") == 1


def test_nothing_from_data_leaves_its_place() -> None:
    rows = [finding(HOSTILE, HOSTILE, id=HOSTILE, risk=HOSTILE, polarity=HOSTILE)]
    findings = frames.findings_frame(rows).assign(slug=HOSTILE, name=HOSTILE, before=HOSTILE, after=HOSTILE)
    for made in (section.evidence(findings, [HOSTILE]), section.snapshots(findings)):
        assert "<script" not in made.html
        assert "<img" not in made.html
        assert 'href="javascript' not in made.html


def test_clauses_that_raise_risk_weigh_most_then_the_highest_level_then_their_place() -> None:
    rows = [
        ("raises_risk", "HIGH", 2), ("raises_risk", "HIGH", 9), ("raises_risk", "MED", 1), ("raises_risk", "LOW", 1),
        ("raises_risk", "SEVERE", 1), ("neutral", "HIGH", 1), ("mitigates_risk", "HIGH", 2), ("mitigates_risk", "LOW", 1),
    ]  # fmt: skip
    clauses = [dict(zip(("polarity", "risk", "start"), row, strict=True)) for row in rows]
    assert sorted([*clauses[4:], *clauses[1:4], clauses[0]], key=section.clause_weight) == clauses


def test_platforms_keep_the_given_order_and_only_a_high_clause_is_followed_by_a_second() -> None:
    rows = [
        finding("Med.", risk="MED"),
        finding("Also med.", risk="MED"),
        finding("Copy.", "ads_tracking", duplicate_of="x"),
    ]
    both = [frames.findings_frame(rows).assign(slug=slug, name=slug.upper()) for slug in ("a", "b")]
    made = section.evidence(pd.concat(both, ignore_index=True), ["b", "a"])
    assert re.findall('id="platform-(.)"', made.html) == ["b", "a"]
    assert re.findall("<blockquote[^>]*>(.*?)<", made.html) == ["Med.", "Copy."] * 2


def test_quoted_texts_are_listed_by_platform_document_and_day_with_older_versions() -> None:
    places = [("b", "Privacy", 2), ("a", "Terms", 4), ("a", "Terms", 3), ("a", "Privacy", 5)]
    rows = [finding("Words.")] * len(places)
    findings = frames.findings_frame(rows).assign(
        name=[name for name, _, _ in places],
        document=[document for _, document, _ in places],
        captured_at=[pd.Timestamp(2026, 7, day, tz="UTC") for _, _, day in places],
        snapshot_sha256=[f"{day}" * 64 for _, _, day in places],
    )
    made = section.snapshots(findings)
    assert made.text == "4 texts quoted"
    assert re.findall("<code>(.)", made.html) == ["5", "3", "4", "2"]
    unknown = section.snapshots(findings.assign(snapshot_sha256=[None, *findings["snapshot_sha256"][1:]]), findings[:0])
    assert unknown.text == "3 texts quoted"
    assert section.snapshots(findings[:0]).text == "No text was quoted."


def test_the_three_least_certain_findings_of_each_platform_are_shown_and_all_counted() -> None:
    rows = [finding(f"Sure {sure}.", confidence=sure) for sure in (0.6, 0.5, 0.55, 0.65, 0.9)]
    findings = frames.findings_frame(rows).assign(slug="a", name="A", document=list("abcde"))
    below = findings[findings["confidence"] < 0.7]
    made = section.unsure_findings(analysis.unsure_findings(findings), below, 0.7)
    assert re.findall(r"<blockquote[^>]*>Sure (.*?)[.]<", made.html) == ["0.5", "0.55", "0.6"]
    assert "4 findings with a confidence below 0.7 on 1 platform; at most the three least" in made.html
    assert "4 of 5 findings" in made.html
    assert "Content licence |HIGH|confidence 0.50 ·|b · |" in read(made.html)
    assert made.text == "4 findings of low confidence"
    both = pd.concat([findings, findings.assign(slug="b", name="B")], ignore_index=True)
    made = section.unsure_findings(analysis.unsure_findings(both), both[both["confidence"] < 0.6], 0.7)
    assert re.findall("<details[^>]*>", made.html) == ["<details open>", "<details>"]
    assert [len(fold.parts) for fold in made.parts[0].parts[2:]] == [2, 2]  # type: ignore[union-attr]
    none = section.unsure_findings(analysis.unsure_findings(findings[:0]), findings[:0], 0.7)
    assert none.text == "No finding has a confidence below 0.7."


def test_surfaces_of_a_platform_keep_their_order_and_a_quote_its_level_and_record() -> None:
    rows = [finding("Ads.", "ads_tracking", risk="LOW"), finding("We train.", "training_use", risk="MED")]
    places = {"slug": "a", "name": "A", "archive_url": "https://archive.example/1", "verification_status": "verified"}
    (platform,) = section.evidence(frames.findings_frame(rows).assign(**places), ["a"]).parts[0].parts  # type: ignore[union-attr]
    shown = [(group.anchor, group.parts[1]) for group in platform.parts]
    assert [(anchor, quote.words, quote.source[0].word) for anchor, quote in shown] == [
        ("a-training_use", "We train.", "MED"), ("a-ads_tracking", "Ads.", "LOW"),
    ]  # fmt: skip
    assert [quote.evidence.archive_url for _, quote in shown] == ["https://archive.example/1"] * 2
    assert not any("archive" in plain(quote.source) for _, quote in shown)


def test_every_quote_that_did_not_verify_is_shown_and_a_whole_check_is_no_sample() -> None:
    states = ("verified", "verified", "altered", "missing")
    findings = frames.findings_frame([finding(f"{word.title()} {n}.") for n, word in enumerate(states)])
    checked = findings.assign(slug="a", name="A", verification_status=states)
    made = section.integrity(analysis.integrity(checked, 9), checked)
    assert made.text == "2 of 4 quotes verified"
    assert re.findall("<blockquote[^>]*>(.*?)<", made.html) == ["Altered 2.", "Missing 3."]
    how = (
        "verified: the text was fetched, its SHA-256 compared with the recorded one, and the quote read at its offsets."
    )
    assert f"|A random sample of 4 of 9 quotes (always the same sample for the same data) was {how}|" in read(made.html)
    assert re.search('verified<td class="n">2<td class="n">50', made.html)
    assert f"|All 4 quotes were {how}|" in read(section.integrity(analysis.integrity(checked, 4), checked).html)
    assert re.search('altered<td class="n">1<td class="n">25\xa0%<td class="n roomy">5\xa0% to 70\xa0%', made.html)
    many = pd.concat([checked[2:]] * 21, ignore_index=True)
    assert "<summary>2 more quotes</summary>" in section.integrity(analysis.integrity(many, 42), many).html


def test_clauses_that_bind_none_of_the_plans_in_use_are_folded_away() -> None:
    firms = ("data_retention", "ads_tracking")
    rows = [finding("For all."), *(finding("For firms.", surface=one, scope={"audience": "business"}) for one in firms)]
    found = frames.findings_frame(rows).assign(slug="a", name="A")
    assert found["audience"].isna().tolist() == [True, False, False]
    free, team = (
        section.evidence(found, ["a"], pd.DataFrame({"slug": ["a"], "plan": [plan]})) for plan in ("Free", "Team")
    )
    ours, fold, theirs = free.html.partition(
        "<summary>Clauses that bind none of your plans: 2 quotes of 1 platform</summary>"
    )
    assert fold
    assert ("For all." in ours, "For firms." in ours, "For firms." in theirs) == (True, False, True)
    assert free.text == "1 quote of 1 platform"
    assert team.html == section.evidence(found, ["a"]).html
