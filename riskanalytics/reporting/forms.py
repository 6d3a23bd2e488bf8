"""What the parameters of our own notebooks may be, told without any data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from riskanalytics.errors import ParameterError
from riskanalytics.text.arguments import as_day, as_since

NOTEBOOKS: Final = {
    "monthly_report": "what changed in a month, ratings, heatmap, training use, coverage: month, since, portfolio, top",
    "training_use": "who trains on customer content, and who changed that: as_of, platforms",
    "platform_dossier": "all about one platform, with every clause: platform, as_of",
    "comparison": "two to eight platforms clause against clause: platforms, as_of",
    "explore": "all platforms on one surface, the worst first: surface",
    "coverage": "the state of the data: not verified, broken, old, silent: as_of, unchanged_days",
    "method": "how ratings are made and how far to trust them: platform, labels, faults",
}
"""Our notebooks, what each is about, and its parameters."""

_NUMBERS: Final = {"top": (0, 10_000), "faults": (0, 10_000), "unchanged_days": (1, 36_500)}
_FILES: Final = ("portfolio", "labels")


def check_forms(values: Mapping[str, object]) -> None:
    """Refuse a day that is none or stands beside a month, a number out of its bounds and a file that is not there.

    Parameters
    ----------
    values : mapping
        Parameters of one of our notebooks, by name.

    Raises
    ------
    ParameterError
        One line.
    """
    as_day(str(values.get("as_of") or ""))
    as_since(str(values.get("since") or ""), str(values.get("month") or ""))
    for name, (least, most) in _NUMBERS.items():
        value = values.get(name, least)
        if not isinstance(value, int) or not least <= value <= most:
            raise ParameterError(f"{name} is a whole number from {least} to {most:,}, not {str(value)[:40]}")
    for name in _FILES:
        if (file := values.get(name)) and not Path(str(file)).exists():
            raise ParameterError(f"there is no {name} {file}")
