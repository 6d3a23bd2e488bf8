"""Coverage of findings: how sure they are, how many leads stand beside them, and whether their quotes still verify."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models.provenance import VERIFICATION_STATUSES
from riskanalytics.topics.shape import records, schema, shaped, share_row, word_of

__all__ = ["integrity", "leads_by_platform", "sample_findings", "unsure_findings"]

UNSURE_COLUMNS: Final = schema("slug name:str unsure findings:Int64 share lowest:Float64")
LEADS_COLUMNS: Final = {"slug": "str", "name": "str", "leads": "Int64", "surfaces": "Int64", "highest": "Float64"}
INTEGRITY_COLUMNS: Final = schema("status:str quotes sampled findings:Int64 share low high:Float64")


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
    records(findings, "unsure_findings", "slug", "name", "confidence")
    unsure = findings[(findings["confidence"] < below).fillna(False)]
    counted = unsure.groupby("slug", sort=False).agg(
        name=("name", "first"), unsure=("confidence", "size"), lowest=("confidence", "min")
    )
    counted["findings"] = findings.groupby("slug").size().reindex(counted.index)
    counted["share"] = counted["unsure"] / counted["findings"]
    return _most_first(counted, "unsure", UNSURE_COLUMNS)


def leads_by_platform(leads: pd.DataFrame) -> pd.DataFrame:
    """Count the leads of each platform: clauses worth reading that are no findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `slug`, `name`, `surface`, `confidence`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name` str, `leads`, `surfaces` (that the leads speak to) Int64, `highest` Float64 (the highest
        confidence; missing where no lead states one). Platforms with a lead only; most first, then by name.

    Examples
    --------
    >>> analysis.leads_by_platform(data.leads)[["name", "leads", "surfaces"]].head(2)
                       name  leads  surfaces
    0    Health by Velfilix     15         6
    1  Xanbrigrove Video.ai     13         8
    """
    records(leads, "leads_by_platform", "slug", "name", "surface", "confidence")
    counted = leads.groupby("slug", sort=False).agg(
        name=("name", "first"), leads=("slug", "size"), surfaces=("surface", "nunique"), highest=("confidence", "max")
    )
    return _most_first(counted, "leads", LEADS_COLUMNS)


def _most_first(counted: pd.DataFrame, by: str, columns: dict[str, str]) -> pd.DataFrame:
    """Return counts by platform, most first, then by name; a platform without a name has its slug."""
    rows = rows_of(counted.reset_index())
    rows = [row | {"name": word_of(row["name"]) or row["slug"]} for row in rows]
    rows.sort(key=lambda row: (-row[by], row["name"].casefold(), row["slug"]))
    return shaped(rows, columns)


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
    places = ("\x1f".join(word_of(row[key]) for key in keys) for row in records(findings, "sample_findings", *keys))
    hashes = [sha256(place.encode("utf-8", "replace")).hexdigest() for place in places]
    order = sorted(range(len(hashes)), key=hashes.__getitem__)[:size]
    return findings.iloc[order].reset_index(drop=True)


def integrity(checked: pd.DataFrame, findings: int) -> pd.DataFrame:
    """Count how many quotes of a sample still verify when they are read again, with 95 % intervals.

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

    Examples
    --------
    >>> sample = data.verify(analysis.sample_findings(data.findings, size=50))
    >>> analysis.integrity(sample, len(data.findings))[["status", "quotes", "sampled", "low", "high"]]
         status  quotes  sampled       low  high
    0  verified      50       50  0.928652   1.0
    """
    told = [word_of(row["verification_status"]) for row in records(checked, "integrity", "verification_status")]
    occurring = [status for status in (*VERIFICATION_STATUSES, *sorted(told)) if status in told]
    rows = []
    for status in dict.fromkeys(("verified", *occurring)) if told else ():
        part, whole = told.count(status), len(told)
        counted = share_row(part, whole)
        counted |= {} if whole < findings else dict.fromkeys(("low", "high"), part / whole)
        rows.append({"status": status, "quotes": part, "sampled": whole, "findings": findings, **counted})
    return shaped(rows, INTEGRITY_COLUMNS)
