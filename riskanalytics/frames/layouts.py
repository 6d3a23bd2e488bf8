"""Records in the layouts that servers give them -> the one layout that frames are made from.

The specification leaves names and nesting of most fields open (sections 2.3 to 2.5). Each function finds what is told
under any of the likely names; what our service tells passes through as it is. What is not found is missing, and
`unread` says so in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from riskanalytics.frames.building import Json, mapping_of, records_of
from riskanalytics.frames.grouping import FINDINGS, WORDS, by_surface, findings_in, held_by
from riskanalytics.models import CHANGE_CLASSES, RATINGS
from riskanalytics.page_words import is_copy

_AROUND: Final = (
    "data",
    "platform",
    "result",
    "record",
    "detail",
    "payload",
    "item",
    "mainEntity",
    "about",
    "json_ld",
    "jsonld",
)
"""Names of what servers put around a record, or beside its head."""
_NESTING: Final = frozenset({*_AROUND, "@graph"})
_COUNTS: Final = (
    "surfaces",
    "surface_counts",
    "citation_counts",
    "counts_by_surface",
    "citations_by_surface",
    "by_surface",
)
_PLACES: Final = ("provenance", "source", "location", "citation", "snapshot", "selector", "selectors", "target", "offsets",
                  "offset", "position", "span", "range", "text_position", "text_offsets")  # fmt: skip
"""Names under which a finding holds where it stands, at any depth."""
_PLACE_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "start": ("start", "start_offset", "offset_start", "begin", "char_start", "start_char", "from", "text_start"),
    "end": ("end", "end_offset", "offset_end", "stop", "char_end", "end_char", "to", "text_end"),
    "snapshot_sha256": ("snapshot_sha256", "sha256", "snapshot_hash", "content_sha256", "snapshot", "hash", "digest"),
    "archive_url": ("archive_url", "web_archive_url", "archived_url", "wayback_url", "archive", "snapshot_url"),
    "document": ("document", "document_name", "document_title", "title"),
    "captured_at": ("captured_at", "capture_date", "retrieved_at", "archived_at", "date"),
}
_FINDING_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "quote": WORDS,
    "surface": ("surface", "surface_id", "topic"),
    "risk": ("risk", "risk_level", "severity"),
    "verification_status": ("verification_status", "verification", "verified_status"),
}
_CHANGE_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "platform": ("platform", "platform_id", "platform_slug", "slug"),
    "name": ("name", "platform_name"),
    "reviewed_at": ("reviewed_at", "date", "changed_at", "detected_at", "timestamp", "created_at", "review_date", "at"),
    "document": ("document", "document_name"),
    "summary": ("summary", "description", "reason"),
}
_BEFORE: Final = ("before", "previous", "old", "from", "prior")
_AFTER: Final = ("after", "current", "new", "to", "now")
_COVERAGE_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "tracked": (
        "tracked",
        "tracked_platforms",
        "platforms_tracked",
        "total_tracked",
        "tracked_count",
        "total_platforms",
        "total",
        "platforms",
    ),
    "verified": ("verified", "verified_platforms", "platforms_verified", "total_verified", "verified_count"),
    "partial": ("partial", "partially_verified"),
    "stale": ("stale",),
    "unverified": ("unverified",),
    "as_of": ("as_of", "date", "updated_at", "last_updated", "generated_at", "timestamp"),
}
_COUNTED: Final = ("coverage", "counts", "totals", "platforms", "stats", "summary", "data", "result", "meta")
"""Names of what servers put around counts."""
_DEEPEST: Final = 4
_RATINGS: Final = frozenset({*RATINGS, "UNRATED"})


def machine_of(record: Json) -> Json:
    """Return a machine platform, or a platform's detail, with `slug`, `rating`, `findings` and `surfaces` at its root.

    Parameters
    ----------
    record : mapping
        Flat, or with its parts one or more levels deeper, or as JSON-LD with a `@graph`; findings as a list, by surface,
        or inside the surfaces.

    Returns
    -------
    mapping
        `findings` is missing where they stand in no layout that is known.
    """
    return _read(record)[0]


def _read(record: Json) -> tuple[Json, list[str]]:
    """Return a record as `machine_of` does, and a sentence for each part of its findings and leads that is left out."""
    flat = isinstance(record.get("findings"), list) and isinstance(record.get("surfaces", {}), Mapping)
    told = record if flat and _is_flat(record) else _gathered(record)
    own = {_plain(value) for name in ("slug", "id", "name") if isinstance(value := told.get(name), str)}
    sentences = []
    for name in ("findings", "leads"):
        rows = rows if isinstance(rows := told.get(name), list) else []
        read = records_of(rows)
        kept = [row for row in read if "slug" not in told or not _names_other(row, own)]
        if len(read) < len(rows):
            sentences.append(f"{len(rows) - len(read):,} parts of its {name} are in no form that can be read")
        if len(kept) < len(read):
            sentences.append(f"{len(read) - len(kept):,} of its {name} name another platform and are left out")
        if len(kept) < len(rows):
            told = {**told, name: kept}
    return told, sentences


def _names_other(row: Json, own: set[str]) -> bool:
    """Say whether a record names a platform, and only such as are none of these."""
    values = [value for name in _CHANGE_NAMES["platform"] if (value := row.get(name)) is not None]
    values += [mapping_of(value).get(name) for value in values for name in ("slug", "id", "name")]
    told = {_plain(value) for value in values if isinstance(value, str) and value}
    return bool(told) and told.isdisjoint(own)


def _plain(name: str) -> str:
    """Return a platform's slug, name, or address, as they can be compared."""
    return name.rstrip("/").rpartition("/")[2].casefold().replace(" ", "-")


def _gathered(record: Json) -> dict[str, object]:
    """Return a record with the fields of all its levels at its root; None among its findings for what cannot be read."""
    around = sorted(_levels(record), key=lambda level: level is not record and not _is_rated(level))
    told: dict[str, object] = {}
    for level in reversed(around):
        told |= level
    counts = next((level[name] for level in around for name in _COUNTS if by_surface(level.get(name))), {})
    listed = (findings_in(level.get(name)) for level in around for name in FINDINGS)
    findings = next((found for found in listed if found is not None), None)
    if not findings:
        groups = (
            counts if isinstance(counts, Mapping) else [row for row in records_of(counts) if held_by(row) is not None]
        )
        findings = [row for row in findings_in(groups) or () if row is not None] or findings
    if findings is None and any(level.get(name) == {} for level in around for name in FINDINGS):
        findings = []
    told.pop("findings", None)
    told["surfaces"] = by_surface(counts)
    return told if findings is None else {**told, "findings": findings}


def _is_rated(level: Json) -> bool:
    """Say whether a level of a record speaks of the platform, not of who publishes the record."""
    return any(name in level for name in ("rating", *FINDINGS))


def head_of(record: Json) -> Json:
    """Return a platform of a list with its fields at its root."""
    return record if _is_flat(record) else machine_of(record)


def _is_flat(record: Json) -> bool:
    """Say whether a record tells its head at its root, and its findings one by one."""
    nested = not _NESTING.isdisjoint(record) and (
        "@graph" in record or any(isinstance(record.get(name), Mapping) for name in _AROUND)
    )
    grouped = any(held_by(row) is not None for row in records_of(record.get("findings")))
    return isinstance(record.get("rating", ""), str) and not nested and not grouped


def unread(record: Json) -> list[str]:
    """Return what of a machine platform, or of a platform's detail, cannot be read: a sentence each.

    Parameters
    ----------
    record : mapping
        As it came.
    """
    told, sentences = _read(record)
    if told.get("citations_available") is False and not told.get("findings"):
        return ["citations are not available with this key: its tier does not include them"]
    if "findings" not in told:
        return [*sentences, "its findings are in no form that can be read"]
    findings = [finding_of(row) for row in records_of(told["findings"])]
    missing = {
        "no quote": sum(not isinstance(row.get("quote"), str) for row in findings),
        "no surface": sum(not isinstance(row.get("surface"), str) for row in findings),
        "no place in a snapshot": sum(_start(row) is None for row in findings),
    }
    sentences += [
        f"{count:,} of its {len(findings):,} findings tell {what}" for what, count in missing.items() if count
    ]
    counted = told.get("citation_count")
    if isinstance(counted, int) and counted > len(findings):
        sentences.append(f"it counts {counted:,} citations and gives {len(findings):,}")
    return sentences


def finding_of(row: Json) -> Json:
    """Return a finding with its provenance, flat, under `provenance`, and the bounds of its confidence.

    Parameters
    ----------
    row : mapping
        Provenance nested at any depth, or flat; offsets as two numbers, a pair, or a selector of W3C Web Annotation.
    """
    told = row.get("confidence_interval")
    low, high = told if isinstance(told, list | tuple) and len(told) == 2 else (None, None)
    place = mapping_of(row.get("provenance"))
    known = isinstance(place.get("start"), int) and isinstance(place.get("snapshot_sha256"), str)
    if not known or "url" in place:
        place = _place(row)
    lead_in = mapping_of(row.get("lead_in"))
    leads = {"lead_in": lead_in.get("quote"), "lead_in_start": lead_in.get("start"), "lead_in_end": lead_in.get("end")}
    bounds = {"confidence_low": low, "confidence_high": high}
    return {**row, **_named(row, _FINDING_NAMES), "provenance": place, **bounds, **leads}


def change_of(row: Json) -> Json:
    """Return a change with `platform`, `reviewed_at`, `class`, and what it was before and after, under these names.

    Parameters
    ----------
    row : mapping
        As it came; ratings and stances flat, or nested under what they are or when they were.
    """
    platform = mapping_of(row.get("platform"))
    if platform:
        row = {"name": platform.get("name"), **row, "platform": platform.get("id", platform.get("slug"))}
    told: dict[str, object] = {**row, **_named(row, _CHANGE_NAMES)}
    for what in ("rating", "stance"):
        for when, words in (("before", _BEFORE), ("after", _AFTER)):
            told[f"{what}_{when}"] = _moved(row, what, words)
    if "class" not in row:
        kinds = (row.get(name) for name in ("change_class", "kind", "type", "classification"))
        told["class"] = next((kind for kind in kinds if str(kind) in CHANGE_CLASSES), row.get("change_class"))
    return told


def coverage_of(record: Json) -> Json:
    """Return counts of coverage under the names of `models.Coverage`.

    Parameters
    ----------
    record : mapping
        Flat, or with the counts one or two levels deeper.
    """
    meta = {name: value for name, value in mapping_of(record.get("meta")).items() if name != "total"}  # of rows
    inside = _inside({**record, "meta": meta}, _COUNTED, 2)
    levels = [{name: _counted(value) for name, value in level.items()} for level in inside]
    named = [level | _named(level, _COVERAGE_NAMES) for level in levels]
    named.sort(key=lambda level: "verified" not in level)  # a total elsewhere may be one of rows
    told: dict[str, object] = {}
    for level in reversed(named):
        told |= level
    return told | {name: record[name] for name in ("surfaces", "extraction") if name in record}


def _levels(record: Json) -> Iterator[Json]:
    """Give a record, and what it holds of itself in other records, the outermost first."""
    slug = record.get("slug")
    yield from _inside(record, (*_AROUND, "@graph"), _DEEPEST, {_plain(slug)} if isinstance(slug, str) else set())


def _inside(record: Json, names: Sequence[str], depth: int, own: Set[str] = frozenset()) -> Iterator[Json]:
    """Give a record and those inside it, under some names, the outermost first; none with the slug of another."""
    yield record
    if depth:
        for name, value in record.items():
            if name in names:
                parts = records_of(value) if name == "@graph" else records_of([value])
                for one in parts:
                    if not (own and isinstance(slug := one.get("slug"), str) and _plain(slug) not in own):
                        yield from _inside(one, names, depth - 1, own)


def _place(row: Json) -> Json:
    """Return where a finding stands, from itself and what it holds of its provenance, the innermost first."""
    levels = list(_held_places(row, _DEEPEST))
    told: dict[str, object] = {}
    for level in levels:
        told |= {name: value for name, value in level.items() if not isinstance(value, Mapping | list)}
    told |= _named(told, _PLACE_NAMES)
    for name in ("start", "end"):
        told[name] = _number(told.get(name))
    if told["end"] is None and told["start"] is not None and isinstance(length := _number(told.get("length")), int):
        told["end"] = told["start"] + length  # type: ignore[operator]
    digest = told.get("snapshot_sha256")
    if isinstance(digest, str):
        told["snapshot_sha256"] = digest.removeprefix("sha256:").removeprefix("sha256-").lower()
    url = told.get("url")
    if "archive_url" not in told and isinstance(url, str) and is_copy(url):
        told["archive_url"] = url
    return told


def _held_places(row: Json, depth: int) -> Iterator[Json]:
    """Give a finding and the records inside it that tell where it stands; a pair is the bounds of a place."""
    yield row
    for name in _PLACES if depth else ():
        value = row.get(name)
        if isinstance(value, Mapping):
            yield from _held_places(value, depth - 1)
        elif isinstance(value, list) and len(value) == 2 and all(_number(one) is not None for one in value):
            yield {"start": value[0], "end": value[1]}
        else:
            for one in records_of(value):
                yield from _held_places(one, depth - 1)


def _start(finding: Json) -> object:
    """Return where a finding begins."""
    return mapping_of(finding.get("provenance")).get("start")


def _moved(row: Json, what: str, words: tuple[str, ...]) -> object:
    """Return a rating or stance of a change, before or after it."""
    for word in words:
        for name in (f"{what}_{word}", f"{word}_{what}"):
            if name in row:
                return row[name]
    for word in words:
        for outer, inner in ((what, word), (word, what)):
            if inner in mapping_of(row.get(outer)):
                return mapping_of(row[outer])[inner]
    about = row.get("field", row.get("attribute", what))
    return next((row[word] for word in words if what == about == "rating" and str(row.get(word)) in _RATINGS), None)


def _named(row: Json, names: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """Return the fields that a record does not tell under our names as text, from the first of theirs that it tells."""
    told = {}
    for name, others in names.items():
        if type(row.get(name)) is str:  # as nearly all are told
            continue
        for other in others:
            value = row.get(other)
            if value is not None and not isinstance(value, list):
                told[name] = _word(value) if name in ("surface", "document") else value
                break
    return told


def _word(value: object) -> object:
    """Return a value, of a record the one word that it is about."""
    if not isinstance(value, Mapping):
        return value
    return next((value[name] for name in ("id", "slug", "name", "title") if name in value), None)


def _counted(value: object) -> object:
    """Return a value, of a record the count in it, of digits the number."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("count", "total", "platforms", "value") if name in value), None)
    return _number(value) if isinstance(value, str) and value.isdigit() else value


def _number(value: object) -> int | None:
    """Return a whole number, also one that is written as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 15:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
