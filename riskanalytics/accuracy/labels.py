"""Labelled clauses as files, read and checked line by line.

A folder of labels holds JSON lines: `quotes.jsonl` (clauses that say something on a surface) and, each of them
optional, `negatives.jsonl` (clauses that only seem to), `training_use.jsonl` (a platform's stance),
`platform_surface.jsonl` (what a platform says on a surface) and `changes.jsonl` (two texts of one document).
A line that is not of this form ends the reading, with file and number. What can only be told beside the text
(wrong offsets) or beside other lines (a clause labelled twice) is refused later, line by line: see `clauses`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from riskanalytics.errors import LabelsError
from riskanalytics.models import RATINGS, SURFACES

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
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


class _Line:
    """One line of a file, whose fields are asked for by what they must be."""

    def __init__(self, file: Path, number: int, body: str) -> None:
        self._place = f"{file} line {number}"
        self.where = f"{file.name} line {number}"
        try:
            row = json.loads(body)
        except (ValueError, RecursionError) as error:
            self.refuse(f"is not JSON ({error})")
        if not isinstance(row, dict):
            self.refuse("is not a JSON object")
        self._row: dict[str, Any] = row

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

    def sha256(self, key: str) -> str:
        """Return a field that is a hash."""
        value = self.text(key)
        if not _SHA256.fullmatch(value):
            self.refuse(f"has a {key!r} that is no SHA-256 in lower-case hexadecimal")
        return value

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
    """Read one file; nothing where it is missing."""
    path = folder / f"{name}.jsonl"
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
    return tuple(build(_Line(path, number, line)) for number, line in lines if line.strip())


def _span(line: _Line, surface: str, *, with_risk: bool) -> Span:
    platform = line.text("platform")
    start, end = line.offset("start"), line.offset("end")
    if end <= start:
        line.refuse(f"ends at {end}, which is not behind its start at {start}")
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
