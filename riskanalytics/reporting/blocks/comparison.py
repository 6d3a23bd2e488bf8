"""Some platforms against each other: side by side as tables, then clause against clause, surface by surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import DOCUMENT_STATE_NAMES, RATINGS, stance_name, surface_name
from riskanalytics.reporting.blocks.changes import card, changes_listed
from riskanalytics.reporting.blocks.words import (
    Rows,
    clause_facts,
    day,
    grouped,
    is_missing,
    letter_class,
    level,
    name,
    plural,
    question,
    quote,
    ratio,
    text,
)
from riskanalytics.reporting.display import Block
from riskanalytics.theme import LEVEL_LETTERS

_RELATIONS: Final = {
    "levels": ("", "one level apart", "two levels apart"),
    "answers": "the same level, other answers by plan",
    "silence": ("", "one is silent", "some are silent"),
    "not known": "no difference seen, but not all are known",
    "agree": "no difference",
}
_DIFFERENT: Final = ("levels", "answers", "silence")
_UNKNOWN: Final = ("not known", "undetermined")
_PAIR: Final = 2
_CARDS: Final = 2
"""Changes of one platform shown in full."""


def compared_platforms(compared: pd.DataFrame) -> Block:
    """Show the platforms compared: rating, training use by plan, where each stands, how old its texts are.

    Parameters
    ----------
    compared : pandas.DataFrame
        As `analysis.compared_platforms` gives it.
    """
    rows = rows_of(compared)
    if not rows:
        return Block("<p>No platform was compared.</p>", "no platform was compared")
    facts = {
        "Rating": [_rating(row["rating"]) for row in rows],
        "Training, consumers": [_stance(row, "consumer_stance") for row in rows],
        "Training, business": [_stance(row, "business_stance") for row in rows],
        "Lowest level": [_often(row, "lowest") for row in rows],
        "Highest level": [_often(row, "highest") for row in rows],
        "Nothing found": [_often(row, "silent") for row in rows],
        "Not known": [_often(row, "unknown") for row in rows],
        "Texts of": [_ages(row) for row in rows],
        "Evidence": [_evidence(row) for row in rows],
    }
    body = "".join(
        f"<tr><th scope=row>{fact}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for fact, cells in facts.items()
    )
    html = (
        f"{_side_by_side('The platforms', '', rows, body)}"
        "<p class=note>Lowest, highest level: on surfaces with different levels, alone or beside others.</p>"
    )
    return Block(html, "\n".join(f"{row['label']}: {row['rating']}" for row in rows))


def _side_by_side(caption: str, last: str, rows: Rows, body: str) -> str:
    """Return a table with a column for each platform."""
    heads = "".join(f"<th scope=col>{_called(row)}</th>" for row in rows)
    return (
        f'<div class=wide tabindex=0 role=region aria-label="{caption}"><table class="sortable beside"><caption>{caption}</caption>'
        f"<thead><tr><th scope=col>{'Surface' if last else 'Platform'}</th>{heads}{last}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _often(row: Mapping[str, Any], key: str) -> str:
    """Return on how many surfaces a platform stands so."""
    return f"on {plural(int(row[key]), 'surface')}" if row[key] else "<span class=meta>on none</span>"


def _called(row: Mapping[str, Any]) -> str:
    """Return a platform's number and the name that no other has."""
    return f"<span class=thin>{int(row['place'])}</span>\u00a0{name(row['label'])}"


def _rating(rating: Any) -> str:
    """Return a rating; the word itself where it is not a level."""
    if is_missing(rating):
        return "<span class=meta>not given</span>"
    return level(rating) if rating in RATINGS else f"{level(rating)} <span class=meta>{text(rating)}</span>"


def _stance(row: Mapping[str, Any], key: str) -> str:
    """Return an answer on training use; whether it is that for all, or not known, where there is none apart."""
    if not is_missing(row[key]):
        return text(stance_name(str(row[key])))
    both = is_missing(row["consumer_stance"]) and is_missing(row["business_stance"])
    if both and not is_missing(row["stance"]):
        return f"{text(stance_name(str(row['stance'])))} <span class=meta>(for all)</span>"
    return f"<span class=meta>{'not known' if is_missing(row['stance']) else 'not told apart'}</span>"


def _ages(row: Mapping[str, Any]) -> str:
    """Return the days of the oldest and the newest text, and how old that is."""
    if is_missing(row["newest_text_at"]):
        return "<span class=meta>no date told</span>"
    newest, oldest = (f"<span class=whole>{day(row[f'{end}_text_at'])}</span>" for end in ("newest", "oldest"))
    span = newest if newest == oldest else f"{oldest} to {newest}"
    days = int(row["newest_days"])
    old = "of the newest day" if not days else f"the newest {plural(days, 'day')} old"
    return f"{span}<br><span class=meta>{old}</span>"


def _evidence(row: Mapping[str, Any]) -> str:
    """Return how much of the documents could be read."""
    count, flagged = int(row["documents"]), int(row["flagged"])
    state = "" if is_missing(row["verification"]) else f"{text(row['verification'])}; "
    if not count:
        return f"{state}<span class=bad>no document told</span>"
    if not flagged:
        return f"{state}{plural(count, 'document')} read"
    return f"{state}<span class=bad>{flagged:,} of {plural(count, 'document')} not readable as last captured</span>"


def comparison(comparison: pd.DataFrame) -> Block:
    """Show the platforms side by side, a row per surface, most different first; each cell leads to its clauses.

    Parameters
    ----------
    comparison : pandas.DataFrame
        As `analysis.comparison` gives it.
    """
    by_surface = grouped(rows_of(comparison), "surface")
    if not by_surface:
        return Block("<p>No platform was compared.</p>", "no platform was compared")
    body = "".join(
        f'<tr><th scope=row><a href="#{_anchor(surface)}">{text(surface_name(surface))}</a></th>'
        f"{''.join(map(_cell, rows))}<td class=roomy>{_relation(rows)}</td></tr>"
        for surface, rows in by_surface.items()
    )
    heads = next(iter(by_surface.values()))
    html = (
        f"{_side_by_side('Surface by surface, the most different first', '<th scope=col class=roomy>Difference</th>', heads, body)}"
        "<p class=note>H high, M medium, L low, ? not known; then the clauses found, and the confidence of the surest one that "
        "decided the level.</p>"
    )
    return Block(html, "\n".join(_line(surface, rows) for surface, rows in by_surface.items()))


def _line(surface: str, rows: Rows) -> str:
    """Return one surface in plain words."""
    told = [f"{row['label']} {row['standing'] if is_missing(row['risk']) else row['risk']}" for row in rows]
    return f"{surface_name(surface)}: {', '.join(told)}"


def _cell(row: Mapping[str, Any]) -> str:
    """Return a platform's level on a surface, its clauses and how sure it is."""
    if row["state"] == "quiet":
        return "<td><span class=meta>nothing found</span></td>"
    if row["state"] != "found":
        return '<td><span class="level U">?</span> <span class=meta>not read</span></td>'
    letter = LEVEL_LETTERS[row["level"]]
    sure = "" if is_missing(row["confidence"]) else f" · {ratio(row['confidence'])}"
    mark = f'<span class="level {letter_class(letter)}">{letter}</span>'
    told = "to be read" if row["standing"] == "undetermined" else f"{int(row['clauses']):,}{sure}"
    anchor = _anchor(row["surface"], row["slug"])
    return f'<td class=whole><a href="#{anchor}">{mark}</a> <span class=meta>{told}</span></td>'


def _relation(rows: Rows) -> str:
    """Return how the platforms stand to each other on a surface."""
    relation = str(rows[0]["relation"])
    told = _RELATIONS.get(relation, "")
    silent = sum(row["state"] == "quiet" for row in rows)
    if relation == "not known" and sum(row["standing"] not in _UNKNOWN for row in rows) < _PAIR:
        return "cannot be compared"
    if isinstance(told, str):
        return told if silent < len(rows) else "nothing found of any"
    return told[min(silent if relation == "silence" else int(rows[0]["spread"]), 2)]


def _anchor(surface: Any, slug: Any = "") -> str:
    """Return the address of a surface, or of one platform's clauses there."""
    return f"compared-{text(surface)}{slug and '-'}{text(slug)}"


def compared_surfaces(
    comparison: pd.DataFrame, compared: pd.DataFrame, clauses: pd.DataFrame, documents: pd.DataFrame
) -> Block:
    """Show for each surface the clauses that decide beside each other: differences first, the others folded.

    Parameters
    ----------
    comparison, compared : pandas.DataFrame
        As `analysis.comparison` and `analysis.compared_platforms` give them.
    clauses : pandas.DataFrame
        As `analysis.comparison_clauses` gives it, checked again.
    documents : pandas.DataFrame
        `frames.DOCUMENTS_COLUMNS`: where it was looked for what was not found.
    """
    by_surface = grouped(rows_of(comparison), "surface")
    quotes: dict[tuple[str, str], Rows] = {}
    for row in rows_of(clauses):
        quotes.setdefault((str(row["surface"]), str(row["slug"])), []).append(row)
    read = grouped(rows_of(documents), "slug")
    answers = {str(row["slug"]): row for row in rows_of(compared)}
    shown: dict[str, list[str]] = {}
    for surface, rows in by_surface.items():
        columns = [
            _column(
                row, quotes.get((surface, str(row["slug"])), []), read.get(str(row["slug"]), []), answers, len(rows)
            )
            for row in rows
        ]
        shown.setdefault(str(rows[0]["relation"]), []).append(_surface(surface, rows, columns))
    parts = [part for relation in _DIFFERENT for part in shown.get(relation, [])] or [
        "<p>No difference can be shown.</p>"
    ]
    parts += _folded(shown.get("not known", []), "without a difference seen, where not all are known")
    parts += _folded(shown.get("agree", []), "on which they do not differ")
    html = f"<section aria-label='Clause against clause'>{''.join(parts)}</section>"
    return Block(html, f"{plural(len(clauses), 'clause')} on {plural(len(by_surface), 'surface')}")


def _folded(parts: Sequence[str], words: str) -> list[str]:
    """Return surfaces behind one line."""
    if not parts:
        return []
    return [f"<details class=keep><summary>{plural(len(parts), 'surface')} {words}</summary>{''.join(parts)}</details>"]


def _surface(surface: str, rows: Rows, columns: Sequence[str]) -> str:
    """Return one surface: what is asked, and the platforms beside each other, at most three in a row."""
    asked = question(surface)
    half = " half" if len(rows) in (_PAIR, 2 * _PAIR) else ""
    return (
        f'<article id="{_anchor(surface)}" class=full><h3>{text(surface_name(surface))} '
        f"<span class=thin>{_relation(rows)}</span></h3>{f'<p class=meta>{text(asked)}</p>' if asked else ''}"
        f'<div class="pair columns{half}">'
        f"{''.join(columns)}</div></article>"
    )


def _column(row: Mapping[str, Any], clauses: Rows, documents: Rows, answers: Mapping[str, Any], total: int) -> str:
    """Return what one platform says on a surface; that it says nothing, and where that was looked for."""
    training = ""
    if row["surface"] == "training_use" and row["state"] == "found" and row["slug"] in answers:
        told = answers[row["slug"]]
        training = (
            f"<p class=meta>Consumers: {_stance(told, 'consumer_stance').lower()}. "
            f"Business: {_stance(told, 'business_stance').lower()}.</p>"
        )
    if row["standing"] == "undetermined":
        note = (
            "" if clauses else "<p>The clauses to be read are no findings: the dossier lists them as worth reading.</p>"
        )
        mark, body = "undetermined: to be read", training + note + _quotes(clauses, _PAIR)
    elif row["state"] == "found":
        mark = f"{level(row['risk'])} {plural(int(row['clauses']), 'clause')}"
        body = training + _quotes(clauses, _PAIR if total == _PAIR else 1)
    elif row["state"] == "quiet":
        mark, body = "nothing found", f"<p>Read, and nothing found; that is no promise.</p>{_looked(documents)}"
    else:
        why = (
            "The service tells neither clauses of it nor that there are none."
            if _read(documents)
            else "Not read, so not known."
        )
        mark, body = '<span class="level U">?</span> not known', f"<p>{why}</p>{_looked(documents)}"
    return (
        f'<div id="{_anchor(row["surface"], row["slug"])}"><p class=who><strong>{_called(row)}</strong> '
        f"<span class=meta>{mark}</span></p>{body}</div>"
    )


def _quotes(clauses: Rows, first: int) -> str:
    """Return the clauses that decide, the first in full, the others folded."""
    if not clauses:
        return "<p class=note>The service shows no clause of it.</p>"
    named = bool(clauses[0]["decides"])
    note = "" if named else "<p class=note>The service names no clause that decides: the highest stand here.</p>"
    told = [quote(row["quote"], row, mark=level(row["risk"]), more=_facts(row)) for row in clauses]
    rest = told[first:]
    kinds = ("more clause that decides", "more clauses that decide") if named else ("more clause", "more clauses")
    more = (
        f"<details class=keep><summary>{plural(len(rest), *kinds)}</summary>{''.join(rest)}</details>" if rest else ""
    )
    return f"{note}{''.join(told[:first])}{more}"


def _facts(row: Mapping[str, Any]) -> str:
    """Return what is known of a clause on a line of its own."""
    told = clause_facts(row)
    return f"<br><span class=meta>{told}</span>" if told else ""


def _read(documents: Rows) -> Rows:
    """Return the documents whose text was read."""
    return [row for row in documents if row["state"] in ("good", "stale")]


def _looked(documents: Rows) -> str:
    """Return which documents were searched, and which could not be."""
    if not documents:
        return "<p class=note>The service names no document of it.</p>"
    read = _read(documents)
    rest = [row for row in documents if row not in read]
    parts = []
    if read:
        named = [f"{text(row['document'])} of {day(row['captured_at']) or 'a day not told'}" for row in read]
        parts.append(f"Searched: {', '.join(named)}.")
    parts += [
        f"{text(row['document'])}: {text(DOCUMENT_STATE_NAMES.get(str(row['state']), str(row['state'])))}."
        for row in rest
    ]
    return f"<p class=meta>{'<br>'.join(parts)}</p>"


def comparison_changes(changes: pd.DataFrame | None, checked: pd.DataFrame, period: str) -> Block:
    """Show the changes that moved the risk where the platforms differ.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        As `analysis.comparison_changes` gives it; None where the changes are not known.
    checked : pandas.DataFrame
        As `changed_clauses` gives it for `comparison_shown`, checked again.
    period : str
        In words, as the end of a sentence.
    """
    if changes is None:
        html = "<p>What moved is not known: the service shows changes to Pro keys only.</p>"
        return Block(html, "changes are not known: they need a Pro key")
    rows = rows_of(changes)
    if not rows:
        html = f"<p>No material change is recorded {text(period)} that moved the risk on a surface on which they differ.</p>"
        return Block(html, "no change where they differ")
    states = dict(zip(checked["finding_id"], checked["verification_status"], strict=True))
    shown = rows_of(changes.groupby("slug", sort=False).head(_CARDS))
    cards = "".join(card(row, states) for row in shown)
    note = ""
    if len(rows) > len(shown):
        note = f"<p class=note>The latest {_CARDS} of each platform are shown in full below.</p>"
    overview = changes_listed(rows, shown, f"Material changes {period} that moved the risk where they differ")
    html = f"<section aria-label='What moved'>{overview}{note}{cards}</section>"
    return Block(html, "\n".join(f"{row['name']}: {row['summary']}" for row in rows))


def comparison_shown(changes: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the changes that `comparison_changes` shows in full: the latest of each platform.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        As `analysis.comparison_changes` gives it.
    """
    return None if changes is None else changes.groupby("slug", sort=False).head(_CARDS).reset_index(drop=True)
