"""Every known word has its name for people."""

from __future__ import annotations

from riskanalytics.models import STANCE_CLAUSES, STANCES, stance_name
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name


def test_every_stance_but_those_that_answer_nothing_says_something_of_a_platform() -> None:
    assert set(STANCE_CLAUSES) == set(STANCES) - {"silent", "undetermined"}


def test_a_word_never_seen_is_shown_with_spaces() -> None:
    assert surface_name("voice_cloning") == "Voice cloning"
    assert stance_name("trains_on_request") == "Trains on request"


def test_every_surface_is_described() -> None:
    assert tuple(SURFACE_DESCRIPTIONS) == SURFACES
    for result in SURFACE_DESCRIPTIONS.values():
        assert result.question.endswith("?")
        assert all(result)
