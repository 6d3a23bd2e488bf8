"""Evidence: how many platforms are verified, and how old what they rest on is."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.shape import instant, is_missing, records, shaped, share, word_of
from riskanalytics.frames import TIME
from riskanalytics.models import SURFACES, VERIFICATIONS

COVERAGE_COLUMNS: Final = {
    "as_of": TIME,
    "state": "str",
    "platforms": "Int64",
    "tracked": "Int64",
    "share": "Float64",
    "consistent": "bool",
}
SURFACE_COLUMNS: Final = {"surface": "str", "platforms": "Int64", "tracked": "Int64", "share": "Float64"}
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


def coverage(coverage: pd.DataFrame) -> pd.DataFrame:
    """Lay out coverage, one row per state of verification.

    Parameters
    ----------
    coverage : pandas.DataFrame
        One row: `as_of`, `tracked`, `verified`, `partial`, `stale`, `unverified`.

    Returns
    -------
    pandas.DataFrame
        `as_of` time, `state` str, `platforms`, `tracked` Int64 (the denominator), `share` Float64 0..1
        (missing where nothing is tracked or a number is not given), `consistent` bool (False where the
        four states do not add up to tracked; shown as it is, never repaired). Four rows per input row.
    """
    rows = []
    for row in records(coverage, "coverage", "as_of", "tracked", *VERIFICATIONS):
        parts = [None if is_missing(row[state]) else int(row[state]) for state in VERIFICATIONS]
        tracked = None if is_missing(row["tracked"]) else int(row["tracked"])
        adds_up = None not in (*parts, tracked) and sum(part or 0 for part in parts) == tracked
        rows += [
            {
                "as_of": row["as_of"],
                "state": state,
                "platforms": part,
                "tracked": tracked,
                "share": None if part is None or tracked is None else share(part, tracked),
                "consistent": adds_up,
            }
            for state, part in zip(VERIFICATIONS, parts, strict=True)
        ]
    return shaped(rows, COVERAGE_COLUMNS)


def surface_coverage(coverage: pd.DataFrame) -> pd.DataFrame:
    """Lay out on how many platforms each surface was found.

    Parameters
    ----------
    coverage : pandas.DataFrame
        One row: `tracked`, `surfaces` (dict of surface to platforms with a finding).

    Returns
    -------
    pandas.DataFrame
        `surface` str, `platforms`, `tracked` Int64, `share` Float64 0..1. The known surfaces in order
        (missing where the service does not tell), then others by name; no row where there is no coverage.
    """
    rows = []
    for row in records(coverage, "surface_coverage", "tracked", "surfaces"):
        told = row["surfaces"] if isinstance(row["surfaces"], dict) else {}
        tracked = None if is_missing(row["tracked"]) else int(row["tracked"])
        for surface in (*SURFACES, *sorted(set(told) - set(SURFACES))):
            part = told.get(surface)
            ratio = None if part is None or tracked is None else share(part, tracked)
            rows.append({"surface": surface, "platforms": part, "tracked": tracked, "share": ratio})
    return shaped(rows, SURFACE_COLUMNS)


def freshness(documents: pd.DataFrame, now: Any, unchanged_days: int = 365) -> pd.DataFrame:
    """Measure the age of each document's text and flag what a reader must know.

    Age alone is no verdict: an archive records a document when it changes, so an old text may well be
    today's. "Now" is the newest capture of the data, not the wall clock. Ages are counted in days of the
    calendar: a text captured at any hour of the day of "now" is 0 days old.

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
        `slug`, `name`, `document` str, `captured_at`, `newest_capture_at` time, `age_days` Int64 (whole
        days since the current text was captured; missing without a date), `unchanged_days` Int64 (the
        threshold), `state`, `flag` str (`broken`, `stale`, `not_a_policy`, `no date`, `after now`,
        `unchanged` or empty), `check`, `archive_url` str. Flagged first in that order, then oldest
        first, then name, document.
    """
    moment = instant(now).normalize()
    needed = ("slug", "name", "document", "captured_at", "state")
    rows = [_aged(row, moment, unchanged_days) for row in records(documents, "freshness", *needed)]
    rows.sort(key=_staleness)
    return shaped(rows, FRESHNESS_COLUMNS)


def _aged(row: dict[str, Any], now: pd.Timestamp, limit: int) -> dict[str, Any]:
    age = None if is_missing(row["captured_at"]) else (now - row["captured_at"].normalize()).days
    return {key: row.get(key) for key in FRESHNESS_COLUMNS} | {
        "name": word_of(row["name"]) or row["slug"],
        "age_days": age,
        "unchanged_days": limit,
        "flag": _flag(word_of(row["state"]), age, limit),
    }


def _flag(state: str, age: int | None, limit: int) -> str:
    if state in ("broken", "stale", "not_a_policy"):
        return state
    if age is None:
        return "no date"
    if age < 0:
        return "after now"
    return "unchanged" if age > limit else ""


def _staleness(row: dict[str, Any]) -> tuple[Any, ...]:
    age = -1 if row["age_days"] is None else row["age_days"]
    return (FLAGS.index(row["flag"]), -age, row["name"].casefold(), row["slug"], word_of(row["document"]))
