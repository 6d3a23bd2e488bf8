"""The written policies: in their own words, read as they were meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from riskanalytics.demo.history import PARTS, all_platforms
from riskanalytics.demo.policies import policy, written
from riskanalytics.extraction import DocumentReading, assess, extract
from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES

WORDS = {"name": "Velmidale Chat", "company": "Velmidale Works", "days": 30, "years": "seven", "notice": 45}
CLAUSES = [
    (surface, says, text) for surface, part in PARTS.items() for says, texts in part.says.items() for text in texts
]
MEANT_TO_BE_READ = ("transfer", "returned", "never")
"""Sentences of the data processing agreement that are findings."""


def strings(part: Any) -> Iterator[str]:
    """All texts of a part of what was written."""
    if isinstance(part, str):
        yield part
    else:
        for inner in part if isinstance(part, list) else part.values():
            yield from strings(inner)


def levels_of(text: str) -> dict[str, str | None]:
    """Surface -> level that a clause gets; on training use the stance."""
    reading = extract(f"# Privacy Policy\n\n{text.format(**WORDS)}\n")
    assessment = assess([DocumentReading("Terms of Service", "a" * 64, "", reading)])
    levels = {surface.surface: surface.risk for surface in assessment.surfaces}
    return {**levels, "training_use": assessment.stance}


def test_every_surface_and_level_has_ways_to_say_it() -> None:
    assert set(PARTS) == set(SURFACES)
    for surface, part in PARTS.items():
        said = set(STANCES) - {"silent"} if surface == "training_use" else {"HIGH", "MED", "LOW"}
        assert set(part.says) == said
        assert all(len(set(texts)) >= 3 for texts in part.says.values())


def test_clauses_are_read_as_they_were_meant() -> None:
    wrong = [text for surface, says, text in CLAUSES if levels_of(text)[surface] != says]
    assert len(wrong) <= 0.22 * len(CLAUSES), wrong  # alone in a text, a clause is often a lead only


def test_no_clause_on_another_surface_answers_on_training() -> None:
    others = [text for surface, _, text in CLAUSES if surface != "training_use"]
    answers = ("silent", "undetermined")  # that models train on what the public web holds is to be read
    assert [text for text in others if levels_of(text)["training_use"] not in answers] == []


def test_text_around_the_clauses_is_not_a_finding() -> None:
    form = {
        name: {key: texts for key, texts in part.items() if key not in MEANT_TO_BE_READ}
        for name, part in written("form").items()
        if name != "plans"  # names of sections
    }
    found = [text for text in strings(form) if extract(f"# Policy\n\n{text.format(**WORDS)}\n").findings]
    assert found == []


def test_texts_differ_between_platforms_and_have_the_length_of_short_policies() -> None:
    texts = {
        platform.name: policy(platform, "Privacy Policy", platform.intended)
        for platform in all_platforms()
        if not platform.chinese and len(platform.documents) > 1
    }
    assert len(set(texts.values())) == len(texts)
    assert all(2_000 < len(text) < 12_000 for text in texts.values())
    assert not any("{" in text or "}" in text for text in texts.values())


@pytest.mark.parametrize("mark", ["contact", "company", "spelling", "link", "bullets", "menu", "spaces"])
def test_a_mark_alters_the_text_and_not_what_it_says(mark: str) -> None:
    platform = next(platform for platform in all_platforms() if platform.kind == "Agent")
    plain = platform.profile
    marked = type(plain)(plain.stance, plain.levels, {mark: "2"})
    pairs = [
        (policy(platform, document, plain), policy(platform, document, marked))
        for document in ("Privacy Policy", "Terms of Service")
    ]
    assert any(before != after for before, after in pairs)
    for before, after in pairs:
        assert [finding.rule for finding in extract(before).findings] == [
            finding.rule for finding in extract(after).findings
        ]
