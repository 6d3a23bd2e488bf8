"""The headline of a month says no more than its facts."""

from __future__ import annotations

from riskanalytics.topics.changes.analysis import material_changes
from riskanalytics.topics.monthly.words import monthly_facts, monthly_sentences
from riskanalytics.topics.ratings.analysis import rating_moves
from riskanalytics.topics.training_use.analysis import stance_shares, training_use
from tests.frames_given import Market


def test_sentences_say_what_is_quiet_and_what_is_not_known() -> None:
    market = Market(3)
    bare = monthly_sentences(monthly_facts(market.platforms))
    assert all("not known" in sentence for sentence in bare)
    quiet = material_changes(market.changes, "2020-01-01", "2020-02-01")
    same = rating_moves(market.platforms, market.platforms)
    told = monthly_sentences(monthly_facts(market.platforms, material=quiet, moves=same))
    assert told[0] == "A quiet month: no material change on 3 platforms; no rating moved."


def test_the_second_sentence_says_who_trains_where_stances_are_known() -> None:
    market = Market(3)
    shares = stance_shares(training_use(market.answers, market.findings))
    assert monthly_sentences(monthly_facts(market.platforms, shares=shares))[1].startswith("Of 3 platforms, ")
