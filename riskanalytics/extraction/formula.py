"""The rating's formula as the service publishes it: its steps in plain words, with the numbers that are used.

What is computed stands in `assess`; the numbers here are read from there, never written twice.
"""

from __future__ import annotations

from typing import Final

from riskanalytics.extraction.assess import HIGH_FROM, LOW_BELOW, POINTS, WEIGHTS
from riskanalytics.extraction.reading import RULES_VERSION
from riskanalytics.extraction.stance import SURE
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

VERSION: Final = "5"
"""Of the formula; raised whenever `assess` computes otherwise."""
ASSESSED_BY: Final = f"{RULES_VERSION}/{VERSION}"
"""What reads, and what rates by it: a database that another version rated is reviewed again."""


def published_formula() -> dict[str, object]:
    """Return the formula for readers of the service.

    Returns
    -------
    dict
        `version`; `weights` (surface -> weight) and `points` (level -> points); `high_from` and `low_below`, the
        bounds of the weighted mean; `steps`, one sentence or two each.
    """
    return {
        "version": VERSION,
        "weights": dict(WEIGHTS),
        "points": dict(POINTS),
        "high_from": HIGH_FROM,
        "low_below": LOW_BELOW,
        "steps": list(_STEPS),
    }


_PROTECTED: Final = " and ".join(told.name for told in SURFACE_DESCRIPTIONS.values() if told.protective_decide)
_STEPS: Final = (
    "Findings of one surface with the same words count once. Feedback licences, promises about one connector only and "
    "neutral clauses never raise or lower a level.",
    "A surface's level is that of a self-serve user; clauses and documents for business customers stand aside. It is "
    "HIGH where the HIGH clauses are at least as many as the protective ones and at least half as many as the MED "
    "ones; else LOW where the protective ones are more than twice as many as all that raise the risk; else MED. "
    f"It is never HIGH without a HIGH clause whose confidence is {SURE} or more. "
    f"{_PROTECTED} are LOW as soon as protective clauses outnumber HIGH ones. A surface without findings, or with neutral "
    "ones only, has no level, and never counts as LOW.",
    "On training use the stance decides, and the stance only by clauses whose own words say that the vendor does, or does "
    "not, train models with its users' material: by default without a way out it is HIGH, with a way out or depending on "
    "the plan MED (HIGH where the weakest plan has no way out), only after consent or never LOW. Where such clauses "
    f"conflict or none is explicit, a single one below a confidence of {SURE} would decide, or what is no finding says "
    "otherwise in explicit words, the stance is undetermined and "
    "to be read: training use has no level then, as where no clause was found, and the platform is never LOW. No clause found "
    "is said only where all documents are in a language that is read and hold no finding and no lead on training use.",
    "The weighted mean is the sum over surfaces of weight times points, divided by the sum of the weights of the surfaces "
    f"that have a level; points are {', '.join(f'{name} {points}' for name, points in reversed(POINTS.items()))}.",
    f"The rating is HIGH where training use is HIGH or the mean is {HIGH_FROM} or more; LOW where the documents say that "
    f"users' content does not train, the mean is below {LOW_BELOW} and no surface of weight 2 or more is HIGH; else MED. "
    "Silence on training is never a reason for LOW. Without a level on any surface, or without a document in a "
    "language that is read, the platform is UNRATED.",
)
