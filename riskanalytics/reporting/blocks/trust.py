"""What stands behind the data: the extraction and its least certain findings, quotes read again, the interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import ACCURACY_PARTS, surface_name
from riskanalytics.reporting.blocks.measured import NOT_TOLD, withdrawn_told
from riskanalytics.reporting.blocks.words import (
    Rows,
    grouped,
    is_missing,
    level,
    name,
    percent,
    plural,
    quote,
    sortable,
    text,
)
from riskanalytics.reporting.display import Block

_SHARES: Final = {
    "precision": "of all findings shown are right",
    "recall": "of the firm labels are found",
    "high": "of the findings shown as HIGH are right and HIGH",
}
_DRIFT: Final = {
    "failed": "failed",
    "missing": "missing",
    "retyped": "another type",
    "unknown": "not known",
    "unseen": "new value",
    "more": "more",
}


def extraction_told(extraction: Mapping[str, Any], figures: pd.DataFrame, told: Mapping[str, Any]) -> Block:
    """Tell which version reads, how well it was measured to, and whether it was this version that was measured.

    Parameters
    ----------
    extraction : mapping
        What the service tells in its coverage: `version`.
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`, as `sources.load_accuracy` gives them.
    told : mapping
        What is told beside them: `labels`, `measured_on`, `rules`, `withdrawn`.
    """
    version = extraction.get("version")
    parts = [
        f"<p>Version <code>{text(version)}</code>.</p>" if version else "<p>The service does not tell its version.</p>"
    ]
    part = ACCURACY_PARTS.get(str(told.get("labels")))
    rows = {
        row["measure"]: row
        for row in rows_of(figures)
        if (row["labels"], row["surface"]) == (told.get("labels"), "all")
    }
    shares = [_share(rows[measure], words) for measure, words in _SHARES.items() if measure in rows]
    if part and any(shares):
        when = f" on {text(told['measured_on'])}" if told.get("measured_on") else ""
        error = rows.get("calibration_error")
        off = (
            "" if error is None or is_missing(error["share"]) else f" (expected calibration error {error['share']:.3f})"
        )
        parts.append(
            f"<p>Measured{when} on documents of {part}, labelled whole, so that whatever nobody labelled counts as wrong: "
            f"{', '.join(filter(None, shares))}{off}. <code>riskanalytics report method</code> says more.</p>"
        )
    else:
        parts.append(NOT_TOLD)
    parts.append(withdrawn_told(told))
    measured = told.get("rules")
    if version and measured and not str(version).startswith(str(measured)):
        parts.append(
            f"<p class=alarm>The figures are those of version {text(measured)}, not of the one that reads now.</p>"
        )
    return Block("".join(parts), f"extraction {version or 'not told'}")


def _share(row: Mapping[str, Any], words: str) -> str:
    """Return a share with its interval and counts; empty where it is not known."""
    if any(is_missing(row[key]) for key in ("share", "low", "high", "part", "whole")):
        return ""
    return (
        f"{percent(float(row['share']))} (95 % interval {percent(float(row['low']))} to {percent(float(row['high']))}, "
        f"{int(row['part']):,} of {int(row['whole']):,}) {words}"
    )


def unsure_findings(unsure: pd.DataFrame, clauses: pd.DataFrame, below: float, *, most: int = 3) -> Block:
    """Show the findings of low confidence by platform, to be checked by hand.

    Parameters
    ----------
    unsure : pandas.DataFrame
        As `analysis.unsure_findings` gives it.
    clauses : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of these findings, checked again.
    below : float
        Confidence under which a finding is one of them.
    most : int
        Clauses shown of a platform.
    """
    if unsure.empty:
        return Block(f"<p>No finding has a confidence below {below:g}.</p>", "no finding of low confidence")
    by_slug = grouped(rows_of(clauses.sort_values(["confidence", "document", "start"], kind="stable")), "slug")
    total = int(unsure["unsure"].sum())
    body = "".join(
        _platform(row, by_slug.get(str(row["slug"]), [])[:most], below, place == 0)
        for place, row in enumerate(rows_of(unsure))
    )
    html = (
        f"<section aria-label='Findings of low confidence'><h3>To check by hand</h3><p>{plural(total, 'finding')} on "
        f"{plural(len(unsure), 'platform')} have a confidence below {below:g}, here the least certain of each platform first.</p>"
        f"{body}</section>"
    )
    return Block(html, f"{plural(total, 'finding')} of low confidence")


def _platform(row: Mapping[str, Any], clauses: Rows, below: float, opened: bool) -> str:
    """Return one platform: how many, and the least certain clauses."""
    quotes = "".join(
        quote(
            clause["quote"],
            clause,
            mark=f"<span class=meta>{text(surface_name(str(clause['surface'])))} {level(clause['level'])} confidence "
            f"{float(clause['confidence']):.2f} ·</span>",
        )
        for clause in clauses
    )
    hidden = int(row["unsure"]) - len(clauses)
    more = f"<p class=note>{plural(hidden, 'more finding')} below {below:g} not shown.</p>" if hidden > 0 else ""
    counts = f"{int(row['unsure']):,} of {plural(int(row['findings']), 'finding')}"
    title = f"<summary>{name(row['name'])} <span class=meta>{counts}</span></summary>"
    return f"<details{' open' * opened}>{title}{quotes}{more}</details>"


def integrity(integrity: pd.DataFrame, checked: pd.DataFrame) -> Block:
    """Tell what became of the quotes that were read again; those that did not verify in full.

    Parameters
    ----------
    integrity : pandas.DataFrame
        As `analysis.integrity` gives it.
    checked : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the sample, checked again.
    """
    if integrity.empty:
        return Block("<p>There is no quote to read again.</p>", "no quote to read again")
    rows = rows_of(integrity)
    whole, total = int(rows[0]["sampled"]), int(rows[0]["findings"])
    drawn = "All quotes were" if whole >= total else f"{whole:,} of {total:,} quotes, drawn by their hash, were"
    spread = (
        ""
        if whole >= total
        else f" (95 % interval {percent(float(rows[0]['low']))} to {percent(float(rows[0]['high']))})"
    )
    body = "".join(
        f"<tr><th scope=row>{text(str(row['status']).replace('_', ' '))}</th><td class=n>{int(row['quotes']):,}</td>"
        f"<td class=n>{percent(float(row['share']))}</td><td class='n roomy'>{percent(float(row['low']))} to "
        f"{percent(float(row['high']))}</td></tr>"
        for row in rows
    )
    failed = [row for row in rows_of(checked) if row["verification_status"] != "verified"]
    shown = "".join(f"<p class=what>{name(row['name'])}</p>{quote(row['quote'], row)}" for row in failed[:40])
    rest = f"<p class=note>{plural(len(failed) - 40, 'more quote')} not shown.</p>" if len(failed) > 40 else ""
    table = (
        sortable("Quotes read again", body, "State", "n:Quotes", "n:Share", "n roomy:95 % interval") if failed else ""
    )
    html = (
        f"<p>{drawn} read again: the text fetched, its SHA-256 compared, the quote read at its offsets. "
        f"{percent(float(rows[0]['share']))} verified{spread}.</p>{table}{shown}{rest}"
    )
    return Block(html, f"{int(rows[0]['quotes']):,} of {whole:,} quotes verified")


def contract_drift(drift: pd.DataFrame, endpoints: pd.DataFrame, *, most: int = 100) -> Block:
    """Show what the service's answers carry that nobody named, and what they miss.

    Parameters
    ----------
    drift : pandas.DataFrame
        As `analysis.contract_drift` gives it.
    endpoints : pandas.DataFrame
        `frames.ENDPOINTS_COLUMNS`: what was compared.
    most : int
        Differences shown.
    """
    found = rows_of(drift[drift["drift"]])
    rows = "".join(_difference(row) for row in found[:most])
    rest = f"<p class=note>{plural(len(found) - most, 'more difference')} not shown.</p>" * (len(found) > most)
    heads = ("Field", "What", "roomy:Read as", "n roomy:Times", "roomy:First seen in")
    table = sortable("Differences, the gravest first", rows, *heads)
    said = (
        f"<p>{plural(len(found), 'difference')} between the answers and what they are read as. Reading is tolerant: what is "
        f"missing or of another type here is missing from every page.</p>{table}{rest}"
        if found
        else "<p>No drift: every answer is of the form that the interface specification and its documented additions give it.</p>"
    )
    compared = "".join(
        f"<tr><th scope=row><code>{text(row['endpoint'])}</code></th><td class=n>{int(row['answers']):,}</td>"
        f"<td>{_state(row)}</td></tr>"
        for row in rows_of(endpoints)
    )
    html = (
        f"<section aria-label='Interface'>{said}{_additions(drift)}"
        f"{sortable('Answers that were compared', compared, 'Endpoint', 'n:Answers', 'State')}</section>"
    )
    return Block(html, f"{plural(len(found), 'difference')} in the interface")


def _difference(row: Mapping[str, Any]) -> str:
    """Return one difference."""
    words = _DRIFT.get(str(row["kind"]), str(row["kind"]))
    told = f": <bdi>{text(row['told'])}</bdi>" if row["told"] != "absent" else ""
    place = f"<code>{text(row['field'])}</code><br>" if row["field"] else ""
    return (
        f"<tr><th scope=row>{place}<span class=meta>{text(row['endpoint'])}</span></th><td>{text(words)}{told}</td>"
        f"<td class=roomy>{text(row['expected'])}</td><td class='n roomy whole'>{int(row['count']):,} of {int(row['of']):,}</td>"
        f"<td class=roomy><bdi>{text(row['example'])}</bdi></td></tr>"
    )


def _additions(drift: pd.DataFrame) -> str:
    """Return the documented additions that are there, and those that are not, folded by endpoint."""
    parts = []
    for kind, words in (
        ("lacking", "documented additions that this service lacks"),
        ("addition", "documented additions"),
    ):
        rows = rows_of(drift[drift["kind"] == kind])
        if rows:
            listed = "".join(
                f"<li><code>{text(endpoint)}</code>: {', '.join(text(row['field']) for row in group)}</li>"
                for endpoint, group in grouped(rows, "endpoint").items()
            )
            parts.append(f"<details><summary>{len(rows):,} {words}</summary><ul>{listed}</ul></details>")
    return "".join(parts)


def _state(row: Mapping[str, Any]) -> str:
    """Return whether an endpoint was compared, and why not."""
    state = str(row["state"])
    if state == "compared":
        return "compared"
    status = "" if is_missing(row["status"]) or not row["status"] else f" (HTTP {int(row['status'])})"
    words = {"no key": "not asked: needs a key", "not shown": "not shown to this key", "failed": "failed"}
    mark = ("<strong class=bad>", "</strong>") if state == "failed" else ("", "")
    return f"{mark[0]}{text(words.get(state, state))}{status}{mark[1]}"
