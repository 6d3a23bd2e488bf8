"""What of a database is still to be read and reviewed."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.service import Store
from riskanalytics.service.review import mark_unread, platforms_to_review, review_platform, unread_texts
from riskanalytics.service.store.write import Writer
from tests.service.given import CAFE, PRIVACY, PRIVACY_LATER, TERMS


@pytest.fixture
def database(given_database: Path, tmp_path: Path) -> Path:
    """A copy of the literal database that a test may write."""
    return Path(shutil.copy(given_database, tmp_path / "due.sqlite"))


def test_nothing_is_due_after_an_ingest_and_all_of_it_once_the_rules_have_changed(database: Path) -> None:
    with Writer(database) as writer:
        assert platforms_to_review(writer) == []
        with writer.transaction():
            writer.remember("rules", "older rules")
        assert platforms_to_review(writer) == ["aurelia-chat", "cafe-lumiere", "northwind-draft"]
        assert sorted(unread_texts(writer, "aurelia-chat").values()) == sorted([PRIVACY, PRIVACY_LATER, TERMS])
        review_platform(writer, "aurelia-chat")
        assert platforms_to_review(writer) == ["cafe-lumiere", "northwind-draft"]
        assert unread_texts(writer, "aurelia-chat") == {}
        assert list(unread_texts(writer, "cafe-lumiere").values()) == [CAFE]


def test_a_platform_without_a_state_is_marked_as_not_read_yet_and_one_with_a_state_stays(database: Path) -> None:
    with Writer(database) as writer, writer.transaction() as connection:
        connection.execute(
            "DELETE FROM state WHERE platform_id = (SELECT id FROM platform WHERE slug = 'cafe-lumiere')"
        )
        mark_unread(writer)
    with closing(Store(database)) as store:
        told = {row["id"]: (row["rating"], row["risk_reason"]) for row in store.platforms(limit=10)}
        marked = store.platform("cafe-lumiere")
    assert told["cafe-lumiere"] == ("UNRATED", "UNRATED: 0 citations extracted; not read yet")
    assert told["aurelia-chat"][0] != "UNRATED"
    assert marked is not None
    assert (marked["verification"], marked["stance"], marked["documents"]) == ("unverified", None, [])
