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
        Identifier of the surface, such as `data_retention`. If the matrix does not have it, the order does not change.

    Returns
    -------
    pandas.DataFrame
        The same rows and columns in another order. Platforms are sorted by their result on the surface: HIGH, MED, clauses that
        a person must read, not read, no clause found, LOW. Otherwise platforms and surfaces keep their order.

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
    """Return a title for one surface: how many of the platforms with a clear result (a level, or no clause found) are HIGH.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `surface_matrix`.
    surface : str
        Identifier of the surface.

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
        Identifier of the surface.
    names : int
        Maximum number of platforms to name; the others are counted.

    Returns
    -------
    list of str
        Up to four sentences: the question that the surface asks; how many platforms have each level or no clause, with the share
        of HIGH and its 95 % interval (Wilson); the names of the platforms rated HIGH; and how many platforms have no clause,
        clauses that a person must read, or were not read.

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
    rest = [
        f"no clause found on {plural(quiet, 'platform')}, which is not a promise" if quiet else "",
        f"{plural(to_read, 'platform')} with clauses to read" if to_read else "",
        f"{plural(unread, 'platform')} not read" if unread else "",
    ]
    parts = "; ".join(part for part in rest if part)
    return [*sentences, f"{parts[0].upper()}{parts[1:]}."] if parts else sentences


def _names_by_mark(matrix: pd.DataFrame, surface: str) -> tuple[dict[str, list[str]], int]:
    """Return the names of the platforms by kind of their cell on a surface, and the number with a level or no clause."""
    cells = matrix[matrix["surface"] == surface]
    marks = cell_marks(cells)
    names = {mark: list(cells["name"][marks == mark]) for mark in MARKS}
    return names, len(cells) - len(names["TO_READ"]) - len(names["UNREAD"])


def surface_clauses(findings: pd.DataFrame, matrix: pd.DataFrame, surface: str, most: int = 600) -> pd.DataFrame:
    """List the clauses behind the platforms' levels on one surface.

    If there are more than `most`, the weightiest clause of each platform is taken first, then the second of each, and so on.

    Parameters
    ----------
    findings : pandas.DataFrame
        The findings of the platforms (`data.findings`); a finding that repeats another one is skipped.
    matrix : pandas.DataFrame
        Result of `surface_matrix`: it gives the platforms and their order.
    surface : str
        Identifier of the surface.
    most : int
        Maximum number of clauses.

    Returns
    -------
    pandas.DataFrame
        One row for each clause: columns of its finding, then `place` Int64 (rank among the clauses of its platform, 1 for the
        weightiest: clauses that mitigate risk last, then higher levels and higher confidence first) and `of` Int64 (number of
        all clauses of the platform on the surface). Platforms in the order of the matrix, then by place.

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
    clauses = clauses.assign(place=by_slug.cumcount() + 1, of=by_slug.transform("size"))
    kept = clauses.assign(level=level_of(clauses["risk"])).sort_values("place", kind="stable")[:most]
    return cut_to(kept.sort_index(), CLAUSE_COLUMNS)


def clause_order(row: Record) -> tuple[object, ...]:
    """Return a sort key that puts the weightiest clause of a platform first; `row` is a row of `data.findings`.

    Clauses that mitigate risk come last; of the others, higher levels come first, then higher confidence.

    Examples
    --------
    >>> clauses = data.of(["orvewick-voice"]).findings.to_dict("records")
    >>> weightiest = min(clauses, key=analysis.clause_order)
    >>> weightiest["surface"], weightiest["risk"]
    ('ads_tracking', 'HIGH')
    """
    return row.get("polarity") == "mitigates_risk", *clause_rank(row)


class Explored(NamedTuple):
    """The platforms and clauses that `explore` found.

    Parameters
    ----------
    matrix : pandas.DataFrame
        The rows of the risk matrix for the platforms found, ordered as by `surface_matrix` if the search was for one surface.
    clauses : pandas.DataFrame
        Findings of these platforms on the surface of the search (on all surfaces if it had none): all findings of a platform
        whose name contains the words of the search; of the other platforms, only the findings that contain these words.
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
        The frames of these names in a data set, such as `data.findings`.
    words : str
        Words separated by spaces. All must occur in the name or slug of a platform, or else in the text of one clause and the
        name of its document; case is ignored. If empty, everything matches.
    rating, verification, stance : str, optional
        Only platforms with this rating, state of verification, or stance on training use; None for any.
    surface : str, optional
        Surface on which to look for the words and the level; None for all surfaces.
    level : str, optional
        Only platforms with this result on the surface (or on any surface): `HIGH`, `MED`, `LOW`, `QUIET` (no clause found),
        `TO_READ` (clauses that a person must read) or `UNREAD`; None for any.

    Returns
    -------
    Explored
        The rows of the matrix and the findings that match; empty frames with the same columns if nothing matches.

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
