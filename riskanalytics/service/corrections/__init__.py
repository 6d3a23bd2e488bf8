"""Corrections: the review of a platform run again on request (specification section 4.2), one at a time.

The queue lives in the second file beside the database. Whichever server process holds the lock file runs it; the
lock falls with its process, and what that left behind is run again by the next. A run is a process of its own, so
that readers keep their pace.
"""

from riskanalytics.service.corrections.queue import Correction, Queue
from riskanalytics.service.corrections.route import router
from riskanalytics.service.corrections.worker import Worker

__all__ = ["Correction", "Queue", "Worker", "router"]
