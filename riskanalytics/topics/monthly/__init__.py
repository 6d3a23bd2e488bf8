"""Headline numbers and sentences of the monthly report."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import languages_not_read
from riskanalytics.text.wording import dated, joined, listed, plural

from ..shape import word_of
from ..training_use.history import stance_sentence

__all__ = ["Headline", "monthly_facts", "monthly_sentences"]

_VERBS: Final = {
    "up": "rose", "down": "fell", "unclear": "became unclear", "other_texts": "changed because other documents are read",
}  # fmt: skip
"""Direction of a rating's move -> what the headline says of the rating."""
_STATES: Final = {
    "partial": "partial (not all read)", "stale": "stale (an earlier text used)", "unverified": "unverified (none read)",
}  # fmt: skip


@dataclass(frozen=True)
class Headline:
    """Headline numbers and platform names of a report on a month, or on another period.

    A field has the value None if the data do not contain it.

    Parameters
    ----------
    platforms : int
        Number of platforms in the report.
    material : int or None
        Number of material changes in the period.
    changed : tuple of str
        Names of the platforms with a material change, each once, worst first.
    noise : int or None
        Number of recorded changes that are not material: of wording or format, reverts, capture failures, technical changes.
    moved : mapping of str to tuple of str, or None
        `rose`, `fell`, `became unclear` or `changed because other documents are read` -> names of the platforms whose rating did
        so. A rating becomes unclear if it moves from or to a word other than LOW, MED and HIGH.
    returned : tuple of str
        Names of platforms whose rating moved and returned to its first value within the period.
    stances : str
        A sentence on who trains on customer content.
    tracked : int or None
        Number of all tracked platforms, or for a report on a portfolio, of the platforms in it.
    states : mapping of str to int, or None
        State of verification (`verified`, `partial`, `stale`, `unverified`) -> number of platforms.
    broken : tuple of str, or None
        Names of the platforms with a document whose newest capture is broken or stale, each once.
    languages : str
        A phrase that counts the documents in languages that are not read; empty if there are no such documents.
    foreign : tuple of str
        Names of the platforms that have documents in languages that are not read, each once.
    since, until : date or None
        For a period that is not a month: the day before its first day, and its last day.
    first_change : date or None
        For a period that is not a month: day of the first change on record, if the period begins before that day.
    """

    platforms: int
    material: int | None
    changed: tuple[str, ...]
    noise: int | None
    moved: Mapping[str, tuple[str, ...]] | None
    returned: tuple[str, ...]
    stances: str
    tracked: int | None
    states: Mapping[str, int] | None
    broken: tuple[str, ...] | None
    languages: str
    foreign: tuple[str, ...]
    since: date | None
    until: date | None
    first_change: date | None


def monthly_facts(
    platforms: pd.DataFrame,
    *,
    material: pd.DataFrame | None = None,
    noise: pd.DataFrame | None = None,
    moves: pd.DataFrame | None = None,
    shares: pd.DataFrame | None = None,
    coverage: pd.DataFrame | None = None,
    freshness: pd.DataFrame | None = None,
    periods: pd.DataFrame | None = None,
) -> Headline:
    """Gather the headline numbers of a month: changes, rating moves, stances on training use, verification, broken texts.

    Parameters
    ----------
    platforms : pandas.DataFrame
        Platforms in the report, one row for each.
    material, noise, moves, shares, coverage, freshness : pandas.DataFrame, optional
        Results of the analyses `material_changes`, `change_noise`, `rating_moves`, `stance_shares`, `coverage` and
        `freshness`. If one is missing, the sentences say that its numbers are unknown.
    periods : pandas.DataFrame, optional
        Result of `equal_periods`, for a period that is not a calendar month.

    Returns
    -------
    Headline
        The numbers and platform names, for `monthly_sentences`.

    Examples
    --------
    >>> material = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> facts = analysis.monthly_facts(data.platforms, material=material)
    >>> facts.material, facts.changed[:2]
    (8, ('Corzothorn Chat', 'KellothornMusic'))
    """
    since = until = first_change = tracked = states = None
    if periods is not None:
        last, day = periods.iloc[-1], timedelta(days=1)
        since, until = last["since"].date() - day, last["until"].date() - day
        first_change = last["first_change"].date() if last["first_change"] > last["since"] else None
    if coverage is not None and len(coverage) and coverage[["platforms", "tracked"]].notna().all(axis=None):
        tracked = int(coverage["tracked"].max())
        states = dict(zip(coverage["state"], coverage["platforms"].astype(int), strict=True))
    return Headline(
        platforms=len(platforms),
        material=None if material is None else len(material),
        changed=_names(material),
        noise=None if noise is None else int(noise.loc[~noise["material"], "changes"].sum()),
        moved=None if moves is None else {verb: _names(moves, "direction", way) for way, verb in _VERBS.items()},
        returned=_names(material, "came_back", True),
        stances=stance_sentence(shares),
        tracked=tracked,
        states=states,
        broken=None if freshness is None else _names(freshness, "state", "broken", "stale"),
        languages="" if freshness is None else languages_not_read(rows_of(freshness)),
        foreign=_names(freshness, "flag", "language"),
        since=since,
        until=until,
        first_change=first_change,
    )


def _names(frame: pd.DataFrame | None, column: str = "", *values: object) -> tuple[str, ...]:
    """Return the names of the platforms in rows with one of the given values, each once."""
    if frame is None:
        return ()
    rows = frame[frame[column].isin(values)] if column else frame
    return tuple(map(word_of, rows.drop_duplicates("slug")["name"]))


def monthly_sentences(
    facts: Headline, names: int = 3, *, kind: str = "tracked platform", goes_on: bool = False, unfinished: bool = False
) -> tuple[str, str, str]:
    """Sum up a month in three sentences: what changed, who trains on content, and which documents could not be read.

    Parameters
    ----------
    facts : Headline
        Result of `monthly_facts`.
    names : int
        Maximum number of platforms to name; the others are counted.
    kind : str
        Noun for one platform: `tracked platform` or `portfolio platform`.
    goes_on : bool
        Whether the data end before the end of the month.
    unfinished : bool
        Whether an ingest is running or was interrupted, so that more platforms may follow.

    Returns
    -------
    tuple of three str
        The three sentences in that order, as text without HTML escapes.

    Examples
    --------
    >>> from datetime import date
    >>> material = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> moves = analysis.rating_moves(data.at(date(2026, 9, 30)).platforms, data.platforms)
    >>> facts = analysis.monthly_facts(data.platforms, material=material, moves=moves)
    >>> print(analysis.monthly_sentences(facts, names=1)[0])
    8 material changes on 6 of 320 platforms (Corzothorn Chat and 5 others); no rating moved.
    """
    quiet = "A quiet period" if facts.since else "A quiet month"
    quiet = "Quiet so far" if goes_on or unfinished else quiet
    verified = "How many platforms are verified is not known"
    if facts.states is not None:
        whole = f"{plural(facts.states['verified'], 'is', 'are')} verified (all documents read)"
        states = [whole, *(f"{n:,} {words}" for state, words in _STATES.items() if (n := facts.states[state]))]
        platforms = f"{plural(facts.tracked or 0, kind)}{' stored so far' if unfinished else ''}"
        verified = f"Of {platforms}, {joined(states)}"
    return _changed(facts, names, quiet), facts.stances, f"{verified}; {_not_read(facts, names)}."


def _changed(facts: Headline, names: int, quiet: str) -> str:
    """Return a sentence on what changed and whose rating moved."""
    if facts.since and facts.since == facts.until:
        return f"No change since {dated(facts.since)}: the data end on that day."
    if facts.material is None:
        return "Changes are not known: those of this period could not be read."
    where, counted = plural(facts.platforms, "platform"), plural(facts.material, "material change")
    material = f"{counted} on {len(facts.changed):,} of {where} ({listed(facts.changed, names)})"
    parts = [material if facts.material else f"{quiet}: no material change on {where}", _moved(facts, names)]
    if facts.noise:
        parts.append(f"{plural(facts.noise, 'other change is', 'other changes are')} not material")
    if facts.first_change:
        parts.append(f"the first change on record is from {dated(facts.first_change)}")
    return f"{'; '.join(parts)}."


def _moved(facts: Headline, names: int) -> str:
    """Return whose rating moved, and how many ratings returned to their first value."""
    if facts.moved is None:
        return "rating moves are not known"
    moved = joined([f"the rating of {listed(who, names)} {verb}" for verb, who in facts.moved.items() if who])
    back = f"{plural(len(facts.returned), 'rating')} moved and returned"
    if not facts.returned:
        return moved or "no rating moved"
    return f"{moved}; {back}" if moved else f"{back}, no other moved"


def _not_read(facts: Headline, names: int) -> str:
    """Return which documents could not be read."""
    if facts.broken is None:
        return "which documents could not be read is not known"
    foreign = f"; not read: {facts.languages} ({listed(facts.foreign, names)})" if facts.languages else ""
    broken = f"the newest capture failed on {len(facts.broken):,} ({listed(facts.broken, names)})"
    return f"{broken if facts.broken else 'all newest captures are good'}{foreign}"
