"""Read policy texts: text -> clauses -> findings -> stance, levels and rating; compare two texts of a document.

All functions are pure: they depend on texts and on rules kept as data, not on network, clock or database.
"""

from .assess import ASSESSED_BY, assess, published_formula
from .compare import Kept, Taken, compare, unpacked, walked, without
from .plain import language_of
from .reading import FINDING_FROM, RULES_VERSION, extract
from .records import (
    Assessment,
    ClauseFinding,
    Comparison,
    DocumentReading,
    FindingKey,
    LeadIn,
    Move,
    Reading,
    Roles,
    Scope,
)
from .rules import accuracy
from .stance import relate

__all__ = [
    "ASSESSED_BY",
    "FINDING_FROM",
    "RULES_VERSION",
    "Assessment",
    "ClauseFinding",
    "Comparison",
    "DocumentReading",
    "FindingKey",
    "Kept",
    "LeadIn",
    "Move",
    "Reading",
    "Roles",
    "Scope",
    "Taken",
    "accuracy",
    "assess",
    "compare",
    "extract",
    "language_of",
    "published_formula",
    "relate",
    "unpacked",
    "walked",
    "without",
]  # fmt: skip
