"""Which answers of a service are compared with ours, and what the interface specification asks of them.

What the answers look like is declared in `models`. Fields that the specification names stand in `SPECIFIED`; all others are
additions that the README documents. Nothing is read with these: the client takes what comes.
"""

from __future__ import annotations

from typing import Final

from riskanalytics.models import Coverage, Finding, Platform, PlatformDetail, Provenance, Record, SurfaceCount
from riskanalytics.models.records import ChangeList, Citation, ClauseList, Listed, MachinePlatform, PlatformList

ANSWERS: Final[dict[str, type[Record]]] = {
    "/api/v1/platforms": PlatformList,
    "/api/v1/platforms/{id}": PlatformDetail,
    "/api/v1/search": PlatformList,
    "/api/v1/changes": ChangeList,
    "/api/machine/platform/{slug}": MachinePlatform,
    "/api/machine/search": ClauseList,
    "/api/coverage": Coverage,
}
"""Endpoint -> what its answer looks like."""

SPECIFIED: Final[dict[type[Record], tuple[str, ...]]] = {
    Listed: ("object", "total", "limit", "offset", "disclaimer", "data"),
    Platform: ("id", "name", "website", "rating", "risk_reason", "last_reviewed", "url", "verification"),
    PlatformDetail: ("rating", "risk_reason", "surfaces", "disclaimer"),
    SurfaceCount: ("count",),
    Citation: ("quote", "source"),
    Finding: ("quote", "surface", "risk", "confidence", "verification_status", "provenance"),
    Provenance: ("snapshot_sha256", "archive_url", "start", "end"),
    MachinePlatform: ("@context", "@type", "findings", "disclaimer"),
    Coverage: ("tracked", "verified", "disclaimer"),
}
"""Record -> the fields that the interface specification asks for; where it names none, under the names that are read."""

MAY_BE_NULL: Final = frozenset({"website"})
"""Specified fields that our service leaves null where it does not know (README, additions)."""
