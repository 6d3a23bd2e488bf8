"""Page sections that quote clauses: evidence by platform, findings of low confidence, leads, verified quotes, quoted texts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages import rows as show
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.section import Section, of_data, section, sentence
from riskanalytics.pages.values import Fold, Group, Heading, Paragraph, Part, Quote, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import percent, plural, ratio

from .appetite import unbound
from .shape import RANK, Record, surface_places

__all__ = ["evidence", "integrity", "leads_by_platform", "snapshots", "unsure_findings", "worth_reading"]

_UNCOUNTED: Final = "not sure enough to be findings. They are not counted: no level, rating or answer rests on them."


def of_all(shown: Sequence[object], listed: Sequence[object]) -> Words:
    """Return the end of a heading, such as " 2 of 5 clauses shown", if fewer clauses are shown than listed; else an empty string.

    The two numbers are those of the clauses in `shown` and in `listed`.
    """
    return (" ", Text(f"{len(shown)} of {len(listed)} clauses shown", "thin")) if len(listed) > len(shown) else ""


_NO_LEADS: Final = sentence("There are no leads: no clause is worth reading besides the findings.")


@of_data(findings="evidence", slugs="worst", uses="uses")
def evidence(findings: pd.DataFrame, slugs: Sequence[str], uses: pd.DataFrame | None = None) -> Section:
    """Return a section with the weightiest clauses of some platforms, by platform and surface.

    On each surface one clause is shown: a clause that raises risk if there is one, with the highest level. If it is HIGH, a
    second clause is shown. The heading states how many clauses there are. Clauses that repeat another one are left out.

    Parameters
    ----------
    findings : pandas.DataFrame
        The findings of the platforms, after `data.verify`.
    slugs : sequence of str
        Slugs of the platforms, in the order in which to show them.
    uses : pandas.DataFrame, optional
        The portfolio's plans (`slug`, `plan`): clauses for an audience to which no plan in use belongs are folded away at the end.

    Examples
    --------
    >>> platforms = ["orvewick-voice", "alfisen-music"]
    >>> sections.evidence(data.verify(data.of(platforms).findings), platforms).text
    '18 quotes of 2 platforms'
    """
    if uses is not None and any(others := unbound(findings, uses)):
        ours, theirs = (evidence(findings[part], slugs) for part in ([not one for one in others], others))
        fold = Fold(f"Clauses that bind none of your plans: {theirs.text}", theirs.parts, "keep")
        return Section((*ours.parts, fold), ours.text)
    clauses = findings[findings["slug"].isin(slugs)].sort_values("surface", key=surface_places, kind="stable")
    by_slug = show.grouped(rows_of(clauses), "slug")
    folds, shown = [], 0
    for slug, rows in ((slug, by_slug[slug]) for slug in slugs if slug in by_slug):
        groups = [_surface(slug, surface, own) for surface, own in show.grouped(rows, "surface").items()]
        counts = f"{plural(len(rows), 'clause')} on {plural(len(groups), 'surface')}"
        title = show.name(rows[0]["name"]), " ", Text(counts, "meta")
        folds.append(Fold(title, tuple(groups), "keep platform", anchor=f"platform-{slug}"))
        shown += sum(len(group.parts) - 1 for group in groups)
    return section("Evidence", *folds, text=f"{plural(shown, 'quote')} of {plural(len(folds), 'platform')}")


def _surface(slug: str, surface: str, rows: show.Rows) -> Group:
    """Return a heading and the weightiest clauses of one surface, without near-copies."""
    clauses = sorted([row for row in rows if is_missing(row["duplicate_of"])] or rows, key=clause_weight)
    shown = clauses[: 1 + (clauses[0]["risk"] == "HIGH")]
    quotes = [show.quote({**row, "archive_url": None}, mark=show.level(row["level"])) for row in shown]
    quotes = [replace(quote, evidence=evidence_of(row)) for quote, row in zip(quotes, shown, strict=True)]
    head = Heading((surface_name(surface), of_all(shown, clauses)))
    return Group((head, *quotes), "clauses", anchor=f"{slug}-{surface}")


def clause_weight(row: Record) -> tuple[bool, int, int]:
    """Return a sort key for clauses: clauses that raise risk first, then the highest level first, then by place in the document.

    Parameters
    ----------
    row : mapping
        A row of `data.findings`.
    """
    return row["polarity"] != "raises_risk", -RANK.get(row["risk"], -1), 0 if is_missing(row["start"]) else row["start"]


def snapshots(*quoted: Any) -> Section:
    """Return a section that lists every archived text that a page quotes, once: document, day, full hash and public link.

    Parameters
    ----------
    *quoted : pandas.DataFrame or Dataset
        Frames of the quoted clauses, with `name`, `document`, `captured_at`, `snapshot_sha256`, `archive_url`; or a data
        set (result of `ra.load`), for all clauses quoted on the page that is made from it.

    Examples
    --------
    >>> findings = data.verify(data.of(["orvewick-voice"]).findings)
    >>> sections.snapshots(findings).text
    '2 texts quoted'
    """
    frames = quoted[0].views.quoted if quoted and hasattr(type(quoted[0]), "views") else quoted
    columns = ["name", "document", "captured_at", "snapshot_sha256", "archive_url"]
    clauses = [frame[columns] for frame in frames if len(frame)]
    if not clauses:
        return sentence("No text was quoted.")
    rows = pd.concat(clauses).dropna(subset=["snapshot_sha256"]).drop_duplicates("snapshot_sha256")
    table = show.rows_table(
        "",
        rows_of(rows.sort_values(["name", "document", "captured_at"], kind="stable")),
        ("Platform", "name"),
        ("Document", lambda row: show.link(show.text(row["document"]), row["archive_url"])),
        ("whole:Captured", "captured_at"),
        ("SHA-256 of the text", lambda row: Text(row["snapshot_sha256"], "code")),
        named=False,
        anchor=lambda row: show.snapshot_anchor(row["snapshot_sha256"]),
    )
    counted = f"{plural(len(rows), 'text')} quoted"
    return Section((Fold(f"The {counted} on this page, with full hashes", (table,), "keep"),), counted)


@of_data(unsure="unsure_findings", clauses="unsure_clauses", below="unsure_below")
def unsure_findings(unsure: pd.DataFrame, clauses: pd.DataFrame, below: float) -> Section:
    """Return a section with findings of low confidence, for a manual check: at most three quotes of each platform.

    Parameters
    ----------
    unsure : pandas.DataFrame
        Result of `analysis.unsure_findings`: the number of such findings of each platform.
    clauses : pandas.DataFrame
        The findings of low confidence, after `data.verify`.
    below : float
        The confidence below which a finding counts as unsure.

    Examples
    --------
    >>> found = data.verify(data.of(["zelmilow-health"]).findings)
    >>> clauses = found[found["confidence"] < 0.9]
    >>> sections.unsure_findings(analysis.unsure_findings(found, 0.9), clauses, 0.9).text
    '4 findings of low confidence'
    """
    if unsure.empty:
        return sentence(f"No finding has a confidence below {below:g}.")
    by_slug = show.grouped(rows_of(clauses.sort_values(["confidence", "document", "start"], kind="stable")), "slug")
    folds: list[Part] = []
    for row in rows_of(unsure):
        quotes = []
        for one in by_slug.get(row["slug"], [])[:3]:
            sure = f" confidence {one['confidence']:.2f} ·"
            mark = Text((surface_name(str(one["surface"])), " ", show.level(one["level"]), sure), "meta")
            quotes.append(show.quote(one, mark=mark))
        counts = Text(f"{row['unsure']:,} of {plural(row['findings'], 'finding')}", "meta")
        folds.append(Fold((show.name(row["name"]), " ", counts), tuple(quotes), open=not folds))
    counted, where = plural(int(unsure["unsure"].sum()), "finding"), plural(len(unsure), "platform")
    intro = f"{counted} with a confidence below {below:g} on {where}; "
    intro += "at most the three least certain of each are shown."
    parts = (Heading("To check by hand"), Paragraph(intro), *folds)
    return section("Findings of low confidence", *parts, text=f"{counted} of low confidence")


@of_data(checked="sample")
def integrity(integrity: pd.DataFrame, checked: pd.DataFrame) -> Section:
    """Return a section that says how many quotes of a sample were found in their archived texts, with the quotes that were not.

    Parameters
    ----------
    integrity : pandas.DataFrame
        Result of `analysis.integrity`.
    checked : pandas.DataFrame
        The findings of the sample, after `data.verify`.

    Examples
    --------
    >>> sample = data.verify(analysis.sample_findings(data.findings, 20))
    >>> sections.integrity(analysis.integrity(sample, len(data.findings)), sample).text
    '20 of 20 quotes verified'
    """
    if integrity.empty:
        return sentence("There are no quotes to verify.")
    states = rows_of(integrity)
    sampled, total = states[0]["sampled"], states[0]["findings"]
    how = "the text was fetched, its SHA-256 compared with the recorded one, and the quote read at its offsets"
    table = show.rows_table(
        "Quotes read again",
        states,
        ("State", lambda row: row["status"].replace("_", " ")),
        ("n:Quotes", "quotes"),
        ("n:Share", lambda row: percent(row["share"])),
        ("n roomy:95 % interval", lambda row: f"{percent(row['low'])} to {percent(row['high'])}"),
    )
    failed = rows_of(checked[checked["verification_status"] != "verified"])
    groups = [Group((Paragraph(show.name(row["name"]), "what"), show.quote(row))) for row in failed]
    parts = show.first_shown(groups, 40, "more quote")
    sample = f"A random sample of {sampled:,} of {total:,} quotes (always the same sample for the same data) was"
    intro = Paragraph(f"{sample if sampled < total else f'All {total:,} quotes were'} verified: {how}.")
    return Section((intro, table, *parts), f"{states[0]['quotes']:,} of {sampled:,} quotes verified")


@of_data(leads="clauses_to_read")
def worth_reading(leads: pd.DataFrame, bound: object) -> Section:
    """Return a section with the leads of one platform (clauses worth reading), and why they are not findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        The leads, the most certain first: result of `data.read(data.leads)`.
    bound : object
        Minimum confidence of a finding, as the service states it; not shown if it is not a number from 0 to 1.

    Examples
    --------
    >>> leads = data.read(data.of(["orvewick-voice"]).leads)
    >>> sections.worth_reading(leads, data.extraction["finding_from"]).text
    '7 leads, not counted'
    """
    if leads.empty:
        return _NO_LEADS
    intro = f"{plural(len(leads), 'clause')}, {_UNCOUNTED} If a decision depends on one, read it in its document."
    shown = show.first_shown([_lead(row, bound) for row in rows_of(leads)], 5, "more lead")
    return section("Worth reading", Paragraph(intro), *shown, text=f"{plural(len(leads), 'lead')}, not counted")


@of_data(counts="leads_by_platform", leads="surest_leads")
def leads_by_platform(counts: pd.DataFrame, leads: pd.DataFrame, bound: object) -> Section:
    """Return a section with the number of leads (clauses too uncertain to count) of each platform, and some of them as quotes.

    Parameters
    ----------
    counts : pandas.DataFrame
        Result of `analysis.leads_by_platform`.
    leads : pandas.DataFrame
        The leads to quote, after `data.verify`.
    bound : object
        Minimum confidence of a finding, as the service states it; not shown if it is not a number from 0 to 1.

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
    intro = Paragraph(f"{plural(total, 'clause')} {where}, {_UNCOUNTED}")
    sentences: list[Part] = []
    for group in show.grouped(rows_of(leads), "slug").values():
        sentences += [Heading(show.name(group[0]["name"])), *(_lead(row, bound) for row in group)]
    if hidden := total - len(leads):
        note = f"{plural(hidden, 'more lead')} not shown; see the dossier of each platform."
        sentences.append(Paragraph(note, "note"))
    fold = Fold(f"The most confident lead of each of {plural(len(leads), 'platform')}", tuple(sentences), "keep")
    table = show.rows_table(
        "Leads by platform",
        rows_of(counts),
        ("Platform", "name"),
        ("n:Leads", "leads"),
        ("n:Surfaces", "surfaces"),
        ("n:Highest confidence", lambda row: "" if is_missing(row["highest"]) else ratio(row["highest"])),
    )
    return section("Worth reading", intro, table, fold, text=f"{plural(total, 'lead')} {where}, not counted")


def _lead(row: Record, bound: object) -> Quote:
    """Return one lead: its words, its surface, and why it is not a finding, with the minimum confidence if it is known."""
    why, confidence = "no confidence is stated", row["confidence"]
    if not is_missing(confidence):
        why = f"stated confidence {ratio(confidence)}"
        if isinstance(bound, int | float) and confidence < bound <= 1:
            limit = f"{bound:.2f}"
            sure = ratio(confidence) if f"{confidence:.2f}" != limit else f"{confidence:.3f}"
            why = f"stated confidence {sure}, below the bound of {limit}"
    mark = Text(surface_name(str(row["surface"])), "strong"), " ·"
    return show.quote(row, mark=mark, more=show.below(f"not a finding: {why}"))
