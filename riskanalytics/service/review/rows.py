"""Rows of a review: what its walk remembers, and the shapes in which the tables keep it."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from riskanalytics.extraction import Assessment, ClauseFinding, Comparer, Comparison, Reading
from riskanalytics.service.store.identity import finding_id


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
    state: str = ""
    check: str = ""


@dataclass(slots=True)
class Document:
    """One document while its history is walked."""

    comparer: Comparer = field(default_factory=Comparer)
    good: Capture | None = None
    good_text: str | None = None
    shorter_since: str | None = None
    """Since when it has been a policy much shorter than the last good text."""
    newest: Capture | None = None
    reading: Reading | None = None
    broken: bool = False


@dataclass(slots=True)
class Step:
    """A capture that the history's walk reached, and the difference that it showed."""

    capture: Capture
    before: Capture | None
    comparison: Comparison | None


def wire_finding(slug: str, capture: Capture, finding: ClauseFinding) -> dict[str, Any]:
    """Return a finding as changes show it."""
    return {
        "id": finding_id(slug, capture.document, finding.surface, capture.sha256, (finding.start, finding.end)),
        "quote": finding.quote,
        "surface": finding.surface,
        "risk": finding.risk,
        "polarity": finding.polarity,
        "rule": finding.rule,
        "scope": {
            "audience": finding.scope.audience,
            "region": finding.scope.region,
            "product": finding.scope.product,
        },
        "roles": asdict(finding.roles),
        "provenance": {
            "snapshot_sha256": capture.sha256,
            "archive_url": capture.archive_url,
            "start": finding.start,
            "end": finding.end,
            "document": capture.document,
            "captured_at": capture.at,
        },
    }


def document_row(name: str, document: Document) -> dict[str, Any]:
    """One document as the wire shows it: the last good text, and whether the newest capture was good."""
    shown = document.good or document.newest
    newest = document.newest
    assert shown is not None  # noqa: S101 (a document has a capture)
    assert newest is not None  # noqa: S101
    state = newest.state
    if document.good is not None:
        state = "stale" if document.broken else "good"
    return {
        "document": name,
        "captured_at": shown.at,
        "snapshot_sha256": shown.sha256,
        "state": state,
        "check": newest.check,
        "archive_url": shown.archive_url,
        "newest_capture_at": newest.at,
    }


def verification(documents: list[dict[str, Any]]) -> str:
    """Verification of a platform (DESIGN section 6) from the states of its documents."""
    states = [row["state"] for row in documents]
    if all(state in ("broken", "not_a_policy") for state in states):
        return "unverified"
    if "stale" in states:
        return "stale"
    return "verified" if all(state == "good" for state in states) else "partial"


def failure(check: str) -> str:
    """One line about a broken capture."""
    return f"The capture failed the check {check.replace('_', ' ')}; the last good text stays current."


def as_json(value: object) -> str:
    """A value as the database keeps it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpacked(body: bytes) -> str:
    """Return the text of a snapshot.

    Parameters
    ----------
    body : bytes
        As the table `snapshot` keeps it.
    """
    return zlib.decompress(body).decode("utf-8", errors="replace")


def write_state(
    connection: sqlite3.Connection,
    platform: int,
    at: str,
    assessment: Assessment,
    documents: Sequence[dict[str, Any]] = (),
    decided_by: Mapping[str, list[str]] = MappingProxyType({}),
    stance_decided_by: Sequence[str] = (),
) -> None:
    """Write what a platform is from an instant on.

    Parameters
    ----------
    connection : sqlite3.Connection
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
        }
        for surface in assessment.surfaces
    }
    connection.execute(
        "INSERT INTO state VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            platform, at, assessment.rating, assessment.risk_reason, verification(list(documents)),
            assessment.stance, assessment.consumer_stance, assessment.business_stance, as_json(stance_decided_by),
            as_json(surfaces), as_json(assessment.rules), assessment.citation_count, as_json(documents),
        ),
    )  # fmt: skip
