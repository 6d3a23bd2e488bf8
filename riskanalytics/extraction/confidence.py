"""How sure findings are, as measured: the figures of documents labelled whole, and Wilson's interval.

The confidence of a finding itself is calibrated by what is learned (`riskanalytics.extraction.learned`).
"""

from __future__ import annotations

import functools
import math
import tomllib
from importlib import resources
from typing import Final

_Z: Final = 1.959964


def wilson(right: float, judged: float) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a proportion.

    Parameters
    ----------
    right, judged : float
        Successes and trials; 0 <= right <= judged.

    Returns
    -------
    tuple of float
        Lower and upper bound; (0, 1) without trials.
    """
    if judged == 0:
        return 0.0, 1.0
    share = right / judged
    middle = share + _Z * _Z / (2 * judged)
    width = _Z * math.sqrt(share * (1 - share) / judged + _Z * _Z / (4 * judged * judged))
    scale = 1 + _Z * _Z / judged
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


@functools.cache
def accuracy() -> dict[str, object]:
    """Return how well documents are read that were labelled whole, as last measured.

    Returns
    -------
    dict
        A table for each part of the labels that was scored (`calibrate`, `test`, `unseen`), and `withdrawn`, what was
        published before; see `tests/accuracy/record.py`. Read once in a process: not to be changed.
    """
    path = resources.files(__package__).joinpath("rules", "measured.toml")
    return dict(tomllib.loads(path.read_text(encoding="utf-8"))["figures"])
