"""Coverage of documents: the age of their texts, broken captures, and why a platform is not verified."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from riskanalytics.frames import TIME
from riskanalytics.models import DOCUMENT_STATE_NAMES, VERIFICATIONS
from riskanalytics.topics.shape import instant, is_missing, records, shaped, word_of

__all__ = ["broken_captures", "freshness", "unverified_platforms"]

FRESHNESS_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "document": "str",
    "captured_at": TIME,
    "newest_capture_at": TIME,
    "age_days": "Int64",
    "unchanged_days": "Int64",
    "state": "str",
    "flag": "str",
    "check": "str",
    "archive_url": "str",
}
FLAGS: Final = ("broken", "stale", "not_a_policy", "no date", "after now", "unchanged", "")
"""Flags of `freshness` in its order; empty: nothing to say."""
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
_STATES: Final = ("unverified", "stale", "partial")
_UNREAD: Final = ("broken", "stale")


def freshness(documents: pd.DataFrame, now: Any, unchanged_days: int = 365) -> pd.DataFrame:
    """Measure the age of each document's text and flag what a reader must know.

    Age alone is no verdict: an archive records a document when it changes, so an old text may well be today's.
    "Now" is the newest capture of the data, not the wall clock. Ages are counted in days of the calendar: a text
    captured at any hour of the day of "now" is 0 days old.

    Parameters
    ----------
    documents : pandas.DataFrame
        `slug`, `name`, `document`, `captured_at`, `newest_capture_at`, `state`, `check`, `archive_url`.
    now : str, date or datetime
        Day from which ages are measured, UTC.
    unchanged_days : int
        A text older than this many days is flagged `unchanged`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `document` str, `captured_at`, `newest_capture_at` time, `age_days` Int64 (whole days since the
        current text was captured; missing without a date), `unchanged_days` Int64 (the threshold), `state`, `flag` str
        (`broken`, `stale`, `not_a_policy`, `no date`, `after now`, `unchanged` or empty), `check`, `archive_url` str.
        Flagged documents first, in the order of the flags, then the oldest first, then by name and document.

    Examples
    --------
    >>> fresh = analysis.freshness(data.documents, data.day)
    >>> fresh[["name", "document", "age_days", "flag", "check"]].head(2)
                   name document  age_days    flag       check
    0  Rasvedale Health  Imprint       821  broken  title_only
    1   Lumlovane Notes  Imprint       820  broken  title_only
    """
    moment = instant(now).normalize()
    needed = ("slug", "name", "document", "captured_at", "state")
    rows = [_aged(row, moment, unchanged_days) for row in records(documents, "freshness", *needed)]
    rows.sort(key=_staleness)
    return shaped(rows, FRESHNESS_COLUMNS)


def _aged(row: dict[str, Any], now: pd.Timestamp, limit: int) -> dict[str, Any]:
    """Return a document with the age and the flag of its text."""
    age = None if is_missing(row["captured_at"]) else (now - row["captured_at"].normalize()).days
    return row | {
        "name": word_of(row["name"]) or row["slug"],
        "age_days": age,
        "unchanged_days": limit,
        "flag": _flag(word_of(row["state"]), age, limit),
    }


def _flag(state: str, age: int | None, limit: int) -> str:
    """Return what a reader must know of a text of that state and age."""
    if state in ("broken", "stale", "not_a_policy"):
        return state
    if age is None:
        return "no date"
    if age < 0:
        return "after now"
    return "unchanged" if age > limit else ""


def _staleness(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what documents are sorted by: flag, age, name."""
    age = -1 if row["age_days"] is None else row["age_days"]
    return (FLAGS.index(row["flag"]), -age, row["name"].casefold(), row["slug"], word_of(row["document"]))


def unchanged(freshness: pd.DataFrame) -> pd.DataFrame:
    """Return the documents that could be read as they are now and whose text is older than the limit, the oldest first.

    Every place that tells how many documents are long unchanged counts these rows. A document whose newest capture is
    broken is none of them, however old its last good text is: what the vendor shows today is not known.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    """
    return freshness[freshness["flag"] == "unchanged"]


def unread(freshness: pd.DataFrame) -> dict[str, int]:
    """Count the documents that could not be read as they are now, by state: `stale`, `broken`, `not_a_policy`.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    """
    return {state: int((freshness["flag"] == state).sum()) for state in ("stale", "broken", "not_a_policy")}


def unverified_platforms(platforms: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """List the platforms that are not verified, each with the reason.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `slug`, `name`, `verification`.
    documents : pandas.DataFrame
        `slug`, `document`, `state`, `check`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `state` str (of verification; `not given` where it is missing), `documents` Int64, `affected`
        Int64 (documents that could not be read as they are now), `reason` str (each of these with the check that it
        failed). Unverified platforms first, then stale, partial, other states; by name.

    Examples
    --------
    >>> reasons = analysis.unverified_platforms(data.platforms, data.documents)
    >>> reasons[["name", "state", "reason"]].head(2)
                     name       state               reason
    0     Drufibrook Chat  unverified  Imprint: title only
    1  Image by Rasvewick  unverified  Imprint: title only
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
    """Return a platform with the reason why it is not verified."""
    affected = [document for document in documents if word_of(document["state"]) != "good"]
    failed = "; ".join(f"{word_of(document['document'])}: {_why(document)}" for document in affected)
    unnamed = "the service names no document as the reason" if documents else "no document is known"
    return {
        "slug": row["slug"],
        "name": word_of(row["name"]) or row["slug"],
        "state": word_of(row["verification"]) or "not given",
        "documents": len(documents),
        "affected": len(affected),
        "reason": failed or unnamed,
    }


def _why(document: dict[str, Any]) -> str:
    """Return the check that a document failed, or else its state."""
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
        where there never was a good text), `archive_url` str. Newest break first, then by name and document.

    Examples
    --------
    >>> fresh = analysis.freshness(data.documents, data.day)
    >>> broken = analysis.broken_captures(fresh, data.changes(change_class="capture_failure"))
    >>> broken[["name", "check", "since", "since_known"]].head(2)
                  name       check                     since  since_known
    0  Fenfigrove Code  error_page 2026-10-27 17:12:00+00:00         True
    1   Ulfiwick Music  error_page 2026-10-26 21:53:00+00:00         True
    """
    failed: dict[tuple[Any, Any], list[pd.Timestamp]] = {}
    for row in [] if failures is None else records(failures, "broken_captures", "slug", "document", "reviewed_at"):
        if not is_missing(row["reviewed_at"]):
            failed.setdefault((row["slug"], row["document"]), []).append(row["reviewed_at"])
    listed = records(freshness, "broken_captures", "slug", "document", "state", "captured_at", "newest_capture_at")
    rows = [_broken(row, failed.get((row["slug"], row["document"]), [])) for row in listed if row["state"] in _UNREAD]
    return _newest_first(shaped(rows, BROKEN_COLUMNS))


def _broken(row: dict[str, Any], failed: list[pd.Timestamp]) -> dict[str, Any]:
    """Return a document with the day since when its capture is broken, as far as that is known."""
    good: Any = None if row["state"] == "broken" else row["captured_at"]
    after = [at for at in failed if is_missing(good) or at > good]
    return row | {
        "name": word_of(row["name"]) or row["slug"],
        "since": min(after) if after else row["newest_capture_at"],
        "since_known": bool(after),
        "last_good_at": good,
    }


def _newest_first(broken: pd.DataFrame) -> pd.DataFrame:
    """Return broken captures, the newest break first, then by name and document."""
    order = broken.assign(name=broken["name"].str.casefold(), document=broken["document"].fillna(""))
    order = order.sort_values(["since", "name", "document"], ascending=[False, True, True], kind="stable")
    return broken.loc[order.index].reset_index(drop=True)
