"""Texts that contain another document too, and variants for other regions."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Comparison, compare
from riskanalytics.extraction.capture import other_region

THINGS = (
    *("account", "billing", "browser", "camera", "cookie", "device", "diary", "email", "file", "form"),
    *("forum", "game", "image", "invoice", "key", "letter", "list", "log", "map", "memo"),
)
KINDS = ("support", "research", "safety", "invoicing", "planning")
POLICY = "\n\n".join(
    [
        "# Privacy Policy",
        "These terms and this privacy policy tell how our services process personal data, and which rights you have.",
        *(f"We keep {thing} records of {kind} for as long as we need them." for thing in THINGS for kind in KINDS),
    ]
)
SECTION = "\n\n".join(
    f"We share your {thing} data with our advertising partners for their own ends." for thing in THINGS
)
SHORT = "\n\n".join(POLICY.split("\n\n")[:20])


def compared(before: str, after: str) -> Comparison:
    return compare(before, after)


@pytest.mark.parametrize("title", ["# Children's Privacy Policy", "Service terms", "Last updated: 3 May 2026"])
def test_a_document_pasted_above_or_below_is_a_capture_failure(title: str) -> None:
    joined = f"{title}\n\n{SECTION}"
    for before, after in ((POLICY, f"{POLICY}\n\n{joined}"), (POLICY, f"{joined}\n\n{POLICY}")):
        assert compared(before, after).change_class == "capture_failure"
        assert "later text also contains another document" in compared(before, after).summary
        assert "earlier text also contained another document" in compared(after, before).summary


def test_a_new_section_is_material() -> None:
    assert compared(POLICY, f"{POLICY}\n\n## Advertising\n\n{SECTION}").change_class == "material"
    half = len(POLICY) // 2 + POLICY[len(POLICY) // 2 :].index("\n\n")
    inside = f"{POLICY[:half]}\n\n# Advertising policy\n\n{SECTION}{POLICY[half:]}"
    assert compared(POLICY, inside).change_class == "material"


def test_a_policy_twice_as_long_contains_another_document() -> None:
    more = "\n\n".join(f"{SECTION.replace('your', whose)}" for whose in ("her", "his", "their", "our", "its"))
    assert compared(POLICY, f"{POLICY}\n\n{more}").change_class == "capture_failure"
    assert compared(SHORT, f"{SHORT}\n\n{SECTION}").change_class == "material"


def test_texts_in_two_languages_are_not_compared() -> None:
    chinese = "我们会收集您的个人信息，并按照本隐私政策使用这些信息。您有权访问、更正和删除您的个人信息。" * 100
    assert compared(POLICY, chinese).change_class == "capture_failure"
    assert "languages" in compared(POLICY, chinese).summary or "good copy" in compared(POLICY, chinese).summary


def variant(opening: str, *statements: str) -> dict[str, str]:
    """Return the statements of a text by their keys."""
    return {words.casefold(): words for words in (opening, *statements)}


def test_only_a_text_for_another_region_is_a_variant() -> None:
    shared = [f"We keep record number {number} of your account." for number in range(10)]
    british = variant("These terms apply if you reside in the United Kingdom.", *shared, "A.", "B.", "C.")
    european = variant("These terms apply if you reside in the European Economic Area.", *shared, "D.", "E.", "F.")
    elsewhere = variant("These terms do not apply to people located in the European Union.", *shared, "G.", "H.", "I.")
    assert other_region(british, european)
    assert other_region(elsewhere, european)
    rewritten = variant("These terms apply if you reside in the United Kingdom.", *shared, "J.", "K.", "L.")
    assert not other_region(british, rewritten)
    assert not other_region(variant("", *shared, "A.", "B.", "C."), elsewhere)
