"""What differs between two states of one source: ratings, stances, findings, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.dataset.connecting import connect, connect_to, settings_of
from riskanalytics.dataset.data import Dataset
from riskanalytics.errors import ParameterError
from riskanalytics.frames import rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.text.arguments import DayLike, as_day
from riskanalytics.text.wording import listed, plural
from riskanalytics.topics.changes.moves import finding_moves, stance_differences
from riskanalytics.topics.ratings import rating_moves
from riskanalytics.topics.shape import word_of

State = Dataset | DayLike | Path
_MEANT_AS_DAY: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:T.*)?")
_SIDES: Final = {"removed": "before", "added": "after"}
"""Move -> the side that holds the quote."""
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
        Days of the two: of pulls, those that their states are of.
    ratings : pandas.DataFrame
        As `analysis.rating_moves`, and `reason` str.
    stances : pandas.DataFrame
        As `analysis.stance_differences`, and `reason` str.
    findings : pandas.DataFrame
        As `analysis.finding_moves`; a clause that is verbatim in both states is neither `added` nor `removed`. `reason` is
        `unrecorded` of a clause that came or went without a material change on record.
    notes : tuple of str
        What to know before a difference counts as a vendor's.
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
    >>> told = ra.diff("2026-04-30", "2026-10-31", client)
    >>> told.ratings[["name", "rating_before", "rating_after"]].values.tolist()
    [['Cordowick Draft', 'MED', 'HIGH'], ['CorzoholtNotes', 'MED', 'HIGH'], ['Elravane Studio', 'HIGH', 'MED']]
    """
    with ExitStack() as held:
        if client is None and not all(isinstance(side, Dataset) or _is_pull(side) for side in (before, after)):
            client = held.enter_context(connect_to())
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
    begin, end = (side.past or side.day for side in (old, new))
    if changes is not None:
        changes = changes[changes["reviewed_at"] < pd.Timestamp(end, tz="UTC") + pd.Timedelta(days=1)]
    since = None if changes is None else changes[changes["reviewed_at"] >= pd.Timestamp(begin, tz="UTC")]
    findings = settled(finding_moves(then[0], now[0], then[1], now[1]), old, new, since)
    moving = _since(changes, begin, old.tracked.set_index("slug")["rating"], "rating")
    ratings = rating_moves(old.tracked, new.tracked, moving)
    ratings = ratings[~(ratings["slug"].isin(unread) & ratings["direction"].isin(["appeared", "disappeared"]))]
    stances = stance_differences(then[2], now[2])
    turning = _since(changes, begin, then[2].set_index("slug")["stance"], "stance")
    return Difference(
        begin,
        end,
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
        return Dataset(held.enter_context(connect(settings=settings_of(str(side)))))
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
    """Give what to know before a difference counts as a vendor's."""
    missing = {
        what for side in (old, new) for what, slug in side.problems[["what", "slug"]].values if not word_of(slug)
    }
    if missing:
        yield f"not all could be read, so a difference may come from that: {listed(sorted(missing), _MOST)}"
    if unread:
        yield f"not compared in stances and findings, as one of the two states is not known: {listed(unread, _MOST)}"
    old_rules, new_rules = (word_of(side.extraction.get("version")) or "not known" for side in (old, new))
    if old_rules != new_rules:
        yield f"the texts were read by other rules ({old_rules}, then {new_rules}): differences may come from that"
    if changes is None:
        yield "changes are not shown to this key: reasons come from the findings alone"


def settled(moves: pd.DataFrame, old: Dataset, new: Dataset, changes: pd.DataFrame | None) -> pd.DataFrame:
    """Return moves of findings without those that only look like one.

    A clause that went, or came, and is verbatim in the other state too, is left out where that state has it on the same
    surface, and is `reread` (by `reading`) where it does not. One of which no material change is on record is
    `unrecorded`: the monthly page does not show it either; where the other state's texts are not at hand, as in a pull
    without snapshots, why it came or went is `not known`.

    Parameters
    ----------
    moves : pandas.DataFrame
        As `analysis.finding_moves`.
    old, new : Dataset
    changes : pandas.DataFrame or None
        Those since the first state; None where they are not shown.
    """
    rows = rows_of(moves)
    other = {
        move: _Standing(state, {str(row["slug"]) for row in rows if row["move"] == move})
        for move, state in (("removed", new), ("added", old))
    }
    recorded = None if changes is None else _recorded(changes)
    kept: list[int] = []
    for place, row in enumerate(rows):
        if (side := _SIDES.get(row["move"])) and row["reason"] == "text":
            slug, words = str(row["slug"]), _words(row[f"quote_{side}"])
            if other[row["move"]].has(slug, row["surface"], words):
                continue
            if other[row["move"]].holds(slug, words):
                row |= {"move": "reread", "reason": "reading"}
            elif recorded is not None and words not in recorded.get(slug, ()):
                row["reason"] = "not known" if slug in other[row["move"]].without else "unrecorded"
        kept.append(place)
    told = moves.assign(
        **{name: pd.Series([row[name] for row in rows], moves.index, "str") for name in ("move", "reason")}
    )
    return told.iloc[kept].reset_index(drop=True)


class _Standing:
    """The clauses and texts of some platforms in a state."""

    def __init__(self, data: Dataset, slugs: set[str]) -> None:
        found = data.findings[data.findings["slug"].isin(slugs)]
        self._found = {(row["slug"], row["surface"], _words(row["quote"])) for row in rows_of(found)}
        self._quotes: dict[str, list[str]] = {}
        self.without: set[str] = set()
        for row in rows_of(pd.concat([found, data.leads[data.leads["slug"].isin(slugs)]])):
            self._quotes.setdefault(row["slug"], []).append(_words(row["quote"]))
        self._add_texts(data, slugs)

    def has(self, slug: str, surface: object, words: str) -> bool:
        """Say whether words are a finding on a surface."""
        return (slug, surface, words) in self._found

    def holds(self, slug: str, words: str) -> bool:
        """Say whether words are in a text of a platform, as far as its texts can be read."""
        return any(words in text for text in self._quotes.get(slug, ()))

    def _add_texts(self, data: Dataset, slugs: set[str]) -> None:
        """Add the texts of the platforms' documents; `without` names the platforms one of whose texts cannot be had."""
        documents = data.documents[data.documents["slug"].isin(slugs) & data.documents["snapshot_sha256"].notna()]
        if data.client is None or documents.empty:
            return
        bodies = dict(data.client.snapshots(sorted(map(str, documents["snapshot_sha256"].unique()))))
        for row in rows_of(documents):
            if isinstance(body := bodies.get(row["snapshot_sha256"]), bytes):
                self._quotes.setdefault(row["slug"], []).append(_words(body.decode("utf-8", "replace")))
            else:
                self.without.add(row["slug"])


def _recorded(changes: pd.DataFrame) -> dict[str, set[str]]:
    """Return the words that material changes name, by platform."""
    told: dict[str, set[str]] = {}
    for row in rows_of(changes[changes["change_class"] == "material"]):
        words = told.setdefault(str(row["slug"]), set())
        words |= {_words(one.get("quote")) for name in ("added", "removed") for one in records_of(row[name])}
        words |= {
            _words(_quote_of(pair.get(side))) for pair in records_of(row["altered"]) for side in ("before", "after")
        }
    return told


def _quote_of(side: Any) -> object:
    """Return the quote of a side of an altered clause, which is a finding or its words."""
    return side.get("quote") if isinstance(side, Mapping) else side


def _words(quote: object) -> str:
    """Return words with single spaces, however the text is broken into lines."""
    return " ".join(word_of(quote).split())
