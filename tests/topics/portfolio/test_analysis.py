"""A portfolio names platforms in any spelling, and what it names in vain is told."""

from __future__ import annotations

import re
import time
from datetime import date

import pandas as pd
import pytest

from riskanalytics.errors import IncompleteReportError, ReportError
from riskanalytics.topics.portfolio import near_changes, portfolio_coverage, portfolio_scope, suggestion
from riskanalytics.topics.portfolio.names import tracked_platforms
from riskanalytics.topics.portfolio.section import portfolio_rows
from tests.frames_given import PLATFORMS, given
from tests.topics.given import HOSTILE, read


def test_a_portfolio_matches_slug_name_or_website_in_any_case_and_without_accents() -> None:
    platforms = given(
        PLATFORMS,
        {"slug": "cafe-notes", "name": "Café Notes", "website": "https://www.cafe.example/"},
        {"slug": "opal", "name": "Opal", "website": None},
    )
    rows = pd.DataFrame({"Name": ["CAFE NOTES", None, "Nobody", None], "website": [None, None, None, "cafe.example"]})
    found = portfolio_scope(platforms, rows)
    assert found.matches[["row", "given", "name"]].values.tolist() == [
        [1, "CAFE NOTES", "Café Notes"], [4, "cafe.example", "Café Notes"],
    ]  # fmt: skip
    assert found.unmatched["row"].tolist() == [3]
    assert found.platforms["slug"].tolist() == ["cafe-notes"]
    assert found.matches["matched_by"].tolist() == ["name", "website"]
    assert found.unmatched["given"].tolist() == ["Nobody"]
    assert found.uses.to_dict("list") == {"row": [1, 4], "slug": ["cafe-notes", "cafe-notes"]}
    used = portfolio_scope(platforms, rows.assign(Tier=["Team", "Free", "Free", None], owner=list("abcd"))).uses
    assert list(used) == ["row", "slug", "owner", "plan"]
    assert used.astype("object").where(used.notna(), None).values.tolist() == [
        [1, "cafe-notes", "a", "Team"], [4, "cafe-notes", "d", None],
    ]  # fmt: skip
    with pytest.raises(ReportError, match="none of the columns"):
        portfolio_scope(platforms, pd.DataFrame({"owner": ["Opal"]}))
    with pytest.raises(IncompleteReportError, match="names no tracked platform in its 1 row; check"):
        portfolio_scope(platforms, pd.DataFrame({"slug": ["tarn"]}))


def test_rows_that_match_nothing_are_listed_and_nothing_is_shown_where_all_match() -> None:
    platforms = given(PLATFORMS, {"slug": "opal"})
    found = portfolio_scope(platforms, pd.DataFrame({"slug": ["opal", "tarn", HOSTILE]}))
    shown = portfolio_rows(found.matches, found.unmatched)
    assert shown.text == "2 portfolio rows matched no tracked platform"
    assert "<summary>2 portfolio rows matched no tracked platform</summary><ul><li>Row 2, tarn</li>" in shown.html
    assert "<script" not in shown.html
    assert portfolio_rows(found.matches, found.unmatched.head(0)).parts == ()
    assert portfolio_rows(found.matches, found.unmatched.head(0)).text == "1 row matched"


def test_likely_matches_are_offered_and_corrected_spellings_are_named() -> None:
    platforms = given(PLATFORMS, {"slug": "opal-chat", "name": "Opal Chat"}, {"slug": "tarn", "name": "Tarn"})
    found = portfolio_scope(platforms, pd.DataFrame({"Tool": ["Opal", "opal-chat, Inc.", "Nobody"]}))
    assert found.matches[["row", "matched_by", "confidence"]].values.tolist() == [[2, "spelling", 0.95]]
    (opal, nobody) = found.unmatched["candidates"]
    assert [one["slug"] for one in opal] == ["opal-chat"]
    assert nobody == []
    assert found.unmatched[["slug", "name", "matched_by", "confidence"]].isna().all(axis=None)
    shown = portfolio_rows(found.matches, found.unmatched)
    assert (
        f"<li>Row 1, Opal: did you mean Opal Chat (opal-chat, confidence {opal[0]['confidence']:.2f})?</li><li>Row 3, Nobody</li>"
        in shown.html
    )
    assert "<li>Row 2, “opal-chat, Inc.”: Opal Chat (opal-chat; another spelling, confidence 0.95)</li>" in shown.html
    assert shown.report["unmatched"]["said"] == shown.text == "2 portfolio rows matched no tracked platform"
    with pytest.raises(IncompleteReportError, match=r"row 1, Opal: did you mean Opal Chat \(opal-chat, "):
        portfolio_scope(platforms, pd.DataFrame({"Tool": ["Opal"]}))
    claude = given(PLATFORMS, {"slug": "claude"}, {"slug": "claude-ai"}, {"slug": "tarn"})
    either = portfolio_scope(claude, pd.DataFrame({"name": ["Anthropic", "Tarn"]}))
    assert (either.matches["slug"].tolist(), either.platforms["slug"].tolist()) == (["tarn"], ["tarn"])
    assert [one["slug"] for one in either.unmatched["candidates"][0]] == ["claude", "claude-ai"]
    several = portfolio_scope(
        claude, pd.DataFrame({"slug": ["tarn", "claude", "TARN"], "name": ["Claude.ai", None, None]})
    )
    assert several.platforms["slug"].tolist() == ["claude", "tarn"], "each once, in the order of the platforms"
    assert several.matches[["given", "slug", "matched_by"]].values.tolist() == [
        ["tarn", "tarn", "slug"], ["claude", "claude", "slug"], ["TARN", "tarn", "slug"],
    ]  # fmt: skip
    with pytest.raises(IncompleteReportError) as none:
        portfolio_scope(platforms, pd.DataFrame({"Tool": ["Nobody", *(f"Opal {n}" for n in range(4)), None]}))
    assert re.findall("row ([0-9]), (.*?):", str(none.value)) == [("2", "Opal 0"), ("3", "Opal 1"), ("4", "Opal 2")]
    assert str(none.value).startswith("the portfolio names no tracked platform in its 5 rows; row 2, ")
    empty = portfolio_scope(platforms, pd.DataFrame({"name": ["Tarn"]})).unmatched
    assert empty.dtypes.to_dict() == found.unmatched.dtypes.to_dict()


def test_the_states_of_a_portfolio_count_its_own_platforms_and_are_unknown_if_a_platform_reports_no_state() -> None:
    platforms = given(
        PLATFORMS, {"slug": "opal", "verification": "stale"}, {"slug": "tarn", "verification": "verified"}
    )
    result = portfolio_coverage(platforms, date(2026, 7, 31)).set_index("state")
    assert result["platforms"].to_dict() == {"verified": 1, "partial": 0, "stale": 1, "unverified": 0}
    assert result["tracked"].unique().tolist() == [2]
    assert result["consistent"].all()
    silent = portfolio_coverage(platforms.assign(verification=["stale", None]), date(2026, 7, 31))
    assert silent["platforms"].isna().all()


def test_aliases_and_makers_are_told_as_other_names_and_long_lists_are_cut() -> None:
    platforms = given(PLATFORMS, *({"slug": slug} for slug in ("codeium", "kimi-ai", "tarn")))
    names = ["Tarn", "Windsurf", "Moonshot AI", "https://tarn.example", *(f"No {n}" for n in range(60))]
    found = portfolio_scope(platforms, pd.DataFrame({"name": names}))
    shown = portfolio_rows(found.matches, found.unmatched)
    lost, taken = read(shown.html).split("|2 portfolio rows matched by another spelling or name|")
    assert taken == (
        "Row 2, “Windsurf”: Codeium (codeium; another name, confidence 0.90)|"
        "Row 3, “Moonshot AI”: Kimi Ai (kimi-ai; name of its vendor, confidence 0.80)|"
    )
    assert lost.count(", No ") == shown.html.count("<li>") - 3 == 49
    assert re.findall(r"<details[^>]*>", shown.html) == ['<details class="keep" open>', '<details class="keep">']
    assert shown.report["unmatched"]["first"].count("\n") == 19
    assert portfolio_rows(None, found.unmatched[:0]).text == "no portfolio"
    several = suggestion(
        [{"name": "A", "slug": "a", "confidence": 0.7}, {"name": "B", "slug": "b", "confidence": 0.55}]
    )
    assert several == ": did you mean A (a, confidence 0.70) or B (b, confidence 0.55)?"


def test_tracked_platforms_are_found_by_any_of_their_names() -> None:
    web = "https://www.codeium.com/x/"
    platforms = given(
        PLATFORMS,
        {"slug": "codeium", "website": web, "rating": "LOW"},
        {"slug": "cafe", "name": "Café", "rating": "HIGH"},
    )
    both = tracked_platforms(platforms)
    assert both[["slug", "rating", "aliases"]].values.tolist() == [
        ["codeium", "LOW", "Windsurf, windsurf.com, codeium.com"], ["cafe", "HIGH", ""],
    ]  # fmt: skip
    fal = given(PLATFORMS, {"slug": "fal", "name": "House name"}, {"slug": "house", "name": "fal"})
    assert not any("fal" in names.split(", ") for names in tracked_platforms(fal)["aliases"])
    sought = {"CAFE": ["cafe"], "windsurf": ["codeium"], "www.codeium": ["codeium"], "nobody": []}
    assert {words: tracked_platforms(platforms, words)["slug"].tolist() for words in sought} == sought


def test_a_confirmed_match_precedes_every_other_and_one_that_is_not_tracked_is_named() -> None:
    platforms = given(PLATFORMS, {"slug": "opal", "name": "Opal"}, {"slug": "tarn", "name": "Tarn"})
    names = ["Opal", "Own tool", "Opall", "Tarn", "Opal 9", "Qqqq"]
    confirmed = ["tarn", "none", "gone", None, None, None]
    scope = portfolio_scope(platforms, pd.DataFrame({"name": names, "confirmed": confirmed}))
    assert scope.matches[["row", "slug", "matched_by", "confidence"]].values.tolist() == [
        [1, "tarn", "confirmed", 1.0], [4, "tarn", "name", 1.0],
    ]  # fmt: skip
    assert scope.unmatched["given"].tolist() == ["Own tool", "Opall", "Opal 9", "Qqqq"]
    assert [len(near) for near in scope.unmatched["candidates"]] == [0, 1, 1, 0]
    assert scope.open["given"].tolist() == ["Opall", "Opal 9", "Qqqq"], "what is confirmed as not tracked is settled"
    assert scope.said == "6 rows: 2 matched, 2 to confirm, 2 not tracked"
    assert scope.listed["matched by"].tolist() == ["confirmed", "confirmed", "to confirm", "name", "to confirm", ""]
    near = ["did you mean Opal (opal, confidence 0.67)?", "did you mean Opal (opal, confidence 0.71)?"]
    assert scope.listed["platform"].tolist() == ["Tarn", "not tracked", near[0], "Tarn", near[1], "not tracked"]
    shown = portfolio_rows(scope.matches, scope.unmatched)
    assert shown.text == "3 portfolio rows matched no tracked platform"
    assert "<summary>1 portfolio row confirmed as not tracked</summary><ul><li>Row 2, Own tool</li>" in shown.html
    settled = portfolio_scope(platforms, pd.DataFrame({"name": names[:2], "confirmed": confirmed[:2]}))
    assert portfolio_rows(settled.matches, settled.unmatched).report == {}


def test_rows_to_confirm_are_named_if_a_near_candidate_changed() -> None:
    near = [{"slug": "opal", "name": "Opal", "matched_by": "like", "confidence": 0.6},
            {"slug": "tarn", "name": "Tarn", "matched_by": "like", "confidence": 0.59}]  # fmt: skip
    unmatched = pd.DataFrame(
        {"row": [2, 5, 7], "given": ["Opall", "Tarnn", "None"], "candidates": [near, near[1:], []]}
    )
    both, said = (
        pd.DataFrame({"slug": ["tarn", "opal"]}),
        "A platform that you may use changed materially. Confirm first: ",
    )
    assert near_changes(unmatched, both) == (f"{said}'Opall' in row 2 may mean Opal.",)
    assert near_changes(unmatched, both[:1]) == ()
    likely = unmatched[:1].assign(candidates=[[near[0], near[1] | {"confidence": 0.6}]])
    assert near_changes(likely, both) == (f"{said}'Opall' in row 2 may mean Opal.",)
    assert near_changes(pd.concat([unmatched] * 5), both)[0].endswith("in row 2 may mean Opal and 2 others.")


def test_ten_thousand_rows_are_matched_in_seconds() -> None:
    platforms = given(PLATFORMS, *({"slug": f"opal-{n}", "name": f"Opal {n}"} for n in range(50)))
    begin = time.monotonic()
    scope = portfolio_scope(platforms, pd.DataFrame({"name": [f"Opal {n % 100}" for n in range(10_000)]}))
    assert (len(scope.matches), len(scope.unmatched)) == (5_000, 5_000)
    assert time.monotonic() - begin < 5
