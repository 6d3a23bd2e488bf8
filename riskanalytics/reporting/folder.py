"""The folder of reports: `index.html` lists its pages, `feed.json` tells them to machines (JSON Feed 1.1).

Both are made from the pages themselves, each of which tells about itself in its head: what was deleted or copied here
by hand is listed as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from nbformat.v4 import new_code_cell, new_notebook, new_output

from riskanalytics.errors import ReportError
from riskanalytics.files import write_file
from riskanalytics.pages.rows import below, columns
from riskanalytics.pages.section import DETAILS, encode
from riskanalytics.pages.values import PAGE_TYPE, Group, Heading, Link, Paragraph, Parts, Row, Table, Text, Words
from riskanalytics.reporting.exporter import page_of
from riskanalytics.reporting.placing import (
    FEED,
    FEED_VERSION,
    INDEX,
    Contents,
    check_list,
    named,
    pages_of,
    part_of,
    place,
)
from riskanalytics.text.wording import plural

_ROUNDS: Final = 3


def publish(contents: Contents, stem: str, out: Path, *, replace: bool = False) -> Path:
    """Write a page, whole or not at all, and list it in its folder.

    Parameters
    ----------
    contents : Contents
    stem : str
        Name of the notebook; the page is named after it and what it speaks of.
    out : Path
        Folder of the page.
    replace : bool
        As of `place`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ReportError
        If it cannot be written; what was there stays.
    """
    page = out / named(stem, contents.name)
    place(contents, page, replace=replace)
    list_pages(out)
    return page


def list_pages(folder: Path) -> Path:
    """Write the index of a folder and its feed.

    Parameters
    ----------
    folder : Path
        Of pages.

    Returns
    -------
    Path
        The index.

    Raises
    ------
    ReportError
        If one of the two cannot be written, or is none of ours.
    """
    check_list(folder)
    try:
        for _ in range(_ROUNDS):
            pages = pages_of(folder)
            write_file(folder / FEED, _feed(pages))
            write_file(folder / INDEX, _index(pages))
            if pages_of(folder) == pages:  # else another run has published a page meanwhile
                break
    except OSError as error:
        raise ReportError(f"the list of reports in {folder} cannot be written: {error.strerror}") from error
    return folder / INDEX


def _index(pages: list[dict[str, object]]) -> str:
    """Return the index as a page like any other."""
    newest = max((str(page.get("as_of", ""))[:10] for page in pages), default="")
    count = plural(len(pages), "report") + (f", the newest data of {newest}" if newest else "")
    shown: Parts = (Group((Heading("Reports", 1), Paragraph(count, "meta")), "header"),)
    if pages:
        heads = columns("Report", "whole:Data as of", "Scope", "whole:Clauses")
        shown += (Table(tuple(map(_row, pages)), heads, style="sortable text stack"),)
    output = new_output(
        "display_data",
        data={PAGE_TYPE: encode(shown)},
        metadata={DETAILS: {"report": {"title": "Reports", "description": count}}},
    )
    return str(page_of(new_notebook(cells=[new_code_cell("", outputs=[output])]))[0])


def _row(page: Mapping[str, object]) -> Row:
    """Return one page: what it is, what it says first, its day, scope, counts and checked quotes."""
    title: Words = Link(Text(str(page.get("title") or page["file"]), "name"), quote(str(page["file"])))
    printed: Words = (" · ", Link("PDF", quote(str(page["pdf"])))) if "pdf" in page else ""
    counts = page.get("counts")
    listed = " · ".join(f"{key}: {value}" for key, value in counts.items()) if isinstance(counts, dict) else ""
    told = (title, printed, below(str(page.get("lead") or "")), below(listed))
    return Row((told, str(page.get("as_of") or "")[:10], _scope(page), _quotes(page)))


def _scope(page: Mapping[str, object]) -> Words:
    """Return which platforms a page is about, and the file of the portfolio where they are one."""
    portfolio = part_of(page, "provenance").get("parameter portfolio")
    named = ("portfolio ", Text(str(portfolio), "name")) if portfolio and portfolio != "(empty)" else ""
    return str(page.get("scope") or ""), below(named)


def _quotes(page: Mapping[str, object]) -> Words:
    """Return how many clauses were read again; loudly, where any did not verify."""
    checked, failed = page.get("quotes_checked"), page.get("quotes_failed")
    if not isinstance(checked, int) or not isinstance(failed, int) or not checked:
        return "no clauses checked"
    if failed:
        return Text(Text(f"{failed:,} of {checked:,} clauses not verified", "strong"), "bad")
    return f"all {checked:,} clauses verified"


def _feed(pages: list[dict[str, object]]) -> str:
    """Return the pages as a JSON Feed (jsonfeed.org/version/1.1); addresses are relative to the feed."""
    items: list[dict[str, object]] = []
    for page in pages:
        file = quote(str(page["file"]))
        item: dict[str, object] = {
            "id": file,
            "url": file,
            "title": str(page.get("title") or page["file"]),
            "content_text": str(page.get("description") or page.get("title") or page["file"]),
            "_riskanalytics": {
                key: value for key, value in page.items() if key not in ("title", "description", "file", "pdf")
            },
        }
        if page.get("as_of"):
            item["date_published"] = f"{str(page['as_of'])[:10]}T00:00:00Z"
        if "pdf" in page:
            item["attachments"] = [{"url": quote(str(page["pdf"])), "mime_type": "application/pdf"}]
        items.append(item)
    feed = {"version": FEED_VERSION, "title": "AI platform risk reports", "items": items}
    return json.dumps(feed, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
