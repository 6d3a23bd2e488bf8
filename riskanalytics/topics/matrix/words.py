"""What one surface comes to, in words."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.topics.matrix.analysis import MARKS, MATRIX_COLUMNS, cell_marks
from riskanalytics.topics.shape import with_columns
from riskanalytics.topics.shares import wilson_interval
from riskanalytics.wording import listed, plural

__all__ = ["surface_sentences", "surface_title"]


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
    'IP liability: 62 of the 176 platforms judged are at HIGH'
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
