"""The sentences at the top of a comparison: where platforms differ, and which has the lower level."""

from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import stance_name
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import joined, listed, plural

from ..shape import NOT_GIVEN

__all__ = ["comparison_sentences", "comparison_title"]

_MOST: Final = 3
_NAMED: Final = 4
_OLD: Final = 365
"""Age in days from which a newest text is called old."""
_PLANS: Final = {"for consumers": "consumer_stance", "for business users": "business_stance"}


def comparison_title(comparison: pd.DataFrame) -> str:
    """Return the title of a comparison: the platforms, and the number of surfaces on which their levels differ.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of `comparison`.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> analysis.comparison_title(both)
    'Orvewick Voice and Agent by Yoralow: different levels on 8 of 12 surfaces'
    """
    labels = list(comparison["label"].unique())
    who = joined(labels) if len(labels) <= _MOST else plural(len(labels), "platform")
    return f"{who}: {differences(comparison)}"


def differences(cells: pd.DataFrame) -> str:
    """Return a phrase on the number of surfaces with different levels, such as `different levels on 8 of 12 surfaces`.

    If there is no such surface, the phrase counts the surfaces with the same level, if any; else it says that no surface can be
    compared.

    Parameters
    ----------
    cells : pandas.DataFrame
        Result of `comparison`.
    """
    if different := differing(cells)["surface"].nunique():
        return f"different levels on {different} of {plural(cells['surface'].nunique(), 'surface')}"
    same = _same(cells)
    return f"the same level on {same} that can be compared" if same else "no surface can be compared"


def comparison_sentences(comparison: pd.DataFrame, compared: pd.DataFrame) -> tuple[str, ...]:
    """Sum up the differences between the compared platforms in sentences.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of `comparison`.
    compared : pandas.DataFrame
        Result of `compared_platforms`.

    Returns
    -------
    tuple of str
        Plain text: where the platforms differ most, which platform has the lowest level on which surfaces, training use by plan,
        ratings, surfaces without a clause, unknown levels, and texts that are old or could not be read.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> frames = both, pair.platforms, pair.training_use, analysis.freshness(pair.documents, pair.day)
    >>> print(analysis.comparison_sentences(both, analysis.compared_platforms(*frames))[2])
    Training use: trains, no opt-out found (Orvewick Voice), trains only after opt-in (Agent by Yoralow).
    """
    if comparison.empty or compared.empty:
        return ("No platform was compared.",)
    levels = (most_different(comparison), _lower(comparison), _training(compared), _ratings(compared))
    return tuple(filter(None, (*levels, _silence(comparison), _unknown(comparison), _texts(compared))))


def differing(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a comparison for the surfaces on which the platforms have different levels.

    Parameters
    ----------
    cells : pandas.DataFrame
        Result of `comparison`.
    """
    return cells[cells["relation"] == "levels"]


def _who(rows: pd.DataFrame, by: str) -> dict[str, str]:
    """Return the platforms by their value in a column."""
    groups = rows["label"].groupby(rows[by].astype("str"), sort=False)
    return {str(value): listed(list(labels), _NAMED) for value, labels in groups}


def _where(cells: pd.DataFrame) -> dict[str, list[str]]:
    """Return the names of the surfaces of cells by platform, in order."""
    placed = cells.sort_values("place", kind="stable")
    names = placed["surface"].map(surface_name).groupby(placed["label"], sort=False)
    return {str(label): list(surfaces) for label, surfaces in names}


def _same(cells: pd.DataFrame) -> str:
    """Return the number of surfaces on which two or more platforms have the same known level; empty otherwise."""
    number = cells.loc[cells["standing"] == "same", "surface"].nunique()
    many = f"all {number} surfaces" if number else ""
    return "the one surface" if number == 1 else many


def most_different(cells: pd.DataFrame) -> str:
    """Return a sentence that names the surfaces on which the levels differ most, or says that no levels differ.

    Parameters
    ----------
    cells : pandas.DataFrame
        Result of `comparison`.
    """
    different = differing(cells)
    if different.empty:
        same = _same(cells)
        none = "No surface has two known levels, so no levels can be compared."
        return f"Their levels are the same on {same} with more than one known level." if same else none
    widest = different["spread"].max()
    most = different[(different["spread"] == widest) & (different["state"] == "found")]
    parts = []
    for surface, group in most.groupby("surface", sort=False):
        levels = _who(group.sort_values("level", ascending=False, kind="stable"), "level")
        parts.append(f"{surface_name(str(surface))} ({'; '.join(map(': '.join, levels.items()))})")
    step, where = "by two levels" if widest == 2 else "by one level", listed(parts, _MOST)
    rest = different["surface"].nunique() - len(parts)
    if not rest:
        return f"They differ {step} on {where}."
    return f"They differ most, {step}, on {where}; by less on {rest} more."


def _lower(cells: pd.DataFrame) -> str:
    """Return which platforms have the lowest and highest level most often, and where; empty if no level differs."""
    different = differing(cells)
    number, parts = different["surface"].nunique(), []
    for key in ("lowest", "highest")[: different["label"].nunique() - 1] if number else ():
        own = _where(different[different["standing"] == key])
        ranked = sorted(own.items(), key=lambda item: -len(item[1]))[:_MOST]
        who = [f"{label} on {len(names):,} ({listed(names, _NAMED)})" for label, names in ranked]
        parts.append(f"{key.capitalize()}: {joined(who)}")
        if key == "lowest" and len(ranked[0][1]) == number:
            parts.append(f"{ranked[0][0]} is never above another platform")
    return f"Levels differ on {plural(number, 'surface')}. {'. '.join(parts)}." if parts else ""


def _training(platforms: pd.DataFrame) -> str:
    """Return the answers on training use, separately for consumers and business users if both are known."""
    known = {plan: key for plan, key in _PLANS.items() if platforms[key].notna().any()}
    said = [f"{plan}: {_answers(platforms, key)}" for plan, key in known.items()]
    return f"Training use, {'; '.join(said)}." if len(said) > 1 else f"Training use: {_answers(platforms, 'stance')}."


def _answers(platforms: pd.DataFrame, key: str) -> str:
    """Return the answers of one column, each with the platforms that give it."""
    said = platforms[key].map(lambda stance: stance_name(stance).lower(), na_action="ignore").astype("object")
    said = said.fillna("no separate answer").mask(platforms[key].isna() & platforms["stance"].isna(), "not read")
    groups = _who(platforms.assign(said=said), "said")
    every = _all(platforms) if len(groups) == 1 else ""
    return ", ".join(f"{words} ({every or who})" for words, who in groups.items())


def _all(platforms: pd.DataFrame) -> str:
    return "both" if len(platforms) == 2 else "all of them"


def _ratings(platforms: pd.DataFrame) -> str:
    """Return the ratings of the platforms, the worst first."""
    rated = platforms.sort_values("rating", ascending=False, kind="stable")
    groups = _who(rated.assign(rating=rated["rating"].astype("str").fillna(NOT_GIVEN)), "rating")
    if len(groups) == 1:
        return f"{_all(platforms).capitalize()} are rated {next(iter(groups))}."
    return f"Rated {'; '.join(map(': '.join, groups.items()))}."


def _silence(cells: pd.DataFrame) -> str:
    """Return the surfaces on which one platform has no clause and another has one."""
    spoken = cells.loc[cells["state"].isin(("found", "to_read")), "surface"]
    silent = _where(cells[(cells["standing"] == "silent") & cells["surface"].isin(spoken)])
    parts = [f"{who} on {listed(names, _MOST)}" for who, names in silent.items()]
    said = f"No clause found where another platform has one: {'; '.join(parts)}. Silence is not a promise."
    return said if parts else ""


def _unknown(cells: pd.DataFrame) -> str:
    """Return the surfaces without a known level by platform, with the reason."""
    why = cells["standing"].map({"undetermined": "to be read", "not read": "not read"}).dropna()
    unknown, parts = cells.loc[why.index], []
    for who, names in _where(unknown).items():
        where = "every surface" if len(names) == cells["surface"].nunique() else listed(names, _MOST)
        reasons = sorted(set(why[unknown["label"] == who]), reverse=True)
        parts.append(f"{who} on {where} ({', '.join(reasons)})")
    return f"Without a level: {'; '.join(parts)}." if parts else ""


def _texts(platforms: pd.DataFrame) -> str:
    """Return the platforms with old texts, and those with documents whose newest form could not be read."""
    aged = rows_of(platforms[(platforms["newest_days"] > _OLD).fillna(False)])
    old = [f"{row['label']} since {row['newest_text_at']:%Y-%m-%d}" for row in aged]
    flagged = rows_of(platforms[platforms["flagged"] > 0])
    bad = [f"{row['flagged']:,} of {plural(row['documents'], 'document')} of {row['label']}" for row in flagged]
    named = {"no new text was recorded for": old, "the newest text could not be read for": bad}
    said = "; ".join(f"{words} {listed(who, _NAMED)}" for words, who in named.items() if who)
    return f"{said[0].upper()}{said[1:]}." if said else ""
