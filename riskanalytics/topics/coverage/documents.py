"""Coverage of documents: the age of their texts, broken captures, and why a platform is not verified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics.frames import DOCUMENTS_COLUMNS, TIME, is_missing, rows_of
from riskanalytics.models import VERIFICATIONS, document_words, in_other_language, languages_not_read
from riskanalytics.pages.rows import Rows, grouped
from riskanalytics.text.wording import joined, percent, plural
from riskanalytics.topics.shape import dtypes, instant, records, schema, shaped, with_columns, word_of

__all__ = ["broken_captures", "coverage_sentences", "freshness", "unverified_platforms"]

_PLATFORM: Final = dtypes(DOCUMENTS_COLUMNS, "slug", "name")
FRESHNESS_COLUMNS: Final = schema(
    "slug name document:str captured_at newest_capture_at:time age_days unchanged_days:Int64 state flag check "
    "archive_url language:str read:boolean"
)
FLAGS: Final = ("broken", "stale", "not_a_policy", "language", "no date", "after now", "unchanged", "")
"""Flags of `freshness` in its order; empty: nothing to say."""
REASON_COLUMNS: Final = _PLATFORM | {"state": "str", "documents": "Int64", "affected": "Int64", "reason": "str"}
BROKEN_COLUMNS: Final = schema(
    "slug name document state check:str since:time since_known:bool newest_capture_at last_good_at:time archive_url:str"
)
_STATES: Final = ("unverified", "stale", "partial")


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
    told = with_columns(documents, "freshness", "slug", "name", "document", "captured_at", "state")
    age = (instant(now).normalize() - told["captured_at"].dt.normalize()).dt.days.astype("Int64")
    flag = pd.Series("", index=told.index, dtype="str").mask((age > unchanged_days).fillna(False), "unchanged")
    flag = flag.mask((age < 0).fillna(False), "after now").mask(age.isna(), "no date")
    flag = told["state"].where(told["state"].isin(("stale", "broken", "not_a_policy")), flag)
    flag = flag.mask(pd.Series([in_other_language(row) for row in rows_of(told)], told.index, dtype="bool"), "language")
    told = told.assign(name=_names(told), age_days=age, unchanged_days=unchanged_days, flag=flag)
    sorting = {"flag": flag.map(FLAGS.index), "age": -age.fillna(-1), "name": told["name"].str.casefold()}
    order = pd.DataFrame(sorting | {"slug": told["slug"], "document": told["document"].fillna("")})
    told = told.reset_index(drop=True).loc[order.reset_index(drop=True).sort_values(order.columns.tolist()).index]
    return told.reindex(columns=list(FRESHNESS_COLUMNS)).astype(FRESHNESS_COLUMNS).reset_index(drop=True)


def _names(platforms: pd.DataFrame) -> pd.Series[str]:
    """Return the names of platforms; the slug where there is none."""
    return platforms["name"].mask(platforms["name"].fillna("") == "", platforms["slug"])


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
    """Count the documents that are not read as they are now, by flag: `stale`, `broken`, `not_a_policy`, `language`.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    """
    return {state: int((freshness["flag"] == state).sum()) for state in ("stale", "broken", "not_a_policy", "language")}


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
        Int64 (documents that are not read as they are now), `reason` str (each of these with the check that it failed or
        its language). Unverified platforms first, then stale, partial, other states; by name.

    Examples
    --------
    >>> reasons = analysis.unverified_platforms(data.platforms, data.documents)
    >>> reasons[["name", "state", "reason"]].head(2)
                     name       state               reason
    0     Drufibrook Chat  unverified  Imprint: title only
    1  Image by Rasvewick  unverified  Imprint: title only
    """
    known = records(documents, "unverified_platforms", "slug", "document", "state", "check")
    by_slug = grouped(known, "slug")
    listed = records(platforms, "unverified_platforms", "slug", "name", "verification")
    others = [row for row in listed if word_of(row["verification"]) != VERIFICATIONS[0]]
    reasons = shaped((_reasoned(row, by_slug.get(row["slug"], [])) for row in others), REASON_COLUMNS)
    places = {state: place for place, state in enumerate(_STATES)}
    order = pd.DataFrame({"place": reasons["state"].map(places).fillna(9), **reasons[["state", "name", "slug"]]})
    order["name"] = order["name"].str.casefold()
    return reasons.loc[order.sort_values(order.columns.tolist()).index].reset_index(drop=True)


def _reasoned(row: Mapping[str, object], documents: Rows) -> dict[str, object]:
    """Return a platform with the reason why it is not verified."""
    affected = [row for row in documents if word_of(row["state"]) != "good" or in_other_language(row)]
    failed = "; ".join(f"{word_of(document['document'])}: {_why(document)}" for document in affected)
    unnamed = "the service names no document as the reason" if documents else "no document is known"
    head = {"slug": row["slug"], "name": word_of(row["name"]) or row["slug"]}
    counts = {"documents": len(documents), "affected": len(affected)}
    return {**head, "state": word_of(row["verification"]) or "not given", **counts, "reason": failed or unnamed}


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
    told = with_columns(freshness, "broken_captures", *needed)
    told = told[told["state"].isin(("broken", "stale"))].reset_index(drop=True)
    told = told.assign(name=_names(told), last_good_at=told["captured_at"].mask(told["state"] == "broken"))
    since = pd.Series(pd.NaT, index=told.index, dtype=TIME)
    if failures is not None:
        recorded = with_columns(failures, "broken_captures", "slug", "document", "reviewed_at")
        failed = told[["slug", "document", "last_good_at"]].reset_index().merge(recorded, on=["slug", "document"])
        failed = failed[failed["last_good_at"].isna() | (failed["reviewed_at"] > failed["last_good_at"])]
        since = failed.groupby("index")["reviewed_at"].min().reindex(told.index)
    told = told.assign(since=since.fillna(told["newest_capture_at"]), since_known=since.notna())
    order = told.assign(name=told["name"].str.casefold(), document=told["document"].fillna(""))
    order = order.sort_values(["since", "name", "document"], ascending=[False, True, True], kind="stable")
    return told.loc[order.index, list(BROKEN_COLUMNS)].astype(BROKEN_COLUMNS).reset_index(drop=True)


_MOST_NAMES: Final = 4
_UNREAD: Final = {
    "stale": "of {} the last good text is used",
    "broken": "of {} no capture was ever good",
    "not_a_policy": "{} turned out to be no policy",
}


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
        Three sentences, plain text: what share is verified, what could not be read, and what needs a look now. What is
        not known is said to be not known.

    Examples
    --------
    >>> fresh = analysis.freshness(data.documents, data.day)
    >>> told = analysis.coverage_sentences(
    ...     analysis.coverage(data.coverage),
    ...     reasons=analysis.unverified_platforms(data.platforms, data.documents),
    ...     freshness=fresh,
    ...     broken=analysis.broken_captures(fresh),
    ...     quiet=analysis.quiet_platforms(data.surfaces, data.documents),
    ...     unsure=analysis.unsure_findings(data.findings),
    ...     integrity=analysis.integrity(data.verify(data.findings.head(9)), len(data.findings)),
    ...     drift=analysis.contract_drift(data.contract().differences),
    ... )
    >>> print(told[0])
    285 of 320 tracked platforms (89 %) are verified, 8 partial, 17 stale and 10 unverified.
    """
    return [_verified(coverage), _unread(reasons, freshness), _look(reasons, broken, quiet, unsure, integrity, drift)]


def _verified(coverage: pd.DataFrame) -> str:
    """Say what share of the platforms is verified."""
    told = {row["state"]: row for row in records(coverage, "coverage_sentences", "state", "platforms")}
    counts = {state: 0 if is_missing(row["platforms"]) else int(row["platforms"]) for state, row in told.items()}
    best, *others = VERIFICATIONS
    row = told.get(best, {})
    tracked = row.get("tracked")
    if is_missing(tracked) or not tracked or is_missing(row.get("platforms")):
        return "How many of the tracked platforms are verified is not known: the service does not tell."
    rest = joined([f"{counts[state]:,} {state}" for state in others if counts[state]])
    doubt = "" if coverage["consistent"].all() else " The states that the service tells do not add up to that."
    share = percent(counts[best] / int(tracked))
    are = "is" if counts[best] == 1 else "are"
    whole = plural(int(tracked), "tracked platform")
    return f"{counts[best]:,} of {whole} ({share}) {are} verified{rest and f', {rest}'}.{doubt}"


def _unread(reasons: pd.DataFrame, freshness: pd.DataFrame) -> str:
    """Say how many documents are not read, and of which platforms none is."""
    if freshness.empty:
        return "Which documents were read is not told."
    whole, told = plural(len(freshness), "document"), unread_words(freshness)
    never = reasons[reasons["state"] == "unverified"]["name"]
    nothing = f" No document is read of {_named(never)}." if len(never) else ""
    if not told:
        return f"{'All ' if len(freshness) > 1 else 'The '}{whole} could be read.{nothing}"
    return f"{sum(unread(freshness).values()):,} of {whole} are not read as they are now: {told}.{nothing}"


def unread_words(freshness: pd.DataFrame) -> str:
    """Say how many documents are broken, no policy or in a language that is not read; empty where all are read.

    Parameters
    ----------
    freshness : pandas.DataFrame
        What `freshness` returned.
    """
    counts = unread(freshness)
    told = [words.format(f"{counts[state]:,}") for state, words in _UNREAD.items() if counts[state]]
    return "; ".join([*told, *filter(None, [languages_not_read(rows_of(freshness))])])


def _look(*told: pd.DataFrame) -> str:
    """Say what needs a look now, the gravest first."""
    reasons, broken, quiet, unsure, integrity, drift = told
    failed = drift["kind"] == "failed"
    unverified = integrity.loc[integrity["status"] != "verified", "quotes"].sum()
    counted = (
        (unverified, "quote", "of the sample that did not verify"),
        (failed.sum(), "endpoint", "that failed to answer"),
        ((drift["drift"] & ~failed).sum(), "difference", "between what the service answers and what is read"),
    )
    parts = [f"{plural(int(number), noun)} {rest}" for number, noun, rest in counted if number]
    if unknown := int((reasons["documents"] == 0).sum()):
        parts.append(f"{plural(unknown, 'platform')} without a document that is known")
    if len(broken):
        parts.append(_breaks(broken))
    unusual = quiet[quiet["unusual"]]["name"]
    if len(unusual):
        parts.append(f"silence on unusually many surfaces ({_named(unusual)})")
    if len(unsure):
        total = int(unsure["unsure"].sum())
        parts.append(f"{plural(total, 'finding')} of low confidence on {plural(len(unsure), 'platform')}")
    return f"To look at now: {'; '.join(parts)}." if parts else "Nothing needs a look now."


def _breaks(broken: pd.DataFrame) -> str:
    """Return how many captures are broken, and the newest break."""
    newest = broken.iloc[0]
    since = "since" if newest["since_known"] else "by"
    when = "" if is_missing(newest["since"]) else f" {since} {newest['since']:%Y-%m-%d}"
    told = f"{'newest: ' if len(broken) > 1 else ''}{newest['name']}{when}"
    return f"{plural(len(broken), 'broken capture')} ({told})"


def _named(names: Iterable[object]) -> str:
    """Return names as a person lists them; many are counted."""
    told = list(dict.fromkeys(word_of(name) for name in names))
    shown = told if len(told) <= _MOST_NAMES + 1 else told[:_MOST_NAMES]
    hidden = len(told) - len(shown)
    return joined([*shown, f"{hidden:,} more"] if hidden else shown)
