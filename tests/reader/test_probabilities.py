"""How sure a reader is: log-probabilities of tokens become probabilities of verdicts, and unsure verdicts no longer agree."""

from __future__ import annotations

import json
import re
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.accuracy.readers import measure
from riskanalytics.extraction.records import Reading
from riskanalytics.extraction.units import units_of
from riskanalytics.extraction.verdicts import Readers, Verdict, Verdicts, basis_of, read_by
from riskanalytics.reader.exchange import Request, answer_of, content_of, parsed, requests_of
from riskanalytics.reader.probabilities import with_probabilities
from riskanalytics.reader.reading import Readings, read
from riskanalytics.service.store.verdicts import verdicts_of
from riskanalytics.service.store.write import Writer
from tests.accuracy.given import document, label, write_labels
from tests.reader.given import answered, says
from tests.service.given import build_database

SAID = [says("data_retention", "MED", "raises_risk"), says("human_review", "LOW", "mitigates_risk")]
CONTENT = answered(
    [{"n": 1, "says": SAID}, {"n": 2, "says": []}, {"n": 3, "says": [says("ads_tracking", "HIGH", "raises_risk")]}]
)


def tokens(content: str, doubted: dict[str, float]) -> list[dict[str, Any]]:
    """The tokens of a text, all certain but some words."""
    return [
        {"token": word, "logprob": log(doubted.get(word, 1.0)), "bytes": [], "top_logprobs": []}
        for word in re.findall(r"\w+|\s+|[^\w\s]", content)
    ]


def openai(content: str, logprobs: object) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "logprobs": logprobs}], "usage": {"total_tokens": 9}}


@pytest.mark.parametrize("ollama", [False, True])
def test_a_verdict_is_as_probable_as_its_least_probable_word(ollama: bool) -> None:
    rows = tokens(
        f"```json {CONTENT}```", {"LOW": 0.5, "mitigates_risk": 0.25, "HIGH": 0.9, "ads_tracking": 0.81, "surface": 0.1}
    )
    body = {"message": {"content": CONTENT}, "logprobs": rows} if ollama else openai(CONTENT, {"content": rows})
    content, _ = content_of(body)
    request = Request("verdicts", tuple(units_of("# P\n\nWe keep it.\n\nOur offices are in Berlin.\n\nWe sell it.")))
    first, second, third = answer_of(request.sent, content).verdicts.values()
    assert [one.probability for one in first.said] == [1.0, 0.25]
    assert second.said == ()
    assert [one.probability for one in third.said] == [pytest.approx(0.81)]


@pytest.mark.parametrize(
    "logprobs",
    [
        None, {}, [], {"content": None}, {"content": [1]}, "x", [{"token": CONTENT}], [{"token": CONTENT, "logprob": "0"}],
        [{"token": CONTENT[1:], "logprob": 0.0}], [{"token": f"{CONTENT} {CONTENT[:-1]}", "logprob": None}],
        [{"token": None, "logprob": 0.0}], [[]],
    ],
)  # fmt: skip
def test_log_probabilities_of_another_form_or_of_other_words_change_nothing(logprobs: object) -> None:
    assert with_probabilities(CONTENT, logprobs) == CONTENT


PIECES = st.sampled_from(
    ['{"surface": "', "training_use", '", "risk": "', "LOW", '"}', "{", "}", "[", "]", '"', ", ", "\\", "1"]
)


@given(st.lists(PIECES), st.lists(st.floats(-5, 5) | st.integers() | st.just(float("nan"))))
def test_no_text_is_an_error_and_only_probabilities_are_added(pieces: list[str], logprobs: list[float]) -> None:
    content = "".join(pieces)
    rows = [
        {"token": piece, "logprob": one} for piece, one in zip(pieces, [*logprobs, *[-1.0] * len(pieces)], strict=False)
    ]
    found = with_probabilities(content, rows)
    assert re.sub(r', "probability": [01]\.\d{4}}', "}", found) == content
    assert parsed(found).keys() - {"probability"} == parsed(content).keys()


@pytest.mark.parametrize("logprob", [float("nan"), float("-inf"), -(10**400)])
def test_a_word_without_a_usable_log_probability_is_unsure(logprob: float) -> None:
    content = '{"surface": "training_use", "risk": "LOW"}'
    rows = [*({"token": word, "logprob": 0} for word in content[:-5]), {"token": content[-5:], "logprob": logprob}]
    assert with_probabilities(content, rows).endswith('"probability": 0.0000}')


def test_a_draft_before_the_answer_does_not_count() -> None:
    content = '{"surface": "training_use"}'
    rows = [{"token": content, "logprob": -3.0}, {"token": "\n", "logprob": 0.0}, {"token": content, "logprob": 0.0}]
    assert with_probabilities(content, rows) == '{"surface": "training_use", "probability": 1.0000}'


def test_a_verdict_without_words_is_certain() -> None:
    content = '{"surface": 1}'
    assert with_probabilities(content, [{"token": content, "logprob": -9.0}]) == '{"surface": 1, "probability": 1.0000}'


def test_a_number_that_is_no_probability_is_ignored() -> None:
    request = requests_of(units_of("We keep it for thirty days."))[0]
    for given_, used in [
        (0.0, 0.0),
        (1.0, 1.0),
        (1.5, None),
        (-0.1, None),
        (float("nan"), None),
        ("x", None),
        (None, None),
    ]:
        content = answered([{"n": 1, "says": [{**SAID[0], "probability": given_}]}])
        (verdicts,) = answer_of(request.sent, content).verdicts.values()
        assert [one.probability for one in verdicts.said] == [used]


@pytest.mark.parametrize(
    ("probabilities", "readers", "basis"),
    [
        ([None], 1, "agreed"), ([0.8], 1, "agreed"), ([0.79], 1, "disputed"), ([0.9, 0.2], 2, "disputed"),
        ([0.9, None, 0.2], 3, "majority"), ([0.9, 0.1, 0.2], 3, "disputed"),
    ],
)  # fmt: skip
def test_an_unsure_verdict_is_no_agreement(probabilities: list[float | None], readers: int, basis: str) -> None:
    votes = [Verdict("data_retention", "MED", "raises_risk", probability=one) for one in probabilities]
    assert basis_of(votes, readers, known=False) == basis


def test_the_map_of_a_reader_that_knows_when_it_guesses_shows_what_it_is_sure_of_and_nothing_else(
    tmp_path: Path,
) -> None:
    items = [f"{one}{two} is open to a small circle of others." for one in "ABCDEFGH" for two in "abcdefgh"]
    text = "# Privacy Policy\n\nOur services process personal data.\n\n" + "\n\n".join(items)
    database = build_database(tmp_path, {"Aurelia Chat/Privacy Policy/2026-01-10.md": text})
    right = items[::2]

    def guessing(request: Request) -> tuple[str, int]:
        """A reader that finds a surface in every item, and is sure of each second one, rightly."""
        if request.kind != "verdicts":
            return answered([{"n": n, "kind": "practice"} for n in range(1, len(request.units) + 1)]), 10
        entries = [
            {"n": n, "says": [says("human_review", "MED", "raises_risk")] if unit.words in items else []}
            for n, unit in enumerate(request.units, 1)
        ]
        content = json.dumps({"units": entries})
        rows = tokens(content, {})
        for number, unit in enumerate(request.units, 1):
            if unit.words in items and unit.words not in right:
                start = content.index(f'{{"n": {number},')
                at = content.index("human_review", start)
                spent = 0
                for row in rows:
                    row["logprob"] = log(0.4) if spent == at else row["logprob"]
                    spent += len(row["token"])
        return content_of(openai(content, {"content": rows}))

    labels = write_labels(
        tmp_path / "labels", whole=[document(text, *(label(text, words, "human_review", "MED") for words in right))]
    )
    with Writer(database) as writer:
        read(Readings(writer, "reader@1"), guessing)
        verdicts = verdicts_of(writer.connection, "reader@1")
    shown = measure(labels, database, {"reader@1": verdicts})
    assert shown["human_review"]["agreed"] >= 0.99
    assert shown["human_review"]["disputed"] < 0.1
    sure = {key: Verdicts(tuple(row._replace(probability=None) for row in one.said)) for key, one in verdicts.items()}
    assert measure(labels, database, {"reader@1": sure})["human_review"]["agreed"] < 0.6
    found = read_by(text, Reading(), [Readers(("reader@1",), {"reader@1": verdicts}, shown)])
    assert [row.quote for row in found.findings] == right
