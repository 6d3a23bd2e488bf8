"""One platform: where it stands among the others, its course, its moves, and where its documents disagree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.changes import MATERIAL_COLUMNS, SIDES, moved_together, rating_direction, told_change
from riskanalytics.topics.matrix import cell_marks
from riskanalytics.topics.shape import items_of, level_of, records, schema, shaped, with_columns, word_of

__all__ = ["conflicts", "peer_levels", "platform_changes", "platform_history", "platform_moves"]

PARTS: Final = ("high", "med", "low", "quiet", "to_read", "unread")
"""What peers are counted by on a surface: their level, nothing found, clauses to read, not read."""
STANDING_COLUMNS: Final = schema(
    "surface state:str risk:rating level:level clauses high med low quiet to_read unread peers below above:Int64 "
    "standing:str"
)
COURSE_COLUMNS: Final = schema("date:time subject state:str risk:rating level:level to_read:Int64 stance:str")
MOVE_COLUMNS: Final = schema(
    "since at:time direction:str rating_before rating_after:rating stance_before stance_after change_id document:str "
    "change_ids:object"
)
CONFLICT_COLUMNS: Final = {"surface": "str", "first": "str", "second": "str", "documents": "Int64"}
PLATFORM_CHANGE_COLUMNS: Final = {**MATERIAL_COLUMNS, "change_class": "str", "moved": "bool"}
RATING: Final = "rating"
"""Subject of the rating itself in a course."""

_RANK: Final = {level: place for place, level in enumerate(RATINGS)}
_PLACES: Final = {surface: place for place, surface in enumerate(SURFACES)}


def peer_levels(matrix: pd.DataFrame, slug: str) -> pd.DataFrame:
    """Compare one platform's level on each surface with the levels of all other platforms.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned, of all platforms.
    slug : str
        The platform.

    Returns
    -------
    pandas.DataFrame
        One row per surface: `surface`, `state` str, `risk`, `level` category and `clauses` Int64 (those to read where the
        state is `to_read`) of the platform; of the others `high`, `med`, `low`, `quiet` (read, nothing found), `to_read`
        (also a level not known), `unread`, `peers` (their sum), `below`, `above` (with a level lower, or higher, than the
        platform's; missing where it has none) Int64; `standing` str (`above most`: more than half of the peers with a
        level are below; `below most`; `usual`; empty where the platform or every peer has no level). Highest level first,
        then most peers below, then the surfaces' own order.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> peers = analysis.peer_levels(matrix, "orvewick-voice")
    >>> peers[["surface", "risk", "below", "above", "standing"]].head(2)
                   surface  risk  below  above    standing
    0         training_use  HIGH    202      0  above most
    1  third_party_sharing  HIGH    199      0  above most
    """
    cells = with_columns(matrix, "peer_levels", "slug", "surface", "risk", "level", "state", "count", "to_read")
    own, others = cells[cells["slug"] == slug], cells[cells["slug"] != slug]
    counts = pd.crosstab(others["surface"], cell_marks(others).str.lower())
    peers = counts.reindex(index=own["surface"], columns=PARTS, fill_value=0)
    rows = [_standing(row, part) for row, part in zip(rows_of(own), rows_of(peers), strict=True)]
    rows.sort(key=lambda row: _place(row["surface"]))
    standing = shaped(rows, STANDING_COLUMNS)
    ranks = standing["level"].map(_RANK).astype("Float64").fillna(-1)
    ordered = standing.assign(rank=ranks, lower=standing["below"].fillna(0))
    ordered = ordered.sort_values(["rank", "lower"], ascending=False, kind="stable", ignore_index=True)
    return ordered[list(STANDING_COLUMNS)]


def _standing(own: Mapping[str, object], peers: Mapping[str, int]) -> dict[str, object]:
    """Return a platform's level on one surface beside the levels of the others: a row of `STANDING_COLUMNS`."""
    rated = [peers[level.lower()] for level in RATINGS]
    row: dict[str, object] = {key: own[key] for key in ("surface", "state", "risk", "level")}
    clauses = own["to_read" if own["state"] == "to_read" else "count"]
    row |= {"clauses": clauses, **peers, "peers": sum(peers.values()), "standing": ""}
    if own["state"] == "found" and own["level"] in RATINGS:
        rank = _RANK[str(own["level"])]
        row |= {"below": sum(rated[:rank]), "above": sum(rated[rank + 1 :])}
        sides = (("above most", sum(rated[:rank])), ("below most", sum(rated[rank + 1 :])))
        if sum(rated):
            row["standing"] = next((words for words, part in sides if 2 * part > sum(rated)), "usual")
    return row


def _place(surface: object) -> int:
    """Return the place of a surface in the surfaces' own order; one never seen comes last."""
    return _PLACES.get(word_of(surface), len(_PLACES))


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
        `stance` str (training use, on the rows of the rating). Days before the platform was tracked are left out, but for
        days between others.

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
    cells = {(row["date"], row["surface"]): row for row in rows_of(told)}
    subjects = sorted({surface for _, surface in cells}, key=lambda surface: (_place(surface), surface))
    rows: list[dict[str, object]] = []
    for day in rows_of(days):
        found, unread = ("found", "unread") if day["state"] == "known" else (day["state"], day["state"])
        head = {"date": day["date"], "subject": RATING, "state": found, "stance": day["stance"]}
        rows.append(head | {"risk": day["rating"], "level": level_of(day["rating"])})
        for subject in subjects:
            cell = cells.get((day["date"], subject), {"risk": None, "state": unread})
            rows.append({**cell, "date": day["date"], "subject": subject, "level": level_of(cell["risk"])})
    return shaped(rows, COURSE_COLUMNS)


def platform_moves(states: pd.DataFrame, changes: pd.DataFrame | None = None) -> pd.DataFrame:
    """List when a platform's rating or stance on training use moved, the latest first.

    Parameters
    ----------
    states : pandas.DataFrame
        `frames.STATES_COLUMNS`; used where the changes are not known.
    changes : pandas.DataFrame, optional
        `frames.CHANGES_COLUMNS` of the platform, of every class; tells the days exactly.

    Returns
    -------
    pandas.DataFrame
        `since` (last day still before; missing where `at` is exact), `at` time, `direction` str (of the rating: `up`,
        `down`, `unclear`, or empty where it stayed), `rating_before`, `rating_after` category, `stance_before`, `stance_after` str,
        `change_id`, `document` str and the list `change_ids` (missing where the change is not known). Documents that
        changed at the same moment are one move: `document` names them all, `change_id` is the first of `change_ids`.

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
        known = days[days["state"] == "known"].sort_values("date")
        told = known[["date", "rating", "stance"]]
        before = told.shift().set_axis(["since", "rating_before", "stance_before"], axis=1)
        sides = pd.concat([before, told.set_axis(["at", "rating_after", "stance_after"], axis=1)], axis=1)
        rows = rows_of(sides[_moved(sides)])
    else:
        recorded = with_columns(changes, "platform_moves", "change_id", "reviewed_at", *SIDES)
        rows = [{**row, "at": row["reviewed_at"]} for row in moved_together(recorded[_moved(recorded)], *SIDES)]
    directions = [rating_direction(row["rating_before"], row["rating_after"]) for row in rows]
    moves = shaped(({**row, "direction": word} for row, word in zip(rows, directions, strict=True)), MOVE_COLUMNS)
    return moves.sort_values(["at", "change_id"], ascending=False, ignore_index=True)


def _moved(sides: pd.DataFrame) -> pd.Series[bool]:
    """Say where the rating or the stance differs between the two sides; not where it was missing before."""
    words = sides[list(SIDES)].astype("str")
    kinds = [(words[f"{key}_before"], words[f"{key}_after"]) for key in ("rating", "stance")]
    rating, stance = (before.notna() & (before != after.fillna("")) for before, after in kinds)
    return rating | stance


def platform_changes(changes: pd.DataFrame) -> pd.DataFrame:
    """List a platform's changes that are worth telling: material ones, and those that moved its rating or stance.

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
    >>> changes[["reviewed_at", "document", "direction", "moved"]].head(2)
                    reviewed_at          document direction  moved
    0 2026-10-25 10:00:01+00:00  Terms of Service        up  False
    1 2026-10-25 10:00:01+00:00    Privacy Policy        up  False
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
        `documents` Int64 (1 or 2: how many documents they stand in). Pairs across documents first, then the surfaces'
        order, then identifiers.

    Examples
    --------
    >>> findings = data.of(["corzothorn-chat"]).findings
    >>> pair = analysis.conflicts(findings).iloc[0]
    >>> for quote in findings.set_index("finding_id").loc[[pair["first"], pair["second"]], "quote"]:
    ...     print(quote)
    We use your conversations to train our models.
    Your trust matters to us: we do not use your conversations to train our models.
    """
    told = records(findings, "conflicts", "finding_id", "surface", "risk", "document")
    listed = {row["finding_id"]: row for row in told}
    pairs = {
        tuple(sorted((row["finding_id"], other), key=lambda key: (-_RANK.get(listed[key]["risk"], -1), key)))
        for row in listed.values()
        for other in items_of(row.get("conflicts_with"))
        if other in listed and other != row["finding_id"]
    }
    rows = []
    for first, second in pairs:
        documents = len({word_of(listed[key]["document"]) for key in (first, second)})
        rows.append({"surface": listed[first]["surface"], "first": first, "second": second, "documents": documents})
    rows.sort(key=lambda row: (-row["documents"], _place(row["surface"]), row["first"], row["second"]))
    return shaped(rows, CONFLICT_COLUMNS)
