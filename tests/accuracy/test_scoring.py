"""A small set of labels against a small database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riskanalytics.accuracy import Score, Share, as_record, as_table, score, total
from riskanalytics.accuracy.clauses import overlaps
from riskanalytics.accuracy.labels import Span
from riskanalytics.errors import DatabaseError
from tests.accuracy.given import CHANGES, NEGATIVES, QUOTES, STANCES, write_labels
from tests.service.given import PRIVACY_LATER


@pytest.fixture(scope="module")
def result(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Score:
    return score(write_labels(tmp_path_factory.mktemp("labels")), small)


def test_findings_and_labelled_clauses_are_counted(result: Score) -> None:
    training = result.surfaces["training_use"]
    assert (training.right, training.judged, training.hit, training.labelled) == (2, 2, 2, 2)
    whole = total(result.surfaces)
    assert (whole.hit, whole.labelled) == (4, 5)
    assert [span.surface for span in whole.missed] == ["ip_liability"]


def test_a_level_that_is_not_the_labelled_one_is_a_fault(result: Score) -> None:
    retention = result.surfaces["data_retention"]
    assert (retention.hit, retention.level_right) == (1, 0)
    ((span, finding),) = retention.off_level
    assert (span.risk, finding.risk) == ("HIGH", "MED")


def test_a_reported_negative_is_a_false_alarm(result: Score) -> None:
    changes = result.surfaces["terms_changes"]
    assert (changes.negatives, changes.negatives_hit) == (1, 1)
    assert (changes.judged, changes.right) == (1, 0)
    assert changes.precision == Share(0, 1)


def test_a_share_of_nothing_is_not_known() -> None:
    assert Share(0, 0).value is None
    assert str(Share(0, 0)) == "-"
    assert Share(0, 0).record() == {"value": None, "low": None, "high": None, "part": 0, "whole": 0}


def test_stances_and_levels_are_scored_and_unsure_labels_are_not(result: Score) -> None:
    platforms = result.platforms
    assert platforms.stance_acceptable == Share(1, 2)
    assert (platforms.accused_wrongly, platforms.acquitted_wrongly) == (Share(1, 1), Share(0, 1))
    assert platforms.undetermined == Share(0, 2)
    assert platforms.faults == ("cafe-lumiere: trains_by_default, labelled silent",)
    assert platforms.present["training_use"] == Share(1, 1)
    assert platforms.present["human_review"] == Share(0, 1)
    assert platforms.present["sensitive_data"] == Share(0, 0)


def test_changes_are_compared_from_the_texts_of_the_database(result: Score) -> None:
    changes = result.changes
    assert (changes.material, changes.surface, changes.direction) == (Share(1, 1), Share(1, 1), Share(1, 1))


def test_all_labels_scored_is_complete(result: Score) -> None:
    assert result.complete
    assert result.refused == result.not_scored == ()


def test_a_quote_that_stands_elsewhere_is_refused_and_the_others_are_scored(small: Path, tmp_path: Path) -> None:
    moved = QUOTES[0] | {"start": QUOTES[0]["start"] + 1}
    beyond = QUOTES[1] | {"start": 10**7, "end": 10**7 + 5}
    hidden = QUOTES[2] | {"quote": "\ud800"}
    body = "".join(json.dumps(row) + "\n" for row in (moved, beyond, hidden, *QUOTES[3:]))
    result = score(write_labels(tmp_path, quotes=body), small)
    assert not result.complete
    assert [line.partition(":")[0] for line in result.refused] == [f"quotes.jsonl line {n}" for n in (1, 2, 3)]
    assert total(result.surfaces).labelled == len(QUOTES) - 3


def test_a_clause_labelled_twice_or_both_ways_counts_once(small: Path, tmp_path: Path) -> None:
    both = {**QUOTES[0], "confusable_with": "training_use"}
    result = score(write_labels(tmp_path, quotes=[*QUOTES, QUOTES[0]], negatives=[*NEGATIVES, both]), small)
    assert [line.partition(":")[0] for line in result.refused] == ["quotes.jsonl line 6", "negatives.jsonl line 2"]
    assert total(result.surfaces).labelled == len(QUOTES)


def test_labels_without_their_text_are_named_and_left_out(small: Path, tmp_path: Path) -> None:
    unknown = "0" * 64
    result = score(
        write_labels(
            tmp_path,
            quotes=[*QUOTES, QUOTES[0] | {"blob_sha256": unknown}],
            training_use=[*STANCES, STANCES[0] | {"platform": "nobody"}],
            changes=[*CHANGES, CHANGES[0] | {"before_sha256": unknown}],
        ),
        small,
    )
    assert total(result.surfaces).labelled == len(QUOTES)
    assert len(result.not_scored) == 3
    assert f"sha256 {unknown}: 1 labels" in result.not_scored[0]
    assert "nobody" in result.not_scored[1]
    assert not result.complete


def test_the_table_fits_120_columns_and_is_right_aligned(result: Score) -> None:
    lines = as_table(result)
    assert max(map(len, lines)) <= 120
    head, *rows = lines[: lines.index("")]
    assert len({len(line) for line in (head, *rows)}) == 1
    assert rows[-1].startswith("all ")


def test_the_record_holds_every_figure_with_its_interval(result: Score) -> None:
    record = json.loads(json.dumps(as_record(result)))
    assert record["complete"] is True
    assert record["all"]["recall"] == {"value": 0.8, "low": 0.3755, "high": 0.9638, "part": 4, "whole": 5}
    assert record["changes"]["material"]["part"] == 1
    assert set(record["present"]) == {*record["surfaces"], "all"}


def test_a_database_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"nothing")
    with pytest.raises(DatabaseError):
        score(write_labels(tmp_path / "labels"), tmp_path / "x.sqlite")


def test_spans_hit_by_half_of_the_shorter() -> None:
    span = Span("", "", "", "", "", 10, 20, PRIVACY_LATER[:10], "training_use", "LOW")
    assert overlaps(15, 100, span)
    assert not overlaps(16, 100, span)
    assert overlaps(0, 100, span)
    assert not overlaps(20, 30, span)
