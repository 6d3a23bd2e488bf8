"""What a page is made of: frozen values without markup, from which HTML and PDF are both written.

Words are a string, a `Text`, `Level` or `Link`, or a tuple of them. They hold plain text, also from documents and
services: the renderers escape it and show what is hidden in it. Nothing here is HTML or typst.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, TypeVar, dataclass_transform

from pydantic import Discriminator, Tag
from typing_extensions import TypeAliasType

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _value(kind: type[Kind]) -> type[Kind]:
    """Make a class a frozen value."""
    return dataclass(frozen=True, slots=True)(kind)


@_value
class Cell:
    """A platform's level on one surface.

    Its letter is `H`, `M`, `L`, `?` (clauses to read), `–` (not read), or empty: read, and nothing found. For the hints of
    the heatmap follow the number of clauses with the letter of their age, and what is known without a level, such as the
    number of clauses to read.
    """

    letter: str = ""
    count: str = ""
    hint: str = ""


@_value
class MatrixRow:
    """A platform of a matrix: `letter` is that of its rating, `linked` whether the page has its clauses.

    `ages` are the days since the texts were captured, parted by commas: cells name them by a letter.
    """

    slug: str
    name: str
    rating: str
    evidence: str
    letter: str
    ages: str
    cells: tuple[Cell, ...]
    linked: bool = False


@_value
class Matrix:
    """Platforms by surfaces, which the reader searches, narrows, groups and sorts.

    Parameters
    ----------
    surfaces : tuple of (str, str)
        Identifier and name.
    rows : tuple of MatrixRow
        Worst first.
    first : int
        Rows shown before the reader asks for all.
    day : str
        Newest text, YYYY-MM-DD; empty where not known.
    """

    surfaces: tuple[tuple[str, str], ...]
    rows: tuple[MatrixRow, ...]
    first: int
    day: str = ""


MARK_MEANINGS: Final = "H high, M medium, L low, ? clauses to read, – not read, blank: read and nothing found"
"""What the marks of a matrix mean."""

MATRIX_CAPTION: Final = f"{MARK_MEANINGS}. The worst first."
"""The caption of a matrix."""


PAGE_TYPE: Final = "application/vnd.riskanalytics.page+json"
"""Media type of a section in an output of a notebook; figures have the media type of plotly beside it."""

FIGURE_TYPE: Final = "application/vnd.plotly.v1+json"
"""Media type of a figure's plot, which front ends draw; its words and numbers are beside it as `PAGE_TYPE`."""


@_value
class Text:
    """Words in one style.

    Parameters
    ----------
    words : Words
    style : str
        `strong`, `meta` (grey, small), `thin` (grey), `bad` (a fault), `code`, `name` (a name from data, its direction
        kept to itself), `mark` (a quote in its paragraph), `around` (the paragraph around it), `ins`, `del`, `whole`
        (not broken), `quote` (a short one, in quotation marks), `cite` (the source of a quote), `em`, `day`, `withdrawn`
        (holds no longer), or `up`, `mixed` and `down` (where a risk went). Unknown styles are plain.
    anchor : str
        Address on the page, where nothing larger than these words can have it.
    """

    words: Words
    style: str = ""
    anchor: str = ""


@_value
class Level:
    """A level or rating (`HIGH`) on its colour, `short` its letter alone; an unknown one is a question mark."""

    word: str
    short: bool = False


@_value
class Link:
    """Words that lead somewhere.

    Parameters
    ----------
    words : Words
    to : str
        `#` and an address on the page, a public address of the web, or a file beside the page (`beside`). Words that
        lead to any other address, such as one of this machine, are no link.
    apart : bool
        Whether it opens in a page of its own, as in a notebook.
    """

    words: Words
    to: str
    apart: bool = False


def kind_of(value: object) -> str:
    """Return the kind of a value, or of what `encode` made of it."""
    if isinstance(value, Mapping):
        return str(value.get("kind"))
    if isinstance(value, str | list | tuple):
        return "str" if isinstance(value, str) else "tuple"
    return type(value).__name__.lower()


Words = TypeAliasType(
    "Words",
    Annotated[
        Annotated[str, Tag("str")] | Annotated["tuple[Words, ...]", Tag("tuple")] | Annotated[Text, Tag("text")]
        | Annotated[Level, Tag("level")] | Annotated[Link, Tag("link")],
        Discriminator(kind_of),
    ],
)  # fmt: skip
"""Words with their style, level and links."""

BREAK: Final = Text("", "break")
"""A new line."""


@_value
class Heading:
    """A heading; that of the whole page has level 1."""

    words: Words
    level: int = 3
    anchor: str = ""


@_value
class Paragraph:
    """A paragraph in a style: `lead`, `meta`, `note`, `alarm`, `demo`, `what`, `why`, `who`, `side`, or none."""

    words: Words
    style: str = ""


@_value
class Evidence:
    """A quote, byte for byte, and its place, so that a reader can check it without us.

    `start` and `end` count Unicode code points of the snapshot decoded as UTF-8; other texts are empty where not known.
    """

    quote: str
    snapshot_sha256: str
    start: int
    end: int
    finding_id: str = ""
    slug: str = ""
    surface: str = ""
    document: str = ""
    captured_at: str = ""
    archive_url: str = ""


@_value
class Quote:
    """Words of a document, verbatim, and their source.

    Parameters
    ----------
    words : Words
        With the differences or the paragraph marked, where they are.
    source : Words
        Shown below the quote.
    anchor : str
        Address on the page; kept at its first place.
    style : str
        `ins` (new as a whole), `del` (gone as a whole), or empty.
    evidence : Evidence, optional
        Its record for machines; None where its place is not known.
    """

    words: Words
    source: Words = ""
    anchor: str = ""
    style: str = ""
    evidence: Evidence | None = None


@_value
class Column:
    """A column of a table; styles `n` (numbers), `roomy` (not on a narrow screen), `whole` (not broken), `flat`."""

    title: Words = ""
    style: str = ""


@_value
class Row:
    """A row of a table: `slug` is that of its platform, for the page's script; `value` that of the table's choice."""

    cells: tuple[Words, ...]
    anchor: str = ""
    slug: str = ""
    value: str = ""


@_value
class Choice:
    """What narrows the rows of a table: a search by name, and a choice of `options` (value of a row, its words).

    `first` rows are shown before the reader asks for all.
    """

    label: str
    options: tuple[tuple[str, str], ...]
    first: int


@_value
class Table:
    """A table; nothing where it has neither rows nor columns.

    Parameters
    ----------
    rows : tuple of Row
    columns : tuple of Column
        Empty where it has no heads.
    caption : str
    style : str
        Any of `sortable`, `text` (words, no numbers), `beside` (first column stays).
    named : bool
        Whether the first cell of a row names it.
    anchor : str
    choice : Choice, optional
    left_out : int
        Rows that are not shown; said below.
    """

    rows: tuple[Row, ...]
    columns: tuple[Column, ...] = ()
    caption: str = ""
    style: str = ""
    named: bool = True
    anchor: str = ""
    choice: Choice | None = None
    left_out: int = 0


@_value
class Fold:
    """Parts behind one line, which the reader unfolds.

    Parameters
    ----------
    summary : Words
    parts : tuple of Part
    style : str
        Any of `keep` (open in print), `platform` (about one platform).
    open : bool
    anchor : str
    """

    summary: Words
    parts: tuple[Part, ...]
    style: str = ""
    open: bool = False
    anchor: str = ""


@_value
class Group:
    """Parts that belong together.

    Parameters
    ----------
    parts : tuple of Part
    style : str
        `section` (named by its `label`), `article`, `article full` (as wide as the page), `row` (a label and what it
        labels), `clauses`, `header`, or empty.
    label : str
    anchor : str
    """

    parts: tuple[Part, ...]
    style: str = ""
    label: str = ""
    anchor: str = ""


@_value
class Pair:
    """Groups side by side: two, or in the style `columns` (at most three in a row) or `columns half` (two)."""

    sides: tuple[Group, ...]
    style: str = ""


@_value
class Listing:
    """A list; each item is words."""

    items: tuple[Words, ...]
    ordered: bool = False


@_value
class Command:
    """Text as it is, such as a command."""

    text: str


@_value
class Figure:
    """A chart with its words and numbers.

    Parameters
    ----------
    name : str
        Of the chart.
    title, words : str
    table : Table
        The numbers behind it.
    plot : mapping
        The figure in plotly's JSON: `data` and `layout`.
    """

    name: str
    title: str
    words: str
    table: Table = field(default_factory=lambda: Table(()))
    plot: Mapping[str, object] = field(default_factory=dict)


@_value
class Foreign:
    """Another output of a reader's own notebook: HTML (cleaned before it is shown), its plain text, a base64 PNG."""

    html: str = ""
    text: str = ""
    png: str = ""


Part = TypeAliasType(
    "Part",
    Annotated[
        Annotated[Heading, Tag("heading")] | Annotated[Paragraph, Tag("paragraph")] | Annotated[Quote, Tag("quote")]
        | Annotated[Table, Tag("table")] | Annotated["Fold", Tag("fold")] | Annotated["Group", Tag("group")]
        | Annotated["Pair", Tag("pair")] | Annotated[Listing, Tag("listing")] | Annotated[Command, Tag("command")]
        | Annotated[Figure, Tag("figure")] | Annotated[Matrix, Tag("matrix")] | Annotated[Foreign, Tag("foreign")],
        Discriminator(kind_of),
    ],
)  # fmt: skip
"""Anything that a page may hold, one below the other."""

Parts = tuple[Part, ...]
