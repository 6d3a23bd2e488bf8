"""A small set of labels against a small database: what nobody labelled is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riskanalytics.accuracy import Score, as_faults, as_record, as_table, score
from riskanalytics.errors import DatabaseError
from tests.accuracy.given import CHANGES, DOCUMENTS, STANCES, write_labels


@pytest.fixture(scope="module")
def result(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Score:
    return score(write_labels(tmp_path_factory.mktemp("labels")), small)


def counts(result: Score, group: str, measure: str) -> tuple[int, int]:
    share = result.groups[group].shares[measure]
    return share.part, share.whole


def test_unlabelled_findings_are_wrong_and_labels_without_a_finding_are_missed(result: Score) -> None:
    assert counts(result, "training_use", "precision") == (2, 2)
    assert counts(result, "terms_changes", "precision") == (0, 1)
    assert counts(result, "ip_liability", "recall") == (0, 1)
    right, shown = counts(result, "all", "precision")
    assert (right, shown) == (4, sum(len(judged.findings) for judged in result.documents))
    assert shown > right


def test_a_label_of_which_the_readers_were_not_sure_need_not_be_found(result: Score) -> None:
    assert counts(result, "human_review", "recall") == (0, 0)
    assert counts(result, "all", "recall") == (4, 5)


def test_either_readers_level_is_right_and_no_other(result: Score) -> None:
    assert counts(result, "content_license", "level") == (1, 1)
    assert counts(result, "data_retention", "level") == (0, 1)


def test_stances_and_levels_are_scored_and_unsure_labels_are_not(result: Score) -> None:
    output = {name: (share.part, share.whole) for name, share in result.shares["stances"].items()}
    assert output == {
        "acceptable": (1, 2), "best": (1, 2), "undetermined": (0, 2),
        "said_to_train": (0, 1), "said_not_to_train": (1, 1), "said_to_be_silent": (0, 0),
    }  # fmt: skip
    assert result.faults == (("stance of", "cafe-lumiere: trains_by_default, labelled silent"),)
    present = {name: (share.part, share.whole) for name, share in result.shares["present"].items()}
    assert (present["training_use"], present["human_review"], present["sensitive_data"]) == ((1, 1), (0, 1), (0, 0))


def test_changes_are_compared_from_the_texts_of_the_database(result: Score) -> None:
    shares = [result.shares["changes"][name] for name in ("material", "surface", "direction")]
    assert [(share.part, share.whole) for share in shares] == [(1, 1)] * 3


def test_all_labels_scored_is_complete(result: Score) -> None:
    assert result.complete
    assert result.refused == result.not_scored == ()


def test_a_label_at_wrong_offsets_is_refused_and_the_others_are_scored(small: Path, tmp_path: Path) -> None:
    first, second = DOCUMENTS[0]["labels"]
    moved = DOCUMENTS[0] | {"labels": [[first[0] + 1, *first[1:]], second, [10**7, 10**7 + 5, *second[2:]]]}
    result = score(write_labels(tmp_path, whole=[moved, *DOCUMENTS[1:]]), small)
    assert not result.complete
    assert [line.partition(":")[0] for line in result.refused] == ["whole.jsonl line 1"] * 2
    assert counts(result, "all", "recall")[1] == 4


def test_labels_without_their_text_are_named_and_left_out(small: Path, tmp_path: Path) -> None:
    unknown = "0" * 64
    result = score(
        write_labels(
            tmp_path,
            whole=[*DOCUMENTS, DOCUMENTS[0] | {"blob_sha256": unknown}],
            training_use=[*STANCES, STANCES[0] | {"platform": "nobody"}],
            changes=[*CHANGES, CHANGES[0] | {"before_sha256": unknown}],
        ),
        small,
    )
    assert len(result.documents) == len(DOCUMENTS)
    assert len(result.not_scored) == 3
    assert f"sha256 {unknown}: 2 labels" in result.not_scored[0]
    assert "nobody" in result.not_scored[1]
    assert not result.complete


def test_the_table_fits_120_columns_and_is_right_aligned(result: Score) -> None:
    lines = as_table(result)
    assert max(map(len, lines)) <= 120
    head, *rows = lines[: lines.index("")]
    assert len({len(line) for line in (head, *rows)}) == 1
    assert [row.split()[0] for row in rows[-3:]] == ["hand_written", "learned", "all"]


def test_a_folder_without_whole_documents_gives_stances_and_changes_alone(small: Path, tmp_path: Path) -> None:
    lines = as_table(score(write_labels(tmp_path, whole=None, quotes="x"), small))
    assert not any(line.startswith("clauses") for line in lines)
    assert any(line.startswith("stances: said to train") for line in lines)
    assert lines[-1] == "a sample only, not read: quotes.jsonl"


def test_errors_are_listed_with_their_quotes_in_the_order_of_surfaces(result: Score) -> None:
    lines = as_faults(result)
    assert any(line.startswith("ip_liability, missed, MED, aurelia-chat: ") for line in lines)
    assert any(line.startswith("data_retention, MED by ") and " instead of HIGH, " in line for line in lines)
    assert any(line.startswith("terms_changes, wrong by ") for line in lines)
    assert lines[-1] == "stance of cafe-lumiere: trains_by_default, labelled silent"


def test_the_record_holds_every_figure_with_its_interval(result: Score) -> None:
    record = json.loads(json.dumps(as_record(result)))
    assert record["complete"] is True
    assert (record["documents"], record["families"], record["labels"], record["firm"]) == (3, 2, 6, 5)
    recall = record["groups"]["all"]["recall"]
    assert (recall["value"], recall["part"], recall["whole"], recall["families"]) == (0.8, 4, 5, 2)
    assert recall["low"] < 0.8 < recall["high"]
    assert record["groups"]["human_review"]["recall"] == {"part": 0, "whole": 0, "families": 0}
    assert sum(one["whole"] for one in record["reliability"]["all"]) == record["groups"]["all"]["precision"]["whole"]
    assert record["changes"]["material"]["part"] == 1


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"nothing")
    with pytest.raises(DatabaseError):
        score(write_labels(tmp_path / "labels"), tmp_path / "x.sqlite")
