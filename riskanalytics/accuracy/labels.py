"""Labelled clauses as files, read and checked line by line.

A folder of labels holds JSON lines: `quotes.jsonl` (clauses that say something on a surface) and, each of them
optional, `negatives.jsonl` (clauses that only seem to), `training_use.jsonl` (a platform's stance),
`platform_surface.jsonl` (what a platform says on a surface) and `changes.jsonl` (two texts of one document).
A line that is not of this form ends the reading, with file and number. What can only be told beside the text
(wrong offsets) or beside other lines (a clause labelled twice) is refused later, line by line: see `clauses`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from riskanalytics.errors import LabelsError
from riskanalytics.models import RATINGS, STANCES, SURFACES

_DIGITS: Final = 64
"""Of a SHA-256 in hexadecimal."""
_BEGINNING: Final = 16
"""Of these, what a label of a whole document tells of its quote's."""
_POLARITIES: Final = ("raises_risk", "mitigates_risk", "neutral")
_CELLS: Final = (
    "start", "end", "surface", "risk", "polarity", "confidence", "stance", "risk_other", "polarity_other", "hash"
)  # fmt: skip
"""What the places of a label of a whole document hold."""
_DIRECTIONS: Final = ("up", "down", "mixed", "none")
_Label = TypeVar("_Label")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text and what a reader made of it.

    Parameters
    ----------
    where : str
        File and line of the label: `quotes.jsonl line 12`.
    platform, family, document : str
        Slug; group of related vendors (the slug where none is given); name of the document.
    sha256 : str
        Hash of the text's bytes.
    start, end : int
        Offsets in code points.
    quote : str
        What stands there; empty until the text is at hand where the label tells its hash only.
    surface : str
        What it speaks to; of a negative, what it only seems to speak to.
    risk : str or None
        Level of the clause; None of a negative.
    captured_on : date or None
        Day of the commit that the text was read at, UTC.
    quote_sha256 : str or None
        Hash of the quote in UTF-8, of a label that may not carry a vendor's words.
    sure : bool
        False where the reader's own confidence was low: such a clause may be found and need not be.
    """

    where: str
    platform: str
    family: str
    document: str
    sha256: str
    start: int
    end: int
    quote: str
    surface: str
    risk: str | None
    captured_on: date | None = None
    quote_sha256: str | None = None
    sure: bool = True


@dataclass(frozen=True, slots=True)
class StanceLabel:
    """A platform's stance on training use: the best answer, and those to count as right."""

    where: str
    platform: str
    best: str
    acceptable: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SurfaceLabel:
    """What a platform says on a surface: whether anything, and at which level.

    `sure` is False where the reader's own confidence was low; such a label is not scored.
    """

    where: str
    platform: str
    surface: str
    present: bool
    risk: str | None
    sure: bool


@dataclass(frozen=True, slots=True)
class ChangeLabel:
    """Two texts of one document, and what the step from one to the other means."""

    where: str
    id: str
    platform: str
    before: str
    after: str
    material: bool
    surface: str | None
    direction: str


@dataclass(frozen=True)
class Labels:
    """A set of labels, in the order of its files."""

    folder: Path
    quotes: tuple[Span, ...]
    negatives: tuple[Span, ...]
    stances: tuple[StanceLabel, ...]
    surfaces: tuple[SurfaceLabel, ...]
    changes: tuple[ChangeLabel, ...]

    @property
    def as_of(self) -> date | None:
        """Newest day that a labelled text was read at; None where no line tells one."""
        return max((span.captured_on for span in (*self.quotes, *self.negatives) if span.captured_on), default=None)


def read_labels(folder: Path) -> Labels:
    """Read a folder of labels.

    Parameters
    ----------
    folder : Path
        Holds `quotes.jsonl`; the other files may be missing.

    Returns
    -------
    Labels

    Raises
    ------
    LabelsError
        If the folder or `quotes.jsonl` is missing, or a line is not of the form described; with file and line.
    """
    if not folder.is_dir():
        raise LabelsError(f"there is no folder {folder}: labels are a folder that holds quotes.jsonl")
    if not (folder / "quotes.jsonl").is_file():
        raise LabelsError(f"{folder} holds no quotes.jsonl: the other files of the labels are optional, this is not")
    return Labels(
        folder,
        _file(folder, "quotes", lambda line: _span(line, "surface", with_risk=True)),
        _file(folder, "negatives", lambda line: _span(line, "confusable_with", with_risk=False)),
        _file(folder, "training_use", _stance),
        _file(folder, "platform_surface", _surface),
        _file(folder, "changes", _change),
    )


@dataclass(frozen=True, slots=True)
class WholeLabel:
    """What a reader of a whole document found in one clause on one surface.

    Parameters
    ----------
    start, end : int
        Offsets in code points.
    surface : str
    risks, polarities : tuple of str
        Levels and polarities that count as right, the first reader's first.
    sure : bool
        False where a careful second reader might leave it out, or did: it may be found and need not be.
    stance : str or None
        On `training_use`: what the clause says of training.
    quote_sha256 : str
        The first 16 hexadecimal digits of the hash of what stands there.
    """

    start: int
    end: int
    surface: str
    risks: tuple[str, ...]
    polarities: tuple[str, ...]
    sure: bool
    stance: str | None
    quote_sha256: str


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document that was read sentence by sentence: what is not labelled says nothing on any surface.

    Parameters
    ----------
    where : str
        File and line: `test.jsonl line 12`.
    sha256 : str
        Hash of the text's bytes.
    platform, family, document, collection : str
        Slug; group of related vendors; name of the document; archive that it is from, `OWNER/NAME`.
    readers, clauses : int
        Who read it; clauses that were read.
    labels : tuple of WholeLabel
    """

    where: str
    sha256: str
    platform: str
    family: str
    document: str
    collection: str
    readers: int
    clauses: int
    labels: tuple[WholeLabel, ...]

    def standing(self, text: str) -> tuple[tuple[WholeLabel, ...], tuple[str, ...]]:
        """Put the labels beside the text; refuse those that do not stand where they say.

        Parameters
        ----------
        text : str
            The document.

        Returns
        -------
        tuple of (tuple of WholeLabel, tuple of str)
            Labels kept, and a line for each that was refused.
        """
        kept = tuple(label for label in self.labels if _stands(label, text))
        refused = (label for label in self.labels if label not in kept)
        return kept, tuple(
            f"{self.where}: the quote on {label.surface} does not stand at characters {label.start} to {label.end}"
            for label in refused
        )


def _stands(label: WholeLabel, text: str) -> bool:
    """Say whether the quote that a label means stands where it says."""
    quote = text[label.start : label.end].encode("utf-8", "surrogatepass")
    return hashlib.sha256(quote).hexdigest().startswith(label.quote_sha256)


def read_whole(path: Path) -> tuple[WholeDocument, ...]:
    """Read documents that were labelled whole, a line each.

    Parameters
    ----------
    path : Path
        JSON lines; the labels of a line are lists of start, end, surface, risk, polarity, confidence (`high` or
        `low`), stance or null, a second reader's risk and polarity or null, and the first 16 hexadecimal digits of
        the quote's hash.

    Returns
    -------
    tuple of WholeDocument

    Raises
    ------
    LabelsError
        If the file cannot be read, or a line is not of that form; with file and line.
    """
    if not path.is_file():
        raise LabelsError(f"there is no file {path}: documents labelled whole are JSON lines, a document each")
    documents = _lines(path, _whole)
    seen: dict[str, str] = {}
    for document in documents:
        if document.sha256 in seen:
            raise LabelsError(f"{path.parent / document.where} labels the text of {seen[document.sha256]} again")
        seen[document.sha256] = document.where
    return documents


class _Line:
    """One line of a file, whose fields are asked for by what they must be."""

    def __init__(self, place: str, where: str, row: object) -> None:
        self._place, self.where = place, where
        if not isinstance(row, dict):
            self.refuse("is not a JSON object")
        self._row: dict[str, Any] = row

    @classmethod
    def parsed(cls, file: Path, number: int, body: str) -> _Line:
        """Return the line that stands at a place of a file."""
        place, where = f"{file} line {number}", f"{file.name} line {number}"
        try:
            return cls(place, where, json.loads(body))
        except (ValueError, RecursionError) as error:
            raise LabelsError(f"{place} is not JSON ({error})") from error

    def refuse(self, reason: str) -> NoReturn:
        """End the reading at this line."""
        raise LabelsError(f"{self._place} {reason}")

    def has(self, key: str) -> bool:
        """Say whether a field is given."""
        return self._row.get(key) is not None

    def text(self, key: str) -> str:
        """Return a field that must be words."""
        value = self._row.get(key)
        if not isinstance(value, str) or not value:
            self.refuse(f"has no text {key!r}" if value in (None, "") else f"has a {key!r} that is not text")
        return value

    def text_or(self, key: str, instead: str) -> str:
        """Return a field that may be missing."""
        return instead if self._row.get(key) in (None, "") else self.text(key)

    def known(self, key: str, words: tuple[str, ...]) -> str:
        """Return a field that is one of some words."""
        value = self.text(key)
        if value not in words:
            self.refuse(f"has a {key!r} that is none of {', '.join(words)}")
        return value

    def known_or_none(self, key: str, words: tuple[str, ...]) -> str | None:
        """Return a field that is one of some words, or nothing."""
        return None if self._row.get(key) is None else self.known(key, words)

    def flag(self, key: str) -> bool:
        """Return a field that is true or false."""
        value = self._row.get(key)
        if not isinstance(value, bool):
            self.refuse(f"has no {key!r} that is true or false")
        return value

    def offset(self, key: str) -> int:
        """Return a field that is a place in a text."""
        value = self._row.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.refuse(f"has no whole number {key!r} of 0 or more")
        return value

    def sha256(self, key: str, digits: int = _DIGITS) -> str:
        """Return a field that is a hash, or the beginning of one."""
        value = self.text(key)
        if not re.fullmatch(rf"[0-9a-f]{{{digits}}}", value):
            self.refuse(f"has a {key!r} that is no SHA-256 of {digits} digits in lower-case hexadecimal")
        return value

    def inner(self, key: str, names: tuple[str, ...]) -> list[_Line]:
        """Return a field that is a list of lists, whose places have names."""
        rows = self._row.get(key)
        if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(names) for row in rows):
            self.refuse(f"has no list {key!r} of lists of {len(names)}: {', '.join(names)}")
        return [
            _Line(f"{self._place}, {key} {number},", self.where, dict(zip(names, row, strict=True)))
            for number, row in enumerate(rows, 1)
        ]

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a field that is a list of words, at least one."""
        value = self._row.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
            self.refuse(f"has no list of texts {key!r}")
        return tuple(value)

    def day(self, key: str) -> date | None:
        """Return the day of a time with its offset, UTC; None where it is missing."""
        if self._row.get(key) in (None, ""):
            return None
        try:
            at = datetime.fromisoformat(self.text(key))
            return at.astimezone(UTC).date() if at.tzinfo else at.date()
        except (ValueError, OverflowError):
            self.refuse(f"has a {key!r} that is no ISO 8601 time")


def _file(folder: Path, name: str, build: Callable[[_Line], _Label]) -> tuple[_Label, ...]:
    """Read one file of a folder; nothing where it is missing."""
    return _lines(folder / f"{name}.jsonl", build)


def _lines(path: Path, build: Callable[[_Line], _Label]) -> tuple[_Label, ...]:
    """Read one file; nothing where it is missing."""
    try:
        body = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ()
    except UnicodeDecodeError as error:
        raise LabelsError(f"{path} is not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise LabelsError(f"{path} cannot be read: {error.strerror}") from error
    # not splitlines: U+2028 and its like may stand inside a quote
    lines = enumerate(body.split("\n"), 1)
    return tuple(build(_Line.parsed(path, number, line)) for number, line in lines if line.strip())


def _span(line: _Line, surface: str, *, with_risk: bool) -> Span:
    platform = line.text("platform")
    start, end = _stretch(line)
    return Span(
        where=line.where,
        platform=platform,
        family=line.text_or("family", platform),
        document=line.text_or("document", "document"),
        sha256=line.sha256("blob_sha256"),
        start=start,
        end=end,
        quote=line.text_or("quote", "") if line.has("quote_sha256") else line.text("quote"),
        surface=line.known(surface, SURFACES),
        risk=line.known("risk", RATINGS) if with_risk else None,
        captured_on=line.day("commit_date"),
        quote_sha256=line.sha256("quote_sha256") if line.has("quote_sha256") else None,
        sure=line.text_or("confidence", "high") != "low",
    )


def _stance(line: _Line) -> StanceLabel:
    return StanceLabel(line.where, line.text("platform"), line.text("label"), line.texts("acceptable"))


def _surface(line: _Line) -> SurfaceLabel:
    return SurfaceLabel(
        line.where,
        line.text("platform"),
        line.known("surface", SURFACES),
        line.flag("present"),
        line.known_or_none("risk", RATINGS),
        line.text_or("confidence", "high") != "low",
    )


def _change(line: _Line) -> ChangeLabel:
    return ChangeLabel(
        line.where,
        line.text_or("id", line.where),
        line.text("platform"),
        line.sha256("before_sha256"),
        line.sha256("after_sha256"),
        line.flag("material"),
        line.known_or_none("surface", SURFACES),
        line.known("direction", _DIRECTIONS),
    )


def _whole(line: _Line) -> WholeDocument:
    labels = tuple(_whole_label(label) for label in line.inner("labels", _CELLS))
    if len({(label.start, label.end, label.surface) for label in labels}) < len(labels):
        line.refuse("labels a clause twice on one surface")
    platform = line.text("platform")
    return WholeDocument(
        line.where,
        line.sha256("blob_sha256"),
        platform,
        line.text_or("family", platform),
        line.text_or("document", "document"),
        line.text_or("collection", ""),
        line.offset("readers"),
        line.offset("clauses"),
        labels,
    )


def _whole_label(label: _Line) -> WholeLabel:
    start, end = _stretch(label)
    return WholeLabel(
        start,
        end,
        label.known("surface", SURFACES),
        _either(label.known("risk", RATINGS), label.known_or_none("risk_other", RATINGS)),
        _either(label.known("polarity", _POLARITIES), label.known_or_none("polarity_other", _POLARITIES)),
        label.known("confidence", ("high", "low")) == "high",
        label.known_or_none("stance", STANCES),
        label.sha256("hash", _BEGINNING),
    )


def _stretch(line: _Line) -> tuple[int, int]:
    start, end = line.offset("start"), line.offset("end")
    if end <= start:
        line.refuse(f"ends at {end}, which is not behind its start at {start}")
    return start, end


def _either(first: str, other: str | None) -> tuple[str, ...]:
    """What counts as right of one or two readers' answers."""
    return (first,) if other in (None, first) else (first, str(other))
