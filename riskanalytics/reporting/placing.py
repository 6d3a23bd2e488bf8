"""Pages in a folder: what they say of themselves, and how a page and its PDF are written, whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.files import write_file
from riskanalytics.pages.quoted import FACTS_ID
from riskanalytics.settings import Settings
from riskanalytics.settings.databases import without_login
from riskanalytics.text.wording import plural

INDEX: Final = "index.html"
FEED: Final = "feed.json"
FEED_VERSION: Final = "https://jsonfeed.org/version/1.1"
_FACTS: Final = re.compile(rf'<script type="application/json" id="{FACTS_ID}">([^<]*)</script>')
_HEAD: Final = 65_536
"""Characters of a page in which its facts stand."""


def pages_of(folder: Path) -> list[dict[str, object]]:
    """Return what the pages of a folder tell about themselves, the newest data first."""
    told = [facts for path in sorted(folder.glob("*.html")) if path.name != INDEX and (facts := facts_of(path))]
    told.sort(key=lambda facts: str(facts.get("as_of", "")), reverse=True)
    return told


def check_list(folder: Path) -> None:
    """Refuse a folder whose index or feed is none of ours: the list of reports would replace it.

    Parameters
    ----------
    folder : Path
        Of pages.

    Raises
    ------
    ReportError
    """
    for path, is_ours in ((folder / INDEX, facts_of), (folder / FEED, _is_feed)):
        if path.is_file() and path.stat().st_size and not is_ours(path):
            raise ReportError(f"the file {path} is no list of reports: give another folder, or take it away")


def _is_feed(path: Path) -> bool:
    """Say whether a file is a JSON Feed, as `folder` writes it."""
    try:
        feed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(feed, dict) and feed.get("version") == FEED_VERSION


def facts_of(path: Path) -> dict[str, object] | None:
    """Return what a page tells about itself; None where it is none of ours."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            facts = facts_in(file.read(_HEAD))
    except OSError:
        return None
    if facts is None:
        return None
    printed = path.with_suffix(".pdf")
    return {**facts, "file": path.name, **({"pdf": printed.name} if printed.is_file() else {})}


def facts_in(page: str) -> dict[str, object] | None:
    """Return what the text of a page tells about itself; None where it is none of ours."""
    match = _FACTS.search(page, 0, _HEAD)
    try:
        facts = json.loads(match[1]) if match else None
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def unverified(facts: Mapping[str, object]) -> str:
    """Return what is to be said of the clauses of a page that did not verify; empty where all did.

    Parameters
    ----------
    facts : mapping
        What the page tells about itself.
    """
    failed, checked = facts.get("quotes_failed"), facts.get("quotes_checked")
    if not isinstance(failed, int) or not failed:
        return ""
    among = f" of {plural(checked, 'clause')}" if isinstance(checked, int) else ""
    return f"{failed:,}{among} did not verify: each is marked where it is shown"


def part_of(facts: Mapping[str, object], name: str) -> dict[str, object]:
    """Return a part of what a page tells; empty where there is none."""
    part = facts.get(name)
    return part if isinstance(part, dict) else {}


def list_of(values: Mapping[str, object], folder: Path) -> str:
    """Return what tells the portfolio of a report from others of its file's name: a hash of where it stands, and that name.

    Parameters
    ----------
    values : mapping
        Parameters of the report.
    folder : Path
        Of pages, which is where it is looked from: both may be moved together.

    Returns
    -------
    str
        Empty where there is no portfolio.
    """
    if not (file := values.get("portfolio")):
        return ""
    place = _place_of(str(file), folder)
    return f"{_hash_of(place)} {Path(place).name}"


def marks_of(values: Mapping[str, object], settings: Settings, folder: Path) -> dict[str, str]:
    """Return what tells the portfolio (`list`) and the source (`origin`) of a page from others of the same name.

    Parameters
    ----------
    values : mapping
        Parameters of the report.
    settings : Settings
        Which source the data come from.
    folder : Path
        Of pages.
    """
    listed, database = list_of(values, folder), settings.database
    if isinstance(database, Path):
        kind = "folder of pulls" if database.expanduser().is_dir() else "database"
        place = _place_of(database.expanduser(), folder)
        origin = f"{_hash_of(place)} {kind} {Path(place).name}"
    else:
        named = settings.base_url or database
        kind = "database" if database else "service"
        shown = f"{kind} {without_login(str(named))}" if named else "embedded demo"
        origin = f"{_hash_of(shown)} {shown}"
    return {**({"list": listed} if listed else {}), "origin": origin}


def _place_of(file: Path | str, folder: Path) -> str:
    """Return where a file stands, seen from a folder: both may be moved together."""
    place = os.path.abspath(str(file))  # noqa: PTH100 (what a link leads to may change)
    with contextlib.suppress(ValueError):  # another drive
        place = os.path.relpath(place, os.path.abspath(folder))  # noqa: PTH100
    return place


def _hash_of(text: str) -> str:
    """Return what tells a text from others."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def last_reported(folder: Path, notebook: str, values: Mapping[str, object], newest: Callable[[], date]) -> date:
    """Return the day that the last report of a folder speaks of, from before the newest data.

    A report on the newest data is of the same days as the one that is to be made, which begins where those before it ended:
    made again, it is the same. Where there is none before it, nothing can be new since that day.

    Parameters
    ----------
    folder : Path
        Of pages; those that are none of ours, or tell no day, are passed over, and so are incomplete ones.
    notebook : str
        Name of the notebook that the report was made from.
    values : mapping
        Parameters of the report that is to be made: the last one is of the same portfolio (`list_of`).
    newest : callable
        Asked for the day of the newest data.

    Raises
    ------
    ParameterError
        If there is no such report: what to do is told.
    """
    listed, days = list_of(values, folder), set[date]()
    file = Path(str(values.get("portfolio") or "")).name or "(empty)"
    for page in pages_of(folder):
        named = part_of(page, "provenance").get("parameter portfolio") or "(empty)"
        same = page["list"] == listed if "list" in page else named == file
        if page.get("notebook") == notebook and same and not page.get("incomplete"):
            with contextlib.suppress(ValueError):
                days.add(date.fromisoformat(str(page.get("as_of"))))
    if days:
        until = newest()
        return max((day for day in days if day < until), default=min(days))
    scope = f"on the portfolio {values['portfolio']}" if listed else "on all platforms"
    raise ParameterError(
        f"{folder} has no earlier whole report of {notebook} {scope}: make one there first, or give since as YYYY-MM-DD"
    )


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
