"""Some platforms against each other: their levels, the clauses that decide these, and the changes that moved them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import FINDINGS_COLUMNS, LEVEL_DTYPE, TIME
from riskanalytics.models import RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.shape import SEVERITY, is_missing, items_of, level_of, records, shaped, word_of
from riskanalytics.topics.training_use.analysis import clause_rank

__all__ = ["compared_platforms", "comparison", "comparison_clauses"]

COMPARISON_COLUMNS: Final = {
    "surface": "str",
    "relation": "str",
    "spread": "Int64",
    "place": "Int64",
    "slug": "str",
    "name": "str",
    "label": "str",
    "state": "str",
    "risk": "str",
    "level": LEVEL_DTYPE,
    "standing": "str",
    "clauses": "Int64",
    "confidence": "Float64",
    "confidence_low": "Float64",
    "confidence_high": "Float64",
}
COMPARED_COLUMNS: Final = {
    "place": "Int64",
    "slug": "str",
    "name": "str",
    "label": "str",
    "rating": "str",
    "level": LEVEL_DTYPE,
    "verification": "str",
    "stance": "str",
    "consumer_stance": "str",
    "business_stance": "str",
    "lowest": "Int64",
    "highest": "Int64",
    "silent": "Int64",
    "unknown": "Int64",
    "surfaces": "Int64",
    "documents": "Int64",
    "flagged": "Int64",
    "newest_text_at": TIME,
    "oldest_text_at": TIME,
    "newest_days": "Int64",
    "oldest_days": "Int64",
}
CLAUSE_COLUMNS: Final = {
    **{name: LEVEL_DTYPE if dtype == "level" else dtype for name, (dtype, _) in FINDINGS_COLUMNS.items()},
    "decides": "bool",
}
RELATIONS: Final = ("levels", "answers", "silence", "not known", "agree")
"""How platforms stand to each other on a surface, in the order of `comparison`; the first three are differences."""
DIFFERENCES: Final = RELATIONS[:3]

_RANK: Final = {level: place for place, level in enumerate(RATINGS)}
_ANSWERS: Final = ("consumer_stance", "business_stance", "stance")
_UNREAD: Final = ("broken", "stale", "not_a_policy", "no date")

Row = dict[str, Any]


def _grouped(rows: Iterable[Row], *keys: str) -> dict[Any, list[Row]]:
    """Return rows by what stands in one column, or in several: then by a tuple."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys), []).append(row)
    return groups


def comparison(
    matrix: pd.DataFrame,
    surfaces: pd.DataFrame,
    findings: pd.DataFrame,
    training_use: pd.DataFrame,
    slugs: Sequence[str],
) -> pd.DataFrame:
    """Compare the levels of some platforms on every surface.

    Parameters
    ----------
    matrix : pandas.DataFrame
        What `risk_matrix` returned, of these platforms at least.
    surfaces, findings, training_use : pandas.DataFrame
        Columns as declared in `riskanalytics.frames`.
    slugs : sequence of str
        The platforms, in the order to show them.

    Returns
    -------
    pandas.DataFrame
        One row per surface and platform. `surface` str; `relation` str, of all platforms there: `levels` (known levels
        differ), `answers` (training use only: same level, other answers by plan), `silence` (some speak, others were
        read and say nothing), `not known` (no difference seen, not all could be compared), `agree`; `spread` Int64,
        steps between the lowest and the highest known level; `place` Int64 from 1; `slug`, `name` str, `label` str (the
        name, with the slug where another has it too); `state`, `risk` str, `level` category as in `risk_matrix`;
        `standing` str (`lowest`, `between`, `highest` where levels differ; `same`, `alone`: the only one with a level;
        `silent`; `undetermined`: clauses to be read; `not known`); `clauses` Int64; `confidence`, `confidence_low`,
        `confidence_high` Float64 of the surest clause that decided. In the order of `RELATIONS`, then the widest spread,
        the highest level and most pairs that differ first, then the surfaces' own order.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> both[["surface", "label", "level", "standing"]].head(2)
            surface             label level standing
    0  training_use    Orvewick Voice  HIGH  highest
    1  training_use  Agent by Yoralow   LOW   lowest
    """
    labels = _labels(records(matrix, "comparison", "slug", "name"), slugs)
    answers = {row["slug"]: row for row in records(training_use, "comparison", "slug", *_ANSWERS)}
    sure = _surest(surfaces, findings)
    cells = records(matrix, "comparison", "slug", "name", "surface", "risk", "level", "state", "count")
    told = []
    for surface, group in _grouped((cell for cell in cells if cell["slug"] in labels), "surface").items():
        group.sort(key=lambda cell: labels[cell["slug"]]["place"])
        opened = [_opened(cell, answers.get(cell["slug"], {})) for cell in group]
        ranks = [rank for cell in opened if (rank := _rank(cell)) is not None]
        relation = _relation(surface, opened, ranks, [answers.get(slug, {}) for slug in labels])
        head = {"surface": surface, "relation": relation, "spread": max(ranks) - min(ranks) if ranks else 0}
        for cell in opened:
            place = {**labels[cell["slug"]], "clauses": cell["count"], "standing": _standing(cell, ranks)}
            told.append((_difference(head, ranks), {**cell, **head, **place, **sure.get((cell["slug"], surface), {})}))
    told.sort(key=lambda item: item[0])
    return shaped((row for _, row in told), COMPARISON_COLUMNS)


def _labels(rows: Iterable[Row], slugs: Sequence[str]) -> dict[str, Row]:
    """Return by slug the place, the name and the label of a platform: a label that no other platform has."""
    names = {row["slug"]: word_of(row["name"]) or row["slug"] for row in rows}
    kept = [slug for slug in dict.fromkeys(slugs) if slug in names]
    counts = Counter(names[slug].casefold() for slug in kept)
    return {
        slug: {
            "place": place,
            "name": names[slug],
            "label": names[slug] if counts[names[slug].casefold()] == 1 else f"{names[slug]} ({slug})",
        }
        for place, slug in enumerate(kept, 1)
    }


def _opened(cell: Row, answer: Mapping[str, Any]) -> Row:
    """Return a cell as found where its clauses are undetermined: those to be read need be no findings."""
    open_ = cell["surface"] == "training_use" and answer.get("stance") == "undetermined" and is_missing(cell["risk"])
    return {**cell, "state": "found", "open": True} if open_ and cell["state"] in ("found", "quiet") else cell


def _rank(cell: Mapping[str, Any]) -> int | None:
    """Return the rank of a cell's level; None where it has none that is known."""
    return _RANK.get(cell["level"]) if cell["state"] == "found" else None


def _relation(surface: str, cells: Sequence[Row], ranks: Sequence[int], answers: Sequence[Row]) -> str:
    """Return how platforms stand to each other on a surface, one of `RELATIONS`."""
    if len(set(ranks)) > 1:
        return "levels"
    if surface == "training_use" and any(_differ(row.get(key) for row in answers) for key in _ANSWERS):
        return "answers"
    quiet = sum(cell["state"] == "quiet" for cell in cells)
    if ranks and quiet:
        return "silence"
    return "not known" if len(ranks) + quiet < len(cells) else "agree"


def _differ(words: Iterable[object]) -> bool:
    """Say whether answers that are told differ; silence is none."""
    return len({word_of(word) for word in words} - {"", "silent", "undetermined"}) > 1


def _standing(cell: Row, ranks: Sequence[int]) -> str:
    """Return where a platform stands on a surface among those with a known level there."""
    rank = _rank(cell)
    if rank is None and cell.get("open"):
        return "undetermined"
    if rank is None:
        return "silent" if cell["state"] == "quiet" else "not known"
    if len(ranks) == 1:
        return "alone"
    if min(ranks) == max(ranks):
        return "same"
    return {min(ranks): "lowest", max(ranks): "highest"}.get(rank, "between")


def _difference(head: Row, ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the sorting key of a surface, most different first."""
    pairs = sum(first != second for first, second in combinations(ranks, 2))
    place = SURFACES.index(head["surface"]) if head["surface"] in SURFACES else len(SURFACES)
    return (RELATIONS.index(head["relation"]), -head["spread"], -max(ranks, default=-1), -pairs, place)


def _surest(surfaces: pd.DataFrame, findings: pd.DataFrame) -> dict[tuple[Any, Any], Row]:
    """Return by platform and surface the confidence of the surest clause that decided the level."""
    named = ("confidence", "confidence_low", "confidence_high")
    sure: dict[tuple[Any, Any], Row] = {}
    for (slug, surface), clauses in _deciding(surfaces, findings).items():
        told = [row for row, decides in clauses if decides and not is_missing(row.get("confidence"))]
        told = [row for row in told if row["risk"] == clauses[0][0]["risk"]]
        if told:
            best = max(told, key=lambda row: row["confidence"])
            sure[slug, surface] = {key: best.get(key) for key in named}
    return sure


def _deciding(surfaces: pd.DataFrame, findings: pd.DataFrame) -> dict[tuple[Any, Any], list[tuple[Row, bool]]]:
    """Return by platform and surface the clauses that decided its level; where none is named, all of that level."""
    cells = {(row["slug"], row["surface"]): row for row in records(surfaces, "comparison", "slug", "surface", "risk")}
    found = records(findings, "comparison", "slug", "finding_id", "surface", "risk")
    told = {}
    for key, rows in _grouped(found, "slug", "surface").items():
        cell = cells.get(key, {})
        named = set(items_of(cell.get("decided_by")))
        chosen = [row for row in rows if row["finding_id"] in named] or _worst(rows)
        chosen.sort(key=lambda row: (row["risk"] != cell.get("risk"), *clause_rank(row)))
        told[key] = [(row, row["finding_id"] in named) for row in chosen]
    return told


def _worst(clauses: Sequence[Row]) -> list[Row]:
    """Return the clauses of the highest level; near-copies only where there is nothing else."""
    alone = [row for row in clauses if is_missing(row.get("duplicate_of"))] or clauses
    worst = min(SEVERITY[level_of(row["risk"])] for row in alone)
    return [row for row in alone if SEVERITY[level_of(row["risk"])] == worst]


def comparison_clauses(
    comparison: pd.DataFrame, surfaces: pd.DataFrame, findings: pd.DataFrame, most: int = 3
) -> pd.DataFrame:
    """List the clauses that decide each platform's level on each surface.

    Parameters
    ----------
    comparison, surfaces, findings : pandas.DataFrame
        What `comparison` returned, and the frames that it took.
    most : int
        Clauses of one platform on one surface.

    Returns
    -------
    pandas.DataFrame
        `frames.FINDINGS_COLUMNS` and `decides` bool (False where the service names none: then the clauses of the highest
        level stand here). As `comparison` is ordered; those at the surface's level, the highest, the surest first.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> analysis.comparison_clauses(both, pair.surfaces, pair.findings)["quote"].iloc[0]
    'We use this content to train new versions of the models.'
    """
    clauses = _deciding(surfaces, findings)
    return shaped(
        (
            {**row, "decides": decides}
            for cell in records(comparison, "comparison_clauses", "slug", "surface", "state")
            if cell["state"] == "found"
            for row, decides in clauses.get((cell["slug"], cell["surface"]), [])[:most]
        ),
        CLAUSE_COLUMNS,
    )


def compared_platforms(
    comparison: pd.DataFrame, platforms: pd.DataFrame, training_use: pd.DataFrame, freshness: pd.DataFrame
) -> pd.DataFrame:
    """Sum up each platform compared: its rating, answers on training use, standings, and the age of its texts.

    Parameters
    ----------
    comparison, freshness : pandas.DataFrame
        What the functions of these names returned.
    platforms, training_use : pandas.DataFrame
        Columns as declared in `riskanalytics.frames`.

    Returns
    -------
    pandas.DataFrame
        One row per platform in its place: `place` Int64, `slug`, `name`, `label`, `rating` str, `level` category,
        `verification`, `stance`, `consumer_stance`, `business_stance` str (missing, not silent, where the subject was not
        read); `lowest`, `highest` Int64 (surfaces with different levels where it has that one, alone or not), `silent`,
        `unknown`, `surfaces` Int64; `documents`, `flagged` Int64 (of them not read as captured last), `newest_text_at`,
        `oldest_text_at` time, `newest_days`, `oldest_days` Int64 (their ages).

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> fresh = analysis.freshness(pair.documents, pair.day)
    >>> analysis.compared_platforms(both, pair.platforms, pair.training_use, fresh)["lowest"].tolist()
    [0, 9]
    """
    rated = {row["slug"]: row for row in records(platforms, "compared_platforms", "slug", "rating")}
    answers = {row["slug"]: row for row in records(training_use, "compared_platforms", "slug", *_ANSWERS)}
    texts = _grouped(records(freshness, "compared_platforms", "slug", "captured_at", "age_days", "flag"), "slug")
    cells = records(comparison, "compared_platforms", "slug", "label", "surface", "state", "standing")
    rows = (
        {
            **{key: own[0][key] for key in ("place", "slug", "name", "label")},
            **_rating(rated.get(slug, {})),
            **_answers(answers.get(slug, {}), own),
            **_standings(own),
            **_texts(texts.get(slug, [])),
        }
        for slug, own in _grouped(cells, "slug").items()
    )
    return shaped(sorted(rows, key=lambda row: row["place"]), COMPARED_COLUMNS)


def _rating(platform: Mapping[str, Any]) -> Row:
    """Return the rating of a platform, its level, and how far the evidence for the rating is verified."""
    rating = platform.get("rating")
    return {"rating": rating, "level": level_of(rating), "verification": platform.get("verification")}


def _standings(cells: Sequence[Row]) -> Row:
    """Return on how many surfaces a platform stands lowest or highest, is silent, or is not known."""
    counts = Counter(cell["standing"] for cell in cells)
    told = {key: counts[key] for key in ("lowest", "highest", "silent")}
    return {**told, "unknown": counts["not known"] + counts["undetermined"], "surfaces": len(cells)}


def _answers(told: Mapping[str, Any], cells: Sequence[Row]) -> Row:
    """Return the answers on training use; silence is no answer where the subject was not read."""
    unread = any(cell["surface"] == "training_use" and cell["state"] == "unread" for cell in cells)
    return {key: None if unread and told.get(key) == "silent" else told.get(key) for key in _ANSWERS}


def _texts(rows: Sequence[Row]) -> Row:
    """Return how many documents a platform has, and how old their texts are."""
    dated = [row for row in rows if not is_missing(row["captured_at"])]
    ends: Row = {"documents": len(rows), "flagged": sum(row["flag"] in _UNREAD for row in rows)}
    if dated:
        newest, oldest = (choose(dated, key=lambda row: row["captured_at"]) for choose in (max, min))
        ends |= {"newest_text_at": newest["captured_at"], "newest_days": max(newest["age_days"], 0)}
        ends |= {"oldest_text_at": oldest["captured_at"], "oldest_days": max(oldest["age_days"], 0)}
    return ends
