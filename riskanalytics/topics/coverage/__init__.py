"""Coverage of platforms, surfaces and the interface: what is verified, where nothing was found, what differs."""

from __future__ import annotations

from collections import Counter
from statistics import fmean, median
from typing import Final

import pandas as pd

from riskanalytics.frames import CONTRACT_COLUMNS, is_missing, rows_of
from riskanalytics.models import VERIFICATIONS, in_other_language
from riskanalytics.pages.rows import Rows
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.shape import dtypes, records, schema, shaped, share_row, with_columns, word_of

__all__ = ["contract_drift", "coverage", "coverage_history", "quiet_platforms", "quiet_surfaces", "surface_coverage"]

COVERAGE_COLUMNS: Final = schema("as_of:time state:str platforms tracked:Int64 share:Float64 consistent:bool")
SURFACE_COLUMNS: Final = {"surface": "str", "platforms": "Int64", "tracked": "Int64", "share": "Float64"}
QUIET_SURFACE_COLUMNS: Final = schema(
    "surface:str quiet to_read read unread:Int64 share low high:Float64 platforms:object"
)
QUIET_PLATFORM_COLUMNS: Final = schema(
    "slug name:str quiet read:Int64 usual score:Float64 unusual:bool surfaces:object documents:Int64"
)
_READ: Final = ("found", "to_read", "quiet")
"""States of a surface that was read."""
UNUSUAL: Final = 3.5
"""Modified z-score from which a count is an outlier (Iglewicz and Hoaglin 1993)."""


def coverage(coverage: pd.DataFrame) -> pd.DataFrame:
    """Give the number of tracked platforms in each state of verification, one row per state.

    Parameters
    ----------
    coverage : pandas.DataFrame
        One row: `as_of`, `tracked`, `verified`, `partial`, `stale`, `unverified`.

    Returns
    -------
    pandas.DataFrame
        `as_of` time, `state` str, `platforms`, `tracked` Int64 (the denominator), `share` Float64 0..1 (missing where
        nothing is tracked or a number is not given), `consistent` bool (False where the numbers of the four states do
        not add up to `tracked`; they are shown as given, never repaired). Four rows per input row.

    Examples
    --------
    >>> analysis.coverage(data.coverage)[["state", "platforms", "tracked"]]
            state  platforms  tracked
    0    verified        285      320
    1     partial          8      320
    2       stale         17      320
    3  unverified         10      320
    """
    states = list(VERIFICATIONS)
    days = with_columns(coverage, "coverage", "as_of", "tracked", *states).reset_index(drop=True)
    counts = days[["tracked", *states]].astype("Int64")
    told = days[["as_of"]].join(counts).melt(["as_of", "tracked"], states, "state", "platforms", ignore_index=False)
    told["share"] = told["platforms"] / told["tracked"].where(told["tracked"] > 0)
    told["consistent"] = (counts[states].sum(axis=1, skipna=False) == counts["tracked"]).fillna(False)
    told = told.sort_index(kind="stable").reset_index(drop=True)
    return told[list(COVERAGE_COLUMNS)].astype(COVERAGE_COLUMNS)


def coverage_history(counted: pd.DataFrame) -> pd.DataFrame:
    """Give the number of platforms in each state of verification on each of several days.

    Parameters
    ----------
    counted : pandas.DataFrame
        One row per day: `as_of`, `tracked`, `verified`, `partial`, `stale`, `unverified`.

    Returns
    -------
    pandas.DataFrame
        As `coverage` gives it, oldest day first. Days without a date, and days on which nothing was tracked, are left out.

    Examples
    --------
    >>> course = analysis.coverage_history(data.coverage_history())
    >>> course.query("state == 'verified'")[["as_of", "platforms", "tracked"]].tail(2)
                           as_of  platforms  tracked
    44 2026-09-30 00:00:00+00:00        296      320
    48 2026-10-31 00:00:00+00:00        285      320
    """
    kept = counted[counted["as_of"].notna() & (counted["tracked"].fillna(0) > 0)]
    return coverage(kept.sort_values("as_of", kind="stable"))


def surface_coverage(coverage: pd.DataFrame) -> pd.DataFrame:
    """Give the number of platforms on which each surface was found.

    Parameters
    ----------
    coverage : pandas.DataFrame
        One row: `tracked`, `surfaces` (dict of surface to platforms with a finding).

    Returns
    -------
    pandas.DataFrame
        `surface` str, `platforms`, `tracked` Int64, `share` Float64 0..1. The known surfaces in their order (missing
        numbers where the service gives none), then others by name; no row where there is no coverage.

    Examples
    --------
    >>> analysis.surface_coverage(data.coverage).head(3)
                 surface  platforms  tracked     share
    0       training_use        288      320       0.9
    1  web_data_training        126      320   0.39375
    2    content_license        253      320  0.790625
    """
    rows = []
    for row in records(coverage, "surface_coverage", "tracked", "surfaces"):
        told = row["surfaces"] if isinstance(row["surfaces"], dict) else {}
        listed = (*SURFACES, *sorted(set(told) - set(SURFACES)))
        rows += [{"surface": name, "platforms": told.get(name), "tracked": row["tracked"]} for name in listed]
    counted = shaped(rows, SURFACE_COLUMNS)
    return counted.assign(share=counted["platforms"] / counted["tracked"].where(counted["tracked"] > 0))


def quiet_surfaces(surfaces: pd.DataFrame) -> pd.DataFrame:
    """Count for each surface the platforms that were read and on which nothing was found.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `slug`, `name`, `surface`, `state` (one of `models.SURFACE_STATES`).

    Returns
    -------
    pandas.DataFrame
        `surface` str, `quiet`, `to_read`, `read` (found, to be read or quiet: the denominator), `unread` Int64, `share`,
        `low`, `high` Float64 0..1 (Wilson's 95 % interval; missing where none was read), `platforms` list of (slug, name) where
        nothing was found, by name. The quietest surface first, then the known order.

    Examples
    --------
    >>> analysis.quiet_surfaces(data.surfaces)[["surface", "quiet", "read", "unread"]].head(2)
                 surface  quiet  read  unread
    0      output_rights    148   310      10
    1  web_data_training    123   310      10
    """
    told = with_columns(surfaces, "quiet_surfaces", "slug", "name", "surface", "state")
    rows = []
    for surface, group in told.groupby(told["surface"].fillna(""), sort=False):
        quiet = rows_of(group[group["state"] == "quiet"])
        read, to_read = int(group["state"].isin(_READ).sum()), int((group["state"] == "to_read").sum())
        named = [(word_of(row["slug"]), word_of(row["name"]) or word_of(row["slug"])) for row in quiet]
        named.sort(key=lambda item: (item[1].casefold(), item[0]))
        counts = {"quiet": len(quiet), "to_read": to_read, "read": read, "unread": len(group) - read}
        rows.append({"surface": surface, **counts, **share_row(len(quiet), read), "platforms": named})
    rows.sort(key=lambda row: (-(row["share"] or 0), _place(row["surface"]), row["surface"]))
    return shaped(rows, QUIET_SURFACE_COLUMNS)


def _place(surface: str) -> int:
    """Return the place of a surface in the known order; others stand behind."""
    return SURFACES.index(surface) if surface in SURFACES else len(SURFACES)


def quiet_platforms(surfaces: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Find platforms on which nothing was found on unusually many surfaces, compared with the other platforms.

    The rule is the modified z-score of B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers" (ASQC
    Quality Press, 1993): 0.6745 (x - median) / MAD, where MAD is the median absolute deviation; where that is 0, the
    mean absolute deviation times 1.2533 stands in its place. From 3.5 on, and only above the median, a count is unusual.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `slug`, `name`, `surface`, `state`.
    documents : pandas.DataFrame
        `slug`, `state`: how many documents were read is given beside the count.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `quiet`, `read` Int64 (surfaces), `usual` Float64 (the median of all platforms), `score`
        Float64 (0 where all counts are the same), `unusual` bool, `surfaces` list of the quiet ones, `documents` Int64
        (read). Platforms that were read only, the quietest first, then by name.

    Examples
    --------
    >>> quiet = analysis.quiet_platforms(data.surfaces, data.documents)
    >>> quiet[["slug", "quiet", "usual", "unusual"]].iloc[2:4]
                       slug  quiet  usual  unusual
    2  search-by-sillobrook      5    2.0    False
    3    studio-by-zelralow      5    2.0    False
    """
    told = with_columns(surfaces, "quiet_platforms", "slug", "name", "surface", "state")
    told = told[told["state"].isin(_READ)]
    listed = with_columns(documents, "quiet_platforms", "slug", "state")
    good = (row for row in rows_of(listed) if row["state"] in ("good", "stale") and not in_other_language(row))
    texts = Counter(row["slug"] for row in good)
    rows: Rows = []
    for slug, group in told.groupby("slug", sort=False):
        quiet = sorted(group.loc[group["state"] == "quiet", "surface"], key=_place)
        head = {"slug": slug, "name": word_of(group["name"].iloc[0]) or slug, "documents": texts[slug]}
        rows.append({**head, "quiet": len(quiet), "read": len(group), "surfaces": quiet})
    counts = [row["quiet"] for row in rows]
    usual = float(median(counts)) if counts else 0.0
    spread = _spread(counts, usual)
    for row in rows:
        score = (row["quiet"] - usual) / spread if spread else 0.0
        row |= {"usual": usual, "score": score, "unusual": score >= UNUSUAL}
    rows.sort(key=lambda row: (-row["quiet"], row["name"].casefold(), row["slug"]))
    return shaped(rows, QUIET_PLATFORM_COLUMNS)


def _spread(counts: list[int], middle: float) -> float:
    """Return the robust standard deviation of counts; 0 where all are the same."""
    away = [abs(count - middle) for count in counts]
    return (median(away) / 0.6745 or 1.253314 * fmean(away)) if away else 0.0


DRIFT_COLUMNS: Final = dtypes(CONTRACT_COLUMNS, *CONTRACT_COLUMNS) | {"drift": "bool"}
KINDS: Final = ("failed", "missing", "retyped", "unknown", "unseen", "more", "lacking", "addition")
"""Kinds of difference, the gravest first; the last two, documented additions that are there or not, are no drift."""


def contract_drift(differences: pd.DataFrame, endpoints: pd.DataFrame | None = None) -> pd.DataFrame:
    """List the differences between a service's answers and the form in which they are read, drift first.

    Parameters
    ----------
    differences : pandas.DataFrame
        `frames.CONTRACT_COLUMNS`.
    endpoints : pandas.DataFrame, optional
        `frames.ENDPOINTS_COLUMNS`: an endpoint that failed to answer is drift, too.

    Returns
    -------
    pandas.DataFrame
        `endpoint`, `kind`, `field`, `told`, `expected` str, `count`, `of` Int64, `example` str, `drift` bool (False for
        additions of our service, which the README documents: `addition` where they are there, `lacking` where they are not).
        By kind in the order of `KINDS`, then by endpoint, field, and the most frequent value first.

    Examples
    --------
    >>> drift = analysis.contract_drift(data.contract().differences)
    >>> drift["kind"].unique().tolist()
    ['addition']
    """
    needed = ("endpoint", "kind", "field", "told", "expected", "count", "of", "example")
    rows = records(differences, "contract_drift", *needed)
    for row in [] if endpoints is None else records(endpoints, "contract_drift", "endpoint", "state", "status"):
        if row["state"] == "failed":
            told = f"HTTP {row['status']}" if not is_missing(row["status"]) and row["status"] else "no answer"
            failed = {"endpoint": row["endpoint"], "kind": "failed", "field": "", "told": told, "expected": "an answer"}
            rows.append({**failed, "count": 1, "of": 1, "example": ""})
    drift = shaped((row | {"drift": row["kind"] not in KINDS[-2:]} for row in rows), DRIFT_COLUMNS)
    places = {kind: place for place, kind in enumerate(KINDS)}
    words = drift[["endpoint", "field", "told"]].fillna("")
    order = words.assign(kind=drift["kind"].map(places).fillna(len(KINDS)), count=-drift["count"])
    ordered = order.sort_values(["kind", "endpoint", "field", "count", "told"]).index
    return drift.loc[ordered].reset_index(drop=True)
