"""Texts that contain another document too, and variants for other regions."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Comparison
from riskanalytics.extraction.capture import holds_another, other_region
from tests.extraction.given import compare

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
    sixfold = "\n\n".join(
        [POLICY, *(POLICY.replace("We keep", f"{name} keep") for name in ("You", "I", "They", "Men", "Dogs"))]
    )
    assert len(sixfold) > 5 * len(POLICY) > 5 * 4000
    assert compared(POLICY, sixfold).summary == "The later text also contains another document: not compared."
    assert compared(SHORT, f"{SHORT}\n\n{SECTION}").change_class == "material"


def test_a_document_that_moved_one_statement_still_ends_where_most_of_its_last_ones_do() -> None:
    keys = list(PART)
    more = {f"n{number}": f"Cookies of sort {number:03} are set on each of your visits." for number in range(20)}
    for moved in ([keys[-1], *keys[:-1]], [*keys[1:], keys[0]]):
        part = {key: PART[key] for key in moved}
        assert holds_another({**part, "title": "Cookie Policy", **more}, PART)
        assert holds_another({"title": "Cookie Policy", **more, **part}, PART)


def test_the_comparison_says_that_a_text_is_for_another_region() -> None:
    shared = [f"We keep record number {number} of your personal data for our services." for number in range(20)]
    british, european = (
        "\n\n".join([
            f"These terms apply if you reside in {place}.", *shared,
            *(f"In {place}, rule number {number} holds for our services." for number in range(8)),
        ])
        for place in ("the United Kingdom", "the European Economic Area")
    )  # fmt: skip
    assert compared(british, european).summary == "One of the two texts is meant for another region: not compared."
    assert compared(british, british.replace("the United Kingdom", "the UNITED KINGDOM")).change_class == "format"


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
    for kingdom in ("United Kingdom", "UNITED KINGDOM"):
        rewritten = variant(f"These terms apply if you reside in the {kingdom}.", *shared, "J.", "K.", "L.")
        assert not other_region(british, rewritten)
    assert not other_region(variant("", *shared, "A.", "B.", "C."), elsewhere)
    inside = variant("These terms apply if you reside in the European Union.", *shared, "J.", "K.", "L.")
    assert other_region(inside, elsewhere)
    for opening in ("", "We keep data of people who live in Europe."):
        assert not other_region(variant(opening, *shared, "J.", "K.", "L."), british)
    longer = variant("These terms apply if you reside in Europe.", *list(british.values())[1:], "K.", "L.", "M.", "N.")
    assert not other_region(british, longer)  # nothing was left out
    late = [variant("Hello.", *(f"{number}." for number in range(29)), *one.values(), *(f"{one}{number}" for number in range(9)))
            for one in (british, european)]  # fmt: skip
    assert not other_region(*late)  # only the opening tells for whom a text is


@pytest.mark.parametrize(("kept", "varied"), [(17, True), (18, False)])
def test_variants_differ_in_15_of_100_clauses_at_least(kept: int, varied: bool) -> None:
    shared = [f"We keep record number {number} of your account." for number in range(kept)]
    british, european = (
        variant(
            f"These terms apply if you live in {place}.",
            *shared,
            *(f"{place} {number}." for number in range(19 - kept)),
        )
        for place in ("the UK", "Europe")
    )
    assert other_region(british, european) is other_region(european, british) is varied


@pytest.mark.parametrize(("often", "seldom", "varied"), [(10, 2, True), (9, 0, False), (12, 3, True), (11, 3, False)])
def test_a_text_that_mentions_the_gdpr_often_and_one_that_seldom_does_are_variants(
    often: int, seldom: int, varied: bool
) -> None:
    shared = [f"We keep record number {number} of your account." for number in range(10)]
    one, other = (variant("Hello.", *shared, f"{word * 4} {'GDPR ' * count}", f"{word}.", f"{word} {word}.")
                  for word, count in (("a", often), ("b", seldom)))  # fmt: skip
    assert other_region(one, other) is other_region(other, one) is varied


PART = {f"k{number}": f"We keep records of kind {number:03} for as long as needed ok." for number in range(100)}


@pytest.mark.parametrize(
    ("kept", "new", "title", "holds"),
    [(100, 11, "Cookie Policy", True), (100, 9, "Cookie Policy", False), (100, 20, "Cookies", False),
     (80, 20, "Cookie Policy", True), (79, 20, "Cookie Policy", False)],
)  # fmt: skip
def test_another_document_is_long_and_titled_and_beside_nearly_all_of_this_one(
    kept: int, new: int, title: str, holds: bool
) -> None:
    more = {f"n{number}": f"Cookies of sort {number:03} are set on each of your visits." for number in range(new)}
    assert holds_another({**dict(list(PART.items())[:kept]), "title": title, **more}, PART) is holds
