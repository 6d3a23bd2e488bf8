"""What of a database is still to be read and reviewed."""

from __future__ import annotations

from dataclasses import replace

from riskanalytics.extraction import ASSESSED_BY, RULES_VERSION, assess
from riskanalytics.service.review.rows import unpacked, write_state
from riskanalytics.service.store.write import Writer


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
            connection.execute("UPDATE capture SET state = NULL")
            connection.execute("UPDATE snapshot SET rules = NULL")
            writer.remember("rules", ASSESSED_BY)
    rows = writer.connection.execute(
        "SELECT DISTINCT p.slug FROM platform p JOIN document d ON d.platform_id = p.id "
        "JOIN capture c ON c.document_id = d.id WHERE c.state IS NULL ORDER BY p.slug"
    )
    return [slug for (slug,) in rows]


def mark_unread(writer: Writer) -> None:
    """Give each platform that was never reviewed the state of one that is not read yet; a transaction is open.

    Parameters
    ----------
    writer : Writer
    """
    rows = writer.connection.execute(
        "SELECT p.id, min(c.captured_at) FROM platform p JOIN document d ON d.platform_id = p.id "
        "JOIN capture c ON c.document_id = d.id WHERE NOT EXISTS (SELECT 1 FROM state s WHERE s.platform_id = p.id) "
        "GROUP BY p.id"
    ).fetchall()
    nothing = assess(())
    for platform, at in rows:
        write_state(
            writer.connection, platform, at, replace(nothing, risk_reason=f"{nothing.risk_reason}; not read yet")
        )


def unread_texts(writer: Writer, slug: str) -> dict[int, str]:
    """Return the texts of a platform that the present rules have not read.

    Parameters
    ----------
    writer : Writer
    slug : str

    Returns
    -------
    dict of int to str
        Row of the snapshot -> its text, in the order in which a review comes to them.
    """
    rows = writer.connection.execute(
        "SELECT s.id, s.body FROM snapshot s JOIN capture c ON c.snapshot_id = s.id JOIN document d ON d.id = c.document_id "
        "JOIN platform p ON p.id = d.platform_id WHERE p.slug = ? AND s.rules IS NOT ? GROUP BY s.id "
        "ORDER BY min(c.document_id), min(c.sequence)",
        (slug, RULES_VERSION),
    )
    return {snapshot: unpacked(body) for snapshot, body in rows}
