"""A consent banner that was captured with a document."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.plain import banner_span

BANNER = "We value your privacy. We share data with 812 partners.\n\nReject all   Accept all\n\nAdvertising\n\nSave my choices"


def test_a_banner_reaches_from_its_first_words_to_its_last_button() -> None:
    text = f"# Privacy Policy\n\n{BANNER}\n\nWe keep your data."
    span = banner_span(text)
    assert span is not None
    assert text[slice(*span)] == BANNER


@pytest.mark.parametrize(
    "left", ["Reject all   Accept all", "Save my choices"], ids=["without its buttons", "without an end"]
)
def test_half_a_banner_is_none(left: str) -> None:
    assert banner_span(BANNER.replace(left, "")) is None


def test_a_banner_without_opening_words_begins_at_its_buttons() -> None:
    text = "Our policy.\n\nAllow all / Decline all\n\nConfirm my selection"
    span = banner_span(text)
    assert span is not None
    assert text[slice(*span)].startswith("Allow all")
