"""The title of a dossier, and plain sentences that sum up what its frames tell about one platform."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd

from riskanalytics import models
from riskanalytics.frames import is_missing
from riskanalytics.pages.rows import day
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural
from riskanalytics.topics.matrix.surface import mark_of
from riskanalytics.topics.shape import Record, records, word_of

__all__ = ["dossier_sentences", "dossier_title"]

_NAMED: Final = 4
_TITLES: Final = {
    "depends_on_plan": "training depends on the plan",
    "undetermined": "training undetermined",
    "silent": "no clause found on training",
}
_BAD: Final = ("broken", "stale", "not_a_policy", "no date")


def dossier_title(platform: Record, stance: object) -> str:
    """Return the title of a platform's dossier: its name, its rating, its answer on training use.

    Parameters
    ----------
    platform : mapping
        A row of `frames.PLATFORMS_COLUMNS`.
    stance : object
        Its stance; a missing one is left out.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> analysis.dossier_title(one.platforms.iloc[0], one.training_use["stance"].iloc[0])
    'Orvewick Voice: rated HIGH, trains, no opt-out found'
    """
    rating = word_of(platform["rating"])
    told = f"rated {rating}" if rating in models.RATINGS else "not rated"
    words = "" if is_missing(stance) else _TITLES.get(str(stance), models.stance_name(str(stance)).lower())
    return f"{word_of(platform['name']) or platform['slug']}: {told}{words and ', '}{words}"


def dossier_sentences(
    standing: pd.DataFrame,
    training_use: pd.DataFrame,
    moves: pd.DataFrame,
    changes: pd.DataFrame | None,
    states: pd.DataFrame,
    documents: pd.DataFrame,
    findings: pd.DataFrame | None = None,
) -> tuple[str, ...]:
    """Sum up one platform in five plain sentences: levels, peers, training use, moves, documents.

    Parameters
    ----------
    standing : pandas.DataFrame
        What `peer_levels` returned.
    training_use : pandas.DataFrame
        `frames.TRAINING_USE_COLUMNS` of the platform.
    moves : pandas.DataFrame
        What `platform_moves` returned.
    changes : pandas.DataFrame or None
        `frames.CHANGES_COLUMNS` of the platform; None where they are not shown to this key.
    states : pandas.DataFrame
        `frames.STATES_COLUMNS`.
    documents : pandas.DataFrame
        What `freshness` returned for the platform.
    findings : pandas.DataFrame, optional
        Its clauses: without them nothing is said of an opt-out that was not found.

    Returns
    -------
    tuple of str
        Plain text, not escaped: levels, peers, training use, moves, documents. What is not known is said to be.

    Examples
    --------
    >>> one, slug = data.of(["orvewick-voice"]), "orvewick-voice"
    >>> standing = analysis.peer_levels(analysis.risk_matrix(data.findings, data.surfaces, data.platforms), slug)
    >>> states, changes = one.past_states(slug, 4).states, one.changes()
    >>> moves, fresh = analysis.platform_moves(states, changes), analysis.freshness(one.documents, one.day)
    >>> analysis.dossier_sentences(standing, one.training_use, moves, changes, states, fresh, one.findings)[2]
    'Training use: it trains on user content by default, and no opt-out was found.'
    """
    rows = records(standing, "dossier_sentences", "surface", "state", "risk", "level", "standing", "peers")
    told = records(training_use, "dossier_sentences", "stance", "consumer_stance", "business_stance")
    texts = records(documents, "dossier_sentences", "document", "flag", "state", "language", "read")
    training = _training(told[0] if told else {}, findings, models.languages_not_read(texts))
    return _levels(rows), _peers(rows), training, _moves(moves, changes, states), _documents(texts)


def own_words(row: Record) -> str:
    """Return what is known of the platform itself on a surface without a level: a row of `peer_levels`."""
    return models.state_words(mark_of(row).lower(), 0 if is_missing(row["clauses"]) else int(row["clauses"]))


def _surfaces(rows: Sequence[Record]) -> str:
    """Return the first surfaces by name, and how many others there are."""
    return listed([surface_name(str(row["surface"])) for row in rows], _NAMED)


def _levels(rows: Sequence[Record]) -> str:
    """Return on how many surfaces the platform has each level, and what is known of the others."""
    rated = [row for row in rows if row["state"] == "found"]
    found = {level: [row for row in rated if row["risk"] == level] for level in models.RATINGS}
    parts = [f"HIGH on {_surfaces(found['HIGH'])}"] if found["HIGH"] else ["none HIGH"]
    parts += [f"{level} on {len(found[level]):,}" for level in ("MED", "LOW") if found[level]]
    marks = Counter(map(mark_of, rows))
    others = {"nothing found": "QUIET", "clauses to read": "TO_READ", "not read": "UNREAD"}
    parts += [f"{words} on {marks[mark]:,}" for words, mark in others.items() if marks[mark]]
    return f"Of {plural(len(rows), 'surface')}: {joined(parts)}." if rows else "No surface was read."


def _peers(rows: Sequence[Record]) -> str:
    """Return on which surfaces the platform's level is above or below that of most others."""
    count = max((int(row["peers"]) for row in rows), default=0)
    if not count:
        return "There is no other platform to compare it with."
    sides = {words: [row for row in rows if row["standing"] == words] for words in ("above most", "below most")}
    parts = [f"{words} on {_surfaces(side)}" for words, side in sides.items() if side]
    others = plural(count, "other platform")
    return f"Against {others} its level is {joined(parts)}." if parts else f"{nothing_unusual(rows)}."


def nothing_unusual(rows: Sequence[Record]) -> str:
    """Return that no surface is unusually high or low, and on how many surfaces that could be compared.

    Parameters
    ----------
    rows : sequence of mapping
        Of `peer_levels`, at least one.
    """
    compared = sum(bool(row["standing"]) for row in rows)
    peers = plural(max(int(row["peers"]) for row in rows), "peer")
    if compared == len(rows):
        return f"Typical of its {peers}: no surface is unusually high or low"
    if not compared:
        return f"No surface has a level to compare with those of its {peers}"
    return f"On the {compared:,} of {plural(len(rows), 'surface')} with a level it is typical of its {peers}"


def _training(row: Record, findings: pd.DataFrame | None, not_read: str) -> str:
    """Return what the platform does with user content in training, by audience where the answers differ."""
    stance = row.get("stance")
    if is_missing(stance):
        return f"What it does with user content in training is not known{not_read and ': not read: '}{not_read}."
    plans = {"for consumers": row["consumer_stance"], "for business customers": row["business_stance"]}
    sides = [(words, said) for words, said in plans.items() if not is_missing(said) and said != "silent"]
    if len({said for _, said in sides}) > 1:
        return f"Training use: {'; '.join(f'{words}, it {_said(said, findings)}' for words, said in sides)}."
    if stance == "silent":
        return "No clause on training use was found."
    return f"Training use: it {_said(stance, findings)}."


def _said(stance: object, findings: pd.DataFrame | None) -> str:
    """Return a stance as the end of a sentence about the platform."""
    if stance == "trains_by_default" and findings is not None:
        own = findings[(findings["surface"] == "training_use") & (findings["polarity"] == "mitigates_risk")]
        some = own["quote"].map(models.names_way_out).any()
        return f"{models.STANCE_CLAUSES[stance]}, and {'the way out is for some users only' if some else 'no opt-out was found'}"
    if stance == "undetermined":
        return "is undetermined: clauses conflict or are not explicit, and are to be read"
    return models.STANCE_CLAUSES.get(str(stance)) or f"is told as {models.stance_name(str(stance)).lower()}"


def _moves(moves: pd.DataFrame, changes: pd.DataFrame | None, states: pd.DataFrame) -> str:
    """Return when the rating moved last, as exactly as it is known, and how many changes are recorded."""
    rows = [row for row in records(moves, "dossier_sentences", "at", "since", "direction") if row["direction"]]
    if changes is None:
        return _moves_between_days(rows, states)
    if changes.empty:
        return "No change is recorded."
    material = int((changes["change_class"] == "material").sum())
    amount = f"{plural(material, 'material change')} among {plural(len(changes), 'recorded difference')}"
    if rows:
        return f"Its rating last moved on {_day(rows[0]['at'])}, {_from_to(rows[0])}; {amount}."
    begins = _day(changes["reviewed_at"].min())
    return f"Its rating has not moved since the record of changes begins, {begins}; {amount}."


def _moves_between_days(rows: Sequence[Record], states: pd.DataFrame) -> str:
    """Return between which days read the rating moved last: all that is known without the changes."""
    known = [row for row in records(states, "dossier_sentences", "state", "date") if row["state"] == "known"]
    if len(known) < 2:
        return "How its rating moved is not known: the changes and the past states are not shown here."
    if rows:
        last = rows[0]
        return f"Its rating last moved between {_day(last['since'])} and {_day(last['at'])}, {_from_to(last)}."
    return f"Its rating is the same on all {len(known)} days read since {_day(known[0]['date'])}."


def _from_to(row: Record) -> str:
    """Return from which rating to which a move went."""
    return f"from {word_of(row['rating_before']) or 'not known'} to {word_of(row['rating_after']) or 'not known'}"


def _day(value: object) -> str:
    """Return a time as its day, UTC, in a sentence."""
    return day(value) or "a day not told"


def _documents(rows: Sequence[Record]) -> str:
    """Return how many documents could be read, and which could not."""
    if not rows:
        return "Which documents were read is not known."
    whole = plural(len(rows), "document")
    bad = [word_of(row["document"]) for row in rows if row["flag"] in _BAD]
    told = [f"{len(bad):,} of {whole} could not be read as captured last: {listed(bad, _NAMED)}."] if bad else []
    if languages := models.languages_not_read(rows):
        names = [word_of(row["document"]) for row in rows if models.in_other_language(row)]
        told.append(f"Not read: {languages} ({listed(names, _NAMED)}).")
    return " ".join(told) or f"{'All ' if len(rows) > 1 else ''}{whole} could be read."
