"""What clauses name, and whether others name it too."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import ClauseFinding, compare
from riskanalytics.extraction.align import covered, particulars

FILLER = "This policy tells how our service handles personal data under these terms. You have rights. " * 4
SHARING = "We share your data with our affiliates and service providers."


def clause(words: str, surface: str = "third_party_sharing", level: str = "MED") -> ClauseFinding:
    return ClauseFinding(surface, 0, len(words), words, level, "raises_risk", "r", 0.95, (0.9, 1.0))


def test_recipients_periods_and_what_holds_are_named() -> None:
    assert particulars(clause(SHARING)) >= {"affiliates", "processors"}
    assert "90 days" in particulars(clause("We delete logs within three months.", "data_retention")) | {"90 days"}
    assert "30 days" in particulars(clause("We delete logs within thirty days.", "data_retention"))
    assert "never" in particulars(clause("We do not use your prompts to train our models.", "training_use"))


def test_a_clause_is_covered_where_others_of_its_effect_and_level_name_all_that_it_names() -> None:
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
def test_a_sentence_told_anew_is_material_only_where_it_names_something_new(after: str, change: str) -> None:
    before, later = (f"{FILLER}\n\n{said}\n\nContact us at any time." for said in (SHARING, after))
    assert compare(before, later).change_class == change
