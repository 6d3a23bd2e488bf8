"""One platform: where it stands among the others, its course, its moves, and where its documents disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import LEVEL_DTYPE, TIME
from riskanalytics.models import RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.changes.analysis import MATERIAL_COLUMNS, rating_direction, told_change
from riskanalytics.topics.shape import is_missing, items_of, level_of, records, shaped, word_of

__all__ = ["conflicts", "peer_levels", "platform_changes", "platform_history", "platform_moves"]

STANDING_COLUMNS: Final = {
    "surface": "str",
    "state": "str",
    "risk": "str",
    "level": LEVEL_DTYPE,
    "clauses": "Int64",
    "high": "Int64",
    "med": "Int64",
    "low": "Int64",
    "quiet": "Int64",
    "unknown": "Int64",
    "peers": "Int64",
    "below": "Int64",
    "above": "Int64",
    "standing": "str",
}
COURSE_COLUMNS: Final = {
    "date": TIME,
    "subject": "str",
    "state": "str",
    "risk": "str",
    "level": LEVEL_DTYPE,
    "stance": "str",
}
MOVE_COLUMNS: Final = {
    "since": TIME,
    "at": TIME,
    "direction": "str",
    "rating_before": "str",
    "rating_after": "str",
    "stance_before": "str",
    "stance_after": "str",
    "change_id": "str",
}
CONFLICT_COLUMNS: Final = {"surface": "str", "first": "str", "second": "str", "documents": "Int64"}
PLATFORM_CHANGE_COLUMNS: Final = {**MATERIAL_COLUMNS, "change_class": "str", "moved": "bool"}
RATING: Final = "rating"
"""Subject of the rating itself in a course."""

_SIDES: Final = ("rating_before", "rating_after", "stance_before", "stance_after")
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
        One row per surface: `surface`, `state`, `risk` str, `level` category and `clauses` Int64 of the platform; of the
        others `high`, `med`, `low`, `quiet` (read, nothing found), `unknown` (not read, or a level not known), `peers`
        (their sum), `below`, `above` (with a level lower, or higher, than the platform's; missing where it has none)
        Int64; `standing` str (`above most`: more than half of the peers with a level are below; `below most`; `usual`;
        empty where the platform or every peer has no level). Highest level first, then most peers below, then the
        surfaces' own order.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> peers = analysis.peer_levels(matrix, "orvewick-voice")
    >>> peers[["surface", "risk", "below", "above", "standing"]].head(2)
               surface  risk  below  above    standing
    0  content_license  HIGH    237      0  above most
    1     training_use  HIGH    202      0  above most
    """
    own, others = [], defaultdict(list)
    for row in records(matrix, "peer_levels", "slug", "surface", "risk", "level", "state", "count"):
        if row["slug"] == slug:
            own.append(row)
        else:
            others[row["surface"]].append(row)
    rows = [_standing(row, others[row["surface"]]) for row in own]
    rows.sort(key=lambda row: (-_RANK.get(row["level"], -1), -(row["below"] or 0), _place(row["surface"])))
    return shaped(rows, STANDING_COLUMNS)


def _standing(own: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a platform's level on one surface beside the levels of the others: a row of `STANDING_COLUMNS`."""
    found = Counter(row["level"] for row in others if row["state"] == "found")
    quiet = sum(row["state"] == "quiet" for row in others)
    rank = _RANK.get(own["level"]) if own["state"] == "found" else None
    below = above = None
    if rank is not None:
        below = sum(found[level] for level, place in _RANK.items() if place < rank)
        above = sum(found[level] for level, place in _RANK.items() if place > rank)
    rated = sum(found[level] for level in RATINGS)
    told = ("above most", below), ("below most", above)
    standing = next((words for words, part in told if 2 * (part or 0) > rated), "usual")
    return {
        **{key: own[key] for key in ("surface", "state", "risk", "level")},
        "clauses": own["count"],
        **{level.lower(): found[level] for level in RATINGS},
        "quiet": quiet,
        "unknown": len(others) - quiet - rated,
        "peers": len(others),
        "below": below,
        "above": above,
        "standing": "" if rank is None or not rated else standing,
    }


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
        (`found`, `quiet`, `unread`, `untracked`, `not known`), `risk` str, `level` category, `stance` str (training use,
        on the rows of the rating). Days before the platform was tracked are left out, but for days between others.

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
    days = sorted(records(states, "platform_history", "date", "state", "rating", "stance"), key=lambda row: row["date"])
    while days and days[0]["state"] == "untracked":
        days.pop(0)
    cells = {
        (row["date"], row["surface"]): row
        for row in records(surfaces, "platform_history", "date", "surface", "risk", "state")
    }
    subjects = sorted({surface for _, surface in cells}, key=lambda surface: (_place(surface), surface))
    rows = []
    for day in days:
        known = day["state"] == "known"
        head = {"date": day["date"], "subject": RATING, "state": "found" if known else day["state"]}
        rows.append(head | {"risk": day["rating"], "level": level_of(day["rating"]), "stance": day["stance"]})
        for subject in subjects:
            cell = cells.get((day["date"], subject), {"risk": None, "state": "unread" if known else day["state"]})
            told = {key: cell[key] for key in ("risk", "state")}
            rows.append({"date": day["date"], "subject": subject, "level": level_of(cell["risk"]), **told})
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
        `down`, `unclear`, or empty where it stayed), `rating_before`, `rating_after`, `stance_before`, `stance_after` str,
        `change_id` str (missing where the change is not known).

    Examples
    --------
    >>> states = data.past_states("elravane-studio").states
    >>> moves = analysis.platform_moves(states, data.of(["elravane-studio"]).changes())
    >>> moves[["at", "direction", "rating_before", "rating_after"]]
                             at direction rating_before rating_after
    0 2026-06-13 16:02:00+00:00      down          HIGH          MED
    """
    if changes is None:
        known = sorted(
            records(states, "platform_moves", "date", "state", "rating", "stance"), key=lambda row: row["date"]
        )
        pairs = pairwise([row for row in known if row["state"] == "known"])
        rows = [_between(before, after) for before, after in pairs]
    else:
        listed = records(changes, "platform_moves", "change_id", "reviewed_at", *_SIDES)
        rows = [
            {**{key: row[key] for key in _SIDES}, "at": row["reviewed_at"], "change_id": row["change_id"]}
            for row in listed
        ]
    moved = [
        row | {"direction": rating_direction(row["rating_before"], row["rating_after"])} for row in rows if _moved(row)
    ]
    moved.sort(key=_moment, reverse=True)
    return shaped(moved, MOVE_COLUMNS)


def _between(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the ratings and stances of two days as a row of `MOVE_COLUMNS` but for its direction."""
    sides = {
        f"{key}_{side}": row[key]
        for side, row in (("before", before), ("after", after))
        for key in ("rating", "stance")
    }
    return {"since": before["date"], "at": after["date"], "change_id": None, **sides}


def _moved(row: dict[str, Any]) -> bool:
    """Say whether the rating or the stance differs between the two sides of a row; not where it was missing before."""
    return any(
        word_of(row[f"{key}_before"]) != word_of(row[f"{key}_after"]) and not is_missing(row[f"{key}_before"])
        for key in ("rating", "stance")
    )


def _moment(row: dict[str, Any]) -> tuple[bool, Any, str]:
    """Return the sort key of a move or change by its time; those without a date come first."""
    at = row.get("at", row.get("reviewed_at"))
    dated = not is_missing(at)
    return (dated, at if dated else 0, word_of(row["change_id"]))


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
    0 2026-10-25 10:00:01+00:00  Terms of Service        up   True
    1 2026-10-25 10:00:01+00:00    Privacy Policy        up   True
    """
    rows = [
        {**told_change(row)} | {"change_class": row["change_class"], "moved": _moved(row)}
        for row in records(changes, "platform_changes", "change_class", "reviewed_at", *_SIDES)
        if row["change_class"] == "material" or _moved(row)
    ]
    rows.sort(key=_moment, reverse=True)
    return shaped(rows, PLATFORM_CHANGE_COLUMNS)


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
    listed = {
        row["finding_id"]: row for row in records(findings, "conflicts", "finding_id", "surface", "risk", "document")
    }
    pairs = {
        tuple(sorted((row["finding_id"], other), key=lambda key: (-_RANK.get(listed[key]["risk"], -1), key)))
        for row in listed.values()
        for other in items_of(row.get("conflicts_with"))
        if other in listed and other != row["finding_id"]
    }
    rows = [
        {
            "surface": listed[first]["surface"],
            "first": first,
            "second": second,
            "documents": len({word_of(listed[key]["document"]) for key in (first, second)}),
        }
        for first, second in pairs
    ]
    rows.sort(key=lambda row: (-row["documents"], _place(row["surface"]), row["first"], row["second"]))
    return shaped(rows, CONFLICT_COLUMNS)
