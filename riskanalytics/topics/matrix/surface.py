"""One surface across all platforms: their order on it, the clauses behind their levels, and what a search there finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import pandas as pd

from riskanalytics.frames import LEVEL_DTYPE, TIME
from riskanalytics.topics.matrix.analysis import MATRIX_COLUMNS
from riskanalytics.topics.shape import SEVERITY, is_missing, level_of, records, shaped, word_of

__all__ = ["Explored", "clause_order", "explore", "surface_clauses", "surface_matrix"]

CLAUSE_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "finding_id": "str",
    "document": "str",
    "surface": "str",
    "risk": "str",
    "level": LEVEL_DTYPE,
    "polarity": "str",
    "confidence": "Float64",
    "quote": "str",
    "verification_status": "str",
    "snapshot_sha256": "str",
    "archive_url": "str",
    "start": "Int64",
    "end": "Int64",
    "captured_at": TIME,
    "place": "Int64",
    "of": "Int64",
}
"""Columns of `surface_clauses`."""

MARKS: Final = ("HIGH", "MED", "UNKNOWN", "QUIET", "LOW")
"""What a cell may be, worst first: silence is no promise, so it stands before what is known to be low."""


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
        The same cells and columns. Platforms by their cell on the surface (HIGH, MED, not known, read and nothing found,
        LOW), those alike in the order in which they stood; the surface first, the others as they stood.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix = analysis.surface_matrix(matrix, "data_retention")
    >>> matrix[["name", "rating", "surface", "level"]].head(2)
                  name rating         surface level
    0  Holfinor Health    MED  data_retention  HIGH
    1  Holfinor Health    MED    training_use   MED
    """
    rows = records(matrix, "surface_matrix", *MATRIX_COLUMNS)
    marks = {row["slug"]: MARKS.index(mark_of(row)) for row in rows if row["surface"] == surface}
    ordered = sorted(rows, key=lambda row: row["surface"] != surface)
    places = {slug: place for place, slug in enumerate(dict.fromkeys(row["slug"] for row in rows))}
    ordered.sort(key=lambda row: (marks.get(row["slug"], len(MARKS)), places[row["slug"]]))
    return shaped(ordered, MATRIX_COLUMNS)


def mark_of(cell: Mapping[str, Any]) -> str:
    """Return what a cell of a matrix is, one of `MARKS`."""
    if cell["state"] == "quiet":
        return "QUIET"
    return str(cell["level"]) if cell["state"] == "found" else "UNKNOWN"


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
    ['We may retain your content after your account has been closed.']
    """
    places = {slug: place for place, slug in enumerate(dict.fromkeys(matrix["slug"]))}
    by_slug: dict[str, list[dict[str, Any]]] = {}
    for row in records(findings, "surface_clauses", "slug", "finding_id", "surface", "risk", "quote"):
        if row["surface"] == surface and row["slug"] in places and is_missing(row.get("duplicate_of")):
            by_slug.setdefault(row["slug"], []).append(row)
    rows = [
        {
            **row,
            "name": word_of(row["name"]) or row["slug"],
            "level": level_of(row["risk"]),
            "place": place,
            "of": len(group),
        }
        for group in by_slug.values()
        for place, row in enumerate(sorted(group, key=clause_order), 1)
    ]
    rows.sort(key=lambda row: (row["place"], places[row["slug"]]))
    kept = sorted(rows[:most], key=lambda row: (places[row["slug"]], row["place"]))
    return shaped(kept, CLAUSE_COLUMNS)


def clause_order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a sort key that puts the weightiest clause of a platform first.

    Examples
    --------
    >>> clauses = data.of(["orvewick-voice"]).findings.to_dict("records")
    >>> weightiest = min(clauses, key=analysis.clause_order)
    >>> weightiest["surface"], weightiest["risk"]
    ('ads_tracking', 'HIGH')
    """
    confidence = row.get("confidence")
    return (
        row.get("polarity") == "mitigates_risk",
        SEVERITY[level_of(row["risk"])],
        0.0 if is_missing(confidence) else -float(confidence),  # type: ignore[arg-type]
        word_of(row.get("document")),
        0 if is_missing(row.get("start")) else row["start"],
        word_of(row.get("finding_id")),
    )


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
    kept = _of_platforms(platforms, "rating", rating) & _of_platforms(platforms, "verification", verification)
    kept &= _of_platforms(training_use, "stance", stance) if stance is not None else kept
    cells = records(matrix, "explore", *MATRIX_COLUMNS)
    if level is not None:
        kept &= {row["slug"] for row in cells if surface in (None, row["surface"]) and mark_of(row) == level}
    scope = findings if surface is None else findings[findings["surface"] == surface]
    asked = words.casefold().split()
    named = {row["slug"] for row in cells if _carries(asked, row["name"], row["slug"])}
    said = [
        row["slug"] in named or _carries(asked, row["quote"], row.get("document"))
        for row in records(scope, "explore", "slug", "surface", "quote")
    ]
    clauses = scope[pd.Series(said, index=scope.index, dtype=bool)]
    if asked:
        kept &= named | set(clauses["slug"])
    left = matrix[matrix["slug"].isin(kept)]
    ordered = surface_matrix(left, surface) if surface is not None else left
    return Explored(ordered.reset_index(drop=True), clauses[clauses["slug"].isin(kept)].reset_index(drop=True))


def _of_platforms(frame: pd.DataFrame, column: str, value: str | None) -> set[str]:
    """Return the slugs of the rows with a value in a column; all for None."""
    return set(frame["slug"] if value is None else frame.loc[frame[column] == value, "slug"])


def _carries(words: Iterable[str], *texts: object) -> bool:
    """Say whether all words stand in the texts taken together."""
    hay = "\n".join(word_of(text) for text in texts).casefold()
    return all(word in hay for word in words)
