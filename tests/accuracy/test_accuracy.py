"""The extraction beats a plain keyword list on labelled clauses (needs ../shared)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from riskanalytics.accuracy import Score, score, total
from riskanalytics.accuracy.clauses import score_clauses
from riskanalytics.extraction import accuracy
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Store
from tests.accuracy.keyword_list import keyword_list

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "real.sqlite"
    with open_collection(shared / "data" / "genai-contrib-versions.bundle") as collection:
        ingest(collection, path)
    return path


@pytest.fixture(scope="module")
def mine(shared: Path, database: Path) -> Score:
    folder = shared / "labels" / "dev"
    if not folder.is_dir():
        pytest.skip("needs the labelled clauses beside the checkout (../shared/labels/dev)")
    return score(folder, database)


@pytest.fixture(scope="module")
def unseen(database: Path) -> Score:
    """Platforms of the archive that nothing was made from."""
    return score(Path(__file__).parent / "labels" / "unseen", database)


def test_every_label_stands_where_it_says(mine: Score, unseen: Score) -> None:
    assert mine.complete
    assert unseen.complete


def test_the_recorded_figures_are_those_measured(mine: Score) -> None:
    whole, told = total(mine.surfaces), accuracy()
    assert (whole.precision.value, whole.recall.value, whole.f1, whole.labelled) == (
        pytest.approx(told["precision"], abs=0.0005),
        pytest.approx(told["recall"], abs=0.0005),
        pytest.approx(told["f1"], abs=0.0005),
        told["labelled_clauses"],
    )
    assert told["rules"] == mine.rules.rpartition(".")[0]


def test_the_recorded_figures_of_platforms_never_seen_are_those_measured(unseen: Score) -> None:
    told, whole = accuracy()["never_seen"], total(unseen.surfaces)
    for surface, tally in unseen.surfaces.items():
        shown = told["surfaces"][surface]
        assert (shown["precision"]["part"], shown["precision"]["whole"]) == tally.precision
        assert (shown["recall"]["part"], shown["recall"]["whole"]) == tally.recall
    assert (told["lookalikes_reported"], told["lookalikes"]) == whole.reported
    assert told["levels_right"] == whole.level_right


def test_platforms_never_seen_are_read_well(unseen: Score) -> None:
    whole = total(unseen.surfaces)
    assert (whole.precision.value or 0) >= 0.87
    assert (whole.recall.value or 0) >= 0.66
    assert (whole.level.value or 0) >= 0.8
    assert whole.reported.part <= 0.09 * whole.reported.whole
    assert (unseen.platforms.stance_acceptable.value or 0) >= 0.8
    assert (unseen.changes.material.value or 0) >= 0.78


def test_ours_beats_the_keyword_list(mine: Score, database: Path) -> None:
    store = Store(database)
    texts = [
        replace(text, findings=tuple(keyword_list((store.snapshot(text.sha256) or b"").decode("utf-8"))))
        for text in mine.texts
    ]
    store.close()
    theirs = score_clauses(texts)
    assert (total(mine.surfaces).f1 or 0) > (total(theirs).f1 or 0) + 0.1
    assert (mine.surfaces["training_use"].f1 or 0) > (theirs["training_use"].f1 or 0) + 0.2


def test_few_hard_negatives_are_reported(mine: Score) -> None:
    reported = total(mine.surfaces).reported
    assert reported.part <= 0.05 * reported.whole


def test_nearly_all_stances_are_acceptable(mine: Score) -> None:
    assert (mine.platforms.stance_acceptable.value or 0) >= 0.9


def test_every_material_change_of_the_real_history_names_its_cause(database: Path) -> None:
    store = Store(database)
    total, _ = store.changes(limit=1, classes=["material"])
    changes = store.changes(limit=total, classes=["material"])[1]
    store.close()
    assert len(changes) > 200
    for change in changes:
        known = {row["id"] for row in (*change["added"], *change["removed"])}
        assert change["cause"], change["id"]
        assert all(cause["finding"] in known for cause in change["cause"])
        assert list(change["directions"]) == change["surfaces"]


def test_changes_are_told_from_noise(mine: Score) -> None:
    assert (mine.changes.material.value or 0) >= 0.9
