"""The word that names the state of a database in a file: each transaction writes another, copies keep it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from secrets import token_hex

from riskanalytics.errors import DatabaseError


def renew(connection: sqlite3.Connection) -> None:
    """Write another word.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a writer, in a transaction.
    """
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('state', ?)", (token_hex(32),))


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
            (told,) = connection.execute("SELECT value FROM meta WHERE key = 'state'").fetchone() or ("",)
            return str(told)
    except sqlite3.Error as error:
        raise DatabaseError(f"{path} cannot be read: {error}") from error
