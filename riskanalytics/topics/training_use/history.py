"""Training use over time: the shares of the answers at the ends of months, and the platforms whose answer moved."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics.frames import CHANGES_COLUMNS, TIME, rows_of
from riskanalytics.models import STANCES
from riskanalytics.topics.changes.analysis import LISTS, moved_together
from riskanalytics.topics.shape import dtypes, instant, items_of, shaped, with_columns, word_of
from riskanalytics.topics.training_use.analysis import SHARE_COLUMNS, shares_of, stances_in

__all__ = ["stance_changes", "stance_history", "stance_moves"]

STANCE_HISTORY_COLUMNS: Final = {
    "date": TIME,
    **{name: kind for name, kind in SHARE_COLUMNS.items() if name != "audience"},
    "moved": "Int64",
    "compared": "Int64",
}
STANCE_CHANGE_COLUMNS: Final = {
    **dtypes(CHANGES_COLUMNS, "change_id", "slug", "name", "document", "reviewed_at", "stance_before", "stance_after"),
    **dtypes(CHANGES_COLUMNS, "direction", *LISTS),
}
STANCE_MOVE_COLUMNS: Final = {
    **dtypes(CHANGES_COLUMNS, "slug", "name", "stance_before", "stance_after", "direction"),
    "steps": "Int64",
    "first_at": TIME,
    "last_at": TIME,
}
STANCE_DIRECTIONS: Final = ("more", "by_plan", "not_by_plan", "silent", "answered", "unclear", "less", "back")
"""Where a stance went, in the order in which pages show it: more training, to a split by plan, away from one, to
silence, out of it, to or from a stance that is undetermined or never seen, less training, and back to where it was."""

_EXPOSED: Final = ("trains_by_default", "trains_with_opt_out", "trains_with_opt_in", "does_not_train")

Moment = str | date


def stance_history(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, as_of: Moment
) -> pd.DataFrame:
    """Count the platforms by stance on training use at the ends of months, with their shares and 95 % intervals.

    Only the platforms count whose stance is known at each date of which any is: a share moves because platforms did, not
    because others joined, or were read for the first time. Today's stances are played backwards through the change
    feed: at a date a platform has the stance from which its next change led away.

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
    told = known.where(held[days].all(axis="columns"), "").fillna("")
    first = told[days[0]] if len(days) else pd.Series("", told.index)
    rows: list[dict[str, object]] = []
    for day, stances in told.items():
        moved = int((stances != first).sum())
        whole = {"date": day, "moved": 0 if day not in days else moved, "compared": int((stances != "").sum())}
        rows += [whole | row for row in shares_of(stances[known[day].notna()], order)]
    return shaped(rows, STANCE_HISTORY_COLUMNS)


def _stances_by_date(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, last: pd.Timestamp
) -> pd.DataFrame:
    """Return the stances of platforms tracked since the first date (rows) by date: empty where not known, missing without a row."""
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
    dated = _dated(changes, "stance_changes", "stance_before", "stance_after", *LISTS)
    since_first = dated["reviewed_at"] >= instant(since) if since is not None else dated["reviewed_at"].notna()
    before_last = dated["reviewed_at"] < instant(until) if until is not None else dated["reviewed_at"].notna()
    told = dated["stance_before"].fillna("").ne("") & dated["stance_after"].fillna("").ne("")
    moved = dated[since_first & before_last & told & (dated["stance_before"] != dated["stance_after"])]
    rows = moved_together(moved, "stance_before", "stance_after")
    for row in rows:
        row["name"] = word_of(row["name"]) or row["slug"]
        row["direction"] = stance_direction(row["stance_before"], row["stance_after"])
        row |= {key: list(filter(_on_training, items_of(row[key]))) for key in LISTS if key != "cause"}
    return _ordered(shaped(rows, STANCE_CHANGE_COLUMNS), "reviewed_at")


def _ordered(frame: pd.DataFrame, moment: str) -> pd.DataFrame:
    """Return rows with the newest first, then by name."""
    folded = frame.assign(folded=frame["name"].str.casefold()).sort_values(
        [moment, "folded", "slug"], ascending=[False, True, True], ignore_index=True
    )
    return folded[list(frame.columns)]


def _on_training(item: object) -> bool:
    """Say whether a clause of a change speaks to training use."""
    return isinstance(item, Mapping) and item.get("surface") == "training_use"


def stance_direction(before: object, after: object) -> str:
    """Return where a stance went, one of `STANCE_DIRECTIONS`; `back` where it stayed what it was."""
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
        its last), `direction` str (`back` where both are the same), `steps` Int64 (changes), `first_at`, `last_at`
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
    ordered = _ordered(shaped(rows_of(moves), STANCE_MOVE_COLUMNS), "last_at")
    return ordered.sort_values(
        "direction", key=lambda column: column.map(STANCE_DIRECTIONS.index), kind="stable", ignore_index=True
    )
