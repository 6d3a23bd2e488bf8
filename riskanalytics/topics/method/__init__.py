"""How well documents are read by surface, whether the stated confidence holds, and what was read wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import RELIABILITY_COLUMNS as RELIABILITY
from riskanalytics.frames import is_missing
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY, RATINGS
from riskanalytics.pages.rows import Rows, number
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.wording import percent
from riskanalytics.topics.shape import dtypes, records, schema, shaped, word_of

__all__ = ["accuracy", "accuracy_sentences", "extraction_errors", "reliability"]

_MEASURES: Final = ("precision", "recall")
ACCURACY_COLUMNS: Final = schema(
    "labels surface:str precision precision_low precision_high:Float64 precision_part precision_whole:Int64 recall "
    "recall_low recall_high:Float64 recall_part recall_whole:Int64"
)
RELIABILITY_COLUMNS: Final = dtypes(
    RELIABILITY, "labels", "decided_by", "stated", "share", "low", "high", "part", "whole"
) | {"error": "Float64"}
FAULT_COLUMNS: Final = schema(
    "surface kind slug document:str risk given:rating steps:Int64 rule quote snapshot_sha256:str start end:Int64"
)
_KINDS: Final = ("missed", "false_alarm", "level")
_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}
_LAST: Final = tuple(DECIDED_BY)
"""What stands behind the surfaces in `accuracy`: all surfaces together, by what decided."""


_READERS: Final = "Rules written by hand, and a model learned from written sentences and documents labelled whole"


def accuracy(figures: pd.DataFrame) -> pd.DataFrame:
    """Give the precision and recall of the extraction by surface, the surface with the lowest recall first.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        `labels` str, the first of `riskanalytics.models.ACCURACY_PARTS` that has figures; `surface` str; for `precision`
        and for `recall` the share 0..1 and, ending in `_low` and `_high`, its 95 % interval Float64 (missing where
        nothing was counted), ending in `_part` and `_whole` its counts Int64. Surfaces with the lowest recall first,
        those of unknown recall behind them, and last `hand_written`, `learned` and `all`.

    Examples
    --------
    >>> accuracy = analysis.accuracy(data.accuracy().figures)
    >>> accuracy["surface"].head(3).tolist()
    ['web_data_training', 'output_rights', 'human_review']
    """
    needed = ("labels", "surface", "measure", "share", "low", "high", "part", "whole")
    wide: dict[str, dict[str, object]] = {}
    for row in _first_part(records(figures, "accuracy", *needed)):
        if row["measure"] in _MEASURES:
            told = wide.setdefault(word_of(row["surface"]), {"labels": row["labels"], "surface": row["surface"]})
            told[row["measure"]] = row["share"]
            told |= {f"{row['measure']}_{key}": row[key] for key in ("low", "high", "part", "whole")}
    rows = sorted(wide.values(), key=_poorest)
    return shaped(rows, ACCURACY_COLUMNS)


def _first_part(rows: Rows) -> Rows:
    """Return the rows of the part of the labels that is shown first."""
    told = {word_of(row["labels"]) for row in rows}
    first = next((name for name in ACCURACY_PARTS if name in told), "")
    return [row for row in rows if row["labels"] == first]


def _poorest(row: Mapping[str, object]) -> tuple[int, bool, float, int]:
    """Return what surfaces are sorted by: recall, then their known order."""
    surface, recall = word_of(row["surface"]), row.get("recall")
    last = _LAST.index(surface) + 1 if surface in _LAST else 0
    known = 0.0 if is_missing(recall) else number(recall)
    return (last, is_missing(recall), known, _ORDER.get(surface, len(_ORDER)))


def reliability(bins: pd.DataFrame) -> pd.DataFrame:
    """Set the confidence that findings state beside the share of them that turned out right.

    Parameters
    ----------
    bins : pandas.DataFrame
        `frames.RELIABILITY_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        `labels` str, as `accuracy` chooses them; `decided_by` str (`all`, `hand_written`, `learned`); `stated`, `share`,
        `low`, `high` Float64 0..1; `part`, `whole` Int64; `error` Float64, the expected calibration error (Naeini et al.
        2015) of all bins of the same `decided_by`: |stated - share|, weighed by `whole`. In rising order of `stated`.

    Examples
    --------
    >>> sure = analysis.reliability(data.accuracy().reliability)
    >>> sure.query("decided_by == 'all'")[["stated", "share", "whole"]].round(2)
       stated  share  whole
    0    0.87   0.88    128
    1    0.96   0.96    683
    """
    told = records(bins, "reliability", "labels", "decided_by", "stated", "share", "low", "high", "part", "whole")
    needed = ("stated", "share", "part", "whole")
    rows = [row for row in _first_part(told) if not any(is_missing(row[key]) for key in needed)]
    rows.sort(key=lambda row: (str(row["decided_by"]), row["stated"]))
    for row in rows:
        row["error"] = _error([other for other in rows if other["decided_by"] == row["decided_by"]])
    return shaped(rows, RELIABILITY_COLUMNS)


def _error(rows: Rows) -> float | None:
    """Return the expected calibration error of bins; None where they hold no finding."""
    whole = sum(row["whole"] for row in rows)
    return sum(abs(row["stated"] * row["whole"] - row["part"]) for row in rows) / whole if whole else None


def extraction_errors(faults: pd.DataFrame) -> pd.DataFrame:
    """List the clauses that the extraction read wrongly, the worst of each kind first.

    Parameters
    ----------
    faults : pandas.DataFrame
        `frames.FAULTS_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        `surface`, `kind` str (`missed`, `false_alarm`, `level`), `slug`, `document`, `risk` (as labelled), `given` (as
        found) str, `steps` Int64 (levels between the two; missing where one is), `rule`, `quote`, `snapshot_sha256` str,
        `start`, `end` Int64. Missed clauses before false alarms before other levels; in each kind the larger step, then
        the higher level, first; then by surface.

    Examples
    --------
    >>> import pandas as pd
    >>> level = {"surface": "data_retention", "kind": "level", "risk": "HIGH", "given": "LOW", "quote": "We keep it."}
    >>> missed = {"surface": "ads_tracking", "kind": "missed", "risk": "HIGH", "given": None, "quote": "We sell it."}
    >>> analysis.extraction_errors(pd.DataFrame([level, missed]))[["kind", "steps", "quote"]]
         kind  steps        quote
    0  missed   <NA>  We sell it.
    1   level      2  We keep it.
    """
    rows = records(faults, "extraction_errors", "surface", "kind", "risk", "given", "quote")
    stepped = [row | {"steps": _steps(row["risk"], row["given"])} for row in rows]
    stepped.sort(key=_gravest)
    return shaped(stepped, FAULT_COLUMNS)


def _rank(risk: object) -> int:
    """Return the rank of a level; -1 where it is none."""
    return RATINGS.index(risk) if isinstance(risk, str) and risk in RATINGS else -1


def _steps(labelled: object, given: object) -> int | None:
    """Return how many levels lie between two; None where one of them is no level."""
    ranks = (_rank(labelled), _rank(given))
    return None if -1 in ranks else abs(ranks[0] - ranks[1])


def _gravest(row: Mapping[str, object]) -> tuple[int, float, int, int]:
    """Return what faults are sorted by: kind, step, level, surface."""
    kind = _KINDS.index(word_of(row["kind"])) if row["kind"] in _KINDS else len(_KINDS)
    level = max(_rank(row["risk"]), _rank(row["given"]))
    return (kind, -number(row["steps"] or 0), -level, _ORDER.get(word_of(row["surface"]), len(_ORDER)))


def accuracy_sentences(accuracy: pd.DataFrame, told: Mapping[str, object], noise: pd.DataFrame | None) -> list[str]:
    """Say in three sentences how ratings are made, how well documents are read, and what changes are made of.

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
        Three sentences; each says only what the data hold.

    Examples
    --------
    >>> measured, noise = data.accuracy(), analysis.change_noise(data.changes())
    >>> print(analysis.accuracy_sentences(analysis.accuracy(measured.figures), measured.told, noise)[2])
    Of 1,549 recorded changes 13 % are material; the others are noise.
    """
    read = f"Policy documents are read on {len(SURFACES)} surfaces"
    if len(accuracy):
        read = f"{_READERS}, read policy documents on {len(SURFACES)} surfaces"
    made = f"{read}; every level leads back to the clauses that decided it."
    return [made, _read_well(accuracy, told), _made_of(noise)]


def _read_well(accuracy: pd.DataFrame, told: Mapping[str, object]) -> str:
    """Say how many findings are right and how many labels are found."""
    whole = accuracy[accuracy["surface"] == "all"]
    if whole.empty or whole[["precision", "recall"]].isna().any(axis=None):
        older = " (older figures, which counted only text that somebody had judged, are withdrawn)"
        return f"How well they read is not known: there are no figures on whole documents{older * bool(told.get('withdrawn'))}."
    row = whole.iloc[0]
    day = told.get("measured_on")
    right, found = percent(row["precision"]), percent(row["recall"])
    said = f"{right} of all findings shown are right and {found} of the firm labels are found"
    when = f", measured on {day}" if day else ""
    return f"On documents of {ACCURACY_PARTS[row['labels']]}, labelled whole, {said}{when}."


def _made_of(noise: pd.DataFrame | None) -> str:
    """Say what share of the recorded changes is material."""
    if noise is None:
        return "What recorded changes are made of is not known: the service shows changes to Pro keys only."
    total = int(noise["total"].iloc[0]) if len(noise) else 0
    if not total:
        return "No change is recorded."
    material = int(noise.loc[noise["material"], "changes"].sum())
    if total == 1:
        return f"The one recorded change is {'material' if material else 'noise'}."
    return f"Of {total:,} recorded changes {percent(material / total)} are material; the others are noise."
