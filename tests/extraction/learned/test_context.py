"""A clause's score in its place."""

from __future__ import annotations

import numpy as np

from riskanalytics.extraction.learned.context import FAR, FROM, Read, read, stacked, table
from riskanalytics.extraction.plain import KINDS
from riskanalytics.extraction.sense import COLUMNS, form_of
from riskanalytics.surfaces import SURFACES

OWN = (
    "own", "other", "two_before", "before", "after", "two_after", "mean", "second", "share", "lead", "surface",
    "taken", "excluded", "triggered", "triggers", *COLUMNS, "followed", "document",
)  # fmt: skip
ADS = SURFACES.index("ads_tracking")


def clause(words: str, heading: str = "a", lead_in: str = "", rule: str | None = None, *signs: str) -> Read:
    rules = [rule if name == "ads_tracking" else None for name in SURFACES]
    return read(heading, form_of(words, "sentence", lead_in), signs, rules, {"ads_tracking.x": 700})


def rows(scores: list[int], clauses: list[Read], document: str = "privacy") -> dict[int, dict[str, int]]:
    """Rows on ads, by clause."""
    whole = np.full((len(scores), len(SURFACES)), -5000, dtype=np.int32)
    whole[:, ADS] = scores
    found = table(whole, stacked(clauses), document)
    assert {surface for _, surface in found.places} <= {ADS}
    return {
        place: dict(zip(OWN, row, strict=True))
        for (place, _), row in zip(found.places, found.rows.tolist(), strict=True)
    }


def test_an_empty_text_has_no_candidates() -> None:
    found = table(np.zeros((0, len(SURFACES)), dtype=np.int32), stacked([]), "privacy")
    assert (len(found.rows), found.places) == (0, [])


def test_only_what_scores_or_what_a_rule_takes_is_looked_at() -> None:
    clauses = [clause("we run."), clause("we sell."), clause("we walk.", "a", "", "ads_tracking.x")]
    found = rows([FROM - 1, FROM, -4000], clauses)
    assert list(found) == [1, 2]
    assert (found[1]["taken"], found[2]["taken"]) == (-1, 700)


def test_a_rule_of_which_nothing_is_known_is_not_trusted() -> None:
    assert rows([0], [clause("we sell.", "a", "", "ads_tracking.new")])[0]["taken"] == 0


def test_the_scores_of_the_neighbours_stand_beside_and_nothing_beyond_the_ends() -> None:
    found = rows([10, 20, 30, 40], [clause(f"we sell {number}.") for number in range(4)])
    around = ("two_before", "before", "own", "after", "two_after")
    assert [found[0][name] for name in around] == [FAR, FAR, 10, 20, 30]
    assert [found[2][name] for name in around] == [10, 20, 30, 40, FAR]


def test_a_section_is_what_stands_under_one_heading() -> None:
    found = rows([900, 100, -400, 500], [clause("we sell.", heading) for heading in "aaba"])
    assert [(found[place]["mean"], found[place]["second"]) for place in range(4)] == [
        (500, 500), (500, 500), (-400, -400), (500, 500),
    ]  # fmt: skip
    assert found[0]["share"] == 750


def test_an_item_has_the_score_of_its_lead_in_and_other_clauses_have_none() -> None:
    lead = "we share your data with:"
    clauses = [clause(lead), clause("partners;", "a", lead), clause("friends.", "a", lead), clause("we sleep.")]
    found = rows([800, 1, 2, 3], clauses)
    assert [found[place]["lead"] for place in range(4)] == [FAR, 800, 800, FAR]
    assert [found[place]["followed"] for place in range(4)] == [1, 0, 0, 0]


def test_the_next_best_surface_the_signs_and_the_kind_of_the_document_are_told() -> None:
    scores = np.full((1, len(SURFACES)), -5000, dtype=np.int32)
    scores[0, :2] = 400, 300
    told = clause("we run.", "a", "", None, f"#{SURFACES[0]}", f"!{SURFACES[1]}")
    found = table(scores, stacked([told]), "terms")
    first, second = (dict(zip(OWN, row, strict=True)) for row in found.rows.tolist())
    assert (first["own"], first["other"], second["own"], second["other"]) == (400, 300, 300, 400)
    assert (first["triggered"], second["triggered"]) == (1, 0)
    assert (first["surface"], second["surface"]) == (0, 1)
    assert first["triggers"] == second["triggers"] == 1
    assert first["document"] == KINDS.index("terms")


def test_the_words_of_a_lookalike_are_told_apart_from_those_of_the_surface() -> None:
    lookalike = rows([0], [clause("we run.", "a", "", None, "!ads_tracking")])[0]
    assert (lookalike["excluded"], lookalike["triggered"]) == (1, 0)
