"""One document's captures, one after the other: which are taken as its text, what they say, and what is different."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from riskanalytics.extraction.capture import SUBSTANTIAL, check_capture
from riskanalytics.extraction.compare import Comparer
from riskanalytics.extraction.memory import forget
from riskanalytics.extraction.reading import extract
from riskanalytics.extraction.records import CaptureCheck, Comparison, Reading

_STANDS: Final = timedelta(days=30)
"""How long a much shorter text must stand before it is the document: a day's fault in an archive's declaration that
pasted other documents in must not make every right capture after it look collapsed, and a fault of some days must
not remove findings."""
_MOST_READ: Final = 2_000_000
"""Characters after which a process forgets what it remembered of them, before another document: thousands of them would fill
it. Not within a history, whose versions are compared clause by clause."""
_READ: Final[list[int]] = []
"""Lengths of the texts of this process since then."""
_FAILED: Final = "The capture failed the check {}; the last good text stays current."


class Kept(NamedTuple):
    """A capture as a database keeps it.

    Parameters
    ----------
    at : str
        When it was made, ISO 8601.
    sha256 : str
        Of its text.
    body : bytes
        Its text in UTF-8, packed by zlib.
    reading : Reading or None
        What the present rules read in it, where they have read it already.
    """

    at: str
    sha256: str
    body: bytes
    reading: Reading | None = None

    @property
    def text(self) -> str:
        """The text, decoded."""
        return unpacked(self.body)


@dataclass(frozen=True, slots=True)
class Taken:
    """What a walk made of one capture.

    Parameters
    ----------
    check : CaptureCheck
    reading : Reading or None
        None where the capture is no good one, or is the last good text again.
    comparison : Comparison or None
        With the good text before; None where there is none, or nothing happened.
    """

    check: CaptureCheck
    reading: Reading | None = None
    comparison: Comparison | None = None


class Walk:
    """Takes the captures of one document in the order of its history."""

    def __init__(self) -> None:
        self._comparer = Comparer()
        self._good: tuple[str, str] | None = None
        self._shorter_since: str | None = None
        self._broken = False

    def step(self, at: str, sha256: str, text: str, read: Callable[[str], Reading] = extract) -> Taken:
        """Check a capture, and read and compare it where it is a good one.

        A text that is a policy in itself and has been below a share of the last good one for thirty days is good by the
        check `shorter_for_good`.

        Parameters
        ----------
        at : str
            When it was made, ISO 8601.
        sha256 : str
            Of the text.
        text : str
            Decoded, not normalised.
        read : callable, optional
            From the text to what stands in it; asked where it is needed.

        Returns
        -------
        Taken
        """
        before = self._good
        if before is not None and before[0] == sha256:  # it need not be looked at
            self._shorter_since, self._broken = None, False
            return Taken(CaptureCheck("good", "passed"))
        check = self._checked(at, text, None if before is None else before[1])
        if check.state != "good":
            failed = None
            if before is not None and not self._broken:
                summary = _FAILED.format(check.check.replace("_", " "))
                failed = Comparison("capture_failure", summary=summary)
            self._broken = True
            return Taken(check, None, failed)
        self._good, self._broken = (sha256, text), False
        reading = read(text)
        return Taken(check, reading, self._comparer.step(text, reading))

    def _checked(self, at: str, text: str, last_good: str | None) -> CaptureCheck:
        """Check a capture, and remember since when the document has been much shorter than its last good text."""
        check = check_capture(text, last_good=last_good)
        if check.check != "collapsed" or len(text) < SUBSTANTIAL or check_capture(text).state != "good":
            self._shorter_since = None
            return check
        self._shorter_since = self._shorter_since or at
        stood = datetime.fromisoformat(at) - datetime.fromisoformat(self._shorter_since)
        if stood < _STANDS:
            return check
        self._shorter_since = None
        return CaptureCheck("good", "shorter_for_good")


def unpacked(body: bytes) -> str:
    """Return the text of a snapshot.

    Parameters
    ----------
    body : bytes
        As the table `snapshot` keeps it.
    """
    return zlib.decompress(body).decode("utf-8", errors="replace")


def walked(captures: Iterable[Kept]) -> list[Taken]:
    """Take all captures of one document.

    Parameters
    ----------
    captures : iterable of Kept
        In the order of its history.

    Returns
    -------
    list of Taken
        In the same order.
    """
    if sum(_READ) > _MOST_READ:
        forget()
        _READ.clear()
    walk = Walk()
    readings: dict[str, Reading] = {}

    def read(capture: Kept, text: str) -> Reading:
        """What stands in a text; a text that comes back is read once."""
        _READ.append(len(text))
        known = readings.get(capture.sha256) or capture.reading or extract(text)
        return readings.setdefault(capture.sha256, known)

    return [walk.step(capture.at, capture.sha256, capture.text, partial(read, capture)) for capture in captures]
