"""Quotes on a page: the clauses of each platform with their sources, and the texts that they were quoted from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import Rows, grouped, level, link, name, quote, rows_table, snapshot_anchor, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Group, Heading, Paragraph, Text
from riskanalytics.surfaces import SURFACES, surface_name
from riskanalytics.text.wording import plural
from riskanalytics.topics.shape import Record

__all__ = ["evidence", "snapshots"]

_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}
_SNAPSHOT_COLUMNS: Final = ["name", "document", "captured_at", "snapshot_sha256", "archive_url"]


@of_data(findings="evidence", slugs="worst")
def evidence(findings: pd.DataFrame, slugs: Sequence[str], *, most: int = 2) -> Section:
    """Show the clauses of some platforms, surface by surface, the weightiest first.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, checked again.
    slugs : sequence of str
        Platforms, in the order to show them.
    most : int
        Clauses shown of a surface at HIGH; one of any other. How many there are is said.

    Examples
    --------
    >>> platforms = ["orvewick-voice", "alfisen-music"]
    >>> sections.evidence(data.verify(data.of(platforms).findings), platforms).text
    '18 quotes of 2 platforms'
    """
    by_slug = grouped(rows_of(findings[findings["slug"].isin(slugs)]), "slug")
    told = {slug: _surfaces(slug, by_slug[slug], most) for slug in slugs if slug in by_slug}
    folds = (_platform(slug, by_slug[slug], groups) for slug, groups in told.items())
    shown = sum(len(group.parts) - 1 for groups in told.values() for group in groups)
    return section("Evidence", *folds, text=f"{plural(shown, 'quote')} of {plural(len(told), 'platform')}")


def _platform(slug: str, rows: Rows, groups: tuple[Group, ...]) -> Fold:
    """Return the clauses of one platform, folded behind its name and how many there are."""
    counts = f"{plural(len(rows), 'clause')} on {plural(len(groups), 'surface')}"
    title = (name(rows[0]["name"]), " ", Text(counts, "meta"))
    return Fold(title, groups, "keep platform", anchor=f"platform-{slug}")


def _surfaces(slug: str, rows: Rows, most: int) -> tuple[Group, ...]:
    """Return the clauses of one platform, a group for each surface, in the order of the surfaces."""
    groups = sorted(grouped(rows, "surface").items(), key=lambda item: (_ORDER.get(item[0], 99), item[0]))
    return tuple(_surface(slug, surface, group, most) for surface, group in groups)


def _surface(slug: str, surface: str, rows: Rows, most: int) -> Group:
    """Return a heading and the weightiest clauses of one surface; near-copies are not shown twice."""
    listed = sorted([row for row in rows if is_missing(row["duplicate_of"])] or rows, key=clause_weight)
    shown = listed[: most if listed[0]["risk"] == RATINGS[-1] else 1]
    more = (" ", Text(f"{len(shown)} of {len(listed)}", "thin")) if len(listed) > len(shown) else ""
    quotes = (
        replace(quote({**row, "archive_url": None}, mark=level(row["level"])), evidence=evidence_of(row))
        for row in shown
    )
    return Group((Heading((surface_name(surface), more)), *quotes), "clauses", anchor=f"{slug}-{surface}")


def clause_weight(row: Record) -> tuple[int, int, int]:
    """Return the sort key of a clause: raising risk first, higher levels first, then as in the document.

    Parameters
    ----------
    row : mapping
        A row of `frames.FINDINGS_COLUMNS`.
    """
    rank = RATINGS.index(row["risk"]) if row["risk"] in RATINGS else -1
    start = 0 if is_missing(row["start"]) else int(row["start"])
    return (0 if row["polarity"] == "raises_risk" else 1, -rank, start)


def snapshots(*quoted: Any) -> Section:
    """Show every archived text that a page quotes: its document, day, full hash and public link, each once.

    Parameters
    ----------
    *quoted : pandas.DataFrame or Dataset
        Clauses with `name`, `document`, `captured_at`, `snapshot_sha256`, `archive_url`; or a data set: all that were
        checked again for its page.

    Examples
    --------
    >>> findings = data.verify(data.of(["orvewick-voice"]).findings)
    >>> sections.snapshots(findings).text
    '2 texts quoted'
    """
    frames = quoted[0].views.quoted if quoted and hasattr(type(quoted[0]), "views") else quoted
    told = [frame[_SNAPSHOT_COLUMNS].astype({"archive_url": "object"}) for frame in frames if len(frame)]
    if not told:
        return Section((Paragraph("No text was quoted."),), "no text was quoted")
    rows = pd.concat(told).dropna(subset=["snapshot_sha256"]).drop_duplicates("snapshot_sha256")
    rows = rows.sort_values(["name", "document", "captured_at"], kind="stable")
    listed = rows_table(
        "",
        rows_of(rows),
        ("Platform", "name"),
        ("Document", lambda row: link(text(row["document"]), row["archive_url"])),
        ("whole:Captured", "captured_at"),
        ("SHA-256 of the text", lambda row: Text(str(row["snapshot_sha256"]), "code")),
        named=False,
        anchor=lambda row: snapshot_anchor(str(row["snapshot_sha256"])),
    )
    quoted_texts = f"{plural(len(rows), 'text')} quoted"
    return Section((Fold(f"The {quoted_texts} on this page, with full hashes", (listed,), "keep"),), quoted_texts)
