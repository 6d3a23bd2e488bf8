"""Quiet surfaces: read, and nothing found - by surface, and platforms on which unusually many are."""

from __future__ import annotations

from statistics import fmean, median
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.shape import records, shaped, share, word_of
from riskanalytics.analysis.training import wilson_interval
from riskanalytics.models import SURFACES

QUIET_SURFACE_COLUMNS: Final = {
    "surface": "str",
    "quiet": "Int64",
    "read": "Int64",
    "unread": "Int64",
    "share": "Float64",
    "low": "Float64",
    "high": "Float64",
    "platforms": "object",
}
QUIET_PLATFORM_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "quiet": "Int64",
    "read": "Int64",
    "usual": "Float64",
    "score": "Float64",
    "unusual": "bool",
    "surfaces": "object",
    "documents": "Int64",
}
UNUSUAL: Final = 3.5
"""Modified z-score from which a count is an outlier (Iglewicz and Hoaglin 1993)."""


def quiet_surfaces(surfaces: pd.DataFrame) -> pd.DataFrame:
    """Count on how many of the platforms that were read nothing was found, by surface.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `slug`, `name`, `surface`, `state` (`found`, `quiet`, `unread`).

    Returns
    -------
    pandas.DataFrame
        `surface` str, `quiet`, `read` (found or quiet: the denominator), `unread` Int64, `share`, `low`, `high`
        Float64 0..1 (Wilson's 95 % interval; missing where none was read), `platforms` list of (slug, name) where
        nothing was found, by name. The quietest surface first, then the known order.
    """
    cells: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for row in records(surfaces, "quiet_surfaces", "slug", "name", "surface", "state"):
        states = cells.setdefault(word_of(row["surface"]), {})
        states.setdefault(word_of(row["state"]), []).append((word_of(row["slug"]), word_of(row["name"]) or row["slug"]))
    rows = [_silence(surface, states) for surface, states in cells.items()]
    rows.sort(key=lambda row: (-(row["share"] or 0), _place(row["surface"]), row["surface"]))
    return shaped(rows, QUIET_SURFACE_COLUMNS)


def _silence(surface: str, states: dict[str, list[tuple[str, str]]]) -> dict[str, Any]:
    quiet = states.get("quiet", [])
    read = len(quiet) + len(states.get("found", []))
    low, high = wilson_interval(len(quiet), read) if read else (None, None)
    return {
        "surface": surface,
        "quiet": len(quiet),
        "read": read,
        "unread": sum(map(len, states.values())) - read,
        "share": share(len(quiet), read),
        "low": low,
        "high": high,
        "platforms": sorted(quiet, key=lambda item: (item[1].casefold(), item[0])),
    }


def _place(surface: str) -> int:
    return SURFACES.index(surface) if surface in SURFACES else len(SURFACES)


def quiet_platforms(surfaces: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Find platforms on which nothing was found on unusually many surfaces, beside their peers.

    The rule is the modified z-score of B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers" (ASQC
    Quality Press, 1993): 0.6745 (x - median) / MAD, where MAD is the median absolute deviation; where that is 0, the
    mean absolute deviation times 1.2533 stands in its place. From 3.5 on, and only above the median, a count is unusual.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `slug`, `name`, `surface`, `state`.
    documents : pandas.DataFrame
        `slug`, `state`: how many were read is told beside the count.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `quiet`, `read` Int64 (surfaces), `usual` Float64 (the peers' median), `score` Float64
        (0 where all counts are the same), `unusual` bool, `surfaces` list of the quiet ones, `documents` Int64 (read).
        Platforms that were read only, the quietest first, then by name.
    """
    by_slug: dict[str, list[dict[str, Any]]] = {}
    for row in records(surfaces, "quiet_platforms", "slug", "name", "surface", "state"):
        if row["state"] in ("found", "quiet"):
            by_slug.setdefault(word_of(row["slug"]), []).append(row)
    texts: dict[str, int] = {}
    for row in records(documents, "quiet_platforms", "slug", "state"):
        texts[word_of(row["slug"])] = texts.get(word_of(row["slug"]), 0) + (row["state"] in ("good", "stale"))
    quiet = {slug: [row["surface"] for row in rows if row["state"] == "quiet"] for slug, rows in by_slug.items()}
    counts = [len(names) for names in quiet.values()]
    middle = float(median(counts)) if counts else 0.0
    spread = _spread(counts, middle)
    rows: list[dict[str, Any]] = []
    for slug, listed in by_slug.items():
        score = (len(quiet[slug]) - middle) / spread if spread else 0.0
        rows.append(
            {"slug": slug, "name": word_of(listed[0]["name"]) or slug, "quiet": len(quiet[slug]), "read": len(listed)}
            | {"usual": middle, "score": score, "unusual": score >= UNUSUAL}
            | {"surfaces": sorted(quiet[slug], key=_place), "documents": texts.get(slug, 0)}
        )
    rows.sort(key=lambda row: (-row["quiet"], row["name"].casefold(), row["slug"]))
    return shaped(rows, QUIET_PLATFORM_COLUMNS)


def _spread(counts: list[int], middle: float) -> float:
    """Return the robust standard deviation of counts; 0 where all are the same."""
    away = [abs(count - middle) for count in counts]
    if not away:
        return 0.0
    return median(away) / 0.6745 or 1.253314 * fmean(away)
