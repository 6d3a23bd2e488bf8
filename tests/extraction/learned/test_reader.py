"""Adding up learned weights."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.extraction.learned import Kind, Weights, load_reader, parsed
from riskanalytics.extraction.learned.features import Seen, see
from riskanalytics.models import RATINGS, STANCES, SURFACES

HEAD = {
    "version": "1",
    "surfaces": list(SURFACES),
    "bias": [-0.5] * 12,
    "keep": [-1.0] * 12,
    "take": [0.0] * 12,
    "kinds": {name: [["HIGH", "raises_risk", None], ["LOW", "mitigates_risk", None]] for name in SURFACES},
    "kind_bias": {name: [0.0, 0.0] for name in SURFACES},
}


def body(*lines: str, **head: object) -> str:
    return "\n".join((json.dumps(HEAD | head), *lines)) + "\n"


def test_the_score_of_a_clause_is_the_sum_of_its_weights_and_the_bias() -> None:
    reader = parsed(body("train\t 0:2000 3:-1000", "#we\t 0:1000"))
    seen = Seen({"train", "#we", "unknown"}, 2, 2.0)
    scores = reader.scores(seen)
    assert scores[0] == pytest.approx(3.0 / 2.0 - 0.5)
    assert scores[3] == pytest.approx(-1.0 / 2.0 - 0.5)
    assert scores[1] == -0.5


def test_a_clause_is_of_the_kind_with_the_highest_sum() -> None:
    reader = parsed(body("not\ttraining_use 0:-500 1:700"))
    assert reader.kind("training_use", Seen({"not"}, 1, 1.0)) == Kind("LOW", "mitigates_risk")
    assert reader.kind("training_use", Seen({"train"}, 1, 1.0)) == Kind("HIGH", "raises_risk")


@given(st.lists(st.lists(st.integers(-50_000, 50_000), min_size=12, max_size=12), min_size=1, max_size=60))
def test_columns_never_run_into_each_other(rows: list[list[int]]) -> None:
    weights = Weights()
    for number, row in enumerate(rows):
        weights.cells[str(number)] = " ".join(f"{column}:{weight}" for column, weight in enumerate(row))
    found = weights.summed(Seen(set(weights.cells), 1, 1.0), [0.0] * 12)
    assert found == pytest.approx([sum(row[column] for row in rows) / 1000 for column in range(12)])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json\n",
        body(surfaces=["other"]),
        body(kinds={"training_use": [["HIGH"]]}),
        body("train\tnowhere 0:1"),
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
    assert len(reader.bias) == len(reader.keep) == len(reader.take) == len(SURFACES)
    assert all(keep <= take for keep, take in zip(reader.keep, reader.take, strict=True))
    for surface in SURFACES:
        assert len(reader.kinds[surface]) == len(reader.kind_bias[surface]) >= 3
        for kind in reader.kinds[surface]:
            assert kind.risk in RATINGS
            assert kind.polarity in ("raises_risk", "mitigates_risk", "neutral")
            assert kind.stance in (None, *STANCES)


def test_every_cell_of_the_package_can_be_read() -> None:
    reader = load_reader()
    for weights, columns in ((reader.weights, 12), *((w, 30) for w in reader.kind_weights.values())):
        weights.summed(Seen(set(weights.cells), 1, 1.0), [0.0] * columns)


def test_the_same_clause_scores_the_same_every_time() -> None:
    seen = see("we may share your content with advertising partners")
    assert load_reader().scores(seen) == load_reader().scores(seen)
