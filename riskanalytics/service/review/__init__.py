"""A review: the extraction run over a platform's captures, written in one transaction."""

from riskanalytics.service.review.history import platforms_to_review, reread_platform, review_platform, unread_texts

__all__ = ["platforms_to_review", "reread_platform", "review_platform", "unread_texts"]
