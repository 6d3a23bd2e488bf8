"""How well documents are read, whether the confidence holds, and what went wrong, worst first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.shape import is_missing, records, shaped, word_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY, RATINGS, SURFACES

_MEASURES: Final = ("precision", "recall")
ACCURACY_COLUMNS: Final = {"labels": "str", "surface": "str"} | {
    f"{measure}{part}": "Int64" if part in ("_part", "_whole") else "Float64"
    for measure in _MEASURES
    for part in ("", "_low", "_high", "_part", "_whole")
}
RELIABILITY_COLUMNS: Final = {
    "labels": "str",
    "decided_by": "str",
    "stated": "Float64",
    "share": "Float64",
    "low": "Float64",
    "high": "Float64",
    "part": "Int64",
    "whole": "Int64",
    "error": "Float64",
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
    """Lay out precision and recall of what is to be shown first, the surface with the lowest recall first.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        `labels` str, of `riskanalytics.models.ACCURACY_PARTS` the first that there is; `surface` str; of `precision` and
        of `recall` the share 0..1 and, ending in `_low` and `_high`, its 95 % interval Float64 (missing of nothing), in
        `_part` and `_whole` its counts Int64. Lowest recall first, not known before `hand_written`, `learned` and `all`.
    """
    needed = ("labels", "surface", "measure", "share", "low", "high", "part", "whole")
    told = records(figures, "accuracy", *needed)
    first = _first(told)
    wide: dict[str, dict[str, Any]] = {}
    for row in told:
        if row["measure"] in _MEASURES and row["labels"] == first:
            of = wide.setdefault(word_of(row["surface"]), {"labels": first, "surface": row["surface"]})
            of[row["measure"]] = row["share"]
            of |= {f"{row['measure']}_{part}": row[part] for part in ("low", "high", "part", "whole")}
    rows = list(wide.values())
    rows.sort(key=_poorest)
    return shaped(rows, ACCURACY_COLUMNS)


def _first(rows: list[dict[str, Any]]) -> str:
    """The labels to show first."""
    told = {word_of(row["labels"]) for row in rows}
    return next((name for name in ACCURACY_PARTS if name in told), "")


def _poorest(row: dict[str, Any]) -> tuple[int, bool, float, int]:
    recall, surface = row.get("recall"), row["surface"]
    last = list(DECIDED_BY).index(surface) + 1 if surface in DECIDED_BY else 0
    unknown = is_missing(recall)
    return (last, unknown, 0.0 if unknown else float(str(recall)), _ORDER.get(surface, 99))


def reliability(bins: pd.DataFrame) -> pd.DataFrame:
    """Lay out how sure findings say they are beside how many are right.

    Parameters
    ----------
    bins : pandas.DataFrame
        `frames.RELIABILITY_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        `labels` str, as `accuracy` chooses them; `decided_by` str (`all`, `hand_written`, `learned`); `stated`, `share`,
        `low`, `high` Float64 0..1; `part`, `whole` Int64; `error` Float64, the expected calibration error (Naeini et al.
        2015) of all bins of who decided: |stated - share|, weighed by `whole`. In rising order of what is stated.
    """
    told = records(bins, "reliability", "labels", "decided_by", "stated", "share", "low", "high", "part", "whole")
    first = _first(told)
    rows = [
        row
        for row in told
        if row["labels"] == first and not any(is_missing(row[key]) for key in ("stated", "share", "part", "whole"))
    ]
    for row in rows:
        row["error"] = _error([other for other in rows if other["decided_by"] == row["decided_by"]])
    rows.sort(key=lambda row: (str(row["decided_by"]), row["stated"]))
    return shaped(rows, RELIABILITY_COLUMNS)


def _error(rows: list[dict[str, Any]]) -> float | None:
    whole = sum(row["whole"] for row in rows)
    return sum(abs(row["stated"] * row["whole"] - row["part"]) for row in rows) / whole if whole else None


def accuracy_sentences(accuracy: pd.DataFrame, told: Mapping[str, Any], noise: pd.DataFrame | None) -> list[str]:
    """Say in plain words what stands behind the ratings, how well it reads, and what changes are made of.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        What `accuracy` returned.
    told : mapping
        `source` (`labels`, `recorded`, `none`), and where they are known `measured_on` and `withdrawn`.
    noise : pandas.DataFrame or None
        What `change_noise` returned; None where changes are not shown to this key.

    Returns
    -------
    list of str
        Three sentences; none that the data do not carry.
    """
    read = (
        "Rules written by hand, and a model learned from written sentences and documents labelled whole, read policy "
        f"documents on {len(SURFACES)} surfaces"
        if len(accuracy)
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
        older = " (older figures, which counted only text that somebody had judged, are withdrawn)"
        return f"How well they read is not known: there are no figures on whole documents{older * bool(told.get('withdrawn'))}."
    row = whole.iloc[0]
    return (
        f"On documents of {ACCURACY_PARTS[row['labels']]}, labelled whole, {_percent(row['precision'])} of all findings shown "
        f"are right and {_percent(row['recall'])} of the firm labels are found"
        f"{f', measured on {day}' if (day := told.get('measured_on')) else ''}."
    )


def _percent(ratio: float) -> str:
    """A share in whole percent that does not say none or all where some are missing."""
    if 0 < ratio < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= ratio < 1 else f"{100 * ratio:.0f} %"


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
