"""One platform: its levels and those of its peers, its past, moves and contradictions."""

from __future__ import annotations

from typing import Final

import pandas as pd

from riskanalytics.frames import level_of, rows_of
from riskanalytics.models import RATINGS
from riskanalytics.topics.changes import MATERIAL_COLUMNS, SIDES, moved_together, rating_direction, told_change
from riskanalytics.topics.ratings.matrix import cell_marks, surface_places
from riskanalytics.topics.shape import cut_to, items_of, records, schema, shaped, with_columns, word_of

__all__ = ["conflicts", "peer_levels", "platform_changes", "platform_history", "platform_moves"]

STANDING_COLUMNS: Final = schema(
    "surface state:str risk:rating level:level clauses high med low quiet to_read unread peers below above:Int64 "
    "standing:str"
)
COURSE_COLUMNS: Final = schema("date:time subject state:str risk:rating level:level to_read:Int64 stance:str")
MOVE_COLUMNS: Final = schema(
    "since at:time direction:str rating_before rating_after:rating stance_before stance_after change_id document:str "
    "change_ids:object"
)
CONFLICT_COLUMNS: Final = schema("surface first second:str documents:Int64")
PLATFORM_CHANGE_COLUMNS: Final = {**MATERIAL_COLUMNS, "change_class": "str", "moved": "bool"}
RATING: Final = "rating"
"""Subject of the rating itself in a history."""

_PEERS: Final = ["high", "med", "low", "quiet", "to_read", "unread"]
_RANK: Final = {level: rank for rank, level in enumerate(RATINGS)}


def peer_levels(matrix: pd.DataFrame, slug: str) -> pd.DataFrame:
    """Compare one platform's level on each surface with the levels of all other platforms.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned, of all platforms.
    slug : str

    Returns
    -------
    pandas.DataFrame
        One row per surface: the platform's `surface`, `state` str, `risk`, `level` category and `clauses` Int64 (those to
        read where the state is `to_read`); counts of peers Int64: `high`, `med`, `low`, `quiet` (nothing found), `to_read`
        (also an unknown level), `unread`, `peers` (their sum), `below`, `above` (level lower or higher than the platform's;
        missing where it has none); `standing` str (`above most`: more than half of the peers with a level are below;
        `below most`; `usual`; empty where nothing can be compared). Highest level first, then most peers below.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> peers = analysis.peer_levels(matrix, "orvewick-voice")
    >>> peers[["surface", "risk", "below", "above", "standing"]].head(1)
            surface  risk  below  above    standing
    0  training_use  HIGH    202      0  above most
    """
    cells = with_columns(matrix, "peer_levels", "slug", "surface", "risk", "level", "state", "count", "to_read")
    own, others = cells[cells["slug"] == slug], cells[cells["slug"] != slug]
    counts = pd.crosstab(others["surface"], cell_marks(others).str.lower()).rename_axis(columns=None)
    peers = counts.reindex(own["surface"], columns=_PEERS, fill_value=0).set_axis(own.index).astype("Int64")
    rank, rated = cell_marks(own).map(_RANK).astype("Int64"), peers[["high", "med", "low"]].sum(axis=1)
    below = peers["low"] * (rank > 0) + peers["med"] * (rank > 1)
    above = peers["high"] * (rank < 2) + peers["med"] * (rank < 1)
    standing = pd.Series("usual", own.index).mask(2 * above > rated, "below most").mask(2 * below > rated, "above most")
    told = peers.assign(
        **own[["surface", "state", "risk", "level"]],
        clauses=own["count"].mask(own["state"] == "to_read", own["to_read"]),
        peers=peers.sum(axis=1),
        below=below,
        above=above,
        standing=standing.where(rank.notna() & (rated > 0), ""),
    )
    order = {"rank": -rank.fillna(-1), "below": -below.fillna(0), "place": surface_places(own["surface"])}
    return cut_to(told.loc[pd.DataFrame(order).sort_values(list(order)).index], STANDING_COLUMNS)


def platform_history(states: pd.DataFrame, surfaces: pd.DataFrame) -> pd.DataFrame:
    """Give a platform's rating and its level on every surface for each of several days.

    Parameters
    ----------
    states : pandas.DataFrame
        `frames.STATES_COLUMNS`.
    surfaces : pandas.DataFrame
        `frames.DATED_SURFACES_COLUMNS` of the same days.

    Returns
    -------
    pandas.DataFrame
        One row per day and subject: `date` time, `subject` str (`rating`, then the surfaces in their order), `state` str
        (`found`, `to_read`, `quiet`, `unread`, `untracked`, `not known`), `risk`, `level` category, `to_read` Int64,
        `stance` str (training use, on the rows of the rating). Days before the platform was tracked are left out.

    Examples
    --------
    >>> course = data.past_states("elravane-studio", quarters=3)
    >>> history = analysis.platform_history(course.states, course.surfaces)
    >>> history.query("subject == 'rating'")[["date", "risk", "stance"]]
                            date  risk             stance
    0  2026-03-31 00:00:00+00:00  HIGH  trains_by_default
    13 2026-06-30 00:00:00+00:00   MED    depends_on_plan
    26 2026-09-30 00:00:00+00:00   MED    depends_on_plan
    39 2026-10-31 00:00:00+00:00   MED    depends_on_plan
    """
    days = with_columns(states, "platform_history", "date", "state", "rating", "stance").sort_values("date")
    days = days[days["state"].ne("untracked").cummax()]
    told = with_columns(surfaces, "platform_history", "date", "surface", "risk", "state")
    told = told.rename(columns={"surface": "subject"}).drop(columns="stance", errors="ignore")
    known = days["state"] == "known"
    rating = days.assign(subject=RATING, risk=days["rating"], state=days["state"].mask(known, "found"))
    unread = days[["date"]].assign(otherwise=days["state"].mask(known, "unread"))
    cells = unread.merge(told[["subject"]].drop_duplicates(), "cross").merge(told, "left", ["date", "subject"])
    history = pd.concat([rating, cells.assign(state=cells["state"].fillna(cells["otherwise"]))], ignore_index=True)
    place = surface_places(history["subject"]).mask(history["subject"] == RATING, -1)
    ordered = history.assign(level=level_of(history["risk"]), place=place).sort_values(["date", "place", "subject"])
    return cut_to(ordered, COURSE_COLUMNS)


def platform_moves(states: pd.DataFrame, changes: pd.DataFrame | None = None) -> pd.DataFrame:
    """List when a platform's rating or stance on training use moved, the latest first.

    Parameters
    ----------
    states : pandas.DataFrame
        `frames.STATES_COLUMNS`; used where the changes are not known.
    changes : pandas.DataFrame, optional
        `frames.CHANGES_COLUMNS` of the platform, of every class; gives the exact days.

    Returns
    -------
    pandas.DataFrame
        `since` (last day still before; missing where `at` is exact), `at` time, `direction` str (of the rating: `up`,
        `down`, `unclear`, empty where it stayed), `rating_before`, `rating_after` category, `stance_before`,
        `stance_after`, `change_id`, `document` str, `change_ids` list (missing where the change is not known). Documents
        that changed at the same moment are one move: `document` names all, `change_id` is the first of `change_ids`.

    Examples
    --------
    >>> states = data.past_states("elravane-studio").states
    >>> moves = analysis.platform_moves(states, data.of(["elravane-studio"]).changes())
    >>> moves[["at", "direction", "rating_before", "rating_after"]]
                             at direction rating_before rating_after
    0 2026-06-13 16:02:00+00:00      down          HIGH          MED
    """
    if changes is None:
        days = with_columns(states, "platform_moves", "date", "state", "rating", "stance")
        known = days.loc[days["state"] == "known", ["date", "rating", "stance"]].sort_values("date")
        sides = known.add_suffix("_after").join(known.shift().add_suffix("_before"))
        rows = rows_of(sides[_moved(sides)].rename(columns={"date_before": "since", "date_after": "at"}))
    else:
        recorded = with_columns(changes, "platform_moves", "change_id", "reviewed_at", *SIDES)
        rows = [row | {"at": row["reviewed_at"]} for row in moved_together(recorded[_moved(recorded)], *SIDES)]
    directions = [rating_direction(row["rating_before"], row["rating_after"]) for row in rows]
    moves = shaped(rows, MOVE_COLUMNS).assign(direction=pd.Series(directions, dtype="str"))
    return moves.sort_values(["at", "change_id"], ascending=False, ignore_index=True)


def _moved(sides: pd.DataFrame) -> pd.Series[bool]:
    """Say where the rating or the stance differs between the two sides; not where it was missing before."""
    words = sides[list(SIDES)].astype("str")
    before, after = words[list(SIDES[::2])], words[list(SIDES[1::2])].fillna("").set_axis(list(SIDES[::2]), axis=1)
    return (before.notna() & (before != after)).any(axis=1)


def platform_changes(changes: pd.DataFrame) -> pd.DataFrame:
    """List a platform's material changes, and those that moved its rating or stance.

    Parameters
    ----------
    changes : pandas.DataFrame
        `frames.CHANGES_COLUMNS` of the platform, of every class.

    Returns
    -------
    pandas.DataFrame
        As `material_changes`, with `change_class` str and `moved` bool (its rating or stance moved); the latest first.

    Examples
    --------
    >>> changes = analysis.platform_changes(data.of(["search-by-isfigrove"]).changes())
    >>> changes[["reviewed_at", "document", "direction", "moved"]].head(1)
                    reviewed_at          document direction  moved
    0 2026-10-25 10:00:01+00:00  Terms of Service        up  False
    """
    recorded = with_columns(changes, "platform_changes", "change_class", "reviewed_at", *SIDES)
    told = recorded.assign(moved=_moved(recorded))
    kept = told[told["moved"] | (told["change_class"] == "material")]
    ordered = rows_of(kept.sort_values(["reviewed_at", "change_id"], ascending=False))
    return shaped(({**row, **told_change(row)} for row in ordered), PLATFORM_CHANGE_COLUMNS)


def conflicts(findings: pd.DataFrame) -> pd.DataFrame:
    """List the pairs of clauses of one platform that say the opposite of each other.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the platform.

    Returns
    -------
    pandas.DataFrame
        `surface` str (of the first clause), `first`, `second` str (identifiers, the higher level first; each pair once),
        `documents` Int64 (1 or 2: how many documents they come from). Pairs across documents first, then the surfaces'
        order, then identifiers.

    Examples
    --------
    >>> findings = data.of(["corzothorn-chat"]).findings
    >>> pair = analysis.conflicts(findings).iloc[0]
    >>> print(findings.set_index("finding_id").loc[pair["second"], "quote"])
    Your trust matters to us: we do not use your conversations to train our models.
    """
    rows = {
        row["finding_id"]: row for row in records(findings, "conflicts", "finding_id", "surface", "risk", "document")
    }
    pairs = {
        tuple(sorted((one, other), key=lambda key: (-_RANK.get(rows[key]["risk"], -1), key)))
        for one, row in rows.items()
        for other in items_of(row.get("conflicts_with"))
        if other in rows and other != one
    }
    told = []
    for first, second in pairs:
        documents = len({word_of(rows[one]["document"]) for one in (first, second)})
        told.append({"surface": rows[first]["surface"], "first": first, "second": second, "documents": documents})
    listed = shaped(told, CONFLICT_COLUMNS)
    order = listed.assign(place=surface_places(listed["surface"]), within=2 - listed["documents"])
    return cut_to(order.sort_values(["within", "place", "first", "second"]), CONFLICT_COLUMNS)
