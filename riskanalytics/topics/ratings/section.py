"""Ratings on a page: those that moved and why, the published formula, and how one rating came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import UNRATED
from riskanalytics.pages.rows import Rows, Shown, level, name, quote, rows_table, separated, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Link, Listing, Paragraph, Part, Parts, Row, Table, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, plural
from riskanalytics.topics.changes.clauses import clause_pairs
from riskanalytics.topics.changes.section import says
from riskanalytics.topics.matrix.surface import cell_words
from riskanalytics.topics.ratings import sums
from riskanalytics.topics.shape import Record

__all__ = ["rating_formula", "rating_made", "rating_moves"]

_PARTS: Final = ("Weight", "Points", "Product", "Clauses", "HIGH", "MED", "LOW")
_PART_NOTE: Final = (
    "Clauses by their own level: near-copies count once; those for business customers, about feedback or one connector, "
    "and neutral ones are among them, though they move no level."
)
_CLAUSES_SHOWN: Final = 2


@of_data(moves="rating_moves", period="days_called")
def rating_moves(moves: pd.DataFrame | None, material: pd.DataFrame | None, *, period: str = "month") -> Section:
    """Show the ratings that moved, each with the clause that caused it.

    Parameters
    ----------
    moves : pandas.DataFrame or None
        As `analysis.rating_moves` gives it; None where no rating is known at the beginning of the period.
    material : pandas.DataFrame or None
        As `analysis.material_changes` gives it; tells the causes. None where the changes are not known.
    period : str
        What the period is called: a `month`, or a `period`.

    Examples
    --------
    >>> before = ra.load(client, as_of="2026-07-31")
    >>> moves = analysis.rating_moves(before.platforms, data.platforms)
    >>> sections.rating_moves(moves, analysis.material_changes(data.changes(), "2026-08-01")).text
    '3 ratings moved in the month and came back: Alvethorn Image, Translate by Drufivane and Music by Jordoholt.'
    """
    if moves is None:
        unknown = "How ratings moved is not known: none of these platforms was tracked at the beginning."
        return Section((Paragraph(unknown),), "how ratings moved is not known")
    moved = rows_of(moves[moves["direction"].isin(["up", "down", "unclear"])])
    returned, notes = _returned(material, period), tuple(Paragraph(words, "note") for words in _other_texts(moves))
    if not moved:
        none = returned or f"No rating moved in this {period}."
        return Section((Paragraph(none), *notes), returned or "no rating moved")
    causes = {} if material is None else _causes(material)
    unknown = "not known without the changes" if material is None else "no single clause: several small changes"
    went: Shown = lambda row: (level(row["rating_before"]), " → ", level(row["rating_after"]))  # noqa: E731
    heads = (("Platform", "name"), ("whole:Rating", went), ("Because of", lambda row: causes.get(row["slug"], unknown)))
    shown = rows_table(f"Ratings that moved in the {period}", moved, *heads, style="")
    return Section((shown, Paragraph(returned, "note"), *notes), f"{plural(len(moved), 'rating')} moved")


def _other_texts(moves: pd.DataFrame) -> list[str]:
    """Say whose rating differs though no text of theirs changed; nothing where there is none."""
    names = moves.loc[moves["direction"] == "other_texts", "name"].tolist() if "name" in moves else []
    if not names:
        return []
    said = f"{plural(len(names), 'rating')} differ" + ("s" if len(names) == 1 else "")
    return [f"{said} because other documents are read than before, not because a text changed: {joined(names)}."]


def _returned(material: pd.DataFrame | None, period: str) -> str:
    """Say whose rating moved and was at the end of the period what it was at its beginning; empty where none did."""
    names = [] if material is None else material[material["came_back"]].drop_duplicates("slug")["name"].tolist()
    return f"{plural(len(names), 'rating')} moved in the {period} and came back: {joined(names)}." if names else ""


def _causes(material: pd.DataFrame) -> dict[str, Words]:
    """Return by platform the words that moved its rating: of the change marked as having done so, else of the worst."""
    causes: dict[str, Words] = {}
    for row in sorted(rows_of(material), key=lambda row: not row["rating_moved"]):
        pairs = clause_pairs(row)
        if pairs and row["slug"] not in causes:
            causes[row["slug"]] = says(row, pairs[0])
    return causes


@of_data()
def rating_formula(formula: object) -> Section:
    """Show the formula of the rating as the service publishes it: steps, version and weights.

    Parameters
    ----------
    formula : mapping
        `version`, `steps`, `weights`, `points`, `high_from`, `low_below`; anything else is told to be missing.

    Examples
    --------
    >>> print(sections.rating_formula(data.extraction["rating"]).text)
    Findings of one surface with the same words count once. ...
    """
    told = formula if isinstance(formula, Mapping) else {}
    steps = told.get("steps")
    if not isinstance(steps, list) or not steps:
        missing = "This service does not publish the formula of its ratings: they are shown as it gives them."
        return Section((Paragraph(missing),), "the formula is not published")
    listed = tuple(map(str, steps))
    version = f"Formula, version {told.get('version') or 'not told'}. {_weights(told.get('weights'))}"
    return section("Formula", Listing(listed, ordered=True), Paragraph(version, "note"), text="\n".join(listed))


def _weights(weights: object) -> str:
    """Return the weights of the surfaces in one sentence, the heaviest first; empty where none is published."""
    if not isinstance(weights, Mapping):
        return ""
    by_weight: dict[int, list[str]] = {}
    for surface, weight in weights.items():
        if isinstance(weight, int):
            by_weight.setdefault(weight, []).append(surface_name(str(surface)))
    parts = [f"{weight} for {joined(names)}" for weight, names in sorted(by_weight.items(), reverse=True)]
    return f"Weights: {'; '.join(parts)}." if parts else ""


@of_data(parts="rating_parts", findings="rating_clauses", mean="rating_mean")
def rating_made(
    platform: Record, parts: pd.DataFrame, findings: pd.DataFrame | None, *, mean: float | None, rules: object
) -> Section:
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

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> parts = analysis.rating_parts(one.surfaces, one.findings, data.extraction["rating"])
    >>> mean = analysis.rating_mean(parts)
    >>> sections.rating_made(one.platforms.iloc[0], parts, data.verify(one.findings), mean=mean, rules=None).text
    'Orvewick Voice: HIGH, mean 1.78'
    """
    rated = parts[parts["risk"].notna()]
    rest = _without(rows_of(parts[parts["risk"].isna()]))
    mean = None if platform["rating"] == UNRATED else mean
    head = () if findings is None else (Heading((name(platform["name"]), ": ", level(platform["rating"]))),)
    made: Parts = (Paragraph("No surface has a level, so there is nothing to weigh."),)
    if len(rated):
        left = f"Without a level, and so not in the mean. {rest[:1].upper()}{rest[1:]}." if rest else ""
        told = Paragraph("" if platform["rating"] == UNRATED else _mean_told(rated, mean))
        notes = (Paragraph(_PART_NOTE, "note"), Paragraph(left, "note"), Paragraph(_applied(rules)))
        clauses = () if findings is None else (_deciding(rated, findings),)
        made = (told, _part_table(rated, mean, linked=findings is None), *notes, *clauses)
    said = f"{platform['name']}: {platform['rating']}" + ("" if mean is None else f", mean {mean:.2f}")
    return section("One rating", *head, Paragraph(f"{text(platform['risk_reason'])}."), *made, text=said)


def _without(rows: Rows) -> str:
    """Return the surfaces without a level, by what is known of them."""
    known: dict[str, list[str]] = {}
    for row in rows:
        words = cell_words({**row, "level": "UNKNOWN", "count": row["clauses"]})
        known.setdefault(words, []).append(surface_name(str(row["surface"])))
    return "; ".join(f"{words}: {joined(names)}" for words, names in known.items())


def _mean_told(rated: pd.DataFrame, mean: float | None) -> Words:
    """Return how the weighted mean is computed, or that the weights are not published."""
    if mean is None:
        return "The weighted mean is not known: the service does not publish its weights."
    weight, product = sums(rated)
    return f"The weighted mean of its levels is {product} / {weight} = ", Text(f"{mean:.2f}", "strong"), "."


def _part_table(rated: pd.DataFrame, mean: float | None, *, linked: bool) -> Table:
    """Return what each surface brings to the mean, with the sums below where the mean is known."""

    def surface(row: Record) -> Words:
        label = surface_name(str(row["surface"]))
        return Link(label, f"#surface-{text(row['surface'])}") if linked else label

    figures = ((f"n:{title}", title.lower()) for title in _PARTS)
    caption = "What each surface brings to the mean, most first"
    told = rows_table(caption, rows_of(rated), ("Surface", surface), ("Level", "risk"), *figures, style="")
    if mean is None:
        return told
    weight, product = (Text(f"{total}", "strong") for total in sums(rated))
    return replace(told, rows=(*told.rows, Row(("Sum", "", weight, "", product, *("" for _ in range(4))))))


def _applied(rules: object) -> Words:
    """Return the rules of the formula that applied; nothing where none is told."""
    told = [Text(str(rule), "code") for rule in rules] if isinstance(rules, list) else []
    return ("What applied, in the service's words: ", separated(told, ", "), ".") if told else ""


def _deciding(rated: pd.DataFrame, findings: pd.DataFrame) -> Part:
    """Return the clauses that decided each surface, folded open."""
    clauses = {row["finding_id"]: row for row in rows_of(findings)}
    parts: list[Part] = []
    for row in rows_of(rated):
        found = [clauses[public] for public in dict.fromkeys(row["decided_by"]) if public in clauses]
        shown = [quote(clause, mark=level(clause["level"])) for clause in found[:_CLAUSES_SHOWN]]
        more = (" ", Text(f"{len(shown)} of {len(found)}", "thin")) if len(found) > len(shown) else ""
        if shown:
            parts += [Heading((surface_name(str(row["surface"])), more), 4), *shown]
    if not parts:
        return Paragraph("The service does not name the clauses that decided.", "note")
    return Fold("The clauses that decided", tuple(parts), "keep", open=True)
