"""Platforms by surfaces: the matrix of their levels, the platforms worst in it, and the levels on each surface counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

import pandas as pd

from riskanalytics.frames import level_of
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name
from riskanalytics.text.wording import listed, plural
from riskanalytics.topics.shape import cut_to, schema, severities, wilson_interval, with_columns

__all__ = ["level_counts", "ranked_platforms", "risk_matrix", "surface_sentences", "surface_title", "worst_platforms"]

MATRIX_COLUMNS: Final = schema(
    "slug name:str rating:rating level_rating:level surface:str risk:rating level:level state:str count to_read:Int64 "
    "latest:time verification:str"
)
WORST_COLUMNS: Final = schema(
    "rank:Int64 slug name:str rating:rating level_rating:level high med low to_read unread quiet surfaces:Int64"
)
COUNT_COLUMNS: Final = schema("surface state:str level:level platforms total:Int64 share:Float64")
MARKS: Final = ("HIGH", "MED", "TO_READ", "UNREAD", "QUIET", "LOW")
"""What a cell may be, worst first: silence is no promise, so it comes before what is known to be low."""

_CELL: Final = ["slug", "surface"]
_TOLD: Final = [*_CELL, "risk", "count", "state", "to_read"]
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
        `slug`, `name`, `surface`, `risk`, `duplicate_of`, and `captured_at` where it is known. Used for cells that
        `surfaces` does not tell: the level is the highest of the clauses, but UNKNOWN where nothing above LOW and
        a level that is not known meet; near-copies are not counted.
    surfaces : pandas.DataFrame, optional
        `slug`, `name`, `surface`, `risk`, `count`, `state`, and `to_read` where it is known: the service's own verdict
        per cell.
    platforms : pandas.DataFrame, optional
        `slug`, `name`, `rating`, and `verification` where it is known: the scope. Exactly these platforms have
        rows, each on every surface. Without this frame: all platforms of the other two, rating missing.

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
    >>> matrix[["name", "surface", "level", "state", "count"]].head(4)
                  name            surface    level  state  count
    0  Yormilow Studio       training_use     HIGH  found      1
    1  Yormilow Studio  web_data_training  UNKNOWN  quiet      0
    2  Yormilow Studio    content_license     HIGH  found      1
    3  Yormilow Studio      output_rights      MED  found      1
    """
    with_columns(findings, "risk_matrix", "slug", "name", "surface", "risk")
    cells = _cells(findings, surfaces)
    heads = _heads([findings, surfaces] if platforms is None else [platforms], rated=platforms is not None)
    names = _surface_order(cells.loc[cells["slug"].isin(heads["slug"]), "surface"])
    grid = heads.merge(pd.DataFrame({"surface": names}), how="cross").merge(cells, how="left", on=_CELL)
    if "captured_at" in findings:
        newest = findings.groupby(_CELL)["captured_at"].max().rename("latest")
        grid = grid.join(newest, on=_CELL)
    state, level, rated = grid["state"].fillna("unread"), level_of(grid["risk"]), level_of(grid["rating"])
    matrix = cut_to(grid.assign(state=state, level=level, level_rating=rated), MATRIX_COLUMNS)
    ranks = worst_platforms(matrix, None).set_index("slug")["rank"]
    return matrix.sort_values("slug", key=lambda slugs: slugs.map(ranks), kind="stable", ignore_index=True)


def _cells(findings: pd.DataFrame, surfaces: pd.DataFrame | None) -> pd.DataFrame:
    """Return the cells that are known: as the service tells them, the others by the worst clause of each."""
    counted = findings[
        findings["surface"].notna() & findings.get("duplicate_of", pd.Series(index=findings.index)).isna()
    ]
    worst = counted.assign(
        severity=severities(counted["risk"]), state="found", count=counted.groupby(_CELL)["slug"].transform("size")
    )
    own = worst.sort_values(["severity", "risk"]).drop_duplicates(_CELL).reindex(columns=_TOLD)
    own = own.astype({"to_read": "Int64"})
    if surfaces is None:
        return own
    told = with_columns(surfaces, "risk_matrix", "name", *_TOLD[:-1]).drop_duplicates(_CELL, keep="last")
    told = told.reindex(columns=_TOLD).astype({"to_read": "Int64"})
    return pd.concat([told[told["state"] != "unread"], own], ignore_index=True).drop_duplicates(_CELL)


def _heads(frames: Sequence[pd.DataFrame | None], *, rated: bool) -> pd.DataFrame:
    """Return name, rating and verification of the platforms in scope; those that are empty are missing."""
    kept = _HEAD if rated else _HEAD[:2]
    heads = pd.concat([frame.reindex(columns=kept) for frame in frames if frame is not None]).drop_duplicates("slug")
    named = heads.mask(heads == "").reindex(columns=_HEAD)
    return named.assign(name=named["name"].fillna(named["slug"]))


def _surface_order(occurring: Iterable[str]) -> tuple[str, ...]:
    """Return the twelve surfaces in their order, then any others by name."""
    return (*SURFACES, *sorted(set(occurring) - set(SURFACES)))


def cell_marks(matrix: pd.DataFrame) -> pd.Series[str]:
    """Return what each cell of a matrix is, one of `MARKS`; clauses without a level that is known are to be read."""
    found = matrix["level"].astype("str").replace("UNKNOWN", "TO_READ")
    other = matrix["state"].str.upper().where(matrix["state"].isin(["to_read", "quiet"]), "UNREAD")
    return found.where(matrix["state"] == "found", other)


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
    marks = cell_marks(with_columns(matrix, "worst_platforms", *MATRIX_COLUMNS))
    counts = {mark.lower(): (marks == mark).groupby(matrix["slug"]).sum() for mark in MARKS}
    heads = matrix.drop_duplicates("slug").set_index("slug", drop=False).rename_axis(None)
    ranked = heads.assign(**counts, surfaces=matrix.groupby("slug").size()).sort_values(
        ["level_rating", "high", "med", "name", "slug"], ascending=[True, False, False, True, True], key=_badness
    )
    return cut_to(ranked.assign(rank=range(1, len(ranked) + 1))[:top], WORST_COLUMNS)


def _badness(column: pd.Series[str]) -> pd.Series[str] | pd.Series[int]:
    """Return what a column of ranked platforms is sorted by."""
    if column.name == "level_rating":
        return severities(column)
    return column.str.casefold() if column.name == "name" else column


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
    marks = cell_marks(told)
    worst = pd.DataFrame({mark: (marks == mark).groupby(told["surface"]).sum() for mark in MARKS[:2]})
    usual = worst.reindex([surface for surface in _surface_order(worst.index) if surface in worst.index])
    ordered = usual.sort_values(list(MARKS[:2]), ascending=False, kind="stable").index
    levels = told["level"].astype("str").where(told["state"] == "found", "UNKNOWN")
    counts = told.groupby([told["surface"], told["state"], levels]).size()
    places = [(surface, *counted) for surface in ordered for counted in _COUNTED]
    index = pd.MultiIndex.from_tuples(places, names=["surface", "state", "level"])
    rows = counts.reindex(index, fill_value=0).rename("platforms").reset_index()
    total = rows["surface"].map(told.groupby("surface").size()).astype("int64")
    return cut_to(rows.assign(total=total, share=rows["platforms"] / total), COUNT_COLUMNS)


def surface_title(matrix: pd.DataFrame, surface: str) -> str:
    """Return a title for one surface: how many of the platforms judged have the level HIGH there.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `surface_matrix` returned.
    surface : str

    Returns
    -------
    str
        Plain text.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.surface_title(matrix, "ip_liability")
    'IP liability: 62 of the 160 platforms judged are at HIGH'
    """
    names = _names_by_mark(matrix, surface)
    high, read = len(names["HIGH"]), _read(names)
    words = surface_name(surface)
    if not read:
        return f"{words}: no platform has a level"
    if not high:
        return f"{words}: no platform of the {read:,} judged is at HIGH"
    return f"{words}: {high:,} of the {plural(read, 'platform')} judged {_are(high)} at HIGH"


def surface_sentences(matrix: pd.DataFrame, surface: str, names: int = 6) -> list[str]:
    """Sum up the levels of all platforms on one surface in plain sentences.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `surface_matrix` returned.
    surface : str
    names : int
        Platforms named at most.

    Returns
    -------
    list of str
        What is asked of documents there; the number of platforms at each level, that at HIGH as a share of the platforms
        judged (read, and their documents settle the answer) with its 95 % interval (Wilson); who is at HIGH; on how many
        nothing was found, clauses are to be read, or a document is not read.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> analysis.surface_sentences(matrix, "ip_liability", names=3)[2]
    'At HIGH: Yormilow Studio, Orvewick Voice, YortithornOffice and 59 others.'
    """
    by_mark, told = _names_by_mark(matrix, surface), SURFACE_DESCRIPTIONS.get(surface)
    sentences = [told.question] if told else []
    high, read = len(by_mark["HIGH"]), _read(by_mark)
    if read:
        low, top = wilson_interval(high, read)
        spread = f"{100 * high / read:.0f} %, 95 % interval {100 * low:.0f} to {100 * top:.0f} %"
        sentences.append(
            f"Of the {plural(read, 'platform')} judged, {high:,} {_are(high)} at HIGH ({spread}), "
            f"{len(by_mark['MED']):,} at MED and {len(by_mark['LOW']):,} at LOW."
        )
    if high:
        sentences.append(f"At HIGH: {listed(by_mark['HIGH'], names)}.")
    quiet, to_read, unread = (len(by_mark[mark]) for mark in ("QUIET", "TO_READ", "UNREAD"))
    rest = [f"on {quiet:,} nothing was found, which is no promise"] if quiet else []
    rest += [f"on {to_read:,} clauses are to be read"] if to_read else []
    rest += [f"{unread:,} {_are(unread)} not read"] if unread else []
    said = "; ".join(rest)
    return [*sentences, f"{said[:1].upper()}{said[1:]}."] if rest else sentences


def _are(number: int) -> str:
    """Return the verb that follows a number of platforms."""
    return "is" if number == 1 else "are"


def _names_by_mark(matrix: pd.DataFrame, surface: str) -> dict[str, list[str]]:
    """Return the names of the platforms for each mark that their cell on a surface may be."""
    told = with_columns(matrix, "surface_sentences", *MATRIX_COLUMNS)
    cells = told[told["surface"] == surface]
    names, marks = cells["name"].fillna(cells["slug"]), cell_marks(cells)
    return {mark: list(names[marks == mark]) for mark in MARKS}


def _read(names: Mapping[str, list[str]]) -> int:
    """Return how many platforms are judged: the denominator of shares."""
    return sum(len(group) for mark, group in names.items() if mark not in ("TO_READ", "UNREAD"))
