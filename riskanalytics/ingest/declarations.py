"""The declarations of an Open Terms Archive collection: from which page of the vendor each document is captured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from riskanalytics.errors import IngestError


def declared_pages(folder: Path) -> dict[tuple[str, str], str]:
    """Return the addresses of the pages that documents are captured from.

    Parameters
    ----------
    folder : Path
        Checkout of the declarations, or the folder `declarations` in it: `SERVICE.json` with
        `{"terms": {TERMS TYPE: {"fetch": ADDRESS}}}`.

    Returns
    -------
    dict
        Service and terms type -> address. A document that is put together from several pages has none: nobody tells on
        which of them a quote stands.

    Raises
    ------
    IngestError
        If there are no declarations, or one is no JSON object: one line.
    """
    inner = folder / "declarations"
    files = sorted((inner if inner.is_dir() else folder).glob("*.json"))
    services = [file for file in files if not file.name.endswith(".history.json")]
    if not services:
        raise IngestError(f"{folder} holds no declarations like declarations/SERVICE.json")
    return dict(page for file in services for page in _pages(file))


def _pages(file: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Give the pages that one service declares."""
    try:
        told = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise IngestError(f"{file} cannot be read as a declaration: {error}") from error
    if not isinstance(told, dict):
        raise IngestError(f"{file} is no declaration: it holds no JSON object")
    terms = told.get("terms", told.get("documents"))
    for name, declared in terms.items() if isinstance(terms, dict) else ():
        sources = declared.get("combine", [declared]) if isinstance(declared, dict) else []
        addresses = {
            url
            for source in (sources if isinstance(sources, list) else [])
            if isinstance(source, dict) and isinstance(url := source.get("fetch", declared.get("fetch")), str)
        }
        if len(addresses) == 1 and (url := addresses.pop()).startswith(("http://", "https://")):
            yield (file.stem, name), url
