"""A review: the extraction run over a platform's captures, written in one transaction."""

from riskanalytics.service.review.history import (
    mark_unread,
    platforms_to_review,
    reread_platform,
    review_platform,
    unread_texts,
)

__all__ = ["mark_unread", "platforms_to_review", "reread_platform", "review_platform", "unread_texts"]
