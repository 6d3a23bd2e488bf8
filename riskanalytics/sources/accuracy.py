"""How well the extraction reads: measured on labels where there are any, else as the service recorded it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from riskanalytics import frames
from riskanalytics.accuracy import Score, as_record, leave_vendors_out, score
from riskanalytics.client import Client
from riskanalytics.demo import demo_database
from riskanalytics.errors import SettingsError
from riskanalytics.settings import load_settings


class Accuracy(NamedTuple):
    """Figures of the extraction, and what it got wrong.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`: each vendor scored by the rules that others justify; empty where not told.
    faults : pandas.DataFrame
        `frames.FAULTS_COLUMNS`; empty where there are no labels.
    told : dict
        `source` (`labels`, `recorded` or `none`), and where they are known `measured_on` (ISO 8601 day), `rules`,
        `labelled_clauses`, `precision`, `recall` and `f1` with all rules on, `families`, `mean_confidence`,
        `share_right`, `brier`, and `not_scored` (labels refused, texts and platforms not held).
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
        "rules": result.rules,
        "labelled_clauses": whole["recall"]["whole"],
        "precision": whole["precision"]["value"],
        "recall": whole["recall"]["value"],
        "f1": whole["f1"],
        "families": len(left_out["families"]),
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
    left_out = _mapping(figures.get("vendors_left_out"))
    surfaces = _mapping(left_out.get("surfaces"))
    whole = {name: left_out[name] for name in ("precision", "recall") if isinstance(left_out.get(name), dict)}
    plain = {name: value for name, value in figures.items() if not isinstance(value, dict | list)}
    beside = {name: value for name, value in left_out.items() if not isinstance(value, dict | list)}
    told = {"source": "recorded" if figures else "none", **beside, **plain}
    return Accuracy(
        frames.accuracy_frame({**surfaces, "all": whole} if surfaces else {}), frames.faults_frame([]), told
    )


def _mapping(value: object) -> dict[str, Any]:
    """Return a value that is an object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}
