"""The state of the data: what is verified, missing or uncertain, and where a service's answers differ from its specification."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import pandas as pd

from riskanalytics.frames import CONTRACT_COLUMNS, rows_of
from riskanalytics.models import VERIFICATION_STATUSES, VERIFICATIONS, in_other_language
from riskanalytics.surfaces import SURFACES

from ..shape import cut_to, dtypes, known_first, named, ordered, records, schema, shaped, share_row, with_columns

__all__ = [
    "contract_drift", "coverage", "coverage_history", "integrity", "leads_by_platform", "quiet_platforms",
    "quiet_surfaces", "sample_findings", "surface_coverage", "unsure_findings",
]  # fmt: skip

COVERAGE_COLUMNS: Final = schema("as_of:time state:str platforms tracked:Int64 share:Float64 consistent:bool")
SURFACE_COLUMNS: Final = schema("surface:str platforms tracked:Int64 share:Float64")
QUIET_COLUMNS: Final = schema("surface:str quiet to_read read unread:Int64 share low high:Float64 platforms:object")
QUIET_PLATFORM_COLUMNS: Final = schema(
    "slug name:str quiet read:Int64 usual score:Float64 unusual:bool surfaces:object documents:Int64"
)
UNSURE_COLUMNS: Final = schema("slug name:str unsure findings:Int64 share lowest:Float64")
LEADS_COLUMNS: Final = schema("slug name:str leads surfaces:Int64 highest:Float64")
INTEGRITY_COLUMNS: Final = schema("status:str quotes sampled findings:Int64 share low high:Float64")
DRIFT_COLUMNS: Final = dtypes(CONTRACT_COLUMNS, *CONTRACT_COLUMNS) | {"drift": "bool"}
KINDS: Final = ("failed", "missing", "retyped", "unknown", "unseen", "more", "lacking", "addition")
"""Kinds of difference between a service's answers and their specified form, the most serious first.

The last two do not count as drift: a documented addition to the specification is absent (`lacking`) or present (`addition`).
"""
_READ: Final = ("found", "to_read", "quiet")
"""States of a surface that was read."""


def coverage(coverage: pd.DataFrame) -> pd.DataFrame:
    """Count the tracked platforms in each state of verification, one row for each state.

    Parameters
    ----------
    coverage : pandas.DataFrame
        `data.coverage`, one row: `as_of`, and numbers of platforms: `tracked`, `verified`, `partial`, `stale`, `unverified`.

    Returns
    -------
    pandas.DataFrame
        `as_of` time, `state` str, `platforms` Int64 (in this state), `tracked` Int64 (the denominator), `share` Float64 0..1
        (missing if no platform is tracked or a number is missing), `consistent` bool (False if the numbers in the four states
        do not add up to `tracked`). Four rows, one for each state; if `coverage` has several rows, four for each of them.

    Examples
    --------
    >>> analysis.coverage(data.coverage)[["state", "platforms", "tracked"]]
            state  platforms  tracked
    0    verified        285      320
    1     partial          8      320
    2       stale         17      320
    3  unverified         10      320
    """
    states, counted = list(VERIFICATIONS), ["tracked", *VERIFICATIONS]
    days = with_columns(coverage, "coverage", "as_of", *counted).astype(dict.fromkeys(counted, "Int64"))
    whole = days[states].sum(axis=1, skipna=False) == days["tracked"]
    days = days.assign(consistent=whole.fillna(False)).reset_index(drop=True)
    counts = days.melt(["as_of", "tracked", "consistent"], states, "state", "platforms", ignore_index=False)
    share = counts["platforms"] / counts["tracked"].where(counts["tracked"] > 0)
    return cut_to(counts.assign(share=share).sort_index(kind="stable"), COVERAGE_COLUMNS)


def coverage_history(counted: pd.DataFrame) -> pd.DataFrame:
    """Count the platforms in each state of verification on several days.

    Parameters
    ----------
    counted : pandas.DataFrame
        One row for each day: `as_of`, and numbers of platforms: `tracked`, `verified`, `partial`, `stale`, `unverified`.

    Returns
    -------
    pandas.DataFrame
        The columns of the result of `coverage`: four rows for each day, one for each state, the oldest day first. Input rows
        without a date or a tracked platform are left out.

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
    """Count the platforms with a finding on each surface.

    Parameters
    ----------
    coverage : pandas.DataFrame
        One row: `tracked`, `surfaces` (dict of surface to number of platforms with a finding).

    Returns
    -------
    pandas.DataFrame
        `surface` str, `platforms` (with a finding on it), `tracked` Int64, `share` Float64 0..1. First the surfaces of
        `surfaces.SURFACES` in that order (numbers missing if the service gives none), then others by name. Empty if `coverage`
        has no row.

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
        for row in records(coverage, "surface_coverage", "tracked", "surfaces")
        for name in known_first(SURFACES, row["surfaces"])
    ]
    counted = shaped(rows, SURFACE_COLUMNS)
    return counted.assign(share=counted["platforms"] / counted["tracked"].where(counted["tracked"] > 0))


def quiet_surfaces(surfaces: pd.DataFrame) -> pd.DataFrame:
    """Count for each surface the quiet platforms: platforms that were read and have no finding or lead on it.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `data.surfaces`, or any frame with `slug`, `name`, `surface` and `state` (one of `models.SURFACE_STATES`).

    Returns
    -------
    pandas.DataFrame
        `surface` str; numbers of platforms Int64: `quiet`, `to_read` (with only clauses that a person must read), `read`
        (all that were read: the denominator), `unread`; `share` (quiet / read) with its bounds `low`, `high` Float64 0..1
        (Wilson's 95 % interval; all three missing if no platform was read); `platforms` list of (slug, name) of the quiet
        platforms, by name. Largest share first, equal shares in the usual order of surfaces.

    Examples
    --------
    >>> analysis.quiet_surfaces(data.surfaces)[["surface", "quiet", "read", "unread"]].head(2)
                 surface  quiet  read  unread
    0      output_rights    148   310      10
    1  web_data_training    123   310      10
    """
    cells = named(with_columns(surfaces, "quiet_surfaces", "slug", "name", "surface", "state"))
    rows = []
    for surface, group in ordered(cells, "name", "slug").groupby("surface", sort=False):
        quiet, read = group[group["state"] == "quiet"], int(group["state"].isin(_READ).sum())
        counts = {"to_read": (group["state"] == "to_read").sum(), "read": read, "unread": len(group) - read}
        platforms = list(quiet[["slug", "name"]].itertuples(index=False, name=None))
        shares = share_row(len(quiet), read)
        rows.append({"surface": surface, "quiet": len(quiet), **counts, **shares, "platforms": platforms})
    return cut_to(ordered(shaped(rows, QUIET_COLUMNS), "-share", "surface"), QUIET_COLUMNS)


def quiet_platforms(surfaces: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Find platforms without a finding or lead (quiet) on unusually many surfaces, compared with the other platforms.

    The rule is the modified z-score of B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers" (ASQC
    Quality Press, 1993): 0.6745 (x - median) / MAD, where x is the number of such surfaces of a platform, and MAD the median
    absolute deviation. If MAD is 0, the score is (x - median) / (1.2533 mean absolute deviation). A number is unusual if its
    score is 3.5 or more.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `data.surfaces`, or any frame with the columns `slug`, `name`, `surface`, `state`.
    documents : pandas.DataFrame
        `data.documents`, or any frame with `slug`, `state`, `read`; it serves to count the documents that were read.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `quiet`, `read` Int64 (numbers of surfaces), `usual` Float64 (median of `quiet` over all platforms),
        `score` Float64 (0 if all platforms have the same number), `unusual` bool, `surfaces` list of the quiet surfaces,
        `documents` Int64 (number of documents read). One row for each platform that was read, most quiet surfaces first, then
        by name.

    Examples
    --------
    >>> quiet = analysis.quiet_platforms(data.surfaces, data.documents)
    >>> quiet[["slug", "quiet", "usual", "unusual"]].iloc[2:4]
                       slug  quiet  usual  unusual
    2  search-by-sillobrook      5    2.0    False
    3    studio-by-zelralow      5    2.0    False
    """
    cells = named(with_columns(surfaces, "quiet_platforms", "slug", "name", "surface", "state"))
    cells = ordered(cells[cells["state"].isin(_READ)], "surface")
    texts = with_columns(documents, "quiet_platforms", "slug", "state")
    texts = texts[texts["state"].isin(("good", "stale")) & ~in_other_languages(texts)]
    by_slug = cells.assign(silent=cells["surface"].where(cells["state"] == "quiet")).groupby("slug")
    found = by_slug.agg(name=("name", "first"), read=("name", "size"), quiet=("silent", "count"))
    found["surfaces"] = by_slug["silent"].agg(lambda names: list(names.dropna()))
    usual = found["quiet"].median()
    away = (found["quiet"] - usual).abs()
    spread = away.median() / 0.6745 or 1.253314 * away.mean()
    score = (found["quiet"] - usual) / spread if spread else 0.0
    count = texts.groupby("slug").size().reindex(found.index, fill_value=0)
    found = found.assign(usual=usual, score=score, documents=count, unusual=score >= 3.5)
    return cut_to(ordered(found.reset_index(), "-quiet", "name", "slug"), QUIET_PLATFORM_COLUMNS)


def in_other_languages(documents: pd.DataFrame) -> pd.Series[bool]:
    """Return, as a boolean series, whether each document has a usable text in a language that this package does not read.

    `documents` is `data.documents`. A text is usable if the `state` of its document is `good` or `stale`.
    """
    return pd.Series(list(map(in_other_language, rows_of(documents))), documents.index, dtype="bool")


def contract_drift(differences: pd.DataFrame, endpoints: pd.DataFrame | None = None) -> pd.DataFrame:
    """List where a service's answers differ from the specification, undocumented differences (drift) first.

    Parameters
    ----------
    differences : pandas.DataFrame
        `data.contract().differences` (`frames.CONTRACT_COLUMNS`).
    endpoints : pandas.DataFrame, optional
        `frames.ENDPOINTS_COLUMNS`: an endpoint that failed to answer counts as drift.

    Returns
    -------
    pandas.DataFrame
        One row for each difference: `frames.CONTRACT_COLUMNS` and `drift` bool (False for the kinds `lacking` and `addition`, else
        True). Sorted by `kind`, the most serious first: `failed` (endpoint without a usable answer), `missing` (specified field
        absent or null), `retyped` (another type), `unknown` (a new field), `unseen` (a new value), `more` (further differences,
        only counted), `lacking` (a documented addition to the specification is absent), `addition` (a documented addition is
        present); then by endpoint, field and frequency.

    Examples
    --------
    >>> drift = analysis.contract_drift(data.contract().differences)
    >>> drift["kind"].unique().tolist()
    ['addition']
    """
    drift = with_columns(differences, "contract_drift", *CONTRACT_COLUMNS)
    if endpoints is not None:
        failed = with_columns(endpoints, "contract_drift", "endpoint", "state", "status").query("state == 'failed'")
        observed = [f"HTTP {status}" if status else "no answer" for status in failed["status"].fillna(0)]
        failed = failed[["endpoint"]].assign(kind="failed", observed=observed, expected="an answer", count=1, of=1)
        drift = pd.concat([drift, failed.assign(field="", example="")])
    drift = drift.assign(drift=~drift["kind"].isin(KINDS[-2:]), place=drift["kind"].map(KINDS.index))
    return cut_to(ordered(drift, "place", "endpoint", "field", "-count", "observed"), DRIFT_COLUMNS)


def unsure_findings(findings: pd.DataFrame, below: float = 0.7) -> pd.DataFrame:
    """Count, for each platform, the findings of low confidence, which a person should check.

    Parameters
    ----------
    findings : pandas.DataFrame
        `data.findings`, or any frame with the columns `slug`, `name`, `confidence`.
    below : float
        Findings below this confidence are counted; findings without a confidence are not.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `unsure`, `findings` Int64 (low confidence, all), `share` Float64 0..1 (unsure / findings), `lowest`
        Float64 (lowest confidence). Only platforms with such a finding; largest `unsure` first, then by name.

    Examples
    --------
    >>> analysis.unsure_findings(data.findings, below=0.85)[["name", "unsure", "findings", "lowest"]].head(2)
                  name  unsure  findings  lowest
    0   KelfiwickNotes       2        15   0.837
    1  Zelmilow Health       2        15   0.846
    """
    listed = named(with_columns(findings, "unsure_findings", "slug", "name", "confidence"))
    by_slug = listed.assign(unsure=listed["confidence"] < below).groupby("slug", as_index=False)
    counts = by_slug.agg(
        name=("name", "first"), unsure=("unsure", "sum"), findings=("name", "size"), lowest=("confidence", "min")
    )
    counts["share"] = counts["unsure"] / counts["findings"]
    return cut_to(ordered(counts[counts["unsure"] > 0], "-unsure", "name", "slug"), UNSURE_COLUMNS)


def leads_by_platform(leads: pd.DataFrame) -> pd.DataFrame:
    """Count the leads of each platform: clauses that are worth reading but are not findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `data.leads`, or any frame with the columns `slug`, `name`, `surface`, `confidence`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `leads`, `surfaces` Int64, `highest` Float64 (confidence; missing if no lead has one). Only
        platforms with a lead; most leads first, then by name.

    Examples
    --------
    >>> analysis.leads_by_platform(data.leads)[["name", "leads", "surfaces"]].head(2)
                       name  leads  surfaces
    0    Health by Velfilix     15         6
    1  Xanbrigrove Video.ai     13         8
    """
    listed = named(with_columns(leads, "leads_by_platform", "slug", "name", "surface", "confidence"))
    counts = listed.groupby("slug", as_index=False).agg(
        name=("name", "first"), leads=("name", "size"), surfaces=("surface", "nunique"), highest=("confidence", "max")
    )
    return cut_to(ordered(counts, "-leads", "name", "slug"), LEADS_COLUMNS)


def sample_findings(findings: pd.DataFrame, size: int = 200) -> pd.DataFrame:
    """Draw a sample of findings in the order of a hash, so that the same data give the same sample.

    Parameters
    ----------
    findings : pandas.DataFrame
        `data.findings`, or any frame with `slug`, `finding_id`, `snapshot_sha256`, `start`, `end`, `quote`.
    size : int
        Maximum number of findings in the sample.

    Returns
    -------
    pandas.DataFrame
        At most `size` rows with all columns, in the order of the hash (SHA-256 of identifier, platform, snapshot, offsets
        and quote), with a RangeIndex.

    Examples
    --------
    >>> analysis.sample_findings(data.findings, size=3)[["slug", "surface", "risk"]]
                      slug        surface  risk
    0      jorzoquillvideo   ip_liability  HIGH
    1  velathorn-studio-ai  terms_changes   LOW
    2       garfilix-image   ads_tracking   LOW
    """
    keys = ["finding_id", "slug", "snapshot_sha256", "start", "end", "quote"]
    places = with_columns(findings, "sample_findings", *keys)[keys].astype("str").fillna("")
    words = map("\x1f".join, places.itertuples(index=False))
    hashes = [sha256(word.encode("utf-8", "replace")).hexdigest() for word in words]
    order = sorted(range(len(hashes)), key=hashes.__getitem__)[:size]
    return findings.iloc[order].reset_index(drop=True)


def integrity(checked: pd.DataFrame, findings: int) -> pd.DataFrame:
    """Count the quotes of a sample by their verification status, with 95 % intervals.

    The interval is Wilson's (`wilson_interval`): the range of plausible shares among all quotes. If the sample contains all
    quotes, both bounds equal the share.

    Parameters
    ----------
    checked : pandas.DataFrame
        The sample as `data.verify` returns it: `verification_status`.
    findings : int
        Number of all findings from which the sample was drawn.

    Returns
    -------
    pandas.DataFrame
        `status` str, `quotes` Int64 (with this status), `sampled`, `findings` Int64 (size of the sample, all findings), `share`
        of the sample with its bounds `low`, `high` Float64 0..1. A row for `verified`, then one for each other status that
        occurs (`models.VERIFICATION_STATUSES`); no row for an empty sample.

    Examples
    --------
    >>> sample = data.verify(analysis.sample_findings(data.findings, size=50))
    >>> analysis.integrity(sample, len(data.findings))[["status", "quotes", "sampled", "low", "high"]]
         status  quotes  sampled       low  high
    0  verified      50       50  0.928652   1.0
    """
    counts = with_columns(checked, "integrity", "verification_status")["verification_status"].fillna("").value_counts()
    whole = len(checked)
    rows = [
        {"status": status, "quotes": part, "sampled": whole, "findings": findings, **share_row(part, whole)}
        for status in known_first(VERIFICATION_STATUSES, counts.index)
        if (part := counts.get(status, 0)) or (whole and status == "verified")
    ]
    shares = shaped(rows, INTEGRITY_COLUMNS)
    return shares if whole < findings else shares.assign(low=shares["share"], high=shares["share"])
