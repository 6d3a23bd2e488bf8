"""The learned model: scores, kinds, rows of clauses in their context, and trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.extraction import extract
from riskanalytics.extraction.features import Looks, columns_of
from riskanalytics.extraction.learned import FAR, FROM, Kind, Reader, Sigmoid, Trees, load_reader, reader_of, table
from riskanalytics.extraction.plain import KINDS
from riskanalytics.extraction.reading import _scored_parts
from riskanalytics.extraction.segment import parts_of
from riskanalytics.extraction.sense import COLUMNS, form_of
from riskanalytics.models import RATINGS, STANCES
from riskanalytics.surfaces import SURFACES

COUNT = len(SURFACES)
HEAD: dict[str, Any] = {
    "version": "1",
    "surfaces": list(SURFACES),
    "bias": [-500] * COUNT + [0] * 3 * COUNT,
    "trust": {"training_use.used": 900},
    "trees": [[[0, 0, 0, 0, 5]]],
    "calibration": [[1.0, 0.0]] * COUNT,
    "high": [[2.0, 0.0], [2.0, 1.0]],
    "shown": 0.8,
    "high_from": 0.7,
    "lead_from": 0.3,
    "explicit": 0.95,
    "bins": [[0.0, 0.05, 0.2], [0.5, 0.55, 0.7], [0.9, 0.92, 0.96]],
    "kinds": {
        name: [["HIGH", "raises_risk", None], ["LOW", "mitigates_risk", None], ["MED", "raises_risk", None]]
        for name in SURFACES
    },
}


def made(rows: dict[str, dict[int, int]] | None = None, **head: Any) -> Reader:
    """Return a model with these weights by feature and column, and with changes to the usual head."""
    result, rows = HEAD | head, rows or {}
    weights = np.zeros((len(rows), len(result["bias"])), dtype=np.int16)
    for at, cells in enumerate(rows.values()):
        weights[at, list(cells)] = list(cells.values())
    return reader_of(result, list(rows), weights)


def of(surface: str, *weights: int) -> dict[int, int]:
    """Return the weights of the kinds of a surface by their columns."""
    first = COUNT + 3 * SURFACES.index(surface)
    return dict(enumerate(weights, first))


def scores(reader: Reader, *features: str, size: float = 1.0) -> list[int]:
    found: list[int] = reader.scores([reader.known(features)], [size])[0].tolist()
    return found


def kind(reader: Reader, surface: str, *features: str, **more: Any) -> tuple[Kind, float]:
    return reader.kind(surface, scores(reader, *features), **more)


def test_the_score_of_a_clause_is_the_sum_of_its_weights_and_the_bias() -> None:
    reader = made({"train": {0: 2000, 3: -1000}, "#we": {0: 1000}})
    found = scores(reader, "train", "#we", "unknown", size=2.0)
    assert found[:COUNT] == [1000, -500, -500, -1000, *[-500] * (COUNT - 4)]
    assert not any(found[COUNT:])


def test_a_clause_has_the_same_score_alone_and_in_a_batch() -> None:
    reader = load_reader()
    clauses = [reader.known(some) for some in (("train", "#we"), (), ("sell", "share", "#you"), ())]
    sizes = [1.0, 2.5, 3.7, 4.0]
    batch = reader.scores(clauses, sizes).tolist()
    assert batch == [reader.scores([one], [size])[0].tolist() for one, size in zip(clauses, sizes, strict=True)]
    assert batch[1] == list(reader.bias)


def test_the_kind_with_the_highest_score_wins() -> None:
    reader = made({"not": of("training_use", -500, 700), "train": of("training_use", 900)})
    assert kind(reader, "training_use", "not") == (Kind("LOW", "mitigates_risk"), 0.7)
    assert kind(reader, "training_use", "train") == (Kind("HIGH", "raises_risk"), 0.9)


def test_the_margin_is_measured_to_the_best_kind_of_another_level_or_effect() -> None:
    kinds = [["MED", "raises_risk", one] for one in ("trains_by_default", "trains_with_opt_out")]
    kinds = HEAD["kinds"] | {"training_use": [*kinds, ["LOW", "mitigates_risk", None]]}
    reader = made({"train": of("training_use", 900, 800, 500)}, kinds=kinds)
    assert kind(reader, "training_use", "train")[1] == 0.4
    assert kind(reader, "training_use", "train", effects=["raises_risk"])[1] > 100  # no other kind is possible


@pytest.mark.parametrize(("margin", "risk"), [(300, "MED"), (420, "MED"), (424, "HIGH"), (2000, "HIGH")])
def test_high_needs_a_sufficient_chance(margin: int, risk: str) -> None:
    reader = made({"sell": of("ads_tracking", margin)})  # a margin of 0.4236 is a chance of 0.7
    assert kind(reader, "ads_tracking", "sell")[0] == Kind(risk, "raises_risk")


def test_high_depends_on_confidence_and_on_agreement_of_a_rule() -> None:
    reader = made({"sell": of("ads_tracking", 424), "rent": of("ads_tracking", 100)})
    assert kind(reader, "ads_tracking", "sell", confidence=0.99)[0].risk == "MED"
    assert kind(reader, "ads_tracking", "rent")[0].risk == "MED"
    assert kind(reader, "ads_tracking", "rent", agreed=True)[0].risk == "HIGH"


def test_the_effect_stays_if_high_is_not_allowed() -> None:
    reader = made({"sell": of("ads_tracking", 300, 250, 100)})
    assert kind(reader, "ads_tracking", "sell") == (Kind("MED", "raises_risk"), -0.2)


def test_a_surface_with_high_kinds_only_is_high() -> None:
    kinds = HEAD["kinds"] | {SURFACES[-1]: [["HIGH", "raises_risk", None]]}
    assert kind(made(kinds=kinds, bias=HEAD["bias"][:-2]), SURFACES[-1])[0].risk == "HIGH"


@pytest.mark.parametrize(
    ("confidence", "interval"),
    [
        (0.1, (0.05, 0.2)),
        (0.499, (0.05, 0.499)),
        (0.5, (0.5, 0.7)),
        (0.6, (0.55, 0.7)),
        (0.91, (0.91, 0.96)),
        (0.99, (0.92, 0.99)),
    ],
)
def test_the_interval_is_the_bin_extended_to_the_confidence(confidence: float, interval: tuple[float, float]) -> None:
    assert made().interval(confidence) == interval


def test_without_bins_the_interval_is_0_to_1() -> None:
    assert made(bins=[]).interval(0.9) == (0.0, 1.0)


def test_a_chance_grows_with_the_score_without_overflow() -> None:
    chance = Sigmoid(2.0, -1.0)
    assert [chance(score) for score in (-1e9, 0.5, 1e9)] == [0.0, 0.5, 1.0]
    assert chance(0.4) < chance(0.6)


@pytest.mark.parametrize(
    "head",
    [
        {"surfaces": ["other"]},
        {"kinds": {"training_use": [["HIGH"]]}},
        {"calibration": [[1.0]] * COUNT},
        {"trees": [[[0, 0, 0]]]},
        {"bins": [[0.0, 1.0]]},
        {"high": None},
    ],
)
def test_malformed_weights_are_refused(head: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        made(**head)


def test_a_finding_of_the_model_names_its_kind_as_rule() -> None:
    assert Kind("HIGH", "raises_risk").rule == "learned.high"
    assert Kind("LOW", "mitigates_risk").rule == "learned.low"
    assert Kind("MED", "mitigates_risk").rule == "learned.med_mitigates"
    assert Kind("MED", "neutral").rule == "learned.med_neutral"
    assert Kind("LOW", "mitigates_risk", "does_not_train").rule == "learned.does_not_train"


def test_the_weights_of_the_package_are_consistent() -> None:
    reader = load_reader()
    kinds = sum(map(len, reader.kinds.values()))
    assert len(reader.bias) == reader.weights.shape[1] == len(reader.surfaces) + kinds
    assert len(reader.calibration) == len(reader.surfaces)
    assert all(reader.weights[1:].any(axis=1))
    assert 0 < reader.lead_from < reader.shown < 1
    assert all(0 <= low <= high <= 1 for _, low, high in reader.bins)
    assert [start for start, _, _ in reader.bins] == sorted(start for start, _, _ in reader.bins)
    assert all(sigmoid.slope > 0 for sigmoid in (*reader.high, *reader.calibration))
    assert all(0 <= trust <= 1000 for trust in reader.trust.values())
    for surface in reader.surfaces:
        assert len(reader.kinds[surface]) >= 3
        for kind in reader.kinds[surface]:
            assert kind.risk in RATINGS
            assert kind.polarity in ("raises_risk", "mitigates_risk", "neutral")
            assert kind.stance in (None, *STANCES)


def test_rules_alone_read_a_surface_that_the_model_does_not_know() -> None:
    known = tuple(surface for surface in SURFACES if surface != "terms_changes")
    kinds = {name: HEAD["kinds"][name] for name in known}
    bias = [*[-5000] * len(known), *[0] * 3 * len(known)]
    reader = made(surfaces=known, bias=bias, calibration=[[1.0, -3.0]] * len(known), kinds=kinds)
    text = "We may change these terms at any time in our sole discretion."
    reading = extract(text, reader)
    (found,) = reading.findings
    assert reading.leads == ()
    assert (found.rule, found.risk, found.quote) == ("terms_changes.any_time", "HIGH", text)
    assert (found.confidence, found.confidence_interval) == (reader.shown, (0.0, 1.0))


def test_heading_neighbours_and_kind_of_document_count_in_the_score_of_a_clause() -> None:
    names = ("H:shar", "Pksentence", "Pkitem", "Nksentence", "Nkitem", "K:privacy")
    reader = made({name: {at: 9000} for at, name in enumerate(names)})
    text = (
        "# Sharing\n\nAlpha beta gamma here.\n\nDelta words follow here:\n\n* one thing to see;\n* other thing to see.\n\n"
        "# Else\n\nWords at the end.\n"
    )
    parts = [part for _, part in _scored_parts(reader, parts_of(text), "privacy")]
    found = {
        piece.words[:5]: {name for name, score in zip(names, row, strict=False) if score > 0}
        for part in parts
        for piece, row in zip(part.pieces, part.scores.tolist(), strict=True)
    }
    assert found == {
        "Alpha": {"H:shar", "Nksentence", "K:privacy"},
        "Delta": {"H:shar", "Pksentence", "Nkitem", "K:privacy"},
        "one t": {"H:shar", "Pksentence", "Nkitem", "K:privacy"},
        "other": {"H:shar", "Pkitem", "Nksentence", "K:privacy"},
        "Words": {"Pkitem", "K:privacy"},
    }


OWN = (
    "own", "other", "two_before", "before", "after", "two_after", "mean", "second", "share", "lead", "surface",
    "taken", "excluded", "triggered", "triggers", *COLUMNS, "followed", "document",
)  # fmt: skip
ADS = SURFACES.index("ads_tracking")


Clause = tuple[str, tuple[int, ...]]
"""Heading and other columns of a clause for the table."""


def clause(words: str, heading: str = "a", lead_in: str = "", rule: str | None = None, *signs: str) -> Clause:
    looks = Looks({}, signs, tuple(rule if name == "ads_tracking" else None for name in SURFACES))
    return heading, columns_of(looks, form_of(words, "sentence", lead_in), {"ads_tracking.x": 700}, SURFACES)


def in_place(scores: list[int], clauses: list[Clause], document: str = "privacy") -> dict[int, dict[str, int]]:
    """Return the rows on ads by clause."""
    whole = np.full((len(scores), len(SURFACES)), -5000, dtype=np.int32)
    whole[:, ADS] = scores
    headings, columns = zip(*clauses, strict=True)
    rows, places = table(whole, headings, np.array(columns, dtype=np.int32), document)
    assert {surface for _, surface in places} <= {ADS}
    return {place: dict(zip(OWN, row, strict=True)) for (place, _), row in zip(places, rows.tolist(), strict=True)}


def test_only_clauses_with_a_score_or_a_rule_get_a_row() -> None:
    clauses = [clause("we run."), clause("we sell."), clause("we walk.", "a", "", "ads_tracking.x")]
    found = in_place([FROM - 1, FROM, -4000], clauses)
    assert list(found) == [1, 2]
    assert (found[1]["taken"], found[2]["taken"]) == (-1, 700)


def test_an_unknown_rule_has_no_trust() -> None:
    assert in_place([FROM - 1], [clause("we sell.", "a", "", "ads_tracking.new")])[0]["taken"] == 0


def test_rows_contain_the_scores_of_the_neighbours() -> None:
    found = in_place([10, 20, 30, 40], [clause(f"we sell {number}.") for number in range(4)])
    around = ("two_before", "before", "own", "after", "two_after")
    assert [found[0][name] for name in around] == [FAR, FAR, 10, 20, 30]
    assert [found[2][name] for name in around] == [10, 20, 30, 40, FAR]


def test_clauses_under_one_heading_are_a_section() -> None:
    found = in_place([900, 100, -400, 500], [clause("we sell.", heading) for heading in "aaba"])
    assert [(found[place]["mean"], found[place]["second"]) for place in range(4)] == [
        (500, 500), (500, 500), (-400, -400), (500, 500),
    ]  # fmt: skip
    assert found[0]["share"] == 750


def test_only_an_item_has_the_score_of_its_lead_in() -> None:
    lead = "we share your data with:"
    clauses = [clause(lead), clause("partners;", "a", lead), clause("friends.", "a", lead), clause("we sleep.")]
    found = in_place([800, 1, 2, 3], clauses)
    assert [found[place]["lead"] for place in range(4)] == [FAR, 800, 800, FAR]
    assert [found[place]["followed"] for place in range(4)] == [1, 0, 0, 0]


def test_rows_contain_the_next_best_surface_the_signs_and_the_document_kind() -> None:
    scores = np.full((1, len(SURFACES)), -5000, dtype=np.int32)
    scores[0, :2] = 400, 300
    result = clause("we run.", "a", "", None, f"#{SURFACES[0]}", f"!{SURFACES[1]}")
    found, _ = table(scores, [result[0]], np.array([result[1]]), "terms")
    first, second = (dict(zip(OWN, row, strict=True)) for row in found.tolist())
    assert (first["own"], first["other"], second["own"], second["other"]) == (400, 300, 300, 400)
    assert (first["triggered"], second["triggered"]) == (1, 0)
    assert (first["surface"], second["surface"]) == (0, 1)
    assert first["triggers"] == second["triggers"] == 1
    assert first["document"] == KINDS.index("terms")


def test_words_of_a_lookalike_do_not_count_as_words_of_the_surface() -> None:
    lookalike = in_place([0], [clause("we run.", "a", "", None, "!ads_tracking")])[0]
    assert (lookalike["excluded"], lookalike["triggered"]) == (1, 0)


ALONE = [[0, 0, 0, 0, 7]]
DEEP = [[0, 5, 1, 2, 0], [0, 0, 1, 1, 100], [1, -3, 3, 4, 0], [0, 0, 3, 3, 200], [0, 0, 4, 4, -300]]
"""Column 0 at most 5: 100; else column 1 at most -3: 200, else -300."""


def rows_of(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.int32)


def test_a_row_goes_left_up_to_the_border_and_right_above_it() -> None:
    rows = rows_of([5, 9], [6, -3], [6, -2], [-100, -100])
    assert Trees([DEEP]).sums(rows).tolist() == [100, 200, -300, 100]


def test_the_leaves_of_all_trees_are_added() -> None:
    assert Trees([ALONE, DEEP, DEEP]).sums(rows_of([6, -3], [6, 0])).tolist() == [407, -593]


def test_without_trees_the_sums_are_0_and_without_rows_empty() -> None:
    assert Trees([]).sums(rows_of([1, 2], [3, 4])).tolist() == [0, 0]
    assert Trees([DEEP]).sums(np.zeros((0, 2), dtype=np.int32)).tolist() == []


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=30))
def test_a_row_has_the_same_sum_alone_and_among_others(rows: list[tuple[int, int]]) -> None:
    trees = Trees([ALONE, DEEP])
    assert trees.sums(rows_of(*map(list, rows))).tolist() == [trees.sums(rows_of(list(row)))[0] for row in rows]
