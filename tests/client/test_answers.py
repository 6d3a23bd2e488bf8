"""An answer is strict JSON or refused in one way; a wait is read in every form; a key is taken out of what a server sends."""

from __future__ import annotations

import pickle
from urllib.parse import quote

import pytest

from riskanalytics.client.answers import Answer, Key, failure, retry_after
from riskanalytics.errors import InvalidAnswer, NotAuthorised, RateLimited, ServiceError, TierRequired, UnknownPlatform


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("5", 5), ("0", 0), ("-3", 1), ("soon", 1), ("", None), ("nan", 1), ("inf", 1),
     ("Wed, 21 Oct 2026 07:28:10 GMT", 10), ("Wed, 21 Oct 2026 07:27:00 GMT", 0),
     ("Mon, 01 Jan 2024 00:00:00 +99999999999999999999", 1)],
)  # fmt: skip
def test_a_wait_is_read_in_every_form_against_the_servers_own_clock(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value, "date": "Wed, 21 Oct 2026 07:28:00 GMT"}) == seconds


@pytest.mark.parametrize(
    ("status", "path", "wait", "kind", "said"),
    [
        (401, "/a", "", NotAuthorised, "the key was not accepted"),
        (402, "/a", "", TierRequired, "/a is not in the key's tier"),
        (403, "/api/v1/platforms/a", "", TierRequired, "/api/v1/platforms/a is not in the key's tier"),
        (404, "/api/v1/platforms/a", "", UnknownPlatform, "/api/v1/platforms/a: no such platform"),
        (404, "/api/machine/platform/a", "", UnknownPlatform, "/api/machine/platform/a: no such platform"),
        (404, "/api/v1/platforms", "", ServiceError, "/api/v1/platforms answered status 404"),
        (409, "/api/v1/platforms/a", "", ServiceError, "/api/v1/platforms/a answered status 409"),
        (429, "/a", "120", RateLimited, "/a: too many requests"),
        (429, "/a", "1201", RateLimited, "/a: too many requests; the server asks to wait 1,201 s"),
        (503, "/a", "121", ServiceError, "/a answered status 503; the server asks to wait 121 s"),
    ],
)
def test_a_failure_is_named_after_its_status_and_a_long_wait_is_told(
    status: int, path: str, wait: str, kind: type[ServiceError], said: str
) -> None:
    error = failure(status, path, {"retry-after": wait}, b'{"title": "Not now", "detail": "try later"}')
    assert (type(error), str(error)) == (kind, f'{said}; the server says: "try later"')
    assert (error.status, error.detail, error.retry_after) == (status, "try later", float(wait) if wait else None)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"NaN", b'{"a": Infinity}', b"\xff\xfe", b'{"a": 1} x', b"[" * 100_000,
     b'{"a": ' + b"9" * 5000 + b"}", b")]}'"],
)  # fmt: skip
def test_a_body_that_is_not_json_is_an_invalid_answer(body: bytes) -> None:
    with pytest.raises(InvalidAnswer, match="/a did not return JSON"):
        Answer(body, "application/json", "/a").json()


def test_a_captive_portal_is_named() -> None:
    with pytest.raises(InvalidAnswer, match="/a returned text/html, not JSON"):
        Answer(b"{}", "text/html", "/a").json()


def test_lone_surrogates_are_replaced_in_names_and_values() -> None:
    body = b'{"\\udfff": ["cut \\ud83d", "\\ud83d\\ude00 \\u00e9", 1.5, null]}'
    assert Answer(body, "", "/a").json() == {"\ufffd": ["cut \ufffd", "\U0001f600 é", 1.5, None]}


KEY = "rk_AbC-1/x+2"


@pytest.mark.parametrize(
    "form", [KEY, KEY.upper(), quote(KEY, safe=""), KEY.replace("/", "\\/"), "rk_AbC-1\\u002Fx\\u002B2"]
)
def test_a_key_is_taken_out_in_any_case_and_as_addresses_and_json_write_it(form: str) -> None:
    body = f'{{"you": "before {form} after"}}'.encode()
    assert Key(KEY).taken_out(body) == b'{"you": "before *** after"}'


def test_a_key_is_sent_as_a_bearer_and_never_shown_or_pickled() -> None:
    assert (Key(KEY).header(), Key("").header()) == ({"Authorization": f"Bearer {KEY}"}, {})
    assert (repr(Key(KEY)), KEY in Key(KEY).digest("/a")) == ("***", False)
    with pytest.raises(TypeError, match="cannot be pickled: set RISKANALYTICS_API_KEY in the other process"):
        pickle.dumps(Key(KEY))


def test_a_text_without_the_key_is_unchanged() -> None:
    body = b"rk_AbC-1/x+3 &amp; %25"
    assert Key(KEY).taken_out(body) is body
    assert Key("a&b-1").taken_out(b"you sent a&amp;b-1") == b"you sent ***"
