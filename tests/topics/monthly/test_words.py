"""The headline of a month says no more than its facts."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from riskanalytics.topics.changes import change_noise, equal_periods, material_changes
from riskanalytics.topics.coverage.documents import freshness
from riskanalytics.topics.monthly import monthly_facts, monthly_sentences
from riskanalytics.topics.portfolio import portfolio_coverage
from riskanalytics.topics.ratings import rating_moves
from riskanalytics.topics.training_use import stance_shares, training_use
from tests.frames_given import CHANGES, DOCUMENTS, PLATFORMS, Market, given


def test_sentences_name_what_is_quiet_and_what_is_unknown() -> None:
    market = Market(3)
    bare = monthly_sentences(monthly_facts(market.platforms))
    assert all("not known" in sentence for sentence in bare)
    quiet = material_changes(market.changes, "2020-01-01", "2020-02-01")
    same = rating_moves(market.platforms, market.platforms)
    result = monthly_sentences(monthly_facts(market.platforms, material=quiet, moves=same))
    assert result[0] == "A quiet month: no material change on 3 platforms; no rating moved."


def test_the_second_sentence_says_who_trains_where_stances_are_known() -> None:
    market = Market(3)
    shares = stance_shares(training_use(market.answers, market.findings))
    assert monthly_sentences(monthly_facts(market.platforms, shares=shares))[1].startswith("Of 3 platforms, ")


def said(size: int, **more: Any) -> tuple[str, str, str]:
    """The sentences on a market in which nothing changed and all is verified."""
    market = Market(size)
    none = material_changes(market.changes, "2020-01-01", "2020-02-01")
    platforms = market.platforms.assign(verification="verified")
    covered = portfolio_coverage(platforms, date(2026, 7, 31))
    fresh = freshness(market.documents.head(0), "2026-07-31")
    facts = monthly_facts(platforms, material=none, coverage=covered, freshness=fresh)
    return monthly_sentences(facts, **more)


def test_a_month_that_goes_on_is_quiet_so_far_only() -> None:
    assert said(3)[0].startswith("A quiet month: no material change on 3 platforms")
    assert said(3, goes_on=True)[0].startswith("Quiet so far: no material change on 3 platforms")


@pytest.mark.parametrize(
    ("size", "kind", "begins"),
    [(1, "portfolio platform", "Of 1 portfolio platform, 1 is verified (all documents read);"),
     (2, "portfolio platform", "Of 2 portfolio platforms, 2 are verified (all documents read);"),
     (3, "tracked platform", "Of 3 tracked platforms, 3 are verified (all documents read);")],
)  # fmt: skip
def test_the_verified_share_is_given_for_the_platforms_of_the_page(size: int, kind: str, begins: str) -> None:
    assert said(size, kind=kind)[2].startswith(begins)


@pytest.mark.parametrize(
    ("column", "state"), [("platforms", "verified"), ("platforms", "stale"), ("tracked", "partial")]
)
def test_a_count_that_is_not_reported_is_not_taken_for_none(column: str, state: str) -> None:
    platforms = Market(3).platforms.assign(verification="verified")
    covered = portfolio_coverage(platforms, date(2026, 7, 31))
    covered.loc[covered["state"] == state, column] = pd.NA
    assert "platforms are verified is not known" in monthly_sentences(monthly_facts(platforms, coverage=covered))[2]


def test_every_state_of_verification_is_counted_and_explained() -> None:
    platforms = Market(4).platforms.assign(verification=["verified", "partial", "stale", "unverified"])
    facts = monthly_facts(platforms, coverage=portfolio_coverage(platforms, date(2026, 7, 31)))
    states = "1 partial (not all read), 1 stale (an earlier text used) and 1 unverified (none read)"
    result = monthly_sentences(facts)[2]
    assert result.startswith(f"Of 4 tracked platforms, 1 is verified (all documents read), {states}; ")


def test_of_an_unfinished_ingest_nothing_is_said_of_all_platforms() -> None:
    sentences = said(3, unfinished=True)
    assert sentences[0].startswith("Quiet so far")
    assert sentences[2].startswith("Of 3 tracked platforms stored so far, 3 are verified")


def test_a_rating_that_moved_and_came_back_is_mentioned() -> None:
    market = Market(3)
    material = material_changes(market.changes).head(1).assign(came_back=True)
    same = rating_moves(market.platforms, market.platforms)
    result = monthly_sentences(monthly_facts(market.platforms, material=material, moves=same))[0]
    assert "; 1 rating moved and returned, no other moved" in result


def said_since(since: str, until: str) -> str:
    """The first sentence on the days of a market from `since` to the day before `until`."""
    market = Market(30)
    material, periods = (result(market.changes, since, until) for result in (material_changes, equal_periods))
    moves = rating_moves(market.platforms, market.platforms)
    return monthly_sentences(monthly_facts(market.platforms, material=material, moves=moves, periods=periods))[0]


def test_a_period_is_the_last_of_the_equal_periods_with_its_own_first_and_last_day() -> None:
    market = Market(30)
    periods = equal_periods(market.changes, "2026-07-01", "2026-07-11")
    facts = monthly_facts(market.platforms, periods=periods)
    assert len(periods) > 1
    assert (facts.since, facts.until, facts.first_change) == (date(2026, 6, 30), date(2026, 7, 10), None)
    begun = periods["since"].iloc[-1]
    for days, known in ((0, None), (1, date(2026, 7, 2))):
        recorded = periods.assign(first_change=begun + pd.Timedelta(days, "D"))
        assert monthly_facts(market.platforms, periods=recorded).first_change == known


def test_a_period_without_a_day_says_that_there_is_nothing_since() -> None:
    assert said_since("2026-11-01", "2026-11-01") == "No change since 31 October 2026: the data end on that day."


def test_a_quiet_period_is_described_as_a_period_and_the_first_recorded_change_is_dated() -> None:
    assert (
        said_since("2028-01-01", "2028-02-01") == "A quiet period: no material change on 30 platforms; no rating moved."
    )
    begun = Market(30).changes["reviewed_at"].min()
    assert said_since("2001-01-01", "2028-01-01").endswith(
        f"; the first change on record is from {begun.day} {begun:%B %Y}."
    )


def test_what_changed_moved_and_could_not_be_read_is_counted_once_for_each_platform_and_named() -> None:
    then, now = (given(PLATFORMS, *({"slug": slug, "rating": rating} for slug, rating in zip("abcd", ratings, strict=True)))
                 for ratings in (("LOW", "HIGH", "MED", "LOW"), ("HIGH", "LOW", "UNRATED", "LOW")))  # fmt: skip
    kinds = ["a material", "a material", "b material", "c material", "d wording", "d format", "d technical"]
    rows = [
        {
            "change_id": kind,
            "slug": kind[0],
            "change_class": kind[2:],
            "reviewed_at": f"2026-07-0{n}",
            "direction": "up",
        }
        | {"rating_before": "MED", "rating_after": "MED"}
        for n, kind in enumerate(kinds, 1)
    ]
    states = [("a", "broken"), ("a", "stale"), ("b", "stale"), ("c", "good"), ("d", "good")]
    documents = given(
        DOCUMENTS,
        *({"slug": slug, "document": state, "state": state, "captured_at": "2026-07-01", "read": slug != "c"}
          | {"language": "zh" if slug == "c" else "en"} for slug, state in states),
    )  # fmt: skip
    material, fresh = material_changes(given(CHANGES, *rows)), freshness(documents, "2026-07-31")
    noise, moves = change_noise(given(CHANGES, *rows)), rating_moves(then, now)
    facts = monthly_facts(now, material=material, noise=noise, moves=moves, freshness=fresh)
    first, _, third = monthly_sentences(facts, 2)
    other = monthly_sentences(
        monthly_facts(now, material=material[:0], moves=moves[:1].assign(direction="other_texts"))
    )[0]
    assert other.endswith("; the rating of A changed because other documents are read.")
    moved = "the rating of A rose, the rating of B fell and the rating of C became unclear"
    assert (
        first
        == f"4 material changes on 3 of 4 platforms (A, B and 1 other); {moved}; 3 other changes are not material."
    )
    assert third.endswith("; the newest capture failed on 2 (A and B); not read: 1 document in Chinese (C).")
    back = material.assign(came_back=material["slug"] != "c")
    facts = monthly_facts(now, material=back, noise=noise[:2], moves=moves[:1], freshness=fresh[3:])
    first, _, third = monthly_sentences(facts, 1)
    assert first.endswith("; the rating of A rose; 2 ratings moved and returned; 1 other change is not material.")
    assert third.endswith("; all newest captures are good; not read: 1 document in Chinese (C).")
    unread = monthly_sentences(monthly_facts(now, material=material))[0]
    assert unread == "4 material changes on 3 of 4 platforms (A, B and C); rating moves are not known."
