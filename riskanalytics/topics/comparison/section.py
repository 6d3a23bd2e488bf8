"""Some platforms against each other on pages: side by side as tables, then clause against clause, surface by surface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS, UNRATED, document_words, in_other_language, stance_name
from riskanalytics.pages import values as v
from riskanalytics.pages.rows import (
    Rows,
    below,
    clause_facts,
    columns,
    day,
    first_shown,
    grouped,
    level,
    name,
    question,
    quote,
    separated,
    text,
)
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, plural, ratio
from riskanalytics.topics.changes.section import PRO_ONLY, card, changes_listed, states_of, unknown
from riskanalytics.topics.comparison import CHANGES_SHOWN, DIFFERENCES
from riskanalytics.topics.ratings.matrix import cell_words
from riskanalytics.topics.shape import Record

__all__ = ["compared_platforms", "compared_surfaces", "comparison", "comparison_changes"]

_RELATIONS: Final = {
    "levels": ("", "one level apart", "two levels apart"),
    "answers": "the same level, other answers by plan",
    "silence": ("", "one is silent", "some are silent"),
    "not known": "no difference seen, but not all are known",
    "agree": "no difference",
}
_UNKNOWN: Final = ("not read", "undetermined")
_NONE: Final = Section((v.Paragraph("No platform was compared."),), "no platform was compared")
_PAIR: Final = 2


@of_data()
def compared_platforms(compared: pd.DataFrame) -> Section:
    """Show the compared platforms: rating, training use by plan, how often each is lowest or highest, age of texts.

    Parameters
    ----------
    compared : pandas.DataFrame
        As `analysis.compared_platforms` gives it.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> ages = analysis.freshness(data.documents, data.day)
    >>> compared = analysis.compared_platforms(levels, data.platforms, data.training_use, ages)
    >>> print(sections.compared_platforms(compared).text)
    Alfisen Music: LOW
    Orvewick Voice: HIGH
    """
    rows = rows_of(compared)
    if not rows:
        return _NONE
    heads = (v.Column("Platform"), *_heads(rows))
    table = _side_by_side("The platforms", heads, ((fact, *map(how, rows)) for fact, how in _FACTS.items()))
    note = v.Paragraph("Lowest, highest level: on surfaces with different levels, alone or beside others.", "note")
    return Section((table, note), "\n".join(f"{row['label']}: {row['rating']}" for row in rows))


def _heads(rows: Rows) -> tuple[v.Column, ...]:
    """Return a column for each platform."""
    return tuple(v.Column(_called(row)) for row in rows)


def _side_by_side(caption: str, heads: tuple[v.Column, ...], rows: Iterable[tuple[v.Words, ...]]) -> v.Table:
    """Return a table whose first column stays where it is while the others are moved."""
    return v.Table(tuple(map(v.Row, rows)), heads, caption, "sortable beside")


def _often(row: Record, key: str) -> v.Words:
    """Return on how many surfaces a platform has a standing."""
    return f"on {plural(int(row[key]), 'surface')}" if row[key] else v.Text("–", "meta")


def _called(row: Record) -> v.Words:
    """Return a platform's number and the name that no other has."""
    return v.Text(str(int(row["place"])), "thin"), "\u00a0", name(row["label"])


def _rating(row: Record) -> v.Words:
    """Return a rating; the word itself where it is not a level."""
    rating = row["rating"]
    if is_missing(rating):
        return v.Text("not given", "meta")
    return level(rating) if rating in (*RATINGS, UNRATED) else (level(rating), " ", v.Text(text(rating), "meta"))


def _stance(row: Record, key: str, *, lower: bool = False) -> v.Words:
    """Return an answer on training use; whether it is that for all, or not known, where there is none apart."""
    for_all = is_missing(row["consumer_stance"]) and is_missing(row["business_stance"])
    stance = row["stance"] if for_all and not is_missing(row["stance"]) else row[key]
    if is_missing(stance):
        return v.Text("not read" if is_missing(row["stance"]) else "not told apart", "meta")
    words = stance_name(str(stance)).lower() if lower else stance_name(str(stance))
    return (words, " ", v.Text("(for all)", "meta")) if for_all else words


def _ages(row: Record) -> v.Words:
    """Return the days of the oldest and the newest text, and how old that is."""
    if is_missing(row["newest_text_at"]):
        return v.Text("no date told", "meta")
    ends = dict.fromkeys(day(row[f"{end}_text_at"]) for end in ("oldest", "newest"))
    days = int(row["newest_days"])
    old = "of the newest day" if not days else f"the newest {plural(days, 'day')} old"
    return separated([v.Text(end, "whole") for end in ends], " to "), below(old)


def _evidence(row: Record) -> v.Words:
    """Return how much of the documents could be read."""
    count, flagged = int(row["documents"]), int(row["flagged"])
    state = "" if is_missing(row["verification"]) else f"{text(row['verification'])}; "
    if not count:
        return state, v.Text("no document told", "bad")
    if not flagged:
        return f"{state}{plural(count, 'document')} read"
    return state, v.Text(f"{flagged:,} of {plural(count, 'document')} not read as last captured", "bad")


_STANDINGS: Final = {
    "Lowest level": "lowest", "Highest level": "highest", "Nothing found": "silent", "To be read": "undetermined",
    "Not read": "unread",
}  # fmt: skip
_FACTS: Final[Mapping[str, Callable[[Record], v.Words]]] = {
    "Rating": _rating,
    "Training, consumers": partial(_stance, key="consumer_stance"),
    "Training, business": partial(_stance, key="business_stance"),
    **{title: partial(_often, key=key) for title, key in _STANDINGS.items()},
    "Texts of": _ages,
    "Evidence": _evidence,
}
"""What the table of platforms shows of each, a line a fact."""


@of_data()
def comparison(comparison: pd.DataFrame) -> Section:
    """Show the platforms side by side, a row per surface, most different first; each cell leads to its clauses.

    Parameters
    ----------
    comparison : pandas.DataFrame
        As `analysis.comparison` gives it.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> print(sections.comparison(levels).text.splitlines()[0])
    Training use: Alfisen Music LOW, Orvewick Voice HIGH
    """
    by_surface = grouped(rows_of(comparison), "surface")
    if not by_surface:
        return _NONE
    heads = (v.Column("Surface"), *_heads(next(iter(by_surface.values()))), *columns("roomy:Difference"))
    rows = (
        (v.Link(surface_name(surface), f"#{_anchor(surface)}"), *map(_cell, cells), _relation(cells))
        for surface, cells in by_surface.items()
    )
    note = (
        "H high, M medium, L low; then the clauses found, and the confidence of the surest one that decided the level."
    )
    parts = (_side_by_side("Surface by surface, the least alike first", heads, rows), v.Paragraph(note, "note"))
    return Section(parts, "\n".join(_line(surface, cells) for surface, cells in by_surface.items()))


def _line(surface: str, rows: Rows) -> str:
    """Return one surface in plain words."""
    told = [f"{row['label']} {_known(row) if is_missing(row['risk']) else row['risk']}" for row in rows]
    return f"{surface_name(surface)}: {', '.join(told)}"


def _cell(row: Record) -> v.Words:
    """Return a platform's level on a surface, its clauses and how sure it is."""
    if row["state"] in ("quiet", "unread"):
        return v.Text(_known(row), "meta")
    sure = "" if is_missing(row["confidence"]) else f" · {ratio(row['confidence'])}"
    told = _known(row) if row["standing"] == "undetermined" else f"{int(row['clauses']):,}{sure}"
    letter = v.Link(v.Level(row["level"], short=True), f"#{_anchor(row['surface'], row['slug'])}")
    return v.Text((letter, " ", v.Text(told, "meta")), "whole")


def _known(row: Record) -> str:
    """Return what is known of a platform on a surface without a level."""
    return cell_words({**row, "count": row["clauses"]})


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


def _anchor(surface: str, slug: str = "") -> str:
    """Return the address of a surface, or of one platform's clauses there."""
    return f"compared-{text(surface)}{slug and '-'}{text(slug)}"


@of_data(clauses="compared_clauses")
def compared_surfaces(
    comparison: pd.DataFrame, compared: pd.DataFrame, clauses: pd.DataFrame, documents: pd.DataFrame
) -> Section:
    """Show the deciding clauses of compared platforms side by side, surface by surface; those that differ come first.

    Parameters
    ----------
    comparison, compared : pandas.DataFrame
        As `analysis.comparison` and `analysis.compared_platforms` give them.
    clauses : pandas.DataFrame
        As `analysis.comparison_clauses` gives it, checked again.
    documents : pandas.DataFrame
        `frames.DOCUMENTS_COLUMNS`: where it was looked for what was not found.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> ages = analysis.freshness(data.documents, data.day)
    >>> compared = analysis.compared_platforms(levels, data.platforms, data.training_use, ages)
    >>> clauses = data.verify(analysis.comparison_clauses(levels, data.surfaces, data.findings))
    >>> sections.compared_surfaces(levels, compared, clauses, data.documents).text
    '20 clauses on 12 surfaces'
    """
    by_surface = grouped(rows_of(comparison), "surface")
    quoted = {surface: grouped(rows, "slug") for surface, rows in grouped(rows_of(clauses), "surface").items()}
    read = grouped(rows_of(documents), "slug")
    answers = {str(row["slug"]): row for row in rows_of(compared)}
    shown: dict[str, list[v.Part]] = {}
    for surface, rows in by_surface.items():
        clauses_of = quoted.get(surface, {})
        open_ = _PAIR if len(rows) == _PAIR else 1
        told = [(clauses_of.get(slug, []), read.get(slug, []), answers.get(slug)) for slug in (r["slug"] for r in rows)]
        sides = tuple(_side(row, *known, open_) for row, known in zip(rows, told, strict=True))
        shown.setdefault(str(rows[0]["relation"]), []).append(_surface(surface, rows, sides))
    different = [part for relation in DIFFERENCES for part in shown.get(relation, [])]
    unseen = _folded(shown.get("not known", []), "without a difference seen, where not all are known")
    alike = _folded(shown.get("agree", []), "on which they do not differ")
    parts = [*(different or [v.Paragraph("No difference can be shown.")]), *unseen, *alike]
    words = f"{plural(len(clauses), 'clause')} on {plural(len(by_surface), 'surface')}"
    return section("Clause against clause", *parts, text=words)


def _folded(parts: list[v.Part], words: str) -> v.Parts:
    """Return surfaces behind one line."""
    return (v.Fold(f"{plural(len(parts), 'surface')} {words}", tuple(parts), "keep"),) if parts else ()


def _surface(surface: str, rows: Rows, sides: tuple[v.Group, ...]) -> v.Group:
    """Return one surface: what is asked, and the platforms beside each other, at most three in a row."""
    half = " half" if len(sides) in (_PAIR, 2 * _PAIR) else ""
    head = v.Heading((surface_name(surface), " ", v.Text(_relation(rows), "thin")))
    parts = (head, v.Paragraph(question(surface), "meta"), v.Pair(sides, f"columns{half}"))
    return v.Group(parts, "article full", anchor=_anchor(surface))


def _side(row: Record, clauses: Rows, documents: Rows, answers: Record | None, first: int) -> v.Group:
    """Return what one platform says on a surface; where that was looked for, if it says nothing.

    Parameters
    ----------
    row : mapping
        Of `analysis.comparison`.
    clauses, documents : list of dict
        Of that platform.
    answers : mapping or None
        Its row of `analysis.compared_platforms`.
    first : int
        Clauses that stand open.
    """
    mark: v.Words
    spoken = row["state"] in ("found", "to_read")
    training = _training(answers) if answers and row["surface"] == "training_use" and spoken else ()
    if row["standing"] == "undetermined":
        note = "" if clauses else "The clauses to be read are no findings: the dossier lists them as worth reading."
        mark, body = _known(row), (*training, v.Paragraph(note), *_quotes(clauses, _PAIR))
    elif row["state"] == "found":
        mark = (level(row["risk"]), f" {plural(int(row['clauses']), 'clause')}")
        body = (*training, *_quotes(clauses, first))
    elif row["state"] == "quiet":
        mark, body = "nothing found", (v.Paragraph("Read, and nothing found; that is no promise."), _looked(documents))
    else:
        untold = "The service tells neither clauses of it nor that there are none."
        why = untold if _read(documents) else "Not read, so not known."
        mark, body = _known(row), (v.Paragraph(why), _looked(documents))
    head = v.Paragraph((v.Text(_called(row), "strong"), " ", v.Text(mark, "meta")), "who")
    return v.Group((head, *body), anchor=_anchor(row["surface"], row["slug"]))


def _training(answers: Record) -> v.Parts:
    """Return a platform's answers on training use, by plan."""
    consumers, business = (_stance(answers, f"{key}_stance", lower=True) for key in ("consumer", "business"))
    return (v.Paragraph(("Consumers: ", consumers, ". Business: ", business, "."), "meta"),)


def _quotes(clauses: Rows, first: int) -> v.Parts:
    """Return the clauses that decide, the first in full, the others folded."""
    if not clauses:
        return (v.Paragraph("The service shows no clause of it.", "note"),)
    named = bool(clauses[0]["decides"])
    note = "" if named else "The service names no clause that decides: the highest stand here."
    told = [quote(row, mark=level(row["risk"]), more=below(clause_facts(row))) for row in clauses]
    kinds = ("more clause that decides", "more clauses that decide") if named else ("more clause", "more clauses")
    return (v.Paragraph(note, "note"), *first_shown(told, first, *kinds))


def _read(documents: Rows) -> Rows:
    """Return the documents whose text was read."""
    return [row for row in documents if row["state"] in ("good", "stale") and not in_other_language(row)]


def _looked(documents: Rows) -> v.Paragraph:
    """Return which documents were searched, and which could not be."""
    if not documents:
        return v.Paragraph("The service names no document of it.", "note")
    read = _read(documents)
    named = [f"{text(row['document'])} of {day(row['captured_at']) or 'a day not told'}" for row in read]
    lines = [f"Searched: {', '.join(named)}."] if read else []
    lines += [f"{text(row['document'])}: {text(document_words(row))}." for row in documents if row not in read]
    return v.Paragraph(separated(lines, v.BREAK), "meta")


@of_data(changes="compared_changes", checked="compared_change_clauses")
def comparison_changes(changes: pd.DataFrame | None, checked: pd.DataFrame, period: str) -> Section:
    """Show the changes that moved the risk on surfaces where the compared platforms differ.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        As `analysis.comparison_changes` gives it; None where the changes are not known.
    checked : pandas.DataFrame
        As `changed_clauses` gives it for `comparison_shown`, checked again.
    period : str
        In words, as the end of a sentence.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> moved = analysis.comparison_changes(data.changes(months=24), levels)
    >>> clauses = data.verify(analysis.changed_clauses(analysis.comparison_shown(moved)))
    >>> print(sections.comparison_changes(moved, clauses, "in two years").text)
    Orvewick Voice: risk ...
    """
    if changes is None:
        return unknown(f"What moved is not known: {PRO_ONLY}.")
    rows = rows_of(changes)
    if not rows:
        none = f"No material change is recorded {period} that moved the risk on a surface on which they differ."
        return Section((v.Paragraph(none),), "no change where they differ")
    states = states_of(checked)
    shown = rows_of(changes.groupby("slug", sort=False).head(CHANGES_SHOWN))
    overview = changes_listed(rows, shown, f"Material changes {period} that moved the risk where they differ")
    note = f"The latest {CHANGES_SHOWN} of each platform are shown in full below." if len(rows) > len(shown) else ""
    parts = (overview, v.Paragraph(note, "note"), *(card(row, states) for row in shown))
    return section("What moved", *parts, text="\n".join(map(_moved, rows)))


def _moved(change: Record) -> str:
    """Return a change in plain words: where the risk went, on which surfaces, and when that was seen."""
    surfaces = joined([surface_name(surface) for surface in change["surfaces"]])
    return f"{change['name']}: risk {change['direction']} on {surfaces}, {day(change['reviewed_at'])}"
