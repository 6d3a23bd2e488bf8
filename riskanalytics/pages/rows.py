"""Turn rows of frames into the content of a page: names, days, levels, quotes with sources, lists and tables.

`Words` are a string, a `Text`, `Level` or `Link`, or a tuple of them; a `Part` is a block of a page, such as a table. Both are
defined in `pages.values`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.text.page_words import live_words, plain_words, without_marks
from riskanalytics.text.untrusted import is_public
from riskanalytics.text.wording import led_in, plural, ratio

from .quoted import evidence_of
from .values import BREAK, Column, Fold, Level, Link, Part, Parts, Quote, Row, Table, Text, Words


def separated(parts: Iterable[Words], by: Words = " · ") -> Words:
    """Join several texts (`Words`: strings, or texts with styles or links) with the separator `by`; empty texts are skipped."""
    return tuple(piece for part in parts if part for piece in (by, part))[1:]


def below(words: Words) -> Words:
    """Return a text in grey on a new line, to append it to another text; an empty string if `words` is empty."""
    return (BREAK, Text(words, "meta")) if words else ""


def cut(names: Sequence[Words], most: int) -> Words:
    """Return the first `most` names, separated by commas, and the number of the others, such as `and 12 more`.

    The page hides the other names, but a table that the reader saves contains them.
    """
    rest = names[most:]
    more = (Text(f" and {len(rest):,} more", "more"), Text((", ", separated(rest, ", ")), "rest")) if rest else ""
    return separated(names[:most], ", "), more


def first_shown(parts: Sequence[Part], most: int, one: str, many: str | None = None) -> Parts:
    """Return the first blocks of a list, and the others behind a line that counts them and that the reader can unfold.

    Parameters
    ----------
    parts : sequence of Part
        All blocks, such as quotes.
    most : int
        Number of blocks that are always shown.
    one, many : str
        Noun for the other blocks, such as `more clause`, and its plural. By default, the plural is regular.
    """
    rest = tuple(parts[most:])
    return (*parts[:most], *([Fold(plural(len(rest), one, many), rest, "keep")] if rest else ()))


def columns(*titles: str) -> tuple[Column, ...]:
    """Return the columns of a table.

    Parameters
    ----------
    *titles : str
        Title of each column, such as `Documents`; or the styles of the column (see `Column`), a colon and the title, such as
        `n roomy:Documents`.
    """
    return tuple(Column(words, style) for style, _, words in (title.rpartition(":") for title in titles))


def table(caption: str, rows: Iterable[Sequence[Words]], *titles: str, style: str = "sortable") -> Table:
    """Return a table whose first column names the rows.

    Parameters
    ----------
    caption : str
    rows : iterable of sequence of Words
        The cells of each row.
    *titles : str
        Titles of the columns, as for `columns`.
    style : str
        Style of the table, as for `Table`. By default, the reader can sort it.
    """
    return Table(tuple(Row(tuple(cells)) for cells in rows), columns(*titles), caption, style)


Record = Mapping[str, Any]
"""A row of a frame: column -> value."""

Rows = list[dict[str, Any]]


def grouped(rows: Rows, key: str | Callable[[Record], str]) -> dict[str, Rows]:
    """Return rows grouped by their value in one column, or by the result of a function, in the order of first appearance."""
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(str(row[key] if isinstance(key, str) else key(row)), []).append(row)
    return groups


def number(value: object) -> float:
    """Return a value of a frame as a float; it must not be missing."""
    return float(str(value))


def text(value: object) -> str:
    """Return a value as a string; empty if it is missing."""
    return "" if is_missing(value) else str(value)


def name(value: object) -> Text:
    """Return a name from data, styled so that its text direction (left or right) does not change that of the words around it."""
    return Text(text(value), "name")


def quoted(value: object) -> str:
    """Return all words of a quote, without Markdown marks, borders of table cells, and invisible joiners."""
    return without_marks(plain_words(text(value)))


def day(value: object) -> str:
    """Return the day (YYYY-MM-DD, UTC) of a time, which is a timestamp or an ISO 8601 string; empty if it is missing."""
    if is_missing(value):
        return ""
    return value[:10] if isinstance(value, str) else f"{value:%Y-%m-%d}"


def level(value: object) -> Level:
    """Return a level; an unknown word becomes a question mark with the word as hover text."""
    return Level(text(value) or "not known")


def link(words: Words, url: object) -> Words:
    """Return words as a link to a public address; without such an address, only the words."""
    return words if is_missing(url) else Link(words, str(url))


def snapshot_anchor(sha256: str) -> str:
    """Return the anchor of a snapshot in a page's list of quoted texts; the anchor is made from the snapshot's hash."""
    return f"text-{sha256[:12]}"


def source(row: Record, *, alone: bool = False) -> Text:
    """Return the source of a quote as a line: document, day, hash, offsets, archive, live page and result of the verification.

    Parameters
    ----------
    row : mapping
        A row of a frame of findings (`frames.FINDINGS_COLUMNS`).
    alone : bool
        Whether the page has no list of quoted texts. If it has one, the hash links to it.
    """
    sha256 = text(row.get("snapshot_sha256"))
    code: Words = Text(sha256[:12], "code") if alone else Link(sha256[:12], f"#{snapshot_anchor(sha256)}")
    captured, archive, offsets = day(row.get("captured_at")), text(row.get("archive_url")), span(row)
    live = text(row.get("live_url"))
    parts: tuple[Words, ...] = (
        text(row.get("document")),
        captured and Text(captured, "day"),
        sha256 and code,
        offsets and f"characters {offsets}",
        Link("archive", archive, alone) if is_public(archive) else "",
        Link(live_words(live), live, alone) if is_public(live) else "",
        verification(row.get("verification_status")),
    )
    return Text(separated(parts), "cite")


def span(row: Record) -> str:
    """Return the offsets of a quote as text, such as `1,200–1,260`; empty if the row has no offsets."""
    ends = [row.get("start"), row.get("end")]
    return "" if any(map(is_missing, ends)) else "–".join(f"{int(number(end)):,}" for end in ends)


def verification(status: object) -> Words:
    """Return the result of a quote's verification in words; any result except `verified` is emphasised."""
    word = "not checked" if is_missing(status) else str(status).replace("_", " ")
    return "verified" if word == "verified" else Text(Text(f"not verified: {word}", "strong"), "bad")


def confidence(row: Record) -> str:
    """Return the confidence of a finding with its interval; empty without a confidence."""
    keys = ("confidence", "confidence_low", "confidence_high")
    sure, low, high = ("" if is_missing(row.get(key)) else ratio(number(row[key])) for key in keys)
    return sure and f"confidence {sure}{low and high and f' ({low} to {high})'}"


def quote(row: Record, *, mark: Words = "", more: Words = "", alone: bool = False) -> Quote:
    """Return the quote of a row with its source below it.

    Parameters
    ----------
    row : mapping
        A row of a frame of findings (`frames.FINDINGS_COLUMNS`). If it also has `before` and `after` (the rest of the quote's
        own paragraph), the whole paragraph is shown with the quote highlighted. The quote's anchor on the page is made from
        its `finding_id`.
    mark : Words
        Shown before the source, such as the level.
    more : Words
        Shown after the source.
    alone : bool
        Whether the page has no list of quoted texts; then the quote has no anchor.
    """
    finding = "" if alone else text(row.get("finding_id"))
    anchor = f"finding-{re.sub('[^A-Za-z0-9]+', '-', finding)[:12]}" if finding else ""
    below = (mark, mark and " ", source(row, alone=alone), more)
    return Quote(in_paragraph(row), below, anchor, evidence=evidence_of(row))


def in_paragraph(row: Record) -> Words:
    """Return the quote of a row, preceded by its lead-in if it has one.

    If the row also has the rest of the quote's own paragraph (columns `before` and `after`), return the whole paragraph with the
    quote highlighted.
    """
    before, after = (quoted(row.get(side)) for side in ("before", "after"))
    words, lead = quoted(row["quote"]), led_by(row)
    if not before and not after:
        return (Text(lead, "around"), words) if lead else words
    return Text(lead + before, "around"), Text(words, "mark"), Text(after, "around")


def led_by(row: Record) -> str:
    """Return the lead-in of a row's quote; empty if it has none, or if the text `before` the quote already contains it."""
    if is_missing(row.get("lead_in")):
        return ""
    names = ("lead_in_start", "lead_in_end", "start")
    start, end, at = (None if is_missing(row.get(name)) else int(number(row[name])) for name in names)
    if start is not None and at is not None and at - start <= len(text(row.get("before"))):
        return ""
    return led_in(quoted(row["lead_in"]), end, at)


def clause_facts(row: Record, *, decides: bool = False) -> Words:
    """Return facts on a clause: the word `protective` if it mitigates risk, its confidence, audience, region and product.

    If `decides` is true, the facts begin with the word `decides`: the clause is a reason for the level of its surface.
    """
    protective = "protective" if row["polarity"] == "mitigates_risk" else ""
    limits = [f"{key}: {row[key]}" for key in ("audience", "region", "product") if not is_missing(row.get(key))]
    return separated([Text("decides", "strong") if decides else "", protective, confidence(row), *limits])


def question(surface: object) -> str:
    """Return the question about a platform that a surface answers; empty for an unknown surface."""
    known = SURFACE_DESCRIPTIONS.get(str(surface))
    return known.question if known else ""


Shown = str | Callable[[Record], Words]
"""What gives the cells of a column of a table: the name of a column of the rows, or a function of a row."""
_KINDS: Final[Mapping[str, Callable[[object], Words]]] = {
    "name": name, "level_rating": level, "risk": level, "surface": lambda value: surface_name(str(value)),
}  # fmt: skip


def rows_table(
    caption: str,
    rows: Sequence[Record],
    *shown: tuple[str, Shown],
    style: str = "sortable",
    named: bool = True,
    anchor: Callable[[Record], str] = lambda _: "",
    most: int | None = None,
) -> Table:
    """Return rows of a frame as a table for a page.

    Parameters
    ----------
    caption : str
    rows : sequence of mapping
        Column of the frame -> value.
    *shown : tuple of str and Shown
        For each column of the table, its title (as for `columns`), and what gives its cells: a column of the frame, whose
        values are formatted, or a function of a row.
    style : str
        Style of the table, as for `Table`. By default, the reader can sort it.
    named : bool
        Whether the first cell of a row is its name.
    anchor : callable
        Returns the anchor of a row on the page. By default, rows have no anchor.
    most : int, optional
        Maximum number of rows; the number of omitted rows is shown below the table. By default, all rows are shown.
    """

    def cell(row: Record, how: Shown) -> Words:
        return _KINDS.get(how, written)(row[how]) if isinstance(how, str) else how(row)

    lines = tuple(Row(tuple(cell(row, how) for _, how in shown), anchor(row)) for row in rows[:most])
    heads = columns(*(title for title, _ in shown))
    return Table(lines, heads, caption, style, named, left_out=len(rows) - len(lines))


def frame_table(frame: pd.DataFrame, most: int) -> Table:
    """Return the first rows of a frame as a table for a page.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of lists or other objects are left out.
    most : int
        Maximum number of rows; the number of omitted rows is shown below the table.
    """
    kept = [name for name in frame.columns if frame[name].dtype != object]
    styles = ["n" if pd.api.types.is_numeric_dtype(frame[name]) else "" for name in kept]
    heads = tuple(Column(str(name).replace("_", " "), style) for name, style in zip(kept, styles, strict=True))
    rows = frame[kept].head(most).itertuples(index=False, name=None)
    lines = tuple(Row(tuple(map(written, row))) for row in rows)
    return Table(lines, heads, style="sortable", named=False, left_out=max(len(frame) - most, 0))


def written(value: object) -> str:
    """Return a value formatted for a reader; empty if it is missing."""
    if is_missing(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
