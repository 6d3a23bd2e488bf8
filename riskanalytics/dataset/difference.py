"""What differs between two states of one source: ratings, stances, findings, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics import sources
from riskanalytics.asked import DayLike, as_day
from riskanalytics.client import Client
from riskanalytics.dataset.data import Dataset
from riskanalytics.dataset.standing import settled
from riskanalytics.errors import ParameterError
from riskanalytics.frames import rows_of
from riskanalytics.topics.changes.moves import finding_moves, stance_differences
from riskanalytics.topics.ratings.analysis import rating_moves
from riskanalytics.topics.shape import word_of
from riskanalytics.wording import listed, plural

State = Dataset | DayLike | Path
_MEANT_AS_DAY: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:T.*)?")
_MOST: Final = 3
"""Changes that a reason names one by one."""
_OTHERWISE: Final = {
    frozenset({"document"}): "other documents are read than before",
    frozenset({"reading"}): "the same texts are read otherwise than before",
    frozenset({"document", "reading"}): "other documents are read than before, and some texts otherwise",
}


class Difference(NamedTuple):
    """What differs between two states.

    Parameters
    ----------
    before, after : date
        Days of the two.
    ratings : pandas.DataFrame
        As `analysis.rating_moves`, and `reason` str.
    stances : pandas.DataFrame
        As `analysis.stance_differences`, and `reason` str.
    findings : pandas.DataFrame
        As `analysis.finding_moves`; a clause that stands verbatim in both states is neither `added` nor `removed`. `reason` is
        `unrecorded` of a clause that came or went without a material change on record.
    notes : tuple of str
        What to know before a difference is told as a vendor's.
    platforms : int
        Tracked in either state.
    not_compared : tuple of str
        Slugs of those whose stance and findings are not known in one of the two states.
    """

    before: date
    after: date
    ratings: pd.DataFrame
    stances: pd.DataFrame
    findings: pd.DataFrame
    notes: tuple[str, ...]
    platforms: int = 0
    not_compared: tuple[str, ...] = ()


def diff(before: State, after: State = "", client: Client | None = None) -> Difference:
    """Compare two states of one source.

    Parameters
    ----------
    before, after : Dataset, date, str or Path
        A data set; a day of the source; or a pull, by its folder. The newest day where `after` is empty.
    client : Client, optional
        Where days are read; as of `load` where None.

    Returns
    -------
    Difference

    Raises
    ------
    ParameterError
        If the two are of different sources, or the first is later than the second.
    IncompleteReportError
        If the state of a day is not known.

    Examples
    --------
    >>> told = ra.diff("2026-07-31", "2026-10-31", client)
    >>> told.ratings[["name", "rating_before", "rating_after"]].values.tolist()
    [['Alalix Chat', 'MED', 'HIGH']]
    """
    with ExitStack() as held:
        if client is None and not all(isinstance(side, Dataset) or _is_pull(side) for side in (before, after)):
            client = held.enter_context(sources.connect_to())
        return _compared(*(_state(side, client, held) for side in (before, after)))


def _compared(old: Dataset, new: Dataset) -> Difference:
    """Compare two data sets."""
    if (one := _origin(old)) != (other := _origin(new)):
        raise ParameterError(f"states of two sources are not compared: {one} and {other}")
    if old.day > new.day:
        raise ParameterError(
            f"the first state is later than the second: {old.day} and {new.day}; give the earlier first"
        )
    states = [
        (side.findings, side.documents, side.training_use) for side in (old, new)
    ]  # read now: then it is known what fails
    unread = {slug for side in (old, new) for slug in side.problems["slug"].dropna() if slug}
    then, now = ([frame[~frame["slug"].isin(unread)] for frame in state] for state in states)
    changes = new.changes()
    if changes is not None:
        changes = changes[changes["reviewed_at"] < pd.Timestamp(new.day, tz="UTC") + pd.Timedelta(days=1)]
    since = None if changes is None else changes[changes["reviewed_at"] >= pd.Timestamp(old.day, tz="UTC")]
    findings = settled(finding_moves(then[0], now[0], then[1], now[1]), old, new, since)
    moving = _since(changes, old.day, old.tracked.set_index("slug")["rating"], "rating")
    ratings = rating_moves(old.tracked, new.tracked, moving)
    ratings = ratings[~(ratings["slug"].isin(unread) & ratings["direction"].isin(["appeared", "disappeared"]))]
    stances = stance_differences(then[2], now[2])
    turning = _since(changes, old.day, then[2].set_index("slug")["stance"], "stance")
    return Difference(
        old.day,
        new.day,
        ratings.assign(reason=_reasons(ratings, findings, moving, "rating")),
        stances.assign(reason=_reasons(stances, findings, turning, "stance")),
        findings,
        tuple(_notes(old, new, changes, sorted(unread))),
        len({*old.tracked["slug"], *new.tracked["slug"]}),
        tuple(sorted(unread)),
    )


def _is_pull(side: object) -> bool:
    """Say whether a state is named by a folder: a text that is no day, and not meant as one."""
    if isinstance(side, Path):
        return True
    try:
        as_day(side)  # type: ignore[arg-type]  # what is neither is refused there
    except ParameterError:
        return isinstance(side, str) and not _MEANT_AS_DAY.fullmatch(side)
    return False


def _state(side: State, client: Client | None, held: ExitStack) -> Dataset:
    """Return the data that a state names; a pull is closed with what holds it."""
    if isinstance(side, Dataset):
        return side
    if _is_pull(side):
        return Dataset(held.enter_context(sources.connect(settings=sources.settings_of(str(side)))))
    return Dataset(client, side if not isinstance(side, Path) else "")


def _origin(data: Dataset) -> str:
    """Return the source of a data set; of pulls that which was pulled."""
    source = "" if data.client is None else data.client.source
    return source.removeprefix("pulls of ").partition(" in ")[0] if source.startswith("pulls of ") else source


def _since(changes: pd.DataFrame | None, day: date, state: pd.Series[str], what: str) -> pd.DataFrame | None:
    """Return the changes after a state: a pull may be of any hour, so of its day those after the one that led to it."""
    if changes is None:
        return None
    begins = pd.Timestamp(day, tz="UTC")
    told = changes[(changes["reviewed_at"] >= begins) & changes["slug"].notna()]
    told = told.sort_values("reviewed_at", ascending=False, kind="stable")
    before, after = (told[f"{what}_{side}"].astype("str") for side in ("before", "after"))
    on_day = told["reviewed_at"] < begins + pd.Timedelta(days=1)
    led = on_day & (after == told["slug"].map(state.astype("str")))
    moved = before.notna() & after.notna() & (before != after)
    return told[~led.groupby(told["slug"]).cummax() & (moved | ~on_day)]


def _reasons(moved: pd.DataFrame, findings: pd.DataFrame, changes: pd.DataFrame | None, what: str) -> pd.Series[str]:
    """Return why each platform moved: the recorded changes that moved it, else what is known of its texts."""
    told: list[str] = []
    for slug in moved["slug"]:
        causes = [] if changes is None else _causes(rows_of(changes[changes["slug"] == slug]), what)
        own = findings[findings["slug"] == slug]
        told.append("; ".join(causes) or _otherwise(own, feed=changes is not None))
    return pd.Series(told, index=moved.index, dtype="str")


def _causes(changes: Iterable[dict[str, object]], what: str) -> list[str]:
    """Return the changes that moved a rating or stance, the newest first."""
    causes = [
        f"{str(row['reviewed_at'])[:10]} {word_of(row['document'])}: {word_of(row['summary'])}"
        for row in changes
        if word_of(row[f"{what}_before"]) != word_of(row[f"{what}_after"])
    ]
    more = [f"and {len(causes) - _MOST:,} more"] if len(causes) > _MOST else []
    return [*causes[:_MOST], *more]


def _otherwise(findings: pd.DataFrame, *, feed: bool) -> str:
    """Return why a platform moved that no recorded change moved."""
    seen = frozenset(findings["reason"])
    if seen in _OTHERWISE:
        return _OTHERWISE[seen]
    counts = findings["move"].value_counts()
    moves = [
        f"{plural(int(counts[move]), 'finding')} {move}" for move in ("added", "removed", "reworded") if move in counts
    ]
    return "; ".join(["no recorded change moved it" if feed else "changes are not shown to this key", *moves])


def _notes(old: Dataset, new: Dataset, changes: pd.DataFrame | None, unread: list[str]) -> Iterable[str]:
    """Give what to know before a difference is told as a vendor's."""
    missing = {
        what for side in (old, new) for what, slug in side.problems[["what", "slug"]].values if not word_of(slug)
    }
    if missing:
        yield f"not all could be read, so a difference may come from that: {listed(sorted(missing), _MOST)}"
    if unread:
        yield f"not compared in stances and findings, as one of the two states is not known: {listed(unread, _MOST)}"
    old_rules, new_rules = (word_of(side.extraction.get("version")) or "not told" for side in (old, new))
    if old_rules != new_rules:
        yield f"the texts were read by other rules ({old_rules}, then {new_rules}): differences may come from that"
    if changes is None:
        yield "changes are not shown to this key: reasons are told from the findings alone"
