"""Compare two states of one source, such as two days of a database: ratings, stances and findings that differ, and why."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.errors import ParameterError
from riskanalytics.frames import rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.text.arguments import DayLike
from riskanalytics.text.wording import listed, plural
from riskanalytics.topics.changes.clauses import finding_moves, stance_differences
from riskanalytics.topics.ratings import rating_moves
from riskanalytics.topics.shape import word_of

from .checks import bodies_of
from .connecting import connect, connect_to, settings_of
from .data import Dataset
from .scope import of_slugs

State = Dataset | DayLike | Path
_DAY: Final = re.compile(r"$|\d{4}-\d")
_SIDES: Final = {"removed": "before", "added": "after"}
"""Move -> side of the quote."""
_MOST: Final = 3
"""Maximum number of changes that a reason names one by one."""
_OTHERWISE: Final = {
    "document": "other documents are read than before",
    "reading": "the same texts are read differently",
}


class Difference(NamedTuple):
    """The result of `diff`: what differs between two states of one source, and why.

    Parameters
    ----------
    before, after : date
        Days of the two states; for pulls, the days of their data.
    ratings : pandas.DataFrame
        Ratings that differ: the columns of `analysis.rating_moves`, and `reason` str. It names the recorded changes that moved the
        rating; without such a change, it says how the findings differ, such as `the same texts are read differently`.
    stances : pandas.DataFrame
        Stances that differ: the columns of `analysis.stance_differences`, and `reason` str as in `ratings`.
    findings : pandas.DataFrame
        Findings that differ, one row each: the columns of `analysis.finding_moves`, corrected by `settled`. In a changed
        document, a clause that is verbatim in the texts of both states, but a finding in only one, has the `move` `reread`; an
        added or removed clause that no recorded material change contains has the `reason` `unrecorded`.
    notes : tuple of str
        Sentences on what else may have caused the differences, such as texts that could not be read.
    platforms : int
        Number of platforms tracked in either state.
    not_compared : tuple of str
        Slugs of platforms whose stance and findings are unknown in one of the two states.
    """

    before: date
    after: date
    ratings: pd.DataFrame
    stances: pd.DataFrame
    findings: pd.DataFrame
    notes: tuple[str, ...]
    platforms: int = 0
    not_compared: tuple[str, ...] = ()

    def of(self, slugs: Collection[str]) -> Difference:
        """Return the differences of some platforms, such as those of a portfolio; `notes` may also concern other platforms."""
        lacking = tuple(slug for slug in self.not_compared if slug in slugs)
        moved = self._replace(ratings=of_slugs(self.ratings, slugs), stances=of_slugs(self.stances, slugs))
        return moved._replace(findings=of_slugs(self.findings, slugs), platforms=len(slugs), not_compared=lacking)


def diff(before: State, after: State = "", client: Client | None = None) -> Difference:
    """Compare two states of one source: list the ratings, stances and findings that differ, each with the reason.

    Parameters
    ----------
    before, after : Dataset, date, str or Path
        Each state: a data set, a day of the source, or the folder of a pull. If `after` is empty, the newest day.
    client : Client, optional
        Source of states that are given as days; by default as for `load`.

    Returns
    -------
    Difference

    Raises
    ------
    ParameterError
        If the two states are of different sources, or the first is later than the second.
    IncompleteReportError
        If the source has no data of a given day.

    Examples
    --------
    >>> moved = ra.diff("2026-04-30", "2026-10-31", client)
    >>> moved.ratings[["name", "rating_before", "rating_after"]].values.tolist()
    [['Cordowick Draft', 'MED', 'HIGH'], ['CorzoholtNotes', 'MED', 'HIGH'], ['Elravane Studio', 'HIGH', 'MED']]
    """
    with ExitStack() as opened:
        if client is None and not all(isinstance(side, Dataset) or _is_pull(side) for side in (before, after)):
            client = opened.enter_context(connect_to())
        return _compared(*(_state(side, client, opened) for side in (before, after)))


def _compared(old: Dataset, new: Dataset) -> Difference:
    """Compare two data sets."""
    if (one := _origin(old)) != (other := _origin(new)):
        raise ParameterError(
            f"only states of one source can be compared, not {one or 'own frames'} and {other or 'own frames'}"
        )
    if old.day > new.day:
        raise ParameterError(
            f"the first state is later than the second: {old.day} is after {new.day}; swap the two states"
        )
    # load now, so that failures are known
    states = [(side.findings, side.documents, side.training_use) for side in (old, new)]
    unread = sorted({slug for side in (old, new) for slug in side.problems["slug"].dropna()})
    then, now = ([frame[~frame["slug"].isin(unread)] for frame in state] for state in states)
    changes, (begin, end) = new.changes(), (side.past or side.day for side in (old, new))
    since = None
    if changes is not None:
        changes = changes[changes["reviewed_at"] < pd.Timestamp(end, tz="UTC") + pd.Timedelta(days=1)]
        since = changes[changes["reviewed_at"] >= pd.Timestamp(begin, tz="UTC")]
    findings = settled(finding_moves(then[0], now[0], then[1], now[1]), old, new, since)
    moving = _since(changes, begin, old.tracked.set_index("slug")["rating"], "rating")
    ratings = rating_moves(old.tracked, new.tracked, moving)
    ratings = ratings[~(ratings["slug"].isin(unread) & ratings["direction"].isin(["appeared", "disappeared"]))]
    stances = stance_differences(then[2], now[2])
    turning = _since(changes, begin, then[2].set_index("slug")["stance"], "stance")
    ratings = ratings.assign(reason=_reasons(ratings, findings, moving, "rating"))
    stances = stances.assign(reason=_reasons(stances, findings, turning, "stance"))
    notes, slugs = tuple(_notes(old, new, changes, unread)), {*old.tracked["slug"], *new.tracked["slug"]}
    return Difference(begin, end, ratings, stances, findings, notes, len(slugs), tuple(unread))


def _is_pull(side: object) -> bool:
    """Return whether a state is a folder: a text that is not, and not meant as, a day."""
    return isinstance(side, Path) or (isinstance(side, str) and not _DAY.match(side))


def _state(side: State, client: Client | None, opened: ExitStack) -> Dataset:
    """Return the data of a state; `opened` closes a pull."""
    if isinstance(side, Dataset):
        return side
    if _is_pull(side):
        client, side = opened.enter_context(connect(settings=settings_of(str(side)))), ""
    return Dataset(client, str(side))


def _origin(data: Dataset) -> str:
    """Return the source of a data set; for pulls, the pulled source."""
    return "" if data.client is None else data.client.source.removeprefix("pulls of ").partition(" in ")[0]


def _since(changes: pd.DataFrame | None, day: date, state: pd.Series[str], what: str) -> pd.DataFrame | None:
    """Return the changes after a state, of which `state` has the rating or stance (`what`) of each platform.

    A pull may be made at any hour of its day. So a change on this day counts only if it is later than the last change that led to
    the rating or stance of its platform in `state`.
    """
    if changes is None:
        return None
    begins = pd.Timestamp(day, tz="UTC")
    later = changes[(changes["reviewed_at"] >= begins) & changes["slug"].notna()]
    later = later.sort_values("reviewed_at", ascending=False, kind="stable")
    before, after = (later[f"{what}_{side}"].astype("str") for side in ("before", "after"))
    on_day = later["reviewed_at"] < begins + pd.Timedelta(days=1)
    led = on_day & (after == later["slug"].map(state.astype("str")))
    moved = before.notna() & after.notna() & (before != after)
    return later[~led.groupby(later["slug"]).cummax() & (moved | ~on_day)]


def _reasons(moved: pd.DataFrame, findings: pd.DataFrame, changes: pd.DataFrame | None, what: str) -> pd.Series[str]:
    """Return why each platform moved: the recorded changes that moved it, newest first, else what is known of its texts."""
    causes = defaultdict[str, list[str]](list)
    for row in [] if changes is None else rows_of(changes):
        if word_of(row[f"{what}_before"]) != word_of(row[f"{what}_after"]):
            said = f"{str(row['reviewed_at'])[:10]} {word_of(row['document'])}: {word_of(row['summary'])}"
            causes[row["slug"]].append(said)
    reasons = []
    for slug in moved["slug"]:
        own, more = causes[slug], len(causes[slug]) - _MOST
        named = [*own[:_MOST], *([f"and {more:,} more"] if more > 0 else [])]
        reasons.append("; ".join(named) or _otherwise(of_slugs(findings, [slug]), feed=changes is not None))
    return pd.Series(reasons, index=moved.index, dtype="str")


def _otherwise(findings: pd.DataFrame, *, feed: bool) -> str:
    """Return why a platform moved without a recorded change."""
    if (seen := set(findings["reason"])) and seen <= _OTHERWISE.keys():
        return " and ".join(_OTHERWISE[reason] for reason in sorted(seen))
    counts = findings["move"].value_counts()
    named = [move for move in ("added", "removed", "reworded") if move in counts]
    moves = [f"{plural(int(counts[move]), 'finding')} {move}" for move in named]
    return "; ".join(["no recorded change moved it" if feed else "changes are not shown with this key", *moves])


def _notes(old: Dataset, new: Dataset, changes: pd.DataFrame | None, unread: list[str]) -> Iterable[str]:
    """Yield what to consider before attributing a difference to a vendor."""
    if missing := {what for side in (old, new) for what in side.problems.loc[side.problems["slug"].isna(), "what"]}:
        yield f"not all could be read, which may cause differences: {listed(sorted(missing), _MOST)}"
    if unread:
        yield f"stances and findings not compared, because one of the two states is not known: {listed(unread, _MOST)}"
    old_rules, new_rules = (word_of(side.extraction.get("version")) or "not known" for side in (old, new))
    if old_rules != new_rules:
        yield f"the texts were read by different rules ({old_rules}, then {new_rules}), which may cause differences"
    if changes is None:
        yield "changes are not shown with this key: reasons are based on the findings alone"


def settled(moves: pd.DataFrame, old: Dataset, new: Dataset, changes: pd.DataFrame | None) -> pd.DataFrame:
    """Correct the list of findings that differ between two states, by the texts of both states and the recorded changes.

    Only rows whose `move` is `added` or `removed`, with the `reason` `text` (the document changed), are corrected:

    - The clause is a finding on the same surface in both states: the row is left out.
    - The clause is verbatim in the texts of both states, but a finding in one only: its `move` becomes `reread`, its `reason`
      `reading` (the extraction assessed the same text differently).
    - The clause is in the texts of one state only, and no recorded material change contains it: its `reason` becomes `not known`
      if texts of the other state are missing, as in a pull without snapshots; otherwise it becomes `unrecorded`.

    Parameters
    ----------
    moves : pandas.DataFrame
        The findings that differ, one row each, as `analysis.finding_moves` returns them.
    old, new : Dataset
        The two states.
    changes : pandas.DataFrame or None
        Recorded changes since the first state. None if the service does not show them; the third correction is then not made.

    Returns
    -------
    pandas.DataFrame
        The corrected rows, with the same columns.
    """
    rows, kept = rows_of(moves), list[int]()
    other = {
        move: _Texts(state, {str(row["slug"]) for row in rows if row["move"] == move})
        for move, state in (("removed", new), ("added", old))
    }
    recorded = None if changes is None else _recorded(changes)
    for place, row in enumerate(rows):
        if (side := _SIDES.get(row["move"])) and row["reason"] == "text":
            slug, words, there = row["slug"], _words(row[f"quote_{side}"]), other[row["move"]]
            if (slug, row["surface"], words) in there.found:
                continue
            if any(words in text for text in there.texts[slug]):
                row |= {"move": "reread", "reason": "reading"}
            elif recorded is not None and words not in recorded[slug]:
                row["reason"] = "not known" if slug in there.without else "unrecorded"
        kept.append(place)
    columns = {name: pd.Series([row[name] for row in rows], moves.index, "str") for name in ("move", "reason")}
    return moves.assign(**columns).iloc[kept].reset_index(drop=True)


class _Texts:
    """The clauses (`found`) and `texts` of some platforms in a state; `without` lists those with a missing text."""

    def __init__(self, data: Dataset, slugs: set[str]) -> None:
        findings, leads, documents = (of_slugs(frame, slugs) for frame in (data.findings, data.leads, data.documents))
        self.found = {(row["slug"], row["surface"], _words(row["quote"])) for row in rows_of(findings)}
        self.texts, self.without = defaultdict[str, list[str]](list), set[str]()
        for row in rows_of(pd.concat([findings, leads])):
            self.texts[row["slug"]].append(_words(row["quote"]))
        bodies = dict(bodies_of(data.client, documents["snapshot_sha256"])) if data.client else {}
        for row in rows_of(documents[documents["snapshot_sha256"].isin(bodies)]):
            if (body := bodies[row["snapshot_sha256"]]) is None:
                self.without.add(row["slug"])
            else:
                self.texts[row["slug"]].append(_words(body.decode("utf-8", "replace")))


def _recorded(changes: pd.DataFrame) -> Mapping[str, set[str]]:
    """Return the words that material changes name, by platform."""
    named = defaultdict[str, set[str]](set)
    for row in rows_of(changes[changes["change_class"] == "material"]):
        quotes = [one.get("quote") for name in ("added", "removed") for one in records_of(row[name])]
        quotes += [pair.get(side) for pair in records_of(row["altered"]) for side in ("before", "after")]
        named[row["slug"]] |= set(map(_words, quotes))
    return named


def _words(quote: object) -> str:
    """Return words with single spaces, so that line breaks are ignored."""
    return " ".join(word_of(quote).split())
