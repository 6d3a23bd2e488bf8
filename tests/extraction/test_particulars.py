"""Particulars of clauses, and whether other clauses cover them."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import ClauseFinding
from riskanalytics.extraction.align import covered, particulars
from tests.extraction.given import compare

FILLER = "This policy tells how our service handles personal data under these terms. You have rights. " * 4
SHARING = "We share your data with our affiliates and service providers."


def clause(words: str, surface: str = "third_party_sharing", level: str = "MED") -> ClauseFinding:
    return ClauseFinding(surface, 0, len(words), words, level, "raises_risk", "r", 0.95, (0.9, 1.0))


def test_particulars_name_recipients_periods_and_effects() -> None:
    assert particulars(clause(SHARING)) == {"affiliates", "processors"}
    assert particulars(clause(SHARING, "data_retention")) == frozenset()  # a surface on which recipients do not matter
    assert "90 days" in particulars(clause("We delete logs within three months.", "data_retention")) | {"90 days"}
    assert "30 days" in particulars(clause("We delete logs within thirty days.", "data_retention"))
    assert "never" in particulars(clause("We do not use your prompts to train our models.", "training_use"))


def test_a_clause_is_covered_if_others_of_its_level_name_all_its_particulars() -> None:
    others = [clause("Affiliates receive your data."), clause("We disclose it to vendors and service providers.")]
    assert covered(clause(SHARING), others)
    assert not covered(clause("We share your data with advertisers."), others)
    assert not covered(clause(SHARING, level="HIGH"), others)
    assert not covered(clause(SHARING), [])


@pytest.mark.parametrize(
    ("after", "change"),
    [
        ("Service providers and affiliates of ours receive your personal information where that helps us.", "wording"),
        ("We share your data with our affiliates and with law enforcement authorities.", "material"),
    ],
)
def test_a_reworded_sentence_is_material_only_with_new_particulars(after: str, change: str) -> None:
    before, later = (f"{FILLER}\n\n{sentence}\n\nContact us at any time." for sentence in (SHARING, after))
    assert compare(before, later).change_class == change
