"""What was read, on a page: unsure findings, quotes read again, leads, and the interface they came through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages.rows import (
    Rows,
    Shown,
    below,
    first_shown,
    grouped,
    level,
    name,
    number,
    quote,
    rows_table,
    text,
)
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Listing, Paragraph, Part, Quote, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import percent, plural, ratio
from riskanalytics.topics.shape import Record

__all__ = ["contract_drift", "integrity", "leads_by_platform", "unsure_findings", "worth_reading"]

_FAILED_SHOWN: Final = 40
"""Quotes that did not verify and are shown."""


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
        none = Paragraph(f"No finding at hand has a confidence below {below:g}.")
        return Section((none,), "no finding of low confidence")
    by_slug = grouped(rows_of(clauses.sort_values(["confidence", "document", "start"], kind="stable")), "slug")
    counted = plural(int(unsure["unsure"].sum()), "finding")
    intro = (
        f"{counted} on {plural(len(unsure), 'platform')} have a confidence below {below:g}, here the least certain of each "
        "platform first."
    )
    folds = [
        _platform(row, by_slug.get(row["slug"], [])[:most], below, not at) for at, row in enumerate(rows_of(unsure))
    ]
    parts = (Heading("To check by hand"), Paragraph(intro), *folds)
    return section("Findings of low confidence", *parts, text=f"{counted} of low confidence")


def _platform(row: Record, clauses: Rows, below: float, opened: bool) -> Fold:
    """Return one platform: how many of its findings are of low confidence, and the least certain clauses."""
    counts = f"{row['unsure']:,} of {plural(row['findings'], 'finding')}"
    hidden = row["unsure"] - len(clauses)
    note = f"{plural(hidden, 'more finding')} below {below:g} not shown." if hidden > 0 else ""
    parts: tuple[Part, ...] = (*map(_clause, clauses), Paragraph(note, "note"))
    return Fold((name(row["name"]), " ", Text(counts, "meta")), parts, open=opened)


def _clause(row: Record) -> Quote:
    """Return the quote of a finding with its surface, level and confidence."""
    sure = f" confidence {row['confidence']:.2f} ·"
    return quote(row, mark=Text((surface_name(str(row["surface"])), " ", level(row["level"]), sure), "meta"))


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
    verified = states[0]
    whole, total = int(verified["sampled"]), int(verified["findings"])
    sampled = whole < total
    drawn = f"{whole:,} of {total:,} quotes, drawn by their hash, were" if sampled else "All quotes were"
    spread = f" (95 % interval {_interval(verified)})" if sampled else ""
    said = Paragraph(
        f"{drawn} read again: the text fetched, its SHA-256 compared, the quote read at its offsets. "
        f"{percent(float(verified['share']))} verified{spread}."
    )
    failed = rows_of(checked[checked["verification_status"] != "verified"])
    shown = _failed(states, failed) if failed else []
    return Section((said, *shown), f"{int(verified['quotes']):,} of {whole:,} quotes verified")


def _interval(row: Record) -> str:
    """Return an interval in words."""
    return f"{percent(row['low'])} to {percent(row['high'])}"


def _failed(states: Rows, failed: Rows) -> list[Part]:
    """Return the quotes by state of verification, and those that did not verify."""
    shown: tuple[tuple[str, Shown], ...] = (
        ("State", lambda row: str(row["status"]).replace("_", " ")),
        ("n:Quotes", "quotes"),
        ("n:Share", lambda row: percent(row["share"])),
        ("n roomy:95 % interval", _interval),
    )
    parts: list[Part] = [rows_table("Quotes read again", states, *shown)]
    for row in failed[:_FAILED_SHOWN]:
        parts += [Paragraph(name(row["name"]), "what"), quote(row)]
    if len(failed) > _FAILED_SHOWN:
        parts.append(Paragraph(f"{plural(len(failed) - _FAILED_SHOWN, 'more quote')} not shown.", "note"))
    return parts


_OPEN: Final = 5
_NONE: Final = Section((Paragraph("No clause is named that is worth reading and no finding."),), "no lead")
_UNCOUNTED: Final = (
    "not read surely enough to be findings. They are not counted: no level, rating or answer rests on them. Where one says "
    "something else on training in so many words, the stance is left undetermined."
)


@of_data(leads="clauses_to_read")
def worth_reading(leads: pd.DataFrame, bound: object) -> Section:
    """Show the leads of one platform (clauses worth reading), and why they are no findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, as `Dataset.read` gives them, the surest first.
    bound : object
        Confidence from which a clause is a finding, as the service tells it; not said where that is no share.

    Examples
    --------
    >>> leads = data.read(data.of(["orvewick-voice"]).leads)
    >>> sections.worth_reading(leads, data.extraction["finding_from"]).text
    '7 leads, not counted'
    """
    rows = rows_of(leads)
    if not rows:
        return _NONE
    intro = f"{plural(len(rows), 'clause')}, {_UNCOUNTED} Where a decision hangs on one, read it in its document."
    shown = first_shown([_lead(row, bound) for row in rows], _OPEN, "more lead")
    return section("Worth reading", Paragraph(intro), *shown, text=f"{plural(len(rows), 'lead')}, not counted")


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
    rows = rows_of(counts)
    if not rows:
        return _NONE
    total = int(counts["leads"].sum())
    shown: tuple[tuple[str, Shown], ...] = (
        ("Platform", "name"),
        ("n:Leads", "leads"),
        ("n:Surfaces", "surfaces"),
        ("n:Highest confidence", lambda row: "" if is_missing(row["highest"]) else ratio(row["highest"])),
    )
    where = f"{plural(total, 'clause')} on {plural(len(rows), 'platform')}"
    counted, sentences = rows_table("Leads by platform", rows, *shown), _sentences(rows_of(leads), total, bound)
    text = f"{plural(total, 'lead')} on {plural(len(rows), 'platform')}, not counted"
    return section("Worth reading", Paragraph(f"{where}, {_UNCOUNTED}"), counted, *sentences, text=text)


def _sentences(rows: Rows, total: int, bound: object) -> list[Part]:
    """Return sentences by platform, folded; how many others there are."""
    if not rows:
        return []
    parts: list[Part] = []
    for group in grouped(rows, "slug").values():
        parts += [Heading(name(group[0]["name"])), *(_lead(row, bound) for row in group)]
    if hidden := max(total - len(rows), 0):
        words = f"{plural(hidden, 'more lead')} not shown; the dossier of a platform shows its own."
        parts.append(Paragraph(words, "note"))
    return [Fold(f"The surest of each platform: {plural(len(rows), 'sentence')}", tuple(parts), "keep")]


def _lead(row: Mapping[str, object], bound: object) -> Quote:
    """Return one lead: its words, surface, and why it is no finding."""
    mark = Text(surface_name(str(row["surface"])), "strong"), " ·"
    return quote(row, mark=mark, more=below(_why(row, bound)))


def _why(row: Mapping[str, object], bound: object) -> str:
    """Return how sure the reading of a clause is, and the bound that it stays below where that is told."""
    if is_missing(row["confidence"]):
        return "no finding: no confidence is stated"
    value = number(row["confidence"])
    if not (isinstance(bound, int | float) and value < bound <= 1):
        return f"no finding: stated confidence {ratio(value)}"
    limit = f"{bound:.2f}"
    told = f"{value:.3f}" if f"{value:.2f}" == limit else ratio(value)
    return f"no finding: stated confidence {told}, below the bound of {limit}"


_DRIFT: Final = {"retyped": "another type", "unknown": "not known", "unseen": "new value"}
_ENDPOINTS: Final = {"no key": "not asked: needs a key", "not shown": "not shown to this key"}
_NO_DRIFT: Final = (
    "No drift: every answer is of the form that the interface specification and its documented additions give it."
)
_TOLERANT: Final = (
    "the answers and what they are read as. Reading is tolerant: what is missing or of another type here is missing from "
    "every page."
)


@of_data(drift="contract_drift")
def contract_drift(drift: pd.DataFrame, endpoints: pd.DataFrame, *, most: int = 100) -> Section:
    """Show where the service's answers differ from their description: fields not described, missing, of another type.

    Parameters
    ----------
    drift : pandas.DataFrame
        As `analysis.contract_drift` gives it.
    endpoints : pandas.DataFrame
        `frames.ENDPOINTS_COLUMNS`: the endpoints whose answers were compared.
    most : int
        Differences shown.

    Examples
    --------
    >>> contract = data.of(["orvewick-voice"]).contract()
    >>> drift = analysis.contract_drift(contract.differences, contract.endpoints)
    >>> sections.contract_drift(drift, contract.endpoints).text
    '0 differences in the interface'
    """
    found = rows_of(drift[drift["drift"]])
    counted = plural(len(found), "difference")
    said: list[Part] = [Paragraph(_NO_DRIFT)]
    if found:
        rest = f"{plural(len(found) - most, 'more difference')} not shown." if len(found) > most else ""
        differences = rows_table("Differences, the gravest first", found[:most], *_DIFFERENCE)
        said = [Paragraph(f"{counted} between {_TOLERANT}"), differences, Paragraph(rest, "note")]
    heads: tuple[tuple[str, Shown], ...] = (("Endpoint", _endpoint), ("n:Answers", "answers"), ("State", _state))
    answers = rows_table("Answers that were compared", rows_of(endpoints), *heads)
    return section("Interface", *said, *_additions(drift), answers, text=f"{counted} in the interface")


def _endpoint(row: Mapping[str, object]) -> Words:
    """Return an endpoint."""
    return Text(text(row["endpoint"]), "code")


def _field(row: Mapping[str, object]) -> Words:
    """Return the field that differs, with its endpoint."""
    field, endpoint = text(row["field"]), text(row["endpoint"])
    return (Text(field, "code"), below(endpoint)) if field else Text(endpoint, "meta")


def _kind(row: Mapping[str, object]) -> Words:
    """Return what differs: the kind, and what the answer holds instead."""
    instead = () if row["told"] == "absent" else (": ", name(row["told"]))
    return _DRIFT.get(str(row["kind"]), text(row["kind"])), *instead


_DIFFERENCE: Final[tuple[tuple[str, Shown], ...]] = (
    ("Field", _field),
    ("What", _kind),
    ("roomy:Read as", "expected"),
    ("n roomy whole:Times", lambda row: f"{row['count']:,} of {row['of']:,}"),
    ("roomy:First seen in", lambda row: name(row["example"])),
)


def _additions(drift: pd.DataFrame) -> list[Part]:
    """Return the documented additions that are missing, and those that are there, folded by endpoint."""
    kinds = {"lacking": "documented additions that this service lacks", "addition": "documented additions"}
    parts: list[Part] = []
    for kind, words in kinds.items():
        rows = rows_of(drift[drift["kind"] == kind])
        items = (
            (Text(endpoint, "code"), ": ", ", ".join(text(row["field"]) for row in group))
            for endpoint, group in grouped(rows, "endpoint").items()
        )
        parts += [Fold(f"{len(rows):,} {words}", (Listing(tuple(items)),))] if rows else []
    return parts


def _state(row: Mapping[str, object]) -> Words:
    """Return whether the answers of an endpoint were compared, and why not."""
    state = text(row["state"])
    if state == "compared":
        return state
    status = "" if is_missing(row["status"]) or not row["status"] else f" (HTTP {int(number(row['status']))})"
    shown = Text(Text(state, "strong"), "bad") if state == "failed" else _ENDPOINTS.get(state, state)
    return (shown, status)
