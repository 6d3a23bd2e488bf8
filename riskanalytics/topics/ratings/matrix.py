"""Platforms by surfaces: the matrix of their levels, the ranking of platforms, and the levels counted by surface."""

from __future__ import annotations

import re
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing, level_of, rows_of
from riskanalytics.models import RATINGS, UNREAD, state_words
from riskanalytics.surfaces import SURFACES, surface_phrase

from ..shape import Record, cut_to, known_first, named, ordered, schema, severities, with_columns

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
"""Kind of a cell -> its letter on a page, worst first. QUIET comes before LOW, because silence is not a promise."""
MARKS: Final = tuple(LETTERS)

_CELL: Final = ["slug", "surface"]
_KNOWN: Final = ["risk", "count", "state", "to_read"]
_HEAD: Final = ["slug", "name", "rating", "verification"]
_COUNTED: Final[list[Any]] = [
    *(("found", level) for level in RATINGS[::-1]),
    *((state, "UNKNOWN") for state in ("quiet", "found", "to_read", "unread")),
]
"""State and level of the rows of `level_counts` for each surface, in order."""


def risk_matrix(findings: pd.DataFrame, surfaces: pd.DataFrame, platforms: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the level of every platform on every surface: one row, called a cell, for each platform and surface.

    Parameters
    ----------
    findings : pandas.DataFrame
        `data.findings`; they give the day of the newest quoted text of each cell.
    surfaces : pandas.DataFrame
        `data.surfaces`: the level and state of each cell, as the service reports them.
    platforms : pandas.DataFrame, optional
        `data.platforms`. If given, exactly these platforms get rows, one for each surface. By default the platforms in
        `surfaces` get rows, with missing ratings.

    Returns
    -------
    pandas.DataFrame
        Of the platform: `slug`, `name` str, `rating` category, `level_rating` category (the rating; UNKNOWN if it is not LOW,
        MED or HIGH), `verification` str. Of the cell: `surface` str, `risk` category (level as the service states it), `level`
        category (the same; UNKNOWN if it is not LOW, MED or HIGH), `state` str (`found`; `to_read`: no level, but clauses
        that a person must read; `quiet`: read, no clause found; `unread`), `count` Int64 (number of findings; 0 if quiet,
        missing if unread), `to_read` Int64 (number of clauses that a person must read), `latest` datetime64[us, UTC] (newest
        capture among its clauses). The worst platforms first (as in `worst_platforms`), surfaces in the order of
        `surfaces.SURFACES`, then others by name.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix[["name", "surface", "level", "state", "count"]].head(2)
                  name            surface    level  state  count
    0  Yormilow Studio       training_use     HIGH  found      1
    1  Yormilow Studio  web_data_training  UNKNOWN  quiet      0
    """
    with_columns(findings, "risk_matrix", *_CELL, "captured_at")
    cells = with_columns(surfaces, "risk_matrix", *_CELL, *_KNOWN)
    cells = cells[cells["state"] != "unread"].drop_duplicates(_CELL)
    heads = named((surfaces if platforms is None else platforms).reindex(columns=_HEAD).drop_duplicates("slug"))
    order = known_first(SURFACES, cells["surface"])
    grid = heads.merge(pd.DataFrame({"surface": order}), "cross").merge(cells[[*_CELL, *_KNOWN]], "left", _CELL)
    grid = grid.join(findings.groupby(_CELL)["captured_at"].max().rename("latest"), _CELL)
    levels = {"level": level_of(grid["risk"]), "level_rating": level_of(grid["rating"])}
    matrix = cut_to(grid.assign(state=grid["state"].fillna("unread"), **levels), MATRIX_COLUMNS)
    return matrix.set_index("slug").loc[worst_platforms(matrix, None)["slug"]].reset_index()


def mark_of(cell: Record) -> str:
    """Return the kind of a cell (a row of `risk_matrix`): `HIGH`, `MED`, `LOW`, `TO_READ`, `UNREAD` or `QUIET`.

    This is its level if it has a known level, else its state in capitals: `TO_READ` for clauses without a known level, `QUIET`
    if no clause was found, `UNREAD` if the surface was not read or the state is unknown.
    """
    mark = str(cell["level"]).replace("UNKNOWN", "TO_READ") if cell["state"] == "found" else str(cell["state"]).upper()
    return mark if mark in LETTERS else "UNREAD"


def cell_marks(matrix: pd.DataFrame) -> pd.Series[str]:
    """Return the kind of each cell (row) of a matrix, such as `HIGH` or `QUIET`; `mark_of` explains the kinds."""
    return pd.Series(map(mark_of, rows_of(matrix[["state", "level"]])), matrix.index, dtype="str")


def cell_words(cell: Record) -> str:
    """Return a phrase that says why a cell (a row of `risk_matrix`) has no level, such as `no clause found`."""
    counts = (cell.get(key) for key in ("to_read", "count"))
    return state_words(mark_of(cell).lower(), next((int(many) for many in counts if not is_missing(many) and many), 0))


def worst_platforms(matrix: pd.DataFrame, top: int | None = 40) -> pd.DataFrame:
    """Rank the platforms of a matrix, worst first.

    They are sorted by rating (HIGH, MED, any other rating, LOW), then by the number of surfaces that are HIGH, then by the
    number of those that are MED, then by name and slug.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `risk_matrix`.
    top : int, optional
        Maximum number of platforms; None for all.

    Returns
    -------
    pandas.DataFrame
        One row for each platform: `rank` Int64 from 1, `slug`, `name` str, `rating` category, `level_rating` category (UNKNOWN
        for a rating other than LOW, MED, HIGH), and numbers of surfaces, Int64: `high`, `med`, `low`, `to_read` (with
        clauses that a person must read, or with an unknown level), `unread`, `quiet` (no clause found), `surfaces` (their sum).

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
    counts = pd.crosstab(matrix["slug"], marks).reindex(columns=[mark.lower() for mark in MARKS], fill_value=0)
    counts["surfaces"] = counts.sum(axis=1)
    heads = matrix.drop_duplicates("slug")[["slug", "name", "rating", "level_rating"]].join(counts, on="slug")
    heads = heads.assign(severity=severities(heads["level_rating"]))
    ranked = ordered(heads, "severity", "-high", "-med", "name", "slug")
    return cut_to(ranked.assign(rank=ranked.index + 1)[:top], WORST_COLUMNS)


def ranked_platforms(data: Any) -> list[str]:
    """Return the slugs of a data set's platforms, worst first, as in `worst_platforms`.

    Parameters
    ----------
    data : Dataset
        Result of `riskanalytics.load`.

    Examples
    --------
    >>> analysis.ranked_platforms(data)[:3]
    ['yormilow-studio', 'music-by-yorveholt', 'orvewick-voice']
    """
    return list(risk_matrix(data.findings, data.surfaces, data.platforms)["slug"].unique())


def level_counts(matrix: pd.DataFrame) -> pd.DataFrame:
    """Count platforms by level on each surface.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `risk_matrix`.

    Returns
    -------
    pandas.DataFrame
        `surface`, `state` str, `level` category, `platforms` Int64, `total` Int64 (all platforms of the matrix), `share` Float64
        0..1. Seven rows for each surface, for platforms with the level HIGH, MED or LOW, without a clause (`quiet`), with a
        level that is not known, with clauses that a person must read (`to_read`), and not read (`unread`). The surfaces that are
        HIGH for the most platforms come first, then those that are MED for the most, then the order is that of
        `surfaces.SURFACES`.

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
    levels = matrix["level"].astype("str").where(matrix["state"] == "found", "UNKNOWN")
    counts = matrix.groupby(["surface", "state", levels]).size().unstack([1, 2], fill_value=0)
    order = known_first(SURFACES, counts.index)
    counts = counts.reindex(order, columns=pd.MultiIndex.from_tuples(_COUNTED), fill_value=0)
    worst = counts.sort_values(_COUNTED[:2], ascending=False, kind="stable")
    rows = pd.DataFrame({"platforms": worst.stack([0, 1])}).rename_axis(["surface", "state", "level"]).reset_index()
    total = rows.groupby("surface")["platforms"].transform("sum")
    return cut_to(rows.assign(total=total, share=rows["platforms"] / total)[total > 0], COUNT_COLUMNS)


_MEAN_RULE: Final = re.compile(r"rating\.mean=(\d\.\d\d)(?:(>=|<)(\d[\d.]*))?")
_RULE_WORDS: Final = {
    "rating.training_high": "training use is HIGH",
    "rating.training_low": "training use is LOW",
    "rating.not_read": "no document is in a language that is read",
}


def rule_words(rule: object) -> str:
    """Return a rule of the rating formula in words; a rule that this package does not know is returned unchanged."""
    said = str(rule)
    if mean := _MEAN_RULE.fullmatch(said):
        value, sign, bound = mean.groups()
        if sign is None:
            return f"the mean is {value}"
        return f"the mean, {value}, is {f'{bound} or more' if sign == '>=' else f'below {bound}'}"
    if said.startswith("rating.high="):
        return f"{surface_phrase(said.removeprefix('rating.high='))} is HIGH"
    return _RULE_WORDS.get(said, said)
