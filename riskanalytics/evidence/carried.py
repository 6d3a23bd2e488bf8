"""The records of the quotes in a page or PDF of ours, and the words that a page shows for them."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import EvidenceError, MissingExtraError, ParameterError
from riskanalytics.frames.building import records_of
from riskanalytics.pages.machine import FACTS_ID, QUOTES_ID
from riskanalytics.pages.quoted import QUOTES_FILE, unpacked
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
