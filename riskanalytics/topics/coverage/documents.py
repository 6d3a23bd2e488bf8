"""Coverage of documents: age of their texts, broken captures, and why a platform is not verified."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import TIME, rows_of
from riskanalytics.models import VERIFICATIONS, document_words, in_other_language, language_name, languages_not_read
from riskanalytics.pages.rows import day, grouped
from riskanalytics.text.wording import joined, listed, percent, plural

from .. import shape
from . import COVERAGE_COLUMNS, in_other_languages

__all__ = ["broken_captures", "coverage_sentences", "freshness", "unverified_platforms"]

FRESHNESS_COLUMNS: Final = shape.schema(
    "slug name document:str captured_at newest_capture_at:time age_days unchanged_days:Int64 state flag check "
    "archive_url snapshot_sha256 language:str read:boolean"
)
FLAGS: Final = {
    "broken": "broken and never read before",
    "stale": "broken, so that an earlier text is used",
    "not_a_policy": "not a policy",
    "language": "in a language that is not read",
    "no date": "without a date",
    "after now": "dated after now",
    "unchanged": "long unchanged",
    "": "current",
}
"""Flag that `freshness` gives a document, in the order of sorting -> words for the flag."""
REASON_COLUMNS: Final = shape.schema("slug name state:str documents affected:Int64 reason:str")
BROKEN_COLUMNS: Final = shape.schema(
    "slug name document state check:str since:time since_known:bool newest_capture_at last_good_at:time archive_url:str"
)
_BROKEN: Final = ("broken", "stale")
"""States of documents whose newest capture is broken."""
_UNREAD: Final = ("broken", "stale", "not_a_policy")
"""Flags, apart from `language`, of documents whose newest capture could not be read."""


def freshness(documents: pd.DataFrame, now: str | date, unchanged_days: int = 365) -> pd.DataFrame:
    """Measure the age of each document's text and flag documents that need attention.

    An old text may well be current, because an archive records a document only when it changes. Ages are differences of
    calendar days: a text captured at any time of the day `now` is 0 days old.

    Parameters
    ----------
    documents : pandas.DataFrame
        Documents of a data set (`frames.DOCUMENTS_COLUMNS`).
    now : str, date or datetime
        Day (UTC) on which ages are measured: normally `data.day`, the day of the data, which may be earlier than today.
    unchanged_days : int
        Texts older than this number of days are flagged `unchanged`.

    Returns
    -------
    pandas.DataFrame
        One row for each document:

        - `slug`, `name`, `document` str, `captured_at` time (of the current text), `newest_capture_at` time (good or broken)
        - `age_days` Int64: whole days since the capture of the current text; missing without a date
        - `unchanged_days` Int64: the parameter
        - `state`, `check` (the check that decided the state of the newest capture, such as `error_page` or `passed`),
          `archive_url`, `snapshot_sha256`, `language` str, `read` boolean, as in `documents`
        - `flag` str: `broken` (no capture could be read), `stale` (the newest capture is broken, an earlier text is used),
          `not_a_policy`, `language` (in a language that is not read), `no date`, `after now` (captured after `now`),
          `unchanged`, or empty if none of these applies

        Flagged documents come first, in this order of flags, then the oldest first, then by name and document.

    Examples
    --------
    >>> fresh = analysis.freshness(data.documents, data.day)
    >>> fresh[["name", "document", "age_days", "flag", "check"]].head(2)
                   name document  age_days    flag       check
    0  Rasvedale Health  Imprint       821  broken  title_only
    1   Lumlovane Notes  Imprint       820  broken  title_only
    """
    texts = shape.named(shape.with_columns(documents, "freshness", "slug", "name", "document", "captured_at", "state"))
    age = (shape.instant(now).normalize() - texts["captured_at"].dt.normalize()).dt.days
    flag = pd.Series("", texts.index, dtype="str").mask(age > unchanged_days, "unchanged")
    flag = flag.mask(age < 0, "after now").mask(age.isna(), "no date")
    flag = flag.mask(texts["state"].isin(_UNREAD), texts["state"]).mask(in_other_languages(texts), "language")
    texts = texts.assign(age_days=age, unchanged_days=unchanged_days, flag=flag, place=flag.map(list(FLAGS).index))
    return shape.cut_to(shape.ordered(texts, "place", "-age_days", "name", "slug", "document"), FRESHNESS_COLUMNS)


def flag_words(document: Mapping[str, Any]) -> str:
    """Return a phrase that says what is wrong with a document (its `flag`), such as `in French, not read`; else `current`.

    If the capture failed a check, the phrase names the check, as in `not a policy (login page)`.

    Parameters
    ----------
    document : mapping
        A row of `freshness`.
    """
    flag, check = document["flag"], shape.word_of(document["check"]).replace("_", " ")
    if flag == "language":
        return f"in {language_name(document['language'])}, not read"
    return f"{FLAGS[flag]} ({check})" if check and flag in _UNREAD else FLAGS[flag]


def unchanged(freshness: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of documents that are flagged `unchanged`: read, but older than `unchanged_days`; the oldest first.

    Documents with a broken newest capture are excluded, because the vendor's current text is unknown.

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `freshness`.
    """
    return freshness[freshness["flag"] == "unchanged"]


def long_unchanged(freshness: pd.DataFrame) -> str:
    """Return a phrase that counts the documents that have not changed for a long time (with the flag `unchanged`).

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `freshness`; at least one row.
    """
    days = f"for more than {plural(int(freshness['unchanged_days'].iloc[0]), 'day')}"
    return f"{len(unchanged(freshness)):,} of {plural(len(freshness), 'document')} unchanged {days}"


def unread(freshness: pd.DataFrame) -> str:
    """Return a phrase that counts the documents whose newest capture could not be read, with reasons; empty if none.

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `freshness`.
    """
    counts, languages = freshness["flag"].value_counts(), languages_not_read(rows_of(freshness))
    parts = [f"{counts[flag]:,} {FLAGS[flag]}" for flag in _UNREAD if flag in counts]
    whole = freshness["flag"].isin([*_UNREAD, "language"]).sum()
    if both := int(((freshness["flag"] == "language") & freshness["state"].isin(_BROKEN)).sum()):
        languages += f", {both:,} of them broken, too"
    words = "; ".join([*parts, languages] if languages else parts)
    said = f"{whole:,} of {plural(len(freshness), 'document')} could not be read in their newest form: {words}"
    return said if words else ""


def unverified_platforms(platforms: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """List the platforms that are not verified, with the reason.

    Parameters
    ----------
    platforms : pandas.DataFrame
        `data.platforms`, or any frame with the columns `slug`, `name`, `verification`.
    documents : pandas.DataFrame
        `data.documents`, or any frame with `slug`, `document`, `state` and `check` (the check that decided the state).

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `state` str (of verification; `not given` if missing), `documents` Int64, `affected` Int64 (documents
        whose newest capture could not be read), `reason` str (each document with its failed check or its language). Unverified
        platforms first, then stale, partial and other states; by name.

    Examples
    --------
    >>> reasons = analysis.unverified_platforms(data.platforms, data.documents)
    >>> reasons[["name", "state", "reason"]].head(2)
                     name       state               reason
    0     Drufibrook Chat  unverified  Imprint: title only
    1  Image by Rasvewick  unverified  Imprint: title only
    """
    texts = grouped(shape.records(documents, "unverified_platforms", "slug", "document", "state", "check"), "slug")
    rows = []
    for row in shape.records(platforms, "unverified_platforms", "slug", "name", "verification"):
        own, state = texts.get(row["slug"], []), shape.word_of(row["verification"]) or shape.NOT_GIVEN
        why = [f"{one['document']}: {_why(one)}" for one in own if one["state"] != "good" or in_other_language(one)]
        reason = "the service names no document as the reason" if own else "no document is known"
        counts = {"documents": len(own), "affected": len(why)}
        rows.append({**row, **counts, "state": state, "reason": "; ".join(why) or reason})
    reasons = shape.named(shape.shaped(rows, REASON_COLUMNS))
    place = reasons["state"].map({state: -place for place, state in enumerate(VERIFICATIONS)}).fillna(1)
    others = reasons.assign(place=place)[reasons["state"] != VERIFICATIONS[0]]
    return shape.cut_to(shape.ordered(others, "place", "state", "name", "slug"), REASON_COLUMNS)


def _why(document: Mapping[str, object]) -> str:
    """Return the language of a document that is not read, the check that it failed, or its state."""
    check = "" if in_other_language(document) else shape.word_of(document["check"]).replace("_", " ")
    return check or document_words(document).removeprefix("not read: ") or "state not given"


def broken_captures(freshness: pd.DataFrame, failures: pd.DataFrame | None = None) -> pd.DataFrame:
    """List the documents whose newest capture is broken: since when, by which check, and the day of the last good text.

    Parameters
    ----------
    freshness : pandas.DataFrame
        Result of `freshness`.
    failures : pandas.DataFrame, optional
        Changes of the class `capture_failure`: `slug`, `document`, `reviewed_at`; None if changes are not known.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `document`, `state` str (`stale`: the last good text is used; `broken`: there is no good text), `check`
        str, `since` time (the first recorded failure after the last good text, else the newest capture), `since_known` bool
        (False: the capture broke on that day or earlier), `newest_capture_at`, `last_good_at` time (missing if there is no good
        text), `archive_url` str. Newest break first, then by name and document.

    Examples
    --------
    >>> fresh = analysis.freshness(data.documents, data.day)
    >>> broken = analysis.broken_captures(fresh, data.changes(change_class="capture_failure"))
    >>> broken[["name", "check", "since", "since_known"]].head(2)
                  name       check                     since  since_known
    0  Fenfigrove Code  error_page 2026-10-27 17:12:00+00:00         True
    1   Ulfiwick Music  error_page 2026-10-26 21:53:00+00:00         True
    """
    broken = shape.with_columns(freshness, "broken_captures", *FRESHNESS_COLUMNS)
    broken = broken[broken["state"].isin(_BROKEN)].reset_index(drop=True)
    broken["last_good_at"] = broken["captured_at"].mask(broken["state"] == "broken")
    since = pd.Series(pd.NaT, broken.index, dtype=TIME)
    if failures is not None:
        recorded = shape.with_columns(failures, "broken_captures", "slug", "document", "reviewed_at")
        failed = broken[["slug", "document", "last_good_at"]].reset_index().merge(recorded, on=["slug", "document"])
        failed = failed[failed["last_good_at"].isna() | (failed["reviewed_at"] > failed["last_good_at"])]
        since = failed.groupby("index")["reviewed_at"].min().reindex(broken.index)
    broken = broken.assign(since=since.fillna(broken["newest_capture_at"]), since_known=since.notna())
    return shape.cut_to(shape.ordered(broken, "-since", "name", "document"), BROKEN_COLUMNS)


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
    """Sum up the state of the data: the share of verified platforms, what could not be read, and what needs attention.

    Parameters
    ----------
    coverage, reasons, freshness, broken, quiet, unsure, integrity, drift : pandas.DataFrame
        Results of `coverage`, `unverified_platforms`, `freshness`, `broken_captures`, `quiet_platforms`, `unsure_findings`,
        `integrity` and `contract_drift`.

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
    285 of 320 tracked platforms verified (89 %), 8 partial, 17 stale and 10 unverified.
    """
    failed = drift["kind"] == "failed"
    counted = {
        "unverified quote": integrity.loc[integrity["status"] != "verified", "quotes"].sum(),
        "failed endpoint": failed.sum(),
        "interface difference": (drift["drift"] & ~failed).sum(),
    }
    parts = [plural(int(number), noun) for noun, number in counted.items() if number]
    if unknown := int((reasons["documents"] == 0).sum()):
        parts.append(f"{plural(unknown, 'platform')} without documents")
    if len(broken):
        newest = broken.iloc[0]
        when = day(newest["since"]) and f" {'since' if newest['since_known'] else 'by'} {day(newest['since'])}"
        parts.append(f"{plural(len(broken), 'broken capture')} (newest: {newest['name']}{when})")
    if quiet["unusual"].any():
        names = listed(list(quiet.loc[quiet["unusual"], "name"]), 5)
        parts.append(f"silence on unusually many surfaces ({names})")
    if len(unsure):
        total = int(unsure["unsure"].sum())
        parts.append(f"{plural(total, 'finding')} of low confidence on {plural(len(unsure), 'platform')}")
    look = f"Needs attention: {'; '.join(parts)}." if parts else "Nothing needs attention."
    others = coverage[(coverage["state"] != VERIFICATIONS[0]) & (coverage["platforms"] > 0)]
    states = joined([f"{row['platforms']:,} {row['state']}" for row in rows_of(others)])
    return [f"{verified(coverage)}{states and f', {states}'}.", _unread(reasons, freshness), look]


def verified(coverage: pd.DataFrame, kind: str = "tracked platform") -> str:
    """Return a phrase with the number and share of verified platforms.

    Parameters
    ----------
    coverage : pandas.DataFrame
        Result of `coverage`.
    kind : str
        Noun for one platform.
    """
    states = shape.with_columns(coverage, "coverage_sentences", *COVERAGE_COLUMNS)
    known = rows_of(states[(states["state"] == VERIFICATIONS[0]) & states["share"].notna()])
    if not known:
        return "How many platforms are verified is not known"
    doubt = "" if known[0]["consistent"] else "; the states do not add up to that number"
    number, whole, share = (known[0][key] for key in ("platforms", "tracked", "share"))
    return f"{number:,} of {plural(whole, kind)} verified ({percent(share)}){doubt}"


def _unread(reasons: pd.DataFrame, freshness: pd.DataFrame) -> str:
    """Return the number of documents that could not be read, and the platforms without any readable document."""
    if freshness.empty:
        return "Which documents were read is not known."
    never = list(reasons.loc[reasons["state"] == "unverified", "name"])
    nothing = f" No document of {listed(never, 5)} was read." if never else ""
    return f"{unread(freshness) or f'All documents could be read ({len(freshness):,})'}.{nothing}"
