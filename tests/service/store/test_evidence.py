"""Findings of the newest states, and the stances that were recorded."""

from __future__ import annotations

from contextlib import closing

from riskanalytics.service import Store
from riskanalytics.service.store.evidence import live_findings, newest_states
from riskanalytics.settings.databases import Place


def test_each_platform_has_its_recorded_stance_and_none_where_nothing_could_be_read(given_place: Place) -> None:
    with closing(Store(given_place)) as store:
        told = newest_states(store)
        (decided,) = live_findings(store, ["training_use"], ["aurelia-chat"])
    assert {slug: stance["stance"] for slug, stance in told.items()} == {
        "aurelia-chat": "does_not_train", "cafe-lumiere": "undetermined", "northwind-draft": None,
    }  # fmt: skip
    assert told["aurelia-chat"]["decided_by"] == [decided["id"]]
    unread = told["northwind-draft"]
    assert (unread["consumer_stance"], unread["business_stance"], unread["decided_by"]) == (None, None, [])
    assert (unread["rating"], unread["surfaces"]["training_use"]["state"]) == ("UNRATED", "unread")


def test_findings_are_those_a_platform_shows_with_its_name(given_place: Place) -> None:
    with closing(Store(given_place)) as store:
        found = live_findings(store, ["training_use", "data_retention"], ["aurelia-chat"])
        state = store.platform("aurelia-chat")
        assert state is not None
        shown = [row for row in store.findings(state) if row["surface"] in ("training_use", "data_retention")]
    assert found == [{"platform": "aurelia-chat", "name": "Aurelia Chat", **row} for row in shown]
