"""The JSON-LD context of machine records (JSON-LD 1.1): schema.org where it has the word, a vocabulary of ours elsewhere.

Every member has an IRI, ordered arrays are lists, addresses are identifiers: a processor that expands a record and
compacts it again loses nothing but nulls, which JSON-LD holds for absent.
"""

from __future__ import annotations

from typing import Final

from riskanalytics.service.store.records import Json

_SCHEMA: Final = (
    "SoftwareApplication", "Review", "Rating", "name", "review", "reviewAspect", "reviewRating", "ratingValue",
    "bestRating", "worstRating", "ratingExplanation",
)  # fmt: skip
_LISTS: Final = (
    "findings", "leads", "documents", "searched_without_result", "snapshots", "confidence_interval", "conflicts_with",
    "decided_by", "rules",
)  # fmt: skip

CONTEXT: Final[Json] = {
    "@version": 1.1,
    "@vocab": "urn:riskanalytics:terms:",
    "schema": "https://schema.org/",
    **{name: f"schema:{name}" for name in _SCHEMA},
    **{name: {"@id": f"urn:riskanalytics:terms:{name}", "@container": "@list"} for name in _LISTS},
    "url": {"@id": "schema:url", "@type": "@id"},
    "website": {"@id": "schema:sameAs", "@type": "@id"},
    "slug": "schema:identifier",
    "quote": "schema:text",
    "archive_url": {"@id": "schema:archivedAt", "@type": "@id"},
    "last_reviewed": {"@id": "schema:dateModified", "@type": "schema:Date"},
    "datePublished": {"@id": "schema:datePublished", "@type": "schema:Date"},
    "captured_at": {"@id": "schema:dateCreated", "@type": "schema:DateTime"},
    "disclaimer": "schema:usageInfo",
}
"""Context of `/api/machine/platform/{slug}`."""
