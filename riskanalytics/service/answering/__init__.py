"""Answers to questions, drawn from cited findings only."""

from riskanalytics.service.answering.answer import REASONS, answer_question

__all__ = ["REASONS", "answer_question"]
