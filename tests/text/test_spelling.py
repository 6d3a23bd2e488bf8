"""Two spellings of one word are each other's, whichever is given."""

from __future__ import annotations

import pytest

from riskanalytics.text.wording import spellings


@pytest.mark.parametrize(
    "pair",
    [
        "licence license", "licensing licencing", "organisation organization", "recognised recognized", "analyse analyze",
        "colour color", "behavioural behavioral", "favourite favorite", "centre center", "catalogue catalog",
        "cancelled canceled", "modelling modeling", "fulfilment fulfillment", "judgement judgment", "programmes programs",
        "defence defense", "practise practice", "neighbour neighbor", "personalisation personalization",
    ],
)  # fmt: skip
def test_either_spelling_gives_both(pair: str) -> None:
    one, other = pair.split()
    assert spellings(one.upper()) == (one, other)
    assert spellings(other) == (other, one)


@pytest.mark.parametrize("word", ["for", "four", "or", "our", "your", "policies", "cookie", "内容", "", "a.b*"])
def test_words_without_a_relation_stay_separate(word: str) -> None:
    assert spellings(word) == (word,)
