"""Answers to questions, drawn from cited findings, and from leads that are marked."""

from riskanalytics.service.answering.answer import answer_question
from riskanalytics.service.answering.route import router

__all__ = ["answer_question", "router"]
