"""A text that holds another document besides."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Comparison, compare

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


def klass(before: str, after: str) -> Comparison:
    return compare(before, after)


@pytest.mark.parametrize("title", ["# Children's Privacy Policy", "Service terms", "Last updated: 3 May 2026"])
def test_a_document_pasted_below_or_above_is_no_change(title: str) -> None:
    joined = f"{title}\n\n{SECTION}"
    for before, after in ((POLICY, f"{POLICY}\n\n{joined}"), (POLICY, f"{joined}\n\n{POLICY}")):
        assert klass(before, after).change_class == "capture_failure"
        assert "later text holds another document" in klass(before, after).summary
        assert "earlier text held another document" in klass(after, before).summary


def test_a_new_section_is_a_change() -> None:
    assert klass(POLICY, f"{POLICY}\n\n## Advertising\n\n{SECTION}").change_class == "material"
    half = len(POLICY) // 2 + POLICY[len(POLICY) // 2 :].index("\n\n")
    inside = f"{POLICY[:half]}\n\n# Advertising policy\n\n{SECTION}{POLICY[half:]}"
    assert klass(POLICY, inside).change_class == "material"


def test_a_policy_that_is_twice_as_long_holds_more_than_itself() -> None:
    more = "\n\n".join(f"{SECTION.replace('your', whose)}" for whose in ("her", "his", "their", "our", "its"))
    assert klass(POLICY, f"{POLICY}\n\n{more}").change_class == "capture_failure"
    assert klass(SHORT, f"{SHORT}\n\n{SECTION}").change_class == "material"


def test_texts_in_two_languages_are_not_compared() -> None:
    chinese = "我们会收集您的个人信息，并按照本隐私政策使用这些信息。您有权访问、更正和删除您的个人信息。" * 100
    assert klass(POLICY, chinese).change_class == "capture_failure"
    assert "languages" in klass(POLICY, chinese).summary or "good copy" in klass(POLICY, chinese).summary
