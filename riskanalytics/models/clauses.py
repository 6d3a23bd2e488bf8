"""Clauses as the wire shows them: quoted, found, led, each with its place (specification section 2.4)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from riskanalytics.models.base import Actor, Level, Polarity, Record, Surface, Told, VerificationStatus


class Provenance(Record):
    """Where a quote stands, to check it again (specification section 2.4)."""

    snapshot_sha256: Annotated[Told[str], Field(description="SHA-256 of the document's bytes as they were captured.")]
    archive_url: Annotated[str | None, Field(description="Public copy of the document; null where none is known.")] = (
        None
    )
    start: Annotated[Told[int], Field(description="Offset of the quote's first character, in Unicode code points.")]
    end: Annotated[Told[int], Field(description="Offset after the quote's last character.")]
    document: Told[str]
    captured_at: Told[str]
    """UTC time of the capture, ISO 8601."""


class Scope(Record):
    """To whom a clause limits itself; null where it does not."""

    audience: str | None = None
    region: str | None = None
    product: str | None = None


class Roles(Record):
    """Who does what to what, and when, in the clause's own words: untrusted text; null where it does not tell."""

    actor: Annotated[Actor | None, Field(description="vendor, user or third_party.")] = None
    action: str | None = None
    object: str | None = None
    condition: str | None = None


class Quoted(Record):
    """A verbatim clause, what it was taken for, and where it stands."""

    id: Told[str]
    quote: Told[str]
    surface: Told[Surface]
    risk: Level | None = None
    polarity: Polarity | None = None
    rule: Told[str]
    scope: Scope = Field(default_factory=Scope)
    roles: Roles = Field(default_factory=Roles)
    provenance: Provenance = Field(default_factory=lambda: Provenance.model_validate({}))


class Lead(Quoted):
    """One verified clause that is worth reading and not sure enough to be a finding: listed, never counted."""

    confidence: Told[float]
    confidence_interval: Told[list[float]]
    verification_status: Told[VerificationStatus]


class Finding(Lead):
    """One verified clause that counts (specification section 2.4)."""

    conflicts_with: Told[list[str]]
    duplicate_of: str | None = None


class NamedFinding(Finding):
    """A finding with its platform."""

    platform: Annotated[Told[str], Field(description="Slug.")]
    name: Told[str]


class FoundClause(NamedFinding):
    """A finding of a clause search."""

    highlighted: Told[str]
    url: Told[str]
