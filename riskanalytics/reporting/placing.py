"""Write pages to a folder with manifests of what they were made from, and read the record in each page (title, day, ...)."""

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
from riskanalytics.files import reported_as, with_matches, write_file
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
"""Number of characters of a page that contain its record."""
_LONGEST: Final = 80
_NOT_OURS: Final = "would be replaced, but riskanalytics did not make it: give another folder, or move the file away"
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
        Checked parameters of the notebook.
    settings : Settings
        Settings of the data source.
    pdf : bool
        Whether to make a PDF next to the page.
    ours : bool
        Whether the notebook is a built-in one.
    part : str
        Second part of the page's file name, after the notebook's name, if the notebook sets none (`Report.headline(name=...)`).
    marks : mapping
        Texts that identify the portfolio and the data source of the page (`marks_of`).
    held : str
        File of the data loaded for all reports of a batch, if any.
    folder : str
        Working folder of the notebook; by default that of this process.
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
        """The environment variables for the kernel of the report, including the key of the service."""
        return {**os.environ, **self.settings.environment(), **_FIXED}


class Contents(NamedTuple):
    """A page before it is published.

    Parameters
    ----------
    name : str
        Part of the file name after the notebook's name, such as the day of the data; may be empty.
    page, pdf : str, bytes or None
        The HTML; the PDF, if requested.
    lacks : str
        What the page says is missing, in one line; empty if it is complete.
    again : bool
        Whether a later batch must make the report again, because data were missing or quotes did not verify.
    end : str
        Newest day of the data, YYYY-MM-DD, if known. The page does not contain it, so newer data do not change
        a page on a past day.
    """

    name: str
    page: str
    pdf: bytes | None
    lacks: str
    again: bool = False
    end: str = ""


def pages_of(folder: Path) -> list[dict[str, object]]:
    """Return the record of each page in a folder (title, day, ..., as `facts_of` does); pages with the newest data come first."""
    pages = [facts for path in sorted(folder.glob("*.html")) if path.name != INDEX and (facts := facts_of(path))]
    return sorted(pages, key=lambda facts: str(facts.get("as_of", "")), reverse=True)


def check_list(folder: Path) -> None:
    """Raise a `ReportError` if a folder has an index or feed that riskanalytics did not make and so must not replace."""
    for path in (folder / INDEX, folder / FEED):
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        if text and (facts_in(text) is None if path.name == INDEX else FEED_VERSION not in text):
            raise ReportError(f"{path} {_NOT_OURS}")


def facts_of(page: Path) -> dict[str, object] | None:
    """Return the record in a page (title, day, ...) with its file name and PDF; None for a file not made by riskanalytics."""
    try:
        with page.open(encoding="utf-8", errors="replace") as file:
            facts = facts_in(file.read(_HEAD))
    except OSError:
        return None
    printed = page.with_suffix(".pdf")
    return facts and {**facts, "file": page.name, **({"pdf": printed.name} if printed.is_file() else {})}


def facts_in(text: str) -> dict[str, object] | None:
    """Return the record that the HTML of a page contains as JSON, with title, day and more; None if it contains no record."""
    with contextlib.suppress(ValueError, RecursionError):
        if (match := _FACTS.search(text, 0, _HEAD)) and isinstance(facts := json.loads(match[1]), dict):
            return facts
    return None


def unverified(facts: Mapping[str, object]) -> str:
    """Return a phrase with the number of clauses that did not verify, from a page's record (`facts`); empty if all verified."""
    failed, checked = facts.get("quotes_failed"), facts.get("quotes_checked")
    if not isinstance(failed, int) or not failed:
        return ""
    among = f" of {plural(checked, 'clause')}" if isinstance(checked, int) else ""
    return f"{failed:,}{among} did not verify: each is marked on the page"


def part_of(facts: Mapping[str, object], name: str) -> dict[str, object]:
    """Return one group, such as `counts`, of a page's record (`facts`, from `facts_of`); empty if it has no group of this name."""
    part = facts.get(name)
    return part if isinstance(part, dict) else {}


def list_of(values: Mapping[str, object], folder: Path) -> str:
    """Return a text that identifies the portfolio in the parameters `values`; empty without a portfolio.

    The text is a hash of the portfolio's path relative to `folder`, then the name of its file.
    """
    return _mark(str(values["portfolio"]), folder) if values.get("portfolio") else ""


def marks_of(values: Mapping[str, object], settings: Settings, folder: Path) -> dict[str, str]:
    """Return texts that identify the portfolio (`list`) and the data source (`origin`) of a page.

    Parameters
    ----------
    values : mapping
        Parameters of the report.
    settings : Settings
        Settings of the source.
    folder : Path
        Folder of pages. The texts contain hashes of file paths relative to it, so that files and pages can move together.
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
    """Return a hash of a file's path relative to a folder (both may be moved together), its kind and its name."""
    try:
        place = os.path.relpath(file, folder)
    except ValueError:  # on another drive
        place = os.path.abspath(file)  # noqa: PTH100 (what a link leads to may change)
    return f"{_hash(place)} {kind}{Path(place).name}"


def _hash(text: str, length: int = 16) -> str:
    """Return a short hash of a text."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def last_reported(folder: Path, notebook: str, values: Mapping[str, object], newest: Callable[[], date]) -> date:
    """Return the day of the last complete report in a folder, from which a new report with `since=last` begins.

    Reports on the day of the newest data are skipped, so that a report repeated on that day begins on the same day as before.
    If no report is on an earlier day than the newest data, the earliest day of a report is returned.

    Parameters
    ----------
    folder : Path
        Folder of pages.
    notebook : str
        Name of the notebook of the report.
    values : mapping
        Parameters of the new report; only reports with the same portfolio count.
    newest : callable
        Returns the day of the newest data.

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
        f"{folder} has no earlier complete report of {notebook} {scope}: make one first, or give since=YYYY-MM-DD"
    )


def named(stem: str, name: str) -> str:
    """Return the file name of a page: the name of its notebook (`stem`), then `name`, such as the day of the data, if not empty."""
    part = _part_of_name(name)
    return f"{stem}-{part}.html" if part else f"{stem}.html"


def parts_of_names(reports: Sequence[Mapping[str, object]]) -> list[str]:
    """Return for each report a part of its page's file name, made of its parameters; a hash distinguishes equal parts.

    `reports` has the parameters of each report.
    """
    parts = ["-".join(map(str, given.values())) for given in reports]
    count = Counter(map(_part_of_name, parts))
    return [
        f"{part[: _LONGEST - 9]}-{_hash(json.dumps(given, sort_keys=True), 8)}"
        if part and count[_part_of_name(part)] > 1
        else part
        for part, given in zip(parts, reports, strict=True)
    ]


def _part_of_name(name: str) -> str:
    """Return a name as part of a file name; a hash distinguishes shortened or altered names."""
    lowered = name.lower()
    part = _NOT_IN_NAMES.sub("-", lowered).strip("-.")
    whole = part == lowered and len(part) <= _LONGEST
    return part if whole else f"{part[: _LONGEST - 9]}-{_hash(name, 8)}".strip("-.")


def place(contents: Contents, page: Path, *, replace: bool = False) -> None:
    """Write the PDF and then the page of `contents`, each completely or not at all.

    Parameters
    ----------
    contents : Contents
    page : Path
        File to write. If `contents` has no PDF, the PDF of a replaced page is removed, unless the page is unchanged.
    replace : bool
        Whether a page that shows data of another source may be replaced.

    Raises
    ------
    ReportError
        If writing fails; or if the existing file was not made by riskanalytics, shows data of another source (unless `replace` is
        set), or shows another portfolio whose file has the same name.
    """
    there, printed = facts_of(page), page.with_suffix(".pdf")
    if there is None and page.is_file() and page.stat().st_size:
        raise ReportError(f"{page} {_NOT_OURS}")
    new = facts_in(contents.page) or {}
    for kind, what in {"list": "portfolio", "origin": "source"}.items():
        (old_hash, _, old), (new_hash, _, now) = (
            str(facts.get(kind, "")).partition(" ") for facts in (there or {}, new)
        )
        may_replace = old != now if kind == "list" else replace
        if not (old and now) or old_hash == new_hash or may_replace:
            continue
        advice = "rename one of the files" if kind == "list" else "overwrite it with --replace"
        unlike = f"another {what}, {old}" + (" in another folder" if old == now else f", not to {now}")
        raise ReportError(f"the page {page} belongs to {unlike}: give another folder with --out, or {advice}")
    if contents.pdf is not None:
        _write(printed, contents.pdf)
    elif there and printed.is_file() and page.read_text(encoding="utf-8", errors="replace") != contents.page:
        printed.unlink()
    _write(page, contents.page)


def _write(path: Path, content: str | bytes) -> None:
    """Write one file."""
    with reported_as(ReportError, f"{path} cannot be written"):
        write_file(path, content)


def made_from(notebook: Path, values: Mapping[str, object], data: str, secrets: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a page is made from: its parameters, and hashes of its notebook, files, data and this package.

    Parameters
    ----------
    notebook : Path
    values : mapping
        All parameters of the notebook. The files that they name are hashed, too.
    data : str
        Hash of the data; empty if unknown.
    secrets : sequence of str
        Keys and passwords, which are left out.
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
    """Return why a page cannot be checked for being up to date; empty if it can. `origin` is the result of `made_from`."""
    if not origin["data_sha256"]:
        return "the data that its notebook can read have no known checksum"
    folder = next((path for path in named_paths(origin["parameters"]) if path.is_dir()), None)
    return f"files may have changed in the folder {folder}" if folder else ""


def named_paths(values: Mapping[str, object]) -> list[Path]:
    """Return the files and folders that parameters name (`~` and patterns expanded), and the file of matches beside a portfolio."""

    def texts(value: object) -> Iterator[str]:
        for item in value if isinstance(value, list | tuple) else ():
            yield from texts(item)
        if isinstance(value, str) and value:
            yield value

    named = dict.fromkeys(text for value in values.values() for text in texts(value))
    found = ([text] if os.path.exists(text) else sorted(glob(os.path.expanduser(text))) for text in named)  # noqa: PTH110, PTH111, PTH207
    return [one for paths in found for path in paths for one in with_matches(Path(path))]


def hash_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(file.read_bytes()).hexdigest()


def write_manifest(page: Path, origin: Mapping[str, Any], contents: Contents) -> None:
    """Write a JSON manifest next to a page: its `origin` (`made_from`), hashes of page and PDF, and what `contents` lacks."""
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
    """Return the manifests of a folder; damaged ones are skipped, so that their pages are made again."""
    manifests = []
    for path in folder.glob(f"*{_MANIFEST}"):
        with contextlib.suppress(OSError, ValueError, RecursionError):
            manifests.append(json.loads(path.read_text(encoding="utf-8")))
    return [one for one in manifests if isinstance(one, dict)]


def up_to_date(folder: Path, manifest: Mapping[str, Any], *, pdf: bool) -> bool:
    """Return whether the page of a manifest, and its PDF if requested, exist unchanged and need not be made again."""
    printed, files = Path(manifest["page"]).with_suffix(".pdf").name, manifest["files"]
    if manifest["again"] or unknown(manifest["made_from"]) or (pdf and printed not in files):
        return False
    return all((folder / name).is_file() and hash_of(folder / name) == digest for name, digest in files.items())
