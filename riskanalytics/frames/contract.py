"""Answers of a service, as they came, compared with what they are read as -> a frame of what differs.

Frames leave out what a server renames, retypes or does not give; here it is seen. Nothing is refused, and the frame is
bounded, whatever a server answers.

What the answers look like is declared in `models`. Fields that the specification names are in `SPECIFIED`; all others are
additions that the README documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from riskanalytics.frames.building import frame_of
from riskanalytics.frames.columns import CONTRACT_COLUMNS
from riskanalytics.models.base import Record, WireField, fields_of
from riskanalytics.models.parts import Finding, Provenance
from riskanalytics.models.records import (
    ChangeList,
    Citation,
    ClauseList,
    Coverage,
    Listed,
    MachinePlatform,
    Platform,
    PlatformDetail,
    PlatformList,
    SurfaceCount,
)

ANSWERS: Final[dict[str, type[Record]]] = {
    "/api/v1/platforms": PlatformList,
    "/api/v1/platforms/{id}": PlatformDetail,
    "/api/v1/search": PlatformList,
    "/api/v1/changes": ChangeList,
    "/api/machine/platform/{slug}": MachinePlatform,
    "/api/machine/search": ClauseList,
    "/api/coverage": Coverage,
}
"""Endpoint -> what its answer looks like."""
SPECIFIED: Final[dict[type[Record], tuple[str, ...]]] = {
    Listed: ("object", "total", "limit", "offset", "disclaimer", "data"),
    Platform: ("id", "name", "website", "rating", "risk_reason", "last_reviewed", "url", "verification"),
    PlatformDetail: ("rating", "risk_reason", "surfaces", "disclaimer"),
    SurfaceCount: ("count",),
    Citation: ("quote", "source"),
    Finding: ("quote", "surface", "risk", "confidence", "verification_status", "provenance"),
    Provenance: ("snapshot_sha256", "archive_url", "start", "end"),
    MachinePlatform: ("@context", "@type", "findings", "disclaimer"),
    Coverage: ("tracked", "verified", "disclaimer"),
}
"""Record -> the fields that the interface specification asks for; where it names none, under the names that are read."""
MOST_ROWS: Final = 300
"""Differences of one endpoint that are listed one by one; the others are counted."""
_MAY_BE_NULL: Final = frozenset({"website"})
"""Specified fields that our service leaves null where it does not know (README, additions)."""
_SHOWN: Final = 80
_FEW: Final = 6
_KINDS: Final[dict[object, str]] = {
    str: "text", bool: "true or false", int: "whole number", float: "number", dict: "object", list: "list",
    type(None): "null",
}  # fmt: skip

_Difference = tuple[str, str, str, str]
"""Kind, path of the field, what the answer has, and what it is read as."""


class Answered(NamedTuple):
    """One answer of a service.

    Parameters
    ----------
    endpoint : str
        As `ANSWERS` names it.
    where : str
        Which of the endpoint's answers it is, for example a slug.
    record : object
        As it came.
    """

    endpoint: str
    where: str
    record: object


def contract_frame(answers: Iterable[Answered]) -> pd.DataFrame:
    """Compare answers with what they are read as.

    Parameters
    ----------
    answers : iterable of Answered

    Returns
    -------
    pandas.DataFrame
        `CONTRACT_COLUMNS`: a row per endpoint, kind, field and value, in the order in which they were first seen.
    """
    counts, records, first = Counter[tuple[str, ...]](), Counter[tuple[str, str]](), dict[tuple[str, ...], str]()
    for endpoint, where, record in answers:
        paths: list[str] = []
        for difference in _differences(ANSWERS[endpoint], record, "", paths):
            counts[endpoint, *difference] += 1
            first.setdefault((endpoint, *difference), _cut(where))
        records.update((endpoint, path) for path in paths)
    rows: list[tuple[object, ...]] = []
    for endpoint, group in groupby(counts, itemgetter(0)):
        keys = list(group)
        for key in keys[:MOST_ROWS]:
            of = max(counts[key], records[endpoint, key[2].rpartition(".")[0]])
            rows.append((*key, counts[key], of, first[key]))
        if more := sum(counts[key] for key in keys[MOST_ROWS:]):
            rows.append((endpoint, "more", "", f"{more:,} more differences are not listed", "", more, more, ""))
    return frame_of(CONTRACT_COLUMNS, rows)


def _differences(shape: type[Record], record: object, path: str, paths: list[str]) -> Iterator[_Difference]:
    """Give the differences of one record and those inside it, and note the path of each record."""
    if not isinstance(record, Mapping):
        yield "retyped", path or "(the answer)", _kind(record), "object"
        return
    paths.append(path)
    fields = {field.name: field for field in fields_of(shape).values()}
    specified = next((SPECIFIED[base] for base in shape.__mro__ if base in SPECIFIED), ())
    for name, value in record.items():
        if name not in fields:
            yield "unknown", _join(path, name), _kind(value), "nothing"
    for name, field in fields.items():
        here, absent = _join(path, name), name not in record
        if absent or (record[name] is None and name in specified and name not in _MAY_BE_NULL):
            kind, told = "missing" if name in specified else "lacking", "absent" if absent else "null"
            if not field.optional:
                yield kind, here, told, _read_as(field)
            continue
        if name not in specified:
            yield "addition", here, "there", "nothing"
        if record[name] is not None:
            yield from _of_value(field, record[name], here, paths)


def _of_value(field: WireField, value: object, path: str, paths: list[str]) -> Iterator[_Difference]:
    """Give the differences of one value: its type, words that were never seen before, and the records inside it."""
    if not _fits(field, value):
        yield "retyped", path, _kind(value), _read_as(field)
        return
    for word in value if isinstance(value, list | Mapping) else [value]:
        if field.words and isinstance(word, str) and word not in field.words:
            known = ", ".join(field.words) if len(field.words) <= _FEW else f"one of {len(field.words)} known values"
            yield "unseen", path, _cut(word), known
    if field.record is None:
        return
    parts, below = [value], path
    if isinstance(value, list):
        parts, below = value, f"{path}[]"
    elif dict in field.kinds and isinstance(value, Mapping):
        parts, below = list(value.values()), f"{path}{{}}"
    for part in parts:
        yield from _differences(field.record, part, below, paths)


_adapter: Final = cache(TypeAdapter)


def _fits(field: WireField, value: object) -> bool:
    """Say whether a value is of a field's type, without any conversion; records are compared by themselves."""
    if field.record is not None:
        return isinstance(value, list if list in field.kinds else Mapping)
    try:
        return _adapter(field.annotation).validate_python(value, strict=True) is value or True
    except (ValidationError, RecursionError):
        return False


def _read_as(field: WireField) -> str:
    """Return what a field is read as, in words."""
    words = ("object" if kind is field.record else _KINDS.get(kind, "anything") for kind in field.kinds)
    return " or ".join(dict.fromkeys(words))


def _kind(value: object) -> str:
    """Return the kind of a value in words."""
    return _KINDS.get(type(value), type(value).__name__)


def _join(path: str, name: object) -> str:
    """Return the path of a field."""
    word = _cut(name).replace(".", "·")
    return _cut(f"{path}.{word}" if path else word, 2 * _SHOWN)


def _cut(value: object, most: int = _SHOWN) -> str:
    """Return a value as a short text."""
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
