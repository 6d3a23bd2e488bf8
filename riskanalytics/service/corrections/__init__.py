"""Corrections: the review of a platform run again on request (specification section 4.2), one at a time."""

from riskanalytics.service.corrections.queue import Queue
from riskanalytics.service.corrections.route import router
from riskanalytics.service.corrections.run import run_corrections

__all__ = ["Queue", "router", "run_corrections"]
