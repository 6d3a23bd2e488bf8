"""The reports of a batch: one for each row of a table, or for each platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from riskanalytics.cells import Cells, read_cells
from riskanalytics.databases import without_password
from riskanalytics.errors import ParameterError
from riskanalytics.reporting.parameters import Parameter, known, refuse_secrets

ALL: Final = "all"
"""What stands for each tracked platform."""
_PLATFORM: Final = "platform"


@dataclass(frozen=True, eq=False)
class Row:
    """One report of a batch.

    Parameters
    ----------
    number : int
        Its row in the table, from 1 below the headings.
    given : dict
        Parameters of the notebook, as they stand there; empty cells are left out.
    """

    number: int
    given: dict[str, object]

    def __str__(self) -> str:
        told = ", ".join(f"{name}={without_password(str(value))}" for name, value in self.given.items())
        return f"row {self.number} ({told})" if told else f"row {self.number}"


def check_all(declared: Mapping[str, Parameter]) -> None:
    """Refuse `all` for a notebook that does not take a platform.

    Raises
    ------
    ParameterError
    """
    if _PLATFORM not in declared:
        raise ParameterError(
            "the notebook has no parameter 'platform': --over all has nothing to vary; give a CSV file"
        )


def rows_of_platforms(slugs: list[str]) -> list[Row]:
    """Return a report for each platform."""
    return [Row(number, {_PLATFORM: slug}) for number, slug in enumerate(slugs, 1)]


def rows_of_table(path: Path, declared: Mapping[str, Parameter], secrets: Sequence[str] = ()) -> list[Row]:
    """Return a report for each row of a CSV file or workbook; a row that repeats another is left out.

    Parameters
    ----------
    path : Path
        Its headings are parameters of the notebook; a column in which nothing stands is none. Fields of a CSV stand
        between commas, semicolons, tabs or bars, and are taken as they stand there; blank ones are not given.
    declared : mapping
        The parameters of the notebook.
    secrets : sequence of str
        No cell may hold one of them.

    Raises
    ------
    ParameterError
        If the file is none, has no rows, or a heading is no parameter, or stands there twice.
    """

    def width(rows: Cells) -> int:
        return sum(cell.strip() in declared for cell in rows[0]) if rows else 0

    cells = read_cells(path, width, "table")
    if len(cells) < 2:
        raise ParameterError(f"the table {path} is empty: its first row names parameters, each further row is a report")
    for number, cells_of in enumerate(cells):
        refuse_secrets(
            {"cells": cells_of}, secrets, f"row {number} of the table {path}" if number else f"the table {path}"
        )
    heads = [head.strip() for head in cells[0]]
    used = {place for row in cells for place, cell in enumerate(row) if cell.strip()}
    named = [head for place, head in enumerate(heads) if place in used]
    for head in named:
        if not head or named.count(head) > 1:
            what = f"names {head!r} twice" if head else "has a column without a heading"
            raise ParameterError(f"the table {path} {what}; headings are parameters: {', '.join(declared) or 'none'}")
        known(declared, head)
    rows: dict[tuple[str, ...], Row] = {}
    for number, row in enumerate(cells[1:], 1):
        if len(row) > len(heads):
            raise ParameterError(f"row {number} of the table {path} has more cells than there are headings")
        given = {head: cell for head, cell in zip(heads, row, strict=False) if cell.strip()}
        rows.setdefault(tuple(sorted(f"{name}={value}" for name, value in given.items())), Row(number, dict(given)))
    return list(rows.values())
