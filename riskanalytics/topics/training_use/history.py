"""Training use over time: the course of the stances, who changed, and what is said of it in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics.frames import CHANGES_COLUMNS
from riskanalytics.frames.building import records_of
from riskanalytics.models import STANCES
from riskanalytics.text.wording import joined, listed, plural
from riskanalytics.topics.changes import LISTS, between, moved_together
from riskanalytics.topics.shape import cut_to, dtypes, instant, named, ordered, schema, shaped, with_columns, word_of
from riskanalytics.topics.training_use import shares_of, stances_in

__all__ = ["stance_changes", "stance_history", "stance_moves", "training_sentences"]

STANCE_HISTORY_COLUMNS: Final = schema(
    "date:time stance:str platforms total unknown:Int64 share low high:Float64 moved compared:Int64"
)
STANCE_CHANGE_COLUMNS: Final = {
    **dtypes(CHANGES_COLUMNS, "change_id", "slug", "name", "document", "reviewed_at", "stance_before", "stance_after"),
    **dtypes(CHANGES_COLUMNS, "direction", *LISTS),
}
STANCE_MOVE_COLUMNS: Final = schema(
    "slug name stance_before stance_after direction:str steps:Int64 first_at last_at:time"
)
STANCE_DIRECTIONS: Final = {
    "more": ("▲", "up", "towards training"),
    "by_plan": ("◆", "mixed", "to an answer by plan"),
    "not_by_plan": ("◇", "mixed", "to one answer for all"),
    "silent": ("○", "mixed", "to no clause found"),
    "answered": ("●", "mixed", "to an answer found"),
    "unclear": ("?", "mixed", "unclear"),
    "less": ("▼", "down", "away from training"),
    "back": ("↺", "mixed", "moved and came back"),
}
"""Where a stance went, in the order of pages -> its sign, style and words."""
_EXPOSED: Final = ("trains_by_default", "trains_with_opt_out", "trains_with_opt_in", "does_not_train")
_PHRASES: Final = {
    "trains_by_default": ("train", "trains", " on customer content with no general opt-out found"),
    "depends_on_plan": ("make", "makes", " it depend on the plan"),
    "trains_with_opt_out": ("train", "trains", " unless the customer opts out"),
    "trains_with_opt_in": ("train", "trains", " only after an opt-in"),
    "does_not_train": ("say that they do", "says that it does", " not"),
    "undetermined": ("are", "is", " undetermined and to be read"),
    "silent": ("have", "has", " no clause that was found"),
}
"""Stance -> what many platforms say, what one says, and the end of both."""

Moment = str | date


def stance_history(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, as_of: Moment
) -> pd.DataFrame:
    """Count the platforms by stance on training use at the ends of months, with their shares and 95 % intervals.

    Only the platforms count whose stance is known at each date of which any is: a share moves because platforms did, not
    because others joined. Today's stances are played backwards through the change feed.

    Parameters
    ----------
    history : pandas.DataFrame
        `slug`, `date`, `known`: which platforms were tracked when.
    training_use : pandas.DataFrame
        `slug`, `stance` at `as_of`.
    changes : pandas.DataFrame
        `slug`, `reviewed_at`, `stance_before`, of every class, none left out between the first date and `as_of`.
    as_of : date or str
        Day that `training_use` speaks of; later dates of the history are shown as this day.

    Returns
    -------
    pandas.DataFrame
        `date` time, `stance` str, `platforms`, `total` Int64 (platforms that count: the denominator), `unknown` Int64 (the
        others tracked since the first date), `share`, `low`, `high` Float64 0..1, missing where total is 0 (Wilson's
        interval, see `stance_shares`), and of the platforms as a whole, on each row of a date: `moved`, `compared` Int64
        (platforms whose stance is another than at the first date, of those that count). Every date has every stance of
        `models.STANCES`, then stances never seen, by word.

    Examples
    --------
    >>> course = analysis.stance_history(data.history(24), data.training_use, data.changes(), data.day)
    >>> course.query("stance == 'silent'")[["date", "platforms", "total"]].iloc[[0, -1]]
                             date  platforms  total
    6   2024-10-31 00:00:00+00:00         10    254
    174 2026-10-31 00:00:00+00:00         10    254
    """
    known = _stances_by_date(history, training_use, changes, instant(as_of))
    order = stances_in(known.melt()["value"].dropna())
    held = known.notna() & (known != "")
    days = held.columns[held.any()]
    counted = known.where(held[days].all(axis="columns"), "").fillna("")
    first = counted[days[0]] if len(days) else pd.Series("", counted.index)
    rows: list[dict[str, object]] = []
    for day, stances in counted.items():
        moved = int((stances != first).sum()) if day in days else 0
        whole = {"date": day, "moved": moved, "compared": int((stances != "").sum())}
        rows += [whole | row for row in shares_of(stances[known[day].notna()], order)]
    return shaped(rows, STANCE_HISTORY_COLUMNS)


def _stances_by_date(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, last: pd.Timestamp
) -> pd.DataFrame:
    """Return the stances of platforms tracked since the first date (rows) by date: empty if not known, missing without a row."""
    tracked = with_columns(history, "stance_history", "slug", "date", "known")
    tracked = tracked[tracked["slug"].isin(tracked.loc[tracked["date"] == tracked["date"].min(), "slug"])]
    days = tracked["date"].where(tracked["date"] < last, last)
    ends = tracked.assign(day=days, end=days.dt.normalize() + pd.Timedelta(days=1, microseconds=-1)).sort_values("end")
    feed = _dated(changes, "stance_history", "stance_before")[["slug", "reviewed_at", "stance_before"]]
    left = pd.merge_asof(
        ends, feed, left_on="end", right_on="reviewed_at", by="slug", direction="forward", allow_exact_matches=False
    )
    today = with_columns(training_use, "stance_history", "slug", "stance").set_index("slug")["stance"]
    stance = left["stance_before"].where(left["reviewed_at"].notna(), left["slug"].map(today))
    left["stance"] = stance.where(left["known"], None).fillna("")
    return left.drop_duplicates(["slug", "day"]).pivot(index="slug", columns="day", values="stance")


def _dated(changes: pd.DataFrame, what: str, *columns: str) -> pd.DataFrame:
    """Return changes with a date, oldest first."""
    dated = with_columns(changes, what, "slug", "reviewed_at", *columns).dropna(subset="reviewed_at")
    return dated.sort_values(["reviewed_at", "change_id"] if "change_id" in dated else "reviewed_at", kind="stable")


def stance_changes(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """List the policy changes that moved a platform's stance on training use, with their training clauses only.

    Documents of a platform that changed at the same moment are one change.

    Parameters
    ----------
    changes : pandas.DataFrame
        Changes of every class: a stance may also go back with a `revert`.
    since, until : date or str, optional
        Half-open period [since, until) in UTC; without them all changes are listed.

    Returns
    -------
    pandas.DataFrame
        `change_id`, `slug`, `name`, `document` str (several joined by a comma), `reviewed_at` time,
        `stance_before`, `stance_after`, `direction` str (`STANCE_DIRECTIONS`), and the lists `added`,
        `removed`, `altered` (of these what speaks to training use) and `cause`. Newest first, then by name.

    Examples
    --------
    >>> changed = analysis.stance_changes(data.changes(), since="2026-10-01")
    >>> changed[["name", "stance_before", "stance_after", "direction"]]
                 name   stance_before        stance_after direction
    0  QuorfilixMusic  does_not_train  trains_with_opt_in      more
    """
    period = between(
        _dated(changes, "stance_changes", "stance_before", "stance_after", *LISTS), "stance_changes", since, until
    )
    answers = period[["stance_before", "stance_after"]].replace("", pd.NA)
    moved = period[answers.notna().all(axis=1) & (period["stance_before"] != period["stance_after"])]
    rows = moved_together(moved, "stance_before", "stance_after")
    for row in rows:
        row["direction"] = stance_direction(row["stance_before"], row["stance_after"])
        for key in LISTS[:-1]:
            row[key] = [item for item in records_of(row[key]) if item.get("surface") == "training_use"]
    return ordered(named(shaped(rows, STANCE_CHANGE_COLUMNS)), "-reviewed_at", "name", "slug")


def stance_direction(before: object, after: object) -> str:
    """Return where a stance went, a key of `STANCE_DIRECTIONS`; `back` if it did not move."""
    pair = (word_of(before), word_of(after))
    if pair[0] == pair[1]:
        return "back"
    if all(stance in _EXPOSED for stance in pair):
        return "more" if _EXPOSED.index(pair[1]) < _EXPOSED.index(pair[0]) else "less"
    if "undetermined" in pair or not all(stance in STANCES for stance in pair):
        return "unclear"
    if "silent" in pair:
        return "silent" if pair[1] == "silent" else "answered"
    return "by_plan" if pair[1] == "depends_on_plan" else "not_by_plan"


def stance_moves(stance_changes: pd.DataFrame) -> pd.DataFrame:
    """Sum up how each platform's stance on training use moved, from before its first change to after its last.

    Parameters
    ----------
    stance_changes : pandas.DataFrame
        What `stance_changes` returned.

    Returns
    -------
    pandas.DataFrame
        One row per platform: `slug`, `name`, `stance_before` (before its first change), `stance_after` (after
        its last), `direction` str (`back` if both are the same), `steps` Int64 (changes), `first_at`, `last_at`
        time. In the order of `STANCE_DIRECTIONS`, then the latest first.

    Examples
    --------
    >>> moves = analysis.stance_moves(analysis.stance_changes(data.changes()))
    >>> moves[["name", "stance_before", "stance_after", "direction"]].head(2)
                  name        stance_before        stance_after direction
    0   QuorfilixMusic       does_not_train  trains_with_opt_in      more
    1  Cordowick Draft  trains_with_opt_out   trains_by_default      more
    """
    steps = _dated(stance_changes, "stance_moves", "name", "stance_before", "stance_after").groupby("slug")
    moves = steps.agg(
        name=("name", "last"),
        stance_before=("stance_before", "first"),
        stance_after=("stance_after", "last"),
        steps=("slug", "size"),
        first_at=("reviewed_at", "first"),
        last_at=("reviewed_at", "last"),
    ).reset_index()
    moves["direction"] = list(map(stance_direction, moves["stance_before"], moves["stance_after"]))
    place = moves["direction"].map(list(STANCE_DIRECTIONS).index)
    return cut_to(ordered(moves.assign(place=place), "place", "-last_at", "name", "slug"), STANCE_MOVE_COLUMNS)


@dataclass(frozen=True)
class StanceCounts:
    """How many platforms give which answer on training use.

    Parameters
    ----------
    stances : mapping of str to int
        Platforms by stance.
    answered, unanswered : int
        Platforms with and without a stance; silent is a stance.
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
    whole = shares[shares["audience"] == "all"]
    stances = dict(zip(whole["stance"], whole["platforms"].astype(int), strict=True))
    return StanceCounts(stances, int(whole["total"].iloc[0]), int(whole["unknown"].iloc[0]))


def stance_sentence(counts: StanceCounts | None) -> str:
    """Say in one plain sentence who trains on customer content.

    Parameters
    ----------
    counts : StanceCounts or None
        None if no stance could be read.
    """
    if counts is None or not counts.answered:
        return "Who trains on customer content is not known: no stance could be read."
    known = {stance: counts.stances.get(stance, 0) for stance in _PHRASES}
    phrases = ((number, _PHRASES[stance]) for stance, number in known.items() if number)
    parts = [f"{number:,} {one if number == 1 else many}{rest}" for number, (many, one, rest) in phrases]
    if strange := counts.answered - sum(known.values()):
        parts.append(f"{strange:,} {_verb(strange, 'give')} another answer")
    are = "is" if counts.unanswered == 1 else "are"
    left = f"; {counts.unanswered:,} more {are} not read" if counts.unanswered else ""
    return f"Of {plural(counts.answered, 'platform')}, {joined(parts)}{left}."


def _verb(number: int, word: str) -> str:
    return f"{word}s" if number == 1 else word


def training_sentences(
    shares: pd.DataFrame, training_use: pd.DataFrame, moves: pd.DataFrame | None, period: str, names: int = 3
) -> tuple[str, str, str]:
    """Say in three sentences who trains on customer content, what the plan changes, and who changed the answer.

    Parameters
    ----------
    shares, training_use, moves : pandas.DataFrame
        What `stance_shares`, `training_use` and `stance_moves` returned; moves None if not known.
    period : str
        When they moved, such as `in the 24 months to 2026-10-31`.
    names : int
        At most so many platforms are named; the others are counted.

    Returns
    -------
    tuple of three str
        Plain text.

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
    moved = _moves_sentence(moves, int(known.sum()), period)
    return stance_sentence(stance_counts(shares)), _plan_sentence(training_use, names), moved


def _plan_sentence(training_use: pd.DataFrame, names: int) -> str:
    """Say on how many platforms the plan decides whether they train without asking first."""
    sides = training_use[["consumer_stance", "business_stance"]]
    both = (sides.notna() & (sides != "undetermined")).all(axis=1)
    if not both.any():
        return "No platform answers apart for consumers and for business users."
    trains = sides.isin(_EXPOSED[:2])
    ways = trains["consumer_stance"].astype(int) - trains["business_stance"].astype(int)
    kept, turned = (list(training_use.loc[both & (ways == way), "name"].fillna("")) for way in (1, -1))
    number = int(both.sum())
    head = f"{plural(number, 'platform')} {_verb(number, 'answer')} apart for consumers and for business users"
    if not kept and not turned:
        return f"{head}; none of them trains one without asking first and not the other."
    train = (
        f"{_verb(len(kept), 'train')} on what consumers give without asking first, and not on what business users give"
    )
    parts = [f"{len(kept):,} of them ({listed(kept, names)}) {train}"] if kept else []
    parts += [f"{len(turned):,} ({listed(turned, names)}) the other way round"] if turned else []
    return f"{head}; {joined(parts)}."


def _moves_sentence(moves: pd.DataFrame | None, platforms: int, period: str) -> str:
    """Say how many of the platforms whose answer is known changed it, and in which direction."""
    if moves is None:
        return "Who changed is not known: the service shows changes to Pro keys only."
    counts = moves["direction"].value_counts()
    back = int(counts.get("back", 0))
    rest = f"; {plural(back, 'platform')} moved and came back" if back else ""
    if len(moves) == back:
        return f"No stance moved {period}{rest}."
    went = list(STANCE_DIRECTIONS.items())[:-1]
    parts = [f"{counts[direction]:,} {words}" for direction, (_, _, words) in went if direction in counts]
    return f"{len(moves) - back:,} of {plural(platforms, 'platform')} moved {period}: {joined(parts)}{rest}."
