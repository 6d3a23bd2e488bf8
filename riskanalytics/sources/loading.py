"""What a service tells, loaded into frames."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.asked import DayLike, as_day
from riskanalytics.client import Client
from riskanalytics.frames.records import parts_of
from riskanalytics.sources.held import held
from riskanalytics.sources.records import coverage_record, listed, load_records

_FEED: Final = "/api/v1/changes"


@held
def load_platforms(client: Client, as_of: DayLike | None = None) -> pd.DataFrame:
    """Load all tracked platforms with their ratings: one request per 500 with a key, one per platform without.

    Parameters
    ----------
    client : Client
    as_of : date or str, optional
        State at the end of that day.

    Returns
    -------
    pandas.DataFrame
        `frames.PLATFORMS_COLUMNS`, by slug.

    Raises
    ------
    IncompleteReportError
        If the server does not tell the state of that day.

    Examples
    --------
    >>> platforms = ra.load_platforms(client)
    >>> platforms.loc[platforms["slug"] == "orvewick-voice", ["name", "rating"]].values.tolist()
    [['Orvewick Voice', 'HIGH']]
    """
    return frames.platforms_frame(listed(client, as_of) if client.has_key else load_records(client, as_of))


@held
def load_changes(
    client: Client, since: DayLike | None = None, until: DayLike | None = None, change_class: str | None = None
) -> pd.DataFrame:
    """Load the recorded changes of documents, newest first.

    Parameters
    ----------
    client : Client
    since, until : date or str, optional
        First and last day, UTC, both included.
    change_class : str, optional

    Returns
    -------
    pandas.DataFrame
        `frames.CHANGES_COLUMNS`.

    Raises
    ------
    TierRequired, NotAuthorised
        Without a Pro key.

    Examples
    --------
    >>> from datetime import date
    >>> changes = ra.load_changes(client, since=date(2026, 10, 1), change_class="material")
    >>> changes[["name", "summary"]].iloc[0].tolist()
    ['Yorranor Video.ai', 'Findings on Third-party sharing, Ads and tracking: 1 added, 1 removed.']
    """
    first, last = as_day(since), as_day(until)
    changes, capped = read_feed(client, first, last, change_class)
    oldest = changes["reviewed_at"].min()
    if capped and not (first is not None and oldest < pd.Timestamp(first, tz="UTC")):
        before = "" if pd.isna(oldest) else f" before {oldest:%Y-%m-%d}"
        client.problems.add(
            f"the feed ends with a full page of {len(changes):,} changes: those{before} are not known", _FEED
        )
    if first is not None:
        changes = changes[changes["reviewed_at"] >= pd.Timestamp(first, tz="UTC")]
    if last is not None:
        changes = changes[changes["reviewed_at"] < pd.Timestamp(last, tz="UTC") + pd.Timedelta(days=1)]
    if change_class is not None:
        changes = changes[changes["change_class"] == change_class]
    return changes.reset_index(drop=True)


def read_feed(
    client: Client, first: date | None = None, last: date | None = None, change_class: str | None = None
) -> tuple[pd.DataFrame, bool]:
    """Read the feed of changes, whatever days it gives, and say whether it ends only because a page does.

    Changes whose day or platform cannot be read are told in `client.problems`.
    """
    client.problems.begin(_FEED)
    feed = client.change_feed(first, last, change_class)
    for sentence in feed.sentences:
        client.problems.add(sentence, _FEED)
    if feed.claimed_more:
        client.problems.add(
            f"the feed claims {feed.claims[-1]:,} changes and gave {len(feed.rows):,} different ones: some may be missing",
            _FEED,
        )
    changes = frames.changes_frame(feed.rows.values())
    asked = (("change_class", "no class"),) if change_class is not None else ()
    for column, what in (("reviewed_at", "no day"), ("slug", "no platform"), *asked):
        if count := int(changes[column].isna().sum()):
            client.problems.add(f"{count:,} of {len(changes):,} changes tell {what} that can be read", _FEED)
    return changes, feed.capped


def with_listed_slugs(client: Client, changes: pd.DataFrame, platforms: pd.DataFrame) -> pd.DataFrame:
    """Give changes the slugs of the platforms that they name by slug or by name, in any case.

    Parameters
    ----------
    client : Client
        Its `problems` tell the changes of no platform that is listed.
    changes : pandas.DataFrame
        `frames.CHANGES_COLUMNS`, whatever the feed names platforms by.
    platforms : pandas.DataFrame
        All that are listed: `slug`, `name`.

    Returns
    -------
    pandas.DataFrame
        The same changes; `slug` is missing where it is none of a listed platform.
    """
    named = platforms.assign(name=platforms["name"].str.casefold()).dropna(subset=["name"])
    named = named[~named["name"].duplicated(keep=False)]
    known = dict(zip(named["name"], named["slug"], strict=True)) | {slug.casefold(): slug for slug in platforms["slug"]}
    slugs = changes["slug"].str.casefold().map(known)
    slugs = slugs.fillna(changes["name"].str.casefold().map(known)).astype(changes["slug"].dtype)
    if count := int((slugs.isna() & changes["slug"].notna()).sum()):
        client.problems.add(f"{count:,} of {len(changes):,} changes are of no platform that is listed", _FEED)
    return changes.assign(slug=slugs)


def load_coverage(client: Client, as_of: DayLike | None = None) -> pd.DataFrame:
    """Load the counts of tracked and verified platforms: one row, `frames.COVERAGE_COLUMNS`.

    Examples
    --------
    >>> ra.load_coverage(client)[["tracked", "verified"]].iloc[0].tolist()
    [320, 285]
    """
    return frames.coverage_frame(coverage_record(client, as_of))


def load_findings(
    client: Client, as_of: DayLike | None = None, slugs: Sequence[str] | str | None = None
) -> pd.DataFrame:
    """Load all findings: `frames.FINDINGS_COLUMNS`, by platform and place in the document.

    Examples
    --------
    >>> findings = ra.load_findings(client, slugs=["orvewick-voice"])
    >>> findings.loc[findings["surface"] == "ip_liability", ["risk", "document"]].values.tolist()
    [['HIGH', 'Terms of Service']]
    """
    return frames.findings_frame(parts_of(load_records(client, as_of, slugs), "findings"))


def load_leads(
    client: Client, platforms: Sequence[str] | str | None = None, as_of: DayLike | None = None
) -> pd.DataFrame:
    """Load the clauses that are worth reading and not sure enough to be findings; they count nowhere.

    Parameters
    ----------
    client : Client
    platforms : sequence of str, or str, optional
        Slugs of the only ones to load, or one text of slugs between commas.
    as_of : date or str, optional
        State at the end of that day.

    Returns
    -------
    pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, by platform, the surest first; no row from a server that tells none.

    Examples
    --------
    >>> ra.load_leads(client, ["orvewick-voice"])["surface"].unique().tolist()
    ['cross_border_transfer', 'output_rights', 'training_use', 'human_review', 'ads_tracking']
    """
    return frames.findings_frame(parts_of(load_records(client, as_of, platforms), "leads"))
