"""The surfaces of one platform without an answer: nothing found, clauses to read, or not read."""

from __future__ import annotations

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import in_other_language, languages_not_read
from riskanalytics.pages.composing import table
from riskanalytics.pages.rows import Rows, question, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Paragraph
from riskanalytics.surfaces import surface_name
from riskanalytics.topics.dossier.words import own_words
from riskanalytics.topics.matrix.surface import mark_of
from riskanalytics.topics.shares import found_share
from riskanalytics.wording import plural

__all__ = ["quiet_surfaces"]


@of_data(standing="peer_levels", figures="figures")
def quiet_surfaces(standing: pd.DataFrame, documents: pd.DataFrame, *, figures: object = None) -> Section:
    """Show the surfaces without an answer of one platform: nothing found, clauses to read, or not read.

    Parameters
    ----------
    standing : pandas.DataFrame
        As `analysis.peer_levels` gives it.
    documents : pandas.DataFrame
        `frames.DOCUMENTS_COLUMNS` of the platform.
    figures : object, optional
        What the service tells of its extraction under `figures`: which share is found.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> standing = analysis.peer_levels(matrix, "alfisen-music")
    >>> sections.quiet_surfaces(standing, data.of(["alfisen-music"]).documents).text
    'nothing found on 3 surfaces'
    """
    rows, texts = rows_of(standing), rows_of(documents)
    quiet = [row for row in rows if row["state"] == "quiet"]
    notes = (Paragraph(_to_read(rows)), Paragraph(_not_read(rows, texts), "alarm"))
    if not quiet:
        said = Paragraph("" if any(note.words for note in notes) else "Something was found on every surface.")
        return section("Silence", said, *notes, text="no quiet surface")
    read = [text(row["document"]) for row in texts if row["state"] in ("good", "stale") and not in_other_language(row)]
    searched = (
        f"Searched: {', '.join(read) or 'no document'}. Nothing found never counts as LOW. {found_share(figures)}"
    )
    lines = (
        (
            surface_name(str(row["surface"])),
            question(row["surface"]),
            f"{row['high'] + row['med'] + row['low']:,} of {row['peers']:,}",
        )
        for row in quiet
    )
    asked = table("", lines, "Surface", "What was asked", "n:Peers who speak of it", style="text")
    words = f"nothing found on {plural(len(quiet), 'surface')}"
    return section("Silence", Paragraph(searched), asked, *notes, text=words)


def _to_read(rows: Rows) -> str:
    """Return the surfaces on which clauses are to be read, with their number."""
    told = [f"{surface_name(str(row['surface']))} {own_words(row)}" for row in rows if mark_of(row) == "TO_READ"]
    return f"Not settled: {', '.join(told)}." if told else ""


def _not_read(rows: Rows, documents: Rows) -> str:
    """Return the surfaces that are not read, and the languages that are not."""
    told = ", ".join(surface_name(str(row["surface"])) for row in rows if mark_of(row) == "UNREAD")
    languages = languages_not_read(documents)
    return f"Not read, so not known: {told}{languages and f' ({languages})'}." if told else ""
