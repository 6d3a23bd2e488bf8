"""Rules for the PDF of every page: the whole content, in order, on complete pages."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tests.notebooks.conftest import PageOf, sections
from tests.notebooks.test_pages import SHORT_BY_DEFAULT
from tests.pages.test_print import kinds, read, spots_of, tags, text

PRINTED = ("monthly_report", "platform_dossier", "portfolio")
"""Notebooks whose PDFs have all kinds of parts; reading a PDF takes seconds."""
RIGHT, MARGIN = 595, 55
"""Points: width of an A4 page, and the white on its sides."""


@pytest.mark.parametrize("notebook", [name for name in SHORT_BY_DEFAULT if getattr(name, "values", [name])[0] in PRINTED])
def test_the_pdf_has_the_pages_sections_charts_and_quotes(page_of: PageOf, notebook: str) -> None:
    page = page_of(notebook)
    html, body = page.read_text(encoding="utf-8"), page.with_suffix(".pdf").read_bytes()
    titles = [entry.title for entry in read(body).outline if not isinstance(entry, list)]
    assert titles[: len(sections(html))] == [unescape(title) for title in sections(html)]
    assert len([tag for tag in tags(body) if tag.get("/S") == "/Figure" and "/Alt" in tag]) == html.count(
        "<figure data-chart="
    )
    words = text(body)
    assert "This PDF does not draw" not in words
    quotes = re.findall(r"<blockquote[^>]*>([^<\n]{20,60})</blockquote>", html)
    said = re.sub(r"\s", "", words)
    missing = [quote for quote in quotes if re.sub(r"\s", "", unescape(quote)) not in said and quote.isascii()]
    assert missing == []
    if quotes:
        assert "/BlockQuote" in kinds(body)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", PRINTED)
def test_no_pdf_page_is_empty_ends_with_a_heading_or_overflows(page_of: PageOf, notebook: str) -> None:
    body = page_of(notebook).with_suffix(".pdf").read_bytes()
    pages = spots_of(body)
    for number, (said, spots) in enumerate(pages):
        assert len(said) > 250, f"page {number + 1}"
        assert max(x for x, _, _ in spots) < RIGHT - MARGIN, f"page {number + 1}"
        assert f"{number + 1} of {len(pages)}" in said
        assert "Informational only, not legal advice" in said
    for private in (Path.home(), Path.cwd(), page_of(notebook).parent):
        assert str(private).encode() not in body
        assert str(private) not in text(body)
