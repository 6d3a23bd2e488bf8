"""Five platforms and what they say on one surface, for tests of this topic."""

from __future__ import annotations

import pandas as pd

from riskanalytics.topics.ratings.matrix import risk_matrix
from tests.frames_given import ANSWERS, CELLS, FINDINGS, PLATFORMS, given

SLUGS = ("lumen", "opal", "quill", "tarn", "harbor")
LEVELS = (("LOW", "found"), ("HIGH", "found"), (None, "quiet"), (None, "unread"), ("MED", "found"))


def cells() -> pd.DataFrame:
    rows = [
        {"slug": slug, "surface": "data_retention", "risk": risk, "state": state, "count": 1 if risk else 0}
        for slug, (risk, state) in zip(SLUGS, LEVELS, strict=True)
    ]
    training = {"slug": "lumen", "surface": "training_use", "risk": "HIGH", "state": "found", "count": 1}
    return given(CELLS, *rows, training)


def findings() -> pd.DataFrame:
    def clause(slug: str, number: int, risk: str, quote: str, **more: object) -> dict[str, object]:
        row = {
            "slug": slug,
            "finding_id": f"{slug}-{number}",
            "surface": "data_retention",
            "risk": risk,
            "quote": quote,
        }
        return {**row, "polarity": "raises_risk", "confidence": 0.9, "document": "Terms", "start": number, **more}

    return given(
        FINDINGS,
        clause("opal", 1, "MED", "We keep it."),
        clause("opal", 2, "HIGH", "We keep it for ever."),
        clause("opal", 3, "HIGH", "We keep it for ever.", duplicate_of="opal-2"),
        clause("harbor", 1, "MED", "As long as our organisation needs it."),
        clause("harbor", 2, "LOW", "Deleted in 30 days.", polarity="mitigates_risk"),
        clause("lumen", 1, "LOW", "Deleted at once.", polarity="mitigates_risk"),
        clause("lumen", 2, "HIGH", "We train.", surface="training_use"),
    )


def platforms() -> pd.DataFrame:
    rows = [{"slug": slug, "rating": "HIGH" if slug == "opal" else "MED", "verification": "verified"} for slug in SLUGS]
    return given(PLATFORMS, *rows)


def answers() -> pd.DataFrame:
    return given(
        ANSWERS, *({"slug": slug, "stance": "silent" if slug == "tarn" else "does_not_train"} for slug in SLUGS)
    )


def matrix() -> pd.DataFrame:
    return risk_matrix(findings(), cells(), platforms())
