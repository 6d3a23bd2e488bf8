"""Analyses of one platform: its levels compared with other platforms, its past ratings, contradictory clauses, a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd

from riskanalytics import models
from riskanalytics.errors import ReportError
from riskanalytics.frames import is_missing, level_of, rows_of
from riskanalytics.pages.rows import day
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural

from .. import shape
from ..changes import MATERIAL_COLUMNS, SIDES, material_row, moved_together, rating_direction
from ..coverage.documents import flag_words
from ..ratings.matrix import cell_marks, mark_of

__all__ = [
    "conflicts", "dossier_sentences", "dossier_title", "peer_levels", "platform_changes", "platform_history", "platform_moves",
]  # fmt: skip

STANDING_COLUMNS: Final = shape.schema(
    "surface state:str risk:rating level:level clauses high med low quiet to_read unread peers below above:Int64 "
    "standing:str"
)
COURSE_COLUMNS: Final = shape.schema("date:time subject state:str risk:rating level:level to_read:Int64 stance:str")
MOVE_COLUMNS: Final = shape.schema(
    "since at:time direction:str rating_before rating_after:rating stance_before stance_after change_id document:str "
    "change_ids:object"
)
CONFLICT_COLUMNS: Final = shape.schema("surface first second:str documents:Int64")
PLATFORM_CHANGE_COLUMNS: Final = {**MATERIAL_COLUMNS, "change_class": "str", "moved": "bool"}
RATING: Final = "rating"

_PEERS: Final = ["high", "med", "low", "quiet", "to_read", "unread"]
_NAMED: Final = 4
_SIDES: Final = {"Higher": "above most", "Lower": "below most"}


def peer_levels(matrix: pd.DataFrame, slug: str) -> pd.DataFrame:
    """Compare one platform's level on each surface with the levels of all other platforms (its peers).

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `risk_matrix` for all platforms.
    slug : str
        The platform to compare.

    Returns
    -------
    pandas.DataFrame
        One row for each surface, the highest level first. Of the platform: `surface`, `state` str, `risk`, `level` category and
        `clauses` Int64 (findings; for the state `to_read`, clauses that a person must read). Numbers of peers, Int64: `high`,
        `med`, `low`, `quiet` (no clause found), `to_read` (clauses to read, or an unknown level), `unread`, `peers` (all of these),
        `below` and `above` (with a lower or higher level; missing if the platform has no level). `standing` str: `above most` if
        more than half of the peers with a level are below, `below most` if more than half are above, else `usual`; empty if no
        levels can be compared.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> peers = analysis.peer_levels(matrix, "orvewick-voice")
    >>> peers[["surface", "risk", "below", "above", "standing"]].head(1)
            surface  risk  below  above    standing
    0  training_use  HIGH    202      0  above most
    """
    cells = shape.with_columns(matrix, "peer_levels", "slug", "surface", "risk", "level", "state", "count", "to_read")
    own, others = cells[cells["slug"] == slug], cells[cells["slug"] != slug]
    counts = pd.crosstab(others["surface"], cell_marks(others).str.lower()).rename_axis(columns=None)
    peers = counts.reindex(own["surface"], columns=_PEERS, fill_value=0).set_axis(own.index).astype("Int64")
    rank, rated = cell_marks(own).map(shape.RANK).astype("Int64"), peers[["high", "med", "low"]].sum(axis=1)
    below = peers["low"] * (rank > 0) + peers["med"] * (rank > 1)
    above = peers["high"] * (rank < 2) + peers["med"] * (rank < 1)
    standing = pd.Series("usual", own.index).mask(2 * above > rated, "below most").mask(2 * below > rated, "above most")
    counted = {"clauses": own["count"].mask(own["state"] == "to_read", own["to_read"]), "peers": peers.sum(axis=1)}
    levels = own[["surface", "state", "risk", "level"]].join(peers).assign(**counted, below=below, above=above)
    levels = levels.assign(standing=standing.where(rank.notna() & (rated > 0), ""), rank=rank.fillna(-1))
    return shape.cut_to(shape.ordered(levels, "-rank", "-below", "surface"), STANDING_COLUMNS)


def platform_history(states: pd.DataFrame, surfaces: pd.DataFrame) -> pd.DataFrame:
    """Return a platform's rating and its level on every surface on several days.

    Parameters
    ----------
    states, surfaces : pandas.DataFrame
        The attributes of these names in the result of `data.past_states`: the platform's ratings and levels on each day.

    Returns
    -------
    pandas.DataFrame
        One row for each day and subject: `date` time, `subject` str (`rating`, then the surfaces in order), `state` str
        (`found`; `to_read`: only clauses that a person must read; `quiet`: no clause found; `unread`, `untracked` or
        `not known`), `risk` category (the rating or level), `level` category (the same; UNKNOWN if it is not LOW, MED or
        HIGH), `to_read` Int64 (number of clauses to read), `stance` str (on training use; only in the rows of the rating). The
        first days are left out if the platform was not tracked yet.

    Examples
    --------
    >>> course = data.past_states("elravane-studio", quarters=3)
    >>> history = analysis.platform_history(course.states, course.surfaces)
    >>> history.query("subject == 'rating'")[["date", "risk", "stance"]].head(2)
                            date  risk             stance
    0  2026-03-31 00:00:00+00:00  HIGH  trains_by_default
    13 2026-06-30 00:00:00+00:00   MED    depends_on_plan
    """
    days = shape.with_columns(states, "platform_history", "date", "state", "rating", "stance").sort_values("date")
    days = days[days["state"].ne("untracked").cummax()]
    levels = shape.with_columns(surfaces, "platform_history", "date", "surface", "risk", "state")
    levels = levels.rename(columns={"surface": "subject"}).drop(columns="stance", errors="ignore")
    known = days["state"] == "known"
    rating = days.assign(subject=RATING, risk=days["rating"], state=days["state"].mask(known, "found"))
    unread = days[["date"]].assign(otherwise=days["state"].mask(known, "unread"))
    cells = unread.merge(levels[["subject"]].drop_duplicates(), "cross").merge(levels, "left", ["date", "subject"])
    history = pd.concat([rating, cells.assign(state=cells["state"].fillna(cells["otherwise"]))], ignore_index=True)
    place = shape.surface_places(history["subject"]).mask(history["subject"] == RATING, -1)
    history = history.assign(level=level_of(history["risk"]), place=place)
    return shape.cut_to(shape.ordered(history, "date", "place", "subject"), COURSE_COLUMNS)


def platform_moves(states: pd.DataFrame, changes: pd.DataFrame | None = None) -> pd.DataFrame:
    """List when a platform's rating, or its stance on training use, moved to another value; the latest move first.

    Parameters
    ----------
    states : pandas.DataFrame
        `data.past_states(slug).states`: rating and stance on some past days. Used only without `changes`.
    changes : pandas.DataFrame, optional
        All recorded changes of the platform (`data.changes()`), of every class. They give the exact times.

    Returns
    -------
    pandas.DataFrame
        `since`, `at` time: with `changes`, `at` is the exact time, and `since` is missing; without, `since` and `at` are the
        two days of `states` between which the rating or stance moved. `direction` str (of the rating: `up`, `down`, `unclear`;
        empty if only the stance moved), `rating_before`, `rating_after` category, `stance_before`, `stance_after` str;
        `change_id`, `document` str, `change_ids` list (missing without `changes`). Changes with the same time and effect are
        one row: `document` joins their documents.

    Examples
    --------
    >>> states = data.past_states("elravane-studio").states
    >>> moves = analysis.platform_moves(states, data.of(["elravane-studio"]).changes())
    >>> moves[["at", "direction", "rating_before", "rating_after"]]
                             at direction rating_before rating_after
    0 2026-06-13 16:02:00+00:00      down          HIGH          MED
    """
    if changes is None:
        days = shape.with_columns(states, "platform_moves", "date", "state", "rating", "stance")
        known = days.loc[days["state"] == "known", ["date", "rating", "stance"]].sort_values("date")
        sides = known.add_suffix("_after").join(known.shift().add_suffix("_before"))
        rows = rows_of(sides[_moved(sides)].rename(columns={"date_before": "since", "date_after": "at"}))
    else:
        recorded = shape.with_columns(changes, "platform_moves", "change_id", "reviewed_at", *SIDES)
        rows = [row | {"at": row["reviewed_at"]} for row in moved_together(recorded[_moved(recorded)], *SIDES)]
    moves_ = (row | {"direction": rating_direction(row["rating_before"], row["rating_after"])} for row in rows)
    return shape.ordered(shape.shaped(moves_, MOVE_COLUMNS), "-at", "-change_id")


def _moved(sides: pd.DataFrame) -> pd.Series[bool]:
    """Return whether the rating or stance changed, and was known before."""
    words = sides[list(SIDES)].astype("str")
    before, after = words[list(SIDES[::2])], words[list(SIDES[1::2])].fillna("").set_axis(list(SIDES[::2]), axis=1)
    return (before.notna() & (before != after)).any(axis=1)


def platform_changes(changes: pd.DataFrame) -> pd.DataFrame:
    """List a platform's material changes, and other changes that moved its rating or stance.

    Parameters
    ----------
    changes : pandas.DataFrame
        All recorded changes of the platform (`data.changes()`), of every class.

    Returns
    -------
    pandas.DataFrame
        One row for each change, the latest first: the columns of the result of `material_changes`, then `change_class` str
        and `moved` bool (True if the change moved the rating or the stance).

    Examples
    --------
    >>> changes = analysis.platform_changes(data.of(["search-by-isfigrove"]).changes())
    >>> changes[["reviewed_at", "document", "direction", "moved"]].head(1)
                    reviewed_at          document direction  moved
    0 2026-10-25 10:00:01+00:00  Terms of Service        up  False
    """
    recorded = shape.with_columns(changes, "platform_changes", "change_class", "reviewed_at", *SIDES)
    moved = _moved(recorded)
    kept = recorded.assign(moved=moved)[moved | (recorded["change_class"] == "material")]
    rows = rows_of(shape.ordered(kept, "-reviewed_at", "-change_id"))
    return shape.shaped(({**row, **material_row(row)} for row in rows), PLATFORM_CHANGE_COLUMNS)


def conflicts(findings: pd.DataFrame) -> pd.DataFrame:
    """List the pairs of clauses of one platform that contradict each other.

    Parameters
    ----------
    findings : pandas.DataFrame
        The platform's findings (`data.findings`).

    Returns
    -------
    pandas.DataFrame
        `surface` str (of the first clause), `first`, `second` str (identifiers of both clauses, higher level first; no pair twice),
        `documents` Int64 (1 if both clauses are in the same document, else 2). Pairs across documents first, then in the
        order of the surfaces, then of the identifiers.

    Examples
    --------
    >>> findings = data.of(["corzothorn-chat"]).findings
    >>> pair = analysis.conflicts(findings).iloc[0]
    >>> print(findings.set_index("finding_id").loc[pair["second"], "quote"])
    Your trust matters to us: we do not use your conversations to train our models.
    """
    listed = shape.records(findings, "conflicts", "finding_id", "surface", "risk", "document", "conflicts_with")
    rows = {row["finding_id"]: row for row in listed}
    pairs = {
        tuple(sorted((one, other), key=lambda key: (-shape.RANK.get(rows[key]["risk"], -1), key)))
        for one, row in rows.items()
        for other in shape.items_of(row["conflicts_with"])
        if other in rows and other != one
    }
    both = [
        {"surface": rows[first]["surface"], "first": first, "second": second}
        | {"documents": len({shape.word_of(rows[one]["document"]) for one in (first, second)})}
        for first, second in pairs
    ]
    return shape.ordered(shape.shaped(both, CONFLICT_COLUMNS), "-documents", "surface", "first", "second")


def dossier_title(platform: shape.Record, stance: object) -> str:
    """Return the title of a platform's dossier: name, rating, and answer on training use.

    Parameters
    ----------
    platform : mapping
        The platform's row of `data.platforms`.
    stance : object
        The platform's stance on training use. If it is missing, the title does not mention it.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> analysis.dossier_title(one.platforms.iloc[0], one.training_use["stance"].iloc[0])
    'Orvewick Voice: rated HIGH, training: trains, no opt-out found'
    """
    rating = f"rated {platform['rating']}" if platform["rating"] in models.RATINGS else "not rated"
    said = "" if is_missing(stance) else f", training: {models.stance_name(str(stance)).lower()}"
    return f"{shape.word_of(platform['name']) or platform['slug']}: {rating}{said}"


def dossier_sentences(
    standing: pd.DataFrame,
    training_use: pd.DataFrame,
    moves: pd.DataFrame,
    changes: pd.DataFrame | None,
    states: pd.DataFrame,
    documents: pd.DataFrame,
    findings: pd.DataFrame | None = None,
) -> tuple[str, ...]:
    """Sum up one platform in five sentences: levels, comparison with peers, training use, last rating change, documents.

    Parameters
    ----------
    standing, moves, documents : pandas.DataFrame
        Results of `peer_levels`, `platform_moves` and `freshness` for the platform.
    training_use, states : pandas.DataFrame
        The platform's row of `data.training_use`, and `data.past_states(slug).states`.
    changes : pandas.DataFrame or None
        `data.changes()` of the platform; None if the key of the service gives no access to changes.
    findings : pandas.DataFrame, optional
        The platform's findings. Without them no sentence mentions a missing opt-out.

    Returns
    -------
    tuple of str
        The five sentences in that order, as text without HTML escapes.

    Examples
    --------
    >>> one, slug = data.of(["orvewick-voice"]), "orvewick-voice"
    >>> standing = analysis.peer_levels(analysis.risk_matrix(data.findings, data.surfaces, data.platforms), slug)
    >>> states, changes = one.past_states(slug, 4).states, one.changes()
    >>> moves, fresh = analysis.platform_moves(states, changes), analysis.freshness(one.documents, one.day)
    >>> analysis.dossier_sentences(standing, one.training_use, moves, changes, states, fresh, one.findings)[2]
    'Training use: it trains on user content by default, and no opt-out was found.'
    """
    if training_use.empty:
        raise ReportError("dossier_sentences: the frame training_use has no rows; give the row of the platform")
    rows, training = rows_of(standing), _training(rows_of(training_use)[0], findings)
    last = _last_move(moves, changes, states)
    return _levels(rows), f"{'. '.join(peers_said(rows))}.", training, last, _documents(rows_of(documents))


def own_words(row: shape.Record) -> str:
    """Return a phrase that says why a platform has no level on a surface; `row` is a row of `peer_levels`."""
    return models.state_words(mark_of(row).lower(), 0 if is_missing(row["clauses"]) else int(row["clauses"]))


def surfaces_where(rows: Sequence[shape.Record], key: str, value: str) -> list[str]:
    """Return the names of the surfaces whose row of `peer_levels` (in `rows`) has `value` in the column `key`."""
    return [surface_name(str(row["surface"])) for row in rows if row[key] == value]


def _levels(rows: Sequence[shape.Record]) -> str:
    """Return the number of surfaces at each level, and why the other surfaces have no level."""
    whole, marks = plural(len(rows), "surface"), Counter(map(mark_of, rows))
    high = listed(surfaces_where(rows, "level", "HIGH"), _NAMED)
    first = f"Rated HIGH on {marks['HIGH']} of {whole}: {high}" if high else f"None of {whole} is rated HIGH"
    words = {"MED": "MED", "LOW": "LOW", "QUIET": "without a clause", "TO_READ": "to be read", "UNREAD": "not read"}
    rest = joined([f"{said} on {marks[mark]}" for mark, said in words.items() if marks[mark]])
    return f"{first}{rest and f'; {rest}'}."


def peers_said(rows: Sequence[shape.Record]) -> list[str]:
    """Return sentences that name the surfaces on which a platform's level is above or below that of most other platforms.

    If there are no such surfaces or no other platforms, one sentence says so. `rows` are the rows of `peer_levels`.
    """
    count = max((int(row["peers"]) for row in rows), default=0)
    if not count:
        return ["There is no other platform to compare with"]
    peers, compared = plural(count, "other platform"), sum(bool(row["standing"]) for row in rows)
    named = {word: listed(surfaces_where(rows, "standing", side), _NAMED) for word, side in _SIDES.items()}
    none = f"Typical of {peers}: no surface is unusually high or low ({compared} of {len(rows)} can be compared)"
    return [f"{word} than most of {peers} on {names}" for word, names in named.items() if names] or [none]


def _training(row: shape.Record, findings: pd.DataFrame | None) -> str:
    """Return whether the platform trains on user content, by audience if the answers differ."""
    stance = row["stance"]
    if is_missing(stance):
        return "Whether it trains on user content is not known."
    if stance == "silent":
        return "No clause on training use was found."
    plans = {"for consumers, ": row["consumer_stance"], "for business customers, ": row["business_stance"]}
    sides = {words: said for words, said in plans.items() if not is_missing(said) and said != "silent"}
    sides = sides if len(set(sides.values())) > 1 else {"": stance}
    return f"Training use: {'; '.join(f'{words}it {_said(said, findings)}' for words, said in sides.items())}."


def _said(stance: str, findings: pd.DataFrame | None) -> str:
    """Return a stance as the end of a sentence about the platform."""
    said = models.STANCE_CLAUSES.get(stance) or f"is reported as {models.stance_name(stance).lower()}"
    if stance != "trains_by_default" or findings is None:
        return said
    own = findings[(findings["surface"] == "training_use") & (findings["polarity"] == "mitigates_risk")]
    some = own["quote"].map(models.names_way_out).any()
    return f"{said}, and {'only some users can opt out or object' if some else 'no opt-out was found'}"


def _last_move(moves: pd.DataFrame, changes: pd.DataFrame | None, states: pd.DataFrame) -> str:
    """Return when the rating last changed, as exactly as the data say, and how many changes are recorded."""
    last = next((row for row in rows_of(moves) if row["direction"]), {})
    went = f", from {' to '.join(shape.word_of(last[side]) or 'not known' for side in SIDES[:2])}" if last else ""
    if changes is None:
        known = states.loc[states["state"] == "known", "date"]
        if len(known) < 2:
            return "Past ratings are not known: this key shows neither changes nor past states."
        if last:
            return f"Its rating last changed between {day(last['since'])} and {day(last['at'])}{went}."
        return f"Its rating was the same on all {len(known)} days read since {day(known.iloc[0])}."
    if changes.empty:
        return "No change is recorded."
    material = int((changes["change_class"] == "material").sum())
    since = f"Its rating has not changed since the first recorded change, {day(changes['reviewed_at'].min())}"
    moved = f"Its rating last changed on {day(last['at'])}{went}" if last else since
    return f"{moved}; of {plural(len(changes), 'recorded change')}, {plural(material, 'is', 'are')} material."


def _documents(rows: Sequence[shape.Record]) -> str:
    """Return how many documents could be read, and which could not."""
    if not rows:
        return "Which documents were read is not known."
    bad = [f"{row['document']} ({flag_words(row)})" for row in rows if row["flag"] not in ("", "unchanged")]
    if not bad:
        return f"All documents could be read ({len(rows)})."
    return f"Of {plural(len(rows), 'document')}, {plural(len(bad), 'needs', 'need')} attention: {listed(bad, _NAMED)}."
