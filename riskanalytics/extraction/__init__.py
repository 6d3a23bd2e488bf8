"""Read policy texts: text -> clauses -> findings -> stance, levels and rating; compare two texts of a document.

All functions are pure: they depend on texts and on rules kept as data, not on network, clock or database.
"""

from .assess import ASSESSED_BY, assess, published_formula
from .compare import Comparer, Kept, Taken, Walk, compare, unpacked, walked, without
from .plain import READ_LANGUAGES, language_of
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
    Relations,
    Roles,
    Scope,
)
from .rules import accuracy
from .stance import relate

__all__ = [
    "ASSESSED_BY",
    "FINDING_FROM",
    "READ_LANGUAGES",
    "RULES_VERSION",
    "Assessment",
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
    "Taken",
    "Walk",
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
