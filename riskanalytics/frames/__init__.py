"""Convert records to DataFrames. Columns and dtypes depend on the kind of record, never on the rows.

A record is a JSON object that the service sends. A machine platform is a record of `/api/machine/platform/{slug}`: one platform
with its findings, leads and documents. The module `columns` declares dtype and meaning of each column. Most come from the
classes in `models`, which also list the alternative names under which servers may send a field. This module has a function for
each frame; `unread` describes unreadable parts of a record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, Final

import pandas as pd

from riskanalytics.models import RATINGS, SURFACE_STATES
from riskanalytics.models.base import Record, fields_of
from riskanalytics.models.parts import Finding, Provenance
from riskanalytics.models.records import MachinePlatform
from riskanalytics.surfaces import SURFACES

from . import columns as c

# other modules import these names from here
from .building import *  # noqa: F403
from .building import Json, mapping_of, records_of, table_frame, value_at
from .columns import *  # noqa: F403

Dated = tuple[date, str, Json]
"""A day, its state (`known`, `untracked`, `not known`), and the machine platform of that day."""
_OWNERS: Final = frozenset({"slug", "platform", "platform_id"})
"""Fields in which a finding may name its platform."""


def field_of(record: Json, kind: type[Record], name: str) -> Any:
    """Return the unchanged value of a field of a JSON record, under whichever of its names the server sent it; None if missing.

    Parameters
    ----------
    record : mapping
        The JSON object, as the service sent it.
    kind : type of Record
        Class in `models` that declares the fields of this record and their names in JSON.
    name : str
        Name of the field in this class.
    """
    return value_at(record, fields_of(kind)[name].paths)


platforms_frame: Final = partial(table_frame, c.PLATFORMS_COLUMNS)
"""Takes records of the list of platforms (specification section 2.2); returns a frame with `PLATFORMS_COLUMNS`."""
findings_frame: Final = partial(table_frame, c.FINDINGS_COLUMNS)
"""Takes findings or leads as `parts_of` yields them (specification section 2.4); returns a frame with `FINDINGS_COLUMNS`."""
changes_frame: Final = partial(table_frame, c.CHANGES_COLUMNS)
"""Takes records of changes; returns a frame with `CHANGES_COLUMNS`."""


def surfaces_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a frame with the columns `SURFACES_COLUMNS` and a row for each surface of each platform.

    If a record does not state the level or state of a surface, they are derived from its findings on this surface. The level is
    then the worst level of the findings that raise the risk; LOW if no finding raises it; missing if there are no findings. The
    state is `found` if there are findings; else `quiet` if the record says that the surface was searched; else `unread`.

    Parameters
    ----------
    records : iterable of mapping
        Machine platforms: records of `/api/machine/platform/{slug}`.
    """
    return table_frame(c.SURFACES_COLUMNS, (cell for record in records for cell in _cells(record)))


def _cells(record: Json) -> Iterator[dict[str, object]]:
    """Yield the surfaces of one machine platform."""
    cells = _surfaces(record)
    platform = {"slug": record.get("slug"), "name": record.get("name")}
    for surface in dict.fromkeys((*SURFACES, *cells)):
        yield {**cells.get(surface, {"state": "unread"}), **platform, "surface": surface}


def _surfaces(record: Json) -> dict[str, Json]:
    """Return `risk`, `count`, `state` and `to_read` of each surface of one machine platform."""
    stated = mapping_of(field_of(record, MachinePlatform, "surfaces"))
    if all(mapping_of(stated.get(name)).get("state") in SURFACE_STATES for name in (*SURFACES, *stated)):
        return {name: mapping_of(cell) for name, cell in stated.items()}
    quiet = [row.get("surface") for row in records_of(record.get("searched_without_result"))]
    cells: dict[str, Json] = {name: {"count": 0, "state": "quiet"} for name in quiet if isinstance(name, str)}
    found = [row for row in _own(record, "findings")[0] if isinstance(row.get("surface"), str)]
    for name in dict.fromkeys(str(row["surface"]) for row in found):
        rows = [row for row in found if row["surface"] == name]
        cells[name] = {"risk": _worst(rows), "count": len(rows), "state": "found"}
    for name, value in stated.items():
        cell = value if isinstance(value, Mapping) else {"count": value, "risk": cells.get(name, {}).get("risk")}
        count = cell.get("count")
        if cell.get("state") in SURFACE_STATES:
            cells[name] = cell
        elif isinstance(count, int) and count > 0:
            cells[name] = {**cell, "state": "found"}
    return cells


def _worst(findings: Sequence[Json]) -> object:
    """Return the worst level of findings that raise the risk; protective ones count as LOW."""
    raising = [(row.get("polarity") or "raises_risk") == "raises_risk" for row in findings]
    risks = (field_of(row, Finding, "risk") if up else "LOW" for row, up in zip(findings, raising, strict=True))
    known = [risk for risk in risks if risk is not None]
    return max(known, key=lambda risk: RATINGS.index(risk) if risk in RATINGS else -1, default=None)


def training_use_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a frame with the columns `TRAINING_USE_COLUMNS` and a row for each record of `/api/machine/platform/{slug}`."""
    rows = ({**one, "level": _surfaces(one).get("training_use", {}).get("risk")} for one in records)
    return table_frame(c.TRAINING_USE_COLUMNS, rows)


def documents_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a frame with the columns `DOCUMENTS_COLUMNS` and a row for each document of the given platforms.

    Parameters
    ----------
    records : iterable of mapping
        Records of `/api/machine/platform/{slug}`.
    """
    return table_frame(c.DOCUMENTS_COLUMNS, parts_of(records, "documents"))


def dates_frame(records: Iterable[Json]) -> pd.DataFrame:
    """Return a frame with the columns `DATES_COLUMNS` and a row for each date or period that the documents of platforms state.

    Parameters
    ----------
    records : iterable of mapping
        Records of `/api/machine/platform/{slug}`.
    """
    return table_frame(c.DATES_COLUMNS, parts_of(records, "dates"))


def parts_of(records: Iterable[Json], name: str) -> Iterator[dict[str, object]]:
    """Yield the findings, leads, documents or dates of platforms, each with `slug` and `name` of its platform.

    Parameters
    ----------
    records : iterable of mapping
        Records of `/api/machine/platform/{slug}`.
    name : str
        Field of the record: `findings`, `leads`, `documents` or `dates`. If this field is not a list, the record yields nothing.
    """
    for record in records:
        for part in _own(record, name)[0]:
            yield {**part, "slug": record.get("slug"), "name": record.get("name")}


def unread(record: Json) -> list[str]:
    """Return sentences that say which parts of a platform's record cannot be read; an empty list if all can be read.

    Parameters
    ----------
    record : mapping
        As the service sent it: a record of `/api/machine/platform/{slug}` or of `/api/v1/platforms/{id}`.
    """
    listed = field_of(record, MachinePlatform, "findings")
    if record.get("citations_available") is False and not listed:
        return ["citations are not available with this key: its tier does not include them"]
    findings, sentences = _own(record, "findings")
    sentences += _own(record, "leads")[1]
    if not isinstance(listed, list):
        return [*sentences, "its findings are not a list and cannot be read"]
    places = (mapping_of(field_of(row, Finding, "provenance")) for row in findings)
    lacking = {
        "quote": sum(not isinstance(field_of(row, Finding, "quote"), str) for row in findings),
        "surface": sum(not isinstance(row.get("surface"), str) for row in findings),
        "place in a snapshot": sum(field_of(place, Provenance, "start") is None for place in places),
    }
    given = f"of its {len(findings):,} findings give no"
    sentences += [f"{count:,} {given} {what}" for what, count in lacking.items() if count]
    if isinstance(counted := record.get("citation_count"), int) and counted > len(findings):
        sentences.append(f"it counts {counted:,} citations and gives {len(findings):,}")
    return sentences


def _own(record: Json, name: str) -> tuple[list[Json], list[str]]:
    """Return the records of a list of a machine platform, and sentences on items that are not its records."""
    listed = field_of(record, MachinePlatform, name)
    read, own = records_of(listed), _named(record, ("slug", "id", "name"))
    kept = [row for row in read if not own or not (named := _named(row, _OWNERS)) or named & own]
    sentences = []
    if isinstance(listed, list) and len(read) < len(listed):
        sentences.append(f"{len(listed) - len(read):,} of its {name} are not records and cannot be read")
    if len(kept) < len(read):
        sentences.append(f"{len(read) - len(kept):,} of its {name} name another platform and are left out")
    return kept, sentences


def _named(record: Json, keys: Iterable[str]) -> set[str]:
    """Return the slugs, names and addresses of the platform in a record, normalised for comparison."""
    names = [name for key in keys if isinstance(name := record.get(key), str) and name]
    return {name.rstrip("/").rpartition("/")[2].casefold().replace(" ", "-") for name in names}


def coverage_frame(record: Json) -> pd.DataFrame:
    """Return the counts in a record of `/api/coverage` as one row with `COVERAGE_COLUMNS`."""
    return table_frame(c.COVERAGE_COLUMNS, [record])


def covered_day(record: Json) -> date | None:
    """Return the day of the counts in a record of `/api/coverage`; None if it does not state one."""
    day = coverage_frame(record)["as_of"].iloc[0]
    return None if pd.isna(day) else day.date()


def states_frame(past: Iterable[Dated]) -> pd.DataFrame:
    """Return the history of one platform as a frame with the columns `STATES_COLUMNS` and a row for each given day.

    Parameters
    ----------
    past : iterable of (date, str, mapping)
        For each day: the date; the state, which is `known`, `untracked` (not yet tracked on that day) or `not known` (the server
        does not report it); and the record of `/api/machine/platform/{slug}` on that day. If the record is empty, the row has
        only the date and the state, and its level is `UNKNOWN`.
    """
    rows = ({**record, "date": day.isoformat(), "state": state} for day, state, record in past)
    return table_frame(c.STATES_COLUMNS, rows)


def dated_surfaces_frame(past: Iterable[Dated]) -> pd.DataFrame:
    """Return the levels of one platform's surfaces over time as a frame with the columns `DATED_SURFACES_COLUMNS`.

    The frame has a row for each surface on each day whose state is `known`.

    Parameters
    ----------
    past : iterable of (date, str, mapping)
        For each day, its date, state and record, as described at `states_frame`.
    """
    known = ((str(day), record) for day, state, record in past if state == "known")
    rows = ({**cell, "date": day} for day, record in known for cell in _cells(record))
    return table_frame(c.DATED_SURFACES_COLUMNS, rows)


def accuracy_frame(parts: object) -> pd.DataFrame:
    """Return the measured accuracy of the extraction as a frame with the columns `ACCURACY_COLUMNS`.

    The frame has a row for each set of labelled documents, group of findings, and measure. Of the groups, the known surfaces come
    first, and `all` comes last.

    Parameters
    ----------
    parts : mapping
        For each set of labelled documents (such as `test`), a mapping whose item `groups` maps each group to its measures. A
        group is a surface, `hand_written` (findings decided by rules), `learned` (findings decided by the model) or `all`. Its
        measures map a name, such as `precision`, to a number or to a mapping with the fields of `models.parts.ShareOfCount`.
        Values that are not of this form are skipped.
    """
    rows: list[Json] = []
    for part, scored in mapping_of(parts).items():
        groups = mapping_of(mapping_of(scored).get("groups"))
        names = [name for name in dict.fromkeys((*SURFACES, *groups)) if name in groups]
        for name in sorted(names, key=lambda name: name == "all"):
            for measure, share in mapping_of(groups[name]).items():
                known = share if isinstance(share, Mapping) else {"value": share}
                rows.append({**known, "labels": part, "surface": name, "measure": measure})
    return table_frame(c.ACCURACY_COLUMNS, rows)


def reliability_frame(parts: object) -> pd.DataFrame:
    """Return how often findings of each range of confidence are right, as a frame with the columns `RELIABILITY_COLUMNS`.

    Parameters
    ----------
    parts : mapping
        For each set of labelled documents (such as `test`), a mapping whose item `reliability` maps each group to a list of ranges.
        The groups are `hand_written` (findings decided by rules), `learned` (findings decided by the model) and `all`. Each
        range is a mapping with the fields of `models.parts.Bin`. Values that are not of this form are skipped.
    """
    rows: list[Json] = []
    for part, scored in mapping_of(parts).items():
        for name, bins in mapping_of(mapping_of(scored).get("reliability")).items():
            rows += [{**one, "labels": part, "decided_by": name} for one in records_of(bins)]
    return table_frame(c.RELIABILITY_COLUMNS, rows)
