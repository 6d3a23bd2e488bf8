"""The one door to HTTP."""

from riskanalytics._http.answer import Answer, retry_after
from riskanalytics._http.connection import ATTEMPTS, MOST_BYTES, PATIENCE, Connection
from riskanalytics._http.embedded import InProcessTransport, in_process_transport

__all__ = [
    "ATTEMPTS",
    "MOST_BYTES",
    "PATIENCE",
    "Answer",
    "Connection",
    "InProcessTransport",
    "in_process_transport",
    "retry_after",
]
