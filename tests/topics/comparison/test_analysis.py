"""Platforms against each other: what differs, who stands lower, which clauses decide, and what is not known."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.comparison import analysis, words
from riskanalytics.topics.comparison.changes import comparison_changes
from riskanalytics.topics.coverage.documents import freshness
from riskanalytics.topics.matrix.analysis import risk_matrix
from tests.frames_given import ANSWERS, CELLS, CHANGES, DOCUMENTS, FINDINGS, PLATFORMS, Market, given

AURELIA, OPAL, TARN = "aurelia-chat", "opal", "tarn"
NAMED_CELLS = {**CELLS, "decided_by": "object"}


def cell(slug: str, surface: str, risk: str | None = None, **more: Any) -> dict[str, Any]:
    state = "found" if risk else "quiet"
    return {"slug": slug, "surface": surface, "risk": risk, "state": state, "count": int(bool(risk)), **more}


def clause(slug: str, number: str, risk: str, confidence: float, surface: str = "ads_tracking") -> dict[str, Any]:
    return {
        "slug": slug,
        "finding_id": number,
        "surface": surface,
        "risk": risk,
        "confidence": confidence,
        "quote": number,
    }


def told(
    *cells: dict[str, Any], slugs: tuple[str, ...] = (AURELIA, OPAL), answers: Any = (), clauses: Any = ()
) -> pd.DataFrame:
    frame, findings = given(NAMED_CELLS, *cells), given(FINDINGS, *clauses)
    matrix = risk_matrix(findings, frame, given(PLATFORMS, *({"slug": slug} for slug in slugs)))
    return analysis.comparison(matrix, frame, findings, given(ANSWERS, *answers), slugs)


def standings(frame: pd.DataFrame, surface: str) -> list[str]:
    return list(frame[frame["surface"] == surface]["standing"])


def test_the_most_different_surfaces_come_first_and_agreement_last() -> None:
    frame = told(
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
    assert standings(frame, "terms_changes") == ["not known", "not known"]


def test_what_is_not_known_wins_nothing() -> None:
    frame = told(cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "SEVERE"))
    assert standings(frame, "ads_tracking") == ["alone", "not known"]
    assert set(frame[frame["surface"] == "ads_tracking"]["relation"]) == {"not known"}
    sentences = " ".join(words.comparison_sentences(frame, summed(frame)))
    assert "none can be compared" in sentences
    assert "Opal on every surface (not read, at a level never seen before)." in sentences
    assert (
        f"Not known: Aurelia Chat on Training use, Web data training, Content licence and {len(SURFACES) - 4} others"
        " (not read);" in sentences
    )


def test_a_platform_that_was_not_read_is_not_told_to_be_silent() -> None:
    unread = cell(AURELIA, "training_use", state="unread", count=None)
    frame = told(unread, cell(OPAL, "training_use"))
    compared = summed(
        frame, *({"slug": slug, "stance": "silent", "consumer_stance": "silent"} for slug in (AURELIA, OPAL))
    )
    assert list(compared["stance"].fillna("")) == ["", "silent"]
    assert "Training use: not known (Aurelia Chat), documents are silent (Opal)." in words.comparison_sentences(
        frame, compared
    )


def test_other_answers_by_plan_are_a_difference_at_the_same_level_and_silence_is_no_answer() -> None:
    cells = [cell(AURELIA, "training_use", "HIGH"), cell(OPAL, "training_use", "HIGH")]
    both = {"stance": "trains_by_default", "consumer_stance": "trains_by_default"}
    answers = [
        {"slug": AURELIA, **both, "business_stance": "does_not_train"},
        {"slug": OPAL, **both, "business_stance": "silent"},
    ]
    assert "answers" not in set(told(*cells, answers=answers)["relation"])
    answers[1]["business_stance"] = "trains_by_default"
    assert told(*cells, answers=answers)["relation"].iloc[0] == "answers"


def test_platforms_of_one_name_are_told_apart_by_their_slugs() -> None:
    rows = [cell(slug, "ads_tracking", "LOW", name="Lumen") for slug in ("lumen", "lumen-2")]
    frame = given(NAMED_CELLS, *rows)
    matrix = risk_matrix(given(FINDINGS), frame)
    labels = analysis.comparison(matrix, frame, given(FINDINGS), given(ANSWERS), ["lumen-2", "lumen"])["label"]
    assert list(labels.unique()) == ["Lumen (lumen-2)", "Lumen (lumen)"]


def summed(frame: pd.DataFrame, *answers: dict[str, Any], documents: Any = ()) -> pd.DataFrame:
    platforms = given(PLATFORMS, *({"slug": slug, "rating": "HIGH"} for slug in frame["slug"].unique()))
    fresh = freshness(given(DOCUMENTS, *documents), "2026-07-31")
    return analysis.compared_platforms(frame, platforms, given(ANSWERS, *answers), fresh)


def test_the_sentences_say_who_stands_lower_on_what_and_name_no_winner_where_there_is_none() -> None:
    cells = [
        cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"),
        cell(AURELIA, "human_review", "MED"), cell(OPAL, "human_review", "HIGH"),
    ]  # fmt: skip
    frame = told(*cells)
    sentences = words.comparison_sentences(frame, summed(frame))
    assert sentences[0] == (
        "They differ most, by two levels, on Ads and tracking (HIGH: Aurelia Chat; LOW: Opal); by less on 1 more."
    )
    assert sentences[1] == (
        "Aurelia Chat stands lower in risk on 1 surface (Human review) and Opal on 1 (Ads and tracking); "
        "neither is lower throughout."
    )
    alike = told(cell(AURELIA, "ads_tracking", "LOW"), cell(OPAL, "ads_tracking", "LOW"))
    assert words.comparison_title(alike).endswith(": the same level on the one surface that can be compared")
    assert words.comparison_title(told(cell(AURELIA, "ads_tracking", "LOW"))).endswith(": no surface can be compared")
    assert words.comparison_title(frame) == f"Aurelia Chat and Opal: different levels on 2 of {len(SURFACES)} surfaces"
    one = told(*cells[:2])
    assert words.comparison_sentences(one, summed(one))[1] == (
        "Opal stands lower in risk on 1 surface (Ads and tracking), Aurelia Chat on none."
    )


def test_three_are_counted_and_old_or_broken_texts_are_told() -> None:
    frame = told(
        cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"), cell(TARN, "ads_tracking", "MED"),
        slugs=(AURELIA, OPAL, TARN),
    )  # fmt: skip
    documents = [
        {
            "slug": OPAL,
            "document": "Terms",
            "captured_at": "2024-07-31",
            "newest_capture_at": "2026-07-31",
            "state": "stale",
        },
        {"slug": TARN, "document": "Terms", "captured_at": "2026-07-31T12:00:00Z", "state": "good"},
    ]
    trains = dict.fromkeys(("stance", "consumer_stance"), "trains_by_default")
    answers = [{"slug": AURELIA, **trains}, {"slug": OPAL, "stance": "does_not_train"}]
    compared = summed(frame, *answers, documents=documents)
    assert list(compared["newest_days"].fillna(-1)) == [-1, 730, 0]
    assert list(compared["flagged"]) == [0, 1, 0]
    sentences = " ".join(words.comparison_sentences(frame, compared))
    assert standings(frame, "ads_tracking") == ["highest", "lowest", "between"]
    assert (
        "lowest level most often: Opal (1); highest level most often: Aurelia Chat (1); Opal is nowhere higher"
        in sentences
    )
    assert "Training use: trains by default (Aurelia Chat), does not train (Opal), not known (Tarn)." in sentences
    assert (
        "No new text is recorded of Opal since 2024-07-31; not readable as last captured: 1 of 1 document of Opal."
        in sentences
    )


def test_the_clauses_that_decide_come_at_the_level_of_their_surface_first() -> None:
    clauses = [clause(AURELIA, "a1", "HIGH", 0.9), clause(AURELIA, "a2", "MED", 0.7), clause(AURELIA, "a3", "MED", 0.8),
               clause(AURELIA, "a4", "LOW", 0.99), clause(OPAL, "o1", "LOW", 0.6), clause(OPAL, "o2", "MED", 0.6)]  # fmt: skip
    cells = [cell(AURELIA, "ads_tracking", "MED", decided_by=["a1", "a2", "a3"]), cell(OPAL, "ads_tracking", "MED")]
    frame = told(*cells, clauses=clauses)
    shown = analysis.comparison_clauses(frame, given(NAMED_CELLS, *cells), given(FINDINGS, *clauses))
    assert list(zip(shown["finding_id"], shown["decides"], strict=True)) == [
        ("a3", True), ("a2", True), ("a1", True), ("o2", False),
    ]  # fmt: skip
    assert frame[frame["surface"] == "ads_tracking"]["confidence"].fillna(0).tolist() == [0.8, 0]


def test_changes_are_those_that_moved_the_risk_where_they_differ_the_latest_first() -> None:
    frame = told(cell(AURELIA, "ads_tracking", "HIGH"), cell(OPAL, "ads_tracking", "LOW"))
    row = {"slug": OPAL, "change_class": "material", "direction": "up", "surfaces": ["ads_tracking", "human_review"]}
    found = [{"id": "x", "surface": "ads_tracking", "quote": "q"}, {"id": "y", "surface": "human_review", "quote": "r"}]
    changes = given(
        CHANGES,
        {**row, "change_id": "old", "reviewed_at": "2026-01-02", "added": found},
        {**row, "change_id": "new", "reviewed_at": "2026-03-02"},
        {**row, "change_id": "still", "reviewed_at": "2026-03-02", "direction": "none"},
        {**row, "change_id": "elsewhere", "reviewed_at": "2026-03-02", "surfaces": ["human_review"]},
        {**row, "change_id": "other", "reviewed_at": "2026-03-02", "slug": TARN},
    )
    moved = comparison_changes(changes, frame, "2026-01-01", "2026-08-01")
    assert list(moved["change_id"]) == ["new", "old"]
    assert moved["surfaces"].iloc[1] == ["ads_tracking"]
    assert [item["id"] for item in moved["added"].iloc[1]] == ["x"]


@pytest.mark.parametrize("size", [0, 1, 8])
def test_columns_are_the_same_for_none_one_and_eight(size: int) -> None:
    market = Market(size)
    matrix = risk_matrix(market.findings, market.cells, market.platforms)
    frame = analysis.comparison(matrix, market.cells, market.findings, market.answers, market.slugs)
    fresh = freshness(market.documents, "2026-07-31")
    compared = analysis.compared_platforms(frame, market.platforms, market.answers, fresh)
    clauses = analysis.comparison_clauses(frame, market.cells, market.findings)
    moved = comparison_changes(market.changes, frame, "2020-01-01", "2027-01-01")
    empty = told(slugs=())
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
    frame = told(cell(AURELIA, "training_use", "LOW"), open_, answers=answers)
    assert standings(frame, "training_use") == ["alone", "undetermined"]
    assert list(frame["relation"].unique()) == ["not known"]
