"""The wire: the words that answers use, and the records that they are made of, declared here only."""

from riskanalytics.models.base import Record
from riskanalytics.models.clauses import Finding, Lead, Provenance, Roles
from riskanalytics.models.records import (
    Change,
    Coverage,
    Platform,
    PlatformDetail,
    SurfaceCount,
)
from riskanalytics.models.words import (
    ACCURACY_PARTS,
    CHANGE_CLASSES,
    DECIDED_BY,
    DISCLAIMER,
    DOCUMENT_STATE_NAMES,
    LEVELS,
    RATINGS,
    REFUSALS,
    STANCE_CLAUSES,
    STANCE_NAMES,
    STANCES,
    SURFACE_STATES,
    UNDETERMINED,
    UNRATED,
    VERIFICATION_STATUSES,
    VERIFICATIONS,
    ChangeClass,
    audience_of_document,
    document_words,
    in_other_language,
    language_name,
    languages_not_read,
    names_way_out,
    stance_name,
    state_words,
)  # fmt: skip

__all__ = [
    "ACCURACY_PARTS", "CHANGE_CLASSES", "DECIDED_BY", "DISCLAIMER", "DOCUMENT_STATE_NAMES", "LEVELS", "RATINGS",
    "REFUSALS", "STANCES", "STANCE_CLAUSES", "STANCE_NAMES", "SURFACE_STATES",
    "UNDETERMINED", "UNRATED", "VERIFICATIONS", "VERIFICATION_STATUSES", "Change", "ChangeClass", "Coverage", "Finding", "Lead",
    "Platform", "PlatformDetail", "Provenance", "Record", "Roles", "SurfaceCount",
    "audience_of_document", "document_words", "in_other_language", "language_name", "languages_not_read",
    "names_way_out", "stance_name", "state_words",
]  # fmt: skip
