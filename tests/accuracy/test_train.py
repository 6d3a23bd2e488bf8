"""The weights are learned by one command; here from a handful of fictional policies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from riskanalytics.extraction import extract
from riskanalytics.extraction.learned import reader_of

pytest.importorskip("sklearn", reason="needs the dependency group `train`")

WRITTEN = Path(__file__).parent / "written" / "policies"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_model_learned_from_a_few_policies_is_well_formed_and_repeatable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.accuracy import train

    monkeypatch.setattr(train, "ROUNDS", 5)
    documents = [one for one in train.written(WRITTEN) if len(one.examples) > 5][:32]
    documents = [replace(one, part="learn" if at % 4 else "calibrate") for at, one in enumerate(documents)]
    trained = train.Trained(train.Learner(documents))
    result = trained.parts()
    assert list(trained.figures())[-1].startswith("HIGH from ")
    reader = reader_of(*result)
    assert reader.trees.sums(trained.rows[:50]).tolist() == [
        reader.trees.sums(trained.rows[at : at + 1])[0] for at in range(min(50, len(trained.rows)))
    ]
    reading = extract("We use your prompts to train our models.\n", reader)
    assert reading.clauses == 1
    again = train.Trained(train.Learner(documents)).parts()
    assert again[:2] == result[:2]
    assert (again[2] == result[2]).all()


def test_wilson_of_known_proportions() -> None:
    from tests.accuracy.calibration import wilson

    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)  # Wilson 1927; Newcombe 1998, table I
    assert wilson(0, 10) == pytest.approx((0.0, 0.278), abs=0.001)
