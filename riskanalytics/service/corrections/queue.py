"""The queue of corrections: at most one open for a platform, answers to a repeated request the same."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from riskanalytics.service.keys.access import Access, now
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.seam import Connection

MOST_ATTEMPTS: Final = 3
"""Runs that may be cut off before a correction is given up."""
_COLUMNS: Final = "id, platform, state, requested_at, finished_at, outcome"
_KEPT_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction.

    Parameters
    ----------
    id : str
        Of the review.
    platform : str
        Slug.
    state : str
        `queued`, `running`, `done` or `failed`.
    requested_at : str
        ISO 8601 UTC.
    finished_at : str or None
    outcome : dict
        Of a finished one: `findings` with the counts `added`, `removed`, `kept`, `rating_before`, `rating_after`,
        `reread`; or `reason` of a failed one.
    """

    id: str
    platform: str
    state: str
    requested_at: str
    finished_at: str | None
    outcome: Json


class KeyReusedError(Exception):
    """An idempotency key came back with another platform."""


class Queue:
    """Corrections of one database.

    Parameters
    ----------
    access : Access
        Holds the queue.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def request(self, platform: str, repeat_key: str | None = None) -> Correction:
        """Ask for a correction; an open one of the platform is joined.

        Parameters
        ----------
        platform : str
            Slug of a tracked platform.
        repeat_key : str, optional
            The same key gives the same correction again, finished or not.

        Raises
        ------
        KeyReusedError
            If the key was used for another platform.
        """
        digest = None if repeat_key is None else self._access.digest("repeat\0" + repeat_key)
        with self._access.transaction() as connection:
            known = _one(connection, "id = (SELECT correction FROM repeat WHERE digest = ?)", digest)
            if known is not None and known.platform != platform:
                raise KeyReusedError
            if known is not None:
                return known
            wanted = _one(connection, "platform = ? AND state IN ('queued', 'running')", platform)
            wanted = wanted or _added(connection, platform)
            if digest is not None:
                connection.execute(
                    "INSERT INTO repeat VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET correction = excluded.correction",
                    (digest, wanted.id),
                )
            return wanted

    def get(self, identifier: str) -> Correction | None:
        """Return one correction; None where there is none of this name."""
        with self._access.reading() as connection:
            return _one(connection, "id = ?", identifier)

    def take(self) -> Correction | None:
        """Return the oldest that waits, now running; None where none waits."""
        with self._access.transaction() as connection:
            waiting = _one(connection, "state = 'queued'")
            if waiting is not None:
                connection.execute(
                    "UPDATE correction SET state = 'running', attempts = attempts + 1 WHERE id = ?", (waiting.id,)
                )
            return waiting

    def finish(self, identifier: str, state: str, outcome: Json) -> None:
        """Write the end of a correction: `done` or `failed`."""
        with self._access.transaction() as connection:
            connection.execute(
                "UPDATE correction SET state = ?, finished_at = ?, outcome = ? WHERE id = ?",
                (state, now(), json.dumps(outcome), identifier),
            )

    def try_again(self, identifier: str, outcome: Json) -> None:
        """Let a correction wait again, as the last, whose run failed; at last give it up with an outcome."""
        with self._access.transaction() as connection:
            again = connection.execute(
                "UPDATE correction SET state = 'queued', sequence = (SELECT max(sequence) + 1 FROM correction) "
                "WHERE id = ? AND attempts < ?",
                (identifier, MOST_ATTEMPTS),
            )
            if not again.rowcount:
                self.finish(identifier, "failed", outcome)

    def put_back(self, identifier: str) -> None:
        """Let a correction wait again whose run was stopped on purpose."""
        with self._access.transaction() as connection:
            connection.execute(
                "UPDATE correction SET state = 'queued', attempts = attempts - 1 WHERE id = ?", (identifier,)
            )

    def recover(self) -> None:
        """Let wait again what was running when its process ended; give up what was cut off too often."""
        gone = json.dumps({"reason": f"the run was cut off {MOST_ATTEMPTS} times"})
        with self._access.transaction() as connection:
            connection.execute(
                "UPDATE correction SET state = 'failed', finished_at = ?, outcome = ? "
                "WHERE state = 'running' AND attempts >= ?",
                (now(), gone, MOST_ATTEMPTS),
            )
            connection.execute("UPDATE correction SET state = 'queued' WHERE state = 'running'")


def _one(connection: Connection, where: str, *values: object) -> Correction | None:
    """Return the oldest correction that a condition of this module holds for."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM correction WHERE {where} ORDER BY sequence LIMIT 1",  # noqa: S608 (texts of this module)
        values,
    ).fetchone()
    if row is None:
        return None
    identifier, platform, state, requested_at, finished_at, outcome = row
    return Correction(identifier, platform, state, requested_at, finished_at, json.loads(outcome))


def _added(connection: Connection, platform: str) -> Correction:
    """Add one to the end of the queue, and forget what ended long ago."""
    long_ago = (datetime.now(UTC) - timedelta(days=_KEPT_DAYS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    connection.execute("DELETE FROM correction WHERE finished_at < ?", (long_ago,))
    connection.execute("DELETE FROM repeat WHERE correction NOT IN (SELECT id FROM correction)")
    added = Correction(secrets.token_hex(12), platform, "queued", now(), None, {})
    connection.execute(
        "INSERT INTO correction (id, sequence, platform, state, requested_at) "
        "SELECT ?, coalesce(max(sequence), 0) + 1, ?, ?, ? FROM correction",
        (added.id, added.platform, added.state, added.requested_at),
    )
    return added
