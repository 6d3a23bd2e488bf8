"""Adding up learned weights, and what is told by them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.extraction import extract
from riskanalytics.extraction.learned import Kind, Reader, Sigmoid, Weights, load_reader, parsed, unpacked
from riskanalytics.models import RATINGS, STANCES
from riskanalytics.surfaces import SURFACES

COLUMNS = len(SURFACES)
HEAD = {
    "version": "1",
    "surfaces": list(SURFACES),
    "bias": [-500] * COLUMNS,
    "trust": {"training_use.used": 900},
    "trees": [[[0, 0, 0, 0, 5]]],
    "calibration": [[1.0, 0.0]] * COLUMNS,
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
    "kind_bias": {name: [0, 0, 0] for name in SURFACES},
}


def body(*lines: str, **head: object) -> str:
    return "\n".join((json.dumps(HEAD | head), *lines)) + "\n"


def scores(reader: Reader, features: set[str], size: float) -> list[int]:
    found: list[int] = unpacked([reader.weights.packed(features)], [size], reader.bias)[0].tolist()
    return found


def test_the_score_of_a_clause_is_the_sum_of_its_weights_and_the_bias() -> None:
    reader = parsed(body("train\t 0:2000 3:-1000", "#we\t 0:1000"))
    assert scores(reader, {"train", "#we", "unknown"}, 2.0) == [1000, -500, -500, -1000, *[-500] * (COLUMNS - 4)]


def test_a_clause_is_of_the_kind_with_the_highest_sum() -> None:
    reader = parsed(body("not\ttraining_use 0:-500 1:700", "train\ttraining_use 0:900"))
    assert reader.kind("training_use", {"not"}, 1.0) == (Kind("LOW", "mitigates_risk"), 0.7)
    assert reader.kind("training_use", {"train"}, 1.0) == (Kind("HIGH", "raises_risk"), 0.9)


def test_a_kind_is_only_as_far_ahead_as_the_nearest_of_another_level_or_effect() -> None:
    kinds = [["MED", "raises_risk", one] for one in ("trains_by_default", "trains_with_opt_out")]
    kinds = HEAD["kinds"] | {"training_use": [*kinds, ["LOW", "mitigates_risk", None]]}  # type: ignore[operator]
    reader = parsed(body("train\ttraining_use 0:900 1:800 2:500", kinds=kinds))
    assert reader.kind("training_use", {"train"}, 1.0)[1] == 0.4
    assert reader.kind("training_use", {"train"}, 1.0, ["raises_risk"])[1] > 100  # nothing else comes into question


@pytest.mark.parametrize(("margin", "risk"), [(300, "MED"), (420, "MED"), (424, "HIGH"), (2000, "HIGH")])
def test_high_is_said_only_where_its_chance_allows_it(margin: int, risk: str) -> None:
    reader = parsed(body(f"sell\tads_tracking 0:{margin}"))  # a margin of 0.4236 is a chance of 0.7
    assert reader.kind("ads_tracking", {"sell"}, 1.0)[0] == Kind(risk, "raises_risk")


def test_high_is_not_said_of_a_clause_that_may_be_none_and_more_easily_where_a_rule_says_so_too() -> None:
    reader = parsed(body("sell\tads_tracking 0:424", "rent\tads_tracking 0:100"))
    assert reader.kind("ads_tracking", {"sell"}, 1.0, confidence=0.99)[0].risk == "MED"
    assert reader.kind("ads_tracking", {"rent"}, 1.0)[0].risk == "MED"
    assert reader.kind("ads_tracking", {"rent"}, 1.0, agreed=True)[0].risk == "HIGH"


def test_where_high_is_not_said_the_effect_on_the_risk_is_kept() -> None:
    reader = parsed(body("sell\tads_tracking 0:300 1:250 2:100"))
    assert reader.kind("ads_tracking", {"sell"}, 1.0) == (Kind("MED", "raises_risk"), -0.2)


def test_a_surface_whose_clauses_are_all_high_says_high() -> None:
    kinds = HEAD["kinds"] | {"ads_tracking": [["HIGH", "raises_risk", None]]}  # type: ignore[operator]
    biases = HEAD["kind_bias"] | {"ads_tracking": [0]}  # type: ignore[operator]
    assert parsed(body(kinds=kinds, kind_bias=biases)).kind("ads_tracking", set(), 1.0)[0].risk == "HIGH"


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
def test_the_interval_is_that_of_the_bin_and_holds_the_confidence(
    confidence: float, interval: tuple[float, float]
) -> None:
    assert parsed(body()).interval(confidence) == interval


def test_without_a_bin_nothing_is_known() -> None:
    assert parsed(body(bins=[])).interval(0.9) == (0.0, 1.0)


def test_a_chance_grows_with_the_score_and_no_score_is_too_large() -> None:
    chance = Sigmoid(2.0, -1.0)
    assert [chance(score) for score in (-1e9, 0.5, 1e9)] == [0.0, 0.5, 1.0]
    assert chance(0.4) < chance(0.6)


ROWS = st.lists(
    st.lists(st.integers(-50_000, 50_000), min_size=COLUMNS, max_size=COLUMNS), min_size=1, max_size=60
)  # fmt: skip


@given(ROWS)
def test_columns_never_run_into_each_other(rows: list[list[int]]) -> None:
    weights = Weights()
    for number, row in enumerate(rows):
        weights.cells[str(number)] = " ".join(f"{column}:{weight}" for column, weight in enumerate(row))
    found = unpacked([weights.packed(weights.cells)], [1.0], [0] * COLUMNS)[0].tolist()
    assert found == [sum(row[column] for row in rows) for column in range(COLUMNS)]


@given(ROWS)
def test_sums_of_parts_are_the_sum_of_the_whole_alone_and_in_a_batch(rows: list[list[int]]) -> None:
    weights = Weights()
    for number, row in enumerate(rows):
        weights.cells[str(number)] = " ".join(f"{column}:{weight}" for column, weight in enumerate(row))
    totals = [weights.packed([name]) for name in weights.cells]
    assert sum(totals) == weights.packed(weights.cells)
    sizes = [1.0 + number / 7 for number in range(len(totals))]
    batch = unpacked(totals, sizes, [-3] * COLUMNS).tolist()
    alone = [unpacked([one], [size], [-3] * COLUMNS)[0].tolist() for one, size in zip(totals, sizes, strict=True)]
    assert batch == alone


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json\n",
        body(surfaces=["other"]),
        body(kinds={"training_use": [["HIGH"]]}),
        body("train\tnowhere 0:1"),
        body(calibration=[[1.0]] * COLUMNS),
        body(trees=[[[0, 0, 0]]]),
        body(bins=[[0.0, 1.0]]),
        body(high=None),
        json.dumps({"version": "1"}),
    ],
)
def test_weights_that_are_not_well_formed_are_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        parsed(text)


def test_a_finding_of_the_model_names_what_it_took_the_clause_for() -> None:
    assert Kind("HIGH", "raises_risk").rule == "learned.high"
    assert Kind("LOW", "mitigates_risk").rule == "learned.low"
    assert Kind("MED", "mitigates_risk").rule == "learned.med_mitigates"
    assert Kind("MED", "neutral").rule == "learned.med_neutral"
    assert Kind("LOW", "mitigates_risk", "does_not_train").rule == "learned.does_not_train"


def test_the_weights_of_the_package_are_whole() -> None:
    reader = load_reader()
    assert len(reader.bias) == len(reader.calibration) == len(reader.surfaces)
    assert 0 < reader.lead_from < reader.shown < 1
    assert all(0 <= low <= high <= 1 for _, low, high in reader.bins)
    assert [start for start, _, _ in reader.bins] == sorted(start for start, _, _ in reader.bins)
    assert all(sigmoid.slope > 0 for sigmoid in (*reader.high, *reader.calibration))
    assert all(0 <= trust <= 1000 for trust in reader.trust.values())
    for surface in reader.surfaces:
        assert len(reader.kinds[surface]) == len(reader.kind_bias[surface]) >= 3
        for kind in reader.kinds[surface]:
            assert kind.risk in RATINGS
            assert kind.polarity in ("raises_risk", "mitigates_risk", "neutral")
            assert kind.stance in (None, *STANCES)


def test_every_cell_of_the_package_can_be_read() -> None:
    reader = load_reader()
    for columns, weights in (
        (COLUMNS, reader.weights),
        *((len(reader.kinds[name]), weights) for name, weights in reader.kind_weights.items()),
    ):
        for feature in weights.cells:
            assert unpacked([weights.packed([feature])], [1.0], [0] * columns).any()


def test_a_surface_that_was_not_learned_is_read_by_its_rules_alone_and_is_just_sure_enough_to_be_shown() -> None:
    known = SURFACES[:-1]
    apart = {name: {surface: HEAD[name][surface] for surface in known} for name in ("kinds", "kind_bias")}  # type: ignore[index]
    reader = parsed(body(surfaces=known, bias=[-5000] * len(known), calibration=[[1.0, -3.0]] * len(known), **apart))
    text = "We may change these terms at any time in our sole discretion."
    (found,) = extract(text, reader).findings
    assert (found.rule, found.risk, found.quote) == (f"{SURFACES[-1]}.any_time", "HIGH", text)
    assert (found.confidence, found.confidence_interval) == (reader.shown, (0.0, 1.0))
