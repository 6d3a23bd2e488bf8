"""How well documents are read by surface, whether the stated confidence holds, and what was read wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY, RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.wording import percent
from riskanalytics.topics.ratings.matrix import surface_places
from riskanalytics.topics.shape import cut_to, schema, with_columns

__all__ = ["accuracy", "accuracy_sentences", "extraction_errors", "reliability"]

ACCURACY_COLUMNS: Final = schema(
    "labels surface:str precision precision_low precision_high:Float64 precision_part precision_whole:Int64 recall "
    "recall_low recall_high:Float64 recall_part recall_whole:Int64"
)
RELIABILITY_COLUMNS: Final = schema(
    "labels decided_by:str stated share low high:Float64 part whole:Int64 error:Float64"
)
FAULT_COLUMNS: Final = schema(
    "surface kind slug document:str risk given:rating steps:Int64 rule quote snapshot_sha256:str start end:Int64"
)
_KINDS: Final = {"missed": 0, "false_alarm": 1, "level": 2}
_LAST: Final = {decided: place for place, decided in enumerate(DECIDED_BY, 1)}
"""What comes after the surfaces in `accuracy`: all surfaces together, by what decided."""
_RANK: Final = {level: rank for rank, level in enumerate(RATINGS)}


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
    bounds = ("low", "high", "part", "whole")
    told = _first_part(with_columns(figures, "accuracy", "labels", "surface", "measure", "share", *bounds))
    rows = told[told["measure"].isin(["precision", "recall"])].drop_duplicates(["surface", "measure"], keep="last")
    wide = rows.pivot(index="surface", columns="measure", values=["share", *bounds])
    wide.columns = wide.columns.map(lambda key: key[1] if key[0] == "share" else f"{key[1]}_{key[0]}")
    labels = rows["labels"].iloc[0] if len(rows) else None
    accuracy = cut_to(wide.reset_index().assign(labels=labels), ACCURACY_COLUMNS)
    order = {
        "last": accuracy["surface"].map(_LAST).fillna(0),
        "unknown": accuracy["recall"].isna(),
        "recall": accuracy["recall"],
        "place": surface_places(accuracy["surface"]),
    }
    return accuracy.loc[pd.DataFrame(order).sort_values(list(order)).index].reset_index(drop=True)


def _first_part(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the part of the labels that is shown first."""
    first = next((name for name in ACCURACY_PARTS if (frame["labels"] == name).any()), "")
    return frame[frame["labels"] == first]


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
    told = with_columns(bins, "reliability", "labels", "decided_by", "stated", "share", "low", "high", "part", "whole")
    rows = _first_part(told).dropna(subset=["stated", "share", "part", "whole"])
    off = (rows["stated"] * rows["whole"] - rows["part"]).abs().groupby(rows["decided_by"]).transform("sum")
    whole = rows.groupby("decided_by")["whole"].transform("sum")
    error = off / whole.where(whole > 0)
    return cut_to(rows.assign(error=error).sort_values(["decided_by", "stated"]), RELIABILITY_COLUMNS)


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
    told = with_columns(faults, "extraction_errors", "surface", "kind", "risk", "given", "quote")
    risk, given = (told[side].astype("str").map(_RANK).astype("Int64") for side in ("risk", "given"))
    steps = (risk - given).abs()
    order = {
        "kind": told["kind"].map(_KINDS).fillna(len(_KINDS)),
        "step": -steps.fillna(0),
        "level": -pd.concat([risk, given], axis=1).max(axis=1).fillna(-1),
        "place": surface_places(told["surface"]),
    }
    return cut_to(told.assign(steps=steps).loc[pd.DataFrame(order).sort_values(list(order)).index], FAULT_COLUMNS)


def accuracy_sentences(accuracy: pd.DataFrame, told: Mapping[str, object], noise: pd.DataFrame | None) -> list[str]:
    """Say in three sentences how ratings are made, how well documents are read, and how many changes are material.

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
    >>> print(analysis.accuracy_sentences(analysis.accuracy(measured.figures), measured.facts, noise)[2])
    Of 1,549 recorded changes 13 % are material; the others are noise.
    """
    read = f"Policy documents are read on {len(SURFACES)} surfaces"
    if len(accuracy):
        readers = "Rules written by hand, and a model learned from written sentences and documents labelled whole"
        read = f"{readers}, read policy documents on {len(SURFACES)} surfaces"
    whole = accuracy[accuracy["surface"] == "all"].dropna(subset=["precision", "recall"])
    older = " (older figures, which counted only text that somebody had judged, are withdrawn)" * bool(
        told.get("withdrawn")
    )
    well = f"How well they read is not known: there are no figures on whole documents{older}."
    for _, row in whole.iterrows():
        right, found = percent(row["precision"]), percent(row["recall"])
        said = f"{right} of all findings shown are right and {found} of the firm labels are found"
        day = f", measured on {told['measured_on']}" if told.get("measured_on") else ""
        well = f"On documents of {ACCURACY_PARTS[row['labels']]}, labelled whole, {said}{day}."
    return [f"{read}; every level leads back to the clauses that decided it.", well, _material(noise)]


def _material(noise: pd.DataFrame | None) -> str:
    """Say what share of the recorded changes is material."""
    if noise is None:
        return "What recorded changes are made of is not known: the service shows changes to Pro keys only."
    total, material = int(noise["changes"].sum()), int(noise.loc[noise["material"], "changes"].sum())
    if total < 2:
        one = f"The one recorded change is {'material' if material else 'noise'}."
        return one if total else "No change is recorded."
    return f"Of {total:,} recorded changes {percent(material / total)} are material; the others are noise."
