"""Coverage in sentences: how much is verified, what could not be read, and what needs a look now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import VERIFICATIONS, languages_not_read
from riskanalytics.topics.coverage.documents import unread
from riskanalytics.topics.shape import records, word_of
from riskanalytics.wording import joined, percent, plural

__all__ = ["coverage_sentences"]

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
    return [
        _verified(coverage),
        _unread(reasons, freshness),
        _look(reasons, broken, quiet, unsure, integrity, drift),
    ]


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
    return (
        f"{counts[best]:,} of {plural(int(tracked), 'tracked platform')} ({share}) "
        f"{'is' if counts[best] == 1 else 'are'} verified{rest and f', {rest}'}.{doubt}"
    )


def _unread(reasons: pd.DataFrame, freshness: pd.DataFrame) -> str:
    """Say how many documents are not read, and of which platforms none is."""
    if freshness.empty:
        return "Which documents were read is not told."
    whole, told = plural(len(freshness), "document"), unread_words(freshness)
    never = reasons[reasons["state"] == "unverified"]["name"]
    nothing = f" No document is read of {_names(never)}." if len(never) else ""
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


def _look(
    reasons: pd.DataFrame,
    broken: pd.DataFrame,
    quiet: pd.DataFrame,
    unsure: pd.DataFrame,
    integrity: pd.DataFrame,
    drift: pd.DataFrame,
) -> str:
    """Say what needs a look now, the gravest first."""
    failed = drift["kind"] == "failed"
    counted = (
        (
            integrity.loc[integrity["status"] != "verified", "quotes"].sum(),
            "quote",
            "of the sample that did not verify",
        ),
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
        parts.append(f"silence on unusually many surfaces ({_names(unusual)})")
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


def _names(names: Iterable[object]) -> str:
    """Return names as a person lists them; many are counted."""
    told = list(dict.fromkeys(word_of(name) for name in names))
    shown = told if len(told) <= _MOST_NAMES + 1 else told[:_MOST_NAMES]
    hidden = len(told) - len(shown)
    return joined([*shown, f"{hidden:,} more"] if hidden else shown)
