"""What of a database is still to be read and reviewed."""

from __future__ import annotations

from dataclasses import replace

from riskanalytics.extraction import ASSESSED_BY, RULES_VERSION, Kept, assess, unpacked
from riskanalytics.service.review.rows import write_state
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.readings import kept
from riskanalytics.service.store.write import Writer

History = dict[int, Kept]
"""Row of a capture -> the capture, all of one document, in the order of its history."""


def platforms_to_review(writer: Writer) -> list[str]:
    """Return the slugs of platforms with captures that were not reviewed by the present rules.

    Parameters
    ----------
    writer : Writer

    Returns
    -------
    list of str
        In order; all of them after the rules have changed.
    """
    if writer.recall("rules") != ASSESSED_BY:
        with writer.transaction() as connection:
            run(connection, "UPDATE capture SET state = NULL")
            run(connection, "UPDATE snapshot SET rules = NULL")
            writer.remember("rules", ASSESSED_BY)
    slugs = run(
        writer.connection,
        "SELECT DISTINCT p.slug FROM platform p JOIN document d ON d.platform_id = p.id "
        "JOIN capture c ON c.document_id = d.id WHERE c.state IS NULL ORDER BY p.slug",
    ).scalars()
    return list(slugs)


def mark_unread(writer: Writer) -> None:
    """Give each platform that was never reviewed the state of one that is not read yet; a transaction is open.

    Parameters
    ----------
    writer : Writer
    """
    rows = run(
        writer.connection,
        "SELECT p.id, min(c.captured_at) FROM platform p JOIN document d ON d.platform_id = p.id "
        "JOIN capture c ON c.document_id = d.id WHERE NOT EXISTS (SELECT 1 FROM state s WHERE s.platform_id = p.id) "
        "GROUP BY p.id",
    ).all()
    nothing = assess(())
    for platform, at in rows:
        write_state(
            writer.connection, platform, at, replace(nothing, risk_reason=f"{nothing.risk_reason}; not read yet")
        )


def histories(writer: Writer, slug: str) -> list[History]:
    """Return the captures of a platform by document, each document's in the order of its history.

    Parameters
    ----------
    writer : Writer
    slug : str

    Returns
    -------
    list of History
    """
    rows = run(
        writer.connection,
        "SELECT c.document_id, c.id, c.captured_at, s.sha256, s.body, s.id, s.rules = :rules FROM capture c "
        "JOIN snapshot s ON s.id = c.snapshot_id JOIN document d ON d.id = c.document_id "
        "JOIN platform p ON p.id = d.platform_id WHERE p.slug = :slug ORDER BY c.document_id, c.sequence, c.id",
        rules=RULES_VERSION, slug=slug,
    ).all()  # fmt: skip
    told: dict[int, History] = {}
    for document, capture, at, sha256, body, snapshot, read in rows:
        reading = kept(writer.connection, snapshot, unpacked(body)) if read else None
        told.setdefault(document, {})[capture] = Kept(at, sha256, body, reading)
    return list(told.values())
