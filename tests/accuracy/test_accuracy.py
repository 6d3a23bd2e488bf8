"""The real documents that were labelled whole (needs ../shared)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.accuracy import Score, as_record, read_whole, score
from riskanalytics.extraction import accuracy
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Store
from riskanalytics.service.store.files import backup

pytestmark = pytest.mark.slow

LABELS = Path(__file__).parent / "labels"


@pytest.fixture(scope="module")
def database(real_database: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "real.sqlite"
    backup(real_database, path)
    with open_collection(shared / "data" / "more-policies") as collection:
        ingest(collection, path)
    return path


@pytest.fixture(scope="module")
def calibrate(database: Path) -> Score:
    """The part that may be scored at will; what nothing is made from is not scored by a test."""
    return score(LABELS / "whole" / "calibrate.jsonl", database)


def held(database: Path) -> Iterator[tuple[str, ...]]:
    """Labels of all parts that do not stand where they say."""
    with closing(Store(database)) as store:
        for path in sorted((LABELS / "whole").glob("*.jsonl")):
            for document in read_whole(path):
                yield document.checked_labels(
                    (store.snapshot(document.sha256) or b"").decode("utf-8", errors="replace")
                )[1]


def test_every_label_matches_its_offsets(database: Path) -> None:
    assert [line for refused in held(database) for line in refused] == []


def test_the_recorded_figures_are_those_measured(calibrate: Score) -> None:
    output, record = accuracy()["calibrate"], as_record(calibrate)
    assert calibrate.complete
    assert str(record["rules"]).startswith(str(output["rules"]))  # then follows the hash of the shipped readings
    assert (output["groups"], output["reliability"]) == (record["groups"], record["reliability"])


def test_documents_kept_aside_are_read_as_well_as_before(calibrate: Score) -> None:
    shares = calibrate.groups["all"].shares
    assert (shares["precision"].value or 0) >= 0.9
    assert (shares["recall"].value or 0) >= 0.47
    assert (shares["level"].value or 0) >= 0.8
    assert (calibrate.groups["all"].error or 0) <= 0.03


def test_stances_and_changes_used_for_writing_rules_are_reported(shared: Path, database: Path) -> None:
    folder = shared / "labels" / "dev"
    if not folder.is_dir():
        pytest.skip("needs the labelled clauses beside the checkout (../shared/labels/dev)")
    result = score(folder, database)
    assert result.complete
    stances = result.shares["stances"]
    assert stances["said_to_train"].value == stances["said_not_to_train"].value == 1
    assert (stances["acceptable"].value or 0) >= 0.75
    assert (result.shares["changes"]["material"].value or 0) >= 0.9


def test_every_material_change_of_the_real_history_names_its_cause(database: Path) -> None:
    with closing(Store(database)) as store:
        total, _ = store.changes(limit=1, classes=["material"])
        changes = store.changes(limit=total, classes=["material"])[1]
    assert len(changes) > 100
    for change in changes:
        known = {row["id"] for row in (*change["added"], *change["removed"])}
        assert change["cause"], change["id"]
        assert all(cause["finding"] in known for cause in change["cause"])
        assert list(change["directions"]) == change["surfaces"]
