"""Comparison of some platforms: their levels, the clauses that decide the levels, and the changes that moved them."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pandas as pd

from riskanalytics.frames import FINDINGS_COLUMNS, level_of, rows_of
from riskanalytics.frames.building import records_of

from .. import shape
from ..changes import MATERIAL_COLUMNS, Moment, material_changes
from ..ratings.matrix import MATRIX_COLUMNS

__all__ = ["compared_platforms", "comparison", "comparison_changes", "comparison_clauses", "comparison_shown"]

COMPARISON_COLUMNS: Final = shape.schema(
    "surface relation:str spread place:Int64 slug name label state:str risk:rating level:level standing:str clauses "
    "to_read:Int64 confidence confidence_low confidence_high:Float64"
)
COMPARED_COLUMNS: Final = shape.schema(
    "place:Int64 slug name label:str rating:rating level:level verification stance consumer_stance "
    "business_stance:str lowest highest silent undetermined unread surfaces documents flagged:Int64 newest_text_at "
    "oldest_text_at:time newest_days:Int64"
)
CLAUSE_COLUMNS: Final = {**shape.dtypes(FINDINGS_COLUMNS, *FINDINGS_COLUMNS), "decides": "bool"}
MOVED_COLUMNS: Final = {**MATERIAL_COLUMNS, "place": "Int64"}
RELATIONS: Final = ("levels", "answers", "silence", "not known", "agree")
"""Relations between platforms on a surface, in the order in which `comparison` sorts them; the first three are differences."""
DIFFERENCES: Final = RELATIONS[:3]
CHANGES_SHOWN: Final = 2
"""Maximum number of changes of one platform that a page shows in full."""

_CELL: Final = ["slug", "surface"]
_COUNTED: Final = ["lowest", "highest", "silent", "undetermined", "not read"]
_ANSWERS: Final = ["consumer_stance", "business_stance", "stance"]
_UNREAD: Final = ("broken", "stale", "not_a_policy", "language", "no date")


def comparison(
    matrix: pd.DataFrame,
    surfaces: pd.DataFrame,
    findings: pd.DataFrame,
    training_use: pd.DataFrame,
    slugs: Sequence[str],
) -> pd.DataFrame:
    """Compare the levels of some platforms on every surface.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `risk_matrix`, with at least these platforms.
    surfaces, findings, training_use : pandas.DataFrame
        The frames of a data set with these names, such as `data.surfaces`.
    slugs : sequence of str
        The platforms, in the order in which to show them.

    Returns
    -------
    pandas.DataFrame
        One row for each surface and platform:

        - `surface` str
        - `relation` str, how all the platforms compare on the surface: `levels` (known levels differ), `answers` (training use
          only: same level, but different stances for consumers or business users), `silence` (some have a clause, others were
          read and have none), `not known` (no known difference, but some levels are unknown) or `agree`
        - `spread` Int64: number of steps from the lowest to the highest known level, such as 2 from LOW to HIGH
        - `place` Int64: position of the platform in `slugs`, from 1
        - `slug`, `name`, `label` str: the label is the name, followed by the slug if another platform has the same name
        - `state` str, `risk`, `level` category, as in `risk_matrix`
        - `standing` str, how the platform compares with the others: `lowest`, `between` or `highest` if levels differ, else
          `same`; `alone` (the only platform with a known level), `silent` (read, no clause), `undetermined` (only clauses that
          a person must read) or `not read`
        - `clauses`, `to_read` Int64: numbers of findings, and of clauses that a person must read
        - `confidence`, `confidence_low`, `confidence_high` Float64: of the clause with the highest confidence among those that
          decide the level

        Surfaces are sorted by `relation` in the order above, then by spread, highest level and number of pairs of platforms that
        differ (largest first), then in the usual order of surfaces.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> both[["surface", "label", "level", "standing"]].head(2)
            surface             label level standing
    0  training_use    Orvewick Voice  HIGH  highest
    1  training_use  Agent by Yoralow   LOW   lowest
    """
    cells = _placed(shape.with_columns(matrix, "comparison", *MATRIX_COLUMNS), slugs)
    answers = training_use[training_use["slug"].isin(cells["slug"])]
    state, undetermined = cells["state"], answers.loc[answers["stance"] == "undetermined", "slug"]
    open_ = (state == "found") & (cells["level"] == "UNKNOWN")
    # a service that reports no clauses to read may report the surface as quiet
    open_ |= (state == "quiet") & (cells["surface"] == "training_use") & cells["slug"].isin(undetermined)
    cells["state"] = state.mask(open_, "to_read")
    cells["rank"] = cells["level"].cat.codes.where(cells["state"] == "found")
    by_plan = answers[_ANSWERS].replace(["silent", "undetermined"], pd.NA).nunique()
    related = _with_standing(cells.join(_relations(cells, bool((by_plan > 1).any())), on="surface"))
    deciding = _deciding(surfaces, findings, slugs)
    surest = deciding.loc[deciding["decides"], [*_CELL, "confidence", "confidence_low", "confidence_high"]]
    placed = shape.ordered(related, "relation", "-spread", "-highest", "-pairs", "surface", "place")
    return shape.cut_to(placed.merge(surest.drop_duplicates(_CELL), "left", _CELL), COMPARISON_COLUMNS)


def _placed(matrix: pd.DataFrame, slugs: Sequence[str]) -> pd.DataFrame:
    """Return the cells of some platforms, with their positions and unique labels."""
    names = matrix.drop_duplicates("slug").set_index("slug")["name"]
    names = names[[slug for slug in dict.fromkeys(slugs) if slug in names]]
    labels = names.mask(names.str.casefold().duplicated(keep=False), names + " (" + names.index + ")")
    cells = matrix[matrix["slug"].isin(names.index)].rename(columns={"count": "clauses"})
    places = pd.Series(range(1, len(names) + 1), names.index, dtype="Int64")
    return cells.assign(place=cells["slug"].map(places), label=cells["slug"].map(labels))


def _relations(cells: pd.DataFrame, by_plan: bool) -> pd.DataFrame:
    """Return the relation between the platforms on each surface, and the sort keys of the surfaces."""
    ranks = cells.groupby("surface")["rank"]
    by = ranks.agg(known="count", lowest="min", highest="max", size="size")
    quiet = (cells["state"] == "quiet").groupby(cells["surface"]).sum()
    held = (
        by["lowest"] < by["highest"],
        (by.index == "training_use") & by_plan,
        (by["known"] > 0) & (quiet > 0),
        by["known"] + quiet < by["size"],
    )
    return by.assign(
        relation=pd.Categorical(np.select(held, RELATIONS[:-1], RELATIONS[-1]), RELATIONS, ordered=True),
        spread=(by["highest"] - by["lowest"]).fillna(0),
        pairs=ranks.agg(lambda own: own.count() ** 2 - (own.value_counts() ** 2).sum()),
    )


def _with_standing(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with the standing of each platform among those with a known level on the surface."""
    rank, state, lowest, highest = (cells[name] for name in ("rank", "state", "lowest", "highest"))
    held = {
        "undetermined": state == "to_read",
        "silent": state == "quiet",
        "not read": rank.isna(),
        "alone": cells["known"] == 1,
        "same": lowest == highest,
        "highest": rank == highest,
        "lowest": rank == lowest,
    }
    return cells.assign(standing=np.select(list(held.values()), list(held), "between"))


def _deciding(surfaces: pd.DataFrame, findings: pd.DataFrame, slugs: Iterable[str]) -> pd.DataFrame:
    """Return the deciding clauses, the weightiest of each surface first. If the service names none, return all at the level."""
    cells = surfaces.reindex(columns=[*_CELL, "risk", "decided_by"])
    clauses = findings[findings["slug"].isin(slugs)].merge(cells, "left", _CELL, suffixes=("", "_cell"))
    pairs = zip(clauses["finding_id"], clauses["decided_by"], strict=True)
    clauses["decides"] = [one in shape.items_of(named) for one, named in pairs]
    weight = 1 + shape.severities(clauses["risk"]) + len(shape.SEVERITY) * clauses["duplicate_of"].notna()
    weight = weight.mask(clauses["decides"], 0)
    chosen = clauses[weight == weight.groupby([clauses[name] for name in _CELL]).transform("min")]
    rows = sorted(rows_of(chosen), key=lambda row: (row["risk"] != row["risk_cell"], *shape.clause_rank(row)))
    return shape.shaped(rows, CLAUSE_COLUMNS)


def comparison_clauses(
    comparison: pd.DataFrame, surfaces: pd.DataFrame, findings: pd.DataFrame, most: int = 3
) -> pd.DataFrame:
    """List the clauses that decide each platform's level on each surface.

    Parameters
    ----------
    comparison, surfaces, findings : pandas.DataFrame
        Result of `comparison`, and the frames `surfaces` and `findings` from which it was made.
    most : int
        Maximum number of clauses of one platform on one surface.

    Returns
    -------
    pandas.DataFrame
        The findings (`frames.FINDINGS_COLUMNS`), with `decides` bool: True if the service says that the clause decides the
        level. If the service names no such clause for a surface, the clauses of the highest level are listed instead. In the
        order of `comparison`. For each platform and surface, clauses whose risk equals the platform's level come first, then
        those with the highest risk, then those with the highest confidence.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> analysis.comparison_clauses(both, pair.surfaces, pair.findings)["quote"].iloc[0]
    'We use this content to train new versions of the models.'
    """
    spoken = comparison.loc[comparison["state"].isin(["found", "to_read"]), _CELL]
    clauses = spoken.merge(_deciding(surfaces, findings, spoken["slug"]), on=_CELL)
    return shape.cut_to(clauses.groupby(_CELL, sort=False).head(most), CLAUSE_COLUMNS)


def compared_platforms(
    comparison: pd.DataFrame, platforms: pd.DataFrame, training_use: pd.DataFrame, freshness: pd.DataFrame
) -> pd.DataFrame:
    """Sum up each compared platform: rating, stances on training use, how often it is lowest or highest, age of its texts.

    Parameters
    ----------
    comparison, freshness : pandas.DataFrame
        Results of `analysis.comparison` and `analysis.freshness`.
    platforms, training_use : pandas.DataFrame
        The frames of a data set with these names, such as `data.platforms`.

    Returns
    -------
    pandas.DataFrame
        One row for each platform, in the order of `place`:

        - `place` Int64 (position of the platform in the comparison, from 1), `slug`, `name`, `label` str (the name, followed by
          the slug if another platform has the same name)
        - `rating`, `level` category, `verification` str
        - `stance`, `consumer_stance`, `business_stance` str; if the surface `training_use` was not read, a missing value replaces
          the stance `silent`
        - `lowest`, `highest` Int64: numbers of surfaces on which the platforms differ and this platform has the lowest or highest
          level, alone or tied
        - `silent`, `undetermined`, `unread` Int64: numbers of surfaces with the `standing` of this name (`unread`: `not read`);
          `surfaces` Int64: number of all surfaces
        - `documents`, `flagged` Int64: numbers of all documents, and of those whose newest capture could not be read
        - `newest_text_at`, `oldest_text_at` time, `newest_days` Int64 (age of the newest text)

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> fresh = analysis.freshness(pair.documents, pair.day)
    >>> analysis.compared_platforms(both, pair.platforms, pair.training_use, fresh)["lowest"].tolist()
    [0, 8]
    """
    answers, slugs = training_use.set_index("slug")[_ANSWERS], comparison["slug"]
    unread = slugs[(comparison["surface"] == "training_use") & (comparison["state"] == "unread")]
    silent = (answers == "silent").mul(answers.index.isin(unread), axis=0)
    texts = freshness.assign(days=freshness["age_days"].clip(0), flagged=freshness["flag"].isin(_UNREAD))
    by_slug = texts.groupby("slug")
    texts = by_slug.agg(documents=("slug", "size"), flagged=("flagged", "sum"), newest_days=("days", "min"))
    captured = by_slug["captured_at"].agg(newest_text_at="max", oldest_text_at="min")
    counts = pd.crosstab(slugs, comparison["standing"]).reindex(columns=_COUNTED, fill_value=0)
    counts["surfaces"] = slugs.value_counts()
    rated = platforms.set_index("slug")[["rating", "verification"]]
    heads = comparison.drop_duplicates("slug")[["place", "slug", "name", "label"]].sort_values("place")
    for facts in (rated, answers.mask(silent), counts, texts, captured):
        heads = heads.join(facts, on="slug")
    heads = heads.fillna({"documents": 0, "flagged": 0}).rename(columns={"not read": "unread"})
    return shape.cut_to(heads.assign(level=level_of(heads["rating"])), COMPARED_COLUMNS)


def comparison_changes(
    changes: pd.DataFrame, comparison: pd.DataFrame, since: Moment | None = None, until: Moment | None = None
) -> pd.DataFrame:
    """List the material changes that moved the risk on surfaces where the platforms differ now.

    Parameters
    ----------
    changes, comparison : pandas.DataFrame
        Changes of all classes (`frames.CHANGES_COLUMNS`), and the result of `comparison`.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC. By default all changes are listed.

    Returns
    -------
    pandas.DataFrame
        Columns as in `material_changes`, but `name` is followed by the slug if another platform has the same name; and `place`
        Int64, the position of the platform in the comparison, from 1. Only changes with the direction `up`, `down` or `mixed`
        that concern a surface on which the platforms differ. The columns `surfaces`, `added`, `removed` and `altered` contain the
        items of such surfaces only. Sorted by `place`, the latest first.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> analysis.comparison_changes(pair.changes(), both)["surfaces"].tolist()
    [['ip_liability'], ['web_data_training']]
    """
    heads = comparison.drop_duplicates("slug").set_index("slug")
    differing = set(comparison.loc[comparison["relation"].isin(DIFFERENCES), "surface"])
    rows = rows_of(material_changes(changes[changes["slug"].isin(heads.index)], since, until))
    moved = [_narrowed(row, differing) for row in rows if row["direction"] in ("up", "down", "mixed")]
    frame = shape.shaped([row for row in moved if row["surfaces"]], MOVED_COLUMNS)
    frame = frame.assign(place=frame["slug"].map(heads["place"]), name=frame["slug"].map(heads["label"]))
    return shape.cut_to(shape.ordered(frame, "place", "-reviewed_at", "change_id"), MOVED_COLUMNS)


def _narrowed(change: shape.Record, surfaces: set[str]) -> shape.Record:
    """Return a change limited to some surfaces."""
    touched = [surface for surface in change["surfaces"] if surface in surfaces]
    keys = ("added", "removed", "altered")
    parts = {key: [item for item in records_of(change[key]) if item.get("surface") in touched] for key in keys}
    return {**change, **parts, "surfaces": touched}


def comparison_shown(changes: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the changes that a page shows in full: for each platform, the latest `CHANGES_SHOWN` (2); None for None.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        Result of `comparison_changes`; None if the changes are not known.

    Examples
    --------
    >>> changes = analysis.material_changes(data.of(["search-by-isfigrove"]).changes())
    >>> len(changes), len(analysis.comparison_shown(changes))
    (2, 2)
    """
    return None if changes is None else changes.groupby("slug", sort=False).head(CHANGES_SHOWN).reset_index(drop=True)
