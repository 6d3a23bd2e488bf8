"""Records in the layouts that servers give them -> the one layout that frames are made from.

The specification leaves names and nesting of most fields open (sections 2.3 to 2.5). Each function finds what is told
under any of the likely names; what our service tells passes through as it is. What is not found is missing, and
`unread` says so in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from riskanalytics.frames.building import Json, mapping_of, records_of
from riskanalytics.models import CHANGE_CLASSES, RATINGS

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
_FINDINGS: Final = ("findings", "citations", "clauses", "evidence", "machine_findings")
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
    "archive_url": ("archive_url", "web_archive_url", "archived_url", "wayback_url", "archive", "snapshot_url", "url"),
    "document": ("document", "document_name", "document_title", "title"),
    "captured_at": ("captured_at", "capture_date", "retrieved_at", "archived_at", "date"),
}
_FINDING_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "quote": ("quote", "text", "excerpt", "verbatim", "clause"),
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
    if (
        isinstance(record.get("findings"), list)
        and isinstance(record.get("surfaces", {}), Mapping)
        and _is_flat(record)
    ):
        return record
    around = list(_levels(record))
    told: dict[str, object] = {}
    for level in reversed(around):
        told |= level
    told["surfaces"] = next(
        (found for level in around for name in _COUNTS if (found := _by_surface(level.get(name)))), {}
    )
    listed = (_findings(level.get(name)) for level in around for name in _FINDINGS)
    findings = next((found for found in listed if found is not None), None)
    if not findings:
        findings = _findings(told["surfaces"]) or findings
    told.pop("findings", None)
    return told if findings is None else {**told, "findings": findings}


def head_of(record: Json) -> Json:
    """Return a platform of a list with its fields at its root."""
    return record if _is_flat(record) else machine_of(record)


def _is_flat(record: Json) -> bool:
    """Say whether a record tells its head at its root, and its findings one by one."""
    nested = any(isinstance(record.get(name), Mapping) for name in _AROUND)
    grouped = any(isinstance(row.get(name), list) for row in records_of(record.get("findings")) for name in _FINDINGS)
    return isinstance(record.get("rating", ""), str) and not nested and not grouped


def unread(record: Json) -> list[str]:
    """Return what of a machine platform, or of a platform's detail, cannot be read: a sentence each.

    Parameters
    ----------
    record : mapping
        As it came.
    """
    told = machine_of(record)
    if told.get("citations_available") is False and not told.get("findings"):
        return ["citations are not available with this key: its tier does not include them"]
    if "findings" not in told:
        return ["its findings are in no form that can be read"]
    findings = [finding_of(row) for row in records_of(told["findings"])]
    missing = {
        "no quote": sum(not isinstance(row.get("quote"), str) for row in findings),
        "no surface": sum(not isinstance(row.get("surface"), str) for row in findings),
        "no place in a snapshot": sum(_start(row) is None for row in findings),
    }
    sentences = [f"{count:,} of its {len(findings):,} findings tell {what}" for what, count in missing.items() if count]
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
    if not isinstance(place.get("start"), int) or not isinstance(place.get("snapshot_sha256"), str):
        place = _place(row)
    return {**row, **_named(row, _FINDING_NAMES), "provenance": place, "confidence_low": low, "confidence_high": high}


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
    told: dict[str, object] = {}
    for level in reversed(list(_inside(record, _COUNTED, 2))):
        told |= {name: _counted(value) for name, value in level.items()}
    told |= {
        name: value
        for name, value in record.items()
        if not isinstance(value, Mapping) or name in ("surfaces", "extraction")
    }
    return {**told, **_named(told, _COVERAGE_NAMES)}


def _levels(record: Json) -> Iterator[Json]:
    """Give a record, and what it holds of itself in other records, the outermost first."""
    yield from _inside(record, (*_AROUND, "@graph"), _DEEPEST)


def _inside(record: Json, names: Sequence[str], depth: int) -> Iterator[Json]:
    """Give a record and those inside it, under some names, the outermost first."""
    yield record
    if depth:
        for name, value in record.items():
            if name in names:
                parts = records_of(value) if name == "@graph" else records_of([value])
                for one in parts:
                    yield from _inside(one, names, depth - 1)


def _findings(value: object) -> list[object] | None:
    """Return findings that stand in a list, or by surface in lists or in records with lists; None where it is neither."""
    if isinstance(value, list):
        by_surface = [row for row in records_of(value) if any(isinstance(row.get(name), list) for name in _FINDINGS)]
        if not by_surface:
            return value
        value = {str(_surface_of(row)): row for row in by_surface}
    if not isinstance(value, Mapping):
        return None
    found: list[object] = []
    known = False
    for surface, part in value.items():
        held = (
            part
            if isinstance(part, list)
            else next((mapping_of(part)[name] for name in _FINDINGS if name in mapping_of(part)), None)
        )
        known |= isinstance(held, list)
        found += [{"surface": surface, **row} for row in records_of(held)]
    return found if known else None


def _by_surface(value: object) -> dict[str, object]:
    """Return counts by surface as a mapping; a list of records that name their surface is one too."""
    if isinstance(value, Mapping):
        return dict(value)
    return {name: row for row in records_of(value) if isinstance(name := _surface_of(row), str)}


def _surface_of(row: Json) -> object:
    """Return the surface that a record names."""
    return next((row[name] for name in ("surface", "id", "name") if isinstance(row.get(name), str)), None)


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
    """Return fields under our names, from the first of theirs that is told."""
    told = {}
    for name, others in names.items():
        value = next(
            (row[other] for other in others if row.get(other) is not None and not isinstance(row[other], list)), None
        )
        if value is not None:
            told[name] = _word(value) if name in ("surface", "document") else value
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
