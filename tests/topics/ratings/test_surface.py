"""One surface across platforms: the order, the clauses chosen, what a search leaves, and the words for it."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.frames import RATING
from riskanalytics.topics.ratings.matrix import MATRIX_COLUMNS, risk_matrix
from riskanalytics.topics.ratings.surface import CLAUSE_COLUMNS, explore, surface_clauses, surface_matrix
from tests.frames_given import FINDINGS, Market
from tests.topics.ratings.given import answers, findings, matrix, platforms


def searched(**asked: str) -> list[str]:
    found = explore(matrix(), findings(), platforms(), answers(), **asked)
    return list(dict.fromkeys(found.matrix["slug"]))


def test_the_worst_on_the_surface_come_first_and_silence_before_low() -> None:
    ordered = surface_matrix(matrix(), "data_retention")
    assert list(dict.fromkeys(ordered["slug"])) == ["opal", "harbor", "tarn", "quill", "lumen"]
    assert list(dict.fromkeys(ordered["surface"]))[:2] == ["data_retention", "training_use"]
    assert len(ordered) == len(matrix())


def test_a_surface_that_does_not_occur_leaves_the_order() -> None:
    pd.testing.assert_frame_equal(surface_matrix(matrix(), "nonsense"), matrix())


def test_every_platforms_weightiest_clause_comes_before_any_second_one() -> None:
    ordered = surface_matrix(matrix(), "data_retention")
    chosen = surface_clauses(findings(), ordered, "data_retention")
    assert list(chosen["finding_id"]) == ["opal-2", "opal-1", "harbor-1", "harbor-2", "lumen-1"]
    assert list(chosen["of"]) == [2, 2, 2, 2, 1]
    three = surface_clauses(findings(), ordered, "data_retention", most=3)
    assert list(three["finding_id"]) == ["opal-2", "harbor-1", "lumen-1"]


@pytest.mark.parametrize(
    ("asked", "slugs"),
    [({}, ["opal", "lumen", "harbor", "quill", "tarn"]),
     ({"surface": "data_retention"}, ["opal", "harbor", "tarn", "quill", "lumen"]),
     ({"surface": "data_retention", "level": "HIGH"}, ["opal"]),
     ({"surface": "data_retention", "level": "QUIET"}, ["quill"]),
     ({"surface": "data_retention", "level": "UNREAD"}, ["tarn"]),
     ({"rating": "HIGH"}, ["opal"]),
     ({"level": "HIGH"}, ["opal", "lumen"]),
     ({"level": "MED"}, ["harbor"]),
     ({"verification": "verified"}, ["opal", "lumen", "harbor", "quill", "tarn"]),
     ({"stance": "silent"}, ["tarn"]),
     ({"verification": "stale"}, []),
     ({"words": "DELETED days"}, ["harbor"]),
     ({"words": "train"}, ["lumen"]),
     ({"words": "Organization"}, ["harbor"]),
     ({"words": "train", "surface": "data_retention"}, []),
     ({"words": "Quill", "surface": "data_retention"}, ["quill"]),
     ({"words": "terms keep ever"}, ["opal"]),
     ({"words": "(.*"}, [])],
)  # fmt: skip
def test_a_search_leaves_the_platforms_that_match_all_it_asks(asked: dict[str, str], slugs: list[str]) -> None:
    assert searched(**asked) == slugs


def test_the_clauses_that_match_are_those_of_the_platforms_that_match() -> None:
    found = explore(matrix(), findings(), platforms(), answers(), words="keep", rating="HIGH")
    assert set(found.clauses["finding_id"]) == {"opal-1", "opal-2", "opal-3"}
    assert list(found.clauses.columns) == list(FINDINGS)


@pytest.mark.parametrize("size", [0, 1, 30])
def test_columns_and_dtypes_do_not_depend_on_the_rows(size: int) -> None:
    market = Market(size)
    cells = risk_matrix(market.findings, market.cells, market.platforms)
    ordered = surface_matrix(cells, "training_use")
    chosen = surface_clauses(market.findings, ordered, "training_use")
    for frame, columns in ((ordered, MATRIX_COLUMNS), (chosen, CLAUSE_COLUMNS)):
        declared = {name: "category" if dtype == RATING else str(dtype) for name, dtype in columns.items()}
        assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == declared
    found = explore(cells, market.findings, market.platforms, market.answers, words="teach")
    pd.testing.assert_series_equal(found.clauses.dtypes, market.findings.dtypes)


@pytest.mark.parametrize(
    ("asked", "ids"),
    [({"rating": "HIGH"}, ["opal-1", "opal-2", "opal-3"]), ({"words": "DELETED"}, ["harbor-2", "lumen-1"]),
     ({"words": "Lumen", "surface": "data_retention"}, ["lumen-1"]), ({"words": "Lumen"}, ["lumen-1", "lumen-2"]),
     ({"words": "deleted", "level": "LOW"}, ["lumen-1"]), ({"words": "terms", "surface": "training_use"}, ["lumen-2"])],
)  # fmt: skip
def test_the_clauses_found_are_those_of_the_platforms_and_the_surface_asked_for(
    asked: dict[str, str], ids: list[str]
) -> None:
    found = explore(matrix().assign(name="Brand"), findings(), platforms(), answers(), **asked)
    assert sorted(found.clauses["finding_id"]) == ids


def test_a_clause_that_mitigates_risk_is_the_lightest_at_any_level_and_other_platforms_give_none() -> None:
    ordered = surface_matrix(matrix(), "data_retention")
    mild = findings()["finding_id"] == "harbor-2"
    turned = findings().assign(risk=findings()["risk"].mask(mild, "HIGH"))
    chosen = surface_clauses(turned, ordered[ordered["slug"] == "harbor"], "data_retention")
    assert chosen[["finding_id", "place", "level"]].values.tolist() == [["harbor-1", 1, "MED"], ["harbor-2", 2, "HIGH"]]
