"""Platforms by surfaces: the matrix of their levels, the worst platforms in it, and the levels counted by surface."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing, level_of, rows_of
from riskanalytics.models import UNREAD, state_words
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.shape import Record, cut_to, schema, severities, with_columns

__all__ = ["level_counts", "ranked_platforms", "risk_matrix", "worst_platforms"]

MATRIX_COLUMNS: Final = schema(
    "slug name:str rating:rating level_rating:level surface:str risk:rating level:level state:str count to_read:Int64 "
    "latest:time verification:str"
)
WORST_COLUMNS: Final = schema(
    "rank:Int64 slug name:str rating:rating level_rating:level high med low to_read unread quiet surfaces:Int64"
)
COUNT_COLUMNS: Final = schema("surface state:str level:level platforms total:Int64 share:Float64")
LETTERS: Final = {"HIGH": "H", "MED": "M", "TO_READ": "?", "UNREAD": UNREAD, "QUIET": "", "LOW": "L"}
"""What a cell may be -> its letter on a page, worst first: silence is no promise, so it comes before LOW."""
MARKS: Final = tuple(LETTERS)

_CELL: Final = ["slug", "surface"]
_KNOWN: Final = [*_CELL, "risk", "count", "state", "to_read"]
_HEAD: Final = ["slug", "name", "rating", "verification"]
_COUNTED: Final = (
    *(("found", level) for level in ("HIGH", "MED", "LOW")),
    *((state, "UNKNOWN") for state in ("quiet", "found", "to_read", "unread")),
)
"""State and level of the rows that `level_counts` has for each surface, in order."""


def risk_matrix(
    findings: pd.DataFrame, surfaces: pd.DataFrame | None = None, platforms: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Give the level of every platform on every surface: one row per platform and surface, called a cell.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`. Used for cells that `surfaces` does not hold: the level is the highest of the clauses,
        but UNKNOWN where nothing above LOW and an unknown level meet; near-copies are not counted.
    surfaces : pandas.DataFrame, optional
        `frames.SURFACES_COLUMNS`: the service's own verdict per cell.
    platforms : pandas.DataFrame, optional
        `frames.PLATFORMS_COLUMNS`: exactly these platforms have rows, each on every surface. Without this frame: all
        platforms of the other two, rating missing.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `rating` category, `level_rating` category, `surface` str, `risk` category (raw word),
        `level` category, `state` str (`found`; `to_read`: no answer, and clauses to read; `quiet`: read and nothing found;
        `unread`), `count` Int64 (findings; 0 where quiet, missing where unread), `to_read` Int64 (clauses to read),
        `latest` datetime64[us, UTC] (capture of the newest text among the clauses), `verification` str (of the platform).
        Platforms worst first (as `worst_platforms` orders them), surfaces in the order of `surfaces.SURFACES`, then others
        by name.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix[["name", "surface", "level", "state", "count"]].head(2)
                  name            surface    level  state  count
    0  Yormilow Studio       training_use     HIGH  found      1
    1  Yormilow Studio  web_data_training  UNKNOWN  quiet      0
    """
    with_columns(findings, "risk_matrix", "slug", "name", "surface", "risk", "duplicate_of", "captured_at")
    cells = _cells(findings, surfaces)
    named = pd.concat([findings, surfaces] if platforms is None else [platforms]).reindex(columns=_HEAD)
    heads = named.drop_duplicates("slug").mask(lambda frame: frame == "")
    heads["name"] = heads["name"].fillna(heads["slug"])
    order = _surface_order(cells.loc[cells["slug"].isin(heads["slug"]), "surface"])
    grid = heads.merge(pd.DataFrame({"surface": order}), how="cross").merge(cells, how="left", on=_CELL)
    grid = grid.join(findings.groupby(_CELL)["captured_at"].max().rename("latest"), on=_CELL)
    state, level, rated = grid["state"].fillna("unread"), level_of(grid["risk"]), level_of(grid["rating"])
    matrix = cut_to(grid.assign(state=state, level=level, level_rating=rated), MATRIX_COLUMNS)
    ranks = worst_platforms(matrix, None).set_index("slug")["rank"]
    return matrix.sort_values("slug", key=lambda slugs: slugs.map(ranks), kind="stable", ignore_index=True)


def _cells(findings: pd.DataFrame, surfaces: pd.DataFrame | None) -> pd.DataFrame:
    """Return the known cells: as the service reports them, the others by the worst clause of each."""
    counted = findings[findings["surface"].notna() & findings["duplicate_of"].isna()]
    size = counted.groupby(_CELL)["slug"].transform("size")
    worst = counted.assign(severity=severities(counted["risk"]), state="found", count=size)
    own = worst.sort_values(["severity", "risk"]).drop_duplicates(_CELL).reindex(columns=_KNOWN)
    if surfaces is None:
        return own
    told = with_columns(surfaces, "risk_matrix", "name", *_KNOWN).drop_duplicates(_CELL, keep="last")[_KNOWN]
    return pd.concat([told[told["state"] != "unread"], own], ignore_index=True).drop_duplicates(_CELL)


def _surface_order(occurring: Iterable[str]) -> list[str]:
    """Return the twelve surfaces in their order, then any others by name."""
    return [*SURFACES, *sorted(set(occurring) - set(SURFACES))]


def surface_places(surfaces: pd.Series[str]) -> pd.Series[float]:
    """Return the places of surfaces in their own order; unknown ones come last."""
    return surfaces.map({surface: float(place) for place, surface in enumerate(SURFACES)}).fillna(len(SURFACES))


def mark_of(cell: Record) -> str:
    """Return what a cell of a matrix is, one of `MARKS`; clauses without a known level are to be read."""
    if cell["state"] == "found":
        return str(cell["level"]).replace("UNKNOWN", "TO_READ")
    return str(cell["state"]).upper() if cell["state"] in ("to_read", "quiet") else "UNREAD"


def cell_marks(matrix: pd.DataFrame) -> pd.Series[str]:
    """Return what each cell of a matrix is, as `mark_of` does."""
    return pd.Series(list(map(mark_of, rows_of(matrix[["state", "level"]]))), index=matrix.index, dtype="str")


def cell_words(cell: Record) -> str:
    """Return what is known of a cell of a matrix without a level, in words."""
    counts = (cell.get(key) for key in ("to_read", "count"))
    return state_words(mark_of(cell).lower(), next((int(many) for many in counts if not is_missing(many) and many), 0))


def worst_platforms(matrix: pd.DataFrame, top: int | None = 40) -> pd.DataFrame:
    """Rank the platforms of a matrix, worst first.

    The order: rating (HIGH, MED, any unknown rating, LOW), then the number of HIGH surfaces, of MED surfaces, name, slug.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned.
    top : int, optional
        How many platforms; None: all.

    Returns
    -------
    pandas.DataFrame
        `rank` Int64 from 1, `slug`, `name`, `rating` category, `level_rating` category; `high`, `med`, `low`,
        `to_read` (also found with a level not known), `unread`, `quiet`, `surfaces` (their sum) Int64.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.worst_platforms(matrix, top=3)[["rank", "name", "rating", "high", "med"]]
       rank                name rating  high  med
    0     1     Yormilow Studio   HIGH     8    2
    1     2  Music by Yorveholt   HIGH     8    1
    2     3      Orvewick Voice   HIGH     7    3
    """
    marks = cell_marks(with_columns(matrix, "worst_platforms", *MATRIX_COLUMNS)).str.lower()
    counts = pd.crosstab(matrix["slug"], marks).reindex(columns=list(map(str.lower, MARKS)), fill_value=0)
    counts["surfaces"] = counts.sum(axis=1)
    heads = matrix.drop_duplicates("slug")[["slug", "name", "rating", "level_rating"]].join(counts, on="slug")
    keys = heads.assign(severity=severities(heads["level_rating"]), folded=heads["name"].str.casefold())
    ranked = keys.sort_values(
        ["severity", "high", "med", "folded", "slug"], ascending=[True, False, False, True, True], ignore_index=True
    )
    return cut_to(ranked.assign(rank=ranked.index + 1)[:top], WORST_COLUMNS)


def ranked_platforms(data: Any) -> list[str]:
    """Return the slugs of a data set's platforms, worst first, as `worst_platforms` orders them.

    Parameters
    ----------
    data : Dataset
        As `riskanalytics.load` gives it.

    Examples
    --------
    >>> analysis.ranked_platforms(data)[:3]
    ['yormilow-studio', 'music-by-yorveholt', 'orvewick-voice']
    """
    matrix = risk_matrix(data.findings, data.surfaces, data.platforms)
    return worst_platforms(matrix, None)["slug"].tolist()


def level_counts(matrix: pd.DataFrame) -> pd.DataFrame:
    """Count platforms by level on each surface.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned.

    Returns
    -------
    pandas.DataFrame
        `surface`, `state` str, `level` category, `platforms`, `total` Int64 (platforms of the matrix),
        `share` Float64 0..1. Seven rows per surface: found HIGH, MED, LOW; quiet; found with a level not
        known; to be read; unread. Surfaces with the most HIGH first, then the most MED, then their usual order.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.level_counts(matrix)[["surface", "state", "level", "platforms", "total"]].head(7)
            surface    state    level  platforms  total
    0  ip_liability    found     HIGH         62    320
    1  ip_liability    found      MED          0    320
    2  ip_liability    found      LOW         91    320
    3  ip_liability    quiet  UNKNOWN          7    320
    4  ip_liability    found  UNKNOWN         48    320
    5  ip_liability  to_read  UNKNOWN        102    320
    6  ip_liability   unread  UNKNOWN         10    320
    """
    told = with_columns(matrix, "level_counts", *MATRIX_COLUMNS)
    occurring = [surface for surface in _surface_order(told["surface"]) if (told["surface"] == surface).any()]
    worst = pd.crosstab(told["surface"], cell_marks(told)).reindex(occurring, columns=["HIGH", "MED"], fill_value=0)
    ordered = worst.sort_values(["HIGH", "MED"], ascending=False, kind="stable").index
    places = [(surface, *counted) for surface in ordered for counted in _COUNTED]
    index = pd.MultiIndex.from_tuples(places, names=["surface", "state", "level"])
    levels = told["level"].astype("str").where(told["state"] == "found", "UNKNOWN")
    counts = told.groupby([told["surface"], told["state"], levels]).size()
    rows = counts.reindex(index, fill_value=0).rename("platforms").reset_index()
    total = rows["surface"].map(told["surface"].value_counts()).astype("int64")
    return cut_to(rows.assign(total=total, share=rows["platforms"] / total), COUNT_COLUMNS)
