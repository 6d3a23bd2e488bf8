"""Checking a database for the readers of a process: once after each time it was written."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.checksum import DESCRIPTORS, DamagedError, File, check, written


class _Checked(NamedTuple):
    """What is known of the bytes of a file: which it was, the checksum that it told, and what was wrong."""

    file: File
    told: str | None
    damage: str | None


class Checker:
    """Checks a database for the readers of a process: once after each time it was written.

    Parameters
    ----------
    path : Path
    opened : callable
        Opens a connection that calls `check`.
    known : object
        What `found_whole` of another checker told: a file that is still so is not read through.
    """

    def __init__(self, path: Path, opened: Callable[[], sqlite3.Connection], known: object = None) -> None:
        self._known = known
        self.found = 0
        """How often damage was found that left no trace: connections opened before are then not used again."""
        self._path = path
        self._opened = opened
        self._lock = threading.Lock()
        self._held: tuple[int, int] | None = None
        self._checked: _Checked | None = None

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            self._hold(None)
            self._checked = None

    @property
    def found_whole(self) -> object:
        """The state of a file that has its checksum; None where it has none, or was not found whole."""
        found = self._checked
        return found if found is not None and found.told is not None and found.damage is None else None

    def check(self, connection: sqlite3.Connection, file: File) -> bool:
        """Refuse a damaged file; one that was checked since it was written is not read again for it.

        After a writer has ended the file is checked beside the answers: it would keep all readers waiting.

        Parameters
        ----------
        connection : sqlite3.Connection
            New; in no transaction.
        file : File
            What the path named before it was opened.

        Returns
        -------
        bool
            False where the path names another file by now: it must be opened again.

        Raises
        ------
        DatabaseError
        """
        with self._lock:
            now = File.of(self._path)
            if now[:2] != file[:2]:
                return False
            if self._checked is None or self._checked.file != now:
                told, _ = written(connection)
                known = self._checked is not None and self._checked.file[:2] == now[:2] and self._checked.told != told
                held = DESCRIPTORS.hold(self._path)
                self._hold(held)
                if held != now[:2]:
                    return False
                unread = known or _Checked(now, told, None) == self._known
                self._checked = _Checked(now, told, None if unread else self._damage(connection, held))
                if known and told is not None:
                    threading.Thread(target=self._check_beside, daemon=True).start()
            if self._checked.damage is not None:
                raise DatabaseError(self._checked.damage)
        return True

    def check_again(self) -> None:
        """Check the file although nobody has written it; what is found is told by the next read, too.

        Raises
        ------
        DatabaseError, sqlite3.DatabaseError
        """
        try:
            with closing(self._opened()) as connection:
                file, held = File.of(self._path), DESCRIPTORS.hold(self._path)
                try:
                    damage = None if held != file[:2] else self._damage(connection, held)
                finally:
                    DESCRIPTORS.let_go(held)
        except (DatabaseError, sqlite3.DatabaseError):
            with self._lock:  # what is opened next finds the same, if it lasts
                self._checked = None
                self.found += 1
            raise
        if damage is not None:
            with self._lock:
                if file == File.of(self._path):
                    self._checked = _Checked(file, None, damage)
                    self.found += 1
            raise DatabaseError(damage)

    def _check_beside(self) -> None:
        """Check in a thread of its own."""
        with contextlib.suppress(DatabaseError, sqlite3.Error):
            self.check_again()

    def _damage(self, connection: sqlite3.Connection, held: tuple[int, int]) -> str | None:
        """Return what is wrong with the bytes of the file; what may be otherwise the next time is raised."""
        try:
            check(connection, held, self._path)
        except DamagedError as error:
            return str(error)
        return None

    def _hold(self, file: tuple[int, int] | None) -> None:
        """Keep hold of one file in the place of another, until the next is checked: see `Descriptors`."""
        if self._held is not None:
            DESCRIPTORS.let_go(self._held)
        self._held = file
