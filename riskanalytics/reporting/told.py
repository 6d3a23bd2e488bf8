"""What the pages of a folder tell about themselves, read without what writes pages."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Final

from riskanalytics.databases import without_login
from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.pages.machine import FACTS_ID
from riskanalytics.settings import Settings
from riskanalytics.wording import plural

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
