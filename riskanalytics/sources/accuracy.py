"""How well the extraction reads: measured on labels where there are any, else as the service recorded it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from riskanalytics import frames
from riskanalytics.accuracy import Score, as_record, leave_vendors_out, score
from riskanalytics.client import Client
from riskanalytics.demo import demo_database
from riskanalytics.errors import SettingsError
from riskanalytics.settings import load_settings

_MEASURES: Final = ("never_seen", "vendors_left_out")
"""Measures that a service may tell, the one to show first."""
_SHARES: Final = ("precision", "recall")


class Accuracy(NamedTuple):
    """Figures of the extraction, and what it got wrong.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`, of the measure that `told` names; empty where there is none.
    faults : pandas.DataFrame
        `frames.FAULTS_COLUMNS`; empty where there are no labels.
    told : dict
        `source` (`labels`, `recorded` or `none`); `measure` (`never_seen`, platforms from which no rule was
        written and no weight learned, or `vendors_left_out`, each vendor scored by what others justify; empty where neither is
        told); and where they are known `measured_on` (ISO 8601 day), `rules`, `labelled_clauses`, `precision`,
        `recall` and `f1` with nothing left out, `families`, and with each left out `families_precision`,
        `families_recall`, `families_labelled` (count); `mean_confidence`, `share_right`, `brier`; of platforms never
        seen `platforms`, `texts`, `lookalikes`, `lookalikes_reported`, `levels_right` and of all surfaces `right`,
        `judged`, `found`, `labelled` (counts); and `not_scored` (labels refused, texts and platforms not held).
    """

    figures: pd.DataFrame
    faults: pd.DataFrame
    told: dict[str, Any]


def load_accuracy(client: Client, labels: str | Path = "") -> Accuracy:
    """Load how well the extraction reads.

    Parameters
    ----------
    client : Client
        Where there are no labels, its coverage tells the recorded figures.
    labels : str or Path
        A folder of labels; they are scored against the database that the settings name, or the demo.

    Returns
    -------
    Accuracy

    Raises
    ------
    LabelsError
        If the folder, or a line of it, is not of the form of labels.
    SettingsError
        If labels are given and the settings name an address: labels need a database that holds their texts.
    """
    return _measured(Path(labels)) if str(labels) else _recorded(client.coverage())


def _measured(folder: Path) -> Accuracy:
    """Score labels against the database of the settings."""
    settings = load_settings()
    if settings.base_url is not None:
        raise SettingsError(
            "labels are scored against a database that holds their texts: set RISKANALYTICS_DATABASE, not an address"
        )
    result = score(folder, settings.database or demo_database(settings.cache))
    record = as_record(result, leave_vendors_out(result.texts))
    left_out, whole = record["vendors_left_out"], record["all"]
    confidence = left_out["confidence"]
    told = {
        "source": "labels",
        "measure": "vendors_left_out" if result.texts else "",
        "rules": result.rules,
        "labelled_clauses": whole["recall"]["whole"],
        "precision": whole["precision"]["value"],
        "recall": whole["recall"]["value"],
        "f1": whole["f1"],
        "families": len(left_out["families"]),
        "families_precision": left_out["all"]["precision"]["value"],
        "families_recall": left_out["all"]["recall"]["value"],
        "families_labelled": left_out["all"]["recall"]["whole"],
        "mean_confidence": confidence["mean"],
        "share_right": confidence["share_right"],
        "brier": confidence["brier"],
        "not_scored": len(result.refused) + len(result.not_scored),
    }
    figures = frames.accuracy_frame(left_out["surfaces"] | {"all": left_out["all"]} if result.texts else {})
    return Accuracy(figures, _faults(result), told)


def _faults(result: Score) -> pd.DataFrame:
    """Return false alarms, missed clauses and other levels."""
    rows: list[tuple[object, ...]] = []
    for surface, tally in result.surfaces.items():
        for text, found in tally.wrong:
            place = (found.quote, text.sha256, found.start, found.end)
            rows.append((surface, "false_alarm", text.platform, text.document, None, found.risk, found.rule, *place))
        for span in tally.missed:
            place = (span.quote, span.sha256, span.start, span.end)
            rows.append((surface, "missed", span.platform, span.document, span.risk, None, None, *place))
        for span, found in tally.off_level:
            place = (span.quote, span.sha256, span.start, span.end)
            rows.append((surface, "level", span.platform, span.document, span.risk, found.risk, found.rule, *place))
    return frames.faults_frame(rows)


def _recorded(coverage: Mapping[str, Any]) -> Accuracy:
    """Read the figures that a service tells of its extraction; other services tell none, or less."""
    figures = _mapping(_mapping(coverage.get("extraction")).get("figures"))
    told_by = {name: _mapping(figures.get(name)) for name in _MEASURES}
    measure = next((name for name, told in told_by.items() if _mapping(told.get("surfaces"))), "")
    shown, left_out = told_by.get(measure, {}), told_by["vendors_left_out"]
    told = {
        "source": "recorded" if figures else "none",
        "measure": measure,
        **_plain(left_out),
        **_plain(figures),
        **{f"families_{name}": _mapping(left_out.get(name)).get("value") for name in _SHARES},
        "families_labelled": _mapping(left_out.get("recall")).get("whole"),
        **_plain(shown),
        **_counts(shown),
    }
    whole = {name: shown[name] for name in _SHARES if isinstance(shown.get(name), dict)}
    surfaces = _mapping(shown.get("surfaces")) | {"all": whole} if measure else {}
    return Accuracy(frames.accuracy_frame(surfaces), frames.faults_frame([]), told)


def _counts(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts behind the shares of all surfaces."""
    precision, recall = (_mapping(shown.get(name)) for name in _SHARES)
    return {
        "right": precision.get("part"),
        "judged": precision.get("whole"),
        "found": recall.get("part"),
        "labelled": recall.get("whole"),
    }


def _plain(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told beside the shares and the surfaces."""
    return {name: value for name, value in told.items() if not isinstance(value, dict | list)}


def _mapping(value: object) -> dict[str, Any]:
    """Return a value that is an object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}
