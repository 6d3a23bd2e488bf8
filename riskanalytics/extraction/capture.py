"""Whether a capture shows the document it should: named checks, most certain first."""

from __future__ import annotations

import re
from typing import Final

from riskanalytics.extraction.plain import is_chinese, plain
from riskanalytics.extraction.records import CaptureCheck

COLLAPSED_BELOW: Final = 0.2
"""Share of the last good text's length under which a capture has collapsed."""
_TINY: Final = 200
_SHORT: Final = 4000
_ERROR: Final = re.compile(
    r"page (?:isn't|is not|not|could not be|can't be) (?:available|found)|\b404\b|\b50[0234]\b (?:error|bad|service)|unexpected error|"
    r"something went wrong|access denied|forbidden|temporarily unavailable|under maintenance|try again later|bad gateway|"
    r"页面不存在|访问出错|系统繁忙",
    re.IGNORECASE,
)
_WALL: Final = re.compile(
    r"enable javascript|verify (?:that )?you are (?:a )?human|are you a robot|captcha|checking your browser|accept (?:all )?cookies to",
    re.IGNORECASE,
)
_LOGIN: Final = re.compile(r"\b(?:log ?in|sign ?in|sign up|forgot (?:your )?password|create an account)\b", re.IGNORECASE)
_POLICY: Final = re.compile(
    r"\b(?:privacy|terms|agreement|polic(?:y|ies)|personal (?:data|information)|licen[cs]e|liab|rights|shall|cookies?|"
    r"process(?:or|ing)|services?)\b|隐私|协议|条款|个人信息|用户|服务|政策",
    re.IGNORECASE,
)


def check_capture(text: str, *, last_good: str | None = None) -> CaptureCheck:
    """Check one capture.

    Parameters
    ----------
    text : str
        The capture, decoded.
    last_good : str, optional
        The last good text of the same document.

    Returns
    -------
    CaptureCheck
        `good`, `broken` or `not_a_policy`, with the name of the check that decided.
    """
    words = plain(text[:20_000])
    if not words:
        return CaptureCheck("broken", "empty")
    short = len(text) < _SHORT
    if short and _WALL.search(words):
        return CaptureCheck("broken", "wall")
    if short and _ERROR.search(words) and len(_POLICY.findall(words)) < 12:
        return CaptureCheck("broken", "error_page")
    if last_good is not None and len(text) < COLLAPSED_BELOW * len(last_good):
        return CaptureCheck("broken", "collapsed")
    if len(words) < (_TINY // 3 if is_chinese(words) else _TINY):
        return CaptureCheck("broken", "title_only")
    if last_good is not None and short and is_chinese(words) != is_chinese(plain(last_good[:20_000])):
        return CaptureCheck("broken", "other_language")
    found = len(_POLICY.findall(words))
    if found < 3 or (short and len(_LOGIN.findall(words)) > found):
        return CaptureCheck("not_a_policy", "no_policy_words")
    return CaptureCheck("good", "passed")
