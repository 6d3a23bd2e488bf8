"""What of a database is still to be read and reviewed."""

from __future__ import annotations

from contextlib import closing

from riskanalytics.extraction import Reading
from riskanalytics.service import Store
from riskanalytics.service.review import histories, mark_unread, platforms_to_review, review_platform
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS


def read(writer: Writer) -> list[Reading | None]:
    """What the present rules have read in the captures of a platform."""
    return [capture.reading for history in histories(writer, "cafe-lumiere") for capture in history.values()]


def test_nothing_is_due_after_an_ingest_and_all_of_it_once_the_rules_have_changed(copied_place: Place) -> None:
    with Writer(copied_place) as writer:
        assert platforms_to_review(writer) == []
        with writer.transaction():
            writer.remember("rules", "older rules")
        assert platforms_to_review(writer) == ["aurelia-chat", "cafe-lumiere", "northwind-draft"]
        review_platform(writer, "aurelia-chat")
        assert platforms_to_review(writer) == ["cafe-lumiere", "northwind-draft"]


def test_histories_are_told_by_document_with_what_the_present_rules_have_read(copied_place: Place) -> None:
    with Writer(copied_place) as writer:
        told = [[capture.text for capture in history.values()] for history in histories(writer, "aurelia-chat")]
        assert sorted(told) == sorted([[PRIVACY, PRIVACY_LATER], [TERMS]])
        (before,) = read(writer)
        with writer.transaction():
            writer.remember("rules", "older rules")
        platforms_to_review(writer)
        assert before is not None
        assert [finding.surface for finding in before.findings] == ["training_use", "data_retention"]
        assert read(writer) == [None]


def test_a_platform_without_a_state_is_marked_as_not_read_yet_and_one_with_a_state_stays(copied_place: Place) -> None:
    with Writer(copied_place) as writer, writer.transaction() as connection:
        run(connection, "DELETE FROM state WHERE platform_id = (SELECT id FROM platform WHERE slug = 'cafe-lumiere')")
        mark_unread(writer)
    with closing(Store(copied_place)) as store:
        told = {row["id"]: (row["rating"], row["risk_reason"]) for row in store.platforms(limit=10)}
        marked = store.platform("cafe-lumiere")
    assert told["cafe-lumiere"] == ("UNRATED", "UNRATED: 0 citations extracted; not read yet")
    assert told["aurelia-chat"][0] != "UNRATED"
    assert marked is not None
    assert (marked["verification"], marked["stance"], marked["documents"]) == ("unverified", None, [])
