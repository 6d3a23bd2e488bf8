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

import re
from typing import Final

from riskanalytics.extraction.plain import is_chinese, language_of, plain
from riskanalytics.extraction.records import CaptureCheck

COLLAPSED_BELOW: Final = 0.2
"""Share of the last good text's length under which a capture has collapsed."""
_SAMPLE: Final = 5_000
_TINY: Final = 160
_TINY_CHINESE: Final = 50
SUBSTANTIAL: Final = 4000
"""Characters below which a text may be what an error left of a policy."""
_ERROR: Final = re.compile(
    r"page (?:isn't|is not|was not|not|could not be|couldn't be|cannot be|can't be) (?:available|found|"
    r"loaded)|\b404\b"
    r"|\b50[0234]\b[^.]{0,20}(?:error|bad|service|gateway)|unexpected error|something went wrong|"
    r"access (?:is )?denied"
    r"|\bforbidden\b|temporarily unavailable|under maintenance|try again later|bad gateway|"
    r"this content isn't available"
    r"|页面不存在|访问出错|系统繁忙|无法访问|网页无法",
    re.IGNORECASE,
)
_GONE: Final = re.compile(
    r"\W*(?:(?:sorry|oops|404)\W+)?(?:this|the|that)? ?page "
    r"(?:isn't|is not|was not|not|could not be|couldn't be) (?:available|found)\b",
    re.IGNORECASE,
)
"""What a page begins with that shows another in the place of the one asked for."""
_WALL: Final = re.compile(
    r"(?:enable|requires?|turn on) javascript|javascript (?:is )?(?:required|disabled)|"
    r"verify (?:that )?you are (?:a )?human"
    r"|are you a (?:robot|human)|captcha|checking your browser|unusual traffic|"
    r"accept (?:all )?cookies to (?:continue|view|access)"
    r"|安全验证|人机验证",
    re.IGNORECASE,
)
_LOGIN: Final = re.compile(
    r"\b(?:log ?in|sign ?in|sign up|forgot (?:your )?password|create an account|remember me|continue with)\b",
    re.IGNORECASE,
)
_POLICY: Final = re.compile(
    r"\b(?:privacy|terms|agreements?|polic(?:y|ies)|personal (?:data|information)|licen[cs]es?|"
    r"liab\w{0,8}|rights?|shall|cookies?"
    r"|process(?:or|ors|ing)|services?|data|prohibited|comply|sub-?processors?|vulnerabilit(?:y|ies)|"
    r"datenschutz\w{0,10}"
    r"|nutzung\w{0,12}|confidentialité|conditions|données|privacidad|términos)\b|隐私|协议|条款|个人信息|用户|服务|政策",
    re.IGNORECASE,
)


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
    words = plain(text[:_SAMPLE])
    policy_words = len(_POLICY.findall(words)) + (bool(document) and document.casefold() in words.casefold())
    before = 0 if last_good is None else len(last_good)
    short = len(text) < SUBSTANTIAL
    failures = (
        ("empty", not words),
        ("script_wall", short and policy_words < 12 and _WALL.search(words) is not None),
        ("error_page", short and policy_words < 12 and _ERROR.search(words) is not None),
        ("error_page", _GONE.match(words) is not None),
        ("collapsed", len(text) < COLLAPSED_BELOW * before),
        ("title_only", len(words) < (_TINY_CHINESE if is_chinese(words) else _TINY)),
        ("other_language", last_good is not None and _other_language(text, last_good, short=short)),
    )
    failed = next((name for name, holds in failures if holds), None)
    return CaptureCheck("broken", failed) if failed else _kind(words, policy_words, short)


def _other_language(text: str, last_good: str, *, short: bool) -> bool:
    """Say whether a text is in no language that is read where the last good one was, or short and in another of them."""
    before, now = language_of(last_good), language_of(text)
    return now != before != "und" and (short or now == "und")


def _kind(words: str, policy_words: int, short: bool) -> CaptureCheck:
    """Say whether words that are no failure are a policy's."""
    if short and len(_LOGIN.findall(words)) > policy_words:
        return CaptureCheck("not_a_policy", "login_page")
    if policy_words < 2 or (policy_words < 4 and policy_words * 600 < len(words)):
        return CaptureCheck("not_a_policy", "no_policy_words")
    return CaptureCheck("good", "passed")
