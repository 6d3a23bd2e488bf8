"""Rows of a review: what its walk remembers, and the shapes in which the tables keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlalchemy import Connection, insert

from riskanalytics.extraction import READ_LANGUAGES, Assessment, Comparison, Reading, Walk
from riskanalytics.service.store.identity import finding_id
from riskanalytics.service.store.records import Json, as_json
from riskanalytics.service.store.schema import STATE


@dataclass(slots=True)
class Capture:
    """One row of the table `capture`, with what the review made of it."""

    id: int
    document: str
    document_id: int
    at: str
    revision: str
    kind: str
    snapshot_id: int
    sha256: str
    archive_url: str | None
    document_url: str | None = None
    state: str = ""
    check: str = ""

    @property
    def source(self) -> Json:
        """Where its findings stand, as records of them tell it."""
        return {
            "document": self.document, "captured_at": self.at, "snapshot_sha256": self.sha256,
            "archive_url": self.archive_url, "document_url": self.document_url,
        }  # fmt: skip

    def public_id(self, slug: str, surface: str, span: tuple[int, int]) -> str:
        """Return the public identifier of a finding in it."""
        return finding_id(slug, self.document, surface, self.sha256, span)


@dataclass(slots=True)
class Document:
    """One document while its history is walked."""

    walk: Walk = field(default_factory=Walk)
    good: Capture | None = None
    newest: Capture | None = None
    reading: Reading | None = None


@dataclass(slots=True)
class Step:
    """A capture that the history's walk reached, and the difference that it showed."""

    capture: Capture
    before: Capture | None
    comparison: Comparison | None


def document_row(name: str, document: Document) -> Json:
    """One document as the wire shows it: the last good text, and whether the newest capture was good."""
    newest = document.newest
    assert newest is not None  # noqa: S101 (a document has a capture)
    shown, state = document.good or newest, newest.state
    if document.good is not None:
        state = "good" if newest.state == "good" else "stale"
    return {
        "document": name,
        "captured_at": shown.at,
        "snapshot_sha256": shown.sha256,
        "state": state,
        "check": newest.check,
        "archive_url": shown.archive_url,
        "document_url": shown.document_url,
        "newest_capture_at": newest.at,
        "language": (language := None if document.reading is None else document.reading.language),
        "read": language in READ_LANGUAGES,
    }


def verification(documents: Sequence[Json]) -> str:
    """Verification of a platform (DESIGN section 6) from the states of its documents."""
    states = [row["state"] for row in documents]
    if not any(row["read"] for row in documents):
        return "unverified"
    if "stale" in states:
        return "stale"
    return "verified" if all(row["state"] == "good" and row["read"] for row in documents) else "partial"


def write_state(
    connection: Connection,
    platform: int,
    at: str,
    assessment: Assessment,
    documents: Sequence[Json] = (),
    decided_by: Mapping[str, list[str]] = MappingProxyType({}),
    stance_decided_by: Sequence[str] = (),
) -> None:
    """Write what a platform is from an instant on.

    Parameters
    ----------
    connection : Connection
        With a transaction open.
    platform : int
        Row.
    at : str
        ISO 8601 UTC.
    assessment : Assessment
    documents : sequence of dict
        What `document_row` gave.
    decided_by : mapping of str to list of str
        Surface -> public identifiers of the findings that decided it.
    stance_decided_by : sequence of str
        The same of the stance.
    """
    surfaces = {
        surface.surface: {
            "count": surface.count,
            "risk": surface.risk,
            "decided_by": decided_by.get(surface.surface, []),
            "explanation": surface.explanation,
            "state": surface.state,
            "to_read": surface.to_read,
        }
        for surface in assessment.surfaces
    }
    row = {
        "platform_id": platform, "valid_from": at, "rating": assessment.rating, "risk_reason": assessment.risk_reason,
        "verification": verification(documents), "stance": assessment.stance, "consumer_stance": assessment.consumer_stance,
        "business_stance": assessment.business_stance, "citation_count": assessment.citation_count,
    }  # fmt: skip
    told = {
        "stance_decided_by": stance_decided_by, "surfaces": surfaces, "rules": assessment.rules, "documents": documents,
    }  # fmt: skip
    connection.execute(insert(STATE), row | {name: as_json(value) for name, value in told.items()})
