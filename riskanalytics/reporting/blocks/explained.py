"""How ratings come about and how far they are to be trusted: surfaces, formula, faults, limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import SURFACE_DESCRIPTIONS, surface_name
from riskanalytics.reporting.blocks.words import (
    Rows,
    is_missing,
    joined,
    level,
    name,
    plural,
    quote,
    quoted,
    text,
)
from riskanalytics.reporting.display import Block

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
_PART_HEAD: Final = (
    "<thead><tr><th scope=col>Surface</th><th scope=col>Level</th>"
    + "".join(
        f"<th scope=col class=n>{words}</th>"
        for words in ("Weight", "Points", "Product", "Clauses", "HIGH", "MED", "LOW")
    )
    + "</tr></thead>"
)
_PART_NOTE: Final = (
    "<p class=note>Clauses by their own level: near-copies count once; those for business customers, about feedback or one "
    "connector, and neutral ones are among them, though they move no level.</p>"
)
_CLAUSES_SHOWN: Final = 2
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


def surfaces() -> Block:
    """Show the surfaces: what each asks, what makes a clause HIGH, MED or LOW, and what does not count."""
    body = "".join(
        f"<details class=keep><summary>{text(surface_name(surface))}: <span class=thin>{text(told.question)}</span></summary>"
        f"<div class=wide><table class=text><tbody>"
        + "".join(
            f"<tr><th scope=row>{mark}</th><td>{text(words)}</td></tr>"
            for mark, words in (
                (level("HIGH"), told.high),
                (level("MED"), told.med),
                (level("LOW"), told.low),
                ("not counted", told.not_counted),
            )
        )
        + "</tbody></table></div></details>"
        for surface, told in SURFACE_DESCRIPTIONS.items()
    )
    note = (
        "<p>A clause counts where the provider says what it does, may do or promises not to do. Duties and bans on the user, "
        "definitions, headings and menus do not. A clause may speak to two surfaces.</p>"
    )
    names = ", ".join(surface_name(surface) for surface in SURFACE_DESCRIPTIONS)
    return Block(f"<section aria-label=Surfaces>{note}{body}</section>", f"surfaces: {names}")


def rating_formula(formula: Any) -> Block:
    """Show the formula of the rating as the service publishes it: steps, version and weights.

    Parameters
    ----------
    formula : mapping
        `version`, `steps`, `weights`, `points`, `high_from`, `low_below`; anything else is told to be missing.
    """
    told = formula if isinstance(formula, Mapping) else {}
    steps = told.get("steps")
    if not isinstance(steps, list) or not steps:
        html = "<p>This service does not publish the formula of its ratings: they are shown as it gives them.</p>"
        return Block(html, "the formula is not published")
    version = (
        f"<p class=note>Formula, version {text(told.get('version') or 'not told')}. {_weights(told.get('weights'))}</p>"
    )
    listed = f"<ol>{''.join(f'<li>{text(step)}</li>' for step in steps)}</ol>"
    return Block(f"<section aria-label=Formula>{listed}{version}</section>", "\n".join(map(str, steps)))


def _weights(weights: Any) -> str:
    """Return the weights, the heaviest surfaces first."""
    if not isinstance(weights, Mapping):
        return ""
    by_weight: dict[int, list[str]] = {}
    for surface, weight in weights.items():
        if isinstance(weight, int):
            by_weight.setdefault(weight, []).append(surface_name(str(surface)))
    parts = [f"{weight} for {text(joined(names))}" for weight, names in sorted(by_weight.items(), reverse=True)]
    return f"Weights: {'; '.join(parts)}." if parts else ""


def rating_made(
    platform: Mapping[str, Any],
    parts: pd.DataFrame,
    findings: pd.DataFrame | None,
    *,
    mean: float | None,
    rules: Any,
) -> Block:
    """Show step by step how one platform came to its rating, with the clauses that decided each surface.

    Parameters
    ----------
    platform : mapping
        A row of `frames.PLATFORMS_COLUMNS`.
    parts : pandas.DataFrame
        As `analysis.rating_parts` gives it.
    findings : pandas.DataFrame or None
        `frames.FINDINGS_COLUMNS` of the platform, checked again; None where `clauses` shows them on the same page: the
        surfaces then lead there, and the name stands above already.
    mean : float or None
        As `analysis.rating_mean` gives it.
    rules : list of str
        Rules of the formula that applied, in the service's words; anything else is left out.
    """
    rows = rows_of(parts)
    rated = [row for row in rows if not is_missing(row["risk"])]
    deciding = "" if findings is None else _deciding(rated, {row["finding_id"]: row for row in rows_of(findings)})
    quiet = [surface_name(str(row["surface"])) for row in rows if is_missing(row["risk"])]
    without = f"<p class=note>Without a level, and so not in the mean: {text(', '.join(quiet))}.</p>" if quiet else ""
    made = (
        f"{_part_table(rated, mean, linked=findings is None)}{without}{_applied(rules)}{deciding}"
        if rated
        else "<p>No surface has a level, so there is nothing to weigh.</p>"
    )
    head = "" if findings is None else f"<h3>{name(platform['name'])}: {level(platform['rating'])}</h3>"
    html = f"<section aria-label='One rating'>{head}<p>{text(platform['risk_reason'])}.</p>{made}</section>"
    return Block(html, f"{platform['name']}: {platform['rating']}" + ("" if mean is None else f", mean {mean:.2f}"))


def _part_table(rated: Rows, mean: float | None, *, linked: bool) -> str:
    """Return the mean as it is computed, and what each surface brings to it."""
    sums = [sum(int(row[key]) for row in rated if not is_missing(row["product"])) for key in ("weight", "product")]
    if mean is None:
        said, end = "The weighted mean is not known: the service does not publish its weights.", ""
    else:
        said = f"The weighted mean of its levels is {sums[1]} / {sums[0]} = <strong>{mean:.2f}</strong>."
        end = _sum_row(sums)
    body = "".join(_part(row, linked) for row in rated)
    return (
        f"<p>{said}</p><div class=wide><table><caption>What each surface brings to the mean, most first</caption>{_PART_HEAD}"
        f"<tbody>{body}{end}</tbody></table></div>{_PART_NOTE}"
    )


def _part(row: Mapping[str, Any], linked: bool) -> str:
    """Return one surface as a row."""
    figures = "".join(
        f"<td class=n>{'' if is_missing(row[key]) else int(row[key])}</td>"
        for key in ("weight", "points", "product", "clauses", "high", "med", "low")
    )
    label = text(surface_name(str(row["surface"])))
    if linked:
        label = f'<a href="#surface-{text(row["surface"])}">{label}</a>'
    return f"<tr><th scope=row>{label}</th><td>{level(row['risk'])}</td>{figures}</tr>"


def _sum_row(sums: list[int]) -> str:
    """Return the sums of weight and product as a row."""
    return (
        f"<tr><th scope=row>Sum</th><td></td><td class=n><strong>{sums[0]}</strong></td><td></td>"
        f"<td class=n><strong>{sums[1]}</strong></td>{'<td></td>' * 4}</tr>"
    )


def _applied(rules: Any) -> str:
    """Return the rules of the formula that applied."""
    told = [str(rule) for rule in rules] if isinstance(rules, list) else []
    words = ", ".join(f"<code>{text(rule)}</code>" for rule in told)
    return f"<p>What applied, in the service's words: {words}.</p>" if told else ""


def _deciding(rated: Rows, clauses: Mapping[Any, Mapping[str, Any]]) -> str:
    """Return the clauses that decided each surface."""
    parts = []
    for row in rated:
        found = [clauses[public] for public in dict.fromkeys(row["decided_by"]) if public in clauses]
        quotes = "".join(
            quote(clause["quote"], clause, mark=level(clause["level"])) for clause in found[:_CLAUSES_SHOWN]
        )
        more = f" <span class=thin>{_CLAUSES_SHOWN} of {len(found)}</span>" if len(found) > _CLAUSES_SHOWN else ""
        if quotes:
            parts.append(f"<h4>{text(surface_name(str(row['surface'])))}{more}</h4>{quotes}")
    if not parts:
        return "<p class=note>The service does not name the clauses that decided.</p>"
    return f"<details class=keep open><summary>The clauses that decided</summary>{''.join(parts)}</details>"


def fault_gallery(faults: pd.DataFrame, *, most: int = 10) -> Block:
    """Show the worst faults of the extraction: missed clauses, false alarms, other levels.

    Parameters
    ----------
    faults : pandas.DataFrame
        As `analysis.faults` gives it.
    most : int
        Quotes shown of each kind; how many there are is said.
    """
    if faults.empty:
        html = (
            "<p>Missed clauses and false alarms can be shown only beside labels: "
            "<code>riskanalytics report method -p labels=LABELS --database FILE</code>.</p>"
        )
        return Block(html, "no labels, so no faults to show")
    rows = rows_of(faults)
    parts = []
    for kind, (title, meaning) in _KINDS.items():
        listed = [row for row in rows if row["kind"] == kind]
        shown = listed[:most]
        count = f"{len(shown)} of {len(listed):,}" if len(listed) > len(shown) else f"{len(listed):,}"
        body = "".join(_fault(row) for row in shown) or "<p>None.</p>"
        parts.append(f"<h3>{title} <span class=thin>{count}</span></h3><p class=note>{meaning}</p>{body}")
    return Block(f"<section aria-label=Faults>{''.join(parts)}</section>", f"{len(rows)} faults")


def _fault(row: Mapping[str, Any]) -> str:
    """Return one fault: surface and levels, then the quote."""
    labelled = "" if is_missing(row["risk"]) else f" labelled {level(row['risk'])}"
    given = "" if is_missing(row["given"]) else f" found {level(row['given'])}"
    rule = "" if is_missing(row["rule"]) else f" by <code>{text(row['rule'])}</code>"
    sha256 = "" if is_missing(row["snapshot_sha256"]) else str(row["snapshot_sha256"])
    place = f"characters {int(row['start']):,}–{int(row['end']):,}"
    head = f"<p><strong>{text(surface_name(str(row['surface'])))}</strong>{labelled}{given}{rule}</p>"
    cite = f"<cite>{text(row['slug'])} · {text(row['document'])} · <code>{text(sha256[:12])}</code> · {place}</cite>"
    return f"{head}<blockquote>{quoted(row['quote'])}</blockquote><p>{cite}</p>"


def limits() -> Block:
    """Say plainly what the figures and ratings do not tell."""
    body = "".join(f"<li>{text(limit)}</li>" for limit in _LIMITS)
    return Block(f"<section aria-label=Limits><ul>{body}</ul></section>", "\n".join(_LIMITS))


def noise_told(noise: pd.DataFrame | None) -> Block:
    """Tell in words how much of what is recorded is noise.

    Parameters
    ----------
    noise : pandas.DataFrame or None
        As `analysis.change_noise` gives it; None where changes are not shown to this key.
    """
    if noise is None:
        html = "<p>Recorded changes are not known here: the service shows them to Pro keys only.</p>"
        return Block(html, "changes are not known: they need a Pro key")
    counts = dict(zip(noise["change_class"], noise["changes"], strict=True))
    total = int(sum(counts.values()))
    if not total:
        return Block("<p>No change is recorded.</p>", "no change is recorded")
    noise_share = 100 * (total - counts.get("material", 0)) / total
    listed = "".join(
        f"<tr><th scope=row>{text(change_class.replace('_', ' '))}</th><td>{words}</td></tr>"
        for change_class, words in _NOISE.items()
    )
    html = (
        f"<section aria-label='Recorded changes'><p>{noise_share:.0f} % of {plural(total, 'recorded step')} are noise. Each is "
        "judged against all earlier texts of the document, not the last one only. After a capture failure the last good text "
        "stays current, so a broken page never makes a risk go away.</p>"
        f"<div class=wide><table class=text><tbody>{listed}</tbody></table></div></section>"
    )
    return Block(html, f"{noise_share:.0f} % of {total:,} recorded steps are noise")
