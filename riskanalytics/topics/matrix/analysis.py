"""Platforms by surfaces: the matrix of their levels, the platforms worst in it, and the levels on each surface counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, Protocol

import pandas as pd

from riskanalytics.frames import LEVEL_DTYPE, TIME, rows_of
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.shape import SEVERITY, is_missing, level_of, records, shaped, word_of
from riskanalytics.topics.shares import share

__all__ = ["level_counts", "ranked_platforms", "risk_matrix", "worst_platforms"]

_Row = dict[str, Any]

MATRIX_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "rating": "str",
    "level_rating": LEVEL_DTYPE,
    "surface": "str",
    "risk": "str",
    "level": LEVEL_DTYPE,
    "state": "str",
    "count": "Int64",
    "latest": TIME,
    "verification": "str",
}
WORST_COLUMNS: Final = {
    "rank": "Int64",
    "slug": "str",
    "name": "str",
    "rating": "str",
    "level_rating": LEVEL_DTYPE,
    "high": "Int64",
    "med": "Int64",
    "low": "Int64",
    "unknown": "Int64",
    "quiet": "Int64",
    "surfaces": "Int64",
}
COUNT_COLUMNS: Final = {
    "surface": "str",
    "state": "str",
    "level": LEVEL_DTYPE,
    "platforms": "Int64",
    "total": "Int64",
    "share": "Float64",
}
MARKS: Final = (
    ("found", "HIGH"),
    ("found", "MED"),
    ("found", "LOW"),
    ("quiet", "UNKNOWN"),
    ("found", "UNKNOWN"),
    ("unread", "UNKNOWN"),
)
"""State and level of the rows that `level_counts` has for each surface, in order."""


def risk_matrix(
    findings: pd.DataFrame, surfaces: pd.DataFrame | None = None, platforms: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Give the level of every platform on every surface: one row per platform and surface, called a cell.

    Parameters
    ----------
    findings : pandas.DataFrame
        `slug`, `name`, `surface`, `risk`, `duplicate_of`, and `captured_at` where it is known. Used for cells that
        `surfaces` does not tell: the level is the highest of the clauses, but UNKNOWN where nothing above LOW and
        a level that is not known meet; near-copies are not counted.
    surfaces : pandas.DataFrame, optional
        `slug`, `name`, `surface`, `risk`, `count`, `state`: the service's own verdict per cell.
    platforms : pandas.DataFrame, optional
        `slug`, `name`, `rating`, and `verification` where it is known: the scope. Exactly these platforms have
        rows, each on every surface. Without this frame: all platforms of the other two, rating missing.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `rating` str, `level_rating` category, `surface` str, `risk` str (raw word),
        `level` category, `state` str (`found`; `quiet`: read and nothing found; `unread`: not known),
        `count` Int64 (clauses; 0 where quiet, missing where unread), `latest` datetime64[us, UTC] (capture of the
        newest text among the clauses), `verification` str (of the platform). Platforms worst first (as
        `worst_platforms` orders them), surfaces in the order of `surfaces.SURFACES`, then others by name.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> matrix[["name", "surface", "level", "state", "count"]].head(4)
                 name            surface    level  state  count
    0  Orvewick Voice       training_use     HIGH  found      1
    1  Orvewick Voice  web_data_training     HIGH  found      2
    2  Orvewick Voice    content_license     HIGH  found      1
    3  Orvewick Voice      output_rights  UNKNOWN  quiet      0
    """
    cells = _cells_of_findings(records(findings, "risk_matrix", "slug", "name", "surface", "risk"))
    if surfaces is not None:
        told = records(surfaces, "risk_matrix", "slug", "name", "surface", "risk", "count", "state")
        cells |= {(row["slug"], row["surface"]): _cell(row) for row in told if row["state"] != "unread"}
    latest = _latest(findings)
    scope = _scope(findings, surfaces, platforms)
    names = _surface_order(surface for slug, surface in cells if slug in scope)
    rows = [
        [
            {"slug": slug, "surface": name, "latest": latest.get((slug, name))}
            | head
            | cells.get((slug, name), _UNREAD)
            for name in names
        ]
        for slug, head in scope.items()
    ]
    return shaped((cell for row in sorted(rows, key=_badness) for cell in row), MATRIX_COLUMNS)


_UNREAD: Final[_Row] = {"risk": None, "level": "UNKNOWN", "state": "unread", "count": None}


def _cell(row: _Row) -> _Row:
    """Return a cell as the service tells it."""
    risk = word_of(row["risk"]) or None
    return {"risk": risk, "level": level_of(risk), "state": row["state"], "count": row["count"]}


def _cells_of_findings(rows: list[_Row]) -> dict[tuple[str, str], _Row]:
    """Return the cells that findings tell of: the highest level of each platform on each surface."""
    risks: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if is_missing(row.get("duplicate_of")) and not is_missing(row["surface"]):
            risks.setdefault((row["slug"], row["surface"]), []).append(word_of(row["risk"]))
    return {
        key: {"risk": risk, "level": level_of(risk), "state": "found", "count": len(words)}
        for key, words in risks.items()
        for risk in [min(words, key=lambda word: (SEVERITY[level_of(word)], word))]
    }


def _latest(findings: pd.DataFrame) -> dict[tuple[str, str], pd.Timestamp]:
    """Return when the newest text among the clauses of a cell was captured."""
    if "captured_at" not in findings:
        return {}
    newest = findings.groupby(["slug", "surface"])["captured_at"].max().reset_index()
    return {(row["slug"], row["surface"]): row["captured_at"] for row in rows_of(newest)}


def _scope(*frames: pd.DataFrame | None) -> dict[str, _Row]:
    """Return name, rating and verification of the platforms in scope, by slug; the last frame is that of platforms."""
    platforms = frames[-1]
    if platforms is not None:
        listed = records(platforms, "risk_matrix", "slug", "name", "rating")
    else:
        listed = [row for frame in frames if frame is not None for row in records(frame, "risk_matrix")]
    scope: dict[str, _Row] = {}
    for row in listed:
        rating = word_of(row["rating"]) or None if platforms is not None else None
        verification = word_of(row.get("verification")) or None
        head = {"name": word_of(row["name"]) or row["slug"], "rating": rating, "verification": verification}
        scope.setdefault(row["slug"], head | {"level_rating": level_of(rating)})
    return scope


def _surface_order(occurring: Iterable[str]) -> tuple[str, ...]:
    """Return the twelve surfaces in their order, then any others by name."""
    return (*SURFACES, *sorted(set(occurring) - set(SURFACES)))


def _badness(cells: list[_Row]) -> tuple[Any, ...]:
    """Return the place of a platform among others by its cells: the worst first."""
    counts = Counter(cell["level"] for cell in cells if cell["state"] == "found")
    head = cells[0]
    severity = SEVERITY[head["level_rating"]]
    return (severity, -counts["HIGH"], -counts["MED"], head["name"].casefold(), head["slug"])


def worst_platforms(matrix: pd.DataFrame, top: int | None = 40) -> pd.DataFrame:
    """Rank the platforms of a matrix, worst first.

    The order: rating (HIGH, MED, any rating that is not known, LOW: what is not known is never taken for
    low), then the number of HIGH surfaces, then of MED surfaces, then name, then slug.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned.
    top : int, optional
        How many platforms; None: all.

    Returns
    -------
    pandas.DataFrame
        `rank` Int64 from 1, `slug`, `name`, `rating` str, `level_rating` category; `high`, `med`, `low`,
        `unknown` (found with a level not known, or not read), `quiet`, `surfaces` (their sum) Int64.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.worst_platforms(matrix, top=3)[["rank", "name", "rating", "high", "med"]]
       rank                name rating  high  med
    0     1      Orvewick Voice   HIGH     7    3
    1     2     Yormilow Studio   HIGH     7    3
    2     3  Music by Yorveholt   HIGH     7    2
    """
    grouped: dict[str, list[_Row]] = {}
    for row in records(matrix, "worst_platforms", *MATRIX_COLUMNS):
        grouped.setdefault(row["slug"], []).append(row)
    ordered = sorted(grouped.values(), key=_badness)[:top]
    return shaped((_rank(place, cells) for place, cells in enumerate(ordered, 1)), WORST_COLUMNS)


class _Frames(Protocol):
    """What a ranking reads of a data set."""

    @property
    def findings(self) -> pd.DataFrame: ...
    @property
    def surfaces(self) -> pd.DataFrame: ...
    @property
    def platforms(self) -> pd.DataFrame: ...


def ranked_platforms(data: _Frames) -> list[str]:
    """Return the slugs of a data set's platforms, worst first, as `worst_platforms` orders them.

    Parameters
    ----------
    data : Dataset
        As `riskanalytics.load` gives it.

    Examples
    --------
    >>> analysis.ranked_platforms(data)[:3]
    ['orvewick-voice', 'yormilow-studio', 'music-by-yorveholt']
    """
    matrix = risk_matrix(data.findings, data.surfaces, data.platforms)
    return worst_platforms(matrix, None)["slug"].tolist()


def _rank(place: int, cells: list[_Row]) -> _Row:
    """Return a platform with its place and its cells counted."""
    found = Counter(cell["level"] for cell in cells if cell["state"] == "found")
    states = Counter(cell["state"] for cell in cells)
    head = {key: cells[0][key] for key in ("slug", "name", "rating", "level_rating")}
    return head | {
        "rank": place,
        "high": found["HIGH"],
        "med": found["MED"],
        "low": found["LOW"],
        "unknown": found["UNKNOWN"] + len(cells) - states["found"] - states["quiet"],
        "quiet": states["quiet"],
        "surfaces": len(cells),
    }


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
        `share` Float64 0..1. Six rows per surface: found HIGH, MED, LOW; quiet; found with a level not
        known; unread. Surfaces with the most HIGH first, then the most MED, then their usual order.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.level_counts(matrix)[["surface", "state", "level", "platforms", "total"]].head(6)
               surface   state    level  platforms  total
    0  content_license   found     HIGH         68    320
    1  content_license   found      MED        137    320
    2  content_license   found      LOW        100    320
    3  content_license   quiet  UNKNOWN          5    320
    4  content_license   found  UNKNOWN          3    320
    5  content_license  unread  UNKNOWN          7    320
    """
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for row in records(matrix, "level_counts", *MATRIX_COLUMNS):
        level = row["level"] if row["state"] == "found" else "UNKNOWN"
        counts.setdefault(row["surface"], Counter())[row["state"], level] += 1
    places = {surface: place for place, surface in enumerate(_surface_order(counts))}
    ordered = sorted(
        counts, key=lambda name: (-counts[name]["found", "HIGH"], -counts[name]["found", "MED"], places[name])
    )
    rows = [
        {
            "surface": surface,
            "state": state,
            "level": level,
            "platforms": counts[surface][state, level],
            "total": counts[surface].total(),
            "share": share(counts[surface][state, level], counts[surface].total()),
        }
        for surface in ordered
        for state, level in MARKS
    ]
    return shaped(rows, COUNT_COLUMNS)
