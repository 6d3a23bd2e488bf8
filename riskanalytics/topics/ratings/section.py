"""Page sections on ratings and levels: changes, the formula, the explanation of a rating, the matrix, and one surface of it."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from string import ascii_lowercase
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, mapping_of, rows_of
from riskanalytics.models import RATINGS, UNRATED
from riskanalytics.pages import values as v
from riskanalytics.pages.rows import Rows, below, day, first_shown, grouped, level, name, quote, rows_table, separated
from riskanalytics.pages.section import Section, of_data, section, sentence
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural
from riskanalytics.theme import letter_of

from ..changes.clauses import clause_pairs
from ..changes.section import says
from ..quotes import of_all
from ..shape import Record, found_share, word_of
from . import sums
from .chart import COUNTED
from .matrix import LETTERS, cell_words, mark_of, rule_words

__all__ = [
    "rating_formula", "rating_made", "rating_moves", "risk_matrix", "side_by_side", "surface_clauses", "surface_platforms",
]  # fmt: skip

_PART_NOTE: Final = (
    "Near-copies count once. Neutral clauses are counted here but do not affect a level; clauses for business customers, or only "
    "on feedback or one connected service, affect it only if the surface has no others."
)
_CLAUSES_SHOWN: Final = 2


@of_data(moves="rating_moves", period="days_called")
def rating_moves(moves: pd.DataFrame | None, material: pd.DataFrame | None, *, period: str = "month") -> Section:
    """Return a section with the ratings that moved in a period, each with the clause that caused the move if it is known.

    Parameters
    ----------
    moves : pandas.DataFrame or None
        Result of `analysis.rating_moves`; None if no rating at the beginning of the period is known.
    material : pandas.DataFrame or None
        Result of `analysis.material_changes`, which gives the causes; None if the changes are not known.
    period : str
        Noun for the period in the text: `month` or `period`.

    Examples
    --------
    >>> before = ra.load(client, as_of="2026-07-31")
    >>> moves = analysis.rating_moves(before.platforms, data.platforms)
    >>> sections.rating_moves(moves, analysis.material_changes(data.changes(), "2026-08-01")).text
    '0 ratings moved'
    """
    if moves is None:
        return sentence("Rating moves are not known: none of these platforms was tracked at the beginning.")
    changes = [] if material is None else rows_of(material)
    causes: dict[str, v.Words] = {}  # by the change marked as having moved the rating, else by the worst change
    for row in sorted(changes, key=lambda row: not row["rating_moved"]):
        if pairs := clause_pairs(row):
            causes.setdefault(row["slug"], says(row, pairs[0]))
    unknown = "not known without the changes" if material is None else "no single clause: several small changes"
    moved = rows_of(moves[moves["direction"].isin(["up", "down", "unclear"])])
    table = rows_table(
        f"Ratings that moved in the {period}",
        moved,
        ("Platform", "name"),
        ("whole:Rating", lambda row: (level(row["rating_before"]), " → ", level(row["rating_after"]))),
        ("Because of", lambda row: causes.get(row["slug"], unknown)),
        style="",
    )
    others = rows_of(moves[moves["direction"] == "other_texts"])
    same = f"No rating differs between the beginning and the end of the {period}."
    none = f"No rating moved in the {period} because a text changed." if others else same
    parts: list[v.Part] = [table if moved else v.Paragraph(none)]
    for what, rows in {
        f"moved in the {period} and returned": [row for row in changes if row["came_back"]],
        "changed because other documents are read than before, not because a text changed": others,
    }.items():
        if names := list(dict.fromkeys(row["name"] for row in rows)):
            parts.append(v.Paragraph(f"{plural(len(names), 'rating')} {what}: {joined(names)}.", "note"))
    for direction, what in {"appeared": "new", "disappeared": "no longer tracked"}.items():
        if names := moves.loc[moves["direction"] == direction, "name"].tolist():
            said = f"{plural(len(names), 'platform is', 'platforms are')} {what}: {listed(names, 5)}."
            parts.append(v.Paragraph(said, "note"))
    return Section(tuple(parts), f"{plural(len(moved), 'rating')} moved")


@of_data()
def rating_formula(formula: object) -> Section:
    """Return a section with the formula of the rating as the service publishes it: steps, version and weights.

    Parameters
    ----------
    formula : mapping
        `data.extraction["rating"]`, with `version`, `steps`, `weights`. The section says which of them are missing.

    Examples
    --------
    >>> print(sections.rating_formula(data.extraction["rating"]).text)
    Findings of one surface with the same words count once. ...
    """
    published = mapping_of(formula)
    steps = published.get("steps")
    if not isinstance(steps, list) or not steps:
        return sentence("This service does not publish its rating formula; ratings are shown as reported.")
    given = mapping_of(published.get("weights")).items()
    by_name = {surface_name(str(surface)): weight for surface, weight in given if isinstance(weight, int)}
    by_weight = {weight: [name for name in by_name if by_name[name] == weight] for weight in by_name.values()}
    weights = [f"{weight} for {joined(by_weight[weight])}" for weight in sorted(by_weight, reverse=True)]
    version, lines = published.get("version") or "not reported", tuple(map(str, steps))
    note = f"Formula, version {version}. Weights: {'; '.join(weights) or 'not reported'}."
    return section("Formula", v.Listing(lines, ordered=True), v.Paragraph(note, "note"), text="\n".join(lines))


@of_data(parts="rating_parts", findings="rating_clauses", mean="rating_mean")
def rating_made(
    platform: Record, parts: pd.DataFrame, findings: pd.DataFrame | None, *, mean: float | None, rules: object
) -> Section:
    """Return a section that shows step by step how one platform got its rating, with the clauses that decided its levels.

    Parameters
    ----------
    platform : mapping
        The platform's row of `data.platforms`.
    parts : pandas.DataFrame
        Result of `analysis.rating_parts`.
    findings : pandas.DataFrame or None
        The findings of the platform, after `data.verify`. None if the page already shows the platform's name and clauses;
        then the surfaces link to the clauses.
    mean : float or None
        Result of `analysis.rating_mean`.
    rules : list of str, or None
        Rules of the formula that applied to this platform, as the service names them; None if it names none.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> parts = analysis.rating_parts(one.surfaces, one.findings, data.extraction["rating"])
    >>> mean = analysis.rating_mean(parts)
    >>> sections.rating_made(one.platforms.iloc[0], parts, data.verify(one.findings), mean=mean, rules=None).text
    'Orvewick Voice: HIGH, mean 1.78'
    """
    rated, unrated = parts[parts["risk"].notna()], platform["rating"] == UNRATED
    mean = None if unrated else mean
    said = f"{platform['name']}: {platform['rating']}" + ("" if mean is None else f", mean {mean:.2f}")
    made: list[v.Part] = [v.Paragraph(f"{word_of(platform['risk_reason'])}.")]
    if findings is not None:
        made.insert(0, v.Heading((name(platform["name"]), ": ", level(platform["rating"]))))
    if rated.empty:
        return section("One rating", *made, v.Paragraph("No surface has a level, so there is no mean."), text=said)
    if mean is not None:
        weight, product = sums(rated)
        made.append(v.Paragraph(f"The weighted mean of its levels is {product} / {weight} = {mean:.2f}."))
    elif not unrated:
        made.append(v.Paragraph("The weighted mean is not known: the service does not publish its weights."))

    def surface(row: Record) -> v.Words:
        label = surface_name(row["surface"])
        return v.Link(label, f"#surface-{row['surface']}") if findings is None else label

    figures = ((f"n:{head}", head.lower()) for head in ["Weight", "Points", "Product", "Clauses", "HIGH", "MED", "LOW"])
    heads = ("Surface", surface), ("Level", "risk")
    caption = "Contribution of each surface to the mean, largest first"
    made += [rows_table(caption, rows_of(rated), *heads, *figures, style=""), v.Paragraph(_PART_NOTE, "note")]
    others = rows_of(parts[parts["risk"].isna()])
    as_cells = ({**row, "level": "UNKNOWN", "count": row["clauses"]} for row in others)
    if known := [f"{surface_name(row['surface'])}: {cell_words(row)}" for row in as_cells]:
        made.append(v.Paragraph(f"Without a level, not in the mean: {'; '.join(known)}.", "note"))
    if isinstance(rules, list) and rules:
        applied = "; ".join(map(rule_words, rules))
        made.append(v.Paragraph(f"By the formula, the rating is {word_of(platform['rating'])}: {applied}."))
    return section("One rating", *made, *([] if findings is None else [_deciding(rated, findings)]), text=said)


def _deciding(rated: pd.DataFrame, findings: pd.DataFrame) -> v.Part:
    """Return the clauses that decided each surface, in an open fold."""
    clauses = {row["finding_id"]: row for row in rows_of(findings)}
    parts: list[v.Part] = []
    hidden = 0
    for row in rows_of(rated):
        found = [clauses[one] for one in row["decided_by"] if one in clauses]
        hidden += max(0, len(found) - _CLAUSES_SHOWN)
        shown = [quote(clause, mark=level(clause["level"])) for clause in found[:_CLAUSES_SHOWN]]
        parts += [v.Heading((surface_name(row["surface"]), of_all(shown, found)), 4), *shown] if shown else []
    if not parts:
        return v.Paragraph("The service does not name the deciding clauses.", "note")
    note = f"Of each surface, at most {_CLAUSES_SHOWN} clauses are shown. The number of re-verified clauses includes the others."
    return v.Fold("The deciding clauses", (*parts, v.Paragraph(note if hidden else "", "note")), "keep", open=True)


@of_data(matrix="risk_matrix", shown="worst", figures="figures")
def risk_matrix(matrix: pd.DataFrame, *, first: int, shown: Collection[str] = (), figures: object = None) -> Section:
    """Return a section with every platform's level on every surface, in a table that can be searched, filtered and sorted.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `analysis.risk_matrix`, worst first.
    first : int
        Number of rows that are visible until the reader chooses to see all.
    shown : collection of str
        Slugs of the platforms whose clauses are on the page; their cells link to the clauses.
    figures : object, optional
        Accuracy figures, `data.extraction.get("figures")`. A note states the share of clauses that the extraction finds.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> sections.risk_matrix(matrix, first=10).text
    '320 platforms x 12 surfaces'
    """
    surfaces = tuple((one, surface_name(one)) for one in matrix["surface"].unique())
    newest, rows = matrix["latest"].max(), []
    for slug, cells in grouped(rows_of(matrix), "slug").items():
        ages: list[int] = []  # each age is listed once for a row; its cells refer to it by a letter
        marks = tuple(_cell(cell, newest, ages) for cell in cells)
        called, rating, evidence = (word_of(cells[0][key]) for key in ("name", "rating", "verification"))
        listed = ",".join(map(str, ages))
        rows.append(v.MatrixRow(slug, called, rating, evidence, letter_of(rating), listed, marks, slug in shown))
    made = v.Matrix(surfaces, tuple(rows), first, day(newest)), v.Paragraph(found_share(figures), "note")
    return Section(made, f"{plural(len(rows), 'platform')} x {plural(len(surfaces), 'surface')}")


def _cell(row: Record, newest: pd.Timestamp, ages: list[int]) -> v.Cell:
    """Return one cell of the matrix; the age of its newest text is added to the ages of its row."""
    mark = mark_of(row)
    hint = "" if mark in RATINGS or mark == "QUIET" else cell_words(row)
    if is_missing(row["count"]) or not row["count"]:
        return v.Cell(LETTERS[mark], hint=hint)
    age = ""
    if not is_missing(row["latest"]):
        days = (newest.normalize() - row["latest"].normalize()).days
        ages += [] if days in ages else [days]
        age = ascii_lowercase[ages.index(days) :][:1]
    return v.Cell(LETTERS[mark], f"{row['count']}{age}", hint)


def surface_platforms(matrix: pd.DataFrame, clauses: pd.DataFrame) -> Section:
    """Return a section with a table of every platform's level on the first surface of a matrix, with links to its clauses.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `analysis.surface_matrix`.
    clauses : pandas.DataFrame
        Result of `analysis.surface_clauses`: the clauses on the page, to which the table links.

    Examples
    --------
    >>> pair = data.of(["alfisen-music", "orvewick-voice"])
    >>> matrix = analysis.surface_matrix(pair.views.risk_matrix, "training_use")
    >>> clauses = analysis.surface_clauses(pair.findings, matrix, "training_use")
    >>> sections.surface_platforms(matrix, clauses).text
    '2 platforms on Training use'
    """
    if matrix.empty:
        return sentence("No platform matches.")
    rows, shown = _cells(matrix), set(clauses["slug"])

    def label(row: Record) -> v.Words:
        called = name(row["name"])
        return v.Link(called, f"#platform-{row['slug']}") if row["slug"] in shown else called

    surface, counted = surface_name(rows[0]["surface"]), plural(len(rows), "platform")
    heads = (("Platform", label), (surface, _cell_level), ("n:Clauses", "count"), ("Rating", "level_rating"))
    table = rows_table(f"{surface}, worst first", rows, *heads)
    fold = v.Fold(f"{counted} on this surface, as a table", (replace(table, anchor="surface-platforms"),), "keep")
    return Section((fold,), f"{counted} on {surface}")


def _cells(matrix: pd.DataFrame) -> Rows:
    """Return the cells of the first surface of a matrix that is ordered by it."""
    return rows_of(matrix.drop_duplicates("slug"))


def _cell_level(cell: Record) -> v.Words:
    """Return the level of a cell, or what is known without a level."""
    mark = mark_of(cell)
    return level(mark) if mark in RATINGS else v.Text(cell_words(cell), "thin")


def surface_clauses(matrix: pd.DataFrame, clauses: pd.DataFrame) -> Section:
    """Return a section with the clauses behind the platforms' levels on one surface, by platform, the highest levels first.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `analysis.surface_matrix`.
    clauses : pandas.DataFrame
        Result of `analysis.surface_clauses` for that matrix, after `data.verify`.

    Examples
    --------
    >>> pair = data.of(["alfisen-music", "orvewick-voice"])
    >>> matrix = analysis.surface_matrix(pair.views.risk_matrix, "training_use")
    >>> clauses = data.verify(analysis.surface_clauses(pair.findings, matrix, "training_use"))
    >>> sections.surface_clauses(matrix, clauses).text
    '2 clauses of 2 platforms'
    """
    by_slug = grouped(rows_of(clauses), "slug")
    groups = grouped(_cells(matrix), mark_of).items()
    parts = [part for mark, rows in groups for part in _of_mark(mark, rows, by_slug)]
    total = int(clauses.drop_duplicates("slug")["of"].sum())
    if total > len(clauses):
        shown = f"{len(clauses):,} of {total:,} clauses, the weightiest of every platform."
        command = v.Text("riskanalytics report platform_dossier -p platform=SLUG", "code")
        parts.insert(0, v.Paragraph((shown, " All clauses of one platform: ", command), "note"))
    counts = f"{plural(len(clauses), 'clause')} of {plural(len(by_slug), 'platform')}"
    return section("Clauses", *parts, text=counts)


def _of_mark(mark: str, rows: Rows, by_slug: Mapping[str, Rows]) -> v.Parts:
    """Return the platforms at one level with their clauses, and the names of platforms without clauses."""
    title = f"At {mark}" if mark in RATINGS else COUNTED[mark].capitalize()
    head = v.Heading((title, " ", v.Text(plural(len(rows), "platform"), "thin")))
    groups = []
    for row, clauses in ((row, by_slug[row["slug"]]) for row in rows if row["slug"] in by_slug):
        called = v.Text(name(row["name"]), "strong"), below(plural(clauses[0]["of"], "clause"))
        parts = v.Paragraph(called), v.Group(_clauses(row, clauses))
        groups.append(v.Group(parts, "row", anchor=f"platform-{row['slug']}"))
    silent = [name(row["name"]) for row in rows if row["slug"] not in by_slug]
    named = (v.Paragraph((separated(silent, ", "), ".")),) if silent else ()
    return (head, *first_shown(groups, 6, "more platform"), *named)


def _clauses(row: Record, clauses: Rows, *, alone: bool = False) -> v.Parts:
    """Return the clauses of a platform, and whether only one of them has the level of the surface."""
    quotes = [quote(one, mark=level(one["level"]), alone=alone) for one in clauses]
    notes = []
    if clauses and mark_of(row) in RATINGS and row["level"] not in [one["level"] for one in clauses]:
        notes.append(f"No single clause is {row['level']}: all clauses on the surface together have this level.")
    if clauses and (more := clauses[0]["of"] - len(clauses)):
        notes.append(f"{plural(more, 'more clause')} not shown.")
    shown = first_shown(quotes, len(quotes) if alone else _CLAUSES_SHOWN, "more clause")
    return (*shown, *(v.Paragraph(note, "note") for note in notes))


def side_by_side(matrix: pd.DataFrame, clauses: pd.DataFrame) -> Section:
    """Return a section with the clauses of some platforms on one surface, side by side.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Result of `analysis.surface_matrix` for these platforms and this surface.
    clauses : pandas.DataFrame
        Result of `analysis.surface_clauses` for that matrix, after `data.verify`.

    Examples
    --------
    >>> pair = data.of(["alfisen-music", "orvewick-voice"])
    >>> matrix = analysis.surface_matrix(pair.views.risk_matrix, "training_use")
    >>> clauses = data.verify(analysis.surface_clauses(pair.findings, matrix, "training_use"))
    >>> sections.side_by_side(matrix, clauses).text
    'Orvewick Voice, Alfisen Music on Training use'
    """
    by_slug, rows = grouped(rows_of(clauses), "slug"), _cells(matrix)
    sides = []
    for row in rows:
        head = v.Heading((name(row["name"]), " ", _cell_level(row)))
        sides.append(v.Group((head, *_clauses(row, by_slug.get(row["slug"], []), alone=True))))
    names = ", ".join(row["name"] for row in rows)
    return section("Side by side", v.Pair(tuple(sides)), text=f"{names} on {surface_name(rows[0]['surface'])}")
