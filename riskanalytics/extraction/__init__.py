"""Policy text -> clauses -> findings -> stance, levels and rating; differences between two texts.

Pure functions of texts and of rules that are data: no network, no clock, no database.
"""

from riskanalytics.extraction.assess import ASSESSED_BY, assess, published_formula
from riskanalytics.extraction.capture import SUBSTANTIAL, check_capture
from riskanalytics.extraction.compare import Comparer, Kept, Taken, Walk, compare, unpacked, walked, without
from riskanalytics.extraction.plain import READ_LANGUAGES, language_of
from riskanalytics.extraction.reading import FINDING_FROM, RULES_VERSION, extract
from riskanalytics.extraction.records import (
    Altered,
    Assessment,
    CaptureCheck,
    Clause,
    ClauseFinding,
    Comparison,
    DocumentReading,
    FindingKey,
    LeadIn,
    Move,
    Reading,
    Relations,
    Roles,
    Scope,
    SurfaceAssessment,
)
from riskanalytics.extraction.rules import accuracy
from riskanalytics.extraction.segment import segment
from riskanalytics.extraction.stance import relate

__all__ = [
    "ASSESSED_BY",
    "FINDING_FROM",
    "READ_LANGUAGES",
    "RULES_VERSION",
    "SUBSTANTIAL",
    "Altered",
    "Assessment",
    "CaptureCheck",
    "Clause",
    "ClauseFinding",
    "Comparer",
    "Comparison",
    "DocumentReading",
    "FindingKey",
    "Kept",
    "LeadIn",
    "Move",
    "Reading",
    "Relations",
    "Roles",
    "Scope",
    "SurfaceAssessment",
    "Taken",
    "Walk",
    "accuracy",
    "assess",
    "check_capture",
    "compare",
    "extract",
    "language_of",
    "published_formula",
    "relate",
    "segment",
    "unpacked",
    "walked",
    "without",
]
