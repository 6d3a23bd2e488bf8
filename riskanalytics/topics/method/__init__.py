"""Accuracy of the extraction: precision and recall by surface, whether its stated confidence is right, and its errors."""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.wording import percent, plural

from ..shape import RANK, cut_to, ordered, schema, with_columns

__all__ = ["accuracy", "accuracy_sentences", "extraction_errors", "reliability"]

ACCURACY_COLUMNS: Final = schema(
    "labels surface:str precision precision_low precision_high:Float64 precision_part precision_whole:Int64 recall "
    "recall_low recall_high:Float64 recall_part recall_whole:Int64"
)
BIN_COLUMNS: Final = schema("labels decided_by:str stated share low high:Float64 part whole:Int64 error:Float64")
FAULT_COLUMNS: Final = schema(
    "surface kind slug document:str risk given:rating steps:Int64 rule quote snapshot_sha256:str start end:Int64"
)
_KINDS: Final = ("missed", "false_alarm", "level")
_LAST: Final = {decided: place for place, decided in enumerate(DECIDED_BY, 1)}
"""What decided findings -> place, in the result of `accuracy`, of its row for all surfaces together; surfaces come before it."""
_BOUNDS: Final = ("low", "high", "part", "whole")


def accuracy(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the precision and recall of the extraction by surface, the lowest recall first.

    Parameters
    ----------
    figures : pandas.DataFrame
        `data.accuracy().figures`, with the columns `frames.ACCURACY_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        One row for each surface, the lowest recall first and unknown recall last; then three rows for all surfaces together:
        `hand_written` (findings decided by rules), `learned` (by the model) and `all`. `labels` str: the name of the set
        of labelled documents on which this was measured. Only one set is used: of `models.ACCURACY_PARTS`, the first for which
        `figures` has rows. `surface` str, `precision` and `recall` Float64 0..1 (missing if nothing was counted). Both
        have a 95 % interval (suffixes `_low` and `_high`, Float64) and counts (suffixes `_part` for the numerator and `_whole`
        for the denominator, Int64).

    Examples
    --------
    >>> accuracy = analysis.accuracy(data.accuracy().figures)
    >>> accuracy["surface"].head(3).tolist()
    ['web_data_training', 'output_rights', 'human_review']
    """
    part = _first_part(with_columns(figures, "accuracy", "labels", "surface", "measure", "share", *_BOUNDS))
    rows = part[part["measure"].isin(["precision", "recall"])]
    wide = rows.pivot(index=["labels", "surface"], columns="measure", values=["share", *_BOUNDS])
    wide.columns = wide.columns.map(lambda key: f"{key[1]}_{key[0]}".removesuffix("_share"))
    accuracy = cut_to(wide.reset_index(), ACCURACY_COLUMNS)
    last = accuracy["surface"].map(_LAST).fillna(0)
    return cut_to(ordered(accuracy.assign(last=last), "last", "recall", "surface"), ACCURACY_COLUMNS)


def _first_part(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first part of the labels that has any."""
    first = next((name for name in ACCURACY_PARTS if (frame["labels"] == name).any()), "")
    return frame[frame["labels"] == first]


def reliability(bins: pd.DataFrame) -> pd.DataFrame:
    """Compare the stated confidence of findings with the share of them that are right.

    Parameters
    ----------
    bins : pandas.DataFrame
        `data.accuracy().reliability`, with the columns `frames.RELIABILITY_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        One row for each range of confidence, called a bin, and each group of findings: `labels` str (name of the set of labelled
        documents, chosen as in `accuracy`), `decided_by` str (the group: `hand_written`, findings decided by rules; `learned`,
        by the model; `all`). Of the group's findings in the bin: `stated` Float64 (their mean stated confidence), `share` Float64
        (the share that is right) with its 95 % interval `low`, `high`, and `part`, `whole` Int64 (how many are right, how many
        there are). Of the group in all bins: `error` Float64, the expected calibration error (Naeini et al. 2015), which is the
        mean of |stated - share|, weighted by `whole`. Sorted by `decided_by`, then in increasing order of `stated`.

    Examples
    --------
    >>> sure = analysis.reliability(data.accuracy().reliability)
    >>> sure.query("decided_by == 'all'")[["stated", "share", "whole"]].round(2)
       stated  share  whole
    0    0.87   0.88    128
    1    0.96   0.96    683
    """
    part = _first_part(with_columns(bins, "reliability", "labels", "decided_by", "stated", "share", *_BOUNDS))
    rows = part.dropna(subset=["stated", "share", "part", "whole"])
    by, off = rows["decided_by"], (rows["stated"] * rows["whole"] - rows["part"]).abs()
    error = off.groupby(by).transform("sum") / rows["whole"].groupby(by).transform("sum")
    return cut_to(ordered(rows.assign(error=error), "decided_by", "stated"), BIN_COLUMNS)


def extraction_errors(faults: pd.DataFrame) -> pd.DataFrame:
    """List the clauses that the extraction missed or misread, compared with labelled documents.

    Parameters
    ----------
    faults : pandas.DataFrame
        `data.accuracy(labels).faults`, with the columns `frames.FAULTS_COLUMNS`.

    Returns
    -------
    pandas.DataFrame
        One row for each error: `surface`, `kind` str (`missed`: labelled but not found; `false_alarm`: found but not labelled;
        `level`: found with another level), `slug`, `document` str, `risk` (labelled level), `given` (found level) category,
        `steps` Int64 (distance between the two levels; missing if one is missing), `rule` (that found the clause), `quote`,
        `snapshot_sha256` str, `start`, `end` Int64 (offsets of the quote). In this order of `kind`; within a kind, the largest
        distance first, then the highest level, then by surface.

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
    risk, given = (faults[side].astype("str").map(RANK).astype("Int64") for side in ("risk", "given"))
    steps, levels = (risk - given).abs(), pd.concat([risk, given], axis=1)
    keys = {"order": faults["kind"].map(_KINDS.index), "step": steps.fillna(0), "top": levels.max(axis=1).fillna(-1)}
    return cut_to(ordered(faults.assign(steps=steps, **keys), "order", "-step", "-top", "surface"), FAULT_COLUMNS)


def accuracy_sentences(accuracy: pd.DataFrame, facts: Mapping[str, object], noise: pd.DataFrame | None) -> list[str]:
    """Return three sentences: how ratings are made, how well documents are read, and how many changes are material.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        Result of `accuracy`.
    facts : mapping
        `data.accuracy().facts`; only its `measured_on`, the day of the measurement, is used.
    noise : pandas.DataFrame or None
        Result of `change_noise`; None if the key of the service gives no access to changes.

    Returns
    -------
    list of str
        The three sentences in that order. What the data do not contain is called not known.

    Examples
    --------
    >>> measured, noise = data.accuracy(), analysis.change_noise(data.changes())
    >>> print(analysis.accuracy_sentences(analysis.accuracy(measured.figures), {}, noise)[2])
    13 % of 1,548 recorded changes are material; the others are noise.
    """
    readers = "Hand-written rules, and a model trained on sentences written for it and on fully labelled documents, search policy"
    read = f"{readers} documents" if len(accuracy) else "Policy documents are searched"
    well = "Their accuracy is not known: there are no figures on fully labelled documents."
    for row in rows_of(accuracy[accuracy["surface"] == "all"].dropna(subset=["precision", "recall"])):
        right, found = percent(row["precision"]), percent(row["recall"])
        said = f"{right} of all findings shown are right, and {found} of the clauses that these readers were sure of are found"
        day = f" (measured on {facts['measured_on']})" if facts.get("measured_on") else ""
        where = f"On documents that readers labelled sentence by sentence, of {ACCURACY_PARTS[row['labels']]}"
        well = f"{where}, {said}{day}."
    surfaces = f"for {len(SURFACES)} surfaces; every level can be traced to the clauses that decided it."
    return [f"{read} {surfaces}", well, _material(noise)]


def _material(noise: pd.DataFrame | None) -> str:
    """Return the share of the recorded changes that is material."""
    if noise is None:
        return "The kinds of recorded changes are not known: the service shows changes with a Pro key only."
    total, material = (int(rows["changes"].sum()) for rows in (noise, noise[noise["material"]]))
    if not total:
        return "No change is recorded."
    return f"{percent(material / total)} of {plural(total, 'recorded change')} are material; the others are noise."
