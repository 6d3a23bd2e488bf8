"""What quotes are checked with: the records in a page or PDF, and snapshots from a source or an archive."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from riskanalytics.client import Client
from riskanalytics.client.http import Answer, fetch
from riskanalytics.dataset.loading import load_changes, load_records
from riskanalytics.errors import EvidenceError, MissingExtraError, ParameterError, RiskAnalyticsError, ServiceError
from riskanalytics.frames import findings_frame, rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.frames.records import parts_of
from riskanalytics.models.provenance import sha256_of
from riskanalytics.pages.quoted import FACTS_ID, QUOTES_FILE, QUOTES_ID, unpacked
from riskanalytics.pages.rows import quoted
from riskanalytics.text.arguments import as_day
from riskanalytics.text.untrusted import visible
from riskanalytics.topics.changes.moves import LEFT_OUT

try:
    import pypdf
except ImportError:  # the extra "pdf" is not installed: said when a PDF is read
    pypdf = None  # type: ignore[assignment]


logging.getLogger("pypdf").addHandler(logging.NullHandler())  # what it says of a damaged file is said in our error

MOST_BYTES: Final = 256 * 1024 * 1024
"""Of a page or a PDF."""
_OURS: Final = f'id="{FACTS_ID}"'
_FACTS: Final = re.compile(rf'<script type="application/json" id="{FACTS_ID}">([^<]*)</script>')
_RECORDS: Final = re.compile(rf'<script type="text/plain" id="{QUOTES_ID}">([^<]*)</script>')
_ATTACHED: Final = (QUOTES_FILE, "evidence.json")
"""Names of attached files that hold quotes: of our pages, and of the service's compliance report."""
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
_MOST_OFFSET: Final = 2**53
"""Larger whole numbers are not the same in every reader of JSON (RFC 8259, section 6)."""
Json = dict[str, object]


@dataclass(frozen=True)
class Carried:
    """The quotes of a page or PDF.

    Parameters
    ----------
    quotes : list of dict
        Of each: `slug`, `finding_id`, `surface`, `document`, `captured_at`, `quote`, `start`, `end`, `snapshot_sha256`,
        `archive_url`; None where missing.
    shown : dict, optional
        Number of a record -> the words of each blockquote of the page that names it; None for a PDF.
    as_of : str, optional
        Day of the page.
    """

    quotes: list[Json]
    shown: dict[int, list[str]] | None = None
    as_of: str | None = None


def carried_by(file: Path) -> Carried:
    """Read a page (HTML) or PDF of ours.

    Parameters
    ----------
    file : Path

    Raises
    ------
    EvidenceError
        If it is none of ours, or what it carries is not readable.
    MissingExtraError
        If it is a PDF and pypdf is not installed.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            raise EvidenceError(f"{file} is too large for a page of riskanalytics")
        body = file.read_bytes()
    except OSError as error:
        raise EvidenceError(f"{file} cannot be read: {error.strerror}") from error
    return _of_pdf(file, body) if body.startswith(b"%PDF-") else _of_page(file, body)


def is_shown(words: str, quote: object) -> str:
    """Say how the words that a page shows relate to the quote that it names.

    Parameters
    ----------
    words : str
        As the page shows them, perhaps with the paragraph around the quote.
    quote : str
        Of the record.

    Returns
    -------
    str
        `whole`; `in part` where the page marks that it leaves words out; `differs`.
    """
    if visible(quoted(quote)) in words:
        return "whole"
    return "in part" if LEFT_OUT in words else "differs"


def _of_page(file: Path, body: bytes) -> Carried:
    """Read a page."""
    html = body.decode("utf-8", errors="replace")
    if _OURS not in html:
        raise EvidenceError(f"{file} was not made by riskanalytics (no embedded record)")
    found = _RECORDS.search(html)
    facts, reader = _FACTS.search(html), _Blockquotes()
    reader.feed(html)
    return Carried(_read(file, found[1], unpacked) if found else [], reader.shown, _day(facts[1]) if facts else None)


def _day(facts: str) -> str | None:
    """Return the day that a page tells of itself; None where it tells none."""
    with contextlib.suppress(ParameterError, ValueError, AttributeError, RecursionError):  # it is not ours to trust
        return str(as_day(json.loads(facts).get("as_of")) or "") or None
    return None


def _of_pdf(file: Path, body: bytes) -> Carried:
    """Read what is attached to a PDF."""
    if pypdf is None:
        raise MissingExtraError('reading a PDF needs pypdf: pip install "riskanalytics[pdf]"')
    try:
        attached = pypdf.PdfReader(io.BytesIO(body)).attachments
        texts = [part for name in _ATTACHED for part in attached.get(name, ())]
    except Exception as error:
        raise EvidenceError(f"{file} cannot be read as a PDF ({type(error).__name__})") from error
    if not texts:
        raise EvidenceError(f"{file} holds no quotes: it was not made by riskanalytics, or its page has none")
    return Carried(_read(file, texts[0].decode("utf-8", errors="replace")))


def _read(file: Path, text: str, form: Callable[[str], str] = str) -> list[Json]:
    """Return the records of a JSON text, perhaps packed, as rows."""
    try:
        told = json.loads(form(text))
        if "citations" in told:
            return [_flat(told.get("platform"), one) for one in records_of(told["citations"])]
        texts = [{**one, "snapshot_sha256": one["sha256"]} for one in told["snapshots"]]
        numbered = dict(enumerate(texts))  # -1 is none of them
        rows = [{**numbered[one["snapshot"]], **one} for one in told["quotes"]]
        return [_checked(row) for row in rows]
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise EvidenceError(f"the embedded quotes of {file} are damaged ({type(error).__name__})") from error


def _flat(slug: object, citation: Mapping[str, object]) -> Json:
    """Return a citation of the compliance report as a row."""
    source = citation["provenance"]
    if not isinstance(source, dict):
        raise TypeError
    return _checked({**source, **citation, "slug": slug, "finding_id": citation.get("id")})


def _checked(row: dict[str, Any]) -> Json:
    """Return a row of which everything is of its type; what is empty is not told."""
    texts = ("slug", "finding_id", "surface", "document", "captured_at", "quote", "snapshot_sha256", "archive_url")
    told: Json = {name: row.get(name) or None for name in texts} | {name: row[name] for name in ("start", "end")}
    if any(not isinstance(told[name], str | None) for name in texts) or not told["quote"]:
        raise TypeError
    if any(type(told[name]) is not int or not 0 <= row[name] <= _MOST_OFFSET for name in ("start", "end")):
        raise TypeError
    if _SHA256.fullmatch(sha256 := str(told["snapshot_sha256"])):
        told["snapshot_sha256"] = sha256.lower()
    return told


class _Blockquotes(HTMLParser):
    """Collects the words of every `blockquote` that names a record (`data-q`)."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[int, list[str]] = {}
        self._open: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        number = dict(attrs).get("data-q") or ""
        if tag == "blockquote" and number.isdecimal():
            self._open = self.shown.setdefault(int(number), [])
            self._open.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "blockquote":
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open[-1] += data


SECONDS: Final = 600.0
"""For all archives together."""
_FOR_ONE: Final = 30.0
_SHOWN: Final = re.compile(r"/blob/(?=[0-9a-f]{7,64}/)")
"""In the address of a page that shows one version of a file; the file itself stands below `/raw/` there."""

CONFIRMED: Final = "confirmed"
NOT_CONFIRMED: Final = "not confirmed"

Text = tuple[str, str, str]
"""Slug of a platform, name of a document, SHA-256 of its text."""
_SIDES: Final = ("snapshot_before", "snapshot_after")


class Snapshots:
    """Snapshots by their hash; source and archives are asked once for each, whatever they answer.

    Parameters
    ----------
    client : Client, optional
        Asked first; its source is at hand where it is a database or a pull.
    offline : bool
        Whether archives on the web are left alone.
    private : bool
        Whether archives on this machine or in a private network may be asked.
    seconds : float
        For all archives together; none is asked after that.
    """

    def __init__(
        self, client: Client | None, *, offline: bool = False, private: bool = False, seconds: float = SECONDS
    ) -> None:
        self._client = client
        self._offline, self._private = offline, private
        self._left = seconds
        self._had: dict[str, tuple[bytes | None, str | None]] = {}
        self._answers: dict[str, Answer | None] = {}

    def ask(self, hashes: Iterable[object]) -> None:
        """Ask the source for several snapshots at once, those that were not asked for yet.

        Parameters
        ----------
        hashes : iterable of object
            SHA-256 in any case; what is none is passed over.
        """
        named = {str(one).lower() for one in hashes if _SHA256.fullmatch(str(one))}
        wanted = sorted(named - self._had.keys())
        self._had |= dict.fromkeys(wanted, (None, None))
        for name, got in self._client.snapshots(wanted) if self._client is not None else ():
            if isinstance(got, bytes):
                self._had[name] = (got, "source")

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
        self.ask([name])
        for address in self._addresses(archive_url):
            had = self._had[name][0]
            if had is not None and sha256_of(had) == name:
                break
            answer = self._answer(address)
            if answer is None:
                continue
            if sha256_of(answer.body) == name or (had is None and "html" not in answer.content_type):
                self._had[name] = (answer.body, "archive")
        return self._had[name]

    def _answer(self, address: str) -> Answer | None:
        """Ask an archive, once; None where it gives nothing, or no time is left."""
        if address not in self._answers:
            self._answers[address] = None
            begun = time.monotonic()
            if self._left > 0:
                with contextlib.suppress(ServiceError):
                    self._answers[address] = fetch(address, private=self._private, seconds=min(_FOR_ONE, self._left))
            self._left -= time.monotonic() - begun
        return self._answers[address]

    def _addresses(self, archive_url: str | None) -> list[str]:
        """Return where an archive may give the bytes: beside the page that shows them, and at the address itself."""
        if self._offline or not archive_url:
            return []
        return list(dict.fromkeys([_SHOWN.sub("/raw/", archive_url, count=1), archive_url]))


def text_of(row: Mapping[str, object]) -> Text:
    """Return whose text a quote says that it is of.

    Parameters
    ----------
    row : mapping
        `slug`, `document`, `snapshot_sha256`.
    """
    return str(row.get("slug")), str(row.get("document")), str(row.get("snapshot_sha256")).lower()


def confirmed(rows: Iterable[Mapping[str, object]], client: Client, as_of: str | None) -> set[Text]:
    """Return the texts of quotes that a source tells as those of the same platform and document.

    It is asked for the platforms on the day of the page, then for its changes, which name the texts before and after, then
    for the platforms on the days of the captures; each only for what is still open. What it does not tell stays open.

    Parameters
    ----------
    rows : iterable of mapping
        `slug`, `document`, `snapshot_sha256`, `captured_at`.
    client : Client
    as_of : str, optional
        Day of the page, ISO 8601; the newest state where None.
    """
    wanted = {text_of(row): str(row.get("captured_at") or "")[:10] for row in rows if row.get("snapshot_sha256")}
    found: set[Text] = set()
    for told in _told(wanted, found, client, as_of):
        found |= told & wanted.keys()
        if len(found) == len(wanted):
            break
    return found


def _told(wanted: Mapping[Text, str], found: set[Text], client: Client, as_of: str | None) -> Iterator[set[Text]]:
    """Give what a source tells, from one place after another."""
    yield _recorded(client, as_of, {slug for slug, _, _ in wanted})
    with contextlib.suppress(RiskAnalyticsError):
        changes = rows_of(load_changes(client))
        yield {text_of({**row, "snapshot_sha256": row[side]}) for row in changes for side in _SIDES}
    days: dict[str, set[str]] = {}
    for text in wanted.keys() - found:
        days.setdefault(wanted[text], set()).add(text[0])
    for day in sorted(days):
        yield _recorded(client, day, days[day])


def _recorded(client: Client, day: str | None, slugs: set[str]) -> set[Text]:
    """Return the texts that the records of platforms name; none where they cannot be had."""
    try:
        records = load_records(client, as_day(day or None), sorted(slugs))
    except RiskAnalyticsError:
        return set()
    texts = {
        text_of({**document, "slug": record.get("slug")})
        for record in records
        for document in records_of(record.get("documents"))
    }
    return texts | {text_of(row) for row in rows_of(findings_frame(parts_of(records, "findings")))}
