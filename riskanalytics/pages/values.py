"""Page values: frozen objects without markup, from which HTML and PDF are rendered.

`Words` are a string, a `Text`, `Level` or `Link`, or a tuple of them. They contain plain text, including text of documents
and services. The renderers escape it and make invisible characters visible. Only `Foreign` contains HTML; no value contains
typst, the markup from which the PDF is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import Discriminator, Tag
from typing_extensions import TypeAliasType


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a `Matrix`: a platform's level on one surface.

    `letter` is `H`, `M`, `L`, `?` (clauses to read), `–` (not read), or empty (no clause found). `count` is the number of clauses
    and a letter for the age of their newest text (`MatrixRow.ages`), such as `3b`. `hint` is the hover text of `?` and `–`.
    """

    letter: str = ""
    count: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A row of a `Matrix`: a platform's rating, verification state (`evidence`), and one cell for each surface, in their order.

    `letter` abbreviates the rating. `ages` lists by how many days the texts are older than `Matrix.day`, separated by commas;
    cells refer to the first age as `a`, to the second as `b`. If `linked`, cells link to the platform's clauses on the page.
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
    """A table of platforms by surfaces that the reader can search, filter, group and sort.

    Parameters
    ----------
    surfaces : tuple of (str, str)
        Identifier and name of each surface, in the order of the columns.
    rows : tuple of MatrixRow
        Worst first.
    first : int
        Number of rows shown until the reader clicks "Show all".
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


@dataclass(frozen=True, slots=True)
class Text:
    """Words in one style.

    Parameters
    ----------
    words : Words
    style : str
        `strong`, `meta` (grey, small), `thin` (grey), `bad` (an error), `code`, `name` (a name from data, with its text direction
        isolated), `mark` (a quote, highlighted in its paragraph), `around` (the rest of that paragraph), `ins` and `del` (added and
        removed words), `whole` (without line breaks), `quote` (a short quote, in quotation marks), `cite` (the source of a quote),
        `em` (emphasis), `day` (a date), `withdrawn` (no longer valid), `more` (the number of items left out), `rest` (these
        items, in saved tables only), or `up`, `mixed` and `down` (direction of a risk). An unknown style has no effect.
    anchor : str
        Anchor of the words on the page; needed only if the block that contains them has no field `anchor`.
    """

    words: Words
    style: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """A level or rating, such as `HIGH`, on a coloured background; if `short`, only its letter. An unknown word becomes `?`."""

    word: str
    short: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """Words that link to something.

    Parameters
    ----------
    words : Words
    to : str
        `#` and an anchor on the page, a public web address, or the name of a file in the folder of the page. With any other
        address, such as one on this machine, the words are shown without a link.
    apart : bool
        Whether a web address opens in a new browser tab, as is usual in a live notebook.
    """

    words: Words
    to: str
    apart: bool = False


def kind_of(value: object) -> str:
    """Return the name of a value's class in lower case, such as `heading`, also for a value that is encoded as JSON."""
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


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; the title of the page has level 1."""

    words: Words
    level: int = 3
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph in a style, or without one.

    Styles: `lead` (large), `meta` and `note` (grey, small), `alarm` (a warning), `demo` (the notice of the demo), `what` and
    `who` (the subject or platform of the quotes below), `side` (label of one side of a `Pair`), `why` (a remark below a heading).
    """

    words: Words
    style: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote and its place in a snapshot, so that a reader can check it. A text that is not known is empty.

    `start` and `end` count Unicode code points of the snapshot decoded as UTF-8; `slug` is that of the platform.
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
    lead_in: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim quote from a document, with its source.

    Parameters
    ----------
    words : Words
        The quote; styles may mark its differences from another text, or the quote within its paragraph.
    source : Words
        Shown below the quote.
    anchor : str
        Anchor on the page; of equal anchors only the first is kept.
    style : str
        `ins` (the whole quote is new), `del` (the whole quote was removed), or empty.
    evidence : Evidence, optional
        The machine-readable record of the quote; None if its place is unknown.
    """

    words: Words
    source: Words = ""
    anchor: str = ""
    style: str = ""
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `style` combines `n` (numbers), `roomy` (hidden on a narrow screen) and `whole` (no line breaks)."""

    title: Words = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table. The page's search finds it by `slug` (its platform), the drop-down list of a `Choice` by `value`."""

    cells: tuple[Words, ...]
    anchor: str = ""
    slug: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Controls that filter the rows of a table: a search by platform, and a drop-down list with the label `label`.

    Each of the `options` is a value and its words in the list; choosing it shows only the rows with this `Row.value`. Without a
    filter, the table shows its `first` rows until the reader clicks "Show all".
    """

    label: str
    options: tuple[tuple[str, str], ...]
    first: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table; not rendered if it has neither rows nor columns.

    Parameters
    ----------
    rows : tuple of Row
    columns : tuple of Column
        Empty for a table without column headings.
    caption : str
    style : str
        Any of `sortable`, `text` (cells of limited width), `beside` (first column stays in view), `stack` (a list on a phone).
    named : bool
        Whether the first cell of each row is a row heading.
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


@dataclass(frozen=True, slots=True)
class Fold:
    """A summary line, and blocks of the page below it, shown or hidden by a click; if `open`, they are shown at first.

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


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks of a page, such as headings, paragraphs and quotes, that belong together.

    Parameters
    ----------
    parts : tuple of Part
    style : str
        `section` (its `label` is for screen readers), `article` (an HTML article), `article full` (as wide as the page), `row`
        (a label, then the content to its right), `clauses` (not divided between printed pages), `header` (top), or empty.
    label : str
    anchor : str
    """

    parts: tuple[Part, ...]
    style: str = ""
    label: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Groups of blocks side by side, two per line; with style `columns` as many as fit, up to 3; with `columns half`, up to 2."""

    sides: tuple[Group, ...]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A bulleted list, or a numbered list if `ordered`; each item is `Words`."""

    items: tuple[Words, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """Verbatim text, such as a command."""

    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its title, its description in words, and its numbers.

    Parameters
    ----------
    name : str
        Name of the chart.
    title, words : str
        Title, and the description in words.
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


@dataclass(frozen=True, slots=True)
class Foreign:
    """Output of a notebook that is no `Section` or chart: HTML (sanitized before it is shown), plain text, or a base64 PNG."""

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
