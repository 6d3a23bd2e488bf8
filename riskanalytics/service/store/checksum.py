"""The word that names the state of a database in a file: each transaction writes another, copies keep it."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.seam import Connection

_HELD: Final = (
    "SELECT (SELECT value FROM meta WHERE key = 'state'), (SELECT count(*) FROM capture), (SELECT count(*) FROM change), "
    "(SELECT count(*) FROM state), (SELECT count(*) FROM finding), (SELECT value FROM meta WHERE key = 'rules'), "
    "(SELECT group_concat(sha256) FROM (SELECT sha256 FROM snapshot ORDER BY id DESC LIMIT 20))"
)
"""The word before, and what tells the contents of a database apart."""


def renew(connection: sqlite3.Connection) -> None:
    """Write another word: a hash of the one before and of what the database holds, so that equal ingests give equal words.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a writer, in a transaction.
    """
    held = connection.execute(_HELD).fetchone()
    word = hashlib.sha256(repr(tuple(held)).encode()).hexdigest()
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('state', ?)", (word,))


def told_by(path: Path) -> str:
    """Return the word that the last transaction wrote; empty where an older version wrote it.

    Parameters
    ----------
    path : Path
        Of a database of ours.

    Raises
    ------
    DatabaseError
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
            return told_on(connection)
    except sqlite3.Error as error:
        raise DatabaseError(f"{path} cannot be read: {error}") from error


def told_on(connection: Connection) -> str:
    """Return the word that a connection reads."""
    return str((connection.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() or ("",))[0])
