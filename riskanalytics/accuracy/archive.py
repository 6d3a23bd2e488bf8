"""The texts of an ingested database, as the labels ask for them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from riskanalytics.executors import open_executor
from riskanalytics.extraction import DocumentReading, Reading, extract
from riskanalytics.service import Store
from riskanalytics.service.store.captures import newest_captures


class Archive:
    """Texts by their hash, and the documents of a platform at a date; each text is read once.

    Parameters
    ----------
    store : Store
        An ingested database. Its texts are read again by the rules of this version: what an earlier version
        recorded in it does not count.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._texts: dict[str, str | None] = {}
        self._readings: dict[str, Reading] = {}

    def text(self, sha256: str) -> str | None:
        """Return a text; None where the database does not hold it.

        Parameters
        ----------
        sha256 : str
            Hash of its bytes.

        Raises
        ------
        DatabaseError
            If the database is damaged.
        """
        if sha256 not in self._texts:
            body = self._store.snapshot(sha256)
            self._texts[sha256] = None if body is None else body.decode("utf-8", errors="replace")
        return self._texts[sha256]

    def reading(self, sha256: str) -> Reading:
        """Return what is read out of a text that the database holds.

        Parameters
        ----------
        sha256 : str
        """
        if sha256 not in self._readings:
            self._readings[sha256] = extract(self.text(sha256) or "")
        return self._readings[sha256]

    def read(self, hashes: Iterable[str], dask: str | None = None) -> None:
        """Read texts, several at once; those that the database does not hold are left out.

        Parameters
        ----------
        hashes : iterable of str
        dask : str, optional
            As `executors.open_executor` takes it.
        """
        texts = {sha256: text for sha256 in dict.fromkeys(hashes) if (text := self.text(sha256)) is not None}
        with open_executor(dask, sum(map(len, texts.values()))) as executor:
            asked = {sha256: executor.submit(extract, text) for sha256, text in texts.items()}
            self._readings |= {sha256: reading.result() for sha256, reading in asked.items()}

    def newest(self, slug: str, as_of: date | None) -> list[tuple[str, str, str]]:
        """Return name, hash and time of the newest capture of each document of a platform, broken ones too.

        Parameters
        ----------
        slug : str
        as_of : date or None
            By the end of that day; the newest where None.
        """
        return newest_captures(self._store, slug, as_of)

    def documents(self, slug: str, as_of: date | None) -> list[DocumentReading] | None:
        """Return what is read out of the newest captures of a platform's documents.

        These are the texts that a reader of the archive has before them, broken captures too; the service itself
        keeps the last good text of a document instead.

        Parameters
        ----------
        slug : str
        as_of : date or None
            By the end of that day; the newest where None.

        Returns
        -------
        list of DocumentReading or None
            None where nothing of the platform was captured by then.
        """
        captures = self.newest(slug, as_of)
        return [DocumentReading(name, sha256, at, self.reading(sha256)) for name, sha256, at in captures] or None
