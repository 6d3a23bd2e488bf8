"""Training use: every platform's answer with the clause that decides it, and the shares of the answers."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.shape import (
    NOT_GIVEN,
    SEVERITY,
    is_missing,
    items_of,
    level_of,
    records,
    shaped,
    share,
    word_of,
)
from riskanalytics.frames import LEVEL_DTYPE, TIME
from riskanalytics.models import STANCES

CLAUSE_COLUMNS: Final = {
    "finding_id": "str",
    "quote": "str",
    "risk": "str",
    "clause_level": LEVEL_DTYPE,
    "document": "str",
    "captured_at": TIME,
    "snapshot_sha256": "str",
    "archive_url": "str",
    "start": "Int64",
    "end": "Int64",
    "verification_status": "str",
}
TRAINING_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "rating": "str",
    "level": LEVEL_DTYPE,
    "stance": "str",
    "consumer_stance": "str",
    "business_stance": "str",
    "basis": "str",
    "clauses": "Int64",
    **CLAUSE_COLUMNS,
}
SHARE_COLUMNS: Final = {
    "audience": "str",
    "stance": "str",
    "platforms": "Int64",
    "total": "Int64",
    "unknown": "Int64",
    "share": "Float64",
    "low": "Float64",
    "high": "Float64",
}
AUDIENCES: Final = {"all": "stance", "consumer": "consumer_stance", "business": "business_stance"}
"""Audience of a share, and the column that holds its stance."""


def training_use(training_use: pd.DataFrame, findings: pd.DataFrame) -> pd.DataFrame:
    """Join each platform's stance on training use to the clause that decides it.

    The clause is one that the service names in `decided_by` (one on the surface `training_use` first);
    else the training clause of the highest level; none where the documents are silent. Ties go to the
    higher confidence, then to the earlier place.

    Parameters
    ----------
    training_use : pandas.DataFrame
        `slug`, `name`, `rating`, `stance`, `consumer_stance`, `business_stance`, `decided_by`.
    findings : pandas.DataFrame
        Clauses with `slug`, `finding_id`, `surface`, `risk`, `confidence`, `quote` and their provenance.

    Returns
    -------
    pandas.DataFrame
        One row per platform: `slug`, `name`, `rating` str, `level` category, `stance`,
        `consumer_stance`, `business_stance` str, `basis` str (`decided_by`, `highest_risk`, `none`),
        `clauses` Int64 (training clauses, near-copies not counted), then of the clause: `finding_id`,
        `quote`, `risk` str, `clause_level` category, `document` str, `captured_at` time,
        `snapshot_sha256`, `archive_url` str, `start`, `end` Int64, `verification_status` str. Most
        exposed stance first (`models.STANCES`, then stances never seen), then by name.
    """
    needed = ("slug", "name", "rating", "stance", "consumer_stance", "business_stance", "decided_by")
    answers = records(training_use, "training_use", *needed)
    clauses: dict[Any, list[dict[str, Any]]] = {}
    for finding in records(findings, "training_use", "slug", "finding_id", "surface", "risk", "quote"):
        clauses.setdefault(finding["slug"], []).append(finding)
    rows = [_answer(row, clauses.get(row["slug"], [])) for row in answers]
    rows.sort(key=lambda row: (stance_order(row["stance"]), row["name"].casefold(), row["slug"]))
    return shaped(rows, TRAINING_COLUMNS)


def stance_order(stance: object) -> tuple[int, str]:
    """Return the sorting key of a stance: most exposed first, silent and then stances never seen last."""
    word = word_of(stance) or NOT_GIVEN
    return (STANCES.index(word), "") if word in STANCES else (len(STANCES), word)


def _answer(row: dict[str, Any], clauses: list[dict[str, Any]]) -> dict[str, Any]:
    training = [clause for clause in clauses if clause["surface"] == "training_use"]
    basis, clause = _deciding(row, clauses, training)
    answer = {key: row[key] for key in ("slug", "rating", "stance", "consumer_stance", "business_stance")}
    if clause:
        answer |= {key: clause.get(key) for key in CLAUSE_COLUMNS}
    return answer | {
        "name": word_of(row["name"]) or row["slug"],
        "level": level_of(row["rating"]),
        "basis": basis,
        "clauses": sum(is_missing(clause.get("duplicate_of")) for clause in training),
        "clause_level": level_of(clause["risk"] if clause else None),
    }


def _deciding(
    row: dict[str, Any], clauses: list[dict[str, Any]], training: list[dict[str, Any]]
) -> tuple[str, dict[str, Any] | None]:
    if row["stance"] == "silent":
        return "none", None
    named = set(items_of(row["decided_by"]))
    decided = [clause for clause in clauses if clause["finding_id"] in named]
    if decided:
        return "decided_by", min(decided, key=_weight)
    return ("highest_risk", min(training, key=_weight)) if training else ("none", None)


def _weight(clause: dict[str, Any]) -> tuple[Any, ...]:
    confidence = clause.get("confidence")
    return (
        clause["surface"] != "training_use",
        not is_missing(clause.get("duplicate_of")),
        SEVERITY[level_of(clause["risk"])],
        0.0 if is_missing(confidence) else -float(confidence),  # type: ignore[arg-type]
        word_of(clause.get("document")),
        0 if is_missing(clause.get("start")) else clause["start"],
        word_of(clause["finding_id"]),
    )


def stance_shares(training_use: pd.DataFrame) -> pd.DataFrame:
    """Count the answers on training use, with their shares and 95 % intervals.

    The interval is Wilson's score interval (E. B. Wilson, "Probable inference, the law of succession, and
    statistical inference", Journal of the American Statistical Association 22, 1927, 209-212): it stays
    within 0..1 and holds for small counts. It says how far the share may lie from that of all
    platforms of this kind, were these a random sample of them.

    Parameters
    ----------
    training_use : pandas.DataFrame
        What `training_use` returned, or any frame with the three stance columns.

    Returns
    -------
    pandas.DataFrame
        `audience` str (`all`, `consumer`, `business`), `stance` str, `platforms` Int64, `total` Int64
        (platforms with an answer for that audience: the denominator), `unknown` Int64 (platforms
        without one), `share`, `low`, `high` Float64 0..1, missing where total is 0. Every audience has
        every stance of `models.STANCES`, then stances never seen, by word.
    """
    listed = records(training_use, "stance_shares", *AUDIENCES.values())
    occurring = {word_of(row[column]) for row in listed for column in AUDIENCES.values()} - {""}
    stances = sorted({*STANCES, *occurring}, key=stance_order)
    rows = []
    for audience, column in AUDIENCES.items():
        counts = Counter(word_of(row[column]) for row in listed)
        unknown = counts.pop("", 0)
        total = counts.total()
        for stance in stances:
            low, high = wilson_interval(counts[stance], total) if total else (None, None)
            rows.append(
                {
                    "audience": audience,
                    "stance": stance,
                    "platforms": counts[stance],
                    "total": total,
                    "unknown": unknown,
                    "share": share(counts[stance], total),
                    "low": low,
                    "high": high,
                }
            )
    return shaped(rows, SHARE_COLUMNS)


def wilson_interval(part: int, whole: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return Wilson's score interval for a share.

    Parameters
    ----------
    part, whole : int
        0 <= part <= whole, whole > 0.
    z : float
        Quantile of the normal distribution; the default gives 95 %.

    Returns
    -------
    tuple of float
        Lower and upper bound, within 0..1.
    """
    observed = part / whole
    spread = z * sqrt(observed * (1 - observed) / whole + z * z / (4 * whole * whole))
    middle = observed + z * z / (2 * whole)
    scale = 1 + z * z / whole
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
