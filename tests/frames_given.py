"""Hand-made frames with the declared columns, for tests of analyses and charts. All names are fictional."""

from __future__ import annotations

from typing import Any

import pandas as pd

from riskanalytics.frames import LEVEL_DTYPE, TIME, accuracy_frame, reliability_frame
from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.shape import level_of, shaped

PLATFORMS = {
    "slug": "str", "name": "str", "website": "str", "rating": "str", "level": LEVEL_DTYPE, "risk_reason": "str",
    "last_reviewed": TIME, "verification": "str", "url": "str",
}  # fmt: skip
FINDINGS = {
    "slug": "str", "name": "str", "finding_id": "str", "document": "str", "surface": "str", "risk": "str",
    "level": LEVEL_DTYPE, "polarity": "str", "confidence": "Float64", "quote": "str", "verification_status": "str",
    "snapshot_sha256": "str", "archive_url": "str", "start": "Int64", "end": "Int64", "captured_at": TIME, "document_url": "str",
    "conflicts_with": "object", "duplicate_of": "str",
}  # fmt: skip
CELLS = {
    "slug": "str", "name": "str", "surface": "str", "risk": "str", "level": LEVEL_DTYPE,
    "count": "Int64", "state": "str", "to_read": "Int64",
}  # fmt: skip
ANSWERS = {
    "slug": "str", "name": "str", "rating": "str", "level": LEVEL_DTYPE, "stance": "str", "consumer_stance": "str",
    "business_stance": "str", "decided_by": "object",
}  # fmt: skip
DOCUMENTS = {
    "slug": "str", "name": "str", "document": "str", "captured_at": TIME, "newest_capture_at": TIME,
    "snapshot_sha256": "str", "state": "str", "check": "str", "archive_url": "str", "document_url": "str",
    "language": "str", "read": "boolean",
}  # fmt: skip
CHANGES = {
    "change_id": "str", "slug": "str", "name": "str", "document": "str", "reviewed_at": TIME,
    "change_class": "str", "surfaces": "object", "direction": "str", "directions": "object", "rating_before": "str",
    "rating_after": "str", "stance_before": "str", "stance_after": "str", "snapshot_before": "str",
    "snapshot_after": "str", "added": "object", "removed": "object", "altered": "object", "cause": "object",
    "silent_edit": "boolean", "summary": "str", "url": "str",
}  # fmt: skip
COVERAGE = {
    "as_of": TIME, "tracked": "Int64", "verified": "Int64", "partial": "Int64", "stale": "Int64",
    "unverified": "Int64", "surfaces": "object",
}  # fmt: skip
STATES = {
    "slug": "str", "name": "str", "date": TIME, "state": "str", "rating": "str", "level": LEVEL_DTYPE, "stance": "str",
    "consumer_stance": "str", "business_stance": "str",
}  # fmt: skip
DATED_CELLS = {"date": TIME, **CELLS, "decided_by": "object"}
HISTORY = {"slug": "str", "name": "str", "date": TIME, "rating": "str", "level": LEVEL_DTYPE, "known": "bool"}

FIRST = ("Aurelia", "Northwind", "Lumen", "Cobalt", "Harbor", "Juniper", "Meridian", "Opal", "Quill", "Tarn")
LAST = ("Chat", "Draft", "Voice", "Canvas", "Notes", "Studio", "Desk", "Search", "Code", "Mail")


def given(columns: dict[str, Any], *rows: dict[str, Any]) -> pd.DataFrame:
    """Build a frame; `name` follows the slug and `level` the raw word where a row does not tell them."""
    full = []
    for row in rows:
        word = row.get("rating", row.get("risk"))
        full.append({"name": str(row.get("slug", "")).replace("-", " ").title(), "level": level_of(word)} | row)
    return shaped(full, columns)


_MADE: dict[int, dict[str, Any]] = {}
"""Size -> the frames of a market: they are made once, and later copied."""


class Market:
    """Frames of a fictional market, the same for the same size."""

    def __init__(self, size: int) -> None:
        if size not in _MADE:
            self._make(size)
            _MADE[size] = vars(self)
        self.__dict__ = {name: value.copy() for name, value in _MADE[size].items()}

    def _make(self, size: int) -> None:
        names = [f"{FIRST[n % 10]} {LAST[n // 10 % 10]}{f' {n // 100 + 1}' if n >= 100 else ''}" for n in range(size)]
        self.slugs = [name.lower().replace(" ", "-") for name in names]
        self.ratings = [("HIGH", "MED", "MED", "LOW", "HIGH", "MED", "UNRATED")[n * 5 % 7] for n in range(size)]
        pairs = list(zip(self.slugs, names, self.ratings, strict=True))
        self.platforms = given(PLATFORMS, *({"slug": s, "name": n, "rating": r} for s, n, r in pairs))
        self.cells = given(
            CELLS,
            *(
                {"slug": slug, "name": name, "surface": surface} | _cell(n, m)
                for n, (slug, name, _) in enumerate(pairs)
                for m, surface in enumerate(SURFACES)
            ),
        )
        self.answers = given(
            ANSWERS,
            *(
                {"slug": s, "name": n, "rating": r, "decided_by": [f"f{i}"]}
                | {"stance": STANCES[i * 7 % 11 % 6]}
                | {"consumer_stance": (*STANCES, None)[i * 7 % 11 % 7]}
                | {"business_stance": ("does_not_train", "trains_with_opt_in", None, "silent")[i * 3 % 4]}
                for i, (s, n, r) in enumerate(pairs)
            ),
        )
        self.findings = given(
            FINDINGS,
            *(
                {"slug": s, "name": n, "finding_id": f"f{i}", "surface": "training_use", "risk": "MED"}
                | {"quote": f"We may use what you type to teach model {i}.", "document": "Terms"}
                for i, (s, n, r) in enumerate(pairs)
            ),
        )
        ends = pd.date_range("2025-08-31", periods=12, freq="ME", tz="UTC")
        self.history = given(
            HISTORY,
            *(
                {"slug": s, "name": n, "date": end, "known": i % 9 > 0 or month > 6}
                | {"rating": ("MED" if r == "HIGH" and (i + month) % 5 == 0 and month < 8 else r)}
                for month, end in enumerate(ends)
                for i, (s, n, r) in enumerate(pairs)
            ),
        )
        days = ("2026-03-31", "2026-06-30", "2026-07-31")[: 3 if size else 0]
        one = pairs[:1]
        self.states = given(
            STATES,
            *(
                {
                    "slug": s,
                    "name": n,
                    "date": day,
                    "state": "known",
                    "rating": ("LOW", r, r)[place],
                    "stance": "silent",
                }
                for s, n, r in one
                for place, day in enumerate(days)
            ),
        )
        self.dated_cells = given(
            DATED_CELLS,
            *(
                {"slug": s, "name": n, "date": day, "surface": surface} | _cell(place, m)
                for s, n, _ in one
                for place, day in enumerate(days)
                for m, surface in enumerate(SURFACES)
            ),
        )
        self.changes = given(CHANGES, *(_change(i, s, n) for i, (s, n, _) in enumerate(pairs)))
        self.documents = given(
            DOCUMENTS,
            *(
                {"slug": s, "name": n, "document": document}
                | {"captured_at": pd.Timestamp("2026-07-31", tz="UTC") - pd.Timedelta(i * i * 17 % 1100, "D")}
                | {"state": "broken" if i % 40 == 3 else "stale" if i % 50 == 4 else "good"}
                for i, (s, n, _) in enumerate(pairs)
                for document in ("Privacy Policy", "Terms of Service")
            ),
        )
        self.figures = accuracy_frame(_figures() if size else {})
        self.reliability = reliability_frame(_figures() if size else {})
        parts = {"verified": size * 8 // 10, "partial": size // 20, "stale": size // 20}
        self.coverage = given(
            COVERAGE,
            parts
            | {"tracked": size, "unverified": size - sum(parts.values()), "as_of": "2026-07-31"}
            | {"surfaces": {surface: size * 7 // (10 + n) for n, surface in enumerate(SURFACES)}},
        )


def _figures() -> dict[str, Any]:
    known = {"value": 0.8, "low": 0.6, "high": 0.9, "part": 8, "whole": 10, "families": 4}
    unknown = {"part": 0, "whole": 0, "families": 0}
    result = {"precision": known | {"value": 0.85}, "recall": known, "calibration_error": 0.1}
    groups = dict.fromkeys((*SURFACES, "hand_written", "learned", "all"), result)
    bins = [{"from": 0.7, "to": 0.8, "stated": 0.75} | known, {"from": 0.9, "to": 1.0, "stated": 0.95} | known]
    return {
        "test": {
            "groups": groups | {"human_review": {"precision": unknown, "recall": unknown}},
            "reliability": {"all": bins, "hand_written": bins[1:], "learned": bins[:1]},
        }
    }


def _cell(n: int, m: int) -> dict[str, Any]:
    kind = (n * (m + 3) + m * m * 5 + n // 7) % 13
    if kind in (0, 9):
        return {"state": "quiet", "count": 0, "risk": None}
    if kind == 12 and n % 5 == 2:
        return {"state": "to_read", "count": 0, "risk": None, "to_read": m + 1}
    if kind == 1 and n % 7 == 6:
        return {"state": "unread", "count": None, "risk": None}
    risk = "HIGH" if kind < 4 else "MED" if kind < 8 else "LOW"
    return {"state": "found", "count": kind + 1, "risk": risk}


def _change(n: int, slug: str, name: str) -> dict[str, Any]:
    rose = n % 6 == 0
    return {
        "change_id": f"c{n}", "slug": slug, "name": name, "document": "Terms",
        "reviewed_at": pd.Timestamp("2025-08-03", tz="UTC") + pd.Timedelta(n * 37 % 360, "D"),
        "change_class": ("material", "wording", "format", "material", "capture_failure", "revert")[n % 6],
        "surfaces": ["training_use"], "direction": "up" if rose else "down",
        "directions": {"training_use": "up" if rose else "down"},
        "rating_before": "MED" if rose else "HIGH", "rating_after": "HIGH",
        "stance_before": STANCES[n % 5], "stance_after": STANCES[n % 3], "added": [], "removed": [], "cause": [],
        "altered": [{"before": "We do not train.", "after": "We may train.", "surface": "training_use"}],
    }  # fmt: skip
