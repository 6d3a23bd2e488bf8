"""The method in sentences: what stands behind the ratings, how well it reads, and what changes are made of."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from riskanalytics.models import ACCURACY_PARTS
from riskanalytics.surfaces import SURFACES
from riskanalytics.wording import percent

__all__ = ["accuracy_sentences"]


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


def _read_well(accuracy: pd.DataFrame, told: Mapping[str, object]) -> str:
    """Say how many findings are right and how many labels are found."""
    whole = accuracy[accuracy["surface"] == "all"]
    if whole.empty or whole[["precision", "recall"]].isna().any(axis=None):
        older = " (older figures, which counted only text that somebody had judged, are withdrawn)"
        return f"How well they read is not known: there are no figures on whole documents{older * bool(told.get('withdrawn'))}."
    row = whole.iloc[0]
    day = told.get("measured_on")
    return (
        f"On documents of {ACCURACY_PARTS[row['labels']]}, labelled whole, {percent(row['precision'])} of all findings shown "
        f"are right and {percent(row['recall'])} of the firm labels are found{f', measured on {day}' if day else ''}."
    )


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
