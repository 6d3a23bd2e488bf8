"""What a plain keyword list finds: the baseline that the extraction is measured against."""

from __future__ import annotations

import re

from riskanalytics.extraction import ClauseFinding, segment

KEYWORDS = {
    "training_use": r"\btrain(?:s|ed|ing)?\b|fine-?tun|训练",
    "web_data_training": r"publicly available|scrap|crawl|公开",
    "content_license": r"licen[cs]e|\bgrant|许可|授权",
    "output_rights": r"\boutputs?\b|generated content|输出",
    "ip_liability": r"indemnif|infring|侵权",
    "data_retention": r"\bretain|retention|\bdelete|保存|保留",
    "third_party_sharing": r"\bshare\b|disclose|third part|共享|披露",
    "ads_tracking": r"advertis|\bads\b|cookies?|广告",
    "human_review": r"\breview|\bmonitor|moderat|审核",
    "cross_border_transfer": r"transfer|outside the|countries|境",
    "sensitive_data": r"sensitive|biometric|children|health|未成年|敏感",
    "terms_changes": r"\bmodify|\bchanges? to|\bupdate|amend|修改|变更",
}
PATTERNS = {surface: re.compile(words, re.IGNORECASE) for surface, words in KEYWORDS.items()}


def keyword_list(text: str) -> list[ClauseFinding]:
    """Every sentence that holds a keyword, at the middle level."""
    found = []
    for clause in segment(text):
        quote = text[clause.start : clause.end]
        found += [
            ClauseFinding(surface, clause.start, clause.end, quote, "MED", "neutral", "keyword", 0.0, (0.0, 1.0))
            for surface, pattern in PATTERNS.items()
            if pattern.search(quote)
        ]
    return found
