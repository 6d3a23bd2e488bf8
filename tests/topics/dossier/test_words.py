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
        ([], "Past ratings are not known: this key shows neither changes nor past states."),
        ([state("2026-03-31"), state("2026-06-30", "HIGH", "not known")], "Past ratings are not known"),
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
    assert analysis.dossier_title({**row, "name": None}, None) == "own: not rated"
    by_default = analysis.dossier_title({**row, "rating": "HIGH"}, "trains_by_default")
    assert by_default == "Own: rated HIGH, training: trains, no opt-out found"


def test_a_platform_without_any_read_document_is_not_described_as_silent() -> None:
    nothing = given(STATES), analysis.freshness(given(DOCUMENTS), "2026-07-31")
    moves = analysis.platform_moves(nothing[0])
    standing = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS)), "own")
    said = " ".join(analysis.dossier_sentences(standing, given(ANSWERS, {"slug": "own"}), moves, None, *nothing))
    assert "Whether it trains on user content is not known." in said
    assert "silent" not in said
    unsure = given(ANSWERS, {"slug": "own", "stance": "undetermined"})
    said = analysis.dossier_sentences(standing, unsure, moves, None, *nothing)[2]
    assert said.startswith("Training use: it ")


def test_a_change_to_a_missing_rating_is_stated_in_words() -> None:
    moved = {"slug": "own", "change_id": "c1", "reviewed_at": "2026-05-02", "change_class": "material"}
    changes = given(CHANGES, moved | {"rating_before": "MED", "rating_after": None})
    assert "from MED to not known" in sentences(changes, given(STATES))[3]


def test_the_last_move_is_of_the_rating_and_without_one_it_is_the_same_since_the_first_recorded_change() -> None:
    sides = {
        "rating_before": "MED",
        "rating_after": "MED",
        "stance_before": "silent",
        "stance_after": "trains_by_default",
    }
    days = {"c1": "2026-03-02", "c2": "2026-05-02", "c3": "2026-06-02"}
    rows = [
        {"slug": "own", "change_id": one, "reviewed_at": day, "change_class": "wording"} | sides
        for one, day in days.items()
    ]
    rows[0]["change_class"] = "material"
    said = (
        "Its rating has not changed since the first recorded change, 2026-03-02; of 3 recorded changes, 1 is material."
    )
    assert sentences(given(CHANGES, *rows), given(STATES))[3] == said
    rows[1]["rating_before"] = "HIGH"
    said = "Its rating last changed on 2026-05-02, from HIGH to MED; of 3 recorded changes, 1 is material."
    assert sentences(given(CHANGES, *rows), given(STATES))[3] == said


def test_levels_and_peers_are_counted_and_named_and_a_surface_to_be_read_is_neither() -> None:
    levels = {
        "training_use": "HIGH",
        "ads_tracking": "MED",
        "human_review": "LOW",
        "output_rights": None,
        "ip_liability": None,
    }
    states = dict(zip(levels, ("found", "found", "found", "quiet", "to_read"), strict=True))
    cells = [{"slug": "own", "surface": one, "risk": risk, "state": states[one]} for one, risk in levels.items()]
    cells += [
        {"slug": slug, "surface": one, "risk": risk, "state": "found"}
        for slug in ("a", "b")
        for one, risk in (("training_use", "LOW"), ("ads_tracking", "HIGH"), ("human_review", "LOW"))
    ]
    standing = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS, *cells)), "own")
    old = {"slug": "own", "document": "Terms", "state": "good", "captured_at": "2020-01-01"}
    fresh = analysis.freshness(given(DOCUMENTS, old), "2026-07-31")
    answers = given(
        ANSWERS,
        {"slug": "own", "stance": "does_not_train", "consumer_stance": "does_not_train", "business_stance": "silent"},
    )
    said = analysis.dossier_sentences(
        standing, answers, analysis.platform_moves(given(STATES)), None, given(STATES), fresh
    )
    assert said[:2] == (
        "Rated HIGH on 1 of 12 surfaces: Training use; "
        "MED on 1, LOW on 1, without a clause on 1, to be read on 1 and not read on 7.",
        "Higher than most of 2 other platforms on Training use. Lower than most of 2 other platforms on Ads and tracking.",
    )
    assert said[2] == "Training use: it does not train on user content."
    assert said[4] == "All documents could be read (1)."


def test_four_surfaces_and_documents_are_named_and_the_others_counted() -> None:
    names = ["training_use", "web_data_training", "content_license", "output_rights", "ip_liability", "data_retention"]
    cells = [{"slug": "own", "surface": one, "risk": "HIGH", "state": "found"} for one in names]
    cells += [{"slug": slug, "surface": one, "risk": "LOW", "state": "found"} for slug in "ab" for one in names]
    standing = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS, *cells)), "own")
    documents = given(DOCUMENTS, *({"slug": "own", "document": f"D{n}", "state": "broken"} for n in range(6)))
    fresh, moves = analysis.freshness(documents, "2026-07-31"), analysis.platform_moves(given(STATES))
    answers = given(ANSWERS, {"slug": "own", "stance": "silent"})
    said = analysis.dossier_sentences(standing, answers, moves, None, given(STATES), fresh)
    four = "Training use, Web data training, Content licence, Output rights and 2 others"
    broken = ", ".join(f"D{n} (broken and never read before)" for n in range(4))
    assert (said[0], said[1], said[2], said[4]) == (
        f"Rated HIGH on 6 of 12 surfaces: {four}; not read on 6.",
        f"Higher than most of 2 other platforms on {four}.",
        "No clause on training use was found.",
        f"Of 6 documents, 6 need attention: {broken} and 2 others.",
    )


EVERYBODY, SOME = (
    "You can opt out of ads.",
    "Users in the European Union or United Kingdom may object to this training.",
)


@pytest.mark.parametrize(
    ("clauses", "end"),
    [
        ([], ", and no opt-out was found."),
        ([("ads_tracking", EVERYBODY)], ", and no opt-out was found."),
        ([("training_use", SOME, "raises_risk")], ", and no opt-out was found."),
        ([("training_use", SOME)], ", and only some users can opt out or object."),
        (
            [("training_use", "We delete your data."), ("training_use", SOME)],
            ", and only some users can opt out or object.",
        ),
        (None, "."),
    ],
)
def test_an_opt_out_for_some_users_is_not_reported_as_missing(clauses: Any, end: str) -> None:
    nothing = given(STATES), analysis.freshness(given(DOCUMENTS), "2026-07-31")
    standing = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS)), "own")
    answers = given(ANSWERS, {"slug": "own", "stance": "trains_by_default"})
    rows = [
        {"slug": "own", "surface": one, "polarity": (*effect, "mitigates_risk")[0], "quote": words}
        for one, words, *effect in clauses or ()
    ]
    findings = None if clauses is None else given(FINDINGS, *rows)
    result = analysis.dossier_sentences(
        standing, answers, analysis.platform_moves(nothing[0]), None, *nothing, findings
    )
    assert result[2] == f"Training use: it trains on user content by default{end}"
    other = answers.assign(stance="does_not_train"), analysis.platform_moves(nothing[0])
    said = analysis.dossier_sentences(standing, *other, None, *nothing, findings)
    assert said[2] == "Training use: it does not train on user content."
