"""The one door to HTTP."""

from riskanalytics._http.answer import Answer, retry_after
from riskanalytics._http.connection import ATTEMPTS, MOST_BYTES, PATIENCE, Connection
from riskanalytics._http.embedded import InProcessTransport

__all__ = [
    "ATTEMPTS",
    "MOST_BYTES",
    "PATIENCE",
    "Answer",
    "Connection",
    "InProcessTransport",
    "retry_after",
]
