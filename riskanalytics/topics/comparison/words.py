"""The headline of a comparison in plain sentences: where platforms differ, and which stands lower on what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing
from riskanalytics.models import RATINGS, stance_name
from riskanalytics.pages.rows import grouped
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural
from riskanalytics.topics.shape import NOT_GIVEN, Record, records, word_of

__all__ = ["comparison_sentences", "comparison_title"]

_MOST: Final = 3
_NAMED: Final = 4
_OLD: Final = 365
"""Days after which a newest text is told to be old."""
_NEEDED: Final = ("surface", "relation", "spread", "place", "label", "level", "standing", "state")
_SUMMED: Final = ("label", "rating", "lowest", "highest", "place", "documents", "flagged", "newest_days")
_PLANS: Final = (("for consumers", "consumer_stance"), ("for business users", "business_stance"))

Surfaces = Mapping[str, Sequence[Record]]
"""Rows of `comparison` by surface, the most different surface first."""


def comparison_title(comparison: pd.DataFrame) -> str:
    """Return the title of a comparison: the platforms' names, and on how many surfaces their levels differ.

    Parameters
    ----------
    comparison : pandas.DataFrame
        What `comparison` returned.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> analysis.comparison_title(both)
    'Orvewick Voice and Agent by Yoralow: different levels on 8 of 12 surfaces'
    """
    rows = records(comparison, "comparison_title", *_NEEDED)
    labels = list(dict.fromkeys(word_of(row["label"]) for row in rows))
    who = joined(labels) if len(labels) <= _MOST else plural(len(labels), "platform")
    surfaces = grouped(rows, "surface")
    if differ := len(_differing(surfaces)):
        return f"{who}: different levels on {differ:,} of {plural(len(surfaces), 'surface')}"
    shared = _shared(surfaces)
    same = f"the same level on {_every(shared)} that can be compared"
    return f"{who}: {same if shared else 'no surface can be compared'}"


def comparison_sentences(comparison: pd.DataFrame, compared: pd.DataFrame) -> tuple[str, ...]:
    """Sum up in plain sentences how the compared platforms differ; nothing that the frames do not carry.

    Parameters
    ----------
    comparison : pandas.DataFrame
        What `comparison` returned.
    compared : pandas.DataFrame
        What `compared_platforms` returned.

    Returns
    -------
    tuple of str
        Plain text, not escaped: where they differ most, who stands lower on what, training use by plan, ratings,
        silence, what is not known, texts that are old or could not be read (where there are some).

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> told = both, pair.platforms, pair.training_use, analysis.freshness(pair.documents, pair.day)
    >>> print(analysis.comparison_sentences(both, analysis.compared_platforms(*told))[2])
    Training use: trains, no opt-out found (Orvewick Voice), trains only after opt-in (Agent by Yoralow).
    """
    surfaces = grouped(records(comparison, "comparison_sentences", *_NEEDED), "surface")
    platforms = records(compared, "comparison_sentences", *_SUMMED)
    if not surfaces or not platforms:
        return ("No platform was compared.",)
    told = (_most(surfaces), *_lower(surfaces, platforms), _training(platforms), _ratings(platforms))
    return (*told, *_silence(surfaces), *_unknown(surfaces, platforms), *_texts(platforms))


def _differing(surfaces: Surfaces) -> Surfaces:
    """Return the surfaces on which platforms stand at different levels."""
    return {name: group for name, group in surfaces.items() if group[0]["relation"] == "levels"}


def _levels(group: Sequence[Record]) -> str:
    """Return which platforms stand at which level, the highest level first."""
    labels = labels_by((row["level"], row["label"]) for row in group if row["state"] == "found")
    return "; ".join(f"{level}: {listed(labels[level], _NAMED)}" for level in reversed(RATINGS) if level in labels)


def _shared(surfaces: Surfaces) -> int:
    """Return on how many surfaces two platforms or more have a known level, the same for all of them."""
    return sum(sum(row["standing"] == "same" for row in group) > 1 for group in surfaces.values())


def _most(surfaces: Surfaces) -> str:
    """Say on which surfaces the levels differ most."""
    differing = _differing(surfaces)
    if not differing:
        shared = _shared(surfaces)
        if not shared:
            return "There is no surface on which more than one of them has a known level: none can be compared."
        return f"Their levels are the same on {_every(shared)} on which more than one of them has a known level."
    widest = max(group[0]["spread"] for group in differing.values())
    most = [(name, group) for name, group in differing.items() if group[0]["spread"] == widest]
    where = listed([f"{surface_name(name)} ({_levels(group)})" for name, group in most], _MOST)
    step = "by two levels" if widest == 2 else "by one level"
    if rest := len(differing) - len(most):
        return f"They differ most, {step}, on {where}; by less on {rest:,} more."
    return f"They differ {step} on {where}."


def _every(number: int) -> str:
    return "the one surface" if number == 1 else f"all {number:,} surfaces"


def _lower(surfaces: Surfaces, platforms: Sequence[Record]) -> tuple[str, ...]:
    """Say which platforms stand lowest and highest most often; nothing where no level differs."""
    differing = _differing(surfaces)
    if not differing:
        return ()
    if len(platforms) == 2:
        return (_lower_of_two(differing, platforms),)
    total = len(differing)
    sides = [f"{key} level most often: {_most_often(platforms, key)}" for key in ("lowest", "highest")]
    clear = [row for row in platforms if row["lowest"] == total]
    end = f"{clear[0]['label']} is nowhere higher than another" if clear else "none is lowest throughout"
    return (f"Of {plural(total, 'surface')} at different levels, {'; '.join(sides)}; {end}.",)


def _most_often(platforms: Sequence[Record], key: str) -> str:
    """Return the platforms with the highest numbers in a column, each with its number."""
    rows = sorted((row for row in platforms if row[key]), key=lambda row: -row[key])
    return joined([f"{row['label']} ({row[key]:,})" for row in rows[:_MOST]])


def _lower_of_two(differing: Surfaces, platforms: Sequence[Record]) -> str:
    """Say on which surfaces each of two platforms stands lower than the other."""
    own: dict[str, list[str]] = {row["label"]: [] for row in platforms}
    for name, group in differing.items():
        for cell in group:
            own[cell["label"]] += [surface_name(name)] if cell["standing"] == "lowest" else []
    leading = sorted(own.items(), key=lambda item: -len(item[1]))
    parts = [f"{label} {_on(names, not place)}" for place, (label, names) in enumerate(leading) if names]
    nowhere = [label for label, names in own.items() if not names]
    end = f", {nowhere[0]} on none" if nowhere else "; neither is lower throughout"
    return f"{' and '.join(parts)}{end}."


def _on(names: Sequence[str], first: bool) -> str:
    where = plural(len(names), "surface") if first else f"{len(names):,}"
    return f"{'stands lower in risk ' if first else ''}on {where} ({listed(names, _NAMED)})"


def _training(platforms: Sequence[Record]) -> str:
    """Say how the platforms answer on training use, apart for consumers and business users where that is told."""
    apart = [(words, key) for words, key in _PLANS if any(not is_missing(row.get(key)) for row in platforms)]
    if len(apart) < 2:
        return f"Training use: {_answers(platforms, 'stance', 'not read')}."
    told = [f"{words}: {_answers(platforms, key, 'not told apart')}" for words, key in apart]
    return f"Training use, {'; '.join(told)}."


def _answers(platforms: Sequence[Record], key: str, missing: str) -> str:
    """Return the answers of one column, each with the platforms that give it."""
    told = []
    for row in platforms:
        unknown = "not read" if is_missing(row.get("stance")) else missing
        told.append((unknown if is_missing(row.get(key)) else stance_name(str(row[key])).lower(), row["label"]))
    groups = labels_by(told)
    if len(groups) == 1:
        return f"{next(iter(groups))} ({_all(len(platforms))})"
    return ", ".join(f"{words} ({listed(labels, _NAMED)})" for words, labels in groups.items())


def labels_by(told: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the labels of platforms by what is told of each."""
    groups: dict[str, list[str]] = {}
    for words, label in told:
        groups.setdefault(words, []).append(label)
    return groups


def _all(number: int) -> str:
    return "both" if number == 2 else "all of them"


def _ratings(platforms: Sequence[Record]) -> str:
    """Say how the platforms are rated, the worst rating first."""
    groups = labels_by((word_of(row["rating"]) or NOT_GIVEN, row["label"]) for row in platforms)
    if len(groups) == 1:
        return f"{_all(len(platforms)).capitalize()} are rated {next(iter(groups))}."
    order = sorted(groups, key=lambda word: -RATINGS.index(word) if word in RATINGS else 1)
    return f"Rated {'; '.join(f'{word}: {listed(groups[word], _NAMED)}' for word in order)}."


def _silence(surfaces: Surfaces) -> tuple[str, ...]:
    """Say on which surfaces nothing is found of a platform while another speaks."""
    spoken = [rows for rows in surfaces.values() if any(row["state"] in ("found", "to_read") for row in rows)]
    silent = [row for rows in spoken for row in rows if row["standing"] == "silent"]
    if not silent:
        return ()
    names = labels_by((row["label"], surface_name(row["surface"])) for row in silent)
    parts = [f"{label} on {listed(where, _MOST)}" for label, where in names.items()]
    return (f"Read, and nothing found where another speaks: {'; '.join(parts)}. Silence is no promise.",)


def _unknown(surfaces: Surfaces, platforms: Sequence[Record]) -> tuple[str, ...]:
    """Say on which surfaces the level of a platform is not known, and why."""
    parts = []
    for row in platforms:
        cells = [cell for group in surfaces.values() for cell in group if cell["place"] == row["place"]]
        unknown = [cell for cell in cells if cell["standing"] in ("not read", "undetermined")]
        if unknown:
            names = [surface_name(str(cell["surface"])) for cell in unknown]
            where = "every surface" if len(unknown) == len(cells) else listed(names, _MOST)
            why = {"to be read" if cell["standing"] == "undetermined" else "not read" for cell in unknown}
            parts.append(f"{row['label']} on {where} ({', '.join(sorted(why, reverse=True))})")
    return (f"Without a level: {'; '.join(parts)}.",) if parts else ()


def _texts(platforms: Sequence[Record]) -> tuple[str, ...]:
    """Say which platforms have old texts, and which have documents that could not be read as last captured."""
    aged = [row for row in platforms if not is_missing(row["newest_days"]) and row["newest_days"] > _OLD]
    old = [f"{row['label']} since {row['newest_text_at']:%Y-%m-%d}" for row in aged]
    flagged = [row for row in platforms if row["flagged"]]
    bad = [f"{row['flagged']:,} of {plural(row['documents'], 'document')} of {row['label']}" for row in flagged]
    parts = [f"no new text is recorded of {listed(old, _NAMED)}"] if old else []
    parts += [f"not read as last captured: {listed(bad, _NAMED)}"] if bad else []
    told = "; ".join(parts)
    return (f"{told[:1].upper()}{told[1:]}.",) if told else ()
