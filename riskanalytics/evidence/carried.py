"""What a page or a PDF of ours carries of its quotes: the records, and the words that a page shows for each."""

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
from typing import Any, Final, NamedTuple

from riskanalytics.asked import as_day
from riskanalytics.errors import EvidenceError, MissingExtraError, ParameterError
from riskanalytics.frames.building import records_of
from riskanalytics.pages.machine import FACTS_ID, QUOTES_ID
from riskanalytics.pages.quoted import QUOTES_FILE, unpacked
from riskanalytics.pages.rows import quoted
from riskanalytics.provenance import around
from riskanalytics.topics.changes.difference import AROUND, LEFT_OUT, TOKEN
from riskanalytics.untrusted import visible

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
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
_MOST_OFFSET: Final = 2**53
"""Larger whole numbers are not the same in every reader of JSON (RFC 8259, section 6)."""
_IN_QUOTES: Final = {"mark": (), "ins": (), "del": (), "br": (), "span": ("around", "meta")}
"""Elements that a page writes into a quote, with their classes (`pages/templates/parts.html.jinja`)."""

Json = dict[str, object]


class Shown(NamedTuple):
    """Words that a page shows as a quote.

    Parameters
    ----------
    number : int or None
        Of its record.
    words : str
    is_plain : bool
        Whether nothing stands between them but what a page writes there; an element of another kind can hide or add words.
    """

    number: int | None
    words: str
    is_plain: bool


@dataclass(frozen=True)
class Carried:
    """The quotes of a page or PDF.

    Parameters
    ----------
    quotes : list of dict
        Of each: `slug`, `finding_id`, `surface`, `document`, `captured_at`, `quote`, `start`, `end`, `snapshot_sha256`,
        `archive_url`; None where not told.
    shown : list of Shown, optional
        What a page shows as quotes; None for a PDF, whose words are not read.
    as_of : str, optional
        Day of the page, as it tells it.
    """

    quotes: list[Json]
    shown: list[Shown] | None
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
            raise EvidenceError(f"{file} is larger than a page of ours can be")
        body = file.read_bytes()
    except OSError as error:
        raise EvidenceError(f"{file} cannot be read: {error.strerror}") from error
    return _of_pdf(file, body) if body.startswith(b"%PDF-") else _of_page(file, body)


_FAR, _STEP = 20_000, 800
"""Characters before a quote among which what leads in to it is looked for, and how far it is gone back at a time."""


def is_shown(words: str, row: Mapping[str, object], text: str | None) -> str:
    """Say how the words that a page shows stand to the quote that it names.

    Parameters
    ----------
    words : str
        As the page shows them.
    row : mapping
        The record: `quote`, `start`, `end`.
    text : str, optional
        The snapshot, where the quote was found in it: a page may show a quote in its paragraph.

    Returns
    -------
    str
        `whole`: all of the quote, exactly as a page writes it, alone or in its paragraph; `in part`: a comparison, which
        leaves out long runs of words that both sides have and marks where; `differs`: anything else.
    """
    whole = visible(quoted(row["quote"]))
    if text is not None:
        words = _without_lead_in(words, whole, text[: int(str(row["start"]))])
    if words == whole or (text is None and whole in words):  # without its snapshot, what stands around it is not known
        return "whole"
    if text is not None:
        sides = around(text, int(str(row["start"])), int(str(row["end"])))
        before, after = (visible(quoted(side)) for side in sides)
        if words == before + whole + after:
            return "whole"
    return "in part" if LEFT_OUT in words and _is_part(words.split(LEFT_OUT), whole) else "differs"


def _without_lead_in(words: str, whole: str, earlier: str) -> str:
    """Return the words shown without those that lead in to the quote, where these stand in the text before it."""
    at = words.find(whole)
    lead = words[: max(at, 0)].removesuffix(" ").removesuffix(LEFT_OUT.strip()).strip()
    pieces = (
        earlier[max(0, end - 2 * _STEP) : end]
        for end in range(len(earlier), max(0, len(earlier) - _FAR), -_STEP)
        if lead
    )
    return words[at:] if any(lead in visible(quoted(piece)) for piece in pieces) else words


def _is_part(pieces: list[str], whole: str) -> bool:
    """Say whether pieces stand in a text in their order, as long and as far from each other as a comparison leaves them."""
    end, last = 0, len(pieces) - 1
    for number, piece in enumerate(pieces):
        place = len(whole) - len(piece) if number == last else whole.find(piece, end)
        while number and place >= end and len(TOKEN.findall(whole[end:place])) <= AROUND:
            place = -1 if number == last else whole.find(piece, place + 1)
        short = len(TOKEN.findall(piece)) < AROUND and (piece or 0 < number < last)
        if short or place < end or (number == 0 and place) or not whole.startswith(piece, place):
            return False
        end = place + len(piece)
    return True


def _of_page(file: Path, body: bytes) -> Carried:
    """Read a page."""
    html = body.decode("utf-8", errors="replace")
    if _OURS not in html:
        raise EvidenceError(f"{file} is no page of ours: it tells nothing of itself that could be checked")
    found = _RECORDS.search(html)
    reader = _Quotes()
    reader.feed(html)
    reader.close()
    facts = _FACTS.search(html)
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
        raise EvidenceError(f"{file} is no PDF that can be read ({type(error).__name__})") from error
    if not texts:
        raise EvidenceError(f"{file} carries no quotes: it is no PDF of ours, or of a page without quotes")
    return Carried(_read(file, texts[0].decode("utf-8", errors="replace")), None)


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
        raise EvidenceError(f"what {file} carries of its quotes is damaged ({type(error).__name__})") from error


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


class _Quotes(HTMLParser):
    """Gathers the words of every `blockquote`, with the number of its record."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown: list[Shown] = []
        self._open: list[tuple[int | None, list[str]]] = []
        self._is_plain = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if self._open and (tag not in _IN_QUOTES or len(attrs) > 1 or not self._is_ours(tag, told)):
            self._is_plain = False
        if tag == "blockquote":
            self._is_plain &= len(attrs) == len(told) and told.keys() <= {"class", "id", "data-q"}
            number = told.get("data-q") or ""
            self._open.append((int(number) if _NUMBER.fullmatch(number) else None, []))

    def handle_endtag(self, tag: str) -> None:
        if tag == "blockquote" and self._open:
            self._end()

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1][1].append(data)

    def handle_comment(self, data: str) -> None:  # noqa: ARG002 (told by name to nobody)
        self._is_plain &= not self._open  # a browser may end it elsewhere

    handle_decl = handle_pi = unknown_decl = handle_comment  # type: ignore[assignment]

    def close(self) -> None:
        super().close()
        while self._open:
            self._end()

    @staticmethod
    def _is_ours(tag: str, told: Mapping[str, str | None]) -> bool:
        """Say whether a page writes an element so into a quote."""
        return not told or (told.keys() == {"class"} and told["class"] in _IN_QUOTES[tag])

    def _end(self) -> None:
        number, words = self._open.pop()
        self.shown.append(Shown(number, "".join(words), self._is_plain))
        self._is_plain |= not self._open
