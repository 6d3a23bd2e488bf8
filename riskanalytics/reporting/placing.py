"""Pages in a folder: what each says about itself, how it is written, and what its manifest says that it was made from."""

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from glob import glob
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.files import write_file
from riskanalytics.settings import Settings, package_hash
from riskanalytics.settings.databases import without_login, without_password
from riskanalytics.text.wording import plural

INDEX: Final = "index.html"
FEED: Final = "feed.json"
FEED_VERSION: Final = "https://jsonfeed.org/version/1.1"
_MANIFEST: Final = ".manifest.json"
_FACTS: Final = re.compile(r'<script type="application/json" id="report-facts">([^<]*)</script>')
"""With `pages.quoted.FACTS_ID`, which is not imported: commands begin sooner without pandas."""
_HEAD: Final = 65_536
"""Characters of a page that hold its facts."""
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
        Names the file of a page that gives itself no name.
    marks : mapping
        Portfolio and source of the page (`marks_of`).
    held : str
        File of the data that were loaded for all reports of a batch, if any.
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
        The report's own part of the file's name; may be empty.
    page : str
    pdf : bytes or None
    lacks : str
        What the page says that it lacks, in one line; empty where it is whole.
    again : bool
        Whether the same may give another page soon: not all could be read, or quotes did not verify.
    end : str
        Newest day of the data, YYYY-MM-DD, where known. The page does not hold it: newer data may not change a past page.
    """

    name: str
    page: str
    pdf: bytes | None
    lacks: str
    again: bool = False
    end: str = ""


def pages_of(folder: Path) -> list[dict[str, object]]:
    """Return the facts of a folder's pages, the newest data first."""
    pages = [facts for path in sorted(folder.glob("*.html")) if path.name != INDEX and (facts := facts_of(path))]
    return sorted(pages, key=lambda facts: str(facts.get("as_of", "")), reverse=True)


def check_list(folder: Path) -> None:
    """Refuse, by a `ReportError`, a folder whose index or feed is not ours: the list of reports would replace it."""
    for path in (folder / INDEX, folder / FEED):
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        if text and (facts_in(text) is None if path.name == INDEX else FEED_VERSION not in text):
            raise ReportError(f"the file {path} is no list of reports: give another folder, or take it away")


def facts_of(page: Path) -> dict[str, object] | None:
    """Return what a page says about itself, with its file's name and its PDF's; None where it is not ours."""
    try:
        with page.open(encoding="utf-8", errors="replace") as file:
            facts = facts_in(file.read(_HEAD))
    except OSError:
        return None
    printed = page.with_suffix(".pdf")
    return facts and {**facts, "file": page.name, **({"pdf": printed.name} if printed.is_file() else {})}


def facts_in(text: str) -> dict[str, object] | None:
    """Return what the text of a page says about itself; None where it is not ours."""
    match = _FACTS.search(text, 0, _HEAD)
    try:
        facts = json.loads(match[1]) if match else None
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def unverified(facts: Mapping[str, object]) -> str:
    """Return what a page's facts say of clauses that did not verify; empty where all did."""
    failed, checked = facts.get("quotes_failed"), facts.get("quotes_checked")
    if not isinstance(failed, int) or not failed:
        return ""
    among = f" of {plural(checked, 'clause')}" if isinstance(checked, int) else ""
    return f"{failed:,}{among} did not verify: each is marked where it is shown"


def part_of(facts: Mapping[str, object], name: str) -> dict[str, object]:
    """Return a part of a page's facts; empty where it is missing."""
    part = facts.get(name)
    return part if isinstance(part, dict) else {}


def list_of(values: Mapping[str, object], folder: Path) -> str:
    """Return the mark of a report's portfolio: a hash of its place as seen from the folder of pages, and its name."""
    return _mark(str(values["portfolio"]), folder) if values.get("portfolio") else ""


def marks_of(values: Mapping[str, object], settings: Settings, folder: Path) -> dict[str, str]:
    """Return the marks of a page: its portfolio (`list`) and its source (`origin`), which distinguish pages of one name.

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
        place = database.expanduser()
        origin = _mark(place, folder, "folder of pulls " if place.is_dir() else "database ")
    else:
        named = settings.base_url or database
        kind = "database" if database else "service"
        shown = f"{kind} {without_login(str(named))}" if named else "embedded demo"
        origin = f"{_hash(shown)} {shown}"
    return {**({"list": listed} if listed else {}), "origin": origin}


def _mark(file: Path | str, folder: Path, kind: str = "") -> str:
    """Return a hash of where a file is as seen from a folder (both may be moved together), its kind and its name."""
    try:
        place = os.path.relpath(file, folder)
    except ValueError:  # on another drive
        place = os.path.abspath(file)  # noqa: PTH100 (what a link leads to may change)
    return f"{_hash(place)} {kind}{Path(place).name}"


def _hash(text: str, length: int = 16) -> str:
    """Return a short hash of a text."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def last_reported(folder: Path, notebook: str, values: Mapping[str, object], newest: Callable[[], date]) -> date:
    """Return the day of the last whole report in a folder that is from before the newest data.

    A report on the newest data is not counted: made again, a report begins where it began before. Where all reports are on
    the newest data, nothing can be new since the first.

    Parameters
    ----------
    folder : Path
        Of pages.
    notebook : str
        Name of the notebook that the report was made from.
    values : mapping
        Parameters of the new report: the last one has the same portfolio.
    newest : callable
        Asked for the day of the newest data.

    Raises
    ------
    ParameterError
        If there is no such report.
    """
    listed, days = list_of(values, folder), set[date]()
    for page in pages_of(folder):
        if page.get("notebook") == notebook and page.get("list", "") == listed and not page.get("incomplete"):
            with contextlib.suppress(ValueError):
                days.add(date.fromisoformat(str(page.get("as_of"))))
    if days:
        until = newest()
        return max((day for day in days if day < until), default=min(days))
    scope = f"on the portfolio {values['portfolio']}" if listed else "on all platforms"
    raise ParameterError(
        f"{folder} has no earlier whole report of {notebook} {scope}: make one there first, or give since as YYYY-MM-DD"
    )


def named(stem: str, name: str) -> str:
    """Return the name of a page's file: that of the notebook, and what the page is about."""
    part = _part_of_name(name)
    return f"{stem}-{part}.html" if part else f"{stem}.html"


def parts_of_names(reports: Sequence[Mapping[str, object]]) -> list[str]:
    """Return a name for each report that gives itself none: its parameters, and a hash where only their case differs."""
    parts = ["-".join(map(str, given.values())) for given in reports]
    count = Counter(map(_part_of_name, parts))
    return [
        f"{part[: _LONGEST - 9]}-{_hash(json.dumps(given, sort_keys=True), 8)}"
        if part and count[_part_of_name(part)] > 1
        else part
        for part, given in zip(parts, reports, strict=True)
    ]


def _part_of_name(name: str) -> str:
    """Return a name as part of a file's; a hash keeps apart those of which something was cut or replaced."""
    lowered = name.lower()
    part = _NOT_IN_NAMES.sub("-", lowered).strip("-.")
    whole = part == lowered and len(part) <= _LONGEST
    return part if whole else f"{part[: _LONGEST - 9]}-{_hash(name, 8)}".strip("-.")


def place(contents: Contents, page: Path, *, replace: bool = False) -> None:
    """Write a page after its PDF, each whole or not at all; never over that of another portfolio or source.

    Parameters
    ----------
    contents : Contents
    page : Path
        A PDF of the same name that was made with another page is removed.
    replace : bool
        Whether a page of another source may be replaced.

    Raises
    ------
    ReportError
        If one cannot be written, or another page or file is in its place, which stays.
    """
    there, printed = facts_of(page), page.with_suffix(".pdf")
    if there is None and page.is_file() and page.stat().st_size:
        raise ReportError(f"the file {page} is no page of ours: give another folder, or take it away")
    new = facts_in(contents.page) or {}
    for kind, what in {"list": "portfolio", "origin": "source"}.items():
        (old_hash, _, old), (new_hash, _, now) = (
            str(facts.get(kind, "")).partition(" ") for facts in (there or {}, new)
        )
        if (
            not old
            or not now
            or old_hash == new_hash
            or (kind == "list" and old != now)
            or (kind == "origin" and replace)
        ):
            continue
        advice = "rename one of the files" if kind == "list" else "replace it by --replace"
        raise ReportError(
            f"the page {page} is of another {what}, {old}, than this one, {now}: give another folder by --out, or {advice}"
        )
    if contents.pdf is not None:
        _write(printed, contents.pdf)
    elif there and printed.is_file() and page.read_text(encoding="utf-8", errors="replace") != contents.page:
        printed.unlink()
    _write(page, contents.page)


def _write(path: Path, content: str | bytes) -> None:
    """Write one file."""
    try:
        write_file(path, content)
    except OSError as error:
        raise ReportError(f"{path} cannot be written: {error.strerror}") from error


def made_from(notebook: Path, values: Mapping[str, object], data: str, secrets: Sequence[str] = ()) -> dict[str, Any]:
    """Return all that a page is made from.

    Parameters
    ----------
    notebook : Path
    values : mapping
        All parameters; the files that they name count with their content.
    data : str
        Hash of the data; empty where unknown.
    secrets : sequence of str
        Keys and passwords, which are not written: the notebook's hash stands for those in its own values.
    """

    def shown(value: object) -> object:
        if isinstance(value, list | tuple):
            return [shown(item) for item in value]
        return without_password(value, secrets) if isinstance(value, str) else value

    return {
        "notebook": notebook.stem,
        "notebook_sha256": hash_of(notebook),
        "parameters": {name: shown(value) for name, value in values.items()},
        "files_sha256": {str(path): hash_of(path) for path in named_paths(values) if path.is_file()},
        "data_sha256": data,
        "riskanalytics": package_hash(),
    }


def unknown(origin: Mapping[str, Any]) -> str:
    """Return why nobody knows whether a page that was made from this is up to date; empty where it is known."""
    if not origin["data_sha256"]:
        return "no checksum is known of the data that its notebook can read"
    folder = next((path for path in named_paths(origin["parameters"]) if path.is_dir()), None)
    return f"files may have changed in the folder {folder}" if folder else ""


def named_paths(values: Mapping[str, object]) -> list[Path]:
    """Return the files and folders that parameters name, also as a shell's pattern or from a home."""

    def texts(value: object) -> Iterator[str]:
        for item in value if isinstance(value, list | tuple) else ():
            yield from texts(item)
        if isinstance(value, str) and value:
            yield value

    named = dict.fromkeys(text for value in values.values() for text in texts(value))
    found = ([text] if os.path.exists(text) else sorted(glob(os.path.expanduser(text))) for text in named)  # noqa: PTH110, PTH111, PTH207
    return [Path(path) for paths in found for path in paths]


def hash_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(file.read_bytes()).hexdigest()


def write_manifest(page: Path, origin: Mapping[str, Any], contents: Contents) -> None:
    """Write beside a page what it and its PDF were made from, and what it lacks."""
    files = {file.name: hash_of(file) for file in (page, page.with_suffix(".pdf")) if file.is_file()}
    manifest = {
        "page": page.name,
        "lacks": contents.lacks,
        "again": contents.again,
        "files": files,
        "made_from": origin,
    }
    _write(page.with_name(page.stem + _MANIFEST), json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def manifests_in(folder: Path) -> list[dict[str, Any]]:
    """Return the manifests of a folder; what is damaged is passed over, and its page made again."""
    manifests = []
    for path in folder.glob(f"*{_MANIFEST}"):
        with contextlib.suppress(OSError, ValueError, RecursionError):
            manifests.append(json.loads(path.read_text(encoding="utf-8")))
    return [one for one in manifests if isinstance(one, dict)]


def up_to_date(folder: Path, manifest: Mapping[str, Any], *, pdf: bool) -> bool:
    """Say whether a manifest's page is there as it was written, with its PDF if one is asked for, and would not change."""
    printed = Path(manifest["page"]).with_suffix(".pdf").name
    if manifest["again"] or unknown(manifest["made_from"]) or (pdf and printed not in manifest["files"]):
        return False
    return all(
        (folder / name).is_file() and hash_of(folder / name) == digest for name, digest in manifest["files"].items()
    )
