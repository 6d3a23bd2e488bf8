"""Records of the wire -> frames, one function for each frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

import pandas as pd

from riskanalytics.frames import columns
from riskanalytics.frames.building import Json, frame_of, mapping_of, records_of, table_frame
from riskanalytics.frames.layouts import change_of, coverage_of, finding_of, head_of, machine_of
from riskanalytics.models import RATINGS, SURFACE_STATES
from riskanalytics.surfaces import SURFACES

Dated = tuple[date, str, Json]
"""A day, what is known of it (`known`, `untracked`, `not known`), and the machine platform of that day."""


def platforms_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return list records (specification section 2.2) with `PLATFORMS_COLUMNS`."""
    return table_frame(columns.PLATFORMS_COLUMNS, map(head_of, records))


def findings_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return findings, or leads, with `FINDINGS_COLUMNS`.

    Parameters
    ----------
    records : iterable of mapping
        Findings (specification section 2.4), each with `slug` and `name` of its platform, in any layout that
        `layouts.finding_of` reads.
    """
    return table_frame(columns.FINDINGS_COLUMNS, map(finding_of, records))


def surfaces_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a row per platform and surface with `SURFACES_COLUMNS`.

    Parameters
    ----------
    records : iterable of mapping
        Machine platforms. Where one does not state a surface, it is read off its findings: the worst risk-raising one; a
        surface without any is quiet if it was searched, else unread.
    """
    return table_frame(columns.SURFACES_COLUMNS, (cell for record in records for cell in _cells(record)))


def _cells(record: Json) -> Iterator[dict[str, object]]:
    """Give one machine platform by surfaces."""
    record = machine_of(record)
    told, listed = _surfaces_told(record), mapping_of(record.get("surfaces"))
    platform = {"slug": record.get("slug"), "name": record.get("name")}
    for surface in dict.fromkeys((*SURFACES, *told)):
        decided = mapping_of(listed.get(surface)).get("decided_by")
        yield {**told.get(surface, {"state": "unread"}), **platform, "surface": surface, "decided_by": decided}


def _surfaces_told(record: Json) -> dict[str, Json]:
    """Return `risk`, `count`, `state` and `to_read` of each surface of one machine platform."""
    told: dict[str, Json] = {}
    for row in records_of(record.get("searched_without_result")):
        if isinstance(surface := row.get("surface"), str):
            told[surface] = {"count": 0, "state": "quiet"}
    found: dict[str, list[Json]] = {}
    for row in map(finding_of, records_of(record.get("findings"))):
        if isinstance(surface := row.get("surface"), str):
            found.setdefault(surface, []).append(row)
    told |= {name: {"risk": _worst(rows), "count": len(rows), "state": "found"} for name, rows in found.items()}
    for name, value in mapping_of(record.get("surfaces")).items():
        cell = value if isinstance(value, Mapping) else {"count": value, "risk": told.get(name, {}).get("risk")}
        count = cell.get("count")
        if cell.get("state") in SURFACE_STATES:
            told[name] = cell
        elif isinstance(count, int) and count > 0:
            told[name] = {**cell, "state": "found"}
    return told


def _worst(findings: Sequence[Json]) -> object:
    """Return the worst level of findings that raise the risk; a protective one is a LOW."""
    risks = [row.get("risk") if row.get("polarity", "raises_risk") == "raises_risk" else "LOW" for row in findings]
    order = {level: place for place, level in enumerate(RATINGS)}
    return max((risk for risk in risks if risk is not None), key=lambda risk: order.get(str(risk), -1), default=None)


def training_use_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a row per machine platform with `TRAINING_USE_COLUMNS`."""
    return table_frame(
        columns.TRAINING_USE_COLUMNS,
        (
            {**head_of(one), "level": _surfaces_told(machine_of(one)).get("training_use", {}).get("risk")}
            for one in records
        ),
    )


def documents_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a row per document of machine platforms with `DOCUMENTS_COLUMNS`."""
    return table_frame(columns.DOCUMENTS_COLUMNS, parts_of(records, "documents"))


def parts_of(records: Iterable[Json], name: str) -> Iterator[dict[str, object]]:
    """Give a list of machine platforms, each of its records with `slug` and `name` of its platform.

    Parameters
    ----------
    records : iterable of mapping
    name : str
        `findings`, `leads` or `documents`; nothing where a server does not tell them as a list.
    """
    for record in map(machine_of, records):
        for part in records_of(record.get(name)):
            yield {**part, "slug": record.get("slug"), "name": record.get("name")}


def changes_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return re-reviews with `CHANGES_COLUMNS`."""
    return table_frame(columns.CHANGES_COLUMNS, map(change_of, records))


def coverage_frame(record: Json) -> pd.DataFrame:
    """Return the counts of `/api/coverage` as one row with `COVERAGE_COLUMNS`."""
    return table_frame(columns.COVERAGE_COLUMNS, [coverage_of(record)])


def history_frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Return (slug, name, date, rating, known) rows with `HISTORY_COLUMNS`."""
    told = [(slug, name, at, rating, rating, known) for slug, name, at, rating, known in rows]
    return frame_of(columns.HISTORY_COLUMNS, told)


def states_frame(past: Iterable[Dated]) -> pd.DataFrame:
    """Return a row per day with `STATES_COLUMNS`; of a day that is not known, nothing but its date is told."""
    rows = ({**record, "date": day.isoformat(), "state": state} for day, state, record in past)
    return table_frame(columns.STATES_COLUMNS, rows)


def dated_surfaces_frame(past: Iterable[Dated]) -> pd.DataFrame:
    """Return a row per known day and surface with `DATED_SURFACES_COLUMNS`."""
    known = ((day, record) for day, state, record in past if state == "known")
    rows = ({**cell, "date": day.isoformat()} for day, record in known for cell in _cells(record))
    return table_frame(columns.DATED_SURFACES_COLUMNS, rows)


def accuracy_frame(parts: object) -> pd.DataFrame:
    """Return figures of accuracy with `ACCURACY_COLUMNS`.

    Parameters
    ----------
    parts : mapping
        What was scored -> `groups`: surface, or what decided -> measure -> `value`, `low`, `high`, `part`, `whole`,
        `families`, or a number alone; anything else is left out. The known surfaces first, `all` last.
    """
    rows: list[Json] = []
    for part, told in mapping_of(parts).items():
        groups = mapping_of(mapping_of(told).get("groups"))
        names = [*(name for name in SURFACES if name in groups), *(name for name in groups if name not in SURFACES)]
        for name in sorted(names, key=lambda name: name == "all"):
            for measure, share in mapping_of(groups[name]).items():
                known = share if isinstance(share, Mapping) else {"value": share}
                rows.append({**known, "labels": part, "surface": name, "measure": measure})
    return table_frame(columns.ACCURACY_COLUMNS, rows)


def reliability_frame(parts: object) -> pd.DataFrame:
    """Return stated confidence beside what was right with `RELIABILITY_COLUMNS`.

    Parameters
    ----------
    parts : mapping
        What was scored -> `reliability`: what decided -> list of bins; anything else is left out.
    """
    rows: list[Json] = []
    for part, told in mapping_of(parts).items():
        for name, bins in mapping_of(mapping_of(told).get("reliability")).items():
            rows += [{**one, "labels": part, "decided_by": name} for one in records_of(bins)]
    return table_frame(columns.RELIABILITY_COLUMNS, rows)


def problems_frame(problems: Iterable[tuple[object, ...]]) -> pd.DataFrame:
    """Return what could not be read, (slug, what, where) each, with `PROBLEMS_COLUMNS`."""
    return frame_of(columns.PROBLEMS_COLUMNS, list(problems))


def faults_frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Return faults of the extraction, tuples in the order of `FAULTS_COLUMNS`."""
    return frame_of(columns.FAULTS_COLUMNS, rows)
