"""How documents are read, on a page: what each surface asks, what was read wrongly, the noise, and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages.rows import level, number, quoted, separated, table, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Listing, Paragraph, Part, Quote, Text, Words
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.text.wording import percent, plural

__all__ = ["change_noise", "extraction_errors", "limits", "surfaces"]

_KINDS: Final = {
    "missed": ("Missed", "A reader labelled these clauses; nothing was found in them."),
    "false_alarm": (
        "False alarms",
        "These clauses were reported; a reader says that they do not speak to the surface.",
    ),
    "level": ("Another level", "Found, and rated higher or lower than the reader did."),
}
_NOISE: Final = {
    "material": "on some surface a finding was added or removed, or changed level, scope or polarity",
    "wording": "statements differ, and no finding moved",
    "format": "only links, marks, dates or spacing differ",
    "revert": "the document went back to what an earlier text said",
    "capture_failure": (
        "a page that collapsed, showed an error, came in another language or with another document, or came back from that"
    ),
    "technical": "the archive changed how it reads the page",
}
_LIMITS: Final = (
    "Labels are made by readers, not by the vendors. Two readers of the same 48 documents found 96 % and 98 % of each other's "
    "firm labels and gave the same level to 94 % of those they share: no figure can be surer than that.",
    "What the readers did not label counts as wrong even where a third reader might let it pass; a label of which the readers "
    "were not sure may be found and need not be.",
    "That a surface is labelled as absent means that its reader found nothing in the documents read, not that the platform "
    "does nothing of the kind.",
    "Levels describe what the text says, not what the vendor does.",
    "Only archived documents are read: what stands in a help article, a contract of your own or a settings page is not in "
    "them. Some documents are frozen old texts of services that were renamed.",
    "Clauses in other languages than English and Chinese are missed.",
)


def surfaces() -> Section:
    """Show each surface: its question, what makes a clause HIGH, MED or LOW, and what is not counted.

    Examples
    --------
    >>> print(sections.surfaces().text)
    surfaces: Training use, Web data training, Content licence, Output rights, IP liability, ...
    """
    note = (
        "A clause counts where the provider says what it does, may do or promises not to do. Duties and bans on the user, "
        "definitions, headings and menus do not. A clause may speak to two surfaces."
    )
    folds = []
    for surface, told in SURFACE_DESCRIPTIONS.items():
        levels = [(level(word), getattr(told, word.lower())) for word in ("HIGH", "MED", "LOW")]
        rows: list[tuple[Words, str]] = [*levels, ("not counted", told.not_counted)]
        summary = (f"{surface_name(surface)}: ", Text(told.question, "thin"))
        folds.append(Fold(summary, (table("", rows, style="text"),), "keep"))
    names = ", ".join(surface_name(surface) for surface in SURFACE_DESCRIPTIONS)
    return section("Surfaces", Paragraph(note), *folds, text=f"surfaces: {names}")


@of_data(faults="extraction_errors")
def extraction_errors(faults: pd.DataFrame, *, most: int = 10) -> Section:
    """Show the worst faults of the extraction: missed clauses, false alarms, other levels.

    Parameters
    ----------
    faults : pandas.DataFrame
        As `analysis.extraction_errors` gives it.
    most : int
        Quotes shown of each kind; how many there are is said.

    Examples
    --------
    >>> sections.extraction_errors(analysis.extraction_errors(data.accuracy().faults)).text
    'no labels, so no faults to show'
    """
    if faults.empty:
        command = Text("riskanalytics report method -p labels=LABELS --database FILE", "code")
        words = ("Missed clauses and false alarms can be shown only beside labels: ", command, ".")
        return Section((Paragraph(words),), "no labels, so no faults to show")
    parts: list[Part] = []
    for kind, (title, meaning) in _KINDS.items():
        listed = rows_of(faults[faults["kind"] == kind])
        number = f"{most} of {len(listed):,}" if len(listed) > most else f"{len(listed):,}"
        parts += [Heading((title, " ", Text(number, "thin"))), Paragraph(meaning, "note")]
        parts += [part for row in listed[:most] for part in _fault(row)] or [Paragraph("None.")]
    return section("Faults", *parts, text=plural(len(faults), "fault"))


def _fault(row: Mapping[str, object]) -> list[Part]:
    """Return one fault: surface and levels, then the quote."""
    head: Words = (
        Text(surface_name(text(row["surface"])), "strong"),
        () if is_missing(row["risk"]) else (" labelled ", level(row["risk"])),
        () if is_missing(row["given"]) else (" found ", level(row["given"])),
        () if is_missing(row["rule"]) else (" by ", Text(text(row["rule"]), "code")),
    )
    sha256 = Text(text(row["snapshot_sha256"])[:12], "code")
    place = f"characters {int(number(row['start'])):,}–{int(number(row['end'])):,}"
    source = Text(separated([text(row["slug"]), text(row["document"]), sha256, place]), "cite")
    return [Paragraph(head), Quote(quoted(row["quote"]), source)]


def limits() -> Section:
    """Say plainly what the figures and ratings do not tell.

    Examples
    --------
    >>> print(sections.limits().text.splitlines()[3])
    Levels describe what the text says, not what the vendor does.
    """
    return section("Limits", Listing(_LIMITS), text="\n".join(_LIMITS))


@of_data(noise="change_noise")
def change_noise(noise: pd.DataFrame | None) -> Section:
    """Say how much of what is recorded as changes is noise, and what each class of change is.

    Parameters
    ----------
    noise : pandas.DataFrame or None
        As `analysis.change_noise` gives it; None where changes are not shown to this key.

    Examples
    --------
    >>> print(sections.change_noise(analysis.change_noise(data.changes())).text)
    87 % of 1,549 recorded steps are noise
    """
    if noise is None:
        words = "Recorded changes are not known here: the service shows them to Pro keys only."
        return Section((Paragraph(words),), "changes are not known: they need a Pro key")
    total = int(noise["changes"].sum())
    if not total:
        return Section((Paragraph("No change is recorded."),), "no change is recorded")
    share = percent(int(noise.loc[~noise["material"], "changes"].sum()) / total)
    counted = f"{share} of {plural(total, 'recorded step')} {'is' if total == 1 else 'are'} noise"
    said = (
        f"{counted}. Each is judged against all earlier texts of the document, not the last one only. After a capture "
        "failure the last good text stays current, so a broken page never makes a risk go away."
    )
    rows = ((change_class.replace("_", " "), words) for change_class, words in _NOISE.items())
    listed = table("", rows, style="text")
    return section("Recorded changes", Paragraph(said), listed, text=counted)
