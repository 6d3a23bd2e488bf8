"""Slugs: lower-case ASCII words, stable, never colliding."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.service.store.records import change_id, free_slug, led, public_id


def nobody(slug: str) -> bool:
    """No slug is taken."""
    return False


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Claude.ai", "claude-ai"), ("DALL·E", "dall-e"), ("Café Lumière", "cafe-lumiere"), ("O'Tarlow", "o-tarlow"),
     ("123Words", "123words"), ("  Bolt.new ", "bolt-new"), ("STRASSE ß", "strasse-ss"),
     ("Ægir Œuvre Ørsted Đại Łódź Fríða ðþ ı", "aegir-oeuvre-orsted-dai-lodz-frida-dth-i"), ("雾岚", "x-4d363c3b"),
     ("a" * 79 + " bc", "a" * 79)],
)  # fmt: skip
def test_a_name_becomes_words_joined_by_hyphens(name: str, slug: str) -> None:
    assert free_slug(name, nobody) == slug


@pytest.mark.parametrize("name", ["Café", "がぎ"])
def test_both_normal_forms_of_a_name_give_one_slug(name: str) -> None:
    assert len({free_slug(unicodedata.normalize(form, name), nobody) for form in ("NFD", "NFC")}) == 1


@pytest.mark.parametrize(("end", "shown"), [(20, "We may: share it."), (19, "We may: […] share it.")])
def test_a_quote_is_shown_with_its_lead_in_and_a_mark_for_what_lies_between(end: int, shown: str) -> None:
    finding = {"quote": "share it.", "provenance": {"start": 30, "end": 39}}
    assert led(finding | {"lead_in": {"quote": "We may:", "start": end - 7, "end": end}}) == shown
    assert led(finding | {"lead_in": None}) == "share it."


@given(st.lists(st.text(min_size=1, max_size=12), max_size=12))
def test_slugs_never_collide_and_are_always_words(names: list[str]) -> None:
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        slug = free_slug(name, taken.__contains__)
        assert slug not in taken
        assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", slug)
        taken.add(slug)


def test_a_taken_slug_gets_as_few_digits_of_the_hash_as_are_free() -> None:
    free = free_slug("Café", {"cafe"}.__contains__)
    assert re.fullmatch("cafe-[0-9a-f]{4}", free)
    assert re.fullmatch(f"{free}[0-9a-f]{{4}}", free_slug("Café", {"cafe", free}.__contains__))


def test_an_id_differs_in_each_thing_it_names() -> None:
    changes = [("a", "b", "c"), ("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x"), ("ab", "", "c")]
    assert len({change_id(*names) for names in changes}) == len(changes)
    row, source = {"surface": "s", "start": 1, "end": 12}, {"document": "d", "snapshot_sha256": "h"}
    named: list[tuple[str, dict[str, object]]] = [("a", row | source), ("x", row | source)]
    named += [("a", row | source | {name: "3"}) for name in (*row, *source)]
    findings = [public_id(slug, one, one) for slug, one in named]
    assert len(set(findings)) == 7
    assert {len(one) for one in findings} == {20}
