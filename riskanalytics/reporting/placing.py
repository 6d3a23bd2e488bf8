"""A page and its PDF, in their folder: each whole, or not at all."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import ReportError
from riskanalytics.files import write_file
from riskanalytics.reporting.told import facts_in, facts_of
from riskanalytics.settings import Settings

_LONGEST: Final = 80
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9._-]+")
_FIXED: Final = {
    "PLOTLY_RENDERER": "plotly_mimetype",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
}
"""Environment in which a page depends on its data and parameters only."""


class Job(NamedTuple):
    """A report to make.

    Parameters
    ----------
    notebook : Path
    values : mapping
        Its parameters, checked.
    settings : Settings
        Which service the data come from.
    pdf : bool
        Whether a PDF is made beside the page.
    ours : bool
        Whether the notebook is one of ours.
    part : str
        What names the file of a page that gives itself no name.
    marks : mapping
        What distinguishes its portfolio and its source from others of that name (`told.marks_of`).
    held : str
        File of the data that were loaded for all reports of a batch; empty where there is none.
    folder : str
        Working folder of the notebook; this process's own where empty.
    """

    notebook: Path
    values: Mapping[str, object]
    settings: Settings
    pdf: bool = False
    ours: bool = False
    part: str = ""
    marks: Mapping[str, str] = {}
    held: str = ""
    folder: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its kernel; the key is in it."""
        return {**os.environ, **self.settings.environment(), **_FIXED}


class Contents(NamedTuple):
    """A page that is not published yet.

    Parameters
    ----------
    name : str
        What of the file's name is the report's own; empty where it gives none.
    page : str
    pdf : bytes or None
    lacks : str
        What the page says of itself that it lacks, in one line; empty where it is whole.
    again : bool
        Whether the same may give another page soon: not all could be read, or quotes did not verify.
    end : str
        Newest day of the data, YYYY-MM-DD; empty where it is not known. The page does not hold it: newer data may not change
        one of a past day.
    """

    name: str
    page: str
    pdf: bytes | None
    lacks: str
    again: bool = False
    end: str = ""


def named(stem: str, name: str) -> str:
    """Return the name of a page's file.

    Parameters
    ----------
    stem : str
        Name of the notebook.
    name : str
        What it speaks of; where something of that falls, a hash keeps the file apart from others.
    """
    part = _part_of_name(name)
    return f"{stem}-{part}.html" if part else f"{stem}.html"


def parts_of_names(reports: Sequence[Mapping[str, object]]) -> list[str]:
    """Return what names the file of each report that gives itself no name: its parameters.

    Parameters
    ----------
    reports : sequence of mapping
        The parameters of each; a hash keeps those apart that differ in case only.
    """
    parts = ["-".join(str(value) for value in given.values()) for given in reports]
    count = Counter(_part_of_name(part) for part in parts)
    return [
        f"{part[: _LONGEST - 9]}-{_short_hash(json.dumps(dict(given), sort_keys=True))}"
        if part and count[_part_of_name(part)] > 1
        else part
        for part, given in zip(parts, reports, strict=True)
    ]


def place(contents: Contents, page: Path, *, replace: bool = False) -> None:
    """Write a page, and its PDF, where there is one, before it; but not over that of another portfolio or source.

    Parameters
    ----------
    contents : Contents
    page : Path
        A PDF of the same name that was made with another page goes with that.
    replace : bool
        Whether a page of another source may be replaced.

    Raises
    ------
    ReportError
        If one cannot be written, or the page in place is of another portfolio or source; what was there stays.
    """
    ours = facts_of(page)
    if ours is None and page.is_file() and page.stat().st_size:
        raise ReportError(f"the file {page} is no page of ours: give another folder, or take it away")
    made = facts_in(contents.page)
    there, told = (str((facts or {}).get("list", "")).partition(" ") for facts in (ours, made))
    if there[2] and there[2] == told[2] and there[0] != told[0]:
        raise ReportError(
            f"the page {page} is of another portfolio whose file has the same name: rename one of the files, give another "
            "folder, or take that page away"
        )
    old, new = (str((facts or {}).get("origin", "")) for facts in (ours, made))
    if old and new and old != new and not replace:
        other = "another " if old.partition(" ")[2] == new.partition(" ")[2] else "the "
        raise ReportError(
            f"the page {page} is of {other}{old.partition(' ')[2]}, and this one is of the {new.partition(' ')[2]}: "
            "give another folder by --out, or replace it by --replace"
        )
    printed = page.with_suffix(".pdf")
    if contents.pdf is not None:
        _write(printed, contents.pdf)
    elif ours is not None and printed.is_file() and not _holds(page, contents.page):
        printed.unlink()
    _write(page, contents.page)


def _holds(page: Path, body: str) -> bool:
    """Say whether a file holds just this text."""
    return page.is_file() and page.read_text(encoding="utf-8", errors="replace") == body


def _part_of_name(name: str) -> str:
    """Return a name as part of a file's; where something of it fell, a hash keeps it apart from others."""
    lowered = name.lower()
    part = _NOT_IN_NAMES.sub("-", lowered).strip("-.")
    if part == lowered and len(part) <= _LONGEST:
        return part
    return f"{part[: _LONGEST - 9]}-{_short_hash(name)}".strip("-.")


def _short_hash(text: str) -> str:
    """Return what keeps a text apart from others in a name."""
    return sha256(text.encode("utf-8", errors="replace")).hexdigest()[:8]


def _write(path: Path, content: str | bytes) -> None:
    """Write one file."""
    try:
        write_file(path, content)
    except OSError as error:
        kind = "PDF" if path.suffix == ".pdf" else "page"
        raise ReportError(f"the {kind} {path} cannot be written: {error.strerror}") from error
