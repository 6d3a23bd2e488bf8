"""The real documents that were labelled whole (needs ../shared)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from riskanalytics.accuracy import Score, as_record, score
from riskanalytics.accuracy.labels import read_whole
from riskanalytics.extraction import accuracy
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Store

pytestmark = pytest.mark.slow

LABELS = Path(__file__).parent / "labels"


@pytest.fixture(scope="module")
def policies(shared: Path) -> dict[str, Path]:
    """Files with policies of many vendors, by SHA-256."""
    files = (shared / "data" / "more-policies").rglob("*.md")
    return {sha256(path.read_bytes()).hexdigest(): path for path in files}


@pytest.fixture(scope="module")
def calibrate(policies: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Score:
    """The part that may be scored at will; a part that the rules are not fitted on is not scored by a test."""
    part, folder = LABELS / "whole" / "calibrate.jsonl", tmp_path_factory.mktemp("calibrate")
    for vendor in {
        policies[document.sha256].parents[1] for document in read_whole(part)
    }:  # whole: leads are limited by vendor
        shutil.copytree(vendor, folder / "policies" / vendor.name)
    with open_collection(folder / "policies") as collection:
        ingest(collection, folder / "calibrate.sqlite")
    return score(part, folder / "calibrate.sqlite")


def held(policies: dict[str, Path], database: Path) -> Iterator[tuple[str, ...]]:
    """Return, for each labelled document, the labels whose offsets do not match its text."""
    with closing(Store(database)) as store:
        for part in sorted((LABELS / "whole").glob("*.jsonl")):
            for document in read_whole(part):
                path = policies.get(document.sha256)
                text = path.read_bytes() if path else store.snapshot(document.sha256) or b""
                yield document.checked_labels(text.decode("utf-8", errors="replace"))[1]


def test_every_label_matches_its_offsets(policies: dict[str, Path], real_database: Path) -> None:
    assert [line for refused in held(policies, real_database) for line in refused] == []


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


def test_stances_and_changes_used_for_writing_rules_are_reported(shared: Path, real_database: Path) -> None:
    folder = shared / "labels" / "dev"
    if not folder.is_dir():
        pytest.skip("needs the labelled clauses beside the checkout (../shared/labels/dev)")
    result = score(folder, real_database)
    assert result.complete
    stances = result.shares["stances"]
    assert stances["said_to_train"].value == stances["said_not_to_train"].value == 1
    assert (stances["acceptable"].value or 0) >= 0.75
    assert (result.shares["changes"]["material"].value or 0) >= 0.9


def test_every_material_change_of_the_real_history_names_its_cause(real_database: Path) -> None:
    with closing(Store(real_database)) as store:
        total, _ = store.changes(limit=1, classes=["material"])
        changes = store.changes(limit=total, classes=["material"])[1]
    assert len(changes) > 100
    for change in changes:
        clauses = [*change["added"], *change["removed"]]
        known = {row["id"] for row in clauses}
        only_readers = all(row["surface"] is None for row in clauses)
        assert bool(change["cause"]) is not only_readers, change["id"]
        assert all(cause["finding"] in known for cause in change["cause"])
        assert list(change["directions"]) == change["surfaces"]
