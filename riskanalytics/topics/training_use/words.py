"""The headline of training use in plain sentences: who trains on content, what the plan changes, and who moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd

from riskanalytics.topics.shape import records, word_of
from riskanalytics.wording import joined, listed, plural

__all__ = ["training_sentences"]

_TRAINS: Final = ("trains_by_default", "trains_with_opt_out")
_MOVES: Final = {
    "more": "towards training",
    "by_plan": "to an answer that depends on the plan",
    "not_by_plan": "from one that depended on it to one for all",
    "silent": "from an answer to no clause found",
    "answered": "from no clause found to an answer",
    "unclear": "to or from an answer that is not settled",
    "less": "away from training",
}
_PHRASES: Final = {
    "trains_by_default": ("train", "trains", " on customer content with no general opt-out found"),
    "depends_on_plan": ("make", "makes", " it depend on the plan"),
    "trains_with_opt_out": ("train", "trains", " unless the customer opts out"),
    "trains_with_opt_in": ("train", "trains", " only after an opt-in"),
    "does_not_train": ("say that they do", "says that it does", " not"),
    "undetermined": ("are", "is", " undetermined and to be read"),
    "silent": ("have", "has", " no clause that was found"),
}
"""Stance -> how many platforms say that, how one does, and the end of both."""


@dataclass(frozen=True)
class StanceCounts:
    """How many platforms give which answer on training use.

    Parameters
    ----------
    stances : mapping of str to int
        Platforms by stance.
    answered, unanswered : int
        Platforms with and without a stance (silent is an answer of the documents' reading).
    """

    stances: Mapping[str, int]
    answered: int
    unanswered: int


def stance_counts(shares: pd.DataFrame) -> StanceCounts:
    """Return how many platforms give which answer on training use, for all audiences together.

    Parameters
    ----------
    shares : pandas.DataFrame
        What `stance_shares` returned.
    """
    rows = [row for row in records(shares, "stance_counts", "audience", "stance") if row["audience"] == "all"]
    stances = {row["stance"]: int(row["platforms"]) for row in rows}
    return StanceCounts(stances, int(rows[0]["total"]), int(rows[0]["unknown"]))


def stance_sentence(counts: StanceCounts | None) -> str:
    """Say in one plain sentence who trains on customer content.

    Parameters
    ----------
    counts : StanceCounts or None
        None where no stance could be read.
    """
    if counts is None or not counts.answered:
        return "Who trains on customer content is not known: no stance could be read."
    known = {stance: counts.stances.get(stance, 0) for stance in _PHRASES}
    strange = counts.answered - sum(known.values())
    parts = [f"{number:,} {_phrase(stance, number)}" for stance, number in known.items() if number]
    parts += [f"{strange:,} {_verb(strange, 'give')} another answer"] if strange else []
    rest = f"; {counts.unanswered:,} more {_verb_be(counts.unanswered)} not read" if counts.unanswered else ""
    if len(parts) == 1 and counts.answered == 1:
        return f"The one platform read: {parts[0]}{rest}."
    return f"Of {plural(counts.answered, 'platform')}, {joined(parts)}{rest}."


def _phrase(stance: str, number: int) -> str:
    many, one, rest = _PHRASES[stance]
    return (one if number == 1 else many) + rest


def _verb_be(number: int) -> str:
    return "is" if number == 1 else "are"


def _verb(number: int, word: str) -> str:
    return f"{word}s" if number == 1 else word


def training_sentences(
    shares: pd.DataFrame, training_use: pd.DataFrame, moves: pd.DataFrame | None, period: str, names: int = 3
) -> tuple[str, str, str]:
    """Say in three sentences who trains on customer content, what the plan changes, and who changed the answer.

    Parameters
    ----------
    shares, training_use, moves : pandas.DataFrame
        What `stance_shares`, `training_use` and `stance_moves` returned; moves None where they are not known.
    period : str
        When they moved, such as `in the 24 months to 2026-10-31`.
    names : int
        At most so many platforms are named; the others are counted.

    Returns
    -------
    tuple of three str
        Plain text, not escaped.

    Examples
    --------
    >>> stances = analysis.training_use(data.training_use, data.findings)
    >>> moves = analysis.stance_moves(analysis.stance_changes(data.changes(), since="2026-10-01"))
    >>> analysis.training_sentences(analysis.stance_shares(stances), stances, moves, "in October 2026")[2]
    '1 of 313 platforms moved in October 2026: 1 towards training.'
    """
    known = training_use["stance"].notna()
    if moves is not None:
        known |= training_use["slug"].isin(moves["slug"])
    return (
        stance_sentence(stance_counts(shares)),
        _plan_sentence(training_use, names),
        _moves_sentence(moves, int(known.sum()), period),
    )


def _plan_sentence(training_use: pd.DataFrame, names: int) -> str:
    """Say on how many platforms the plan decides whether they train without asking first."""
    sides = training_use[["consumer_stance", "business_stance"]]
    both = training_use[(sides.notna() & ~sides.isin(["undetermined"])).all(axis=1)]
    if both.empty:
        return "No platform answers apart for consumers and for business users."
    consumer, business = (both[f"{side}_stance"].isin(_TRAINS) for side in ("consumer", "business"))
    kept, turned = _names(both[consumer & ~business]), _names(both[business & ~consumer])
    told = f"{plural(len(both), 'platform')} {_verb(len(both), 'answer')} apart for consumers and for business users"
    if not kept and not turned:
        return f"{told}; the plan does not decide on any of them whether they train without asking first."
    parts = []
    if kept:
        train = f"{_verb(len(kept), 'train')} on what consumers give without asking first, and not on what business users give"
        parts.append(f"{len(kept):,} of them ({listed(kept, names)}) {train}")
    if turned:
        parts.append(f"{len(turned):,} ({listed(turned, names)}) the other way round")
    return f"{told}; {joined(parts)}."


def _names(training_use: pd.DataFrame) -> list[str]:
    """Return the name of each platform."""
    return [word_of(name) for name in training_use.drop_duplicates("slug")["name"]]


def _moves_sentence(moves: pd.DataFrame | None, platforms: int, period: str) -> str:
    """Say how many of the platforms whose answer is known changed it, and in which direction."""
    if moves is None:
        return "Who changed is not known: the service shows changes to Pro keys only."
    counts = moves["direction"].value_counts()
    back = int(counts.get("back", 0))
    rest = f"; {plural(back, 'platform')} moved and came back" if back else ""
    moved = len(moves) - back
    if not moved:
        return f"No stance moved {period}{rest}."
    parts = [f"{counts[direction]:,} {words}" for direction, words in _MOVES.items() if counts.get(direction)]
    return f"{moved:,} of {plural(platforms, 'platform')} moved {period}: {joined(parts)}{rest}."
