"""Readings as the tables keep them: roles come back as they were, and a lead is shown and counted nowhere."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.extraction import ClauseFinding, LeadIn, Reading, Roles, Scope
from riskanalytics.service import Store
from riskanalytics.service.corrections import rerun
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.evidence import MOST_LEADS, kept, leads, live_findings, newest_states
from riskanalytics.service.store.search import search_clauses
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place
from riskanalytics.surfaces import SURFACES
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS, give_readings, lead_on, without_lead_ins
from tests.service.review.test_review import reviewed

SLUG = "aurelia-chat"
SOLD = "We do not sell your personal data."
HANDLED = "This policy tells which information the service handles, why, and which rights you have."
AGREED = "These terms are the agreement between you and the company about the service."
ROLES = Roles("vendor", "may use", "your prompts", "unless you opt out")


@pytest.fixture
def database(given_database: Path, tmp_path: Path) -> Path:
    """A copy of the literal database that a test may write."""
    return Path(shutil.copy(given_database, tmp_path / "read.sqlite"))


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    with closing(Store(database)) as opened:
        yield opened


def with_leads(text: str, reading: Reading) -> Reading:
    """Two leads in each text, one of which is in several texts."""
    own = {PRIVACY: (HANDLED, 0.55), PRIVACY_LATER: (HANDLED, 0.6), TERMS: (AGREED, 0.6)}
    found = [lead_on(text, *own[text])] if text in own else []
    if SOLD in text:
        found.append(lead_on(text, SOLD, 0.7))
    return replace(reading, leads=tuple(found))


def shown(store: Store, as_of: date | None = None) -> list[tuple[str, float]]:
    state = store.platform(SLUG, as_of)
    assert state is not None
    return [(lead["quote"], lead["confidence"]) for lead in leads(store, state)]


def test_a_stored_reading_is_returned_unchanged(database: Path) -> None:
    given: list[tuple[tuple[ClauseFinding, ...], tuple[ClauseFinding, ...]]] = []

    def read(text: str, reading: Reading) -> Reading:
        scope, lead_in = Scope("business", "EU", "API"), LeadIn(text[:4], 0, 4)
        changed = [row._replace(roles=ROLES, scope=scope, lead_in=lead_in, read_by="one") for row in reading.findings]
        given.append((tuple(changed), tuple(sorted(with_leads(text, reading).leads, key=lambda lead: lead.start))))
        return replace(with_leads(text, reading), findings=given[-1][0])

    give_readings(database, SLUG, read)
    with Writer(database) as writer:
        numbers = run(writer.connection, "SELECT id FROM snapshot").scalars().all()
        readings = [kept(writer.connection, snapshot, "") for snapshot in numbers]
    assert len(given) == 3
    assert {(reading.findings, reading.leads) for reading in readings if reading.leads} == set(given)


def test_leads_are_ordered_by_confidence_and_ties_by_document(database: Path, store: Store) -> None:
    give_readings(database, SLUG, with_leads)
    assert shown(store) == [(SOLD, 0.7), (HANDLED, 0.6), (AGREED, 0.6)]


def test_a_past_day_has_the_leads_of_its_documents(database: Path, store: Store) -> None:
    give_readings(database, SLUG, with_leads)
    assert shown(store, date(2026, 1, 31)) == [(SOLD, 0.7), (AGREED, 0.6), (HANDLED, 0.55)]


def test_a_lead_is_never_counted_searched_or_compared_but_its_surface_is_not_quiet(
    database: Path, store: Store
) -> None:
    def surfaces() -> dict[str, dict[str, object]]:
        return dict((store.platform(SLUG) or {})["surfaces"])

    def seen() -> object:
        state = dict(store.platform(SLUG) or {})
        counts = {name: (surface["count"], surface["risk"]) for name, surface in state.pop("surfaces").items()}
        return (
            state, counts, store.findings(store.platform(SLUG) or {}), store.changes(limit=100), store.coverage(),
            search_clauses(store, "policy tells information", surface=None, limit=50, offset=0),
        )  # fmt: skip

    before, quiet = seen(), {name for name, surface in surfaces().items() if surface["state"] == "quiet"}
    give_readings(database, SLUG, with_leads)
    assert shown(store)
    assert seen() == before
    to_read = {name: surface["to_read"] for name, surface in surfaces().items() if surface["state"] == "to_read"}
    assert to_read and set(to_read) <= quiet


def test_a_lead_of_a_text_in_two_documents_is_shown_once_in_the_first_of_them(tmp_path: Path) -> None:
    captures = [(document, PRIVACY, "first") for document in ("Terms", "Privacy Policy")]
    with closing(reviewed(tmp_path / "a.sqlite", *captures)) as store:
        give_readings(store.place, SLUG, lambda text, read: replace(read, leads=(lead_on(text, HANDLED, 0.6),)))
        state = store.platform(SLUG)
        assert state is not None
        assert [lead["provenance"]["document"] for lead in leads(store, state)] == ["Privacy Policy"]


def test_of_near_copies_the_one_with_the_highest_confidence_is_shown(tmp_path: Path) -> None:
    other = f"{TERMS}\n{SOLD}\n"
    with closing(
        reviewed(tmp_path / "a.sqlite", ("Privacy Policy", PRIVACY, "first"), ("Terms", other, "first"))
    ) as store:
        give_readings(
            store.place,
            SLUG,
            lambda text, read: replace(read, leads=(lead_on(text, SOLD, 0.5 + 0.1 * (text == other)),)),
        )
        assert shown(store) == [(SOLD, 0.6)]
        # a copy that decided the stance is shown, too
        state = store.platform(SLUG) or {}
        (copy,) = leads(store, state | {"documents": [one for one in state["documents"] if one["document"] != "Terms"]})
        found = leads(store, state | {"stance_decided_by": [copy["id"]]})
        assert [(lead["provenance"]["document"], lead["confidence"]) for lead in found] == [
            ("Terms", 0.6),
            ("Privacy Policy", 0.5),
        ]


def test_a_clause_repeated_in_one_document_is_one_lead(tmp_path: Path) -> None:
    text = f"{TERMS}\n{SOLD}\n\nThe following holds, too.\n\n{SOLD}\n"

    def read(_: str, reading: Reading) -> Reading:
        first, place = lead_on(text, SOLD, 0.6), text.rindex(SOLD)
        again = first._replace(start=place, end=place + len(SOLD), confidence=0.5)
        return replace(reading, leads=(lead_on(text, AGREED, 0.7), first, again))

    with closing(reviewed(tmp_path / "a.sqlite", ("Terms", text, "first"))) as store:
        give_readings(store.place, SLUG, read)
        assert shown(store) == [(AGREED, 0.7), (SOLD, 0.6)]


def test_all_leads_of_undetermined_surfaces_are_shown_and_a_limited_number_of_others(
    database: Path, store: Store
) -> None:
    def read(text: str, reading: Reading) -> Reading:
        words = [word for word in dict.fromkeys(text.split()) if text.count(word) == 1]
        return replace(
            reading, leads=tuple(lead_on(text, word, 0.3 + place / 100) for place, word in enumerate(words[:20]))
        )

    give_readings(database, SLUG, read)
    found = [confidence for _, confidence in shown(store)]
    state = store.platform(SLUG)
    assert state
    assert found == sorted(found, reverse=True)
    assert len(found) > MOST_LEADS
    assert found[0] == 0.3 + 19 / 100
    settled = {name: surface | {"state": "found"} for name, surface in state["surfaces"].items()}
    certain = leads(store, state | {"surfaces": settled, "stance_decided_by": []})
    assert [lead["confidence"] for lead in certain] == found[:MOST_LEADS]
    last = leads(store, state)[-1]
    deciding = leads(store, state | {"surfaces": settled, "stance_decided_by": [last["id"]]})
    assert deciding == [last, *certain[:-1]]
    many = leads(store, state)[: MOST_LEADS + 1]
    assert leads(store, state | {"surfaces": settled, "stance_decided_by": [lead["id"] for lead in many]}) == many
    open_ = {
        name: surface | {"state": "to_read" if name == "third_party_sharing" else "found"}
        for name, surface in settled.items()
    }
    assert leads(store, state | {"surfaces": open_, "stance_decided_by": []}) == leads(store, state)


def test_a_correction_replaces_leads_that_differ_from_the_current_reading(database: Path, store: Store) -> None:
    give_readings(database, SLUG, with_leads)
    assert rerun(database, SLUG)["reread"] == 3
    assert AGREED not in dict(shown(store))


@pytest.fixture
def older(database: Path) -> Path:
    """The literal database as version 1 made it: without roles, leads and directions."""
    with closing(sqlite3.connect(database)) as connection:
        without_lead_ins(connection)
        for role in ("actor", "action", "object", "condition"):
            connection.execute(f"ALTER TABLE finding DROP COLUMN {role}")
        connection.execute("DROP TABLE lead")
        connection.execute("ALTER TABLE change DROP COLUMN directions")
        connection.execute("ALTER TABLE document DROP COLUMN url")
        connection.execute("PRAGMA user_version = 1")
    return database


def test_an_older_database_is_refused_until_an_ingest_upgrades_it(older: Path) -> None:
    with pytest.raises(
        DatabaseError, match="was created by an older riskanalytics: upgrade it with 'riskanalytics ingest'"
    ):
        Store(older)
    give_readings(older, SLUG, with_leads)
    with closing(Store(older)) as store:
        assert shown(store) == [(SOLD, 0.7), (HANDLED, 0.6), (AGREED, 0.6)]
        assert search_clauses(store, "train", surface=None, limit=50, offset=0)[0] > 0
    with Writer(older) as writer:
        assert writer.recall("rules") is None


def test_each_platform_has_its_recorded_stance_or_none_if_nothing_was_read(given_place: Place) -> None:
    with closing(Store(given_place)) as store:
        result = newest_states(store)
        (decided,) = live_findings(store, ["training_use"], ["aurelia-chat"])
    assert {slug: stance["stance"] for slug, stance in result.items()} == {
        "aurelia-chat": "does_not_train", "cafe-lumiere": "undetermined", "northwind-draft": None,
    }  # fmt: skip
    assert result["aurelia-chat"]["decided_by"] == [decided["id"]]
    unread = result["northwind-draft"]
    assert (unread["consumer_stance"], unread["business_stance"], unread["decided_by"]) == (None, None, [])
    assert (unread["rating"], unread["surfaces"]["training_use"]["state"]) == ("UNRATED", "unread")


def test_live_findings_equal_those_of_a_platform_plus_its_name(given_place: Place) -> None:
    with closing(Store(given_place)) as store:
        found = live_findings(store, ["training_use", "data_retention"], ["aurelia-chat"])
        state = store.platform("aurelia-chat")
        assert state is not None
        shown = [row for row in store.findings(state) if row["surface"] in ("training_use", "data_retention")]
        states = [store.platform(slug) for slug, _ in store.names()]
        every = [(row["id"], row["name"]) for row in states if row for row in [row] for _ in store.findings(row)]
        assert [(row["platform"], row["name"]) for row in live_findings(store, SURFACES)] == every
        places = [
            (row["platform"], row["provenance"]["document"], row["provenance"]["start"])
            for row in live_findings(store, SURFACES)
        ]
        assert (len(places), places) == (7, sorted(places))
        assert live_findings(store, SURFACES, []) == []
    assert found == [{"platform": "aurelia-chat", "name": "Aurelia Chat", **row} for row in shown]
