"""A key that a service repeats in other forms."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from riskanalytics.client.http.answer import Key

KEY = "rk_AbC-1/x+2"
NUMBERED = "".join(f"&#{ord(sign)};" for sign in KEY)
FORMS = [
    KEY, KEY.upper(), quote(KEY, safe=""), quote(quote(KEY, safe=""), safe=""), "".join(f"%{ord(sign):02x}" for sign in KEY),
    NUMBERED, "".join(f"&#x{ord(sign):X};" for sign in KEY),
    "".join(f"\\u{ord(sign):04x}" for sign in KEY), "rk_AbC-1\\/x+2", f"&#{'0' * 5000}114;k_AbC-1/x+2",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_found_and_taken_out_however_its_characters_are_escaped(form: str) -> None:
    assert Key(KEY).is_in(f"before {form} after".encode())
    assert Key(KEY).out_of({"told": [f"before {form}"], form: 1}) == {"told": ["before ***"], "***": 1}


def test_what_holds_no_key_is_left_as_it_is() -> None:
    told = {"a": "rk_AbC-1/x+3 &amp; %25", "b": [1, None], "c": f"&#{'1' * 5000}; &#x{'f' * 5000}"}
    assert Key(KEY).out_of(told) == told


@pytest.mark.parametrize("sign", [b"\\", b"&", b"%", b"&a", b"%25", b"&#", b"1", b"&#0"])
def test_a_long_run_of_what_escapes_costs_no_more_than_other_bytes(sign: bytes) -> None:
    assert not Key(KEY).is_in(sign * (1 << 21))  # were its square taken, this would not end
