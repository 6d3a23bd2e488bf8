"""The figures of how well the extraction reads, as the file holds them that the service publishes.

`rules/measured.toml` keeps, under `figures`, a table for each part of the labels that was scored (`calibrate`, `test`,
`unseen`), and under `withdrawn` what was published before. Its other tables stay as they are. The parts that nothing is
made from are scored at most three times in all, and each time is noted: who scores until a figure pleases has learned
from the labels.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

from riskanalytics import extraction
from riskanalytics.accuracy import clauses_record, records
from riskanalytics.accuracy.clauses import sum_of
from riskanalytics.accuracy.scoring import Score
from riskanalytics.errors import LabelsError

TARGET: Final = Path(extraction.__file__).parent / "rules" / "measured.toml"
COUNTED: Final = ("test", "unseen")
"""Parts whose scoring is counted."""
MOST: Final = 3
_HEAD: Final = "# [figures]: written by tests/accuracy/record.py"


def times_left(written: str, part: str) -> int | None:
    """Return how many times a part may still be scored; None of one that may be scored at will.

    Parameters
    ----------
    written : str
        What `measured.toml` holds.
    part : str
    """
    return MOST - len(_noted(written, part)) if part in COUNTED else None


def recorded(written: str, part: str, clauses: Score, day: date, platforms: Score | None = None) -> str:
    """Write the figures of one part in the place of those before.

    Parameters
    ----------
    written : str
        What `measured.toml` holds.
    part : str
        `calibrate`, `test` or `unseen`.
    clauses : Score
        On its documents.
    day : date
        When it was measured.
    platforms : Score, optional
        On stances, levels and changes of its platforms, where they are labelled.

    Returns
    -------
    str
        What it holds then.

    Raises
    ------
    LabelsError
        If a label could not be scored, or the part was scored as often as it may be.
    """
    left = times_left(written, part)
    if left == 0:
        raise LabelsError(f"the part {part} was scored {MOST} times: measure on labels that nobody has scored yet")
    if not all(score.complete for score in (clauses, platforms) if score is not None):
        raise LabelsError(f"not all labels of {part} could be scored: `riskanalytics score` says which")
    result: dict[str, Any] = {"measured_on": day.isoformat(), "rules": clauses.rules}
    if left is not None:
        noted = [*_noted(written, part), day.isoformat()]
        result |= {"times_scored": len(noted), "scored_on": noted}
    result |= clauses_record(clauses)
    if platforms is not None:
        shares = platforms.shares
        level = sum_of(shares["level"].values())
        result |= {name: records(shares[name]) for name in ("stances", "changes")}
        result |= {"platform_level": level.record()}
    figures = tomllib.loads(written).get("figures", {}) | {part: result}
    return "\n".join([_HEAD, *_table("figures", figures), "", *_others(written)]).rstrip("\n") + "\n"


def _noted(written: str, part: str) -> list[str]:
    """Days on which a part was scored."""
    days = tomllib.loads(written).get("figures", {}).get(part, {}).get("scored_on", [])
    return [str(day) for day in days]


def _others(written: str) -> Iterator[str]:
    """Lines of the tables that are not figures."""
    ours = True
    for line in written.split("\n"):
        if line.startswith("["):
            ours = line.lstrip("[").startswith("figures")
        if not ours:
            yield line


def _table(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    """A table as TOML: its values, then its tables."""
    inner = {key: value for key, value in table.items() if _is_deep(value)}
    if len(inner) < len(table):
        yield f"[{name}]"
        yield from (f"{key} = {_value(value)}" for key, value in table.items() if key not in inner)
        yield ""
    for key, value in inner.items():
        yield from _table(f"{name}.{key}", value)


def _is_deep(value: object) -> bool:
    """Say whether a value is a table that holds tables or lists."""
    return isinstance(value, dict) and any(isinstance(one, dict | list) for one in value.values())


def _value(value: object) -> str:
    """A value in one line, a list of tables in several."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_value(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        apart = ",\n  " if any(isinstance(one, dict) for one in value) else ", "
        inside = apart.join(map(_value, value))
        return f"[\n  {inside},\n]" if "\n" in apart else f"[{inside}]"
    return json.dumps(value, ensure_ascii=False)
