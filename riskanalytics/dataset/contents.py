"""What a data set holds, as short tables that load nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.errors import ParameterError

_FRAMES: Final[dict[str, tuple[frames.Columns, str]]] = {
    "platforms": (frames.PLATFORMS_COLUMNS, "Ratings of the platforms."),
    "findings": (frames.FINDINGS_COLUMNS, "Clauses that count."),
    "leads": (frames.FINDINGS_COLUMNS, "Clauses worth reading that are not sure enough to count."),
    "surfaces": (frames.SURFACES_COLUMNS, "Level of each platform on each surface."),
    "training_use": (frames.TRAINING_USE_COLUMNS, "Stance of each platform on training use."),
    "documents": (frames.DOCUMENTS_COLUMNS, "Documents of each platform, with their age and state."),
    "coverage": (frames.COVERAGE_COLUMNS, "Counts of tracked and verified platforms."),
    "problems": (frames.PROBLEMS_COLUMNS, "What could not be read so far: platform, why, and where."),
    "changes()": (frames.CHANGES_COLUMNS, "Recorded changes up to the day, newest first."),
    "history()": (frames.HISTORY_COLUMNS, "Rating of each platform at the ends of the last months."),
}
"""Frame of a data set, with () where it is called -> its columns, and what it holds."""


def contents_of(loaded: Mapping[str, object], source: str) -> pd.DataFrame:
    """Return what a data set holds, a row for its day and for each of its frames.

    Parameters
    ----------
    loaded : mapping
        Names -> what is loaded so far.
    source : str
        Where the data come from.
    """
    rows = [("day", str(loaded.get("day", "not given")), source)]
    for name, (_, told) in _FRAMES.items():
        frame = loaded.get(name)
        count = f"{len(frame):,}" if isinstance(frame, pd.DataFrame) else "not loaded yet"
        rows.append((name, "on each call" if name.endswith("()") else count, told))
    return pd.DataFrame(rows, columns=["data set", "rows", "what it holds"])


def columns_of(frame: str) -> pd.DataFrame:
    """Return the columns of a frame of data sets: `column`, `dtype`, `meaning`, in the order of the frame.

    Parameters
    ----------
    frame : str
        As data sets name it, such as `findings` or `changes`.

    Raises
    ------
    ParameterError
        If no frame has that name: the message names all frames.
    """
    known = {name.removesuffix("()"): columns for name, (columns, _) in _FRAMES.items()}
    if frame not in known:
        raise ParameterError(f"a data set has no frame {str(frame)[:40]!r}; there are {', '.join(known)}")
    rows = [(name, dtype, meaning) for name, (dtype, meaning) in known[frame].items()]
    return pd.DataFrame(rows, columns=["column", "dtype", "meaning"])
