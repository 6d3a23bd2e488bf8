"""From the page that was gathered to the PDF: what the template is given, and its bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from functools import cache
from html import unescape
from importlib import resources
from typing import Any, Final

from riskanalytics.reporting.pdf.markup import read
from riskanalytics.reporting.pdf.pieces import Pieces
from riskanalytics.reporting.pdf.runs import runs_of
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_TEXT, PAGE
from riskanalytics.typesetting import typeset, undrawn

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TITLE_MOST: Final = 200


def pdf_of(report: Mapping[str, Any], *, page: str) -> bytes:
    """Typeset a report.

    Parameters
    ----------
    report : mapping
        What the exporter gathered: `title`, `description`, `body`, `disclaimer`, `made` (HTML), and `as_of` (ISO
        day of the data) where the report tells it.
    page : str
        Name of the HTML file that stands beside the PDF.

    Returns
    -------
    bytes
        PDF/UA-1, the same for the same report.

    Raises
    ------
    MissingExtraError
        If typst is not installed.
    ReportError
        If it cannot be typeset.
    """
    data = _data(report, page)
    day = _day(report.get("as_of"))
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else _EPOCH
    return typeset(_template(), data, timestamp=moment)


def _data(report: Mapping[str, Any], page: str) -> dict[str, Any]:
    """Return what the template shows."""
    reader = Pieces()
    pieces = reader.of(read(str(report["body"])).parts)
    front = next((place for place, piece in enumerate(pieces) if piece["k"] == "heading" and piece["level"] == 1), 0)
    day = _day(report.get("as_of"))
    data: dict[str, Any] = {
        "title": unescape(str(report["title"]))[:_TITLE_MOST],
        "description": unescape(str(report.get("description") or ""))[:1000],
        "day": [day.year, day.month, day.day] if day else None,
        "front": pieces[:front],
        "body": pieces[front:],
        "numbers": reader.numbers,
        "disclaimer": unescape(str(report.get("disclaimer") or "")),
        "made": runs_of(read(str(report.get("made") or "")).parts),
        "page": page,
        "colours": {"page": PAGE["light"], **_levels()},
    }
    _settle_addresses(data)
    data["undrawn"] = undrawn(json.dumps(data, ensure_ascii=False)) > 0
    return data


def _levels() -> dict[str, list[str]]:
    """Return the colours of the levels, ground and words, by the style of a page."""
    letters = {"H": "HIGH", "M": "MED", "L": "LOW", "U": "UNKNOWN"}
    return {letter: [LEVEL_COLOURS["light"][word], LEVEL_TEXT["light"][word]] for letter, word in letters.items()}


def _day(told: Any) -> date | None:
    """Return a day that a report tells."""
    try:
        return date.fromisoformat(str(told)) if told else None
    except ValueError:
        return None


def _settle_addresses(data: Mapping[str, Any]) -> None:
    """Keep each address once, and only links to addresses that are there."""
    places: set[str] = set()
    for item in _items(data):
        own = item.get("id")
        if own and own in places:
            item["id"] = ""
        elif own:
            places.add(own)
    for item in _items(data):
        to = item.get("to", "")
        if to.startswith("#"):
            if to[1:] in places:
                item["to"] = to
            else:
                del item["to"]


def _items(value: Any) -> Iterator[dict[str, Any]]:
    """Give every object of the data, in order."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from _items(part)
    elif isinstance(value, list):
        for part in value:
            yield from _items(part)


@cache
def _template() -> str:
    """Return the template."""
    return resources.files(__package__).joinpath("report.typ").read_text(encoding="utf-8")
