"""The one door to HTTP."""

from riskanalytics._http.answer import MOST_BYTES, Answer, Key
from riskanalytics._http.connection import AT_ONCE, ATTEMPTS, PATIENCE, Connection
from riskanalytics._http.known import NONE_KNOWN, InProcessTransport, Kept, KnownAnswers, RecordedTransport
from riskanalytics._http.public import fetch

__all__ = [
    "ATTEMPTS",
    "AT_ONCE",
    "MOST_BYTES",
    "NONE_KNOWN",
    "PATIENCE",
    "Answer",
    "Connection",
    "InProcessTransport",
    "Kept",
    "Key",
    "KnownAnswers",
    "RecordedTransport",
    "fetch",
]
