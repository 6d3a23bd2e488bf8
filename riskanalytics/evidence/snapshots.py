"""Where the bytes of a snapshot are had from: a service, database or pull at hand, else its archive's address."""

from __future__ import annotations

import re
from typing import Final

from riskanalytics._http import fetch
from riskanalytics.client import Client
from riskanalytics.errors import ServiceError
from riskanalytics.provenance import sha256_of

_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
_SHOWN: Final = re.compile(r"/blob/(?=[0-9a-f]{7,64}/)")
"""In the address of a page that shows one version of a file; the file itself stands below `/raw/` there."""


class Snapshots:
    """Snapshots by their hash, each had once.

    Parameters
    ----------
    client : Client, optional
        Asked first; its source is at hand where it is a database or a pull.
    offline : bool
        Whether archives on the web are left alone.
    private : bool
        Whether archives on this machine or in a private network may be asked.
    """

    def __init__(self, client: Client | None, *, offline: bool = False, private: bool = False) -> None:
        self._client = client
        self._offline, self._private = offline, private
        self._had: dict[str, tuple[bytes | None, str | None]] = {}

    def body(self, sha256: str | None, archive_url: str | None = None) -> tuple[bytes | None, str | None]:
        """Return the bytes of a snapshot, and where they were had from.

        Parameters
        ----------
        sha256 : str or None
        archive_url : str or None

        Returns
        -------
        tuple of (bytes or None, str or None)
            `source` or `archive`, None where no bytes could be had. Bytes of another hash are returned only where none of
            the right one could be had, and what gave them names them by this hash or is no page for people.
        """
        if sha256 is None or not _SHA256.fullmatch(sha256):
            return None, None
        name = sha256.lower()
        if self._had.get(name, (None, None))[0] is None:
            self._had[name] = self._sought(name, archive_url)
        return self._had[name]

    def _sought(self, sha256: str, archive_url: str | None) -> tuple[bytes | None, str | None]:
        """Ask the source, then the archive."""
        wrong: tuple[bytes | None, str | None] = (None, None)
        body = self._of_source(sha256)
        if body is not None:
            if sha256_of(body) == sha256:
                return body, "source"
            wrong = (body, "source")
        for address in self._addresses(archive_url):
            try:
                answer = fetch(address, private=self._private)
            except ServiceError:
                continue
            if sha256_of(answer.body) == sha256:
                return answer.body, "archive"
            if "html" not in answer.content_type and wrong[0] is None:
                wrong = (answer.body, "archive")
        return wrong

    def _of_source(self, sha256: str) -> bytes | None:
        """Ask the source; None where it does not have the snapshot."""
        if self._client is None:
            return None
        try:
            return self._client.snapshot(sha256)
        except ServiceError:
            return None

    def _addresses(self, archive_url: str | None) -> list[str]:
        """Return where an archive may give the bytes: beside the page that shows them, and at the address itself."""
        if self._offline or not archive_url:
            return []
        return list(dict.fromkeys([_SHOWN.sub("/raw/", archive_url, count=1), archive_url]))
