"""How well the extraction reads: measured on labels where there are any, else as the service recorded it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.errors import SettingsError
from riskanalytics.frames.building import mapping_of
from riskanalytics.models import ACCURACY_PARTS
from riskanalytics.settings import load_settings

if TYPE_CHECKING:
    from riskanalytics.accuracy import Score


class Accuracy(NamedTuple):
    """Figures of the extraction, and what it got wrong.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`; empty where the service has none.
    reliability : pandas.DataFrame
        `frames.RELIABILITY_COLUMNS`.
    faults : pandas.DataFrame
        `frames.FAULTS_COLUMNS`; empty where there are no labels.
    told : dict
        `source` (`labels`, `recorded` or `none`); `labels`, which part of `models.ACCURACY_PARTS` to show first (empty
        if there is no part), and its `measured_on` (ISO 8601 day) and `rules` (version) where they are known; `parts`:
        by part what is known beside the shares, such as `documents`, `families`, `times_scored`, and the shares of
        `stances`; `audit`: what readers found who judged what is shown (`read`, `measured_on`, `rules`, and the shares of
        `findings`, `stances`, `changes`); `withdrawn`: figures of an older measure, `why`, `measured_on`, and by measure
        its `precision` and `recall`; and `not_scored` (labels refused, texts and platforms not held).
    """

    figures: pd.DataFrame
    reliability: pd.DataFrame
    faults: pd.DataFrame
    told: dict[str, Any]


def load_accuracy(client: Client, labels: str | Path = "") -> Accuracy:
    """Load how well the extraction reads.

    Parameters
    ----------
    client : Client
        Without labels, its coverage has the recorded figures.
    labels : str or Path
        A file or folder of labels; they are scored against the database that the settings name, or the demo.

    Returns
    -------
    Accuracy

    Raises
    ------
    LabelsError
        If the labels, or a line of them, are not of the form of labels.
    SettingsError
        If labels are given and the settings name an address: labels need a database that holds their texts.
    """
    return _measured(Path(labels)) if str(labels) else _recorded(client.coverage())


def _measured(source: Path) -> Accuracy:
    """Score labels against the database of the settings."""
    from riskanalytics.accuracy import as_record, score  # noqa: PLC0415
    from riskanalytics.demo import demo_database  # noqa: PLC0415

    settings = load_settings()
    if settings.base_url is not None:
        raise SettingsError(
            "labels are scored against a database that holds their texts: set RISKANALYTICS_DATABASE, not an address"
        )
    result = score(source, settings.database or demo_database(settings.cache))
    missing = len(result.refused) + len(result.not_scored)
    parts = {"given": as_record(result)} if result.documents else {}
    return _accuracy(parts, _faults(result), {"source": "labels", "withdrawn": {}, "not_scored": missing})


def _faults(result: Score) -> pd.DataFrame:
    """Return false alarms, missed clauses and other levels."""
    rows: list[tuple[object, ...]] = []
    for judged in result.documents:
        document = judged.document
        source = (document.platform, document.document)
        for found, label in judged.verdicts:
            place = (found.rule, found.quote, document.sha256, found.start, found.end)
            if label is None:
                rows.append((found.surface, "false_alarm", *source, None, found.risk, *place))
            elif found.risk not in label.risks:
                rows.append((found.surface, "level", *source, label.risks[0], found.risk, *place))
        for missed in judged.missed(judged.findings):
            quote = judged.text[missed.start : missed.end]
            where = (quote, document.sha256, missed.start, missed.end)
            rows.append((missed.surface, "missed", *source, missed.risks[0], None, None, *where))
    return frames.faults_frame(rows)


def _recorded(coverage: Mapping[str, object]) -> Accuracy:
    """Read the figures of its extraction that a service has; other services have none."""
    figures = mapping_of(mapping_of(coverage.get("extraction")).get("figures"))
    parts = {name: figures[name] for name in ACCURACY_PARTS if mapping_of(mapping_of(figures.get(name)).get("groups"))}
    withdrawn, audit = mapping_of(figures.get("withdrawn")), mapping_of(figures.get("audit"))
    told = {"source": "recorded" if figures else "none", "withdrawn": withdrawn, "audit": audit}
    return _accuracy(parts, frames.faults_frame([]), told)


def _accuracy(parts: Mapping[str, object], faults: pd.DataFrame, told: Mapping[str, object]) -> Accuracy:
    plain = {name: _plain(mapping_of(part)) for name, part in parts.items()}
    first = next(iter(plain), "")
    shown = {name: value for name, value in plain.get(first, {}).items() if name in ("measured_on", "rules")}
    everything = {**told, "labels": first, "parts": plain, **shown}
    return Accuracy(frames.accuracy_frame(parts), frames.reliability_frame(parts), faults, everything)


def _plain(told: Mapping[str, object]) -> dict[str, object]:
    """Return what a part has beside its shares by surface."""
    return {name: value for name, value in told.items() if name == "stances" or not isinstance(value, dict | list)}
