"""A review: the extraction run over a platform's captures, written in one transaction."""

from riskanalytics.service.review.due import History, histories, mark_unread, platforms_to_review
from riskanalytics.service.review.history import reread_platform, review_platform

__all__ = ["History", "histories", "mark_unread", "platforms_to_review", "reread_platform", "review_platform"]
