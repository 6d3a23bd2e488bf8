"""States, changes and counts of a database, of today and of days past."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from hashlib import sha256

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Store
from riskanalytics.service.store.evidence import captures_with, newest_captures
from riskanalytics.settings.databases import Place
from tests.service.given import PRIVACY, PRIVACY_LATER, by_hand

JANUARY = date(2026, 1, 31)


@pytest.fixture
def store(given_place: Place) -> Iterator[Store]:
    with closing(Store(given_place)) as opened:
        yield opened


def test_a_day_shows_the_platforms_and_states_at_its_end(store: Store) -> None:
    assert [row["id"] for row in store.platforms(limit=10, as_of=JANUARY)] == ["aurelia-chat"]
    assert (store.count(JANUARY), store.count()) == (1, 3)
    then, now = store.platform("aurelia-chat", JANUARY), store.platform("aurelia-chat")
    assert then is not None
    assert now is not None
    assert (then["stance"], now["stance"]) == ("trains_by_default", "does_not_train")
    assert store.platform("cafe-lumiere", JANUARY) is None


def test_coverage_counts_platforms_by_verification_and_surfaces_with_a_finding(store: Store) -> None:
    result = store.coverage()
    assert {name: result[name] for name in ("tracked", "verified", "partial", "stale", "unverified")} == {
        "tracked": 3, "verified": 1, "partial": 0, "stale": 0, "unverified": 2,
    }  # fmt: skip
    assert (result["surfaces"]["training_use"], result["surfaces"]["human_review"]) == (2, 0)
    past = store.coverage(JANUARY)
    assert (past["tracked"], past["surfaces"]["training_use"]) == (1, 1)
    assert list(past["surfaces"]) == list(result["surfaces"])


def test_changes_are_found_by_day_class_and_platform(store: Store) -> None:
    total, [change] = store.changes(limit=10, since=date(2026, 3, 5), until=date(2026, 3, 5), classes=["material"])
    assert (total, change["platform"], change["class"]) == (1, "aurelia-chat", "material")
    for nothing in ({"since": date(2026, 3, 6)}, {"classes": ["wording"]}, {"platform": "cafe-lumiere"}):
        assert store.changes(limit=10, **nothing) == (0, [])


def test_a_snapshot_is_returned_byte_for_byte_or_refused(copied_place: Place) -> None:
    store = Store(copied_place)
    state = store.platform("aurelia-chat")
    assert state is not None
    sha256 = state["documents"][0]["snapshot_sha256"]
    assert store.snapshot(sha256) == PRIVACY_LATER.encode()
    assert store.snapshot("0" * 64) is None
    with by_hand(copied_place) as connection:
        connection.execute(f"UPDATE snapshot SET body = substr(body, 1, 9) WHERE sha256 = '{sha256}'")
    store.close()
    with closing(Store(copied_place)) as broken, pytest.raises(DatabaseError, match="does not match its hash"):
        broken.snapshot(sha256)


def test_the_last_second_of_a_day_belongs_to_it(copied_place: Place) -> None:
    late = "2026-03-05T23:59:59Z"
    with by_hand(copied_place) as connection:
        for table, column in (("change", "reviewed_at"), ("state", "valid_from"), ("capture", "captured_at")):
            connection.execute(f"UPDATE {table} SET {column} = '{late}' WHERE {column} > '2026-03'")
    with closing(Store(copied_place)) as store:
        for day, changed, stance in ((4, 0, "trains_by_default"), (5, 1, "does_not_train")):
            state = store.platform("aurelia-chat", date(2026, 3, day))
            assert state is not None
            assert (state["stance"], store.changes(limit=9, until=date(2026, 3, day))[0]) == (stance, changed)
            captures = newest_captures(store, "aurelia-chat", date(2026, 3, day))
            assert [(document, at) for document, _, at in captures] == [
                ("Privacy Policy", late if changed else "2026-01-10T00:00:00Z"), ("Terms of Service", "2026-01-10T00:00:00Z"),
            ]  # fmt: skip
        assert store.changes(limit=9, since=date(2026, 3, 6)) == (0, [])
        assert store.newest == late
        assert newest_captures(store, "aurelia-chat", date(2026, 1, 9)) == []
        # of captures of one time the last of the archive's history, of others the last in time
        for update, day in (("sequence = -sequence", "03-05"), (f"captured_at = '{late}'", "01-10")):
            with by_hand(copied_place) as connection:
                connection.execute(f"UPDATE capture SET {update}")
            text = PRIVACY_LATER if day == "03-05" else PRIVACY
            assert newest_captures(store, "aurelia-chat")[0][1] == sha256(text.encode()).hexdigest()
            times = [row["captured_at"] for row in captures_with(store, sha256(text.encode()).hexdigest())]
            assert (len(times), times) == (2, sorted(times))


def test_all_captures_of_a_document_that_once_had_a_text_are_found(store: Store) -> None:
    hashes = [sha256(text.encode()).hexdigest() for text in (PRIVACY, PRIVACY_LATER)]
    for one in hashes:
        assert [
            tuple(
                row[name]
                for name in ("slug", "document", "captured_at", "revision", "kind", "snapshot_sha256", "sources")
            )
            for row in captures_with(store, one)
        ] == [
            ("aurelia-chat", "Privacy Policy", f"{day}T00:00:00Z", day, "change", own, [])
            for day, own in zip(("2026-01-10", "2026-03-05"), hashes, strict=True)
        ]
    assert captures_with(store, "0" * 64) == []


def test_a_store_refuses_to_write(store: Store) -> None:
    with pytest.raises(DatabaseError):
        store.value("UPDATE meta SET value = 'other' WHERE key = 'rules'")
