"""A small set of labels against a small database: what nobody labelled is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riskanalytics.accuracy import Score, _quote, as_faults, as_record, as_table, score
from riskanalytics.accuracy.scoring import _SAID
from riskanalytics.errors import DatabaseError
from riskanalytics.models import STANCE_NAMES
from tests.accuracy.given import AGREEMENT, CAFE_SLUG, CHANGES, DOCUMENTS, KEPT, STANCES, label, sha256, write_labels
from tests.service.given import PRIVACY_LATER, TERMS, build_database


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
    assert result.not_scored == (
        f"whole.jsonl line 4, aurelia-chat, Privacy Policy, sha256 {unknown}: 2 labels",
        "platform nobody: 1 labels",
        f"changes.jsonl line 2, aurelia-chat: sha256 {unknown}",
    )
    assert not result.complete


def test_an_acceptable_stance_need_not_be_the_best_and_a_change_may_be_wrong_in_each_part(
    small: Path, tmp_path: Path
) -> None:
    change = {key: value for key, value in CHANGES[0].items() if key != "id"}
    stance = {"label": "trains_with_opt_in", "acceptable": ["trains_with_opt_in", "does_not_train"]}
    surfaces = [("training_use", False), ("ip_liability", False), ("data_retention", True)]
    result = score(
        write_labels(
            tmp_path,
            whole=[DOCUMENTS[0] | {"family": "north"}, *DOCUMENTS[1:]],
            training_use=[STANCES[0] | stance],
            platform_surface=[
                *({"platform": "aurelia-chat", "surface": name, "present": said, "risk": "HIGH"} for name, said in surfaces),
                {"platform": "cafe-lumiere", "surface": "training_use", "present": True},
            ],
            changes=[change | {"material": False}, CHANGES[0] | {"surface": "ads_tracking", "direction": "up"},
                     CHANGES[0],
                CHANGES[0] | {"after_sha256": sha256(TERMS), "surface": "ads_tracking", "direction": "up"}],
        ),
        small,
    )  # fmt: skip
    groups = {
        group: {name: (share.part, share.whole) for name, share in shares.items() if share.whole}
        for group, shares in result.shares.items()
    }
    assert groups == {
        "stances": {"acceptable": (1, 1), "best": (0, 1), "undetermined": (0, 1), "said_not_to_train": (1, 1)},
        "present": {"training_use": (1, 2), "ip_liability": (1, 1), "data_retention": (1, 1)},
        "level": {"data_retention": (0, 1)},
        "changes": {"material": (3, 4), "surface": (2, 3), "first_surface": (1, 3), "direction": (2, 3)},
    }
    record = as_record(result)
    assert (record["families"], record["platforms"]) == (3, 2)
    assert [record[name]["ip_liability"]["whole"] for name in ("present", "platform_level")] == [1, 0]  # type: ignore[index]
    assert ["ip_liability", "1.000", "[0.00-1.00]", "1/1", "-"] in [line.split() for line in as_table(result)]
    said = "(aurelia-chat): material on training_use, down; labelled"
    assert [line for _, line in result.faults] == [
        f"changes.jsonl line 1 {said} not material",
        f"c_1 {said} material on ads_tracking, up",
    ]


def test_the_table_fits_120_columns_and_is_right_aligned(result: Score) -> None:
    lines = as_table(result)
    assert max(map(len, lines)) <= 120
    head, *rows = lines[: lines.index("")]
    assert len({len(line) for line in (head, *rows)}) == 1
    assert [row.split()[0] for row in rows[-3:]] == ["hand_written", "learned", "all"]
    assert rows[-1].split()[1:] == [
        "0.667",
        "[0.60-1.00]",
        "4/6",
        "0.800",
        "[0.75-1.00]",
        "4/5",
        "0.667",
        "[0.50-1.00]",
        "2/3",
    ]
    whole = {line.partition("  ")[0]: line.split()[1:] for line in lines[len(rows) + 2 :]}
    assert whole["all"] == [
        "0.500",
        "[0.00-1.00]",
        "1/2",
        "0.500",
        "[0.00-1.00]",
        "1/2",
    ]  # present or not, and the level
    assert whole["data_retention"] == ["-", "-"]
    assert whole["0.9 to 1.0"][2:] == ["0.956", "0.667", "[0.60-1.00]", "4/6"]
    assert "expected calibration error: all 0.290, hand written 0.290, learned -" in lines
    assert "labels missed that are among the leads: 0.000 [0.00-1.00] 0/1" in lines
    assert lines[-3:] == [
        "3 fully labelled documents of 2 families of vendors: 6 labels, 5 of them firm; a finding without a label counts as wrong",
        "intervals: 95 %, families of vendors resampled as of 2026-03-05",
        f"rules {result.rules}; 0 labels refused, 0 texts or platforms missing",
    ]


def test_a_folder_without_whole_documents_gives_stances_and_changes_alone(small: Path, tmp_path: Path) -> None:
    lines = as_table(score(write_labels(tmp_path, whole=None, quotes="x"), small))
    assert not any(line.startswith("clauses") for line in lines)
    assert any(line.startswith("stances: said to train") for line in lines)
    assert lines[-1] == "a sample only, not read: quotes.jsonl"


def test_errors_are_listed_with_their_quotes_in_the_order_of_surfaces(
    result: Score, small: Path, tmp_path: Path
) -> None:
    lines = as_faults(result)
    assert lines == [
        f'ip_liability, missed, MED, aurelia-chat: "{AGREEMENT}"',
        f'data_retention, MED by data_retention.as_long_as_necessary instead of HIGH, aurelia-chat: "{KEPT}"',
        'ads_tracking, wrong by ads_tracking.no_sale, aurelia-chat: "We do not sell your personal data."',
        "terms_changes, wrong by terms_changes.any_time, aurelia-chat: "
        '"We may change these terms at any time in our sole discretion."',
        "stance of cafe-lumiere: trains_by_default, labelled silent",
    ]
    twofold = label(PRIVACY_LATER, KEPT, "data_retention", "LOW", risk_other="HIGH")
    _, second, *_ = as_faults(score(write_labels(tmp_path, whole=[DOCUMENTS[0] | {"labels": [twofold]}]), small))
    assert second.startswith("data_retention, MED by data_retention.as_long_as_necessary instead of LOW, ")
    assert [_quote(f"a \n{'b' * count}") for count in (298, 299)] == [f'"a {"b" * 298}"', f'"a {"b" * 298}[…]"']


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
    assert (record["platforms"], record["as_of"]) == (2, "2026-03-05")
    assert (record["present"]["all"]["whole"], record["platform_level"]["all"]["part"]) == (2, 1)
    assert record["faults"] == ["cafe-lumiere: trains_by_default, labelled silent"]
    assert {name: len(record["reliability"][name]) for name in ("all", "hand_written", "learned")} == {
        "all": 1, "hand_written": 1, "learned": 0,
    }  # fmt: skip
    (stated,) = record["reliability"]["all"]
    assert (stated["from"], stated["to"], round(stated["stated"], 3), stated["part"]) == (0.9, 1.0, 0.956, 4)
    assert record["groups"]["all"]["calibration_error"] == 0.29
    assert "calibration_error" not in record["groups"]["learned"]


def test_documents_that_leave_the_stance_undetermined_say_something_on_training_use_alone(tmp_path: Path) -> None:
    stance = {"platform": CAFE_SLUG, "label": "undetermined", "acceptable": ["undetermined"]}
    surfaces = [
        {"platform": CAFE_SLUG, "surface": name, "present": True, "risk": "HIGH"}
        for name in ("training_use", "data_retention")
    ]
    labels = write_labels(
        tmp_path / "labels", whole=None, changes=None, training_use=[stance], platform_surface=surfaces
    )
    steps: list[tuple[str, int, int]] = []
    shares = score(
        labels, build_database(tmp_path), progress=lambda *step: steps.append(step)
    ).shares  # in Chinese there
    assert steps == [
        ("reading the labelled texts", 0, 3), ("assessing the labelled platforms", 1, 3),
        ("comparing the labelled changes", 2, 3),
    ]  # fmt: skip
    assert [(shares["stances"][name].part, shares["stances"][name].whole) for name in ("best", "undetermined")] == [
        (1, 1)
    ] * 2
    assert [(share.part, share.whole) for share in shares["present"].values() if share.whole] == [(1, 1), (0, 1)]


def test_a_stance_says_that_a_platform_trains_that_it_does_not_that_it_is_silent_or_nothing() -> None:
    said = {stance: tuple(name for name, stances in _SAID.items() if stance in stances) for stance in STANCE_NAMES}
    assert said == {
        **dict.fromkeys(("trains_by_default", "trains_with_opt_out", "depends_on_plan"), ("said_to_train",)),
        **dict.fromkeys(("trains_with_opt_in", "does_not_train"), ("said_not_to_train",)),
        "silent": ("said_to_be_silent",), "undetermined": (),
    }  # fmt: skip


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"nothing")
    with pytest.raises(DatabaseError):
        score(write_labels(tmp_path / "labels"), tmp_path / "x.sqlite")
