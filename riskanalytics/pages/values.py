"""Page values: frozen objects without markup, from which HTML and PDF are rendered.

Words are a string, a `Text`, `Level` or `Link`, or a tuple of them. They contain plain text, including text of documents
and services, which the renderers escape; hidden characters are shown. No value contains HTML or typst.
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

    `letter` is `H`, `M`, `L`, `?` (clauses to read), `–` (not read), or empty (no clause found). The hover text also gives
    the number of clauses with the letter of their age or, without a level, the number of clauses to read.
    """

    letter: str = ""
    count: str = ""
    hint: str = ""


@_value
class MatrixRow:
    """A platform of a matrix: `letter` abbreviates its rating; `linked` states whether the page shows its clauses.

    `ages` are the days since the texts were captured, separated by commas; cells refer to them by a letter.
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
    """A table of platforms by surfaces that the reader can search, filter, group and sort.

    Parameters
    ----------
    surfaces : tuple of (str, str)
        Identifier and name.
    rows : tuple of MatrixRow
        Worst first.
    first : int
        Number of rows shown before the reader asks for all.
    day : str
        Day of the newest text, YYYY-MM-DD; empty if not known.
    """

    surfaces: tuple[tuple[str, str], ...]
    rows: tuple[MatrixRow, ...]
    first: int
    day: str = ""


MARK_MEANINGS: Final = "H high, M medium, L low, ? clauses to read, – not read, blank: no clause found"
"""Meaning of the marks of a matrix."""

MATRIX_CAPTION: Final = f"{MARK_MEANINGS}. Worst first."
"""Caption of a matrix: the meaning of its marks, and its order."""


PAGE_TYPE: Final = "application/vnd.riskanalytics.page+json"
"""Media type of a section in an output of a notebook; figures also have the media type of plotly."""

FIGURE_TYPE: Final = "application/vnd.plotly.v1+json"
"""Media type of a figure's plot, which front ends draw; its words and numbers are in `PAGE_TYPE`."""


@_value
class Text:
    """Words in one style.

    Parameters
    ----------
    words : Words
    style : str
        `strong`, `meta` (grey, small), `thin` (grey), `bad` (an error), `code`, `name` (a name from data, with its direction
        isolated), `mark` (a quote in its paragraph), `around` (the paragraph around it), `ins`, `del`, `whole` (not broken),
        `quote` (a short quote, in quotation marks), `cite` (the source of a quote), `em`, `day`, `withdrawn` (no longer valid),
        `more` (counts what `rest` lists, which only saved tables show), or `up`, `mixed` and `down` (direction of a risk).
        Unknown styles are plain.
    anchor : str
        Anchor of the words on the page; only for words whose enclosing value cannot have an anchor.
    """

    words: Words
    style: str = ""
    anchor: str = ""


@_value
class Level:
    """A level or rating (`HIGH`) on its colour; `short` shows only its letter. An unknown word becomes a question mark."""

    word: str
    short: bool = False


@_value
class Link:
    """Words that link to something.

    Parameters
    ----------
    words : Words
    to : str
        `#` and an anchor on the page, a public address of the web, or a file next to the page (`beside`). Words with any other
        address, such as an address of this machine, are not linked.
    apart : bool
        Whether the link opens in a new page, as in a notebook.
    """

    words: Words
    to: str
    apart: bool = False


def kind_of(value: object) -> str:
    """Return the kind of a value, or of its encoded form: the name of its class in lower case, such as `heading`."""
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
    """A heading; the title of the page has level 1."""

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
    """A verbatim quote and its place in a snapshot, so that a reader can check it independently.

    `start` and `end` count Unicode code points of the snapshot decoded as UTF-8; other fields are empty if not known.
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
    """A verbatim quote from a document, with its source.

    Parameters
    ----------
    words : Words
        May mark the differences, or the quote in its paragraph.
    source : Words
        Shown below the quote.
    anchor : str
        Anchor on the page; of equal anchors only the first is kept.
    style : str
        `ins` (new as a whole), `del` (removed as a whole), or empty.
    evidence : Evidence, optional
        The machine-readable record of the quote; None if its place is unknown.
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
    """A row of a table. The page's script uses the platform's `slug`, and the table's `Choice` filters by the `value`."""

    cells: tuple[Words, ...]
    anchor: str = ""
    slug: str = ""
    value: str = ""


@_value
class Choice:
    """Controls that filter the rows of a table: a search by name, and a list of `options` (`value` of rows, and its words).

    `first` rows are shown before the reader asks for all.
    """

    label: str
    options: tuple[tuple[str, str], ...]
    first: int


@_value
class Table:
    """A table; not rendered if it has neither rows nor columns.

    Parameters
    ----------
    rows : tuple of Row
    columns : tuple of Column
        Empty for a table without heads.
    caption : str
    style : str
        Any of `sortable`, `text` (words, no numbers), `beside` (first column stays when scrolled).
    named : bool
        Whether the first cell of a row is its name.
    anchor : str
    choice : Choice, optional
    left_out : int
        Number of rows that are not shown; stated below the table.
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
    """Parts behind a summary line, for the reader to unfold.

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
        `section` (named by its `label`), `article`, `article full` (as wide as the page), `row` (a label and its content),
        `clauses`, `header`, or empty.
    label : str
    anchor : str
    """

    parts: tuple[Part, ...]
    style: str = ""
    label: str = ""
    anchor: str = ""


@_value
class Pair:
    """Groups side by side: two in a row; in the style `columns` at most three, in the style `columns half` at most two."""

    sides: tuple[Group, ...]
    style: str = ""


@_value
class Listing:
    """A list; each item is words."""

    items: tuple[Words, ...]
    ordered: bool = False


@_value
class Command:
    """Verbatim text, such as a command."""

    text: str


@_value
class Figure:
    """A chart with its title, its description in words, and its numbers.

    Parameters
    ----------
    name : str
        Name of the chart.
    title, words : str
    table : Table
        The numbers behind the chart.
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
    """Any other output of a notebook: HTML (sanitized before it is shown), its plain text, or a base64 PNG."""

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
"""A part of a page: any value that the page shows as a block."""

Parts = tuple[Part, ...]
