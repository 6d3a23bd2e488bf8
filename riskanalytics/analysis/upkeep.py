"""Upkeep of the data: what is not verified and why, broken captures, quotes to check by hand, the sample of quotes."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.evidence import COVERAGE_COLUMNS, coverage
from riskanalytics.analysis.shape import is_missing, records, shaped, share, word_of
from riskanalytics.analysis.training import wilson_interval
from riskanalytics.frames import TIME
from riskanalytics.models import DOCUMENT_STATE_NAMES, VERIFICATIONS
from riskanalytics.provenance import VERIFICATION_STATUSES

REASON_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "state": "str",
    "documents": "Int64",
    "affected": "Int64",
    "reason": "str",
}
BROKEN_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "document": "str",
    "state": "str",
    "check": "str",
    "since": TIME,
    "since_known": "bool",
    "newest_capture_at": TIME,
    "last_good_at": TIME,
    "archive_url": "str",
}
UNSURE_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "unsure": "Int64",
    "findings": "Int64",
    "share": "Float64",
    "lowest": "Float64",
}
LEADS_COLUMNS: Final = {"slug": "str", "name": "str", "leads": "Int64", "surfaces": "Int64", "highest": "Float64"}
INTEGRITY_COLUMNS: Final = {
    "status": "str",
    "quotes": "Int64",
    "sampled": "Int64",
    "findings": "Int64",
    "share": "Float64",
    "low": "Float64",
    "high": "Float64",
}
_STATES: Final = ("unverified", "stale", "partial")
_UNREAD: Final = ("broken", "stale")


def unverified_platforms(platforms: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Tell of each platform that is not verified why it is not.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `slug`, `name`, `verification`.
    documents : pandas.DataFrame
        `slug`, `document`, `state`, `check`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `state` str (the verification; `not given` where it is missing), `documents` Int64, `affected`
        Int64 (those that were not read as they are now), `reason` str (each of these with the check that it failed).
        Unverified first, then stale, partial, states never seen; by name.
    """
    by_slug: dict[Any, list[dict[str, Any]]] = {}
    for document in records(documents, "unverified_platforms", "slug", "document", "state", "check"):
        by_slug.setdefault(document["slug"], []).append(document)
    rows = [
        _reasoned(row, by_slug.get(row["slug"], []))
        for row in records(platforms, "unverified_platforms", "slug", "name", "verification")
        if word_of(row["verification"]) != VERIFICATIONS[0]
    ]
    order = {state: place for place, state in enumerate(_STATES)}
    rows.sort(key=lambda row: (order.get(row["state"], 9), row["state"], row["name"].casefold(), row["slug"]))
    return shaped(rows, REASON_COLUMNS)


def _reasoned(row: dict[str, Any], documents: list[dict[str, Any]]) -> dict[str, Any]:
    affected = [document for document in documents if word_of(document["state"]) != "good"]
    reason = "; ".join(f"{word_of(document['document'])}: {_why(document)}" for document in affected)
    if not documents:
        reason = "no document is known"
    return {
        "slug": row["slug"],
        "name": word_of(row["name"]) or row["slug"],
        "state": word_of(row["verification"]) or "not given",
        "documents": len(documents),
        "affected": len(affected),
        "reason": reason or "the service names no document as the reason",
    }


def _why(document: dict[str, Any]) -> str:
    state, check = word_of(document["state"]), word_of(document["check"]).replace("_", " ")
    return check or DOCUMENT_STATE_NAMES.get(state, state.replace("_", " ") or "state not given")


def broken_captures(freshness: pd.DataFrame, failures: pd.DataFrame | None = None) -> pd.DataFrame:
    """List the documents whose newest capture is broken: since when, by which check, and the last good text's day.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    failures : pandas.DataFrame, optional
        Changes of the class `capture_failure`: `slug`, `document`, `reviewed_at`; None where changes are not known.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `document`, `state` str (`stale`: a last good text is used; `broken`: there is none), `check`
        str, `since` time (the first failure recorded after the last good text, or the newest capture where none is),
        `since_known` bool (False: it broke on that day or before), `newest_capture_at`, `last_good_at` time (missing
        where there never was a good text), `archive_url` str. Newest break first, then name, document.
    """
    feed: dict[tuple[Any, Any], list[pd.Timestamp]] = {}
    for failure in [] if failures is None else records(failures, "broken_captures", "slug", "document", "reviewed_at"):
        if not is_missing(failure["reviewed_at"]):
            feed.setdefault((failure["slug"], failure["document"]), []).append(failure["reviewed_at"])
    listed = records(freshness, "broken_captures", "slug", "document", "state", "captured_at", "newest_capture_at")
    rows = [_broken(row, feed.get((row["slug"], row["document"]), [])) for row in listed if row["state"] in _UNREAD]
    rows.sort(key=_newest)
    return shaped(rows, BROKEN_COLUMNS)


def _broken(row: dict[str, Any], failed: list[pd.Timestamp]) -> dict[str, Any]:
    good: Any = None if row["state"] == "broken" else row["captured_at"]
    after = [at for at in failed if is_missing(good) or at > good]
    return {key: row.get(key) for key in BROKEN_COLUMNS} | {
        "name": word_of(row["name"]) or row["slug"],
        "since": min(after) if after else row["newest_capture_at"],
        "since_known": bool(after),
        "last_good_at": good,
    }


def _newest(row: dict[str, Any]) -> tuple[Any, ...]:
    since = row["since"]
    return (
        is_missing(since),
        0 if is_missing(since) else -since.value,
        row["name"].casefold(),
        word_of(row["document"]),
    )


def unsure_findings(findings: pd.DataFrame, below: float = 0.7) -> pd.DataFrame:
    """Count the findings of low confidence by platform: to be checked by hand.

    Parameters
    ----------
    findings : pandas.DataFrame
        `slug`, `name`, `confidence`.
    below : float
        A finding below this confidence is counted; one without a confidence is not.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `unsure`, `findings` Int64, `share` Float64 0..1, `lowest` Float64 (the least confidence).
        Platforms with such a finding only; most first, then by name.
    """
    by_slug: dict[Any, list[dict[str, Any]]] = {}
    for finding in records(findings, "unsure_findings", "slug", "name", "confidence"):
        by_slug.setdefault(finding["slug"], []).append(finding)
    rows = []
    for slug, listed in by_slug.items():
        told = [float(row["confidence"]) for row in listed if not is_missing(row["confidence"])]
        unsure = [value for value in told if value < below]
        if unsure:
            rows.append(
                {
                    "slug": slug,
                    "name": word_of(listed[0]["name"]) or slug,
                    "unsure": len(unsure),
                    "findings": len(listed),
                    "share": share(len(unsure), len(listed)),
                    "lowest": min(unsure),
                }
            )
    rows.sort(key=lambda row: (-row["unsure"], row["name"].casefold(), row["slug"]))
    return shaped(rows, UNSURE_COLUMNS)


def leads_by_platform(leads: pd.DataFrame) -> pd.DataFrame:
    """Count the leads of each platform: clauses worth reading that are no findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `slug`, `name`, `surface`, `confidence`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `leads`, `surfaces` (they speak to) Int64, `highest` Float64 (the highest confidence; missing
        where none is told). Platforms with a lead only; most first, then by name.
    """
    by_slug: dict[Any, list[dict[str, Any]]] = {}
    for lead in records(leads, "leads_by_platform", "slug", "name", "surface", "confidence"):
        by_slug.setdefault(lead["slug"], []).append(lead)
    rows = [
        {
            "slug": slug,
            "name": word_of(listed[0]["name"]) or slug,
            "leads": len(listed),
            "surfaces": len({lead["surface"] for lead in listed if not is_missing(lead["surface"])}),
            "highest": max(
                (float(lead["confidence"]) for lead in listed if not is_missing(lead["confidence"])), default=None
            ),
        }
        for slug, listed in by_slug.items()
    ]
    rows.sort(key=lambda row: (-row["leads"], row["name"].casefold(), row["slug"]))
    return shaped(rows, LEADS_COLUMNS)


def sample_findings(findings: pd.DataFrame, size: int = 200) -> pd.DataFrame:
    """Draw a sample of findings: by the hash of their place, so always the same of the same data.

    Parameters
    ----------
    findings : pandas.DataFrame
        `slug`, `finding_id`, `snapshot_sha256`, `start`, `end`, `quote`.
    size : int

    Returns
    -------
    pandas.DataFrame
        At most `size` rows with all columns, in the order of the hash (SHA-256 of identifier, platform, snapshot,
        offsets and quote), RangeIndex.
    """
    keys = ("finding_id", "slug", "snapshot_sha256", "start", "end", "quote")
    hashes = [
        sha256("\x1f".join(word_of(row[key]) for key in keys).encode("utf-8", "replace")).hexdigest()
        for row in records(findings, "sample_findings", *keys)
    ]
    order = sorted(range(len(hashes)), key=hashes.__getitem__)[:size]
    return findings.iloc[order].reset_index(drop=True)


def integrity(checked: pd.DataFrame, findings: int) -> pd.DataFrame:
    """Count what became of the quotes of a sample that were read again, with 95 % intervals.

    The interval is Wilson's (`wilson_interval`): how far the share of all quotes may lie from that of the sample.
    Where all quotes were read again there is nothing left to infer, and both bounds are the share.

    Parameters
    ----------
    checked : pandas.DataFrame
        What `verify_findings` returned for the sample: `verification_status`.
    findings : int
        How many findings there are in all.

    Returns
    -------
    pandas.DataFrame
        `status` str, `quotes`, `sampled`, `findings` Int64, `share`, `low`, `high` Float64 0..1. `verified` always, then
        the other states that occur (`provenance.VERIFICATION_STATUSES`); no row where nothing was sampled.
    """
    told = [word_of(row["verification_status"]) for row in records(checked, "integrity", "verification_status")]
    others = [status for status in dict.fromkeys((*VERIFICATION_STATUSES, *sorted(told))) if status in told]
    rows = []
    for status in dict.fromkeys(("verified", *others)) if told else ():
        part, whole = told.count(status), len(told)
        low, high = wilson_interval(part, whole) if whole < findings else (part / whole, part / whole)
        rows.append(
            {"status": status, "quotes": part, "sampled": whole, "findings": findings}
            | {"share": share(part, whole), "low": low, "high": high}
        )
    return shaped(rows, INTEGRITY_COLUMNS)


def coverage_history(counted: pd.DataFrame) -> pd.DataFrame:
    """Lay out coverage on several days, one row per day and state of verification.

    Parameters
    ----------
    counted : pandas.DataFrame
        A row per day: `as_of`, `tracked`, `verified`, `partial`, `stale`, `unverified`.

    Returns
    -------
    pandas.DataFrame
        As `coverage` gives it, oldest day first; days without a date, and days on which nothing was tracked, are left out.
    """
    kept = counted[counted["as_of"].notna() & (counted["tracked"].fillna(0) > 0)].sort_values("as_of", kind="stable")
    told = coverage(kept)
    return told if len(told) else shaped([], COVERAGE_COLUMNS)
