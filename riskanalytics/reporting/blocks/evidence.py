"""Every quote that the page rests on, with where it stands, and the texts that were quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS, SURFACES, surface_name
from riskanalytics.reporting.blocks.words import (
    Rows,
    day,
    grouped,
    is_missing,
    level,
    link,
    name,
    plural,
    quote,
    roles,
    snapshot_anchor,
    text,
)
from riskanalytics.reporting.display import Block

_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}


def evidence(findings: pd.DataFrame, slugs: Sequence[str], *, most: int = 2) -> Block:
    """Show the clauses of some platforms, surface by surface, the weightiest first.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, checked again.
    slugs : sequence of str
        Platforms, in the order to show them.
    most : int
        Clauses shown of a surface at HIGH; one of any other. How many there are is said.
    """
    wanted = findings[findings["slug"].isin(slugs)]
    by_slug = grouped(rows_of(wanted), "slug")
    parts = [_platform(slug, by_slug[slug], most) for slug in slugs if slug in by_slug]
    shown = int(sum(part.count("<blockquote") for part in parts))
    html = f"<section aria-label=Evidence>{''.join(parts)}</section>"
    return Block(html, f"{shown} quotes of {len(parts)} platforms")


def _platform(slug: str, rows: Rows, most: int) -> str:
    """Return the clauses of one platform."""
    groups = sorted(grouped(rows, "surface").items(), key=lambda item: (_ORDER.get(item[0], 99), item[0]))
    body = "".join(_surface(slug, surface, group, most) for surface, group in groups)
    counts = f"{plural(len(rows), 'clause')} on {plural(len(groups), 'surface')}"
    title = f"{name(rows[0]['name'])} <span class=meta>{counts}</span>"
    return f'<details class="keep platform" id="platform-{text(slug)}"><summary>{title}</summary>{body}</details>'


def _surface(slug: str, surface: str, rows: Rows, most: int) -> str:
    """Return the weightiest clauses of one surface; near-copies are not shown twice."""
    listed = sorted([row for row in rows if is_missing(row["duplicate_of"])] or rows, key=clause_weight)
    shown = listed[: most if listed[0]["risk"] == RATINGS[-1] else 1]
    more = f" <span class=thin>{len(shown)} of {len(listed)}</span>" if len(listed) > len(shown) else ""
    quotes = "".join(
        quote(row["quote"], {**row, "archive_url": None}, mark=level(row["level"]), more=roles(row)) for row in shown
    )
    return f'<div class=clauses id="{text(slug)}-{text(surface)}"><h3>{text(surface_name(surface))}{more}</h3>{quotes}</div>'


def clause_weight(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the place of a clause: raising risk first, higher levels first, then as in the document."""
    rank = RATINGS.index(row["risk"]) if row["risk"] in RATINGS else -1
    start = 0 if is_missing(row["start"]) else int(row["start"])
    return (0 if row["polarity"] == "raises_risk" else 1, -rank, start)


def snapshots(*quoted: pd.DataFrame) -> Block:
    """Show every text that was quoted: its document, day, full hash and public link, each once.

    Parameters
    ----------
    *quoted : pandas.DataFrame
        Clauses with `name`, `document`, `captured_at`, `snapshot_sha256`, `archive_url`.
    """
    columns = ["name", "document", "captured_at", "snapshot_sha256", "archive_url"]
    told = [frame[columns].astype({"archive_url": "object"}) for frame in quoted if len(frame)]
    if not told:
        return Block("<p>No text was quoted.</p>", "no text was quoted")
    rows = pd.concat(told).dropna(subset=["snapshot_sha256"]).drop_duplicates("snapshot_sha256")
    rows = rows.sort_values(["name", "document", "captured_at"], kind="stable")
    body = "".join(_snapshot(row) for row in rows_of(rows))
    html = (
        f"<details class=keep><summary>The {plural(len(rows), 'text')} quoted on this page, with full hashes</summary>"
        "<div class=wide><table class=sortable><thead><tr><th scope=col>Platform</th><th scope=col>Document</th>"
        "<th scope=col>Captured</th><th scope=col>SHA-256 of the text</th></tr></thead>"
        f"<tbody>{body}</tbody></table></div></details>"
    )
    return Block(html, f"{len(rows)} texts quoted")


def _snapshot(row: Mapping[str, Any]) -> str:
    """Return one text; end tags that HTML lets fall are left out, for there are hundreds of rows."""
    sha256 = str(row["snapshot_sha256"])
    return (
        f'<tr id="{snapshot_anchor(sha256)}"><td>{name(row["name"])}<td>{link(row["archive_url"], text(row["document"]))}'
        f"<td class=whole>{day(row['captured_at'])}<td><code>{text(sha256)}</code>\n"
    )
