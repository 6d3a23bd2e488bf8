"""The headline: facts of a month, and three plain sentences that carry no more than these facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from riskanalytics.analysis.shape import is_missing, records, word_of
from riskanalytics.models import VERIFICATIONS


@dataclass(frozen=True)
class Headline:
    """Numbers and names of a month; None where the data do not tell.

    Parameters
    ----------
    platforms : int
        Platforms in scope: the denominator of the first sentence.
    material : int or None
        Material changes of the period; None where changes could not be read.
    changed : tuple of str
        Names of the platforms with a material change, worst first, each once.
    noise : int or None
        Other differences (wording, format, reverts, capture failures, technical).
    risen, fallen, unclear : tuple of str, or None
        Names of platforms whose rating rose, fell, or went to or from a rating that is not known.
    stances : mapping of str to int, or None
        Platforms by stance on training use.
    answered, unanswered : int
        Platforms with and without a stance (silent is an answer of the documents' reading).
    tracked : int or None
        Platforms tracked: the denominator of the states.
    states : mapping of str to int, or None
        Platforms by state of verification.
    broken : tuple of str, or None
        Names of platforms with a document whose newest capture is broken or stale, each once.
    """

    platforms: int
    material: int | None = None
    changed: tuple[str, ...] = ()
    noise: int | None = None
    risen: tuple[str, ...] | None = None
    fallen: tuple[str, ...] | None = None
    unclear: tuple[str, ...] | None = None
    stances: Mapping[str, int] | None = None
    answered: int = 0
    unanswered: int = 0
    tracked: int | None = None
    states: Mapping[str, int] | None = field(default=None)
    broken: tuple[str, ...] | None = None


def headline(
    platforms: pd.DataFrame,
    *,
    material: pd.DataFrame | None = None,
    noise: pd.DataFrame | None = None,
    moves: pd.DataFrame | None = None,
    shares: pd.DataFrame | None = None,
    coverage: pd.DataFrame | None = None,
    freshness: pd.DataFrame | None = None,
) -> Headline:
    """Gather the facts of a month from the frames of the other analyses.

    Parameters
    ----------
    platforms : pandas.DataFrame
        Platforms in scope, one row each.
    material, noise, moves, shares, coverage, freshness : pandas.DataFrame, optional
        What `material_changes`, `change_noise`, `rating_moves`, `stance_shares`, `coverage` and
        `freshness` returned. What is left out is not known, and the sentences say so.

    Returns
    -------
    Headline
    """
    stances, answered, unanswered = _stances(shares)
    tracked, states = _states(coverage)
    return Headline(
        platforms=len(platforms),
        material=None if material is None else len(material),
        changed=() if material is None else _names(material),
        noise=None if noise is None else int(noise.loc[~noise["material"], "changes"].sum()),
        risen=_moved(moves, "up"),
        fallen=_moved(moves, "down"),
        unclear=_moved(moves, "unclear"),
        stances=stances,
        answered=answered,
        unanswered=unanswered,
        tracked=tracked,
        states=states,
        broken=None if freshness is None else _names(freshness[freshness["flag"].isin(["broken", "stale"])]),
    )


def _names(frame: pd.DataFrame) -> tuple[str, ...]:
    by_slug = {row["slug"]: word_of(row["name"]) for row in records(frame, "headline", "slug", "name")}
    return tuple(by_slug.values())


def _moved(moves: pd.DataFrame | None, direction: str) -> tuple[str, ...] | None:
    return None if moves is None else _names(moves[moves["direction"] == direction])


def _stances(shares: pd.DataFrame | None) -> tuple[dict[str, int] | None, int, int]:
    if shares is None:
        return None, 0, 0
    rows = [row for row in records(shares, "headline", "audience", "stance") if row["audience"] == "all"]
    stances = {row["stance"]: int(row["platforms"]) for row in rows}
    return stances, int(rows[0]["total"]), int(rows[0]["unknown"])


def _states(coverage: pd.DataFrame | None) -> tuple[int | None, dict[str, int] | None]:
    rows = [] if coverage is None else records(coverage, "headline", "state", "platforms", "tracked")
    if not rows or any(is_missing(row["platforms"]) or is_missing(row["tracked"]) for row in rows):
        return None, None
    return int(rows[0]["tracked"]), {row["state"]: int(row["platforms"]) for row in rows}


def sentences(facts: Headline, names: int = 3) -> tuple[str, str, str]:
    """Say the facts in three plain sentences: what moved, who trains on content, what could not be read.

    Parameters
    ----------
    facts : Headline
    names : int
        At most so many platforms are named; the others are counted.

    Returns
    -------
    tuple of three str
        Plain text, not escaped. Nothing is said that the facts do not carry; a quiet month says so.
    """
    return _say_moves(facts, names), _say_training(facts), _say_evidence(facts, names)


def _say_moves(facts: Headline, names: int) -> str:
    if facts.material is None:
        return "What changed is not known: the changes of this period could not be read."
    moved = [
        f"the rating of {listed(who, names)} {verb}"
        for who, verb in ((facts.risen, "rose"), (facts.fallen, "fell"), (facts.unclear, "became unclear"))
        if who
    ]
    scope = counted(facts.platforms, "platform")
    if facts.material == 0:
        told = f"A quiet month: no material change on {scope}"
    else:
        told = (
            f"{counted(facts.material, 'material change')} on {len(facts.changed):,} of {scope} "
            f"({listed(facts.changed, names)})"
        )
    rest = joined(moved) if moved else "no rating moved"
    if facts.risen is None:
        rest = "how ratings moved is not known"
    quiet = f"; {counted(facts.noise, 'other difference')} changed no finding" if facts.noise else ""
    return f"{told}; {rest}{quiet}."


def training_sentences(
    shares: pd.DataFrame, training_use: pd.DataFrame, moves: pd.DataFrame | None, period: str, names: int = 3
) -> tuple[str, str, str]:
    """Say in three plain sentences who trains on content, what the plan changes, and who moved.

    Parameters
    ----------
    shares, training_use, moves : pandas.DataFrame
        What `stance_shares`, `training_use` and `stance_moves` returned; moves None where they are not known.
    period : str
        When they moved, such as `in the 24 months to 2026-10-31`.
    names : int
        At most so many platforms are named; the others are counted.

    Returns
    -------
    tuple of three str
        Plain text, not escaped.
    """
    stances, answered, unanswered = _stances(shares)
    facts = Headline(platforms=len(training_use), stances=stances, answered=answered, unanswered=unanswered)
    return _say_training(facts), _say_plans(training_use, names), _say_stances(moves, len(training_use), period)


_TRAINS = ("trains_by_default", "trains_with_opt_out")


def _say_plans(training_use: pd.DataFrame, names: int) -> str:
    sides = training_use[["consumer_stance", "business_stance"]]
    both = training_use[(sides.notna() & ~sides.isin(["undetermined"])).all(axis=1)]
    if both.empty:
        return "No platform answers apart for consumers and for business users."
    consumer, business = (both[f"{side}_stance"].isin(_TRAINS) for side in ("consumer", "business"))
    kept, turned = _names(both[consumer & ~business]), _names(both[business & ~consumer])
    told = f"{counted(len(both), 'platform')} {_verb(len(both), 'answer')} apart for consumers and for business users"
    if not kept and not turned:
        return f"{told}; the plan does not decide on any of them whether they train by default."
    parts = []
    if kept:
        train = f"{_verb(len(kept), 'train')} by default on what consumers give and not on what business users give"
        parts.append(f"{len(kept):,} of them ({listed(kept, names)}) {train}")
    if turned:
        parts.append(f"{len(turned):,} ({listed(turned, names)}) the other way round")
    return f"{told}; {joined(parts)}."


def _verb(number: int, word: str) -> str:
    return f"{word}s" if number == 1 else word


_MOVES = (
    ("more", "towards training"),
    ("by_plan", "to an answer that depends on the plan"),
    ("not_by_plan", "from one that depended on it to one for all"),
    ("silent", "to silence"),
    ("answered", "from silence to an answer"),
    ("unclear", "to or from an answer that is not settled"),
    ("less", "away from training"),
)


def _say_stances(moves: pd.DataFrame | None, platforms: int, period: str) -> str:
    if moves is None:
        return "Who changed is not known: the service shows changes to Pro keys only."
    counts = moves["direction"].value_counts()
    moved = len(moves) - int(counts.get("back", 0))
    back = f"{counted(int(counts.get('back', 0)), 'platform')} moved and came back" if counts.get("back") else ""
    if not moved:
        return f"No stance moved {period}{f'; {back}' if back else ''}."
    parts = [f"{counts[direction]:,} {words}" for direction, words in _MOVES if counts.get(direction)]
    rest = f"; {back}" if back else ""
    return f"{moved:,} of {counted(platforms, 'platform')} moved {period}: {joined(parts)}{rest}."


_STANCE_PHRASES = {
    "trains_by_default": ("train", "trains", " on customer content with no way out stated"),
    "depends_on_plan": ("make", "makes", " it depend on the plan"),
    "trains_with_opt_out": ("train", "trains", " unless the customer opts out"),
    "trains_with_opt_in": ("train", "trains", " only after an opt-in"),
    "does_not_train": ("say that they do", "says that it does", " not"),
    "undetermined": ("are", "is", " undetermined and to be read"),
    "silent": ("are", "is", " silent"),
}


def _stance_phrase(stance: str, number: int) -> str:
    many, one, rest = _STANCE_PHRASES[stance]
    return (one if number == 1 else many) + rest


def _say_training(facts: Headline) -> str:
    if facts.stances is None or not facts.answered:
        return "Who trains on customer content is not known: no stance could be read."
    known = {stance: facts.stances.get(stance, 0) for stance in _STANCE_PHRASES}
    strange = facts.answered - sum(known.values())
    parts = [f"{count:,} {_stance_phrase(stance, count)}" for stance, count in known.items() if count]
    parts += [f"{strange:,} {_verb(strange, 'give')} another answer"] if strange else []
    rest = f"; on {facts.unanswered:,} more the answer is not known" if facts.unanswered else ""
    if len(parts) == 1 and facts.answered == 1:
        return f"The one platform read: {parts[0]}{rest}."
    return f"Of {counted(facts.answered, 'platform')}, {joined(parts)}{rest}."


def _say_evidence(facts: Headline, names: int) -> str:
    if facts.states is None or facts.tracked is None:
        told = "How much of the evidence is verified is not known"
    elif facts.states["verified"] == facts.tracked and facts.tracked:
        told = f"All {counted(facts.tracked, 'tracked platform')} are verified"
    else:
        parts = [
            f"{facts.states[state]:,} {state}" for state in VERIFICATIONS if facts.states[state] or state == "verified"
        ]
        told = f"Of {counted(facts.tracked, 'tracked platform')}, {joined(parts)}"
    if facts.broken is None:
        return f"{told}; which documents could not be read is not known."
    if not facts.broken:
        return f"{told}; no newest capture of a document is broken."
    who = f"{len(facts.broken):,} ({listed(facts.broken, names)})"
    return f"{told}; a newest capture could not be read on {who}."


def counted(number: int | None, noun: str) -> str:
    """Return a count with its noun in the right number."""
    return f"{number or 0:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], limit: int) -> str:
    """Return the first names as a person lists them, and how many others there are."""
    shown = list(names[:limit])
    left = len(names) - len(shown)
    return joined([*shown, f"{left:,} {'other' if left == 1 else 'others'}"] if left else shown)


def joined(parts: Sequence[str]) -> str:
    """Return parts as a person lists them."""
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"
