"""How well clauses are read, and what went wrong, worst first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.shape import is_missing, records, shaped, word_of
from riskanalytics.models import RATINGS, SURFACES

_MEASURES: Final = ("precision", "recall")
ACCURACY_COLUMNS: Final = {"surface": "str"} | {
    f"{measure}{part}": "Int64" if part in ("_part", "_whole") else "Float64"
    for measure in _MEASURES
    for part in ("", "_low", "_high", "_part", "_whole")
}
FAULT_COLUMNS: Final = {
    "surface": "str",
    "kind": "str",
    "slug": "str",
    "document": "str",
    "risk": "str",
    "given": "str",
    "steps": "Int64",
    "rule": "str",
    "quote": "str",
    "snapshot_sha256": "str",
    "start": "Int64",
    "end": "Int64",
}
_KINDS: Final = ("missed", "false_alarm", "level")
_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}


def accuracy(figures: pd.DataFrame) -> pd.DataFrame:
    """Lay out precision and recall beside each other, the surface with the lowest recall first.

    Parameters
    ----------
    figures : pandas.DataFrame
        `surface`, `measure` (`precision` or `recall`), `share`, `low`, `high`, `part`, `whole`.

    Returns
    -------
    pandas.DataFrame
        `surface` str; of `precision` and of `recall` the share 0..1 and, ending in `_low` and `_high`, its 95 %
        interval Float64 (missing where nothing was judged), in `_part` and `_whole` its counts Int64. Lowest recall
        first, not known before `all`, which is last.
    """
    wide: dict[str, dict[str, Any]] = {}
    for row in records(figures, "accuracy", "surface", "measure", "share", "low", "high", "part", "whole"):
        if row["measure"] in _MEASURES:
            told = wide.setdefault(word_of(row["surface"]), {"surface": row["surface"]})
            told[row["measure"]] = row["share"]
            told |= {f"{row['measure']}_{part}": row[part] for part in ("low", "high", "part", "whole")}
    rows = list(wide.values())
    rows.sort(key=_poorest)
    return shaped(rows, ACCURACY_COLUMNS)


def _poorest(row: dict[str, Any]) -> tuple[bool, bool, float, int]:
    recall = row.get("recall")
    unknown = is_missing(recall)
    return (row["surface"] == "all", unknown, 0.0 if unknown else float(str(recall)), _ORDER.get(row["surface"], 99))


def accuracy_sentences(accuracy: pd.DataFrame, told: Mapping[str, Any], noise: pd.DataFrame | None) -> list[str]:
    """Say in plain words what stands behind the ratings, how well it reads, and what changes are made of.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        What `accuracy` returned.
    told : mapping
        `measure` (`never_seen`, `vendors_left_out`, or empty), `source` (`labels`, `recorded`, `none`), and where they
        are known `measured_on`, `platforms` and `texts`.
    noise : pandas.DataFrame or None
        What `change_noise` returned; None where changes are not shown to this key.

    Returns
    -------
    list of str
        Three sentences; none that the data do not carry.
    """
    ours = told.get("source") == "labels" or told.get("measure") == "never_seen"
    read = (
        "Rules written by hand, and a linear model learned from written sentences and documents labelled whole, read policy "
        f"documents on {len(SURFACES)} surfaces"
        if ours
        else f"Policy documents are read on {len(SURFACES)} surfaces"
    )
    return [
        f"{read}; every level leads back to the clauses that decided it.",
        _read_well(accuracy, told),
        _made_of(noise),
    ]


def _read_well(accuracy: pd.DataFrame, told: Mapping[str, Any]) -> str:
    whole = accuracy[accuracy["surface"] == "all"]
    if whole.empty or whole[["precision", "recall"]].isna().any(axis=None):
        return "How well they read is not known: there are no figures by surface."
    row = whole.iloc[0]
    shares = (
        f"{_percent(row['precision'])} of judged findings are right and {_percent(row['recall'])} of labelled clauses "
        f"are found{f', measured on {day}' if (day := told.get('measured_on')) else ''}"
    )
    if told.get("measure") == "never_seen":
        return f"On {_where(told)} from which no rule was written and no weight learned, {shares}."
    if told.get("source") == "labels":
        return (
            f"On the labels given, with each vendor scored only by what other vendors justify, {shares}; the learned weights "
            "are not learned again, so figures on documents that they were learned from flatter."
        )
    return f"With each vendor scored only by what other vendors justify, {shares}; expect less on texts never seen."


def _percent(ratio: float) -> str:
    """A share in whole percent that does not say none or all where some are missing."""
    if 0 < ratio < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= ratio < 1 else f"{100 * ratio:.0f} %"


def _where(told: Mapping[str, Any]) -> str:
    counts = [told.get(name) for name in ("platforms", "texts")]
    if not all(isinstance(count, int) for count in counts):
        return "platforms"
    return f"{counts[0]} platforms ({counts[1]} texts)"


def _made_of(noise: pd.DataFrame | None) -> str:
    if noise is None:
        return "What recorded changes are made of is not known: the service shows changes to Pro keys only."
    total = int(noise["total"].iloc[0]) if len(noise) else 0
    if not total:
        return "No change is recorded."
    material = int(noise.loc[noise["material"], "changes"].sum())
    return f"Of {total:,} recorded changes {100 * material / total:.0f} % are material; the others are noise."


def faults(faults: pd.DataFrame) -> pd.DataFrame:
    """Order what the extraction got wrong, the worst of each kind first.

    Parameters
    ----------
    faults : pandas.DataFrame
        `frames.FAULTS_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        `surface`, `kind` str (`missed`, `false_alarm`, `level`), `slug`, `document`, `risk` (as labelled), `given` (as
        found) str, `steps` Int64 (levels between the two; missing where one is), `rule`, `quote`, `snapshot_sha256` str,
        `start`, `end` Int64. Missed clauses before false alarms before other levels; in each, the higher level, then
        the larger step, first; then by surface.
    """
    rows = [
        row | {"steps": _steps(row["risk"], row["given"])}
        for row in records(faults, "faults", "surface", "kind", "risk", "given", "quote")
    ]
    rows.sort(key=_gravest)
    return shaped(rows, FAULT_COLUMNS)


def _rank(risk: object) -> int:
    return RATINGS.index(risk) if isinstance(risk, str) and risk in RATINGS else -1


def _steps(labelled: object, given: object) -> int | None:
    ranks = (_rank(labelled), _rank(given))
    return None if -1 in ranks else abs(ranks[0] - ranks[1])


def _gravest(row: dict[str, Any]) -> tuple[int, int, int, int]:
    kind = _KINDS.index(row["kind"]) if row["kind"] in _KINDS else len(_KINDS)
    level = max(_rank(row["risk"]), _rank(row["given"]))
    return (kind, -(row["steps"] or 0), -level, _ORDER.get(row["surface"], len(_ORDER)))
