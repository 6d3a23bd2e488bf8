"""A comparison of platforms on a page: tables with a column for each platform, and clauses side by side for each surface."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS, UNRATED, document_words, in_other_language, stance_name
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import plural, ratio

from ..changes.section import card, changes_listed, states_of, unknown
from ..ratings.matrix import cell_words
from . import CHANGES_SHOWN, DIFFERENCES, comparison_shown

__all__ = ["compared_platforms", "compared_surfaces", "comparison", "comparison_changes"]

_FOLDED: Final = {"not known": "without a known difference, some levels unknown", "agree": "without a difference"}
_NONE: Final = Section((v.Paragraph("No platform was compared."),), "no platform was compared")


@of_data()
def compared_platforms(compared: pd.DataFrame) -> Section:
    """Return a section with a table that has a column for each platform.

    The rows are: rating, stance on training use, on how many surfaces the platform has the lowest level, the highest level, no
    clause and so on, dates of its texts, and how many of its documents could be read.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of `analysis.compared_platforms`.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> ages = analysis.freshness(data.documents, data.day)
    >>> compared = analysis.compared_platforms(levels, data.platforms, data.training_use, ages)
    >>> sections.compared_platforms(compared).text
    '2 platforms compared'
    """
    rows = rows_of(compared)
    if not rows:
        return _NONE
    lines = ((fact, *map(how, rows)) for fact, how in _FACTS.items())
    note = v.Paragraph(
        "Lowest level and highest level: the number of surfaces on which the platforms differ and this platform has the lowest "
        "(or highest) level, alone or tied.",
        "note",
    )
    table = _side_by_side("The platforms", "Platform", rows, lines)
    return Section((table, note), f"{plural(len(rows), 'platform')} compared")


def _side_by_side(title: str, head: str, rows: show.Rows, lines: Iterable[tuple[v.Words, ...]], *more: str) -> v.Table:
    """Return a table with a column for each platform; its first column stays in place when scrolled."""
    heads = (v.Column(head), *(v.Column(_called(row)) for row in rows), *show.columns(*more))
    return v.Table(tuple(map(v.Row, lines)), heads, title, "sortable beside")


def _called(row: show.Record) -> v.Words:
    """Return a platform's number and its unique name."""
    return v.Text(str(row["place"]), "thin"), "\u00a0", show.name(row["label"])


def _stance(row: show.Record, key: str) -> v.Words:
    """Return an answer on training use in words; without one, whether it is not separate or was not read."""
    for_all = is_missing(row["consumer_stance"]) and is_missing(row["business_stance"])
    if not is_missing(stance := row["stance"] if for_all else row[key]):
        return (stance_name(stance), v.Text(" (for all)", "meta")) if for_all else stance_name(stance)
    return v.Text("not read" if is_missing(row["stance"]) else "no separate answer", "meta")


def _often(row: show.Record, key: str) -> v.Words:
    """Return the number of surfaces on which a platform has a standing, such as `lowest`."""
    return f"on {plural(row[key], 'surface')}" if row[key] else v.Text("–", "meta")


def _ages(row: show.Record) -> v.Words:
    """Return the days of the oldest and the newest text, and the age of the newest."""
    if is_missing(row["newest_text_at"]):
        return v.Text("no date", "meta")
    ends = dict.fromkeys(show.day(row[f"{end}_text_at"]) for end in ("oldest", "newest"))
    age = f"the newest is {plural(row['newest_days'], 'day')} old"
    old = age if row["newest_days"] else "captured on the newest day"
    return show.separated([v.Text(end, "whole") for end in ends], " to "), show.below(old)


def _evidence(row: show.Record) -> v.Words:
    """Return how many of the documents could be read."""
    documents, flagged = plural(row["documents"], "document"), row["flagged"]
    state = "" if is_missing(row["verification"]) else f"{row['verification']}; "
    bad = f"{flagged:,} of {documents} not read as last captured" if flagged else "no document known"
    return f"{state}{documents} read" if row["documents"] and not flagged else (state, v.Text(bad, "bad"))


def _rating(rating: object) -> v.Words:
    """Return a rating; an unknown word is shown next to its mark."""
    if is_missing(rating):
        return v.Text("not reported", "meta")
    return show.level(rating), "" if rating in (*RATINGS, UNRATED) else (" ", v.Text(show.text(rating), "meta"))


_FACTS: Final[Mapping[str, Callable[[show.Record], v.Words]]] = {
    "Rating": lambda row: _rating(row["rating"]),
    "Training, consumers": partial(_stance, key="consumer_stance"),
    "Training, business": partial(_stance, key="business_stance"),
    "Lowest level": partial(_often, key="lowest"),
    "Highest level": partial(_often, key="highest"),
    "No clause found": partial(_often, key="silent"),
    "To be read": partial(_often, key="undetermined"),
    "Not read": partial(_often, key="unread"),
    "Dates of texts": _ages,
    "Evidence": _evidence,
}
"""Rows of the table of platforms -> the cell of a platform."""


@of_data()
def comparison(comparison: pd.DataFrame) -> Section:
    """Return a section with a table of levels: a column for each platform, a row for each surface, greatest differences first.

    The cells link to the clauses behind the levels.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of `analysis.comparison`.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> sections.comparison(levels).text
    '2 platforms on 12 surfaces'
    """
    by_surface = show.grouped(rows_of(comparison), "surface")
    if not by_surface:
        return _NONE
    lines = (
        (v.Link(surface_name(surface), f"#{_anchor(surface)}"), *map(_cell, rows), _relation(rows))
        for surface, rows in by_surface.items()
    )
    platforms, caption = next(iter(by_surface.values())), "Surface by surface, the most different first"
    table = _side_by_side(caption, "Surface", platforms, lines, "roomy:Difference")
    note = "H high, M medium, L low; then the number of clauses found, and the highest confidence of a deciding clause."
    said = f"{plural(len(platforms), 'platform')} on {plural(len(by_surface), 'surface')}"
    return Section((table, v.Paragraph(note, "note")), said)


def _cell(row: show.Record) -> v.Words:
    """Return a platform's level on a surface, its number of clauses and its confidence."""
    if row["state"] in ("quiet", "unread"):
        return v.Text(_known(row), "meta")
    sure = "" if is_missing(row["confidence"]) else f" · {ratio(row['confidence'])}"
    rest = _known(row) if row["state"] == "to_read" else f"{row['clauses']:,}{sure}"
    letter = v.Link(v.Level(row["level"], short=True), f"#{_anchor(row['surface'], row['slug'])}")
    return v.Text((letter, " ", v.Text(rest, "meta")), "whole")


def _known(row: show.Record) -> str:
    """Return what is known of a platform on a surface without a level."""
    return cell_words({**row, "count": row["clauses"]})


def _relation(rows: show.Rows) -> str:
    """Return in words how the levels of the platforms differ on a surface."""
    relation = rows[0]["relation"]
    silent = sum(row["state"] == "quiet" for row in rows)
    if silent == len(rows):
        return "no clause found for any platform"
    return {
        "levels": f"{plural(rows[0]['spread'], 'level')} apart",
        "answers": "the same level, different answers by plan",
        "silence": f"no clause found for {plural(silent, 'platform')}",
        "not known": "no known difference, some levels unknown",
        "agree": "no difference",
    }[relation]


def _anchor(surface: str, slug: str = "") -> str:
    """Return the anchor of a surface, or of one platform's clauses on it."""
    return f"compared-{show.text(surface)}{slug and '-'}{show.text(slug)}"


@of_data(clauses="compared_clauses")
def compared_surfaces(
    comparison: pd.DataFrame, compared: pd.DataFrame, clauses: pd.DataFrame, documents: pd.DataFrame
) -> Section:
    """Return a section with the clauses that decide the platforms' levels, side by side for each surface.

    Surfaces on which the platforms differ come first.

    Parameters
    ----------
    comparison, compared : pandas.DataFrame
        Results of `analysis.comparison` and `analysis.compared_platforms`.
    clauses : pandas.DataFrame
        Result of `analysis.comparison_clauses`, verified with `data.verify`.
    documents : pandas.DataFrame
        `data.documents`: where a platform has no clause, the section lists which of its documents were searched.

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
    answers = compared[["slug", "stance", "consumer_stance", "business_stance"]]
    by_surface = show.grouped(rows_of(comparison.merge(answers, on="slug")), "surface")
    quoted = {key: rows_of(group) for key, group in clauses.groupby(["surface", "slug"])}
    read = show.grouped(rows_of(documents), "slug")
    shown: dict[str, list[v.Part]] = {}
    for surface, rows in by_surface.items():
        open_ = 2 if len(rows) == 2 else 1
        half = " half" if len(rows) in (2, 4) else ""  # otherwise three in a row
        sides = (_side(row, quoted.get((surface, row["slug"]), []), open_, read.get(row["slug"], [])) for row in rows)
        head = v.Heading((surface_name(surface), " ", v.Text(_relation(rows), "thin")))
        parts = (head, v.Paragraph(show.question(surface), "meta"), v.Pair(tuple(sides), f"columns{half}"))
        group = v.Group(parts, "article full", anchor=_anchor(surface))
        shown.setdefault(rows[0]["relation"], []).append(group)
    body = [part for relation in DIFFERENCES for part in shown.get(relation, [])]
    body = body or [v.Paragraph("There is no difference to show.")]
    for relation, words in _FOLDED.items():
        if alike := shown.get(relation):
            body.append(v.Fold(f"{plural(len(alike), 'surface')} {words}", tuple(alike), "keep"))
    said = f"{plural(len(clauses), 'clause')} on {plural(len(by_surface), 'surface')}"
    return section("Clause against clause", *body, text=said)


def _side(row: show.Record, clauses: show.Rows, first: int, documents: show.Rows) -> v.Group:
    """Return the clauses of one platform on a surface, the first ones open; without clauses, the documents searched."""
    mark: v.Words = _known(row)
    if row["state"] == "found":
        mark = (show.level(row["risk"]), f" {plural(row['clauses'], 'clause')}")
    if row["state"] in ("found", "to_read"):
        sides = (_stance(row, "consumer_stance"), ". Business: ", _stance(row, "business_stance"))
        plans = (v.Paragraph(("Consumers: ", *sides, "."), "meta"),) if row["surface"] == "training_use" else ()
        body: v.Parts = (*plans, *_quotes(row, clauses, first))
    else:
        none = "No clause found. Silence is not a promise."
        words = none if row["state"] == "quiet" else "Not read: the level is unknown."
        body = (v.Paragraph(words), _looked(documents))
    head = v.Paragraph((v.Text(_called(row), "strong"), " ", v.Text(mark, "meta")), "who")
    return v.Group((head, *body), anchor=_anchor(row["surface"], row["slug"]))


def _quotes(row: show.Record, clauses: show.Rows, first: int) -> v.Parts:
    """Return the deciding clauses, the first ones in full, the others in a fold."""
    if not clauses:
        to_read = "The clauses to be read are not findings: the dossier lists them under “Worth reading”."
        return (v.Paragraph("The service shows none of its clauses." if row["state"] == "found" else to_read, "note"),)
    note = "" if clauses[0]["decides"] else "The service names no deciding clause; these have the highest level."
    quotes = [show.quote(one, mark=show.level(one["risk"]), more=show.below(show.clause_facts(one))) for one in clauses]
    return v.Paragraph(note, "note"), *show.first_shown(quotes, first, "more clause")


def _looked(documents: show.Rows) -> v.Paragraph:
    """Return the documents that were searched, and those that could not be searched."""
    if not documents:
        return v.Paragraph("The service lists no document.", "note")
    lines = []
    for row in documents:
        read = row["state"] in ("good", "stale") and not in_other_language(row)
        said = f"searched, text of {show.day(row['captured_at']) or 'an unknown day'}" if read else document_words(row)
        lines.append(f"{show.text(row['document'])}: {said}.")
    return v.Paragraph(show.separated(lines, v.BREAK), "meta")


@of_data(changes="compared_changes", checked="compared_change_clauses")
def comparison_changes(changes: pd.DataFrame | None, checked: pd.DataFrame, period: str) -> Section:
    """Return a section with the material changes that raised or lowered the risk on surfaces where the compared platforms differ.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        Result of `analysis.comparison_changes`; None if the changes are not known.
    checked : pandas.DataFrame
        Result of `analysis.changed_clauses` for the changes that `analysis.comparison_shown` keeps, verified with `data.verify`.
    period : str
        The period in words, such as `in two years`, to insert in sentences.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> pair = ["alfisen-music", "orvewick-voice"]
    >>> levels = analysis.comparison(matrix, data.surfaces, data.findings, data.training_use, pair)
    >>> moved = analysis.comparison_changes(data.changes(months=24), levels)
    >>> clauses = data.verify(analysis.changed_clauses(analysis.comparison_shown(moved)))
    >>> sections.comparison_changes(moved, clauses, "in two years").text
    '... where the platforms differ'
    """
    shown = comparison_shown(changes)
    if changes is None or shown is None:
        return unknown("What moved")
    rows, latest, states = rows_of(changes), rows_of(shown), states_of(checked)
    if not rows:
        none = f"No material change {period} moved the risk on a surface where the platforms differ."
        return Section((v.Paragraph(none),), "no change on surfaces where the platforms differ")
    caption = f"Material changes {period} that moved the risk on surfaces where the platforms differ"
    overview = changes_listed(rows, latest, caption)
    note = f"The latest {CHANGES_SHOWN} of each platform are shown in full below." if len(rows) > len(latest) else ""
    cards = (card(row, states) for row in latest)
    said = f"{plural(len(rows), 'change')} on surfaces where the platforms differ"
    return section("What moved", overview, v.Paragraph(note, "note"), *cards, text=said)
