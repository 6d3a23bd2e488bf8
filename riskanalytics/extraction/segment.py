"""Cut a policy's text into clauses: sentences, list items, table rows and headings, each with its offsets.

The texts are CommonMark made from HTML. They contain setext headings, nested bullets whose words continue a lead-in ("We use
information to:"), tables with line breaks inside cells, links inside sentences, and lines of 20 to 40 KB with clause numbers
glued to the previous sentence. The time is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from .plain import plain, words_and_key
from .records import Clause, Span

_LINE: Final = re.compile(r"^.*$", re.MULTILINE)
_ITEM: Final = re.compile(
    r"([ \t]*)(?:[*+\-\u2022\u25cf\uf0b7]|\(?[0-9a-zA-Z]{1,3}\\?[.)]|"
    r"(?:[0-9]{1,2}|[A-Z](?=\\?\.[0-9]))(?:\\?\.(?:[0-9]{1,2}|[ivx]{2}|[a-z])){1,3}\\?\.?)[ \t]+(?=\S)"
)
_ATX: Final = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
_UNDERLINE: Final = re.compile(r"[ \t]{0,3}(?:={3,}|-{3,})[ \t]*$")
_RULE: Final = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_TABLE_RULE: Final = re.compile(r"[ \t]*\|?[ \t]*:?--[-:| \t]*$")
_BOLD_ONLY: Final = re.compile(r"[ \t]*\*\*[^*\n]{1,120}\*\*:?[ \t]*$")
_BOLD_TITLE: Final = re.compile(r"\*\*[^*\n\u4e00-\u9fff]{1,80}\*\*[.:]?$")
_VERB: Final = re.compile(
    r"\b(?:we|you|is|are|may|will|shall|do|does|can|not|must|should|has|have|own|owns|agree|grant)\b", re.IGNORECASE
)
_END: Final = re.compile(
    r"[.!?][\"'\u201d\u2019)\]*_]{0,4}(?=\s+[\"'\u201c\u2018(\[*_\\]{0,4}[A-Z0-9\u4e00-\u9fff])"
    r"|[A-Za-z)]{2}[.](?=[0-9]{1,2}\.[0-9]{1,2}[ .])"  # a clause number glued to the previous sentence
    r"|[a-z]{2}[.](?=[A-Z][a-z]{1,12} [a-z])"  # a sentence glued to the previous sentence
    r"|[\u3002\uff01\uff1f\uff1b][\u201d\u2019\uff09*]{0,3}"
    r"|<br ?/?>(?:\s*<br ?/?>)+"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:inc|ltd|llc|corp|co|no|nos|sec|art|para|e\.g|i\.e|etc|vs|mr|mrs|ms|dr|st|approx|incl|cf|"
    r"u\.s|u\.k|e\.u|n\.v|b\.v|d\.c"
    r"|p\.o|a\.m|p\.m|ca|jan|feb|aug|sept|oct|nov|dec)|\b[A-Za-z])$",
    re.IGNORECASE,
)
_LEAD_LIMIT: Final = 240
_LONGEST_TITLE: Final = 300
_BLANK: Final = " \t\r\n\u00a0\u200b\u200c\u200d\u2060\ufeff"

_ANNOUNCES: Final = re.compile(
    r"[^.!?\u3002)\"'\s*_][*_ ]*$|\b(?:following|follows|below|these|examples?|includ(?:e|es|ing)|such as)\b",
    re.IGNORECASE,
)
"""A sentence that leads in to a list without a colon: it has no full stop, or it announces that something follows."""
_DENIES: Final = re.compile(r"(?:\b(?:not|never|cannot)|n['\u2019]t) ?:$", re.IGNORECASE)
"""The end of a line that negates the items below it, such as "We do not:"."""
_CONTINUES: Final = re.compile(
    r"\W*(?:\w{1,4}[.)] ?)?\W*(?:[a-z]|(?i:sell|rent|trade|share|disclose|collect|use|store|keep|retain|allow|permit|let|give|"
    r"provide|make|send|transfer|process|track|access|read|scan|monitor|publish|release|post|train|claim|attempt|contact)\b)"
)
"""The beginning of a paragraph that continues such a line without a list marker."""
_PART: Final = re.compile(
    rf"\n(?:(?={_ATX.pattern})|(?P<item>(?=[*+-][ \t]+\S))|\n(?:(?=[A-Za-z]{{4}}[^\n]{{0,250}}\n(?:={{3,}}|-{{3,}})[ \t]*$)"
    rf"|(?=[A-Z][A-Za-z']{{0,30}}[ ,])(?!{_CONTINUES.pattern})))", re.MULTILINE
)  # fmt: skip
"""Where a heading, an outer list item, or a paragraph that continues no line certainly begins. Of the text above such a place,
only the heading matters, and the lead-ins if an item begins."""
_NO_HEAD: Final = re.compile(r"[.;]|<br|.{400}", re.DOTALL)
"""In a table that begins with a horizontal rule, a first row that matches this pattern does not name the columns."""
_LONGEST_LEAD: Final = 600
"""Longest lead-in that is quoted, in characters."""


class Lead(NamedTuple):
    """A lead-in: a line that introduces the list items below it."""

    indent: int
    words: str
    """Words of the outer lead-ins, then those of this line. Empty if the line does not end in a colon or dash: then the line is
    quoted, but not read together with its items."""
    span: Span | None
    """Place of the words in the text; None if the words cannot be quoted whole."""
    number: str = ""
    """Number of the item that the line is, such as `B.3`; then it introduces items such as `B.3.a`, whatever their indent."""


def segment(text: str) -> tuple[Clause, ...]:
    """Cut a text into clauses.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.

    Returns
    -------
    tuple of Clause
        In the order of the text, without overlap. Between them are only white space, list markers, horizontal lines and marks
        of tables.
    """
    return tuple(moved(statement.clause, start) for start, part in parts_of(text) for statement in part.statements)


class Statement(NamedTuple):
    """A clause, with the key by which it is recognised in another version of the text."""

    clause: Clause
    quote: str
    words: str
    """The plain words that a reader sees."""
    key: str
    """See `plain.sentence_key`."""


@dataclass(frozen=True, eq=False)
class Part:
    """A stretch of a text that is cut into clauses on its own: a heading or a paragraph, with its list or table.

    Parameters
    ----------
    text : str
        The words of the stretch, unchanged.
    statements : tuple of Statement
        Its clauses; their offsets count from the beginning of the part.
    heading : str
        Heading that applies to the next part.
    leads : tuple of Lead
        Lines that introduce items of the next part; their offsets count from the end of this part and are negative.
    """

    text: str
    statements: tuple[Statement, ...]
    heading: str
    leads: tuple[Lead, ...]


@lru_cache(2)
def parts_of(text: str) -> tuple[tuple[int, Part], ...]:
    """Return the parts of a text (headings, and paragraphs with their lists or tables), each with the offset of its beginning.

    The last two texts are cached, since a text is first read, then compared.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    """
    cuts = [(match.end(), match["item"] is not None) for match in _PART.finditer(text)]
    found, heading = [], ""
    leads: tuple[Lead, ...] = ()
    for (start, item), (end, _) in pairwise([(0, False), *cuts, (len(text), False)]):
        part = _part(text[start:end], heading, leads if item else ())
        heading, leads = part.heading, part.leads
        found.append((start, part))
    return tuple(found)


@lru_cache(4_096)
def _part(text: str, heading: str, leads: tuple[Lead, ...]) -> Part:
    """Cut a part of a text; cached, since versions of a text repeat each other."""
    walk = _Walk(text, heading, leads)
    quoted = [(clause, text[clause.start : clause.end]) for clause in walk.clauses()]
    statements = tuple(Statement(clause, quote, *words_and_key(quote)) for clause, quote in quoted)
    open_leads = tuple(lead._replace(span=_shifted(lead.span, -len(text))) for lead in walk.leads)
    return Part(text, statements, walk.heading, open_leads)


def _shifted(span: Span | None, by: int) -> Span | None:
    """Return a span shifted by a number of characters."""
    return span and (span[0] + by, span[1] + by)


def moved(clause: Clause, by: int) -> Clause:
    """Return a clause at its offsets in the whole text."""
    lead, before = _shifted(clause.lead, by), _shifted(clause.before, by)
    return Clause(clause.start + by, clause.end + by, clause.kind, clause.lead_in, clause.heading, lead, before)


class _Walk:
    """One pass over the lines of a part, with the state that it needs."""

    def __init__(self, text: str, heading: str, leads: tuple[Lead, ...]) -> None:
        self.text = text
        self.heading = heading
        self.leads = list(leads)
        """The lead-ins that are open."""
        self.paragraph: Span | None = None
        self.head: Span | None = None
        """The first row of the open table; it names the columns if a rule follows it."""
        self.in_table = False
        self.number = ""
        """Number of the open item."""

    def clauses(self) -> Iterator[Clause]:
        """Yield the clauses of all lines."""
        for match in _LINE.finditer(self.text):
            (start, end), line = match.span(), match[0]
            row = line.lstrip().startswith("|")
            if not row:
                self.head, self.in_table = None, False
            if not line.strip(_BLANK):
                yield from self._close()
            elif _UNDERLINE.match(line) and self.paragraph and self.paragraph[1] - self.paragraph[0] <= _LONGEST_TITLE:
                yield from self._title(*self.paragraph)
            elif _RULE.match(line) or _TABLE_RULE.match(line):
                self.in_table = row
                yield from self._close()
            elif _ATX.match(line) or _BOLD_ONLY.match(line):
                yield from self._close()
                yield from self._title(start, end)
            elif row:
                yield from self._close()
                yield from self._row(start, end)
            elif item := _ITEM.match(line):
                yield from self._close()
                yield from self._item(start, end, item)
            else:
                first = start if self.paragraph is None else self.paragraph[0]
                self.paragraph = (first, end)
        yield from self._close()

    def _title(self, start: int, end: int) -> Iterator[Clause]:
        """Yield a heading, which ends all lead-ins and may itself become a lead-in."""
        self.paragraph = None
        start, end = _trimmed(self.text, start, end)
        self.heading = plain(self.text[start:end].lstrip("# "))[:200]
        leads_in = _VERB.search(self.heading) or self.heading.endswith(":")
        words = self.heading if _DENIES.search(self.heading) else ""
        self.leads = [Lead(0, words, _joined(self.text, None, (start, end)))] if leads_in else []
        if self.heading:
            yield Clause(start, end, "heading", "", self.heading)

    def _close(self) -> Iterator[Clause]:
        """End the open paragraph and yield its clauses."""
        if self.paragraph is None:
            return
        start, end = self.paragraph
        self.paragraph = None
        indent = end - start - len(self.text[start:end].lstrip(" \t"))
        denied = indent < 2 and self.leads and _DENIES.search(self.leads[-1].words)
        item = denied and _CONTINUES.match(self.text, start, end)
        lead = self._lead(indent) if indent >= 2 or item else None
        if indent < 2 and not item:
            self.leads.clear()
        yield from self._sentences(start, end, "item" if item else "sentence", lead, indent)

    def _item(self, start: int, end: int, item: re.Match[str]) -> Iterator[Clause]:
        """Yield the clauses of a list item under the lead-in of its level."""
        indent, self.number = len(item[1].expandtabs(4)), item[0].replace("\\", "").strip(" \t.)")
        if self.leads and self.number.startswith(f"{self.leads[-1].number}."):
            indent = max(indent, self.leads[-1].indent)
        while self.leads and self.leads[-1].indent > indent:
            self.leads.pop()
        yield from self._sentences(start + item.end(), end, "item", self._lead(indent), indent + 1)
        self.number = ""

    def _lead(self, indent: int) -> Lead | None:
        """Return the innermost lead-in that an item of this indent continues."""
        return next((lead for lead in reversed(self.leads) if lead.indent <= indent), None)

    def _row(self, start: int, end: int) -> Iterator[Clause]:
        """Yield a table row as one clause; a row of more than 700 characters is cut into sentences."""
        inner = _trimmed(self.text, start, end, " \t|")
        head = self.head if self.in_table and self.head and self.head[1] - self.head[0] <= _LONGEST_LEAD else None
        if self.head is None and inner[0] < inner[1] and not (self.in_table and _NO_HEAD.search(self.text, *inner)):
            self.head = inner
        if end - start > 700:
            yield from self._sentences(start, end, "row", head and Lead(0, "", head), 0)
        elif inner[0] < inner[1]:
            yield Clause(*inner, "row", "", self.heading, head)

    def _sentences(self, start: int, end: int, kind: str, lead: Lead | None, indent: int) -> Iterator[Clause]:
        """Cut a stretch into sentences; the last one may become the lead-in of the next items."""
        last, continued, before = None, lead, None
        for first, after, title in _stretches(self.text[start:end]):
            last = start + first, start + after
            words, span = (continued.words, continued.span) if continued else ("", None)
            yield Clause(*last, "heading" if title else kind, words, self.heading, span, before)
            continued = continued if title else None  # only the first sentence continues the lead-in
            before = last
        if last is not None:
            self._leads_in(last, kind, lead, indent)

    def _leads_in(self, last: Span, kind: str, lead: Lead | None, indent: int) -> None:
        """Keep the last sentence of a stretch as the lead-in of items that may follow."""
        words = self.text[max(last[0], last[1] - _LEAD_LIMIT) : last[1]]
        if words.rstrip("*_ ").endswith((":", "\uff1a", "-", "\u2013")):
            self.leads = [kept for kept in self.leads if kept.indent < indent]
            outer = lead if lead and lead.words else None
            led = f"{outer.words if outer else ''} {plain(words)}".strip()[-_LEAD_LIMIT:]
            self.leads.append(Lead(indent, led, _joined(self.text, outer, last), self.number))
        elif kind == "sentence" and indent < 2 and _ANNOUNCES.search(words):
            self.leads = [Lead(indent, "", _joined(self.text, None, last))]


def _joined(text: str, outer: Lead | None, inner: Span) -> Span | None:
    """Return the place of two nested lead-ins; of the inner one if both are too long and the inner one makes sense alone."""
    if outer is not None and outer.span is not None and inner[1] - outer.span[0] <= _LONGEST_LEAD:
        return outer.span[0], inner[1]
    alone = outer is None or (text[inner[0]].isupper() and _VERB.search(text, *inner))
    return inner if alone and inner[1] - inner[0] <= _LONGEST_LEAD else None


def _stretches(text: str) -> tuple[tuple[int, int, bool], ...]:
    """Return the trimmed sentences of a stretch: start, end, and whether the sentence is a title."""
    found, first = [], 0
    for stop, end in [*(match.span() for match in _END.finditer(text)), (-1, len(text))]:
        if stop >= 0 and text[stop] == "." and _goes_on(text, first, stop):
            continue
        begin, after = _trimmed(text, first, end, " \t|\r\n")
        if begin < after:
            title = _BOLD_TITLE.match(text, begin, after) and not _VERB.search(text, begin, after)
            found.append((begin, after, bool(title)))
        first = end
    return tuple(found)


def _goes_on(text: str, first: int, stop: int) -> bool:
    """Return whether a full stop belongs to an abbreviation or to the number of a clause."""
    if _ABBREVIATION.search(text, max(first, stop - 12), stop):
        return True
    return stop - first <= 12 and text[first:stop].strip(" \n\\*").replace(".", "").isdigit()


def _trimmed(text: str, start: int, end: int, marks: str = " \t\r\n") -> tuple[int, int]:
    """Move two offsets inwards past white space and the given marks."""
    while start < end and (text[start] in marks or text[start].isspace()):
        start += 1
    while end > start and (text[end - 1] in marks or text[end - 1].isspace()):
        end -= 1
    return start, end
