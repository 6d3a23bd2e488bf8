"""The state of the data in sentences: how much is verified, what could not be read, what needs a look now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from riskanalytics.analysis.shape import is_missing, records, word_of
from riskanalytics.models import VERIFICATIONS

_MOST_NAMES = 4


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
    """Return what a person who maintains the data must know first.

    Parameters
    ----------
    coverage, reasons, freshness, broken, quiet, unsure, integrity, drift : pandas.DataFrame
        What `coverage`, `unverified_platforms`, `freshness`, `broken_captures`, `quiet_platforms`, `unsure_findings`,
        `integrity` and `contract_drift` returned.

    Returns
    -------
    list of str
        Three sentences, plain text: what share is verified, what could not be read, and what needs a look now. What is
        not known is said to be.
    """
    return [_verified(coverage), _unread(reasons, freshness), _look(broken, quiet, unsure, integrity, drift)]


def _verified(coverage: pd.DataFrame) -> str:
    told: dict[str, Any] = {row["state"]: row for row in records(coverage, "coverage_sentences", "state", "platforms")}
    counts = {state: 0 if is_missing(row["platforms"]) else int(row["platforms"]) for state, row in told.items()}
    tracked = told.get(VERIFICATIONS[0], {}).get("tracked")
    if is_missing(tracked) or not tracked or is_missing(told[VERIFICATIONS[0]]["platforms"]):
        return "How many of the tracked platforms are verified is not known: the service does not tell."
    rest = [f"{counts[state]:,} {state}" for state in VERIFICATIONS[1:] if counts[state]]
    others = f", {_joined(rest)}" if rest else ""
    doubt = "" if coverage["consistent"].all() else " The states that the service tells do not add up to that."
    share = _share(counts[VERIFICATIONS[0]], int(tracked))
    return f"{counts[VERIFICATIONS[0]]:,} of {int(tracked):,} tracked platforms ({share}) are verified{others}.{doubt}"


def _share(part: int, whole: int) -> str:
    """Return a share in whole percent, never all or none of what is only nearly so."""
    value = 100 * part / whole
    words = "under 1" if 0 < value < 0.5 else "over 99" if 99.5 <= value < 100 else f"{value:.0f}"
    return f"{words}\u00a0%"


def _unread(reasons: pd.DataFrame, freshness: pd.DataFrame) -> str:
    counts = {flag: int((freshness["state"] == flag).sum()) for flag in ("stale", "broken", "not_a_policy")}
    if freshness.empty:
        return "Which documents were read is not told."
    whole = _plural(len(freshness), "document")
    if not any(counts.values()):
        return f"All {whole} could be read."
    never = reasons[reasons["state"] == "unverified"]["name"]
    words = {
        "stale": "of {} the last good text is used",
        "broken": "of {} no capture was ever good",
        "not_a_policy": "{} turned out to be no policy",
    }
    parts = [words[flag].format(f"{count:,}") for flag, count in counts.items() if count]
    affected = sum(counts.values())
    unread = f" Nothing at all could be read of {_names(never)}." if len(never) else ""
    return f"{affected:,} of {whole} could not be read as they are now: {_joined(parts, '; ')}.{unread}"


def _look(
    broken: pd.DataFrame,
    quiet: pd.DataFrame,
    unsure: pd.DataFrame,
    integrity: pd.DataFrame,
    drift: pd.DataFrame,
) -> str:
    counted = (
        (
            integrity.loc[integrity["status"] != "verified", "quotes"].sum(),
            "quote",
            " of the sample that did not verify",
        ),
        ((drift["kind"] == "failed").sum(), "endpoint", " that failed to answer"),
        (
            (drift["drift"] & (drift["kind"] != "failed")).sum(),
            "difference",
            " between what the service answers and what is read",
        ),
    )
    parts = [_plural(int(number), noun, rest) for number, noun, rest in counted if number]
    if len(broken):
        parts.append(_breaks(broken))
    unusual = quiet[quiet["unusual"]]["name"]
    if len(unusual):
        parts.append(f"silence on unusually many surfaces ({_names(unusual)})")
    if len(unsure):
        total = int(unsure["unsure"].sum())
        parts.append(f"{_plural(total, 'finding')} of low confidence on {_plural(len(unsure), 'platform')}")
    return f"To look at now: {_joined(parts, '; ')}." if parts else "Nothing needs a look now."


def _breaks(broken: pd.DataFrame) -> str:
    """Return how many captures are broken, and the newest break."""
    newest = broken.iloc[0]
    since = "since" if newest["since_known"] else "by"
    when = "" if is_missing(newest["since"]) else f" {since} {newest['since']:%Y-%m-%d}"
    told = f"{'newest: ' if len(broken) > 1 else ''}{newest['name']}{when}"
    return f"{_plural(len(broken), 'broken capture')} ({told})"


def _names(names: Iterable[object]) -> str:
    told = list(dict.fromkeys(word_of(name) for name in names))
    shown = told if len(told) <= _MOST_NAMES + 1 else told[:_MOST_NAMES]
    rest = [f"{len(told) - len(shown):,} more"] if len(told) > len(shown) else []
    return _joined([*shown, *rest])


def _joined(parts: Sequence[str], between: str = ", ") -> str:
    if len(parts) < 2 or between != ", ":
        return between.join(parts)
    return f"{between.join(parts[:-1])} and {parts[-1]}"


def _plural(count: int, noun: str, rest: str = "") -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}{rest}"
