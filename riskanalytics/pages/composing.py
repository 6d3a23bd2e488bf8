"""Words put together: parts with marks between them, lists that are cut, tables and folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riskanalytics.pages.values import BREAK, Column, Fold, Part, Parts, Row, Table, Text, Words
from riskanalytics.text.wording import plural


def separated(parts: Iterable[Words], by: Words = " · ") -> Words:
    """Return words one after the other, with a mark between those that are there."""
    told = [part for part in parts if part]
    return tuple(piece for place, part in enumerate(told) for piece in ((by, part) if place else (part,)))


def below(words: Words) -> Words:
    """Return words on a grey line of their own, below others; nothing where there are none."""
    return (BREAK, Text(words, "meta")) if words else ""


def cut(names: Sequence[Words], most: int) -> Words:
    """Return names parted by commas; those beyond the first are counted."""
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return separated(names[:most], ", "), rest


def first_shown(parts: Sequence[Part], most: int, one: str, many: str | None = None, style: str = "keep") -> Parts:
    """Return the first parts, and the others folded behind a line that counts them.

    Parameters
    ----------
    parts : sequence of Part
    most : int
        Parts that stand open.
    one, many : str
        Noun of the others, such as `more clause`.
    style : str
        Of the fold.
    """
    rest = tuple(parts[most:])
    folded = (Fold(plural(len(rest), one, many), rest, style),) if rest else ()
    return (*parts[:most], *folded)


def columns(*titles: str) -> tuple[Column, ...]:
    """Return the columns of a table.

    Parameters
    ----------
    *titles : str
        Each may begin with its styles and a colon, such as `n roomy:Documents`.
    """
    parts = [title.rpartition(":") for title in titles]
    return tuple(Column(words, style) for style, _, words in parts)


def table(caption: str, rows: Iterable[Sequence[Words]], *titles: str, style: str = "sortable") -> Table:
    """Return a table that a reader may sort; its first column names the rows.

    Parameters
    ----------
    caption : str
    rows : iterable of sequence of Words
    *titles : str
        As `columns` takes them.
    style : str
        As of `Table`.
    """
    return Table(tuple(Row(tuple(cells)) for cells in rows), columns(*titles), caption, style)
