"""What the model is learned from: our own sentences, and nobody else's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.extraction.learned import load_reader
from riskanalytics.ingest import Capture, open_collection
from riskanalytics.models import RATINGS, STANCES
from riskanalytics.service import Store
from riskanalytics.surfaces import SURFACES
from tests.accuracy.nearness import CHARACTERS, FOLLOWS, PHRASES, WORDS, Measure

HERE = Path(__file__).parent
FILES = sorted((HERE / "written").glob("*/*.jsonl"))
POLARITIES = ("raises_risk", "mitigates_risk", "neutral")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_written_sentence_says_what_it_is_for(path: Path) -> None:
    for row in rows(path):
        assert row["text"].strip()
        result = row["labels"] if "labels" in row else [row] if row["kind"] == "positive" else []
        for label in result:
            assert label["surface"] in SURFACES
            assert label["risk"] in RATINGS
            assert label["polarity"] in POLARITIES
            assert label.get("stance") in (None, *STANCES)
        assert set(row.get("also", ())) <= set(SURFACES)


def test_every_surface_has_sentences_for_and_against() -> None:
    counts = Counter(
        (row["surface"], row["kind"]) for path in FILES if path.parent.name != "policies" for row in rows(path)
    )
    for surface in load_reader().surfaces:
        assert counts[surface, "positive"] >= 300
        assert counts[surface, "negative"] >= 150


def test_most_sentences_of_a_policy_speak_to_no_surface() -> None:
    sentences = [row for path in FILES if path.parent.name == "policies" for row in rows(path)]
    assert 0.5 < sum(not row["labels"] for row in sentences) / len(sentences) < 0.7


def sentences() -> dict[str, str]:
    """All that was written, by file and line, with the words that lead into it."""
    return {
        f"{path.parent.name}/{path.name}:{number}": f"{row.get('lead_in') or ''}\n{row['text']}"
        for path in FILES
        for number, row in enumerate(rows(path), 1)
    }


def policies() -> dict[str, str]:
    """The fictional policies, each as one text."""
    texts: dict[str, list[str]] = {}
    for path in FILES:
        if path.parent.name == "policies":
            for row in rows(path):
                texts.setdefault(row["doc"], []).append(row["text"])
    return {name: "\n".join(texts[name]) for name in texts}


def captures(path: Path) -> Iterator[Capture]:
    """Real policies, in every version."""
    with open_collection(path) as collection:
        for capture in collection.captures(lambda *_: False):
            if isinstance(capture, Capture):
                yield capture


def text_of(capture: Capture) -> str:
    return capture.body.decode("utf-8", errors="replace")


OTHERS = """Terms

We keep [what you send](https://example.org/a) for as
long as the law of the country in which you live asks us to keep it.
"""
TWELVE = "the law of the country in which you live asks us to"


@pytest.mark.parametrize(
    ("ours", "too_near"),
    [
        pytest.param(f"So {TWELVE} hold it.", [TWELVE], id="twelve words"),
        pytest.param("Once the law of the country in which you live asks us, we act.", [], id="a word fewer"),
        pytest.param(
            "THE LAW, OF THE COUNTRY IN WHICH YOU LIVE; ASKS US TO KEEP IT!",
            [TWELVE, f"{TWELVE} keep".removeprefix("the "), f"{TWELVE} keep it".removeprefix("the law ")],
            id="capitals and points aside",
        ),
        pytest.param(
            "We keep what you send for as long as the law of Peru asks.",
            ["we keep what you send for as long as the law of"],
            id="over lines and links",
        ),
    ],
)
def test_runs_of_words_shared_with_another_text_are_found(ours: str, too_near: list[str]) -> None:
    assert WORDS.shared({"ours": ours, "apart": "We hold nothing."}, [OTHERS, OTHERS]) == (
        {"ours": too_near} if too_near else {}
    )


def test_runs_of_chinese_characters_are_found() -> None:
    theirs = "我们会在您注销账号之后的三十天之内，删除您的全部个人信息。"
    assert CHARACTERS.shared({"ours": f"此外，{theirs[:24]}", "apart": theirs[:15]}, [theirs]) != {}
    assert CHARACTERS.shared({"ours": theirs[:15]}, [theirs]) == {}


def test_the_share_copied_from_one_text_is_reported() -> None:
    ours = {
        "half": "We keep what you send for one week. Then all of it is gone.",
        "none": "Nothing is kept here at all.",
    }
    assert PHRASES.share(ours, [OTHERS, "Nothing else."]) == {"half": pytest.approx(6 / 14), "none": 0}


@pytest.mark.slow
@pytest.mark.parametrize("measure", [WORDS, CHARACTERS], ids=["words", "characters"])
def test_no_sentence_is_taken_from_a_policy_at_hand(shared: Path, measure: Measure) -> None:
    texts = (text_of(capture) for capture in captures(shared / "data" / "more-policies"))
    assert measure.shared(sentences() | policies(), texts) == {}


@pytest.mark.slow
def test_no_sentence_is_taken_from_a_version_of_a_real_policy(shared: Path, real_database: Path) -> None:
    """The versions whose labels tests read, and the newest of each document; WHOLE_ARCHIVE=1 reads all versions."""
    newest = [text_of(capture) for capture in captures(shared / "data" / "more-policies")]
    with closing(Store(real_database)) as store:
        states = filter(None, (store.platform(slug) for slug, _ in store.names()))
        newest += [store.text(one["snapshot_sha256"]) for state in states for one in state["documents"]]
        every = [*newest, *(store.text(row["sha256"]) for row in store.rows("SELECT sha256 FROM snapshot"))]
    assert len(every) > 2 * len(newest) > 600
    assert WORDS.shared(sentences() | policies(), every) == {}
    assert CHARACTERS.shared(sentences() | policies(), every) == {}
    most = PHRASES.share(policies(), newest)
    assert {name: share for name, share in most.items() if share >= FOLLOWS} == {}
