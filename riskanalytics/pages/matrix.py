"""The matrix of a page: platforms by surfaces, a level in each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Cell:
    """A platform's level on one surface.

    Parameters
    ----------
    letter : str
        `H`, `M`, `L`, `?` (clauses to read), `–` (not read), or empty: read, and nothing found.
    told : str
        Number of clauses and the letter of their age, for the hints of the heatmap.
    hint : str
        What is known where there is no level, such as how many clauses are to be read.
    """

    letter: str = ""
    told: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A platform of a matrix.

    Parameters
    ----------
    slug, name, rating, evidence : str
    letter : str
        Of the rating.
    ages : str
        Days since the texts were captured, parted by commas: the ages that cells name by a letter.
    cells : tuple of Cell
    linked : bool
        Whether its clauses stand on the page.
    """

    slug: str
    name: str
    rating: str
    evidence: str
    letter: str
    ages: str
    cells: tuple[Cell, ...]
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """Platforms by surfaces: searched, narrowed, grouped and sorted by the reader.

    Parameters
    ----------
    surfaces : tuple of (str, str)
        Identifier and name.
    rows : tuple of MatrixRow
        Worst first.
    first : int
        Rows shown before the reader asks for all.
    day : str
        Newest text, YYYY-MM-DD; empty where it is not known.
    """

    surfaces: tuple[tuple[str, str], ...]
    rows: tuple[MatrixRow, ...]
    first: int
    day: str = ""


MARKS_TOLD: Final = "H high, M medium, L low, ? clauses to read, – not read, blank: read and nothing found"
"""What the marks of a matrix mean."""

MATRIX_CAPTION: Final = f"{MARKS_TOLD}. The worst first."
"""What stands above a matrix."""
