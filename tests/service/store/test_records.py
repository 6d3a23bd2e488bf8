"""Slugs: lower-case ASCII words, stable, never colliding."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskanalytics.service.store.records import free_slug


def nobody(slug: str) -> bool:
    """No slug is taken."""
    return False


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Claude.ai", "claude-ai"), ("DALL·E", "dall-e"), ("Café Lumière", "cafe-lumiere"), ("O'Tarlow", "o-tarlow"),
     ("123Words", "123words"), ("  Bolt.new ", "bolt-new"), ("STRASSE ß", "strasse-ss")],
)  # fmt: skip
def test_a_name_becomes_words_joined_by_hyphens(name: str, slug: str) -> None:
    assert free_slug(name, nobody) == slug


def test_both_normal_forms_of_a_name_give_one_slug() -> None:
    assert len({free_slug(unicodedata.normalize(form, "Café"), nobody) for form in ("NFD", "NFC")}) == 1


@given(st.lists(st.text(min_size=1, max_size=12), max_size=12))
def test_slugs_never_collide_and_are_always_words(names: list[str]) -> None:
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        slug = free_slug(name, taken.__contains__)
        assert slug not in taken
        assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", slug)
        taken.add(slug)
