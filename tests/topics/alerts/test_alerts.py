"""Alerts: their sentences, quotes and identifiers, and how they look as a feed and as mail."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from riskanalytics.frames import FINDINGS_COLUMNS, dates_frame
from riskanalytics.topics.alerts import ALERT_COLUMNS, alerts, as_atom, as_mail
from riskanalytics.topics.appetite import RESULT_COLUMNS
from riskanalytics.topics.changes.clauses import changed_clauses
from riskanalytics.topics.shape import dtypes, shaped
from tests.frames_given import given
from tests.topics.given import HOSTILE, SHA, change, finding

DAY = date(2026, 7, 31)
FINDINGS = dtypes(FINDINGS_COLUMNS, *FINDINGS_COLUMNS)
NONE = given(FINDINGS)
CLAUSE = given(
    FINDINGS,
    {"slug": "lumen", "finding_id": "f-1", "document": "Terms", "quote": "it may train models.", "start": 40, "end": 60,
     "snapshot_sha256": SHA, "captured_at": pd.Timestamp("2026-07-20", tz="UTC"), "lead_in": "You agree that",
     "lead_in_start": 20, "lead_in_end": 39, "archive_url": "https://archive.example/1"},
).assign(live_url="https://lumen.example/terms#:~:text=it", verification_status="verified")  # fmt: skip
USUAL = {
    "slug": "lumen", "name": "Lumen", "owner": "Ann", "data_class": "", "plan": "", "region": "", "rule": "no-high",
    "title": "Nothing high", "result": "fail", "observed": "rated HIGH", "allowed": "rating at most MED", "decided_by": [],
    "excepted": False,
}  # fmt: skip
EXCEPTED = {"excepted": True, "exception": "Ann: Trial.", "expires": "2026-08-30"}
COMPARE = "Compare the clauses before and after the change, and decide whether your use may go on."
LOWER = "The risk is lower, so you need not act; an exception may no longer be needed."


def results(*rows: dict[str, Any]) -> pd.DataFrame:
    return shaped([{**USUAL, **row} for row in rows], RESULT_COLUMNS)


def of(material: pd.DataFrame) -> dict[str, Any]:
    """Return the alert on a single change, whose clauses were not verified."""
    clauses = changed_clauses(material).assign(live_url=None, verification_status=None)
    [row] = alerts(material, clauses, DAY).to_dict("records")
    return row


def on_rules(now: list[dict[str, Any]], before: list[dict[str, Any]] | None, day: date = DAY) -> list[dict[str, Any]]:
    """Return the alerts on results of rules."""
    earlier = None if before is None else results(*before)
    return alerts(None, CLAUSE, day, results(*now), earlier).to_dict("records")


@pytest.mark.parametrize(
    ("given_change", "effect", "advice"),
    [({"directions": {"training_use": "up", "data_retention": "down"}},
      "risk up on Training use; rating HIGH (was MED).", COMPARE),
     ({"direction": "down", "directions": {"data_retention": "down"}, "rating_after": "MED"},
      "risk down on Data retention.", LOWER),
     ({"direction": "mixed", "directions": dict.fromkeys(("training_use", "data_retention", "ads_tracking", "ip_liability"), "up"),
       "rating_after": "MED"},
      "risk up and down on Training use, Data retention, Ads and tracking and 1 other.", COMPARE),
     ({"direction": "unclear", "directions": {"training_use": "unclear"}, "rating_after": "MED"},
      "unclear effect on Training use.", COMPARE),
     ({"direction": "mixed", "directions": {"training_use": "mixed", "data_retention": "up"}, "rating_after": "MED"},
      "risk up and down on Training use and Data retention.", COMPARE),
     ({"directions": {"training_use": "mixed", "data_retention": "none"}, "rating_after": "MED"},
      "risk up on Training use and Data retention.", COMPARE),
     ({"directions": {"training_use": "unclear"}, "rating_after": "LOW"},
      "risk up on Training use; rating LOW (was MED).", COMPARE)],
)  # fmt: skip
def test_the_title_of_a_change_names_day_document_effect_and_rating(
    given_change: dict[str, Any], effect: str, advice: str
) -> None:
    row = of(change(**given_change))
    assert row["title"] == f"Aurelia Chat changed its Terms on 2 July 2026: {effect}"
    assert row["advice"] == advice
    assert (row["kind"], row["slug"], row["name"], row["about"]) == (
        "material_change",
        "aurelia-chat",
        "Aurelia Chat",
        "c1",
    )
    assert row["day"] == pd.Timestamp("2026-07-02", tz="UTC")


def test_a_change_quotes_three_clauses_before_and_after_and_what_is_only_read_differently_last() -> None:
    said = "We keep all of your files for one year."
    material = change(
        removed=[finding(said), finding("Unchanged words stay here for good.", risk="LOW")],
        added=[finding(said.replace("one year", "ever")), finding("Unchanged words stay here for good."),
               finding("Sold to anyone!", "ads_tracking"), finding("Read by staff.", "human_review")],
    )  # fmt: skip
    quotes = of(material)["quotes"]
    assert [(one["side"], one["quote"]) for one in quotes] == [
        ("before", said),
        ("after", said.replace("one year", "ever")),
        ("added", "Sold to anyone!"),
        ("added", "Read by staff."),
    ]
    assert quotes[0] == {
        "finding_id": f"{said[:20]}-content_license", "document": HOSTILE, "quote": said, "lead_in": "", "start": 3, "end": 9,
        "snapshot_sha256": SHA, "verification_status": None, "live_url": None, "archive_url": None, "side": "before",
        "captured_at": "2026-07-02",
    }  # fmt: skip


def test_a_removed_clause_has_no_address_on_the_live_page() -> None:
    lead = {"quote": "We may do this:", "start": -60, "end": 2}
    shared = finding("All is shared.", "ads_tracking", lead_in=lead)
    material = change(removed=[finding("Never sold.")], added=[shared])
    clauses = changed_clauses(material).assign(live_url="https://a.example/x", verification_status="verified")
    [row] = alerts(material, clauses, DAY).to_dict("records")
    assert {one["side"]: one["live_url"] for one in row["quotes"]} == {
        "removed": None,
        "added": "https://a.example/x",
    }
    assert [one["lead_in"] for one in row["quotes"] if one["side"] == "added"] == ["We may do this: "]
    rewritten = change(
        removed=[finding("We keep it all for one year.")], added=[finding("We keep it all for two years.")]
    )
    clauses = changed_clauses(rewritten).assign(live_url="https://a.example/x", verification_status="verified")
    [row] = alerts(rewritten, clauses, DAY).to_dict("records")
    assert [(one["side"], one["live_url"]) for one in row["quotes"]] == [
        ("before", None),
        ("after", "https://a.example/x"),
    ]


def test_a_rule_is_newly_broken_if_it_was_kept_or_excepted_or_not_settled_before() -> None:
    broken = [{"decided_by": ["f-1", "gone"]}]
    for before in ({"result": "pass"}, {"result": "undetermined"}, EXCEPTED):
        [row] = on_rules(broken, [before])
        assert row["title"] == "Lumen breaks your rule “Nothing high”: rated HIGH; allowed: rating at most MED."
        assert row["advice"] == "Replace the platform, agree an exception, or end the use."
        assert (row["kind"], row["about"], str(row["day"].date())) == ("rule_broken", "no-high", "2026-07-31")
        assert row["quotes"] == [
            {"finding_id": "f-1", "document": "Terms", "quote": "it may train models.", "lead_in": "You agree that ", "start": 40,
             "end": 60, "snapshot_sha256": SHA, "verification_status": "verified", "side": "", "captured_at": "2026-07-20",
             "live_url": "https://lumen.example/terms#:~:text=it", "archive_url": "https://archive.example/1"}
        ]  # fmt: skip
    assert on_rules(broken, [{}]) == []
    assert on_rules([{"result": "pass"}, {"result": "undetermined", "rule": "x"}], []) == []


def test_an_expired_exception_is_named_and_a_platform_without_earlier_results_is_newly_tracked() -> None:
    [row] = on_rules([{**EXCEPTED, "excepted": False}], [EXCEPTED])
    assert row["advice"] == "Its exception has expired: renew it, or end the use."
    [row] = on_rules([{}], [{"slug": "other"}])
    assert row["title"].startswith("Lumen, newly tracked, breaks your rule")
    first = on_rules([{}, {"slug": "opal", "result": "pass"}], None)
    assert [(one["kind"], one["slug"]) for one in first] == [("rule_broken", "lumen")], (
        "all is new without earlier results"
    )


def test_each_use_of_a_platform_is_an_alert_of_its_own_whatever_its_row() -> None:
    use = {"data_class": "confidential", "plan": "Free", "region": "EU"}
    rows = on_rules(
        [{"row": 1}, {"row": 2, "owner": "Bo"}, {**use, "row": 3}, {"row": 4, "plan": "Pro"}], [{"plan": "Pro"}]
    )
    assert [(row["title"].partition(" breaks")[0], row["about"]) for row in rows] == [
        ("Lumen", "no-high"), ("Lumen (confidential, Free, EU)", "no-high confidential, Free, EU"),
    ]  # fmt: skip


@pytest.mark.parametrize(("day", "announced"), [(30, False), (31, True)])
def test_an_exception_is_announced_once_thirty_days_before_its_last_day(day: int, announced: bool) -> None:
    rows = on_rules([EXCEPTED, {**EXCEPTED, "plan": "Pro"}], [EXCEPTED], date(2026, 7, day))
    assert len(rows) == announced
    for row in rows:
        assert row["title"] == "The exception of Lumen from your rule “Nothing high” ends on 30 August 2026."
        assert row["advice"] == "Renew it in the file of rules, or end the use. Agreed by Ann: Trial."
        assert (row["kind"], row["about"], row["quotes"]) == ("exception_expires", "no-high 2026-08-30", [])
        assert row["day"] == pd.Timestamp("2026-07-31", tz="UTC")
    assert on_rules([{**EXCEPTED, "result": "pass", "excepted": False}], [], date(2026, 8, 1)) == []


def test_a_date_ahead_is_announced_with_its_clause() -> None:
    place = {"document": "Terms", "captured_at": "2026-07-03T04:05:06Z", "snapshot_sha256": SHA, "start": 3, "end": 9}
    rows = [
        {"kind": kind, "date": day, "quote": "From 1 August.", "provenance": place}
        for kind, day in (("effective", "2026-08-01"), ("objection", "2026-09-15"))
    ]
    dates = dates_frame([{"slug": "lumen", "name": "Lumen", "dates": rows}]).assign(verification_status="verified")
    found = alerts(None, CLAUSE, DAY, ahead=dates)
    assert found[["kind", "slug", "title", "about"]].values.tolist() == [
        ["date_ahead", "lumen", "Lumen: the Terms will be effective from 1 August 2026.",
         "Terms will be effective from 1 August 2026"],
        ["date_ahead", "lumen", "Lumen: the Terms can be objected to, or opted out of, until 15 September 2026.",
         "Terms can be objected to, or opted out of, until 15 September 2026"],
    ]  # fmt: skip
    assert found["advice"].tolist() == ["Decide by then whether your use may go on."] * 2
    assert found["day"].tolist() == [pd.Timestamp("2026-07-31", tz="UTC")] * 2
    (quote,) = found["quotes"][0]
    assert (quote["quote"], quote["document"], quote["captured_at"]) == ("From 1 August.", "Terms", "2026-07-03")
    later = alerts(None, CLAUSE, DAY + timedelta(days=1), ahead=dates)
    assert later["alert_id"].tolist() == found["alert_id"].tolist()


@pytest.mark.parametrize(
    ("silent", "kind"), [(True, "silent_edit"), (False, "material_change"), (None, "material_change")]
)
def test_a_change_under_an_unchanged_date_is_a_kind_of_its_own(silent: bool | None, kind: str) -> None:
    row = of(change(silent_edit=silent))
    assert row["kind"] == kind
    assert (" on 2 July 2026 under an unchanged date: " in row["title"]) == (silent is True)


@pytest.mark.parametrize(
    ("way", "words"), [("up", "risk up."), ("mixed", "risk up and down."), ("unclear", "unclear effect.")]
)
def test_an_alert_on_a_change_without_a_surface_names_none(way: str, words: str) -> None:
    row = of(change(direction=way, directions={}, surfaces=[], rating_before="MED", rating_after="MED"))
    assert row["title"].endswith(f" on 2 July 2026: {words}")


def test_identifiers_are_stable_and_only_a_rule_that_is_broken_again_gets_a_new_one() -> None:
    both = [{}, {**EXCEPTED, "rule": "other"}]
    first, second = ([row["alert_id"] for row in on_rules(both, [], date(2026, 8, day))] for day in (1, 2))
    assert first[0] != second[0]
    assert first[1] == second[1]
    assert on_rules(both, [], date(2026, 8, 1))[0]["alert_id"] == first[0]
    assert of(change())["alert_id"] == "ce306bbb-0379-5335-83c3-9a0327de5109"


def test_alerts_are_sorted_by_urgency_and_their_columns_do_not_depend_on_rows() -> None:
    material = change()
    found = alerts(material, NONE, DAY, results({**EXCEPTED, "rule": "b"}, {}), results())
    assert found["kind"].tolist() == ["rule_broken", "material_change", "exception_expires"]
    none = alerts(None, NONE, DAY)
    assert none.empty
    assert {name: str(none[name].dtype) for name in none} == {name: str(found[name].dtype) for name in ALERT_COLUMNS}


def rows_given() -> list[dict[str, Any]]:
    """Return two alerts as JSON, the first with hostile words and without a verified quote."""
    quote = {"side": "added", "lead_in": "See:", "quote": f"**All**\n* {HOSTILE}\uffff\x0b", "document": HOSTILE,
             "captured_at": "2026-07-02",
             "live_url": None, "archive_url": "https://archive.example/1?a=1&b=2", "verification_status": "altered"}  # fmt: skip
    plain = {**quote, "side": "", "quote": "Kept.", "lead_in": "", "document": "Terms", "verification_status": "verified",
             "live_url": "https://a.example/"}  # fmt: skip
    return [
        {"alert_id": "1" * 8, "kind": "material_change", "title": f"{HOSTILE}\n* Fake.", "advice": "Read & decide.",
         "quotes": [quote], "day": "2026-07-02T00:00:00Z"},
        {"alert_id": "2" * 8, "kind": "rule_broken", "title": "Lumen breaks it.", "advice": "End it.", "quotes": [plain],
         "day": "2026-07-31T00:00:00Z"},
    ]  # fmt: skip


KEPT = (
    '<p></p><blockquote>Kept.</blockquote>\n<p>Terms · 2026-07-02 · <a href="https://archive.example/1?a=1&amp;b=2">archive</a> · '
    '<a href="https://a.example/">live page</a> ·\nverified</p>'
)
"""The quote of the second alert as HTML."""


def unstyled(html: object) -> str:
    return re.sub(' style="[^"]*"', "", str(html))


def test_a_feed_lists_the_newest_alert_first_and_carries_its_quotes_as_escaped_html() -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.fromstring(as_atom(rows_given()))
    assert feed.findtext(f"{atom}updated") == "2026-07-31T00:00:00Z"
    assert str(feed.findtext(f"{atom}id")).startswith("urn:uuid:")
    assert feed.findtext(f"{atom}author/{atom}name") == "riskanalytics"
    first, second = feed.findall(f"{atom}entry")
    assert (first.findtext(f"{atom}id"), first.findtext(f"{atom}title")) == ("urn:uuid:22222222", "Lumen breaks it.")
    assert first.find(f"{atom}category").attrib == {"term": "rule_broken", "label": "Rules newly broken"}  # type: ignore[union-attr]
    assert first.findtext(f"{atom}updated") == "2026-07-31T00:00:00Z"
    content = str(second.findtext(f"{atom}content"))
    assert "<script>" not in content
    assert "&lt;script&gt;" in content
    assert re.findall("<a .*?</a>", content) == ['<a href="https://archive.example/1?a=1&amp;b=2">archive</a>']
    assert "<b>not verified: altered</b>" in content
    assert "<b>Added</b>" in content
    assert "<span>See:</span> All\n* &lt;/blockquote&gt;" in unstyled(content)
    assert unstyled(first.findtext(f"{atom}content")) == f"<p>End it.</p>{KEPT}"
    empty = ET.fromstring(as_atom([]))
    assert empty.findtext(f"{atom}updated") == "1970-01-01T00:00:00Z"


def test_a_mail_has_a_text_and_an_html_part_that_begin_with_the_most_urgent_kind() -> None:
    mail = as_mail(rows_given(), "ann@a.example")
    assert mail["To"] == "ann@a.example"
    assert mail["Subject"] == "2 alerts: Lumen breaks it."
    assert len(as_mail([rows_given()[1] | {"title": "x" * 300}], "ann@a.example")["Subject"]) == 200
    alone = as_mail(rows_given()[:1], "ann@a.example")["Subject"]
    parts = as_mail(rows_given(), "ann@a.example", [f"<b>{n}\u202e" for n in range(22)]).iter_parts()
    for part, last in zip(parts, ("* and 2 more", "<li>and 2 more</li>"), strict=True):
        words = part.get_content()
        assert last in words and "19" in words and "<b>20" not in words
        assert "\u202e" not in words
    assert alone.startswith("1 alert: </blockquote><script>")
    assert alone.isprintable()
    text, page = (part.get_content() for part in mail.iter_parts())  # type: ignore[union-attr]
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
    lines = text.splitlines()
    assert lines[:6] == [
        "RULES NEWLY BROKEN", "", "* Lumen breaks it.", "  End it.", "  Quote: “Kept.”", "    Terms, 2026-07-02, https://a.example/",
    ]  # fmt: skip
    assert "MATERIAL CHANGES" in lines
    assert [line for line in lines if line.startswith("*")] == ["* Lumen breaks it.", lines[9]]
    assert "EXCEPTIONS" not in text
    assert any(line.startswith("  Added: “See: All * </blockquote><script>") for line in lines)
    assert any(line.endswith("2026-07-02, https://archive.example/1?a=1&b=2, not verified: altered") for line in lines)
    assert lines[-1] == "Found automatically in public documents: read the sources before you act."
    assert "\u202e" not in text + page
    assert "\x1b" not in text + page
    assert "<script>" not in page
    page = unstyled(page)
    assert re.findall("<h2>(.*)</h2>", page) == ["Rules newly broken", "Material changes"]
    assert f"<h3>Lumen breaks it.</h3>\n<p>End it.</p>\n{KEPT}\n" in page
    assert (
        "<p>Read &amp; decide.</p>\n<p><b>Added</b>: </p><blockquote><span>See:</span> All\n* &lt;/blockquote&gt;"
        in page
    )
