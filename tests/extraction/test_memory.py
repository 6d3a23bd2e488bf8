"""What is kept while texts are read, and given back."""

from __future__ import annotations

import sys
import zlib

import pytest

from riskanalytics.extraction import extract, pieces, walked
from riskanalytics.extraction.plain import forget, remembered
from tests.service.given import TERMS


def test_a_function_remembers_its_last_arguments_until_all_is_forgotten() -> None:
    asked: list[str] = []

    @remembered(2)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length("one"), length("two"), length("one")] == [3, 3, 3]
    assert asked == ["one", "two"]
    length("three")
    length("two")
    assert asked == ["one", "two", "three", "two"]
    forget()
    length("two")
    assert asked[4:] == ["two"]


def test_what_many_documents_said_is_forgotten_between_them_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[walked.__module__], "_MOST_READ", 3 * len(TERMS))
    forget()
    kept, first = [], extract(TERMS)
    for number in range(12):
        other = TERMS.replace("you", f"you, number {number},")
        captures = [
            (f"2024-0{day}-01T00:00:00Z", said, zlib.compress(said.encode())) for day, said in ((1, TERMS), (2, other))
        ]
        assert walked(captures)[0].reading == first
        kept.append(len(pieces._block.cache))  # type: ignore[attr-defined]
    assert min(kept[1:]) < max(kept) < 5 * kept[0]
