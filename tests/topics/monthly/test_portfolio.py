"""A portfolio names platforms in any spelling, and what it names in vain is told."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from riskanalytics.errors import IncompleteReportError, ReportError
from riskanalytics.topics.monthly import portfolio_coverage, portfolio_rows, portfolio_scope
from tests.frames_given import PLATFORMS, given
from tests.topics.given import HOSTILE


def test_a_portfolio_matches_slug_name_or_website_in_any_case_and_without_accents() -> None:
    platforms = given(
        PLATFORMS,
        {"slug": "cafe-notes", "name": "Café Notes", "website": "https://www.cafe.example/"},
        {"slug": "opal", "name": "Opal", "website": None},
    )
    rows = pd.DataFrame({"Name": ["CAFE NOTES", "Nobody", None], "website": [None, None, "cafe.example"]})
    found = portfolio_scope(platforms, rows)
    assert found.platforms["slug"].tolist() == ["cafe-notes"]
    assert found.matches["matched_by"].tolist() == ["name", "website"]
    assert found.unmatched["given"].tolist() == ["Nobody"]
    with pytest.raises(ReportError, match="none of the columns"):
        portfolio_scope(platforms, pd.DataFrame({"owner": ["Opal"]}))
    with pytest.raises(IncompleteReportError, match="names no tracked platform in its 1 row; check"):
        portfolio_scope(platforms, pd.DataFrame({"slug": ["tarn"]}))


def test_rows_that_match_nothing_are_listed_and_nothing_is_shown_where_all_match() -> None:
    platforms = given(PLATFORMS, {"slug": "opal"})
    found = portfolio_scope(platforms, pd.DataFrame({"slug": ["opal", "tarn", HOSTILE]}))
    shown = portfolio_rows(found.matches, found.unmatched)
    assert shown.text == "2 portfolio rows matched no tracked platform"
    assert "<summary>2 portfolio rows matched no tracked platform</summary><ul><li>2, tarn</li>" in shown.html
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
        f"<li>1, Opal: did you mean Opal Chat (opal-chat, {opal[0]['confidence']:.2f})?</li><li>3, Nobody</li>"
        in shown.html
    )
    assert "<li>2, opal-chat, Inc.: Opal Chat (opal-chat, spelling, 0.95)</li>" in shown.html
    assert shown.report["unmatched"]["said"] == shown.text == "2 portfolio rows matched no tracked platform"
    with pytest.raises(IncompleteReportError, match=r"row 1, 'Opal': did you mean Opal Chat \(opal-chat, "):
        portfolio_scope(platforms, pd.DataFrame({"Tool": ["Opal"]}))
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
