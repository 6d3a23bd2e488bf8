"""A portfolio names platforms in any spelling, and what it names in vain is told."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from riskanalytics.errors import IncompleteReportError, ReportError
from riskanalytics.topics.monthly.portfolio import portfolio_coverage, portfolio_scope
from riskanalytics.topics.monthly.section import portfolio_rows
from tests.frames_given import PLATFORMS, given
from tests.topics.given import HOSTILE


def test_a_portfolio_matches_slug_name_or_website_whatever_case_and_accents() -> None:
    platforms = given(
        PLATFORMS,
        {"slug": "cafe-notes", "name": "Café Notes", "website": "https://www.cafe.example/start"},
        {"slug": "opal", "name": "Opal", "website": None},
    )
    rows = pd.DataFrame({"Name": ["CAFE NOTES", "Nobody", None], "website": [None, None, "cafe.example"]})
    found = portfolio_scope(platforms, rows)
    assert found.platforms["slug"].tolist() == ["cafe-notes"]
    assert found.matches["matched_by"].tolist() == ["name", "website"]
    assert found.unmatched["given"].tolist() == ["Nobody"]
    with pytest.raises(ReportError, match="none of the columns"):
        portfolio_scope(platforms, pd.DataFrame({"vendor": ["Opal"]}))
    with pytest.raises(IncompleteReportError, match="none of the 1 platform"):
        portfolio_scope(platforms, pd.DataFrame({"slug": ["tarn"]}))
    assert portfolio_scope(platforms, pd.DataFrame({"slug": ["tarn"]}), require_match=False).platforms.empty


def test_rows_that_match_nothing_are_listed_and_nothing_is_shown_where_all_match() -> None:
    platforms = given(PLATFORMS, {"slug": "opal"})
    found = portfolio_scope(platforms, pd.DataFrame({"slug": ["opal", "tarn", HOSTILE]}))
    shown = portfolio_rows(found.matches, found.unmatched)
    assert shown.text == "2 portfolio rows matched no tracked platform"
    assert "<summary>2 portfolio rows matched no tracked platform</summary><ul><li>2, tarn</li>" in shown.html
    assert "<script" not in shown.html
    assert portfolio_rows(found.matches, found.unmatched.head(0)).parts == ()
    assert portfolio_rows(found.matches, found.unmatched.head(0)).text == "1 row matched"


def test_the_states_of_a_portfolio_are_counted_of_its_own_platforms_and_not_known_where_one_tells_none() -> None:
    platforms = given(
        PLATFORMS, {"slug": "opal", "verification": "stale"}, {"slug": "tarn", "verification": "verified"}
    )
    told = portfolio_coverage(platforms, date(2026, 7, 31)).set_index("state")
    assert told["platforms"].to_dict() == {"verified": 1, "partial": 0, "stale": 1, "unverified": 0}
    assert told["tracked"].unique().tolist() == [2]
    assert told["consistent"].all()
    silent = portfolio_coverage(platforms.assign(verification=["stale", None]), date(2026, 7, 31))
    assert silent["platforms"].isna().all()
