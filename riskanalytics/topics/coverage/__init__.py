"""Coverage of platforms, surfaces, findings and the interface: what is verified, missing, unsure or different."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import pandas as pd

from riskanalytics.frames import CONTRACT_COLUMNS, rows_of
from riskanalytics.models import VERIFICATION_STATUSES, VERIFICATIONS, in_other_language
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics import shape

__all__ = [
    "contract_drift", "coverage", "coverage_history", "integrity", "leads_by_platform", "quiet_platforms",
    "quiet_surfaces", "sample_findings", "surface_coverage", "unsure_findings",
]  # fmt: skip

COVERAGE_COLUMNS: Final = shape.schema("as_of:time state:str platforms tracked:Int64 share:Float64 consistent:bool")
SURFACE_COLUMNS: Final = shape.schema("surface:str platforms tracked:Int64 share:Float64")
QUIET_SURFACE_COLUMNS: Final = shape.schema(
    "surface:str quiet to_read read unread:Int64 share low high:Float64 platforms:object"
)
QUIET_PLATFORM_COLUMNS: Final = shape.schema(
    "slug name:str quiet read:Int64 usual score:Float64 unusual:bool surfaces:object documents:Int64"
)
UNSURE_COLUMNS: Final = shape.schema("slug name:str unsure findings:Int64 share lowest:Float64")
LEADS_COLUMNS: Final = shape.schema("slug name:str leads surfaces:Int64 highest:Float64")
INTEGRITY_COLUMNS: Final = shape.schema("status:str quotes sampled findings:Int64 share low high:Float64")
DRIFT_COLUMNS: Final = shape.dtypes(CONTRACT_COLUMNS, *CONTRACT_COLUMNS) | {"drift": "bool"}
_READ: Final = ("found", "to_read", "quiet")
"""States of a surface that was read."""
UNUSUAL: Final = 3.5
"""Modified z-score from which a count is an outlier (Iglewicz and Hoaglin 1993)."""
KINDS: Final = ("failed", "missing", "retyped", "unknown", "unseen", "more", "lacking", "addition")
"""Kinds of difference, the gravest first; the last two, documented additions that are there or not, are no drift."""


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
        nothing is tracked or a number is not given), `consistent` bool (False where the four states do not add up to
        `tracked`; they are shown as given). Four rows per input row.

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
    days = shape.with_columns(coverage, "coverage", "as_of", "tracked", *states).reset_index(drop=True)
    days = days[["as_of", "tracked", *states]].astype(dict.fromkeys(["tracked", *states], "Int64"))
    days["consistent"] = (days[states].sum(axis=1, skipna=False) == days["tracked"]).fillna(False)
    counts = days.melt(["as_of", "tracked", "consistent"], states, "state", "platforms", ignore_index=False)
    counts["share"] = counts["platforms"] / counts["tracked"].where(counts["tracked"] > 0)
    return shape.cut_to(counts.sort_index(kind="stable"), COVERAGE_COLUMNS)


def coverage_history(counted: pd.DataFrame) -> pd.DataFrame:
    """Give the number of platforms in each state of verification on each of several days.

    Parameters
    ----------
    counted : pandas.DataFrame
        One row per day: `as_of`, `tracked`, `verified`, `partial`, `stale`, `unverified`.

    Returns
    -------
    pandas.DataFrame
        As `coverage` gives it, oldest day first, without days that have no date or no tracked platform.

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
        numbers where the service gives none), then others by name; no row without coverage.

    Examples
    --------
    >>> analysis.surface_coverage(data.coverage).head(3)
                 surface  platforms  tracked     share
    0       training_use        288      320       0.9
    1  web_data_training        126      320   0.39375
    2    content_license        253      320  0.790625
    """
    rows = [
        {"surface": name, "platforms": row["surfaces"].get(name), "tracked": row["tracked"]}
        for row in shape.records(coverage, "surface_coverage", "tracked", "surfaces")
        for name in dict.fromkeys((*SURFACES, *sorted(row["surfaces"])))
    ]
    counted = shape.shaped(rows, SURFACE_COLUMNS)
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
        `low`, `high` Float64 0..1 (Wilson's 95 % interval; missing where none was read), `platforms` list of (slug, name)
        where nothing was found, by name. The quietest surface first, then the known order.

    Examples
    --------
    >>> analysis.quiet_surfaces(data.surfaces)[["surface", "quiet", "read", "unread"]].head(2)
                 surface  quiet  read  unread
    0      output_rights    148   310      10
    1  web_data_training    123   310      10
    """
    cells = shape.named(shape.with_columns(surfaces, "quiet_surfaces", "slug", "name", "surface", "state"))
    cells = shape.ordered(cells, "name", "slug")
    rows = []
    for surface, group in cells.groupby(cells["surface"].fillna(""), sort=False):
        quiet, to_read = group[group["state"] == "quiet"], int((group["state"] == "to_read").sum())
        read = int(group["state"].isin(_READ).sum())
        counts = {"quiet": len(quiet), "to_read": to_read, "read": read, "unread": len(group) - read}
        pairs = list(zip(quiet["slug"], quiet["name"], strict=True))
        rows.append({"surface": surface, **counts, **shape.share_row(len(quiet), read), "platforms": pairs})
    rows.sort(key=lambda row: (-(row["share"] or 0), _place(row["surface"]), row["surface"]))
    return shape.shaped(rows, QUIET_SURFACE_COLUMNS)


def _place(surface: str) -> int:
    """Return the place of a surface in the known order; others follow."""
    return SURFACES.index(surface) if surface in SURFACES else len(SURFACES)


def quiet_platforms(surfaces: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Find platforms on which nothing was found on unusually many surfaces, compared with the other platforms.

    The rule is the modified z-score of B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers" (ASQC
    Quality Press, 1993): 0.6745 (x - median) / MAD, where MAD is the median absolute deviation; where that is 0, the
    mean absolute deviation times 1.2533 takes its place. From 3.5 on, and only above the median, a count is unusual.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `slug`, `name`, `surface`, `state`.
    documents : pandas.DataFrame
        `slug`, `state`, `read`.

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
    cells = shape.named(shape.with_columns(surfaces, "quiet_platforms", "slug", "name", "surface", "state"))
    cells = cells[cells["state"].isin(_READ)].assign(place=cells["surface"].map(_place))
    quiet = cells[cells["state"] == "quiet"].sort_values("place", kind="stable").groupby("slug")["surface"].agg(list)
    listed = shape.with_columns(documents, "quiet_platforms", "slug", "state")
    texts = listed[listed["state"].isin(("good", "stale")) & ~in_other_languages(listed)].groupby("slug").size()
    found = cells.groupby("slug").agg(name=("name", "first"), read=("slug", "size"))
    found["surfaces"] = [quiet.get(slug, []) for slug in found.index]
    found["quiet"] = found["surfaces"].map(len).astype(float)
    usual = found["quiet"].median()
    away = (found["quiet"] - usual).abs()
    spread = away.median() / 0.6745 or 1.253314 * away.mean()
    found["score"] = (found["quiet"] - usual) / spread if spread else 0.0
    found = found.assign(usual=usual, unusual=found["score"] >= UNUSUAL, documents=texts.reindex(found.index).fillna(0))
    return shape.cut_to(shape.ordered(found.reset_index(), "-quiet", "name", "slug"), QUIET_PLATFORM_COLUMNS)


def in_other_languages(documents: pd.DataFrame) -> pd.Series[bool]:
    """Return which documents have a good text in a language that is not read."""
    return pd.Series(list(map(in_other_language, rows_of(documents))), documents.index, dtype="bool")


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
        documented additions: `addition` if present, `lacking` if not). By kind in the order of `KINDS`, then by
        endpoint, field, and the most frequent value first.

    Examples
    --------
    >>> drift = analysis.contract_drift(data.contract().differences)
    >>> drift["kind"].unique().tolist()
    ['addition']
    """
    rows = shape.records(differences, "contract_drift", *CONTRACT_COLUMNS)
    for row in [] if endpoints is None else shape.records(endpoints, "contract_drift", "endpoint", "state", "status"):
        if row["state"] == "failed":
            told = f"HTTP {row['status']}" if shape.word_of(row["status"]) not in ("", "0") else "no answer"
            failed = {"endpoint": row["endpoint"], "kind": "failed", "field": "", "told": told, "expected": "an answer"}
            rows.append({**failed, "count": 1, "of": 1, "example": ""})
    drift = pd.DataFrame(rows, columns=list(CONTRACT_COLUMNS))
    places = {kind: place for place, kind in enumerate(KINDS)}
    drift = drift.assign(drift=~drift["kind"].isin(KINDS[-2:]), place=drift["kind"].map(places).fillna(len(KINDS)))
    return shape.cut_to(shape.ordered(drift, "place", "endpoint", "field", "-count", "told"), DRIFT_COLUMNS)


def unsure_findings(findings: pd.DataFrame, below: float = 0.7) -> pd.DataFrame:
    """Count the findings of low confidence by platform: to be checked by hand.

    Parameters
    ----------
    findings : pandas.DataFrame
        `slug`, `name`, `confidence`.
    below : float
        A finding below this confidence is counted; a finding without a confidence is not.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `unsure`, `findings` Int64, `share` Float64 0..1, `lowest` Float64 (the least confidence).
        Platforms with such a finding only; most first, then by name.

    Examples
    --------
    >>> analysis.unsure_findings(data.findings, below=0.85)[["name", "unsure", "findings", "lowest"]].head(2)
                  name  unsure  findings  lowest
    0   KelfiwickNotes       2        15   0.837
    1  Zelmilow Health       2        15   0.846
    """
    listed = shape.named(shape.with_columns(findings, "unsure_findings", "slug", "name", "confidence"))
    unsure = listed[(listed["confidence"] < below).fillna(False)].groupby("slug")
    counted = unsure.agg(name=("name", "first"), unsure=("slug", "size"), lowest=("confidence", "min"))
    counted["findings"] = listed.groupby("slug").size().reindex(counted.index)
    counted["share"] = counted["unsure"] / counted["findings"]
    return shape.cut_to(shape.ordered(counted.reset_index(), "-unsure", "name", "slug"), UNSURE_COLUMNS)


def leads_by_platform(leads: pd.DataFrame) -> pd.DataFrame:
    """Count the leads of each platform: clauses worth reading that are no findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `slug`, `name`, `surface`, `confidence`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `leads`, `surfaces` Int64, `highest` Float64 (confidence; missing where no lead has one).
        Platforms with a lead only; most first, then by name.

    Examples
    --------
    >>> analysis.leads_by_platform(data.leads)[["name", "leads", "surfaces"]].head(2)
                       name  leads  surfaces
    0    Health by Velfilix     15         6
    1  Xanbrigrove Video.ai     13         8
    """
    by_slug = shape.named(
        shape.with_columns(leads, "leads_by_platform", "slug", "name", "surface", "confidence")
    ).groupby("slug")
    counted = by_slug.agg(
        name=("name", "first"), leads=("slug", "size"), surfaces=("surface", "nunique"), highest=("confidence", "max")
    )
    return shape.cut_to(shape.ordered(counted.reset_index(), "-leads", "name", "slug"), LEADS_COLUMNS)


def sample_findings(findings: pd.DataFrame, size: int = 200) -> pd.DataFrame:
    """Draw a sample of findings by the hash of their place, so that the same data always give the same sample.

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

    Examples
    --------
    >>> analysis.sample_findings(data.findings, size=3)[["slug", "surface", "risk"]]
                  slug          surface  risk
    0  jorzoquillvideo     ip_liability  HIGH
    1   silvevane-code    terms_changes  HIGH
    2  garzolix-search  content_license   LOW
    """
    keys = ("finding_id", "slug", "snapshot_sha256", "start", "end", "quote")
    places = (
        "\x1f".join(shape.word_of(row[key]) for key in keys)
        for row in shape.records(findings, "sample_findings", *keys)
    )
    hashes = [sha256(place.encode("utf-8", "replace")).hexdigest() for place in places]
    order = sorted(range(len(hashes)), key=hashes.__getitem__)[:size]
    return findings.iloc[order].reset_index(drop=True)


def integrity(checked: pd.DataFrame, findings: int) -> pd.DataFrame:
    """Count how many quotes of a sample still verify when they are read again, with 95 % intervals.

    The interval is Wilson's (`wilson_interval`): how far the share of all quotes may lie from that of the sample. If all
    quotes were read again, both bounds are the share.

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
        the other states that occur (`models.VERIFICATION_STATUSES`); no row without a sample.

    Examples
    --------
    >>> sample = data.verify(analysis.sample_findings(data.findings, size=50))
    >>> analysis.integrity(sample, len(data.findings))[["status", "quotes", "sampled", "low", "high"]]
         status  quotes  sampled       low  high
    0  verified      50       50  0.928652   1.0
    """
    states = shape.with_columns(checked, "integrity", "verification_status")["verification_status"].fillna("")
    counts, whole = states.value_counts(), len(checked)
    rows = []
    for status in dict.fromkeys(("verified", *VERIFICATION_STATUSES, *sorted(counts.index))) if whole else ():
        part = int(counts.get(status, 0))
        row = (
            shape.share_row(part, whole) if whole < findings else dict.fromkeys(("share", "low", "high"), part / whole)
        )
        if part or status == "verified":
            rows.append({"status": status, "quotes": part, "sampled": whole, "findings": findings, **row})
    return shape.shaped(rows, INTEGRITY_COLUMNS)
