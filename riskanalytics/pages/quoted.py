"""Machine-readable records of a page's quotes, each verbatim with its place in a snapshot, so that anyone can check it.

In the HTML, the attribute `data-q` of a quote is the number of its record. The page contains the records as JSON (gzip, base64)
in a script element that never runs; a PDF contains the same JSON as an attached file.
"""

import base64
import gzip
import zlib
from datetime import datetime
from typing import Final

from riskanalytics.frames import is_missing
from riskanalytics.frames.building import Json
from riskanalytics.text.untrusted import is_public

from .values import Evidence

FACTS_ID: Final = "report-facts"
"""Id of the HTML element that has the facts about a page, such as its title and the day of its data, as JSON."""

QUOTES_ID: Final = "report-quotes"
"""Id of the HTML element that has the records of the quotes of a page."""


QUOTES_FILE: Final = "quotes.json"
"""Name of the file with the records of quotes, attached to a PDF."""

_TEXTS: Final = ("finding_id", "slug", "surface", "document", "captured_at", "archive_url", "lead_in")


def evidence_of(row: Json) -> Evidence | None:
    """Return the quote of a row with its place in its snapshot; None if the row has no quote, snapshot or offsets.

    An archive address that is not public, such as an address of this machine, is left out.

    Parameters
    ----------
    row : mapping
        A row of a frame of findings (`frames.FINDINGS_COLUMNS`): column -> value.
    """
    if any(is_missing(row.get(name)) for name in ("quote", "snapshot_sha256", "start", "end")):
        return None
    try:
        start, end = (int(str(row[name])) for name in ("start", "end"))
    except ValueError:  # offsets that are not numbers
        return None
    texts = {name: str(row[name]) for name in _TEXTS if not is_missing(row.get(name))}
    if not is_public(texts.get("archive_url", "")):
        texts.pop("archive_url", None)
    if isinstance(captured := row.get("captured_at"), datetime) and not is_missing(captured):
        texts["captured_at"] = f"{captured:%Y-%m-%dT%H:%M:%SZ}"
    return Evidence(str(row["quote"]), str(row["snapshot_sha256"]), start, end, **texts)


def packed(text: str) -> str:
    """Compress a text for a page (gzip, base64); the records of quotes shrink to a third.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> from riskanalytics.pages.quoted import packed, unpacked
    >>> unpacked(packed("We keep it."))
    'We keep it.'
    """
    return base64.b64encode(gzip.compress(text.encode(errors="replace"), mtime=0)).decode()


def unpacked(text: str) -> str:
    """Return the text that `packed` compressed.

    Parameters
    ----------
    text : str

    Raises
    ------
    ValueError
        If the compressed text is damaged, or unpacks to more than 64 MiB.
    """
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        # room for 200,000 quotes
        body = inflate.decompress(base64.b64decode(text, validate=True), 64 << 20)
    except zlib.error as error:
        raise ValueError("the compressed records of the quotes in the page are damaged: get the page again") from error
    if not inflate.eof or inflate.unused_data:
        raise ValueError(
            "the compressed records of the quotes in the page are incomplete, have extra bytes, or unpack to more than 64 MiB: "
            "get the page again, or make it again"
        )
    return body.decode()


class Quoted:
    """Collects and numbers the records of the quotes of one page, without duplicates."""

    def __init__(self) -> None:
        self._places: dict[Evidence, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __call__(self, evidence: Evidence) -> int:
        """Add the record of a quote if it is new, and return its number, from 0."""
        return self._places.setdefault(evidence, len(self._places))

    def record(self) -> dict[str, object]:
        """Return all records, in the order of their numbers.

        Returns
        -------
        dict
            `version`; `offsets`, the unit of offsets; `snapshots`, list of `sha256`, `slug`, `document`, `captured_at`,
            `archive_url`; `quotes`, list of `snapshot` (index in that list), `start`, `end`, `quote`, `finding_id`, `surface`,
            and `lead_in` if the quote has one. Another text that is not known, such as an `archive_url`, is the empty string.
        """
        texts: dict[tuple[str, ...], int] = {}
        quotes: list[dict[str, object]] = []
        for one in self._places:
            text = (one.snapshot_sha256, one.slug, one.document, one.captured_at, one.archive_url)
            place = {"snapshot": texts.setdefault(text, len(texts)), "start": one.start, "end": one.end}
            words = {"quote": one.quote} | ({"lead_in": one.lead_in} if one.lead_in else {})
            quotes.append({**place, **words, "finding_id": one.finding_id, "surface": one.surface})
        names = ("sha256", "slug", "document", "captured_at", "archive_url")
        return {
            "version": 1,
            "offsets": "Unicode code points of the snapshot decoded as UTF-8",
            "snapshots": [dict(zip(names, text, strict=True)) for text in texts],
            "quotes": quotes,
        }
