"""Whether a capture shows the document it should: named checks, the most certain first.

========================== ==============================================================================
check                      says
========================== ==============================================================================
`empty`                    broken: nothing to read
`script_wall`              broken: a page that asks for JavaScript, a captcha or the acceptance of cookies
`error_page`               broken: the server's or the site's error message, or a text that begins with one
`collapsed`                broken: below a fifth of the last good text (`service.review` takes a text that stands
                           for a month as the document, by the check `shorter_for_good`)
`title_only`               broken: a title or a line, and nothing under it
`other_language`           broken: in a language that is not read, where the last good text was in one that is; or short and
                           in another language
`login_page`               not a policy: a form to sign in
`no_policy_words`          not a policy: hardly a word that policies are made of
`passed`                   good
========================== ==============================================================================

A short document is good where it speaks like a policy and no earlier good text was much longer.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from riskanalytics.extraction.memory import remembered
from riskanalytics.extraction.plain import is_chinese, language_of, plain
from riskanalytics.extraction.records import CaptureCheck
from riskanalytics.extraction.rules import patterns_of

COLLAPSED_BELOW: Final = 0.2
"""Share of the last good text's length under which a capture has collapsed."""
_SAMPLE: Final = 5_000
_CHECKED: Final = ("en", "zh")
"""Languages whose policies are known by their words."""
_ENOUGH: Final = 4
"""Policy words from which a text that is not short is a policy: no more are counted."""
_TINY: Final = 160
_TINY_CHINESE: Final = 50
SUBSTANTIAL: Final = 4000
"""Characters below which a text may be what an error left of a policy."""
_PATTERNS: Final = patterns_of("capture.toml")


def check_capture(text: str, *, document: str = "", last_good: str | None = None) -> CaptureCheck:
    """Check one capture.

    Parameters
    ----------
    text : str
        The capture, decoded.
    document : str
        Its name, such as "Privacy Policy"; its words count as policy words.
    last_good : str, optional
        The last good text of the same document.

    Returns
    -------
    CaptureCheck
        `good`, `broken` or `not_a_policy`, with the name of the check that decided.
    """
    words, short = _opening(text[:_SAMPLE]), len(text) < SUBSTANTIAL
    policy_words = _policy_words(words, None if short else _ENOUGH) + (
        bool(document) and document.casefold() in words.casefold()
    )
    before = 0 if last_good is None else len(last_good)
    failures = (
        ("empty", not words),
        ("script_wall", short and policy_words < 12 and _PATTERNS["wall"].search(words) is not None),
        ("error_page", short and policy_words < 12 and _PATTERNS["error"].search(words) is not None),
        ("error_page", _PATTERNS["gone"].match(words) is not None),
        ("collapsed", len(text) < COLLAPSED_BELOW * before),
        ("title_only", len(words) < (_TINY_CHINESE if is_chinese(words) else _TINY)),
        ("other_language", last_good is not None and _other_language(text, last_good, short=short)),
    )
    failed = next((name for name, holds in failures if holds), None)
    if failed:
        return CaptureCheck("broken", failed)
    foreign = not short and language_of(text) not in (*_CHECKED, "und")
    return CaptureCheck("good", "passed") if foreign else _kind(words, policy_words, short)


@remembered(200)
def _opening(sample: str) -> str:
    """The plain words of an opening; kept, since versions repeat each other."""
    return plain(sample)


@remembered(200)
def _policy_words(words: str, most: int | None) -> int:
    """Count words that policies are made of; kept, since versions repeat each other."""
    return sum(1 for _ in islice(_PATTERNS["policy"].finditer(words), most))


def _other_language(text: str, last_good: str, *, short: bool) -> bool:
    """Say whether a text is in no language that is read where the last good one was, or short and in another of them."""
    before, now = language_of(last_good), language_of(text)
    return now != before != "und" and (short or now not in _CHECKED)


def _kind(words: str, policy_words: int, short: bool) -> CaptureCheck:
    """Say whether words that are no failure are a policy's."""
    if short and len(_PATTERNS["login"].findall(words)) > policy_words:
        return CaptureCheck("not_a_policy", "login_page")
    if policy_words < 2 or (policy_words < _ENOUGH and policy_words * 600 < len(words)):
        return CaptureCheck("not_a_policy", "no_policy_words")
    return CaptureCheck("good", "passed")
