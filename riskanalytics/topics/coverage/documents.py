"""Coverage of documents: the age of their texts, broken captures, and why a platform is not verified."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics.frames import TIME, is_missing, rows_of
from riskanalytics.models import VERIFICATIONS, document_words, in_other_language, languages_not_read
from riskanalytics.text.wording import joined, listed, percent, plural
from riskanalytics.topics.coverage import in_other_languages
from riskanalytics.topics.shape import NOT_GIVEN, cut_to, instant, named, ordered, schema, with_columns, word_of

__all__ = ["broken_captures", "coverage_sentences", "freshness", "unverified_platforms"]

FRESHNESS_COLUMNS: Final = schema(
    "slug name document:str captured_at newest_capture_at:time age_days unchanged_days:Int64 state flag check "
    "archive_url language:str read:boolean"
)
FLAGS: Final = ("broken", "stale", "not_a_policy", "language", "no date", "after now", "unchanged", "")
"""Flags of `freshness` in its order; empty: nothing to say."""
REASON_COLUMNS: Final = schema("slug name state:str documents affected:Int64 reason:str")
BROKEN_COLUMNS: Final = schema(
    "slug name document state check:str since:time since_known:bool newest_capture_at last_good_at:time archive_url:str"
)
_STATES: Final = {"unverified": 0, "stale": 1, "partial": 2}
_UNREAD: Final = {
    "stale": "of {} the last good text is used",
    "broken": "of {} no capture was ever good",
    "not_a_policy": "{} turned out to be no policy",
}


def freshness(documents: pd.DataFrame, now: str | date, unchanged_days: int = 365) -> pd.DataFrame:
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
        (`broken`, `stale`, `not_a_policy`, `language`: in one that is not read, `no date`, `after now`, `unchanged` or
        empty), `check`, `archive_url`, `language` str, `read` boolean.
        Flagged documents first, in the order of the flags, then the oldest first, then by name and document.

    Examples
    --------
    >>> fresh = analysis.freshness(data.documents, data.day)
    >>> fresh[["name", "document", "age_days", "flag", "check"]].head(2)
                   name document  age_days    flag       check
    0  Rasvedale Health  Imprint       821  broken  title_only
    1   Lumlovane Notes  Imprint       820  broken  title_only
    """
    texts = named(with_columns(documents, "freshness", "slug", "name", "document", "captured_at", "state"))
    age = (instant(now).normalize() - texts["captured_at"].dt.normalize()).dt.days.astype("Int64")
    flag = pd.Series("", texts.index, dtype="str").mask((age > unchanged_days).fillna(False), "unchanged")
    flag = flag.mask((age < 0).fillna(False), "after now").mask(age.isna(), "no date")
    flag = texts["state"].where(texts["state"].isin(("stale", "broken", "not_a_policy")), flag)
    flag = flag.mask(in_other_languages(texts), "language")
    texts = texts.assign(age_days=age, unchanged_days=unchanged_days, flag=flag)
    texts = texts.assign(place=flag.map(FLAGS.index), age=age.fillna(-1))
    return cut_to(ordered(texts, "place", "-age", "name", "slug", "document"), FRESHNESS_COLUMNS)


def unchanged(freshness: pd.DataFrame) -> pd.DataFrame:
    """Return the documents that could be read as they are now and whose text is older than the limit, the oldest first.

    A document whose newest capture is broken is not among them: what the vendor shows today is not known.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    """
    return freshness[freshness["flag"] == "unchanged"]


def unread(freshness: pd.DataFrame) -> dict[str, int]:
    """Count the documents that are not read as they are now, by flag: `stale`, `broken`, `not_a_policy`, `language`.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    """
    return {state: int((freshness["flag"] == state).sum()) for state in (*_UNREAD, "language")}


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
        Int64 (documents that are not read as they are now), `reason` str (each with its failed check or its
        language). Unverified platforms first, then stale, partial, other states; by name.

    Examples
    --------
    >>> reasons = analysis.unverified_platforms(data.platforms, data.documents)
    >>> reasons[["name", "state", "reason"]].head(2)
                     name       state               reason
    0     Drufibrook Chat  unverified  Imprint: title only
    1  Image by Rasvewick  unverified  Imprint: title only
    """
    known = with_columns(documents, "unverified_platforms", "slug", "document", "state", "check")
    affected = known[(known["state"].fillna("") != "good") | in_other_languages(known)]
    why = affected["document"] + ": " + pd.Series(list(map(_why, rows_of(affected))), affected.index, dtype="str")
    others = named(with_columns(platforms, "unverified_platforms", "slug", "name", "verification"))
    others = others[others["verification"].fillna("") != VERIFICATIONS[0]]
    by_slug = {
        "documents": known.groupby("slug").size(),
        "affected": affected.groupby("slug").size(),
        "reason": why.groupby(affected["slug"]).agg("; ".join),
    }
    reasons = others[["slug", "name", "verification"]].join(pd.DataFrame(by_slug), on="slug")
    reasons = reasons.rename(columns={"verification": "state"}).fillna(
        {"documents": 0, "affected": 0, "state": NOT_GIVEN}
    )
    unnamed = (
        reasons["documents"]
        .gt(0)
        .map({True: "the service names no document as the reason", False: "no document is known"})
    )
    reasons = reasons.assign(reason=reasons["reason"].fillna(unnamed), place=reasons["state"].map(_STATES).fillna(9))
    return cut_to(ordered(reasons, "place", "state", "name", "slug"), REASON_COLUMNS)


def _why(document: Mapping[str, object]) -> str:
    """Return the language of a document that is not read, or the check that it failed, or else its state."""
    check = "" if in_other_language(document) else word_of(document["check"]).replace("_", " ")
    return check or document_words(document).removeprefix("not read: ") or "state not given"


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
    needed = ("slug", "document", "state", "captured_at", "newest_capture_at")
    broken = named(with_columns(freshness, "broken_captures", *needed))
    broken = broken[broken["state"].isin(("broken", "stale"))].reset_index(drop=True)
    broken["last_good_at"] = broken["captured_at"].mask(broken["state"] == "broken")
    since = pd.Series(pd.NaT, broken.index, dtype=TIME)
    if failures is not None:
        recorded = with_columns(failures, "broken_captures", "slug", "document", "reviewed_at")
        failed = broken[["slug", "document", "last_good_at"]].reset_index().merge(recorded, on=["slug", "document"])
        failed = failed[failed["last_good_at"].isna() | (failed["reviewed_at"] > failed["last_good_at"])]
        since = failed.groupby("index")["reviewed_at"].min().reindex(broken.index)
    broken = broken.assign(since=since.fillna(broken["newest_capture_at"]), since_known=since.notna())
    return cut_to(ordered(broken, "-since", "name", "document"), BROKEN_COLUMNS)


def coverage_sentences(
    coverage: pd.DataFrame,
    *,
    reasons: pd.DataFrame,
    freshness: pd.DataFrame,
    broken: pd.DataFrame,
    quiet: pd.DataFrame,
    unsure: pd.DataFrame,
    integrity: pd.DataFrame,
    drift: pd.DataFrame,
) -> list[str]:
    """Sum up the state of the data: what share is verified, what could not be read, and what needs a look now.

    Parameters
    ----------
    coverage, reasons, freshness, broken, quiet, unsure, integrity, drift : pandas.DataFrame
        What `coverage`, `unverified_platforms`, `freshness`, `broken_captures`, `quiet_platforms`, `unsure_findings`,
        `integrity` and `contract_drift` returned.

    Returns
    -------
    list of str
        Three sentences, plain text.

    Examples
    --------
    >>> fresh = analysis.freshness(data.documents, data.day)
    >>> said = analysis.coverage_sentences(
    ...     analysis.coverage(data.coverage),
    ...     reasons=analysis.unverified_platforms(data.platforms, data.documents),
    ...     freshness=fresh,
    ...     broken=analysis.broken_captures(fresh),
    ...     quiet=analysis.quiet_platforms(data.surfaces, data.documents),
    ...     unsure=analysis.unsure_findings(data.findings),
    ...     integrity=analysis.integrity(data.verify(data.findings.head(9)), len(data.findings)),
    ...     drift=analysis.contract_drift(data.contract().differences),
    ... )
    >>> print(said[0])
    285 of 320 tracked platforms (89 %) are verified, 8 partial, 17 stale and 10 unverified.
    """
    failed = drift["kind"] == "failed"
    counted = (
        (
            integrity.loc[integrity["status"] != "verified", "quotes"].sum(),
            "quote",
            "of the sample that did not verify",
        ),
        (failed.sum(), "endpoint", "that failed to answer"),
        ((drift["drift"] & ~failed).sum(), "difference", "between what the service answers and what is read"),
        ((reasons["documents"] == 0).sum(), "platform", "without a document that is known"),
    )
    parts = [f"{plural(int(number), noun)} {rest}" for number, noun, rest in counted if number]
    if len(broken):
        newest = broken.iloc[0]
        since = "since" if newest["since_known"] else "by"
        when = "" if is_missing(newest["since"]) else f" {since} {newest['since']:%Y-%m-%d}"
        which = f"{'newest: ' if len(broken) > 1 else ''}{newest['name']}{when}"
        parts.append(f"{plural(len(broken), 'broken capture')} ({which})")
    if quiet["unusual"].any():
        parts.append(f"silence on unusually many surfaces ({_named(quiet[quiet['unusual']]['name'])})")
    if len(unsure):
        total = int(unsure["unsure"].sum())
        parts.append(f"{plural(total, 'finding')} of low confidence on {plural(len(unsure), 'platform')}")
    look = f"To look at now: {'; '.join(parts)}." if parts else "Nothing needs a look now."
    return [_verified(coverage), _unread(reasons, freshness), look]


def _verified(coverage: pd.DataFrame) -> str:
    """Say what share of the platforms is verified."""
    states = with_columns(coverage, "coverage_sentences", "state", "platforms", "tracked", "consistent")
    counts = dict(zip(states["state"], states["platforms"].fillna(0).astype(int), strict=True))
    best, *others = VERIFICATIONS
    known = states[(states["state"] == best) & states["platforms"].notna() & (states["tracked"].fillna(0) > 0)]
    if known.empty:
        return "How many of the tracked platforms are verified is not known."
    rest = joined([f"{counts[state]:,} {state}" for state in others if counts[state]])
    tracked, are = int(known["tracked"].iloc[0]), "is" if counts[best] == 1 else "are"
    whole = f"{plural(tracked, 'tracked platform')} ({percent(counts[best] / tracked)})"
    doubt = "" if states["consistent"].all() else " The states do not add up to that number."
    return f"{counts[best]:,} of {whole} {are} verified{rest and f', {rest}'}.{doubt}"


def _unread(reasons: pd.DataFrame, freshness: pd.DataFrame) -> str:
    """Say how many documents are not read, and of which platforms none is."""
    if freshness.empty:
        return "Which documents were read is not known."
    whole, words = plural(len(freshness), "document"), unread_words(freshness)
    never = reasons[reasons["state"] == "unverified"]["name"]
    nothing = f" No document is read of {_named(never)}." if len(never) else ""
    if not words:
        return f"{'All ' if len(freshness) > 1 else 'The '}{whole} could be read.{nothing}"
    return f"{sum(unread(freshness).values()):,} of {whole} are not read as they are now: {words}.{nothing}"


def unread_words(freshness: pd.DataFrame) -> str:
    """Say how many documents are broken, no policy or in a language that is not read; empty where all are read.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    """
    counts = unread(freshness)
    parts = [words.format(f"{counts[state]:,}") for state, words in _UNREAD.items() if counts[state]]
    return "; ".join(filter(None, [*parts, languages_not_read(rows_of(freshness))]))


def _named(names: pd.Series[str]) -> str:
    """Return names as a person lists them: five, or four and how many others there are."""
    unique = list(names.unique())
    return listed(unique, 5 if len(unique) == 5 else 4)
