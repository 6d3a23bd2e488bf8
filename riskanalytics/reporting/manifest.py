"""What a page of a batch was made from: told beside it, so that a batch that goes on knows what is there already."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from glob import iglob
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import ReportError
from riskanalytics.files import write_file
from riskanalytics.reporting.placing import Contents
from riskanalytics.settings import package_hash
from riskanalytics.settings.databases import without_password

ENDING: Final = ".manifest.json"


def origin(notebook: Path, values: Mapping[str, object], data: str, secrets: Sequence[str] = ()) -> dict[str, Any]:
    """Return all that a page is made from.

    Parameters
    ----------
    notebook : Path
    values : mapping
        All parameters; the files that they name count with their content, also those in lists.
    data : str
        Hash of the data; empty where it is not known.
    secrets : sequence of str
        Keys and passwords, which are not told: where the notebook itself holds one, it counts by the notebook's hash.
    """
    return {
        "notebook": notebook.stem,
        "notebook_sha256": _hash_of(notebook),
        "parameters": {name: _shown(value, secrets) for name, value in values.items()},
        "files_sha256": {str(path): _hash_of(path) for path in named_paths(values) if path.is_file()},
        "data_sha256": data,
        "riskanalytics": package_hash(),
    }


def _shown(value: object, secrets: Sequence[str]) -> object:
    """Return the value of a parameter, without keys and passwords that a notebook's own defaults may hold."""
    if isinstance(value, list | tuple):
        return [_shown(item, secrets) for item in value]
    return without_password(value, secrets) if isinstance(value, str) else value


def unknown(made_from: Mapping[str, Any]) -> str:
    """Return why it is not known whether a page is up to date: of what no hash is known; empty where all have one.

    Parameters
    ----------
    made_from : mapping
        As `origin` gives it.
    """
    if not made_from["data_sha256"]:
        return "no checksum is known of the data that its notebook can read"
    folder = next((path for path in named_paths(made_from["parameters"]) if path.is_dir()), None)
    return f"files may have changed in the folder {folder}" if folder else ""


def files_of(database: Path) -> list[Path]:
    """Return the files that change when anybody writes to a database."""
    return [database, database.with_name(f"{database.name}-wal")]


def stamps(notebook: Path, values: Mapping[str, object], *more: Path) -> dict[str, tuple[int, ...]]:
    """Return what changes when anybody writes into the files that a page is made from.

    Parameters
    ----------
    notebook : Path
    values : mapping
        Parameters.
    *more : Path
    """
    found: dict[str, tuple[int, ...]] = {}
    for path in [notebook, *named_paths(values), *more]:
        with suppress(OSError):
            told = path.stat()
            if told.st_size or path not in more:  # an empty log says nothing
                found[str(path)] = (told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns)
    return found


def named_paths(values: Mapping[str, object]) -> list[Path]:
    """Return the files and folders that parameters name.

    Parameters
    ----------
    values : mapping
        Parameters.
    """
    texts = dict.fromkeys(text for value in values.values() for text in _texts(value) if text)
    return [path for text in texts for path in _named(text)]


def _texts(value: object) -> Iterator[str]:
    """Give the texts of a value, also those in its lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _named(text: str) -> list[Path]:
    """Return the files and folders that a text names, also as a shell's pattern or from a home."""
    try:
        if Path(text).exists():
            return [Path(text)]
        return [Path(name) for name in sorted(iglob(os.path.expanduser(text)))]  # noqa: PTH111, PTH207 (as notebooks do)
    except (OSError, ValueError, RuntimeError, re.error):
        return []


def _hash_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def _key(made_from: object) -> str:
    """Return what tells two origins apart."""
    return json.dumps(made_from, sort_keys=True)


def write_manifest(page: Path, made_from: Mapping[str, Any], contents: Contents) -> None:
    """Tell beside a page what it was made from, once it is written.

    Parameters
    ----------
    page : Path
        Its PDF is told with it, where there is one.
    made_from : mapping
        As `origin` gives it.
    contents : Contents
        What the page says of itself that it lacks, and whether it is to be made again, are told.

    Raises
    ------
    ReportError
    """
    files = {file.name: _hash_of(file) for file in (page, page.with_suffix(".pdf")) if file.is_file()}
    told = {"page": page.name, "lacks": contents.lacks, "again": contents.again, "files": files}
    told["made_from"] = dict(made_from)
    place = page.with_name(page.stem + ENDING)
    try:
        write_file(place, json.dumps(told, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise ReportError(f"the manifest {place} cannot be written: {error.strerror}") from error


class Known:
    """The pages of a folder that are there with their manifests.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told: dict[str, dict[str, Any]] = {}
        for path in folder.glob(f"*{ENDING}"):
            try:
                told = json.loads(path.read_text(encoding="utf-8"))
                self._told[_key(told["made_from"])] = told
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                continue  # none of ours, or damaged: what it told is made again

    def page(self, made_from: Mapping[str, Any], *, pdf: bool) -> tuple[Path, str] | None:
        """Return a page that was made from the same, and what it lacks; None where there is none, or that is not known.

        Parameters
        ----------
        made_from : mapping
        pdf : bool
            Whether its PDF must be there, too.
        """
        told = self._told.get(_key(json.loads(_key(made_from))))
        try:
            if told is None or told["again"] or unknown(made_from):
                return None
            page, files = self._folder / Path(told["page"]).name, dict(told["files"])
            if page.name not in files or (pdf and page.with_suffix(".pdf").name not in files):
                return None
            whole = all(_hash_of(self._folder / Path(name).name) == digest for name, digest in files.items())
            return (page, str(told["lacks"])) if whole else None
        except (OSError, KeyError, TypeError, ValueError):
            return None
