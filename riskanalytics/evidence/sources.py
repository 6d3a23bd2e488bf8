"""Read the quotes embedded in a page, PDF or posture feed, and get their snapshots from a client or from archives on the web."""

import io
import json
import logging
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from bs4 import BeautifulSoup
from bs4.filter import SoupStrainer

from riskanalytics.client import Client
from riskanalytics.client.answers import Answer
from riskanalytics.client.exchange import fetch
from riskanalytics.dataset.loading import load_changes, load_records
from riskanalytics.errors import EvidenceError, MissingExtraError, ParameterError, RiskAnalyticsError, ServiceError
from riskanalytics.frames import findings_frame, parts_of, rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.models.provenance import sha256_of
from riskanalytics.pages.quoted import FACTS_ID, QUOTES_FILE, QUOTES_ID, unpacked
from riskanalytics.pages.rows import quoted
from riskanalytics.text.arguments import as_day
from riskanalytics.text.untrusted import visible
from riskanalytics.topics.changes.section import LEFT_OUT

try:
    import pypdf
except ImportError:  # the extra "pdf" is not installed: reported when a PDF is read
    pypdf = None  # type: ignore[assignment]


logging.getLogger("pypdf").addHandler(logging.NullHandler())  # our own error reports a damaged file

_TEXTS: Final = (
    "slug", "finding_id", "surface", "document", "captured_at", "quote", "snapshot_sha256", "archive_url",
)  # fmt: skip
Json = dict[str, Any]


class Carried(NamedTuple):
    """The quotes embedded in a page, PDF or posture feed.

    Parameters
    ----------
    quotes : list of dict
        Records, each with `slug`, `finding_id`, `surface`, `document`, `captured_at`, `quote`, `start`, `end`, `snapshot_sha256`,
        `archive_url`; missing values as None.
    shown : dict, optional
        Position of a record in `quotes` -> texts of the blockquotes that show it on the page; None for a PDF or feed.
    as_of : date, optional
        Day of the page; None for a PDF or feed.
    """

    quotes: list[Json]
    shown: dict[int, list[str]] | None = None
    as_of: date | None = None


def carried_by(file: Path) -> Carried:
    """Read the quotes embedded in a page (HTML), PDF or posture feed (JSON) made by riskanalytics.

    Parameters
    ----------
    file : Path
        The page, PDF or feed.

    Returns
    -------
    Carried

    Raises
    ------
    EvidenceError
        If riskanalytics did not make the file, or its quotes cannot be read.
    MissingExtraError
        If the file is a PDF and pypdf is not installed.
    """
    try:
        body = file.read_bytes()
        if body.startswith(b"%PDF-"):
            return _of_pdf(file, body)
        text = body.decode("utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig", "replace").lstrip()
        return Carried(_read(text)) if text.startswith("{") and '"routes"' in text else _of_page(file, text)
    except OSError as error:
        raise EvidenceError(f"{file} cannot be read: {error.strerror}") from error
    except (AttributeError, IndexError, KeyError, ParameterError, RecursionError, TypeError, ValueError) as error:
        raise EvidenceError(
            f"the embedded quotes of {file} are damaged: get the file again, or make it again"
        ) from error


def is_shown(words: str, quote: object) -> str:
    """Return whether a page shows a quote whole, in part, or differently from the embedded record of the quote.

    Parameters
    ----------
    words : str
        Text of the blockquote on the page, perhaps with the paragraph around the quote.
    quote : str
        The quote in the record.

    Returns
    -------
    str
        `whole` if the words contain the quote; `in part` if the page marks omitted words; else `differs`.
    """
    if visible(quoted(quote)) in words:
        return "whole"
    return "in part" if LEFT_OUT in words else "differs"


def _of_page(file: Path, text: str) -> Carried:
    """Read the quotes of a page."""
    page = BeautifulSoup(text, "html.parser", parse_only=SoupStrainer(["blockquote", "script"]))
    facts, records = (page.find("script", id=name) for name in (FACTS_ID, QUOTES_ID))
    if facts is None:
        raise EvidenceError(
            f"{file} was not made by riskanalytics: give a page, PDF or posture feed that riskanalytics made"
        )
    shown: dict[int, list[str]] = {}
    for quote in page.find_all("blockquote", attrs={"data-q": re.compile(r"^\d+$")}):
        shown.setdefault(int(str(quote["data-q"])), []).append(quote.get_text())
    day = as_day(json.loads(str(facts.string)).get("as_of"))
    return Carried(_read(unpacked(str(records.string))) if records else [], shown, day)


def _of_pdf(file: Path, body: bytes) -> Carried:
    """Read the quotes attached to a PDF."""
    if pypdf is None:
        raise MissingExtraError('reading a PDF needs pypdf: pip install "riskanalytics[pdf]"')
    try:
        attached = pypdf.PdfReader(io.BytesIO(body)).attachments
        # the first name is used by pages, the second by the service's compliance report
        texts = [part for name in (QUOTES_FILE, "evidence.json") for part in attached.get(name, ())]
    except Exception as error:
        raise EvidenceError(f"{file} cannot be read as a PDF: get the file again, or make it again") from error
    if not texts:
        raise EvidenceError(f"{file} has no embedded quotes: its page has no quotes, or was not made by riskanalytics")
    return Carried(_read(texts[0].decode(errors="replace")))


def _read(text: str) -> list[Json]:
    """Return the records of a page, the citations of the compliance report, or the clauses of a posture feed, as rows."""
    records = json.loads(text)
    if records.keys() & {"citations", "data"}:
        cited = [{**one, "slug": records["platform"], "finding": one.get("id")} for one in records.get("citations", ())]
        facts = [
            {"slug": platform["platform"], **fact} for platform in records.get("data", ()) for fact in _stated(platform)
        ]
        rows = [_checked({**one["provenance"], **one, "finding_id": one["finding"]}) for one in (*cited, *facts)]
        return list({tuple(row.values()): row for row in rows}.values())  # several facts may have the same clause
    texts = dict(enumerate(records["snapshots"]))  # a dict, so that -1 is not a valid index
    rows = [{**texts[one["snapshot"]], **one} for one in records["quotes"]]
    return [_checked({**row, "snapshot_sha256": row["sha256"]}) for row in rows]


def _stated(platform: Json) -> Iterator[Json]:
    """Yield the facts of a posture feed that a clause of the platform states."""
    for route in platform["routes"]:
        yield from (fact for fact in route.values() if isinstance(fact, dict) and "quote" in fact)


def _checked(row: Json) -> Json:
    """Return a row after checking its types; an empty text becomes None."""
    texts: Json = {name: row.get(name) or None for name in _TEXTS}
    offsets = {name: row[name] for name in ("start", "end")}
    if any(not isinstance(text, str | None) for text in texts.values()) or not texts["quote"]:
        raise TypeError
    # JSON readers do not agree on larger integers (RFC 8259, section 6)
    if any(type(offset) is not int or not 0 <= offset <= 2**53 for offset in offsets.values()):
        raise TypeError
    return {**texts, **offsets, "snapshot_sha256": (texts["snapshot_sha256"] or "").lower() or None}


_SHA256: Final = re.compile(r"[0-9a-f]{64}")

Text = tuple[str, str, str]
"""Slug of a platform, name of a document, SHA-256 of its text."""
Body = tuple[bytes | None, str | None]
"""Bytes of a snapshot, and their origin: `source`, `archive` or `pack`."""


class Snapshots:
    """Gets snapshots by their SHA-256, from a client first, then from archives on the web. A failed request is not repeated.

    Parameters
    ----------
    client : Client or None
        Client of a service, database or pull; None to use archives only.
    offline : bool
        Whether to skip archives on the web.
    private : bool
        Whether requests to archives on this machine or in a private network are allowed.
    seconds : float
        Time for all archives together; after that, no archive is requested.
    """

    def __init__(
        self, client: Client | None, *, offline: bool = False, private: bool = False, seconds: float = 600.0
    ) -> None:
        self._client, self._offline, self._private, self._left = client, offline, private, seconds
        self._had: dict[str, Body] = {}
        self._answers: dict[str, Answer | None] = {}

    def ask(self, hashes: Iterable[object]) -> None:
        """Request snapshots from the client, several at once, and keep them; skip snapshots that were requested before.

        Parameters
        ----------
        hashes : iterable of object
            SHA-256 in upper or lower case; other values are ignored.
        """
        names = set(filter(_SHA256.fullmatch, (str(one).lower() for one in hashes)))
        wanted = sorted(names - self._had.keys())
        self._had |= dict.fromkeys(wanted, (None, None))
        for name, got in self._client.snapshots(wanted) if self._client else ():
            if isinstance(got, bytes):
                self._had[name] = (got, "source")

    def body(self, sha256: str | None, archive_url: str | None = None) -> Body:
        """Return the bytes of a snapshot, and where they came from.

        Parameters
        ----------
        sha256 : str or None
            SHA-256 of the snapshot; without a valid one, nothing is requested.
        archive_url : str or None
            Address of the snapshot in an archive, requested if the client has no bytes with this SHA-256.

        Returns
        -------
        tuple of (bytes or None, str or None)
            The bytes, and `source` (the client) or `archive`; both None without bytes. If no bytes with
            the right hash were found, bytes with another hash are returned, unless an archive sent them as HTML.
        """
        name = (sha256 or "").lower()
        if not _SHA256.fullmatch(name):
            return None, None
        self.ask([name])
        # for a page at /blob/ that shows one version of a file, the file itself is at /raw/
        raw = re.sub("/blob/(?=[0-9a-f]{7,64}/)", "/raw/", archive_url or "", count=1)
        for address in () if self._offline else filter(None, (raw, archive_url)):
            known, _ = self._had[name]
            if known is not None and sha256_of(known) == name:
                break
            answer = self._answer(address)
            if answer and (sha256_of(answer.body) == name or (known is None and "html" not in answer.content_type)):
                self._had[name] = (answer.body, "archive")
        return self._had[name]

    def _answer(self, address: str) -> Answer | None:
        """Request an address once; return None if it fails or no time is left."""
        if address not in self._answers:
            self._answers[address] = None
            begun = time.monotonic()
            if self._left > 0:
                with suppress(ServiceError):
                    self._answers[address] = fetch(address, private=self._private, seconds=min(30.0, self._left))
            self._left -= time.monotonic() - begun
        return self._answers[address]


def text_of(row: Mapping[str, object]) -> Text:
    """Return where a quote is from: the slug of the platform, the name of the document, and the SHA-256 of its text.

    Parameters
    ----------
    row : mapping
        The quote: `slug`, `document`, `snapshot_sha256`.
    """
    return str(row.get("slug")), str(row.get("document")), str(row.get("snapshot_sha256")).lower()


def confirmed(rows: Iterable[Mapping[str, object]], client: Client, as_of: date | None) -> set[Text]:
    """Look up the snapshot of each quote, and return the snapshots that the service lists under the quote's platform and document.

    The function searches three places, each only for snapshots not found so far: the platforms' records on the day of the page;
    all changes, which name the snapshots before and after; and the platforms' records on the days of the captures.

    Parameters
    ----------
    rows : iterable of mapping
        The quotes: `slug`, `document`, `snapshot_sha256`, `captured_at`.
    client : Client
        Client of the service, database or pull.
    as_of : date or None
        Day of the page; None for the newest state.

    Returns
    -------
    set of tuple
        The snapshots that were found, each as (slug of the platform, name of the document, SHA-256).
    """
    days = {text_of(row): str(row.get("captured_at") or "")[:10] for row in rows if row.get("snapshot_sha256")}
    left = days.keys() - _recorded(client, as_of, {slug for slug, _, _ in days})
    if left:
        with suppress(RiskAnalyticsError):
            sides = ("snapshot_before", "snapshot_after")
            changes = rows_of(load_changes(client))
            left -= {text_of({**row, "snapshot_sha256": row[side]}) for row in changes for side in sides}
    for day in sorted({days[text] for text in left}):
        if slugs := {text[0] for text in left if days[text] == day}:
            left -= _recorded(client, day, slugs)
    return days.keys() - left


def _recorded(client: Client, day: date | str | None, slugs: set[str]) -> set[Text]:
    """Return the texts in the records of platforms; empty if the records cannot be loaded."""
    try:
        records = load_records(client, as_day(day), sorted(slugs))
    except RiskAnalyticsError:
        return set()
    documents = [
        {**one, "slug": record.get("slug")} for record in records for one in records_of(record.get("documents"))
    ]
    return set(map(text_of, [*documents, *rows_of(findings_frame(parts_of(records, "findings")))]))
