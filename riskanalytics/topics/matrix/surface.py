"""One surface across all platforms: their order on it, the clauses behind their levels, and what a search there finds."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics.frames import is_missing
from riskanalytics.models import RATINGS, state_words
from riskanalytics.models.words import LEVEL_LETTERS, UNREAD
from riskanalytics.text.wording import spellings
from riskanalytics.topics import shape
from riskanalytics.topics.matrix import MARKS, MATRIX_COLUMNS, cell_marks

__all__ = ["Explored", "clause_order", "explore", "surface_clauses", "surface_matrix"]

CLAUSE_COLUMNS: Final = shape.schema(
    "slug name finding_id document surface:str risk:rating level:level polarity:str confidence:Float64 lead_in:str "
    "lead_in_start lead_in_end:Int64 quote verification_status snapshot_sha256 archive_url document_url:str start "
    "end:Int64 captured_at:time place of:Int64"
)
"""Columns of `surface_clauses`."""


class Explored(NamedTuple):
    """What a search over platforms and clauses leaves.

    Parameters
    ----------
    matrix : pandas.DataFrame
        The cells of the platforms that match, columns and order as `surface_matrix` gives them.
    clauses : pandas.DataFrame
        The findings of these platforms on the surface that carry the words; all columns of the findings given.
    """

    matrix: pd.DataFrame
    clauses: pd.DataFrame


def surface_matrix(matrix: pd.DataFrame, surface: str) -> pd.DataFrame:
    """Order the risk matrix by one surface: this surface first, the platforms worst on it first.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned.
    surface : str
        One that does not occur there leaves the order as it is.

    Returns
    -------
    pandas.DataFrame
        The same cells and columns. Platforms by their cell on the surface (HIGH, MED, to be read, not read, nothing found,
        LOW), those alike in the order in which they stood; the surface first, the others as they stood.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix = analysis.surface_matrix(matrix, "data_retention")
    >>> matrix[["name", "rating", "surface", "level"]].head(2)
                  name rating         surface level
    0  Yormilow Studio   HIGH  data_retention  HIGH
    1  Yormilow Studio   HIGH    training_use  HIGH
    """
    told = shape.with_columns(matrix, "surface_matrix", *MATRIX_COLUMNS).reset_index(drop=True)
    own = told["surface"] == surface
    marks = dict(zip(told.loc[own, "slug"], cell_marks(told[own]).map(MARKS.index), strict=True))
    places = {"mark": told["slug"].map(marks), "platform": pd.factorize(told["slug"])[0], "other": ~own}
    return shape.cut_to(told.loc[pd.DataFrame(places).sort_values(list(places)).index], MATRIX_COLUMNS)


LETTERS: Final = {**{level: LEVEL_LETTERS[level] for level in RATINGS}, "TO_READ": "?", "UNREAD": UNREAD, "QUIET": ""}
"""Mark of a page for each of `MARKS`."""


def mark_of(cell: shape.Record) -> str:
    """Return what a cell of a matrix is, one of `MARKS`, as `cell_marks` does."""
    if cell["state"] == "found":
        return str(cell["level"]).replace("UNKNOWN", "TO_READ")
    return str(cell["state"]).upper() if cell["state"] in ("to_read", "quiet") else "UNREAD"


def cell_words(cell: shape.Record) -> str:
    """Return what is known of a cell of a matrix without a level, in words."""
    to_read = next((int(cell[key]) for key in ("to_read", "count") if not is_missing(cell[key]) and cell[key]), 0)
    return state_words(mark_of(cell).lower(), to_read)


def surface_clauses(findings: pd.DataFrame, matrix: pd.DataFrame, surface: str, most: int = 600) -> pd.DataFrame:
    """Choose the clauses behind the levels of one surface, every platform's weightiest before any second one.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`; near-copies are left out.
    matrix : pandas.DataFrame
        What `surface_matrix` returned: the platforms and their order.
    surface : str
    most : int
        Clauses at most.

    Returns
    -------
    pandas.DataFrame
        `CLAUSE_COLUMNS`: of the clause as in the findings, then `place` Int64 (1 is the weightiest of its platform: risk
        before protection, higher levels first, then surer ones) and `of` Int64 (how many the platform has there).
        Platforms as in the matrix, then by place.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix = analysis.surface_matrix(matrix, "data_retention")
    >>> analysis.surface_clauses(data.findings, matrix, "data_retention", most=1)["quote"].tolist()
    ['We keep usage records and prompts indefinitely.']
    """
    places = {slug: place for place, slug in enumerate(dict.fromkeys(matrix["slug"]))}
    rows = [
        {**row, "name": shape.word_of(row["name"]) or row["slug"], "level": shape.level_of(row["risk"])}
        for row in shape.records(findings, "surface_clauses", "slug", "finding_id", "surface", "risk", "quote")
        if row["surface"] == surface and row["slug"] in places and is_missing(row.get("duplicate_of"))
    ]
    rows.sort(key=lambda row: (places[row["slug"]], *clause_order(row)))
    clauses = shape.shaped(rows, CLAUSE_COLUMNS)
    by_slug = clauses.groupby("slug", sort=False)["slug"]
    told = clauses.assign(place=by_slug.cumcount() + 1, of=by_slug.transform("size"))
    return shape.cut_to(told.sort_values("place", kind="stable")[:most].sort_index(), CLAUSE_COLUMNS)


def clause_order(row: shape.Record) -> tuple[object, ...]:
    """Return a sort key that puts the weightiest clause of a platform first.

    Examples
    --------
    >>> clauses = data.of(["orvewick-voice"]).findings.to_dict("records")
    >>> weightiest = min(clauses, key=analysis.clause_order)
    >>> weightiest["surface"], weightiest["risk"]
    ('ads_tracking', 'HIGH')
    """
    return row.get("polarity") == "mitigates_risk", *shape.clause_rank(row)


def explore(  # noqa: PLR0913 (one argument for each filter of a reader)
    matrix: pd.DataFrame,
    findings: pd.DataFrame,
    platforms: pd.DataFrame,
    training_use: pd.DataFrame,
    *,
    words: str = "",
    rating: str | None = None,
    surface: str | None = None,
    level: str | None = None,
    verification: str | None = None,
    stance: str | None = None,
) -> Explored:
    """Search platforms and their clauses by words, rating, surface, level, verification and stance.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned.
    findings, platforms, training_use : pandas.DataFrame
        Columns as declared in `riskanalytics.frames`.
    words : str
        All must stand in the platform's name or slug, or in one clause or its document's name; capitals do not matter.
    rating, verification, stance : str, optional
        Of the platform; None for any.
    surface : str, optional
        Where the words and the level are looked for; None for every surface.
    level : str, optional
        One of `MARKS`; None for any.

    Returns
    -------
    Explored
        Empty frames with the same columns where nothing matches.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> told = matrix, data.findings, data.platforms, data.training_use
    >>> found = analysis.explore(*told, words="biometric avatar", surface="sensitive_data", rating="LOW")
    >>> found.clauses[["slug", "document", "risk"]].head(2)
                  slug        document  risk
    0  alrabrookhealth  Privacy Policy  HIGH
    """
    told = shape.with_columns(matrix, "explore", *MATRIX_COLUMNS)
    shape.with_columns(findings, "explore", "slug", "surface", "quote")
    kept = set(platforms["slug"])
    asked = ((platforms, "rating", rating), (platforms, "verification", verification), (training_use, "stance", stance))
    for frame, column, value in asked:
        if value is not None:
            kept &= set(frame.loc[frame[column] == value, "slug"])
    if level is not None:
        cells = told if surface is None else told[told["surface"] == surface]
        kept &= set(cells.loc[cell_marks(cells) == level, "slug"])
    scope = findings if surface is None else findings[findings["surface"] == surface]
    named = set(told["slug"][_carry(words, told["name"], told["slug"])])
    clauses = scope[scope["slug"].isin(named) | _carry(words, scope["quote"], scope.get("document", scope["quote"]))]
    if words.strip():
        kept &= named | set(clauses["slug"])
    left = told[told["slug"].isin(kept)]
    ordered = surface_matrix(left, surface) if surface is not None else left
    return Explored(ordered.reset_index(drop=True), clauses[clauses["slug"].isin(kept)].reset_index(drop=True))


def _carry(words: str, first: pd.Series[str], second: pd.Series[str]) -> pd.Series[bool]:
    """Say of each row whether all words, in either spelling, stand in its two texts taken together."""
    texts = first.fillna("").str.cat(second.fillna(""), sep="\n").str.casefold()
    found = pd.Series(True, index=texts.index)
    for word in words.split():
        found &= texts.str.contains("|".join(map(re.escape, spellings(word))))
    return found
