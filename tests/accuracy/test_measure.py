"""What was measured is written down, and how often the parts that nothing is made from were scored."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest

from riskanalytics.accuracy import Score, as_record, score
from riskanalytics.errors import LabelsError
from tests.accuracy.given import DOCUMENTS, write_labels
from tests.accuracy.measure import recorded, times_left

DAY = date(2026, 11, 22)
BEFORE = """# words of before
[figures]
precision = 0.5

[figures.withdrawn]
why = "they were too good"

[rules]
"ads_tracking.a" = { judged = 2, right = 1 } # 0.1 to 0.9
"""


@pytest.fixture(scope="module")
def result(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Score:
    return score(write_labels(tmp_path_factory.mktemp("labels")), small)


def test_the_figures_of_a_part_are_added_to_the_existing_figures(result: Score) -> None:
    output = tomllib.loads(recorded(BEFORE, "calibrate", result, DAY))
    record = as_record(result)
    part = output["figures"]["calibrate"]
    assert part["measured_on"] == "2026-11-22"
    assert (part["groups"], part["reliability"]) == (record["groups"], record["reliability"])
    assert output["figures"]["withdrawn"] == {"why": "they were too good"}
    assert output["rules"] == tomllib.loads(BEFORE)["rules"]
    assert "stances" not in part


def test_written_again_the_file_is_the_same(result: Score) -> None:
    once = recorded(BEFORE, "calibrate", result, DAY)
    assert recorded(once, "calibrate", result, DAY) == once
    assert once.count("0.1 to 0.9") == 1


def test_each_scoring_of_the_test_is_noted_and_a_fourth_refused(result: Score) -> None:
    written = BEFORE
    for left in (3, 2, 1):
        assert times_left(written, "test") == left
        written = recorded(written, "test", result, DAY)
    output = tomllib.loads(written)["figures"]["test"]
    assert (output["times_scored"], output["scored_on"]) == (3, ["2026-11-22"] * 3)
    with pytest.raises(LabelsError, match="was scored 3 times"):
        recorded(written, "test", result, DAY)
    assert times_left(written, "unseen") == 3
    assert times_left(written, "calibrate") is None


def test_stances_and_changes_are_kept_where_platforms_are_labelled(result: Score) -> None:
    part = tomllib.loads(recorded(BEFORE, "unseen", result, DAY, platforms=result))["figures"]["unseen"]
    assert part["stances"]["said_not_to_train"]["part"] == 1
    assert part["changes"]["material"]["whole"] == 1
    assert part["platform_level"]["whole"] == 2


def test_labels_that_could_not_be_scored_are_not_measured(small: Path, tmp_path: Path) -> None:
    part = score(write_labels(tmp_path, whole=[DOCUMENTS[0] | {"blob_sha256": "0" * 64}]), small)
    with pytest.raises(LabelsError, match="not all labels of test could be scored"):
        recorded(BEFORE, "test", part, DAY)
