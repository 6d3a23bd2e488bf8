"""Quotes on a page: evidence by platform, findings of low confidence, leads, quotes read again, and the texts quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS
from riskanalytics.pages import rows as show
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import below as on_line_below
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Group, Heading, Paragraph, Part, Quote, Text
from riskanalytics.surfaces import SURFACES, surface_name
from riskanalytics.text.wording import percent, plural, ratio
from riskanalytics.topics.shape import Record

__all__ = ["evidence", "integrity", "leads_by_platform", "snapshots", "unsure_findings", "worth_reading"]

_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}
_SNAPSHOT_COLUMNS: Final = ["name", "document", "captured_at", "snapshot_sha256", "archive_url"]
_FAILED_SHOWN: Final = 40
"""Quotes shown that did not verify."""
_LEADS_OPEN: Final = 5
_NO_LEADS: Final = Section((Paragraph("No clause is named that is worth reading and no finding."),), "no lead")
_UNCOUNTED: Final = (
    "not read surely enough to be findings. They are not counted: no level, rating or answer rests on them."
)


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
    by_slug = show.grouped(rows_of(findings[findings["slug"].isin(slugs)]), "slug")
    folds, shown = [], 0
    for slug in (slug for slug in slugs if slug in by_slug):
        rows = sorted(by_slug[slug], key=lambda row: (_ORDER.get(row["surface"], 99), row["surface"]))
        groups = [_surface(slug, surface, clauses, most) for surface, clauses in show.grouped(rows, "surface").items()]
        counts = f"{plural(len(rows), 'clause')} on {plural(len(groups), 'surface')}"
        title = (show.name(rows[0]["name"]), " ", Text(counts, "meta"))
        folds.append(Fold(title, tuple(groups), "keep platform", anchor=f"platform-{slug}"))
        shown += sum(len(group.parts) - 1 for group in groups)
    return section("Evidence", *folds, text=f"{plural(shown, 'quote')} of {plural(len(folds), 'platform')}")


def _surface(slug: str, surface: str, rows: show.Rows, most: int) -> Group:
    """Return a heading and the weightiest clauses of one surface; near-copies are not shown twice."""
    listed = sorted([row for row in rows if is_missing(row["duplicate_of"])] or rows, key=clause_weight)
    shown = listed[: most if listed[0]["risk"] == RATINGS[-1] else 1]
    more = (" ", Text(f"{len(shown)} of {len(listed)}", "thin")) if len(listed) > len(shown) else ""
    quotes = (
        replace(show.quote({**row, "archive_url": None}, mark=show.level(row["level"])), evidence=evidence_of(row))
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
    clauses = [frame[_SNAPSHOT_COLUMNS].astype({"archive_url": "object"}) for frame in frames if len(frame)]
    if not clauses:
        return Section((Paragraph("No text was quoted."),), "no text was quoted")
    rows = pd.concat(clauses).dropna(subset=["snapshot_sha256"]).drop_duplicates("snapshot_sha256")
    listed = show.rows_table(
        "",
        rows_of(rows.sort_values(["name", "document", "captured_at"], kind="stable")),
        ("Platform", "name"),
        ("Document", lambda row: show.link(show.text(row["document"]), row["archive_url"])),
        ("whole:Captured", "captured_at"),
        ("SHA-256 of the text", lambda row: Text(str(row["snapshot_sha256"]), "code")),
        named=False,
        anchor=lambda row: show.snapshot_anchor(str(row["snapshot_sha256"])),
    )
    said = f"{plural(len(rows), 'text')} quoted"
    return Section((Fold(f"The {said} on this page, with full hashes", (listed,), "keep"),), said)


@of_data(unsure="unsure_findings", clauses="unsure_clauses", below="unsure_below")
def unsure_findings(unsure: pd.DataFrame, clauses: pd.DataFrame, below: float, *, most: int = 3) -> Section:
    """Show the findings of low confidence by platform, to be checked by hand.

    Parameters
    ----------
    unsure : pandas.DataFrame
        As `analysis.unsure_findings` gives it.
    clauses : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of these findings, checked again.
    below : float
        Findings below this confidence are shown.
    most : int
        Clauses shown of a platform.

    Examples
    --------
    >>> found = data.verify(data.of(["zelmilow-health"]).findings)
    >>> clauses = found[found["confidence"] < 0.9]
    >>> sections.unsure_findings(analysis.unsure_findings(found, 0.9), clauses, 0.9).text
    '4 findings of low confidence'
    """
    if unsure.empty:
        none = Paragraph(f"No finding has a confidence below {below:g}.")
        return Section((none,), "no finding of low confidence")
    by_slug = show.grouped(rows_of(clauses.sort_values(["confidence", "document", "start"], kind="stable")), "slug")
    counted = plural(int(unsure["unsure"].sum()), "finding")
    where = f"on {plural(len(unsure), 'platform')} have a confidence below {below:g}"
    folds: list[Part] = []
    for row in rows_of(unsure):
        quotes = [show.quote(clause, mark=_surely(clause)) for clause in by_slug.get(row["slug"], [])[:most]]
        hidden = row["unsure"] - len(quotes)
        note = f"{plural(hidden, 'more finding')} below {below:g} not shown." if hidden > 0 else ""
        title = (
            show.name(row["name"]),
            " ",
            Text(f"{row['unsure']:,} of {plural(row['findings'], 'finding')}", "meta"),
        )
        folds.append(Fold(title, (*quotes, Paragraph(note, "note")), open=not folds))
    intro = Paragraph(f"{counted} {where}, here the least certain of each platform first.")
    parts = (Heading("To check by hand"), intro, *folds)
    return section("Findings of low confidence", *parts, text=f"{counted} of low confidence")


def _surely(row: Record) -> Text:
    """Return the surface, level and confidence of a finding."""
    sure = f" confidence {row['confidence']:.2f} ·"
    return Text((surface_name(str(row["surface"])), " ", show.level(row["level"]), sure), "meta")


@of_data(checked="sample")
def integrity(integrity: pd.DataFrame, checked: pd.DataFrame) -> Section:
    """Show how many quotes of a sample were found again in their archived texts, and name those that were not.

    Parameters
    ----------
    integrity : pandas.DataFrame
        As `analysis.integrity` gives it.
    checked : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the sample, checked again.

    Examples
    --------
    >>> sample = data.verify(analysis.sample_findings(data.findings, 20))
    >>> sections.integrity(analysis.integrity(sample, len(data.findings)), sample).text
    '20 of 20 quotes verified'
    """
    if integrity.empty:
        return Section((Paragraph("There is no quote to read again."),), "no quote to read again")
    states = rows_of(integrity)
    whole, total = states[0]["sampled"], states[0]["findings"]
    sampled = whole < total
    drawn = f"{whole:,} of {total:,} quotes, drawn by their hash, were" if sampled else "All quotes were"
    spread = f" (95 % interval {_interval(states[0])})" if sampled else ""
    how = "read again: the text fetched, its SHA-256 compared, the quote read at its offsets"
    parts: list[Part] = [Paragraph(f"{drawn} {how}. {percent(states[0]['share'])} verified{spread}.")]
    failed = rows_of(checked[checked["verification_status"] != "verified"])
    if failed:
        parts.append(show.rows_table("Quotes read again", states, *_QUOTES_READ))
    for row in failed[:_FAILED_SHOWN]:
        parts += [Paragraph(show.name(row["name"]), "what"), show.quote(row)]
    if len(failed) > _FAILED_SHOWN:
        parts.append(Paragraph(f"{plural(len(failed) - _FAILED_SHOWN, 'more quote')} not shown.", "note"))
    return Section(tuple(parts), f"{states[0]['quotes']:,} of {whole:,} quotes verified")


def _interval(row: Record) -> str:
    """Return an interval in words."""
    return f"{percent(row['low'])} to {percent(row['high'])}"


_QUOTES_READ: Final[tuple[tuple[str, show.Shown], ...]] = (
    ("State", lambda row: str(row["status"]).replace("_", " ")),
    ("n:Quotes", "quotes"),
    ("n:Share", lambda row: percent(row["share"])),
    ("n roomy:95 % interval", _interval),
)


@of_data(leads="clauses_to_read")
def worth_reading(leads: pd.DataFrame, bound: object) -> Section:
    """Show the leads of one platform (clauses worth reading), and why they are no findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, as `Dataset.read` gives them, the surest first.
    bound : object
        Confidence from which a clause is a finding, as the service states it; not shown if it is no share.

    Examples
    --------
    >>> leads = data.read(data.of(["orvewick-voice"]).leads)
    >>> sections.worth_reading(leads, data.extraction["finding_from"]).text
    '7 leads, not counted'
    """
    if leads.empty:
        return _NO_LEADS
    intro = f"{plural(len(leads), 'clause')}, {_UNCOUNTED} Where a decision hangs on one, read it in its document."
    shown = show.first_shown([_lead(row, bound) for row in rows_of(leads)], _LEADS_OPEN, "more lead")
    return section("Worth reading", Paragraph(intro), *shown, text=f"{plural(len(leads), 'lead')}, not counted")


@of_data(counts="leads_by_platform", leads="surest_leads")
def leads_by_platform(counts: pd.DataFrame, leads: pd.DataFrame, bound: object) -> Section:
    """Show how many leads (clauses too unsure to count) each platform has; some of their sentences are folded below.

    Parameters
    ----------
    counts : pandas.DataFrame
        As `analysis.leads_by_platform` gives it.
    leads : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the sentences to show, checked again.
    bound : object
        As `worth_reading` takes it.

    Examples
    --------
    >>> some = data.of(["alfisen-music", "orvewick-voice"])
    >>> leads = data.verify(some.leads)
    >>> counts = analysis.leads_by_platform(leads)
    >>> sections.leads_by_platform(counts, leads, data.extraction["finding_from"]).text
    '12 leads on 2 platforms, not counted'
    """
    if counts.empty:
        return _NO_LEADS
    total, where = int(counts["leads"].sum()), f"on {plural(len(counts), 'platform')}"
    parts: list[Part] = [Paragraph(f"{plural(total, 'clause')} {where}, {_UNCOUNTED}")]
    parts.append(show.rows_table("Leads by platform", rows_of(counts), *_LEADS))
    sentences: list[Part] = []
    for group in show.grouped(rows_of(leads), "slug").values():
        sentences += [Heading(show.name(group[0]["name"])), *(_lead(row, bound) for row in group)]
    if sentences and total > len(leads):
        hidden = f"{plural(total - len(leads), 'more lead')} not shown; the dossier of a platform shows its own."
        sentences.append(Paragraph(hidden, "note"))
    if sentences:
        label = f"The surest of each platform: {plural(len(leads), 'sentence')}"
        parts.append(Fold(label, tuple(sentences), "keep"))
    return section("Worth reading", *parts, text=f"{plural(total, 'lead')} {where}, not counted")


_LEADS: Final[tuple[tuple[str, show.Shown], ...]] = (
    ("Platform", "name"),
    ("n:Leads", "leads"),
    ("n:Surfaces", "surfaces"),
    ("n:Highest confidence", lambda row: "" if is_missing(row["highest"]) else ratio(row["highest"])),
)


def _lead(row: Mapping[str, object], bound: object) -> Quote:
    """Return one lead: its words, surface, and why it is no finding."""
    mark = Text(surface_name(str(row["surface"])), "strong"), " ·"
    return show.quote(row, mark=mark, more=on_line_below(f"no finding: {_why(row, bound)}"))


def _why(row: Mapping[str, object], bound: object) -> str:
    """Return the confidence of a clause, and the bound that it stays below if that is known."""
    if is_missing(row["confidence"]):
        return "no confidence is stated"
    value = show.number(row["confidence"])
    if not (isinstance(bound, int | float) and value < bound <= 1):
        return f"stated confidence {ratio(value)}"
    limit = f"{bound:.2f}"
    sure = f"{value:.3f}" if f"{value:.2f}" == limit else ratio(value)
    return f"stated confidence {sure}, below the bound of {limit}"
