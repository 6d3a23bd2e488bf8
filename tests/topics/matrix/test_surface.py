"""One surface across platforms: the order, the clauses chosen, what a search leaves, and the words for it."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.topics.matrix.analysis import MATRIX_COLUMNS, risk_matrix
from riskanalytics.topics.matrix.surface import CLAUSE_COLUMNS, explore, surface_clauses, surface_matrix
from riskanalytics.topics.matrix.words import surface_sentences, surface_title
from tests.frames_given import ANSWERS, CELLS, FINDINGS, PLATFORMS, Market, given

SLUGS = ("lumen", "opal", "quill", "tarn", "harbor")
LEVELS = (("LOW", "found"), ("HIGH", "found"), (None, "quiet"), (None, "unread"), ("MED", "found"))


def cells() -> pd.DataFrame:
    rows = [
        {"slug": slug, "surface": "data_retention", "risk": risk, "state": state, "count": 1 if risk else 0}
        for slug, (risk, state) in zip(SLUGS, LEVELS, strict=True)
    ]
    return given(CELLS, *rows)


def findings() -> pd.DataFrame:
    def clause(slug: str, number: int, risk: str, quote: str, **more: object) -> dict[str, object]:
        row = {
            "slug": slug,
            "finding_id": f"{slug}-{number}",
            "surface": "data_retention",
            "risk": risk,
            "quote": quote,
        }
        return {**row, "polarity": "raises_risk", "confidence": 0.9, "document": "Terms", "start": number, **more}

    return given(
        FINDINGS,
        clause("opal", 1, "MED", "We keep it."),
        clause("opal", 2, "HIGH", "We keep it for ever."),
        clause("opal", 3, "HIGH", "We keep it for ever.", duplicate_of="opal-2"),
        clause("harbor", 1, "MED", "As long as necessary."),
        clause("harbor", 2, "LOW", "Deleted in 30 days.", polarity="mitigates_risk"),
        clause("lumen", 1, "LOW", "Deleted at once.", polarity="mitigates_risk"),
        clause("lumen", 2, "HIGH", "We train.", surface="training_use"),
    )


def platforms() -> pd.DataFrame:
    rows = [{"slug": slug, "rating": "HIGH" if slug == "opal" else "MED", "verification": "verified"} for slug in SLUGS]
    return given(PLATFORMS, *rows)


def answers() -> pd.DataFrame:
    return given(
        ANSWERS, *({"slug": slug, "stance": "silent" if slug == "tarn" else "does_not_train"} for slug in SLUGS)
    )


def matrix() -> pd.DataFrame:
    return risk_matrix(findings(), cells(), platforms())


def searched(**asked: str) -> list[str]:
    found = explore(matrix(), findings(), platforms(), answers(), **asked)
    return list(dict.fromkeys(found.matrix["slug"]))


def test_the_worst_on_the_surface_stand_first_and_silence_before_what_is_low() -> None:
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
     ({"surface": "data_retention", "level": "UNKNOWN"}, ["tarn"]),
     ({"rating": "HIGH"}, ["opal"]),
     ({"stance": "silent"}, ["tarn"]),
     ({"verification": "stale"}, []),
     ({"words": "DELETED days"}, ["harbor"]),
     ({"words": "train"}, ["lumen"]),
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


def test_the_words_tell_the_share_with_its_interval_the_silence_and_what_is_not_known() -> None:
    ordered = surface_matrix(matrix(), "data_retention")
    assert surface_title(ordered, "data_retention") == "Data retention: 1 of the 4 platforms read stands at HIGH"
    told = " ".join(surface_sentences(ordered, "data_retention"))
    assert "1 stands at HIGH (25 %, 95 % interval 5 to 70 %), 1 at MED and 1 at LOW" in told
    assert "At HIGH: Opal." in told
    assert "On 1 nothing was found, which is no promise; for 1 the level is not known." in told
    assert "not known" in surface_title(ordered, "nonsense")


@pytest.mark.parametrize("size", [0, 1, 30])
def test_columns_and_dtypes_do_not_depend_on_the_rows(size: int) -> None:
    market = Market(size)
    cells = risk_matrix(market.findings, market.cells, market.platforms)
    ordered = surface_matrix(cells, "training_use")
    chosen = surface_clauses(market.findings, ordered, "training_use")
    assert {name: str(kind) for name, kind in ordered.dtypes.items()} == {k: str(v) for k, v in MATRIX_COLUMNS.items()}
    assert {name: str(kind) for name, kind in chosen.dtypes.items()} == {k: str(v) for k, v in CLAUSE_COLUMNS.items()}
    found = explore(cells, market.findings, market.platforms, market.answers, words="teach")
    pd.testing.assert_series_equal(found.clauses.dtypes, market.findings.dtypes)
    assert surface_sentences(ordered, "training_use")
