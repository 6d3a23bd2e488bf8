"""A quote is verified against the bytes that its provenance names."""

from __future__ import annotations

import pytest

from riskanalytics.models import VERIFICATION_STATUSES
from riskanalytics.models.provenance import around, sha256_of, verify

TEXT = "Intro. We never sell your data. 我们不出售数据。 End."
BODY = TEXT.encode()
QUOTE = "We never sell your data."
START = TEXT.index(QUOTE)


@pytest.mark.parametrize(
    ("quote", "start", "sha256", "body", "status"),
    [
        (QUOTE, START, sha256_of(BODY), BODY, "verified"),
        (QUOTE, START, sha256_of(BODY).upper(), BODY, "verified"),
        ("我们不出售数据。", TEXT.index("我们"), sha256_of(BODY), BODY, "verified"),
        (QUOTE, 0, sha256_of(BODY), BODY, "moved"),
        ("We always sell your data.", START, sha256_of(BODY), BODY, "altered"),
        ("Nothing of the kind stands here", START, sha256_of(BODY), BODY, "missing"),
        ("We lend your goods.", START, sha256_of(BODY), BODY, "altered"),
        ("We lend your goods out.", START, sha256_of(BODY), BODY, "missing"),
        (QUOTE.upper(), START, sha256_of(BODY), BODY, "altered"),
        ("End", -4, sha256_of(BODY), BODY, "moved"),
        ("", START, sha256_of(BODY), BODY, "missing"),
        ("   ", START, sha256_of(BODY), BODY, "missing"),
        ("Intro.", 0, sha256_of(BODY), BODY, "verified"),
        ("Intro. We always", -3, sha256_of(BODY), BODY, "altered"),
        ("We sell it.", 2, sha256_of(b"\xff We sell it."), b"\xff We sell it.", "verified"),
        (QUOTE, None, sha256_of(BODY), BODY, "missing"),
        (QUOTE, START, sha256_of(BODY), BODY + b"x", "hash_mismatch"),
        (QUOTE, START, sha256_of(BODY), None, "unavailable"),
        (QUOTE, START, None, BODY, "unavailable"),
    ],
)
def test_every_status_has_its_own_description(
    quote: str, start: int | None, sha256: str | None, body: bytes | None, status: str
) -> None:
    end = None if start is None else start + len(quote)
    assert verify(quote, start, end, sha256, body) == status
    assert status in VERIFICATION_STATUSES
    assert verify(quote, START, None, sha256_of(BODY), BODY) == "missing"
    assert verify(quote, None, START, sha256_of(BODY), BODY) == "missing"


def test_a_quote_is_given_its_paragraph_and_no_more() -> None:
    text = "Title\n\nWe ask first. We train on it. You may object.\n\nNext"
    start = text.index("We train")
    assert around(text, start, start + 15) == ("We ask first. ", " You may object.")
    assert around(text, start, start + 15, most=20) == ("We ask first. ", " You may object.")
    assert around(TEXT, START, START + len(QUOTE)) == ("Intro. ", " 我们不出售数据。 End.")


def test_a_long_paragraph_is_cut_at_a_blank_and_marked() -> None:
    words = "word " * 100
    before, after = around(f"{words}QUOTE {words}", len(words), len(words) + 5, most=23)
    assert before == "… word word word word "
    assert after == " word word word word …"
    assert [len(part) for part in around(f"{words}QUOTE {words}", len(words), len(words) + 5)] == [217, 217]
    assert around("QUOTE word", 0, 5, most=5) == ("", " word")
    assert around("word QUOTE", 5, 10, most=5) == ("word ", "")
    assert around("\nWe ask. QUOTE now.\n", 9, 14) == ("We ask. ", " now.")
