"""Records of the service as they stand on the wire (specification section 2).

All records are frozen, keep fields that they do not know, and accept values that were never seen before:
a rating, a surface or a verification tier that a later service invents passes through unchanged.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from riskanalytics.surfaces import SURFACE_DESCRIPTIONS as SURFACE_DESCRIPTIONS
from riskanalytics.surfaces import SURFACE_NAMES as SURFACE_NAMES
from riskanalytics.surfaces import SURFACES as SURFACES
from riskanalytics.surfaces import surface_name as surface_name

RATINGS: Final = ("LOW", "MED", "HIGH")
"""Levels in rising order of risk; the set is open, values not listed here pass through."""

LEVELS: Final = ("UNKNOWN", *RATINGS)
"""Categories of every `level` column, in order; UNKNOWN is apart, not low."""

STANCE_NAMES: Final = {
    "trains_by_default": "Trains by default",
    "depends_on_plan": "Depends on plan",
    "trains_with_opt_out": "Trains, opt-out offered",
    "trains_with_opt_in": "Trains only after opt-in",
    "does_not_train": "Does not train",
    "undetermined": "Undetermined: to be read",
    "silent": "Documents are silent",
}
"""Words for the known stances on training use, from the most to the least exposed; `undetermined` (the documents
conflict or fall short, a person must read them) and silence are no answers."""

STANCES: Final = tuple(STANCE_NAMES)

_FOR_BUSINESS: Final = re.compile(
    r"\b(?:business|commercial|enterprise|corporate|data process(?:or|ing)|developer|api)\b", re.IGNORECASE
)

STANCE_CLAUSES: Final = {
    "trains_by_default": "trains on user content by default, and no way out is stated",
    "depends_on_plan": "trains on user content depending on the plan",
    "trains_with_opt_out": "trains on user content unless the user opts out",
    "trains_with_opt_in": "trains on user content only where the user opts in",
    "does_not_train": "does not train on user content",
}
"""What a stance says of a platform, as the rest of a sentence; silence says nothing, and `undetermined` no one thing."""

UNDETERMINED: Final = "do not settle whether user content trains models: these clauses are to be read"
"""What is said of documents whose stance is `undetermined`, as the rest of a sentence."""

DOCUMENT_STATE_NAMES: Final = {
    "good": "read",
    "stale": "last good text read; the newest capture is broken",
    "broken": "not read: the capture is broken",
    "not_a_policy": "not read: the page is no policy",
}
"""Words for the known states of a document."""

CHANGE_CLASSES: Final = ("material", "wording", "format", "revert", "capture_failure", "technical")
"""What a review may call a difference between two captures of a document."""

VERIFICATIONS: Final = ("verified", "partial", "stale", "unverified")
"""States of a platform's evidence."""

ACCURACY_PARTS: Final = {
    "test": "vendors that nothing was made from",
    "unseen": "AI platforms that nothing was made from",
    "calibrate": "vendors kept apart to set the confidence by",
    "given": "the labels given",
}
"""Words for what figures of accuracy may be measured on, what is to be shown first first."""

DECIDED_BY: Final = {"hand_written": "Rules alone", "learned": "Model alone", "all": "All findings"}
"""Words for what decided the findings that figures of accuracy are about."""

DISCLAIMER: Final = (
    "Informational only, not legal advice. Ratings and findings are computed automatically from publicly "
    "available policy documents and must be verified against the cited source."
)
"""Notice that every payload and every page carries (specification section 1)."""


def stance_name(stance: str) -> str:
    """Return the readable name of a stance; one never seen is its identifier with spaces."""
    return STANCE_NAMES.get(stance) or stance.replace("_", " ").strip().capitalize()


def audience_of_document(name: str) -> str | None:
    """Return whom a whole document is for, by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
        `business`, `developer`, or None where that is everybody.
    """
    found = _FOR_BUSINESS.search(name)
    return None if found is None else "developer" if found[0].lower() in ("developer", "api") else "business"


class Record(BaseModel):
    """Base of all records: frozen, unknown fields kept, no closed sets."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Platform(Record):
    """A platform as list endpoints show it (specification section 2.2)."""

    id: str
    """Slug."""
    name: str | None = None
    website: str | None = None
    """Absolute URL of the vendor's site; None where the archive does not tell it."""
    rating: str | None = None
    risk_reason: str | None = None
    """Begins with the rating and the number of citations."""
    last_reviewed: str | None = None
    """YYYY-MM-DD."""
    url: str | None = None
    verification: str | None = None


class SurfaceCount(Record):
    """What a platform's documents say on one surface."""

    count: int | None = None
    """Number of findings."""
    risk: str | None = None
    """Level of the surface for a self-serve user."""


class PlatformDetail(Platform):
    """One platform with its surfaces and, on Pro, its citations (specification section 2.3)."""

    surfaces: dict[str, SurfaceCount] = Field(default_factory=dict)
    citation_count: int | None = None
    citations: list[dict[str, Any]] | None = None
    """None where the key's tier does not include them."""


class Provenance(Record):
    """Where a quote stands (specification section 2.4)."""

    snapshot_sha256: str | None = None
    """Lower-case hexadecimal SHA-256 of the snapshot's bytes."""
    archive_url: str | None = None
    start: int | None = None
    """Offset of the first character, in Unicode code points of the snapshot decoded as UTF-8."""
    end: int | None = None
    """Offset after the last character."""
    document: str | None = None
    captured_at: str | None = None
    """UTC time of the capture, ISO 8601."""


class Roles(Record):
    """Who does what to what, and under which condition, in the clause's own plain words; null where it does not tell."""

    actor: str | None = None
    """`vendor`, `user` or `third_party`."""
    action: str | None = None
    object: str | None = None
    condition: str | None = None


class Lead(Record):
    """One verified clause that is worth reading and not sure enough to be a finding: listed, never counted."""

    id: str | None = None
    quote: str = ""
    surface: str | None = None
    risk: str | None = None
    polarity: str | None = None
    """`raises_risk`, `mitigates_risk` or `neutral`."""
    confidence: float | None = None
    confidence_interval: list[float] | None = None
    rule: str | None = None
    scope: dict[str, Any] = Field(default_factory=dict)
    """`audience`, `region`, `product`; null where the clause does not limit itself."""
    roles: Roles = Field(default_factory=Roles)
    verification_status: str | None = None
    provenance: Provenance = Field(default_factory=Provenance)


class Finding(Lead):
    """One verified clause that counts (specification section 2.4)."""

    conflicts_with: list[str] = Field(default_factory=list)
    duplicate_of: str | None = None


class Change(Record):
    """What a review found different (DESIGN: Change; specification section 2.5 leaves the fields open)."""

    id: str | None = None
    platform: str | None = None
    """Slug."""
    name: str | None = None
    document: str | None = None
    reviewed_at: str | None = None
    change_class: str | None = Field(default=None, alias="class")
    surfaces: list[str] = Field(default_factory=list)
    direction: str | None = None
    """`up`, `down`, `mixed` or `none`: what the change does to the risk, on the weightiest surface that moved."""
    directions: dict[str, str] = Field(
        default_factory=dict, description="Surface -> `up`, `down`, `mixed` or `none`; the weightiest surface first."
    )
    """The same for each of `surfaces`."""
    rating_before: str | None = None
    rating_after: str | None = None
    stance_before: str | None = None
    stance_after: str | None = None
    snapshot_before: str | None = None
    snapshot_after: str | None = None
    added: list[dict[str, Any]] = Field(default_factory=list)
    removed: list[dict[str, Any]] = Field(default_factory=list)
    altered: list[dict[str, Any]] = Field(default_factory=list)
    cause: list[dict[str, Any]] = Field(default_factory=list)
    """The findings that make the change, the weightiest first: `finding`, `rule`, `surface`, `kind` (`added`, `removed`,
    `rewritten`), `before`, `after` (ids), `effect`, `direction`, and what of the platform it `moved`."""
    summary: str | None = None
    url: str | None = None


class Coverage(Record):
    """Counts of tracked and verified platforms (specification section 4.2, `/api/coverage`)."""

    tracked: int | None = None
    verified: int | None = None
    partial: int | None = None
    stale: int | None = None
    unverified: int | None = None
    surfaces: dict[str, int] = Field(default_factory=dict)
    as_of: str | None = None
    unfinished: bool | None = None
    """Whether an ingest was cut off, or goes on: platforms that it has not read are `unverified`."""
