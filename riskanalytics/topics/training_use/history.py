"""Training use over time: stances by date, platforms that changed, and sentences on both."""

from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.models import STANCES, stance_name
from riskanalytics.text.wording import joined, listed, plural

from ..changes import LISTS, Moment, between, moved_together
from ..shape import cut_to, instant, named, ordered, schema, shaped, with_columns, word_of
from . import shares_of, stances_in

__all__ = ["stance_changes", "stance_history", "stance_moves", "training_sentences"]

STANCE_HISTORY_COLUMNS: Final = schema(
    "date:time stance:str platforms total unknown:Int64 share low high:Float64 moved compared:Int64"
)
STANCE_CHANGE_COLUMNS: Final = schema(
    "change_id slug name document:str reviewed_at:time stance_before stance_after direction:str "
    "added removed altered cause:object"
)
MOVE_COLUMNS: Final = schema("slug name stance_before stance_after direction:str steps:Int64 first_at last_at:time")
STANCE_DIRECTIONS: Final = {
    "more": ("▲", "up", "towards training"),
    "by_plan": ("◆", "mixed", "to an answer by plan"),
    "not_by_plan": ("◇", "mixed", "to one answer for all"),
    "silent": ("○", "mixed", "to no clause found"),
    "answered": ("●", "mixed", "from no clause to an answer"),
    "unclear": ("?", "mixed", "to or from an unclear answer"),
    "less": ("▼", "down", "away from training"),
    "back": ("↺", "mixed", "changed and returned"),
}
"""Direction in which a stance moved, in the order of pages -> its sign, style and words."""
_EXPOSED: Final = ("trains_by_default", "trains_with_opt_out", "trains_with_opt_in", "does_not_train")
_PHRASES: Final = {
    "trains_by_default": ("trains", "train", " on customer content with no general opt-out found"),
    "depends_on_plan": ("makes", "make", " it depend on the plan"),
    "trains_with_opt_out": ("trains", "train", " unless the customer opts out"),
    "trains_with_opt_in": ("trains", "train", " only after an opt-in"),
    "does_not_train": ("says that it does", "say that they do", " not"),
    "undetermined": ("has", "have", " unclear clauses that need reading"),
    "silent": ("has", "have", " no clause on it"),
}
"""Stance -> verb for one platform, verb for several, and the end of both."""


def stance_history(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, as_of: Moment
) -> pd.DataFrame:
    """Count the platforms by stance on training use at the ends of months, with shares and 95 % intervals.

    Only platforms whose stance is known on every date are counted, so that new platforms do not move the shares. (A date on
    which no stance of any platform is known excludes no platform; it has rows with `total` 0.) Past stances are computed from
    the current ones by undoing recorded changes.

    Parameters
    ----------
    history : pandas.DataFrame
        `data.history()`: the platforms tracked on each date (`slug`, `date`, `known`).
    training_use : pandas.DataFrame
        `data.training_use`: each platform's `slug` and its `stance` on the day `as_of`.
    changes : pandas.DataFrame
        `data.changes()`: all changes of every class between the first date and `as_of` (`change_id`, `slug`, `reviewed_at`,
        `stance_before`).
    as_of : date or str
        Day of `training_use`; later dates of the history are replaced by this day.

    Returns
    -------
    pandas.DataFrame
        One row for each date and stance: `date` time, `stance` str, `platforms` Int64 (with this stance), `total` Int64
        (platforms counted: the denominator), `unknown` Int64 (not counted, although tracked since the first date), `share`
        Float64 and its Wilson interval `low`, `high` (0..1, missing if total is 0), `moved` Int64 (of all platforms counted,
        those whose stance differs from their stance on the first date) and `compared` Int64 (the denominator of `moved`: the same
        number as `total`). `moved` and `compared` count all stances together and are repeated on each row of a date. Each date has
        every stance of `models.STANCES`, then stances that are not in it, in alphabetical order.

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
    """Return the stances of platforms tracked since the first date (rows) by date: empty if unknown, missing without a row."""
    tracked = with_columns(history, "stance_history", "slug", "date", "known")
    tracked = tracked[tracked["slug"].isin(tracked.loc[tracked["date"] == tracked["date"].min(), "slug"])]
    days = tracked["date"].where(tracked["date"] < last, last)
    ends = tracked.assign(day=days, end=days.dt.normalize() + pd.Timedelta(days=1, microseconds=-1)).sort_values("end")
    feed = with_columns(changes, "stance_history", "change_id", "slug", "reviewed_at", "stance_before")
    feed = ordered(feed.dropna(subset="reviewed_at"), "reviewed_at", "change_id")
    feed = feed[["slug", "reviewed_at", "stance_before"]]
    left = pd.merge_asof(
        ends, feed, left_on="end", right_on="reviewed_at", by="slug", direction="forward", allow_exact_matches=False
    )
    today = with_columns(training_use, "stance_history", "slug", "stance").set_index("slug")["stance"]
    stance = left["stance_before"].where(left["reviewed_at"].notna(), left["slug"].map(today))
    left["stance"] = stance.where(left["known"], None).fillna("")
    return left.drop_duplicates(["slug", "day"]).pivot(index="slug", columns="day", values="stance")


def stance_changes(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """List the policy changes that moved a platform's stance on training use.

    Changes of several documents of a platform, at the same time and with the same effect on the stance, are one row.

    Parameters
    ----------
    changes : pandas.DataFrame
        `data.changes()`: changes of every class, because a change that is not material, such as a `revert`, may move a stance.
    since, until : date or str, optional
        Half-open period [since, until) in UTC. By default all changes are listed.

    Returns
    -------
    pandas.DataFrame
        `change_id`, `slug`, `name`, `document` str (several joined by commas), `reviewed_at` time, `stance_before`,
        `stance_after`, `direction` str (`more`: towards training, `less`: away from it, or another key of `STANCE_DIRECTIONS`),
        the lists `added`, `removed` and `altered` (only clauses on training use), and the list `cause` (the findings
        that changed, on all surfaces, with their effects). Newest first, then by name.

    Examples
    --------
    >>> changed = analysis.stance_changes(data.changes(), since="2026-10-01")
    >>> changed[["name", "stance_before", "stance_after", "direction"]]
                 name   stance_before        stance_after direction
    0  QuorfilixMusic  does_not_train  trains_with_opt_in      more
    """
    sides = ("stance_before", "stance_after")
    recorded = with_columns(changes, "stance_changes", "slug", "name", *sides, *LISTS)
    known = between(recorded, "stance_changes", since, until).dropna(subset=["reviewed_at", *sides])
    rows = moved_together(known[known["stance_before"] != known["stance_after"]], *sides)
    for row in rows:
        row["direction"] = stance_direction(row["stance_before"], row["stance_after"])
        for key in LISTS[:-1]:
            row[key] = [item for item in records_of(row[key]) if item.get("surface") == "training_use"]
    return ordered(named(shaped(rows, STANCE_CHANGE_COLUMNS)), "-reviewed_at", "name", "slug")


def stance_direction(before: object, after: object) -> str:
    """Return the direction in which a stance moved: a key of `STANCE_DIRECTIONS`, whose values explain the keys.

    For example `more` is towards training, `less` is away from it, and `back` means that both stances are equal.
    """
    pair = [word_of(before), word_of(after)]
    if before == after:
        return "back"
    if {*pair} <= {*_EXPOSED}:
        return "more" if _EXPOSED.index(pair[1]) < _EXPOSED.index(pair[0]) else "less"
    if "undetermined" in pair or not {*pair} <= {*STANCES}:
        return "unclear"
    if "silent" in pair:
        return "silent" if pair[1] == "silent" else "answered"
    return "by_plan" if pair[1] == "depends_on_plan" else "not_by_plan"


def stance_moves(stance_changes: pd.DataFrame) -> pd.DataFrame:
    """Compare each platform's stance on training use before its first change and after its last.

    Parameters
    ----------
    stance_changes : pandas.DataFrame
        Result of `stance_changes`.

    Returns
    -------
    pandas.DataFrame
        One row for each platform: `slug`, `name`, `stance_before` (before its first change), `stance_after` (after its last),
        `direction` str (`more`: towards training, `less`: away from it, `back` if both are equal, or another key of
        `STANCE_DIRECTIONS`), `steps` Int64 (number of changes), `first_at`, `last_at` time (of the first and the last change).
        Sorted by direction in the order of `STANCE_DIRECTIONS`, then the latest first.

    Examples
    --------
    >>> moves = analysis.stance_moves(analysis.stance_changes(data.changes()))
    >>> moves[["name", "stance_before", "stance_after", "direction"]].head(2)
                  name        stance_before        stance_after direction
    0   QuorfilixMusic       does_not_train  trains_with_opt_in      more
    1  Cordowick Draft  trains_with_opt_out   trains_by_default      more
    """
    steps = ordered(with_columns(stance_changes, "stance_moves", *STANCE_CHANGE_COLUMNS), "reviewed_at", "change_id")
    moves = steps.groupby("slug", as_index=False).agg(
        name=("name", "last"),
        stance_before=("stance_before", "first"),
        stance_after=("stance_after", "last"),
        steps=("name", "size"),
        first_at=("reviewed_at", "first"),
        last_at=("reviewed_at", "last"),
    )
    moves["direction"] = list(map(stance_direction, moves["stance_before"], moves["stance_after"]))
    place = moves["direction"].map(list(STANCE_DIRECTIONS).index)
    return cut_to(ordered(moves.assign(place=place), "place", "-last_at", "name", "slug"), MOVE_COLUMNS)


def stance_sentence(shares: pd.DataFrame | None) -> str:
    """Return a sentence on who trains on customer content.

    Parameters
    ----------
    shares : pandas.DataFrame or None
        Result of `stance_shares`; None if no stance could be read.
    """
    rows = [] if shares is None else rows_of(shares[(shares["audience"] == "all") & (shares["platforms"] > 0)])
    if not rows:
        return "Who trains on customer content is not known: no stance could be read."
    parts = []
    for row in rows:
        other = ("is", "are", f" reported as {stance_name(row['stance']).lower()}")
        one, many, rest = _PHRASES.get(row["stance"], other)
        parts.append(f"{plural(row['platforms'], one, many)}{rest}")
    left = f"; {plural(rows[0]['unknown'], 'more is', 'more are')} not read" if rows[0]["unknown"] else ""
    return f"Of {plural(rows[0]['total'], 'platform')}, {joined(parts)}{left}."


def training_sentences(
    shares: pd.DataFrame, training_use: pd.DataFrame, moves: pd.DataFrame | None, period: str, names: int = 3
) -> tuple[str, str, str]:
    """Return three sentences: who trains on customer content, what depends on the plan, and who changed the answer.

    Parameters
    ----------
    shares, training_use, moves : pandas.DataFrame
        Results of `stance_shares`, `training_use` and `stance_moves`; `moves` has the value None if changes are not known.
    period : str
        The period of the moves, as the words at the end of the sentence: `in the 24 months to 2026-10-31`.
    names : int
        Maximum number of platforms to name; the others are counted.

    Returns
    -------
    tuple of three str
        The three sentences in that order, as text without HTML escapes.

    Examples
    --------
    >>> stances = analysis.training_use(data.training_use, data.findings)
    >>> moves = analysis.stance_moves(analysis.stance_changes(data.changes(), since="2026-10-01"))
    >>> analysis.training_sentences(analysis.stance_shares(stances), stances, moves, "in October 2026")[2]
    '1 of 313 platforms changed its answer in October 2026: 1 towards training.'
    """
    return stance_sentence(shares), _plan_sentence(training_use, names), _moves_sentence(moves, training_use, period)


def _plan_sentence(training_use: pd.DataFrame, names: int) -> str:
    """Return a sentence on platforms that train, without asking first, on the content of only one kind of users."""
    sides = training_use[["consumer_stance", "business_stance"]]
    apart = training_use[(sides.notna() & (sides != "undetermined")).all(axis=1)]
    if apart.empty:
        return "No platform answers separately for consumers and for business users."
    trains = [apart[column].isin(_EXPOSED[:2]) for column in sides]
    alone = {"consumers": apart[trains[0] & ~trains[1]], "business users": apart[trains[1] & ~trains[0]]}
    parts = [
        f"{plural(len(some), 'trains', 'train')} on the content of {users} only, without asking first "
        f"({listed(list(some['name']), names)})"
        for users, some in alone.items()
        if len(some)
    ]
    rest = joined(parts) or "no platform trains on the content of one group only without asking first"
    head = plural(len(apart), "platform answers", "platforms answer")
    return f"{head} separately for consumers and for business users; {rest}."


def _moves_sentence(moves: pd.DataFrame | None, training_use: pd.DataFrame, period: str) -> str:
    """Return how many of the platforms with a known answer changed it, and in which direction."""
    if moves is None:
        return "Changed answers are not known: the service shows changes with a Pro key only."
    counts = moves["direction"].value_counts()
    back = int(counts.get("back", 0))
    its = "its" if back == 1 else "their"
    rest = f"; {plural(back, 'more platform')} changed and returned to {its} earlier answer" if back else ""
    if len(moves) == back:
        but = f", except {plural(back, 'platform')} that changed and returned" if back else ""
        return f"No platform changed its answer {period}{but}."
    known = int((training_use["stance"].notna() | training_use["slug"].isin(moves["slug"])).sum())
    others = counts.drop("back", errors="ignore")
    parts = [f"{others[key]:,} {words}" for key, (*_, words) in STANCE_DIRECTIONS.items() if key in others]
    changed = plural(known, "platform") + (" changed its answer" if len(moves) - back == 1 else " changed their answer")
    return f"{len(moves) - back:,} of {changed} {period}: {joined(parts)}{rest}."
