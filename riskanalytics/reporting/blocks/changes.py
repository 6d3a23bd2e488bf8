"""What changed: an overview, then each change with its clauses before and after, the noise folded below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.clauses import ClausePair, clause_pairs
from riskanalytics.frames import rows_of
from riskanalytics.models import stance_name, surface_name
from riskanalytics.reporting.blocks.difference import marked
from riskanalytics.reporting.blocks.words import (
    day,
    is_missing,
    joined,
    level,
    name,
    plural,
    quoted,
    source,
    text,
)
from riskanalytics.reporting.display import Block

_DIRECTIONS: Final = {
    "up": ("▲", "risk up"),
    "down": ("▼", "risk down"),
    "mixed": ("◆", "up and down"),
    "none": ("", "no direction"),
}
_CLASSES: Final = {
    "wording": "wording only",
    "format": "format only",
    "revert": "back to earlier words",
    "capture_failure": "failed captures",
    "technical": "changes of the archive itself",
}
_KINDS: Final = {"reread": "unchanged, read otherwise beside what changed"}
_PAIRS_SHOWN: Final = 2
_PAIRS_MOST: Final = 12
_SURFACES_NAMED: Final = 3


def changed_platforms(
    material: pd.DataFrame | None,
    noise: pd.DataFrame | None,
    checked: pd.DataFrame | None = None,
    *,
    most: int = 20,
) -> Block:
    """Show the material changes of a period, worst first; the noise folded below.

    Parameters
    ----------
    material : pandas.DataFrame or None
        As `analysis.material_changes` gives it; None where the changes are not known.
    noise : pandas.DataFrame or None
        As `analysis.change_noise` gives it.
    checked : pandas.DataFrame, optional
        As `changed_clauses` gives it, checked again: `finding_id`, `verification_status`.
    most : int
        Changes shown in full; the overview lists all.
    """
    if material is None or noise is None:
        html = (
            "<section aria-label='Material changes'><p>What changed is not known: the service shows changes to Pro keys "
            "only. The ratings of the month before are compared below.</p></section>"
        )
        return Block(html, "changes are not known: they need a Pro key")
    rows = rows_of(material)
    if not rows:
        quiet = "<p>No material change was found in this month: it was quiet.</p>"
        return Block(
            f"<section aria-label='Material changes'>{quiet}{noise_folded(noise)}</section>", "no material change"
        )
    states = {} if checked is None else dict(zip(checked["finding_id"], checked["verification_status"], strict=True))
    loud = [row for row in rows[:most] if row["direction"] in ("up", "down", "mixed") or row["rating_moved"]]
    calm = [row for row in rows[:most] if row not in loud]
    cards = "".join(card(row, states) for row in loud)
    if calm:
        inner = "".join(card(row, states) for row in calm)
        label = plural(len(calm), "change that moves", "changes that move")
        cards += f"<details class=keep><summary>{label} the risk neither up nor down</summary>{inner}</details>"
    overview = changes_listed(rows, rows[:most], "Material changes of the month, worst first")
    note = f"<p class=note>The {most} worst are shown in full below.</p>" if len(rows) > most else ""
    html = f"<section aria-label='Material changes'>{overview}{note}{cards}{noise_folded(noise)}</section>"
    return Block(html, "\n".join(f"{row['name']}: {row['summary']}" for row in rows[:most]))


def changes_listed(rows: Sequence[Mapping[str, Any]], shown: Sequence[Mapping[str, Any]], caption: str) -> str:
    """Return changes as one table; those that are shown lead to their cards.

    Parameters
    ----------
    rows, shown : sequence of mapping
        Rows of `analysis.material_changes`.
    caption : str
    """
    anchors = {anchor(row) for row in shown}
    body = "".join(_line(row, anchor(row) in anchors) for row in rows)
    return (
        f"<div class=wide><table class=sortable><caption>{text(caption)}</caption><thead><tr>"
        "<th scope=col>Platform</th><th scope=col>Document</th><th scope=col>Direction</th><th scope=col class=roomy>Surfaces</th>"
        f"<th scope=col>Date</th></tr></thead><tbody>{body}</tbody></table></div>"
    )


def _line(row: Mapping[str, Any], linked: bool) -> str:
    """Return one change as a row."""
    label = name(row["name"])
    if linked:
        label = f'<a href="#{anchor(row)}">{label}</a>'
    return (
        f"<tr><th scope=row>{label}</th><td>{text(row['document'])}</td><td class=whole>{direction(row)}</td>"
        f"<td class=roomy>{text(surfaces_named(row))}</td><td class=whole>{day(row['reviewed_at'])}</td></tr>"
    )


def anchor(row: Mapping[str, Any]) -> str:
    """Return the address of a change's card."""
    return f"change-{text(row['change_id'])}"


def surfaces_named(row: Mapping[str, Any]) -> str:
    """Return the first surfaces of a change in words, and how many more there are."""
    names = [surface_name(str(surface)) for surface in row["surfaces"]]
    rest = f" and {len(names) - _SURFACES_NAMED} more" if len(names) > _SURFACES_NAMED else ""
    return (", ".join(names[:_SURFACES_NAMED]) + rest) or "no surface named"


def direction(row: Mapping[str, Any]) -> str:
    """Return where the risk went: a sign and words, never colour alone."""
    return _direction(row["direction"])


def _direction(value: Any) -> str:
    """Return a direction as a sign and words."""
    word = str(value)
    sign, words = _DIRECTIONS.get(word, ("?", "direction not known"))
    style = f' class="dir {word}"' if word in ("up", "down", "mixed") else ""
    mark = f'<span aria-hidden="true">{sign} </span>' if sign else ""
    return f"<span{style}>{mark}{words}</span>"


def _directions(row: Mapping[str, Any]) -> str:
    """Return where the risk went on each surface, where there are several."""
    directions = row.get("directions")
    if not isinstance(directions, Mapping) or len(directions) < 2:
        return ""
    told = " · ".join(
        f"<span class=whole>{text(surface_name(str(surface)))} {_direction(word)}</span>"
        for surface, word in directions.items()
    )
    return f"<p class=meta>{told}</p>"


def card(row: Mapping[str, Any], states: Mapping[Any, Any], *, named: bool = True) -> str:
    """Return one change in full; without the platform's name where the whole page is about it."""
    document = text(row["document"])
    title = f"{name(row['name'])} <span class=thin>{document}</span>" if named else document
    facts = [day(row["reviewed_at"]), direction(row)]
    if row.get("change_class", "material") != "material":
        facts.append(text(class_name(row["change_class"])))
    if not is_missing(row["rating_before"]) and row["rating_before"] != row["rating_after"]:
        facts.append(f"rating {level(row['rating_before'])} → {level(row['rating_after'])}")
    if not is_missing(row["stance_before"]) and row["stance_before"] != row["stance_after"]:
        before, after = (stance_name(str(row[key])).lower() for key in ("stance_before", "stance_after"))
        facts.append(f"training: {text(before)} → {text(after)}")
    pairs = clause_pairs(row)
    return (
        f'<article id="{anchor(row)}"><h3>{title}</h3>'
        f"<p class=meta>{' · '.join(facts)}</p>{_directions(row)}"
        f"<p class=why>{told(pairs)}</p>{clauses_of(pairs, states)}</article>"
    )


def clauses_of(pairs: Sequence[ClausePair], states: Mapping[Any, Any]) -> str:
    """Return the clauses of a change, the first in full, the others folded.

    Parameters
    ----------
    pairs : sequence of ClausePair
        As `analysis.clauses.clause_pairs` gives them.
    states : mapping
        Identifier of a finding -> state of its verification.
    """
    shown = "".join(_pair(pair, states) for pair in pairs[:_PAIRS_SHOWN])
    if len(pairs) > _PAIRS_SHOWN:
        rest = "".join(_pair(pair, states) for pair in pairs[_PAIRS_SHOWN:_PAIRS_MOST])
        if len(pairs) > _PAIRS_MOST:
            rest += f"<p class=note>{plural(len(pairs) - _PAIRS_MOST, 'clause')} of lower weight not shown.</p>"
        shown += f"<details><summary>{plural(len(pairs) - _PAIRS_SHOWN, 'more clause')} of this change</summary>{rest}</details>"
    return shown


def class_name(value: Any) -> str:
    """Return a class of changes in words."""
    return _CLASSES.get(str(value), str(value).replace("_", " "))


def told(pairs: Sequence[ClausePair]) -> str:
    """Return in one line what happened to the clauses."""
    kinds = [pair.kind for pair in pairs]
    parts = [
        plural(kinds.count(kind), f"clause {_KINDS.get(kind, kind)}", f"clauses {_KINDS.get(kind, kind)}")
        for kind in ("added", "removed", "rewritten", "replaced", "reread")
        if kind in kinds
    ]
    return f"{joined(parts)}." if parts else "The service names no clause for this change."


def _pair(pair: ClausePair, states: Mapping[Any, Any]) -> str:
    """Return a clause before and after; a side that is not there takes no room."""
    surfaces = ", ".join(surface_name(surface) for surface in pair.surfaces)
    protective = " · protective" if pair.protective else ""
    moved = level(pair.risk) if pair.risk == pair.risk_before else f"{level(pair.risk_before)} → {level(pair.risk)}"
    kind = _KINDS.get(pair.kind, pair.kind).capitalize()
    head = f"<p class=what><strong>{kind}</strong> {moved} {text(surfaces)}{protective}</p>"
    if pair.kind == "reread" and pair.after is not None:
        return f"{head}<blockquote>{quoted(pair.after.get('quote'))}</blockquote>{_source(pair.after, states)}"
    if pair.before is None or pair.after is None:
        side = pair.after or pair.before or {}
        tag = "ins" if pair.before is None else "del"
        return f"{head}<blockquote class={tag}>{quoted(side.get('quote'))}</blockquote>{_source(side, states)}"
    words = (str(pair.before.get("quote") or ""), str(pair.after.get("quote") or ""))
    left, right = marked(*words) if pair.kind == "rewritten" else (quoted(words[0]), quoted(words[1]))
    sides = (("Before", left, pair.before), ("After", right, pair.after))
    cells = "".join(
        f"<div><p class=side>{label}</p><blockquote>{shown}</blockquote>{_source(side, states)}</div>"
        for label, shown, side in sides
    )
    return f"{head}<div class=pair>{cells}</div>"


def _source(side: Mapping[str, Any], states: Mapping[Any, Any]) -> str:
    """Return where a clause of a change stands."""
    provenance = side.get("provenance")
    row = dict(provenance) if isinstance(provenance, Mapping) else {}
    return f"<p>{source({**row, 'verification_status': states.get(side.get('id'))})}</p>"


def noise_folded(noise: pd.DataFrame) -> str:
    """Return what was recorded and means nothing, folded."""
    rows = noise[~noise["material"].astype(bool)]
    total = int(noise["changes"].sum()) if len(noise) else 0
    count = int(rows["changes"].sum()) if len(rows) else 0
    if not count:
        return ""
    return (
        f"<details><summary>{count:,} of {total:,} recorded differences changed no finding</summary><div class=wide><table>"
        f"<thead><tr><th scope=col>Kind</th><th scope=col class=n>Count</th><th scope=col class=n>Share</th></tr></thead>"
        f"<tbody>{''.join(_noise_rows(rows))}</tbody></table></div></details>"
    )


def _noise_rows(rows: pd.DataFrame) -> Iterator[str]:
    """Return the rows of the noise."""
    for row in rows_of(rows):
        if row["changes"]:
            kind = text(class_name(row["change_class"]))
            yield f"<tr><td>{kind}</td><td class=n>{row['changes']:,}</td><td class=n>{100 * row['share']:.0f} %</td></tr>"


def rating_moves(moves: pd.DataFrame, material: pd.DataFrame | None) -> Block:
    """Show the ratings that moved, each with the clause that caused it.

    Parameters
    ----------
    moves : pandas.DataFrame
        As `analysis.rating_moves` gives it.
    material : pandas.DataFrame or None
        As `analysis.material_changes` gives it; tells the causes. None where the changes are not known.
    """
    moved = moves[moves["direction"].isin(["up", "down", "unclear"])]
    causes = {} if material is None else _causes(material)
    unknown = "not known without the changes" if material is None else "no single clause: several small changes"
    rows = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th>"
        f"<td class=whole>{level(row['rating_before'])} → {level(row['rating_after'])}</td>"
        f"<td>{causes.get(row['slug'], unknown)}</td></tr>"
        for row in rows_of(moved)
    )
    if not rows:
        return Block("<p>No rating moved in this month.</p>", "no rating moved")
    html = (
        "<div class=wide><table><caption>Ratings that moved in the month</caption><thead><tr><th scope=col>Platform</th>"
        f"<th scope=col>Rating</th><th scope=col>Because of</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
    return Block(html, f"{len(moved)} ratings moved")


def _causes(material: pd.DataFrame) -> dict[Any, str]:
    """Return by platform what moved its rating: the change that did so where one is marked, else the worst."""
    causes: dict[Any, str] = {}
    rows = rows_of(material)
    for row in sorted(rows, key=lambda row: not row["rating_moved"]):
        pairs = clause_pairs(row)
        if pairs and row["slug"] not in causes:
            causes[row["slug"]] = says(row, pairs[0])
    return causes


def says(row: Mapping[str, Any], pair: ClausePair) -> str:
    """Return what a document now says, or no longer says, leading to the change."""
    side, says = (pair.after, "now says") if pair.after is not None else (pair.before, "no longer says")
    words = str((side or {}).get("quote") or "")
    short = words if len(words) <= 240 else words[:240].rsplit(" ", 1)[0] + " […]"
    return f'{text(row["document"])} <a href="#{anchor(row)}">{says}</a>: <q>{text(short)}</q>'
