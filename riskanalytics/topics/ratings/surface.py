"""One surface across all platforms: their order on it, the clauses behind their levels, sentences, and a search."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics.frames import level_of, rows_of
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.text.wording import listed, plural, spellings

from ..shape import Record, clause_rank, cut_to, named, schema, shaped, wilson_interval, with_columns
from .matrix import MARKS, MATRIX_COLUMNS, cell_marks

__all__ = [
    "Explored", "clause_order", "explore", "surface_clauses", "surface_matrix", "surface_sentences", "surface_title",
]  # fmt: skip

CLAUSE_COLUMNS: Final = schema(
    "slug name finding_id document surface:str risk:rating level:level polarity:str confidence:Float64 lead_in:str "
    "lead_in_start lead_in_end:Int64 quote verification_status snapshot_sha256 archive_url document_url:str start "
    "end:Int64 captured_at:time place of:Int64"
)


def surface_matrix(matrix: pd.DataFrame, surface: str) -> pd.DataFrame:
    """Order the risk matrix by one surface: this surface comes first, and the platforms that are worst on it come first.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `risk_matrix`.
    surface : str
        If it does not occur, the order does not change.

    Returns
    -------
    pandas.DataFrame
        The same cells and columns. Platforms by their cell on the surface (HIGH, MED, to be read, not read, quiet, LOW), then
        in their former order; the surface first, the others in their former order.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix = analysis.surface_matrix(matrix, "data_retention")
    >>> matrix[["name", "rating", "surface", "level"]].head(2)
                  name rating         surface level
    0  Yormilow Studio   HIGH  data_retention  HIGH
    1  Yormilow Studio   HIGH    training_use  HIGH
    """
    cells = matrix.reset_index(drop=True)
    own = cells["surface"] == surface
    marks = cell_marks(cells[own]).map(MARKS.index).set_axis(cells.loc[own, "slug"])
    places = {"mark": cells["slug"].map(marks), "platform": pd.factorize(cells["slug"])[0], "other": ~own}
    return cut_to(cells.loc[pd.DataFrame(places).sort_values(list(places)).index], MATRIX_COLUMNS)


def surface_title(matrix: pd.DataFrame, surface: str) -> str:
    """Return a title for one surface: how many of the platforms with a clear result are rated HIGH.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `surface_matrix`.
    surface : str

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.surface_title(matrix, "ip_liability")
    'IP liability: 62 of 160 platforms with a clear result are rated HIGH'
    """
    names, judged = _names_by_mark(matrix, surface)
    number = len(names["HIGH"])
    high = f"{number:,} of {plural(judged, 'platform')} with a clear result {'is' if number == 1 else 'are'} rated HIGH"
    return f"{surface_name(surface)}: {high if judged else 'no platform has a clear result'}"


def surface_sentences(matrix: pd.DataFrame, surface: str, names: int = 6) -> list[str]:
    """Sum up the levels of all platforms on one surface in sentences.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `surface_matrix`.
    surface : str
    names : int
        Maximum number of platforms to name.

    Returns
    -------
    list of str
        The question of the surface; how many platforms have each level or no clause, with HIGH as a share and its 95 % interval
        (Wilson); the platforms rated HIGH; and how many platforms are quiet, to be read or not read.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.surface_sentences(matrix, "ip_liability", names=3)[2]
    'Rated HIGH: Yormilow Studio, Orvewick Voice, YortithornOffice and 59 others.'
    """
    by_mark, judged = _names_by_mark(matrix, surface)
    high, med, to_read, unread, quiet, low = (len(names) for names in by_mark.values())
    sentences = [SURFACE_DESCRIPTIONS[surface].question] if surface in SURFACE_DESCRIPTIONS else []
    if judged:
        least, most = wilson_interval(high, judged)
        spread = f"{100 * high / judged:.0f} %, 95 % interval {100 * least:.0f} to {100 * most:.0f} %"
        counts = f"{high:,} HIGH ({spread}), {med:,} MED, {low:,} LOW and {quiet:,} without a clause"
        sentences.append(f"Results of {plural(judged, 'platform')}: {counts}.")
    if high:
        sentences.append(f"Rated HIGH: {listed(by_mark['HIGH'], names)}.")
    rest = {"no clause found, which is not a promise,": quiet, "clauses to read": to_read, "not read": unread}
    said = "; ".join(f"{words} on {number:,}" for words, number in rest.items() if number)
    return [*sentences, f"{said.capitalize()}."] if said else sentences


def _names_by_mark(matrix: pd.DataFrame, surface: str) -> tuple[dict[str, list[str]], int]:
    """Return the names of the platforms by kind of their cell on a surface, and the number with a level or no clause."""
    cells = matrix[matrix["surface"] == surface]
    marks = cell_marks(cells)
    names = {mark: list(cells["name"][marks == mark]) for mark in MARKS}
    return names, len(cells) - len(names["TO_READ"]) - len(names["UNREAD"])


def surface_clauses(findings: pd.DataFrame, matrix: pd.DataFrame, surface: str, most: int = 600) -> pd.DataFrame:
    """Choose the clauses behind the levels on one surface: first the weightiest clause of each platform, then the second.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`; near-copies are skipped.
    matrix : pandas.DataFrame
        Result of `surface_matrix`: the platforms and their order.
    surface : str
    most : int
        Maximum number of clauses.

    Returns
    -------
    pandas.DataFrame
        `CLAUSE_COLUMNS`: the columns of the clause, then `place` Int64 (1 is the weightiest of its platform: raising risk first,
        then higher levels, then higher confidence) and `of` Int64 (clauses of the platform on the surface). Platforms as in
        the matrix, then by place.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix = analysis.surface_matrix(matrix, "data_retention")
    >>> analysis.surface_clauses(data.findings, matrix, "data_retention", most=1)["quote"].tolist()
    ['We keep usage records and prompts indefinitely.']
    """
    places = {slug: place for place, slug in enumerate(matrix["slug"].unique())}
    own = findings[(findings["surface"] == surface) & findings["slug"].isin(places) & findings["duplicate_of"].isna()]
    rows = sorted(rows_of(named(own)), key=lambda row: (places[row["slug"]], *clause_order(row)))
    clauses = shaped(rows, CLAUSE_COLUMNS)
    by_slug = clauses.groupby("slug")["slug"]
    clauses = clauses.assign(
        level=level_of(clauses["risk"]), place=by_slug.cumcount() + 1, of=by_slug.transform("size")
    )
    return cut_to(clauses.sort_values("place", kind="stable")[:most].sort_index(), CLAUSE_COLUMNS)


def clause_order(row: Record) -> tuple[object, ...]:
    """Return a sort key that puts the weightiest clause of a platform first.

    Examples
    --------
    >>> clauses = data.of(["orvewick-voice"]).findings.to_dict("records")
    >>> weightiest = min(clauses, key=analysis.clause_order)
    >>> weightiest["surface"], weightiest["risk"]
    ('ads_tracking', 'HIGH')
    """
    return row.get("polarity") == "mitigates_risk", *clause_rank(row)


class Explored(NamedTuple):
    """The result of a search over platforms and clauses.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Cells of the matching platforms, with columns and order as in `surface_matrix`.
    clauses : pandas.DataFrame
        Findings of these platforms on the surface that contain the words, with all columns of the given findings.
    """

    matrix: pd.DataFrame
    clauses: pd.DataFrame


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
        Result of `risk_matrix`.
    findings, platforms, training_use : pandas.DataFrame
        Columns as declared in `riskanalytics.frames`.
    words : str
        All words must occur in the platform's name or slug, or in one clause or its document's name; case is ignored.
    rating, verification, stance : str, optional
        Of the platform; None for any.
    surface : str, optional
        Surface on which to look for the words and the level; None for all surfaces.
    level : str, optional
        One of `MARKS`; None for any.

    Returns
    -------
    Explored
        Empty frames with the same columns if nothing matches.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> frames = matrix, data.findings, data.platforms, data.training_use
    >>> found = analysis.explore(*frames, words="biometric avatar", surface="sensitive_data", rating="LOW")
    >>> found.clauses[["slug", "document", "risk"]].head(2)
                  slug        document  risk
    0  alrabrookhealth  Privacy Policy  HIGH
    """
    cells = with_columns(matrix, "explore", *MATRIX_COLUMNS)
    scope = with_columns(findings, "explore", "slug", "surface", "quote", "document")
    if surface is not None:
        cells, scope = (frame[frame["surface"] == surface] for frame in (matrix, findings))
    kept = set(platforms["slug"])
    for frame, values, value in (
        (platforms, platforms["rating"], rating),
        (platforms, platforms["verification"], verification),
        (training_use, training_use["stance"], stance),
        (cells, cell_marks(cells), level),
    ):
        if value is not None:
            kept &= set(frame["slug"][values == value])
    called = set(matrix["slug"][_carry(words, matrix["name"], matrix["slug"])])
    clauses = scope[scope["slug"].isin(called) | _carry(words, scope["quote"], scope["document"])]
    if words.strip():
        kept &= called | set(clauses["slug"])
    left = matrix[matrix["slug"].isin(kept)].reset_index(drop=True)
    clauses = clauses[clauses["slug"].isin(kept)].reset_index(drop=True)
    return Explored(left if surface is None else surface_matrix(left, surface), clauses)


def _carry(words: str, first: pd.Series[str], second: pd.Series[str]) -> pd.Series[bool]:
    """Return for each row whether its two texts together contain all words, in either spelling."""
    texts = first.fillna("").str.cat(second.fillna(""), sep="\n").str.casefold()
    found = pd.Series(True, index=texts.index)
    for word in words.split():
        found &= texts.str.contains("|".join(map(re.escape, spellings(word))))
    return found
