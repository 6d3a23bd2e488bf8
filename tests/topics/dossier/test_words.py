"""The title and the sentences of a dossier say no more than its frames know."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.surfaces import SURFACES
from tests.frames_given import ANSWERS, CELLS, CHANGES, DOCUMENTS, FINDINGS, PLATFORMS, STATES, given


def state(date: str, rating: str | None = "MED", result: str = "known", stance: str = "silent") -> dict[str, Any]:
    return {"slug": "own", "date": date, "state": result, "rating": rating, "stance": stance}


def sentences(changes: pd.DataFrame | None, states: pd.DataFrame) -> tuple[str, ...]:
    cell = {"slug": "own", "surface": "training_use", "risk": "HIGH", "state": "found"}
    matrix = analysis.risk_matrix(given(FINDINGS), given(CELLS, cell))
    stances = {"consumer_stance": "trains_with_opt_out", "business_stance": "does_not_train"}
    answers = given(ANSWERS, {"slug": "own", "stance": "depends_on_plan", **stances})
    fresh = analysis.freshness(given(DOCUMENTS, {"slug": "own", "document": "Terms", "state": "broken"}), "2026-07-31")
    moves = analysis.platform_moves(states, changes)
    return analysis.dossier_sentences(analysis.peer_levels(matrix, "own"), answers, moves, changes, states, fresh)


def test_sentences_carry_levels_both_audiences_and_what_could_not_be_read() -> None:
    levels, peers, training, moves, documents = sentences(given(CHANGES), given(STATES))
    known = len(SURFACES)
    assert levels == f"Rated HIGH on 1 of {known} surfaces: Training use; not read on {known - 1}."
    assert peers == "There is no other platform to compare with."
    assert "for consumers, it trains on user content unless" in training
    assert "for business customers, it does not train" in training
    assert moves == "No change is recorded."
    assert documents == "Of 1 document, 1 needs attention: Terms (broken and never read before)."


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([], "Past ratings are not known"),
        ([state("2026-03-31"), state("2026-06-30")], "the same on all 2 days read since 2026-03-31"),
        ([state("2026-03-31"), state("2026-06-30", "HIGH")], "between 2026-03-31 and 2026-06-30, from MED to HIGH"),
    ],
)
def test_without_the_changes_a_move_is_never_dated_more_exactly_than_it_is_known(states: list[Any], said: str) -> None:
    assert said in sentences(None, given(STATES, *states))[3]


def test_the_title_of_an_unrated_platform_says_that_it_is_unrated() -> None:
    row = given(PLATFORMS, {"slug": "own", "rating": "UNRATED"}).iloc[0]
    assert analysis.dossier_title(row, None) == "Own: not rated"
    assert analysis.dossier_title({**row, "rating": "LOW"}, "silent") == "Own: rated LOW, training: no clause found"
    assert (
        analysis.dossier_title({**row, "rating": "MED"}, "undetermined")
        == "Own: rated MED, training: undetermined: to be read"
    )
    by_default = analysis.dossier_title({**row, "rating": "HIGH"}, "trains_by_default")
    assert by_default == "Own: rated HIGH, training: trains, no opt-out found"


def test_a_platform_without_any_read_document_is_not_described_as_silent() -> None:
    nothing = given(STATES), analysis.freshness(given(DOCUMENTS), "2026-07-31")
    moves = analysis.platform_moves(nothing[0])
    standing = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS)), "own")
    said = " ".join(analysis.dossier_sentences(standing, given(ANSWERS, {"slug": "own"}), moves, None, *nothing))
    assert "Whether it trains on user content is not known." in said
    assert "silent" not in said


def test_a_change_to_a_missing_rating_is_stated_in_words() -> None:
    moved = {"slug": "own", "change_id": "c1", "reviewed_at": "2026-05-02", "change_class": "material"}
    changes = given(CHANGES, moved | {"rating_before": "MED", "rating_after": None})
    assert "from MED to not known" in sentences(changes, given(STATES))[3]


EVERYBODY, SOME = (
    "You can opt out of ads.",
    "Users in the European Union or United Kingdom may object to this training.",
)


@pytest.mark.parametrize(
    ("clauses", "end"),
    [
        ([], ", and no opt-out was found."),
        ([("ads_tracking", EVERYBODY)], ", and no opt-out was found."),
        ([("training_use", SOME)], ", and only some users can opt out or object."),
        (None, "."),
    ],
)
def test_an_opt_out_for_some_users_is_not_reported_as_missing(clauses: Any, end: str) -> None:
    nothing = given(STATES), analysis.freshness(given(DOCUMENTS), "2026-07-31")
    standing = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS)), "own")
    answers = given(ANSWERS, {"slug": "own", "stance": "trains_by_default"})
    rows = [
        {"slug": "own", "surface": one, "polarity": "mitigates_risk", "quote": words} for one, words in clauses or ()
    ]
    findings = None if clauses is None else given(FINDINGS, *rows)
    result = analysis.dossier_sentences(
        standing, answers, analysis.platform_moves(nothing[0]), None, *nothing, findings
    )
    assert result[2] == f"Training use: it trains on user content by default{end}"
