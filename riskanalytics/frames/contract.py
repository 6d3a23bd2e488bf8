"""Compare unchanged answers of a service with their specified form, and return the differences as a frame.

The other frames cannot show fields that a server renamed, retyped or omitted; this comparison lists them. It raises no error for
any answer, and the number of rows for each endpoint is limited.

The form of the answers is declared in `models`. Fields named by the specification are in `SPECIFIED`; all others are
additions documented in docs/interface.md.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from riskanalytics.models import parts, records
from riskanalytics.models.base import Record, WireField, fields_of

from .building import frame_of
from .columns import CONTRACT_COLUMNS

ANSWERS: Final[dict[str, type[Record]]] = {
    "/api/v1/platforms": records.PlatformList,
    "/api/v1/platforms/{id}": records.PlatformDetail,
    "/api/v1/search": records.PlatformList,
    "/api/v1/changes": records.ChangeList,
    "/api/machine/platform/{slug}": records.MachinePlatform,
    "/api/machine/search": records.ClauseList,
    "/api/coverage": records.Coverage,
}
"""Endpoint -> form of its answer."""
SPECIFIED: Final = {
    records.Listed: "object total limit offset disclaimer data",
    records.Platform: "id name website rating risk_reason last_reviewed url verification",
    records.PlatformDetail: "rating risk_reason surfaces disclaimer",
    records.SurfaceCount: "count",
    records.Citation: "quote source",
    parts.Finding: "quote surface risk confidence verification_status provenance",
    parts.Provenance: "snapshot_sha256 archive_url start end",
    records.MachinePlatform: "@context @type findings disclaimer",
    records.Coverage: "tracked verified disclaimer",
}
"""Record -> names of the fields that the interface specification requires."""
MOST_ROWS: Final = 300
"""Maximum number of differences of one endpoint listed one by one; the others are counted."""
_KINDS: Final = {
    str: "text", bool: "true or false", int: "whole number", float: "number", dict: "object", list: "list",
    type(None): "null",
}  # fmt: skip

_Difference = tuple[str, str, str, str]
"""Kind of difference, path of the field, what the answer has there, and what was expected."""


class Answered(NamedTuple):
    """One answer of a service.

    Parameters
    ----------
    endpoint : str
        Endpoint, as named in `ANSWERS`.
    where : str
        Which answer of the endpoint it is, for example a slug.
    record : object
        The decoded JSON of the answer, unchanged.
    """

    endpoint: str
    where: str
    record: object


def contract_frame(answers: Iterable[Answered]) -> pd.DataFrame:
    """Compare answers with their specified form.

    Parameters
    ----------
    answers : iterable of Answered

    Returns
    -------
    pandas.DataFrame
        With `CONTRACT_COLUMNS`: a row for each different combination of endpoint, kind of difference, field and value, in order
        of occurrence, with the number of occurrences. After 300 rows of an endpoint, one row counts its other differences.
    """
    counts = defaultdict[str, Counter[_Difference]](Counter)
    seen, first = Counter[tuple[str, str]](), dict[tuple[str, _Difference], str]()
    for endpoint, where, record in answers:
        paths: list[str] = []
        for difference in _differences(ANSWERS[endpoint], record, "", paths):
            counts[endpoint][difference] += 1
            first.setdefault((endpoint, difference), _cut(where))
        seen.update((endpoint, path) for path in paths)
    rows: list[tuple[object, ...]] = []
    for endpoint, found in counts.items():
        for difference, count in islice(found.items(), MOST_ROWS):
            of = max(count, seen[endpoint, difference[1].rpartition(".")[0]])
            rows.append((endpoint, *difference, count, of, first[endpoint, difference]))
        if more := sum(islice(found.values(), MOST_ROWS, None)):
            rows.append((endpoint, "more", "", f"{more:,} more differences are not listed", "", more, more, ""))
    return frame_of(CONTRACT_COLUMNS, rows)


def _differences(shape: type[Record], record: object, path: str, paths: list[str]) -> Iterator[_Difference]:
    """Yield the differences of one record and its nested records, and add the path of each record."""
    if not isinstance(record, Mapping):
        yield "retyped", path or "(the answer)", _kind(record), "object"
        return
    paths.append(path)
    fields = {field.name: field for field in fields_of(shape).values()}
    specified = next((SPECIFIED[base] for base in shape.__mro__ if base in SPECIFIED), "").split()
    for name in record:
        if name not in fields:
            yield "unknown", _join(path, name), _kind(record[name]), "nothing"
    for name, field in fields.items():
        here, value = _join(path, name), record.get(name)
        # our service leaves a website null if it does not know it (an addition)
        if name not in record or (value is None and name in specified and name != "website"):
            if not field.info.exclude_if:
                kind = "missing" if name in specified else "lacking"
                yield kind, here, "null" if name in record else "absent", _read_as(field)
            continue
        if name not in specified:
            yield "addition", here, "there", "nothing"
        if value is not None:
            yield from _of_value(field, value, here, paths)


def _of_value(field: WireField, value: object, path: str, paths: list[str]) -> Iterator[_Difference]:
    """Yield the differences of one value: its type, unknown words, and nested records."""
    if not _fits(field, value):
        yield "retyped", path, _kind(value), _read_as(field)
        return
    for word in value if isinstance(value, list | Mapping) else [value]:
        if field.words and isinstance(word, str) and word not in field.words:
            known = ", ".join(field.words) if len(field.words) < 7 else f"one of {len(field.words)} known values"
            yield "unseen", path, _cut(word), known
    if field.record is None:
        return
    parts, below = [value], path
    if isinstance(value, list):
        parts, below = value, f"{path}[]"
    elif isinstance(value, Mapping) and dict in field.kinds:
        parts, below = [*value.values()], f"{path}{{}}"
    for part in parts:
        yield from _differences(field.record, part, below, paths)


_adapter: Final = cache(TypeAdapter)


def _fits(field: WireField, value: object) -> bool:
    """Return whether a value has a field's type without conversion; nested records are compared separately."""
    if field.record is not None:
        return isinstance(value, list if list in field.kinds else Mapping)
    try:
        _adapter(field.info.annotation).validate_python(value, strict=True)
    except (ValidationError, RecursionError):
        return False
    return True


def _read_as(field: WireField) -> str:
    """Return the expected type of a field in words."""
    words = ("object" if kind is field.record else _KINDS.get(kind, "anything") for kind in field.kinds)
    return " or ".join(dict.fromkeys(words))


def _kind(value: object) -> str:
    """Return the type of a value in words."""
    return _KINDS.get(type(value), type(value).__name__)


def _join(path: str, name: object) -> str:
    """Return the path of a field."""
    word = _cut(name).replace(".", "·")
    return _cut(f"{path}.{word}" if path else word, 160)


def _cut(value: object, most: int = 80) -> str:
    """Return a value as a short text."""
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
