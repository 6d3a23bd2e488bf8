"""The queue of corrections: at most one open for a platform, and the same answer to a repeated request."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Connection, select, text

from riskanalytics.service.keys.access import Access, now
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.schema import SECRET

_COLUMNS: Final = "id, platform, state, requested_at, finished_at, outcome"
_BY_ID: Final = f"SELECT {_COLUMNS} FROM correction WHERE id = :id"
_BY_KEY: Final = f"SELECT {_COLUMNS} FROM correction WHERE id = (SELECT correction FROM repeat WHERE digest = :digest)"
_OPEN: Final = f"SELECT {_COLUMNS} FROM correction WHERE platform = :platform AND state IN ('queued', 'running')"
_ADD: Final = (
    "INSERT INTO correction (id, sequence, platform, state, requested_at) "
    "SELECT :id, coalesce(max(sequence), 0) + 1, :platform, 'queued', :now FROM correction"
)
_REPEAT: Final = "INSERT INTO repeat (digest, correction) VALUES (:digest, :id) ON CONFLICT DO NOTHING"
_FORGET: Final = (
    "DELETE FROM correction WHERE finished_at < :long_ago",
    "DELETE FROM repeat WHERE correction NOT IN (SELECT id FROM correction)",
)
_WAITING: Final = "SELECT id FROM correction WHERE state = 'queued' ORDER BY sequence LIMIT 1"
_TAKE: Final = (
    f"UPDATE correction SET state = 'running' WHERE state = 'queued' AND id = ({_WAITING}) RETURNING {_COLUMNS}"
)
_FINISH: Final = "UPDATE correction SET state = :state, finished_at = :now, outcome = :outcome WHERE id = :id"
_RECOVER: Final = "UPDATE correction SET state = 'queued' WHERE state = 'running'"
_ALONE: Final = select(SECRET.c.id).with_for_update()
"""On a server one request waits for another; a file has one writer at a time anyway."""
_KEPT: Final = timedelta(days=30)


class KeyReusedError(Exception):
    """An idempotency key came back with another platform."""


class Queue:
    """Corrections of one database.

    A correction is a dictionary of `id`, `platform`, `state` (`queued`, `running`, `done` or `failed`), `requested_at`,
    `finished_at` and `outcome`: what `rerun` returned, or the `reason` of a failed one.

    Parameters
    ----------
    access : Access
        Holds the queue.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def request(self, platform: str, repeat_key: str | None = None) -> Json:
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
            connection.execute(_ALONE)
            if (known := _one(connection, _BY_KEY, digest=digest)) is not None:
                if known["platform"] != platform:
                    raise KeyReusedError
                return known
            if (wanted := _one(connection, _OPEN, platform=platform)) is None:
                identifier = secrets.token_hex(12)
                long_ago = (datetime.now(UTC) - _KEPT).strftime("%Y-%m-%dT%H:%M:%SZ")
                for statement in _FORGET:
                    connection.execute(text(statement), {"long_ago": long_ago})
                connection.execute(text(_ADD), {"id": identifier, "platform": platform, "now": now()})
                wanted = _one(connection, _BY_ID, id=identifier) or {}
            if digest is not None:
                connection.execute(text(_REPEAT), {"digest": digest, "id": wanted["id"]})
            return wanted

    def get(self, identifier: str) -> Json | None:
        """Return one correction; None if it is not known."""
        with self._access.reading() as connection:
            return _one(connection, _BY_ID, id=identifier)

    def take(self) -> Json | None:
        """Return the oldest that waits, now running; None if none waits."""
        with self._access.reading() as connection:
            if connection.execute(text(_WAITING)).first() is None:
                return None
        with self._access.transaction() as connection:
            return _one(connection, _TAKE)

    def finish(self, identifier: str, state: str, outcome: Json) -> None:
        """Write the end of a correction: `done` or `failed`."""
        row = {"id": identifier, "state": state, "now": now(), "outcome": json.dumps(outcome)}
        with self._access.transaction() as connection:
            connection.execute(text(_FINISH), row)

    def recover(self) -> None:
        """Let wait again what was running when its process ended."""
        with self._access.transaction() as connection:
            connection.execute(text(_RECOVER))


def _one(connection: Connection, statement: str, **values: object) -> Json | None:
    """Return the first correction of a statement."""
    row = connection.execute(text(statement), values).mappings().first()
    return None if row is None else {**row, "outcome": json.loads(row["outcome"])}
