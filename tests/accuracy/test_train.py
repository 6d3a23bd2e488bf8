"""The weights are learned by one command; here from a handful of fictional policies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from riskanalytics.extraction import extract
from riskanalytics.extraction.learned import parsed

pytest.importorskip("sklearn", reason="needs the dependency group `train`")

WRITTEN = Path(__file__).parent / "written" / "policies"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_is_learned_from_a_handful_of_policies_is_well_formed_and_repeatable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.accuracy import train

    monkeypatch.setattr(train, "ROUNDS", 5)
    documents = [one for one in train.written(WRITTEN) if len(one.examples) > 5][:32]
    documents = [replace(one, part="learn" if at % 4 else "calibrate") for at, one in enumerate(documents)]
    trained = train.Trained(train.Learner(documents))
    told = trained.body()
    assert list(trained.figures())[-1].startswith("HIGH from ")
    reader = parsed(told)
    assert reader.trees.sums(trained.rows[:50]) == [
        reader.trees.sums(trained.rows[at : at + 1])[0] for at in range(min(50, len(trained.rows)))
    ]
    reading = extract("We use your prompts to train our models.\n", reader)
    assert reading.clauses == 1
    assert train.Trained(train.Learner(documents)).body() == told
