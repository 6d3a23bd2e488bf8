"""The one door to HTTP."""

from riskanalytics._http.answer import Answer
from riskanalytics._http.connection import AT_ONCE, ATTEMPTS, PATIENCE, Connection
from riskanalytics._http.exchange import MOST_BYTES
from riskanalytics._http.key import Key
from riskanalytics._http.known import NONE_KNOWN, KnownAnswers
from riskanalytics._http.public import fetch
from riskanalytics._http.transports import InProcessTransport, Kept, RecordedTransport

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
