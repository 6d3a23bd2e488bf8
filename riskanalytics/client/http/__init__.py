"""The one door to HTTP."""

from riskanalytics.client.http.answer import MOST_BYTES, Answer, Key
from riskanalytics.client.http.connection import AT_ONCE, ATTEMPTS, PATIENCE, Connection
from riskanalytics.client.http.known import NONE_KNOWN, InProcessTransport, Kept, KnownAnswers, RecordedTransport
from riskanalytics.client.http.public import fetch

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
