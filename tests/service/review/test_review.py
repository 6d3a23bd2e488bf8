"""A review over a platform's history, and what of a database is still to be reviewed."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from riskanalytics.extraction import DocumentReading, extract, unpacked
from riskanalytics.extraction.training import asked, read_whole, stances_key
from riskanalytics.extraction.verdicts import Vote
from riskanalytics.ingest import Capture, Collection, ingest
from riskanalytics.service import Store
from riskanalytics.service.review import (
    histories,
    mark_unread,
    platforms_to_review,
    reread_platform,
    review_platform,
)
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.evidence import live_findings
from riskanalytics.service.store.search import search_clauses
from riskanalytics.service.store.verdicts import choose_readers, keep_stances
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place
from tests.service.fixtures import NewPlace
from tests.service.given import CAFE, PRIVACY, PRIVACY_LATER, TERMS

SIDES: Final = ("class", "rating_before", "rating_after", "stance_before", "stance_after")
OPENED: Final[list[Store]] = []
"""Closed after each test."""
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
BROKEN: Final = "This page isn't available right now. An unexpected error happened, try again later."


class Written(Collection):
    """A collection that is written down in the test: (document, text, kind) a day."""

    name = "written"
    head = "1"

    def __init__(self, *captures: tuple[str, str, str], a_day: int = 1) -> None:
        self._captures, self._a_day = captures, a_day

    def captures(self, known: Any) -> Any:
        for number, (document, text, kind) in enumerate(self._captures):
            if not known(str(number), f"Aurelia Chat/{document}", number):
                at = NOW + timedelta(days=number // self._a_day)
                yield Capture("Aurelia Chat", document, at, str(number), number, kind, text.encode())


def reviewed(place: Place, *captures: tuple[str, str, str], a_day: int = 1) -> Store:
    """Store of a database with these captures, `a_day` of them per day."""
    ingest(Written(*captures, a_day=a_day), place)
    store = Store(place)
    OPENED.append(store)
    return store


def classes(store: Store) -> list[str]:
    """Classes of all changes, oldest first."""
    return [row["class"] for row in reversed(store.changes(limit=100)[1])]


def test_a_capture_marked_technical_is_technical_unless_findings_change(new_place: NewPlace) -> None:
    menu = PRIVACY + "\n[Menu](https://m.example)"
    store = reviewed(
        new_place(),
        ("Privacy Policy", PRIVACY, "first"),
        ("Privacy Policy", menu, "technical"),
        ("Privacy Policy", PRIVACY_LATER, "technical"),
        ("Privacy Policy", PRIVACY_LATER.replace("and which rights", "and what rights"), "technical"),
    )
    assert classes(store) == ["technical", "material", "technical"]


def test_a_change_undone_is_a_revert_and_a_changed_link_is_format(new_place: NewPlace) -> None:
    one, other = PRIVACY + "\n[Help](https://h.example/1)", PRIVACY + "\n[Help](https://h.example/2)"
    texts = [one, other, one, PRIVACY_LATER, one]
    store = reviewed(new_place(), *(("Privacy Policy", text, "change") for text in texts))
    assert classes(store) == ["format", "format", "material", "revert"]
    total, page = store.changes(limit=2, offset=1)
    assert (total, [row["class"] for row in page]) == (4, ["material", "format"])


def test_a_broken_capture_is_one_change_and_recovery_is_not_a_change(new_place: NewPlace) -> None:
    texts = [PRIVACY, BROKEN, BROKEN + " ", BROKEN, PRIVACY]
    store = reviewed(new_place(), *(("Privacy Policy", text, "change") for text in texts))
    assert classes(store) == ["capture_failure"]
    state = store.platform("aurelia-chat")
    assert state is not None
    assert state["verification"] == "verified"
    during = store.platform("aurelia-chat", (NOW + timedelta(days=2)).date())
    assert during is not None
    assert during["verification"] == "stale"
    assert during["rating"] == state["rating"]
    [document] = during["documents"]
    assert {name: document[name] for name in ("state", "captured_at", "newest_capture_at", "language", "read")} == {
        "state": "stale", "captured_at": "2026-01-01T00:00:00Z", "newest_capture_at": "2026-01-03T00:00:00Z",
        "language": "en", "read": True,
    }  # fmt: skip
    assert document["check"] == "error_page"
    assert store.findings(during)


def test_a_capture_failure_moves_neither_stance_nor_rating(new_place: NewPlace) -> None:
    other = (
        "Aurelia Website Terms of Use\n============================\n\nWe do not use your prompts to train our models."
    )
    both = f"{PRIVACY}\n{other}\n\nThese terms are for readers of the website, not for users of the service.\n"
    store = reviewed(new_place(), ("Privacy Policy", PRIVACY, "first"), ("Privacy Policy", both, "change"))
    [change] = store.changes(limit=9)[1]
    assert (change["class"], "another document" in change["summary"]) == ("capture_failure", True)
    assert change["stance_before"] == change["stance_after"] == "trains_by_default"
    assert change["rating_before"] == change["rating_after"]


def test_a_good_capture_counts_although_another_of_the_same_time_is_broken(new_place: NewPlace) -> None:
    one = [("Privacy Policy", PRIVACY, "first"), ("Terms of Service", TERMS, "first")]
    for other in ("Privacy Policy", PRIVACY_LATER, "change"), ("Privacy Policy", BROKEN, "change"):
        captures = [*one, other, ("Terms of Service", BROKEN, "change")]
        with closing(reviewed(new_place(), *captures, a_day=2)) as store:
            state = store.platform("aurelia-chat") or {}
        stance = "does_not_train" if other[1] == PRIVACY_LATER else "trains_by_default"
        assert (state["stance"], state["verification"], state["citation_count"]) == (stance, "stale", 5)


def test_changes_of_texts_that_were_not_read_have_no_stance(new_place: NewPlace) -> None:
    silent = "".join(line for line in CAFE.splitlines(keepends=True) if "训练" not in line)
    texts = (silent, silent.replace("所必要的期限内", "所必需的时间内"))
    [change] = reviewed(new_place(), *(("Terms", text, "change") for text in texts)).changes(limit=9)[1]
    assert (change["class"], change["stance_before"], change["stance_after"]) == ("wording", None, None)


def test_a_broken_first_capture_gives_no_findings_and_no_low_rating(new_place: NewPlace) -> None:
    store = reviewed(new_place(), ("Privacy Policy", BROKEN, "first"))
    state = store.platform("aurelia-chat")
    assert state is not None
    assert (state["rating"], state["verification"]) == ("UNRATED", "unverified")
    assert store.findings(state) == []


def test_the_same_words_in_two_documents_count_once_and_are_marked(new_place: NewPlace) -> None:
    store = reviewed(new_place(), ("Privacy Policy", PRIVACY, "first"), ("Terms of Service", PRIVACY, "first"))
    state = store.platform("aurelia-chat")
    assert state is not None
    findings = store.findings(state)
    assert len(findings) == 2 * state["citation_count"]
    first, second = (
        [finding for finding in findings if finding["provenance"]["document"] == document]
        for document in ("Privacy Policy", "Terms of Service")
    )
    assert [finding["duplicate_of"] for finding in first] == [None] * state["citation_count"]
    assert [finding["duplicate_of"] for finding in second] == [finding["id"] for finding in first]


def test_contradicting_findings_refer_to_each_other(new_place: NewPlace) -> None:
    store = reviewed(new_place(), ("Privacy Policy", PRIVACY, "first"), ("Terms of Service", PRIVACY_LATER, "first"))
    state = store.platform("aurelia-chat")
    assert state is not None
    training = [finding for finding in store.findings(state) if finding["surface"] == "training_use"]
    assert [finding["conflicts_with"] for finding in training] == [[finding["id"]] for finding in reversed(training)]


def test_search_finds_only_the_newest_findings(new_place: NewPlace) -> None:
    store = reviewed(new_place(), ("Privacy Policy", PRIVACY, "first"), ("Privacy Policy", PRIVACY_LATER, "change"))
    assert store.value("SELECT count(*) FROM live_search") == store.value("SELECT count(*) FROM live_finding") > 0
    assert [row["quote"] for row in search_clauses(store, "prompts", surface=None, limit=9, offset=0)[1]] == [
        "We do not use your prompts to train our models."
    ]


def test_no_review_is_due_after_an_ingest_and_all_are_once_the_rules_change(copied_place: Place) -> None:
    with Writer(copied_place) as writer:
        assert platforms_to_review(writer) == []
        with writer.transaction():
            writer.remember("rules", "older rules")
        assert platforms_to_review(writer) == ["aurelia-chat", "cafe-lumiere", "northwind-draft"]
        review_platform(writer, "aurelia-chat")
        assert platforms_to_review(writer) == ["cafe-lumiere", "northwind-draft"]
        with writer.transaction():
            document = writer.document(writer.platform("dataset", "Borealis"), "Terms")
            at = {"captured_at": "2026-02-03T00:00:00Z", "revision": "2026-02-03", "sequence": 9, "kind": "change"}
            writer.add_capture(document_id=document, snapshot_id=writer.add_snapshot(TERMS.encode()), **at)
        assert platforms_to_review(writer) == ["borealis", "cafe-lumiere", "northwind-draft"]


def test_clauses_that_language_models_decide_are_stored_again_by_each_review(copied_place: Place) -> None:
    with Writer(copied_place) as writer:

        def stored() -> list[tuple[Any, ...]]:
            rows = [
                run(writer.connection, f"SELECT surface, start, risk FROM {table}") for table in ("finding", "lead")
            ]
            return sorted(tuple(row) for table in rows for row in table)

        with writer.transaction():
            choose_readers(writer, ["one"], {})
        review_platform(writer, "aurelia-chat")
        kept = stored()
        with writer.transaction() as connection:
            for table in ("finding", "lead"):
                run(connection, f"UPDATE {table} SET risk = 'LOW' WHERE surface = 'content_license'")
        assert stored() != kept
        review_platform(writer, "aurelia-chat")
        assert stored() == kept


def test_an_answer_of_language_models_that_is_open_again_is_no_move_of_the_vendor(new_place: NewPlace) -> None:
    place = new_place()
    first = f"{PRIVACY}\nWe do not use your prompts to train our models.\n"
    later = f"{first}\nWe use the files you upload to train our models.\n"
    store = reviewed(place, ("Privacy Policy", first, "first"), ("Privacy Policy", later, "change"))
    assert store.changes(limit=9)[1][0]["stance_before"] == "undetermined"
    with Writer(place) as writer:
        seen = asked([DocumentReading("Privacy Policy", "a", "2026", read_whole(first, extract(first), []))])
        key = stances_key(unit.key for _, unit, bears in seen if bears)
        with writer.transaction() as connection:
            choose_readers(writer, ["one", "two"], {})
            for reader in ("one", "two"):
                keep_stances(connection, reader, {key: Vote("trains_by_default", "silent", [seen[0][1].key])})
        review_platform(writer, "aurelia-chat")
    states = [store.platform("aurelia-chat", (NOW + timedelta(days=day)).date()) or {} for day in (0, 1)]
    assert [(state["stance"], state["rating"]) for state in states] == [
        ("trains_by_default", "HIGH"),
        ("undetermined", "MED"),
    ]
    [change] = store.changes(limit=9)[1]
    assert [change[name] for name in SIDES] == ["material", "MED", "MED", None, "undetermined"]


def test_histories_are_listed_by_document(copied_place: Place) -> None:
    with Writer(copied_place) as writer:
        result = [
            [unpacked(capture.body) for capture in history.values()]
            for history in histories(writer.connection, "aurelia-chat")
        ]
        assert sorted(result) == sorted([[PRIVACY, PRIVACY_LATER], [TERMS]])


def test_a_platform_without_a_state_is_marked_not_read_yet_and_others_are_unchanged(copied_place: Place) -> None:
    with Writer(copied_place) as writer, writer.transaction() as connection:
        run(
            connection,
            "DELETE FROM state WHERE platform_id IN (SELECT id FROM platform WHERE slug <> 'northwind-draft')",
        )
        mark_unread(writer)
        begun = run(
            connection,
            "SELECT max(valid_from) FROM state s JOIN platform p ON p.id = s.platform_id GROUP BY slug ORDER BY slug",
        )
        # the first capture of each; the platform with a state keeps its own
        assert begun.scalars().all() == ["2026-01-10T00:00:00Z", "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z"]
    with closing(Store(copied_place)) as store:
        result = {row["id"]: (row["rating"], row["risk_reason"]) for row in store.platforms(limit=10)}
        marked = store.platform("cafe-lumiere")
    assert result["cafe-lumiere"] == ("UNRATED", "UNRATED: 0 citations extracted; not read yet")
    assert not result["northwind-draft"][1].endswith("not read yet")
    assert marked is not None
    assert (marked["verification"], marked["stance"], marked["documents"]) == ("unverified", None, [])


def test_a_capture_dated_before_its_predecessors_is_the_newest_state_at_their_time(new_place: NewPlace) -> None:
    texts = (PRIVACY, PRIVACY_LATER)
    store = reviewed(new_place(), *(("Privacy Policy", text, "change") for text in texts), a_day=-1)
    state = store.platform("aurelia-chat")
    assert state is not None
    assert (state["stance"], state["reviewed_at"]) == ("does_not_train", "2026-01-01T00:00:00Z")
    assert state["documents"][0]["captured_at"] == "2025-12-31T00:00:00Z"


def test_a_correction_also_reviews_other_platforms_with_the_corrected_text(copied_place: Place) -> None:
    with Writer(copied_place) as writer, writer.transaction() as connection:
        run(connection, "UPDATE finding SET start = start + 1 WHERE surface = 'content_license'")
        other = writer.document(writer.platform("dataset", "Northwind Draft"), "Terms")
        at = {"captured_at": "2026-02-03T00:00:00Z", "revision": "2026-02-03", "sequence": 9, "kind": "change"}
        writer.add_capture(document_id=other, snapshot_id=writer.add_snapshot(TERMS.encode()), **at)
    with Writer(copied_place) as writer:
        assert reread_platform(writer, "aurelia-chat") == 1
    with closing(Store(copied_place)) as store:
        found = live_findings(store, ["content_license"])
        assert [row["platform"] for row in found] == ["aurelia-chat", "northwind-draft"]
        for row in found:
            start, end = (row["provenance"][name] for name in ("start", "end"))
            assert TERMS[start:end] == row["quote"]
