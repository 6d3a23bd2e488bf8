"""Literal answers on stated dates and on edits under an unmoved date (additions of ours)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.service.review import reread_platform
from riskanalytics.service.store.write import Writer
from tests.service.given import PRIVACY, PRIVACY_LATER, PUBLIC_URL, Caller, build_database, by_hand

HEAD = "Last updated: 2 January 2026\n\n"
STATED = "You may opt out of arbitration within 30 days of first accepting these terms."
FILES = {
    "Opal/Privacy Policy/2026-01-10.md": f"{HEAD}{PRIVACY}\n\nWe do so since 9 January 2026.\n",
    "Opal/Privacy Policy/2026-03-05.md": HEAD + PRIVACY_LATER,
    "Opal/Privacy Policy/2026-03-09.md": f"{HEAD}{PRIVACY_LATER}\n\nWords were added.\n",
    "Opal/Terms of Service/2026-01-10.md": f"{HEAD}Sign in",
    "Tarn/Privacy Policy/2026-01-10.md": HEAD + PRIVACY,
    "Tarn/Privacy Policy/2026-03-05.md": HEAD.replace("2 January", "4 March") + PRIVACY_LATER,
    "Tarn/Terms of Service/2026-01-10.md": f"{PRIVACY}\n\n{STATED}\n",
    "Umber/Privacy Policy/2026-01-10.md": PRIVACY,
    "Umber/Privacy Policy/2026-03-05.md": PRIVACY_LATER,
    "Umber/Privacy Policy/2026-03-09.md": f"{PRIVACY_LATER}\n\nWords were added.\n",
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of documents with and without dates."""
    return build_database(tmp_path_factory.mktemp("dated"), FILES)


@pytest.fixture
def dated(database: Path) -> Iterator[Caller]:
    """A caller on that database."""
    made = Caller(database)
    yield made
    made.close()


def changes(caller: Caller) -> dict[tuple[str, str], Any]:
    listed = caller.call("/api/v1/changes", tier="pro").json()["data"]
    return {(change["platform"], change["class"]): change["silent_edit"] for change in listed}


def test_the_machine_record_has_the_dates_and_periods_that_documents_state(dated: Caller) -> None:
    record = dated.call("/api/machine/platform/tarn").json()
    privacy, terms = (document["snapshot_sha256"] for document in record["documents"])
    text = FILES["Tarn/Terms of Service/2026-01-10.md"]
    assert record["dates"] == [
        {
            "kind": "updated",
            "date": "2026-03-04",
            "period": None,
            "quote": "Last updated: 4 March 2026",
            "provenance": {
                "snapshot_sha256": privacy,
                "archive_url": f"{PUBLIC_URL}/archive/{privacy}",
                "start": 0,
                "end": 26,
                "document": "Privacy Policy",
                "captured_at": "2026-03-05T00:00:00Z",
                "document_url": None,
            },
        },
        {
            "kind": "objection",
            "date": None,
            "period": "P30D",
            "quote": STATED,
            "provenance": {
                "snapshot_sha256": terms,
                "archive_url": f"{PUBLIC_URL}/archive/{terms}",
                "start": text.index(STATED),
                "end": text.index(STATED) + len(STATED),
                "document": "Terms of Service",
                "captured_at": "2026-01-10T00:00:00Z",
                "document_url": None,
            },
        },
    ]


def test_a_past_day_has_the_dates_that_were_stated_then(dated: Caller) -> None:
    def days(path: str) -> list[str]:
        return [one["date"] for one in dated.call(f"/api/machine/platform/{path}").json()["dates"]]

    assert days("tarn?as_of=2026-02-01") == ["2026-01-02", None]
    assert days("umber") == []
    # no date is taken from a document that was not read
    assert days("opal") == ["2026-01-02"]


def test_dates_that_an_older_version_did_not_store_are_read_and_wrong_ones_are_corrected(tmp_path: Path) -> None:
    database = build_database(tmp_path, {name: text for name, text in FILES.items() if name.startswith("Tarn")})
    caller = Caller(database)
    wanted = caller.call("/api/machine/platform/tarn").json()["dates"]
    for stored in (None, "[]"):
        with by_hand(database) as connection:
            connection.execute("UPDATE snapshot SET dates = ?", (stored,))
        assert caller.call("/api/machine/platform/tarn").json()["dates"] == ([] if stored else wanted)
    with Writer(database) as writer:
        assert reread_platform(writer, "tarn") == 3
    assert caller.call("/api/machine/platform/tarn").json()["dates"] == wanted
    caller.close()


def test_a_material_change_is_a_silent_edit_if_the_stated_date_did_not_move(dated: Caller) -> None:
    assert changes(dated) == {
        ("opal", "material"): True,
        ("opal", "wording"): None,
        ("tarn", "material"): False,
        ("umber", "material"): None,
        ("umber", "wording"): None,
    }


def test_a_change_of_the_archive_itself_is_no_edit_of_the_vendor(tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if name.startswith("Opal")}
    database = build_database(tmp_path, files)
    with by_hand(database) as connection:
        connection.execute("UPDATE capture SET kind = 'technical'")
    caller = Caller(database)
    assert changes(caller) == {("opal", "material"): None, ("opal", "wording"): None}
    caller.close()
