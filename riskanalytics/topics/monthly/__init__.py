"""The headline: facts of a month, and three plain sentences that carry no more than these facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import VERIFICATIONS, languages_not_read
from riskanalytics.text.wording import dated, joined, listed, plural
from riskanalytics.topics.shape import records, word_of
from riskanalytics.topics.training_use.history import StanceCounts, stance_counts, stance_sentence

__all__ = ["Headline", "monthly_facts", "monthly_sentences"]


@dataclass(frozen=True)
class Headline:
    """Numbers and names of a month, or of the days since a day; None where the data do not tell.

    Parameters
    ----------
    platforms : int
        Platforms in scope: the denominator of the first sentence.
    material : int or None
        Material changes of the period; None where changes could not be read.
    changed : tuple of str
        Names of the platforms with a material change, worst first, each once.
    noise : int or None
        Other differences (wording, format, reverts, capture failures, technical).
    risen, fallen, unclear : tuple of str, or None
        Names of platforms whose rating rose, fell, or went to or from a rating that is not known.
    returned : tuple of str
        Names of platforms whose rating moved and was at the end of the period what it was at its beginning.
    stances : StanceCounts or None
        Platforms by stance on training use.
    tracked : int or None
        Platforms tracked, or of the portfolio: the denominator of the states.
    states : mapping of str to int, or None
        Platforms by state of verification.
    broken : tuple of str, or None
        Names of platforms with a document whose newest capture is broken or stale, each once.
    languages : str
        How many documents are in languages that are not read; empty where all are read.
    foreign : tuple of str
        Names of their platforms, each once.
    since, until : date or None
        Of a period that is no month: the day after which it begins, and its last day.
    first_change : date or None
        Of a period that is no month: the day of the first change on record, where the period begins before.
    """

    platforms: int
    material: int | None = None
    changed: tuple[str, ...] = ()
    noise: int | None = None
    risen: tuple[str, ...] | None = None
    fallen: tuple[str, ...] | None = None
    unclear: tuple[str, ...] | None = None
    returned: tuple[str, ...] = ()
    stances: StanceCounts | None = None
    tracked: int | None = None
    states: Mapping[str, int] | None = None
    broken: tuple[str, ...] | None = None
    languages: str = ""
    foreign: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    first_change: date | None = None


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
    """Gather the facts of a month: changes, moves of ratings, stances on training use, verification, broken texts.

    Parameters
    ----------
    platforms : pandas.DataFrame
        Platforms in scope, one row each.
    material, noise, moves, shares, coverage, freshness : pandas.DataFrame, optional
        What `material_changes`, `change_noise`, `rating_moves`, `stance_shares`, `coverage` and
        `freshness` returned. What is left out is not known, and the sentences say so.
    periods : pandas.DataFrame, optional
        What `equal_periods` returned, for a period that is no calendar month.

    Returns
    -------
    Headline

    Examples
    --------
    >>> material = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> facts = analysis.monthly_facts(data.platforms, material=material)
    >>> facts.material, facts.changed[:2]
    (8, ('Corzothorn Chat', 'KellothornMusic'))
    """
    tracked, states = _states(coverage)
    since, until, first_change = _days(periods)
    return Headline(
        platforms=len(platforms),
        material=None if material is None else len(material),
        changed=() if material is None else _names(material),
        noise=None if noise is None else int(noise.loc[~noise["material"], "changes"].sum()),
        risen=_moved(moves, "up"),
        fallen=_moved(moves, "down"),
        unclear=_moved(moves, "unclear"),
        returned=() if material is None else _names(material[material["came_back"]]),
        stances=None if shares is None else stance_counts(shares),
        tracked=tracked,
        states=states,
        broken=None if freshness is None else _names(freshness[freshness["flag"].isin(["broken", "stale"])]),
        languages="" if freshness is None else languages_not_read(rows_of(freshness)),
        foreign=() if freshness is None else _names(freshness[freshness["flag"] == "language"]),
        since=since,
        until=until,
        first_change=first_change,
    )


def _days(periods: pd.DataFrame | None) -> tuple[date | None, date | None, date | None]:
    """Return the day after which a period begins, its last day, and the first change on record where that is later."""
    if periods is None:
        return None, None, None
    asked, day = periods.iloc[-1], timedelta(days=1)
    first = asked["first_change"]
    begun = None if pd.isna(first) or first <= asked["since"] else first.date()
    return asked["since"].date() - day, asked["until"].date() - day, begun


def _names(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the names of the platforms of a frame, each once."""
    by_slug = {row["slug"]: word_of(row["name"]) for row in records(frame, "monthly_facts", "slug", "name")}
    return tuple(by_slug.values())


def _moved(moves: pd.DataFrame | None, direction: str) -> tuple[str, ...] | None:
    """Return the names of the platforms whose rating went in a direction."""
    return None if moves is None else _names(moves[moves["direction"] == direction])


def _states(coverage: pd.DataFrame | None) -> tuple[int | None, dict[str, int] | None]:
    """Return how many platforms are tracked, and how many are in each state of verification."""
    rows = [] if coverage is None else records(coverage, "monthly_facts", "state", "platforms", "tracked")
    if not rows or any(is_missing(row["platforms"]) or is_missing(row["tracked"]) for row in rows):
        return None, None
    return int(rows[0]["tracked"]), {row["state"]: int(row["platforms"]) for row in rows}


def monthly_sentences(
    facts: Headline, names: int = 3, *, kind: str = "tracked platform", goes_on: bool = False, unfinished: bool = False
) -> tuple[str, str, str]:
    """Tell a month in three plain sentences: what moved, who trains on content, what could not be read.

    Parameters
    ----------
    facts : Headline
    names : int
        At most so many platforms are named; the others are counted.
    kind : str
        What one of the platforms is called: a `tracked platform`, or a `portfolio platform`.
    goes_on : bool
        Whether the month is not over in the data.
    unfinished : bool
        Whether an ingest goes on or was cut off: the platforms are then those stored so far.

    Returns
    -------
    tuple of three str
        Plain text, not escaped. Nothing is said that the facts do not carry; a quiet month says so.

    Examples
    --------
    >>> from datetime import date
    >>> material = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> moves = analysis.rating_moves(data.at(date(2026, 9, 30)).platforms, data.platforms)
    >>> facts = analysis.monthly_facts(data.platforms, material=material, moves=moves)
    >>> print(analysis.monthly_sentences(facts, names=1)[0])
    8 material changes on 6 of 320 platforms (Corzothorn Chat and 5 others); no rating moved.
    """
    stored = " stored so far" if unfinished else ""
    quiet = "A quiet month" if facts.since is None else "A quiet period"
    moves = _say_moves(facts, names, "Quiet so far" if goes_on or unfinished else quiet)
    return moves, stance_sentence(facts.stances), _say_evidence(facts, names, kind, stored)


def _say_moves(facts: Headline, names: int, quiet_period: str) -> str:
    """Say what changed, and whose rating moved."""
    if facts.since is not None and facts.since == facts.until:
        return f"Nothing since {dated(facts.since)}: the data end on that day."
    if facts.material is None:
        return "What changed is not known: the changes of this period could not be read."
    sides = (facts.risen, "rose"), (facts.fallen, "fell"), (facts.unclear, "became unclear")
    moved = [f"the rating of {listed(who, names)} {verb}" for who, verb in sides if who]
    scope = plural(facts.platforms, "platform")
    told = f"{quiet_period}: no material change on {scope}"
    if facts.material:
        where = f"{len(facts.changed):,} of {scope} ({listed(facts.changed, names)})"
        told = f"{plural(facts.material, 'material change')} on {where}"
    rest = joined(moved) if moved else "no rating moved"
    if facts.returned:
        back = f"{plural(len(facts.returned), 'rating')} moved and came back"
        rest = f"{rest}; {back}" if moved else f"{back}, no other moved"
    if facts.risen is None:
        rest = "how ratings moved is not known"
    quiet = f"; {plural(facts.noise, 'other difference')} changed no finding" if facts.noise else ""
    begun = f"; the first change on record is of {dated(facts.first_change)}" if facts.first_change else ""
    return f"{told}; {rest}{quiet}{begun}."


def _say_evidence(facts: Headline, names: int, kind: str, stored: str) -> str:
    """Say how much of the evidence is verified, and which documents are not read."""
    told = _say_verified(facts, kind, stored)
    if facts.broken is None:
        return f"{told}; which documents could not be read is not known."
    foreign = f"; not read: {facts.languages} ({listed(facts.foreign, names)})" if facts.languages else ""
    if not facts.broken:
        return f"{told}; no newest capture of a document is broken{foreign}."
    who = f"{len(facts.broken):,} ({listed(facts.broken, names)})"
    return f"{told}; a newest capture could not be read on {who}{foreign}."


def _say_verified(facts: Headline, kind: str, stored: str) -> str:
    """Say how many platforms are in each state of verification."""
    if facts.states is None or facts.tracked is None:
        return "How much of the evidence is verified is not known"
    found = {state: facts.states[state] for state in VERIFICATIONS if facts.states[state]}
    if facts.tracked == 1 and len(found) == 1:
        return f"The one {kind}{stored} is {next(iter(found))}"
    whole = plural(facts.tracked, kind)
    if facts.tracked and found.get("verified") == facts.tracked:
        return f"All {whole}{stored} are verified"
    parts = [f"{number:,} {state}" for state, number in ({"verified": 0} | found).items()]
    return f"Of {whole}{stored}, {joined(parts)}"
