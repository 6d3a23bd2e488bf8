"""Platforms against each other: what differs, who stands lower, which clauses decide, and what is not known."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics.topics import comparison as analysis
from riskanalytics.topics.comparison import comparison_changes, words
from riskanalytics.topics.coverage.documents import freshness
from riskanalytics.topics.ratings.matrix import risk_matrix
from tests.frames_given import ANSWERS, FINDINGS, Market, given
from tests.topics.comparison.given import (
    AURELIA,
    NAMED_CELLS,
    OPAL,
    TARN,
    cell,
    clause,
    compared_from,
    standings,
    summed,
)


def test_the_most_different_surfaces_come_first_and_agreement_last() -> None:
    frame = compared_from(
        cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"),
        cell(AURELIA, "human_review", "MED"), cell(OPAL, "human_review", "HIGH"),
        cell(AURELIA, "output_rights", "LOW"), cell(OPAL, "output_rights"),
        cell(AURELIA, "ip_liability", "MED"), cell(OPAL, "ip_liability", "MED"),
    )  # fmt: skip
    first = frame.drop_duplicates("surface")
    assert list(zip(first["surface"], first["relation"], strict=True))[:3] == [
        ("ads_tracking", "levels"), ("human_review", "levels"), ("output_rights", "silence"),
    ]  # fmt: skip
    assert first["relation"].iloc[-1] == "agree"
    assert set(first["relation"]) == {"levels", "silence", "not known", "agree"}
    assert standings(frame, "ads_tracking") == ["highest", "lowest"]
    assert standings(frame, "output_rights") == ["alone", "silent"]
    assert standings(frame, "ip_liability") == ["same", "same"]
    assert standings(frame, "terms_changes") == ["not read", "not read"]


def test_different_answers_by_plan_are_a_difference_at_the_same_level_and_silence_is_not_an_answer() -> None:
    cells = [cell(AURELIA, "training_use", "HIGH"), cell(OPAL, "training_use", "HIGH")]
    both = {"stance": "trains_by_default", "consumer_stance": "trains_by_default"}
    answers = [
        {"slug": AURELIA, **both, "business_stance": "does_not_train"},
        {"slug": OPAL, **both, "business_stance": "silent"},
    ]
    assert "answers" not in set(compared_from(*cells, answers=answers)["relation"])
    answers[1]["business_stance"] = "trains_by_default"
    assert compared_from(*cells, answers=answers)["relation"].iloc[0] == "answers"


def test_platforms_with_the_same_name_are_distinguished_by_their_slugs() -> None:
    names = {"lumen": "Lumen", "lumen-2": "LUMEN"}
    rows = [cell(slug, "ads_tracking", "LOW", name=name) for slug, name in names.items()]
    frame = given(NAMED_CELLS, *rows)
    matrix = risk_matrix(given(FINDINGS), frame)
    labels = analysis.comparison(matrix, frame, given(FINDINGS), given(ANSWERS), ["lumen-2", "lumen"])["label"]
    assert list(labels.unique()) == ["LUMEN (lumen-2)", "Lumen (lumen)"]


def test_the_clauses_that_decide_come_at_the_level_of_their_surface_first() -> None:
    clauses = [clause(AURELIA, "a1", "HIGH", 0.9), clause(AURELIA, "a2", "MED", 0.7), clause(AURELIA, "a3", "MED", 0.8),
               clause(AURELIA, "a4", "LOW", 0.99), clause(AURELIA, "a5", "HIGH", 0.99),
               clause(OPAL, "o1", "LOW", 0.6), clause(OPAL, "o2", "MED", 0.6)]  # fmt: skip
    clauses[2] |= {"confidence_low": 0.7, "confidence_high": 0.9}
    cells = [cell(AURELIA, "ads_tracking", "MED", decided_by=["a1", "a2", "a3"]), cell(OPAL, "ads_tracking", "MED")]
    frame = compared_from(*cells, clauses=clauses)
    shown = analysis.comparison_clauses(frame, given(NAMED_CELLS, *cells), given(FINDINGS, *clauses))
    assert list(zip(shown["finding_id"], shown["decides"], strict=True)) == [
        ("a3", True), ("a2", True), ("a1", True), ("o2", False),
    ]  # fmt: skip
    sure = frame[frame["surface"] == "ads_tracking"][["confidence", "confidence_low", "confidence_high"]]
    assert sure.fillna(0).to_numpy().tolist() == [[0.8, 0.7, 0.9], [0, 0, 0]]


def test_surfaces_as_different_are_ordered_by_highest_level_differing_pairs_and_the_usual_order() -> None:
    levels = {  # in the order of the result
        "output_rights": "LMH", "third_party_sharing": "MHH", "cross_border_transfer": "MHH", "data_retention": "HM-",
        "human_review": "LMM",
        "ads_tracking": "LM-", "content_license": "MMM",
    }  # fmt: skip
    known, slugs = {"L": "LOW", "M": "MED", "H": "HIGH"}, (AURELIA, OPAL, TARN)
    cells = [
        cell(slug, surface, known.get(letter))
        for surface, letters in levels.items()
        for slug, letter in zip(slugs, letters, strict=True)
    ]
    frame = compared_from(*cells, slugs=slugs)
    result = [surface for surface in frame["surface"].unique() if surface in levels]
    assert result == list(levels)


def test_at_most_three_clauses_decide_and_a_copy_counts_only_where_nothing_else_is_there() -> None:
    rows = [clause(AURELIA, f"a{n}", "HIGH", 0.9 - n / 10) for n in range(5)]
    rows[0]["duplicate_of"] = "a1"
    cells = [cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", state="to_read")]
    rows.append(clause(OPAL, "o1", "HIGH", 0.5) | {"duplicate_of": "gone"})
    frame = compared_from(*cells, clauses=rows)
    shown = analysis.comparison_clauses(frame, given(NAMED_CELLS, *cells), given(FINDINGS, *rows))
    assert shown["finding_id"].tolist() == ["a1", "a2", "a3", "o1"]


def test_each_platform_has_its_own_counts_dates_and_documents_that_could_not_be_read() -> None:
    slugs = (AURELIA, OPAL, TARN)
    frame = compared_from(
        *(cell(slug, "ads_tracking", risk) for slug, risk in zip(slugs, ("HIGH", "LOW", "HIGH"), strict=True)),
        cell(AURELIA, "human_review", "LOW"), cell(OPAL, "human_review"), cell(TARN, "human_review", state="to_read"),
        slugs=slugs,
    )  # fmt: skip
    states = ("broken", "stale", "not_a_policy", "good", "good", "good")
    documents: list[dict[str, Any]] = [
        {"slug": OPAL, "document": f"{n}", "state": state, "captured_at": f"2026-07-{10 + n}"}
        for n, state in enumerate(states)
    ]
    documents[3] |= {"language": "zh", "read": False}
    documents[4] |= {"captured_at": None}
    late = {"slug": TARN, "document": "Terms", "state": "good", "captured_at": "2026-08-02"}
    row = summed(frame, {"slug": OPAL, "stance": "silent"}, documents=[*documents, late]).set_index("slug")
    counted = row[["lowest", "highest", "silent", "undetermined", "unread", "documents", "flagged"]]
    assert counted.to_numpy().tolist() == [[0, 1, 0, 0, 10, 0, 0], [1, 0, 1, 0, 10, 6, 5], [0, 1, 0, 1, 10, 1, 0]]
    assert set(row["surfaces"]) == {12}
    dates = [row[f"{end}_text_at"].dt.strftime("%m-%d")[OPAL] for end in ("oldest", "newest")]
    assert (dates, row["newest_days"].fillna(-1).tolist()) == (["07-10", "07-15"], [-1, 16, 0])


@pytest.mark.parametrize("size", [0, 1, 8])
def test_columns_are_the_same_for_none_one_and_eight(size: int) -> None:
    market = Market(size)
    matrix = risk_matrix(market.findings, market.cells, market.platforms)
    frame = analysis.comparison(matrix, market.cells, market.findings, market.answers, market.slugs)
    fresh = freshness(market.documents, "2026-07-31")
    compared = analysis.compared_platforms(frame, market.platforms, market.answers, fresh)
    clauses = analysis.comparison_clauses(frame, market.cells, market.findings)
    moved = comparison_changes(market.changes, frame, "2020-01-01", "2027-01-01")
    empty = compared_from(slugs=())
    assert dict(frame.dtypes) == dict(empty.dtypes)
    assert len(compared) == size
    for result in (frame, compared, clauses, moved):
        assert isinstance(result.index, pd.RangeIndex)
    assert words.comparison_title(frame)
    assert all(sentence.endswith(".") for sentence in words.comparison_sentences(frame, compared))


@pytest.mark.parametrize("state", ["found", "quiet"])
def test_a_stance_that_is_undetermined_is_neither_silence_nor_a_level(state: str) -> None:
    open_ = cell(OPAL, "training_use", None, state=state)
    answers = [{"slug": OPAL, "stance": "undetermined"}, {"slug": AURELIA, "stance": "does_not_train"}]
    frame = compared_from(cell(AURELIA, "training_use", "LOW"), open_, answers=answers)
    assert standings(frame, "training_use") == ["alone", "undetermined"]
    assert list(frame["relation"].unique()) == ["not known"]
    kept = compared_from(
        cell(OPAL, "training_use", "MED"), cell(AURELIA, "training_use", state="unread"), cell(OPAL, "ads_tracking"),
        answers=[{"slug": slug, "stance": "undetermined"} for slug in (OPAL, AURELIA)],
    )  # fmt: skip
    assert standings(kept, "training_use") == ["not read", "alone"]
    assert standings(kept, "ads_tracking") == ["not read", "silent"]


def test_surfaces_on_which_all_are_silent_agree() -> None:
    frame = compared_from(cell(AURELIA, "ads_tracking"), cell(OPAL, "ads_tracking"), cell(OPAL, "human_review"))
    related = frame.drop_duplicates("surface").set_index("surface")["relation"]
    assert related[["ads_tracking", "human_review"]].tolist() == ["agree", "not known"]
