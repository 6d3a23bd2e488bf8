"""Extract clauses and findings from policy texts, compute a platform's stance, levels and rating, and compare two texts.

All functions are pure: their results depend on their arguments and on data files of the package (rules, weights, shipped
verdicts), not on network, clock or database.
"""

from .assess import ASSESSED_BY, assess, published_formula
from .compare import Kept, Taken, Walk, unpacked, walked, without
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
    "Walk",
    "accuracy",
    "assess",
    "extract",
    "language_of",
    "published_formula",
    "relate",
    "unpacked",
    "walked",
    "without",
]  # fmt: skip
