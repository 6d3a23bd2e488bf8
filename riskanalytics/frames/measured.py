"""What is told of the extraction's accuracy -> DataFrames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from riskanalytics.frames.building import frame_of
from riskanalytics.frames.columns import ACCURACY_COLUMNS, FAULTS_COLUMNS, RELIABILITY_COLUMNS
from riskanalytics.surfaces import SURFACES


def accuracy_frame(parts: object) -> pd.DataFrame:
    """Return figures of accuracy with `ACCURACY_COLUMNS`.

    Parameters
    ----------
    parts : mapping
        What was scored -> `groups`: surface, or what decided -> measure -> `value`, `low`, `high`, `part`, `whole`,
        `families`, or a number alone; anything else is left out. The known surfaces first, `all` last.
    """
    rows: list[tuple[object, ...]] = []
    for part, told in _mapping(parts).items():
        groups = _mapping(_mapping(told).get("groups"))
        names = [*(name for name in SURFACES if name in groups), *(name for name in groups if name not in SURFACES)]
        for name in sorted(names, key=lambda name: name == "all"):
            for measure, share in _mapping(groups[name]).items():
                known = share if isinstance(share, Mapping) else {"value": share}
                counts = (known.get(key) for key in ("value", "low", "high", "part", "whole", "families"))
                rows.append((part, name, measure, *counts))
    return frame_of(ACCURACY_COLUMNS, rows)


def reliability_frame(parts: object) -> pd.DataFrame:
    """Return stated confidence beside what was right with `RELIABILITY_COLUMNS`.

    Parameters
    ----------
    parts : mapping
        What was scored -> `reliability`: what decided -> list of bins; anything else is left out.
    """
    rows: list[tuple[object, ...]] = []
    for part, told in _mapping(parts).items():
        for name, bins in _mapping(_mapping(told).get("reliability")).items():
            for one in bins if isinstance(bins, list) else ():
                keys = ("from", "to", "stated", "value", "low", "high", "part", "whole")
                rows.append((part, name, *(_mapping(one).get(key) for key in keys)))
    return frame_of(RELIABILITY_COLUMNS, rows)


def faults_frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Return faults of the extraction, tuples in the order of `FAULTS_COLUMNS`."""
    return frame_of(FAULTS_COLUMNS, rows)


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a value that is an object; an empty one where it is none."""
    return value if isinstance(value, Mapping) else {}
