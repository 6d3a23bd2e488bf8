"""The extraction beats a plain keyword list on labelled clauses (needs ../shared)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.accuracy import scorer
from tests.accuracy.labels import Labels, open_labels, overlaps

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def labels(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Labels:
    if not (shared / "labels" / "dev").is_dir():
        pytest.skip("needs the labelled clauses beside the checkout (../shared/labels/dev)")
    return open_labels(shared, tmp_path_factory.mktemp("archive"))


def test_the_labels_stand_where_they_say(labels: Labels) -> None:
    for row in (*labels.quotes, *labels.negatives):
        assert labels.text(row["blob"])[row["start"] : row["end"]] == row["quote"]


def test_ours_beats_the_keyword_list(labels: Labels) -> None:
    mine, theirs = scorer.score_all(labels, scorer.ours), scorer.score_all(labels, scorer.keyword_list)
    assert scorer.total(mine).f1 > scorer.total(theirs).f1 + 0.1
    assert mine["training_use"].f1 > theirs["training_use"].f1 + 0.2


def test_few_hard_negatives_are_reported(labels: Labels) -> None:
    whole = scorer.total(scorer.score_all(labels, scorer.ours))
    assert whole.negatives_hit <= 0.05 * whole.negatives


def test_nearly_all_stances_are_acceptable(labels: Labels) -> None:
    rows = scorer.score_stances(labels)
    assert sum(given in row["acceptable"] for row, given, _, _ in rows) >= 0.9 * len(rows)


def test_changes_are_told_from_noise(labels: Labels) -> None:
    verdicts = scorer.score_changes(labels)
    assert sum(verdict.right for verdict in verdicts) >= 0.9 * len(verdicts)


def test_spans_hit_by_half_of_the_shorter() -> None:
    row = {"start": 10, "end": 20}
    assert overlaps(15, 100, row)
    assert not overlaps(16, 100, row)
    assert overlaps(0, 100, row)
    assert not overlaps(20, 30, row)
