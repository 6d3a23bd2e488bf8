"""States of one platform on several days -> frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import pandas as pd

from riskanalytics.frames.building import frame_of, surfaces_frame
from riskanalytics.frames.columns import DATED_SURFACES_COLUMNS, STATES_COLUMNS

Dated = tuple[date, str, Mapping[str, Any]]
"""A day, what is known of it (`known`, `untracked`, `not known`), and the machine platform of that day."""


def states_frame(past: Iterable[Dated]) -> pd.DataFrame:
    """Return a row per day with `STATES_COLUMNS`; of a day that is not known, nothing but its date is told."""
    rows = []
    for day, state, record in past:
        use = record.get("training_use")
        told = use if isinstance(use, Mapping) else {}
        stances = (told.get(name) for name in ("stance", "consumer_stance", "business_stance"))
        rating = record.get("rating")
        rows.append((record.get("slug"), record.get("name"), day.isoformat(), state, rating, rating, *stances))
    return frame_of(STATES_COLUMNS, rows)


def dated_surfaces_frame(past: Iterable[Dated]) -> pd.DataFrame:
    """Return a row per known day and surface with `DATED_SURFACES_COLUMNS`."""
    rows: list[tuple[object, ...]] = []
    for day, state, record in past:
        if state == "known":
            cells = surfaces_frame([record]).astype({"level": "str"})
            rows += [(day.isoformat(), *cell) for cell in cells.itertuples(index=False, name=None)]
    return frame_of(DATED_SURFACES_COLUMNS, rows)
