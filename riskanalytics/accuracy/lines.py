"""JSON lines, whose fields are asked for by what they must be; what is not so is told with its file and line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from riskanalytics.errors import LabelsError

_DIGITS: Final = 64
"""Of a SHA-256 in hexadecimal."""
_Record = TypeVar("_Record")


class Line:
    """One line of a file, whose fields are asked for by what they must be."""

    def __init__(self, place: str, where: str, row: object) -> None:
        self._place, self.where = place, where
        if not isinstance(row, dict):
            self.refuse("is not a JSON object")
        self._row: dict[str, object] = row

    @classmethod
    def parsed(cls, file: Path, number: int, body: str) -> Line:
        """Return the line that stands at a place of a file."""
        place, where = f"{file} line {number}", f"{file.name} line {number}"
        try:
            return cls(place, where, json.loads(body))
        except (ValueError, RecursionError) as error:
            raise LabelsError(f"{place} is not JSON ({error})") from error

    def refuse(self, reason: str) -> NoReturn:
        """End the reading at this line."""
        raise LabelsError(f"{self._place} {reason}")

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

    def of_both(self, key: str, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return what counts as right of one or two readers' answers, the first reader's first."""
        answers = self.known(key, words), self.known_or_none(f"{key}_other", words)
        return tuple(dict.fromkeys(answer for answer in answers if answer is not None))

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

    def inner(self, key: str, names: tuple[str, ...]) -> list[Line]:
        """Return a field that is a list of lists, whose places have names."""
        rows = self._row.get(key)
        if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(names) for row in rows):
            self.refuse(f"has no list {key!r} of lists of {len(names)}: {', '.join(names)}")
        return [
            Line(f"{self._place}, {key} {number},", self.where, dict(zip(names, row, strict=True)))
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


def read_lines(path: Path, build: Callable[[Line], _Record]) -> tuple[_Record, ...]:
    """Read a file of JSON lines.

    Parameters
    ----------
    path : Path
    build : callable
        From a line to what it tells.

    Returns
    -------
    tuple
        Nothing where the file is missing.

    Raises
    ------
    LabelsError
        If the file cannot be read, or a line is not of the form asked for; with file and line.
    """
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
    return tuple(build(Line.parsed(path, number, line)) for number, line in lines if line.strip())
