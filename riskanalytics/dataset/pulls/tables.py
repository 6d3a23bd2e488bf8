"""What a service answered, as the Parquet tables of a pull, and back.

`answers` holds the answers as they came, `record` of `changes` the changes: all else can be made from these two. The
other tables are frames, so that a pull is a plain data set for others.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from riskanalytics import frames
from riskanalytics.errors import MissingExtraError, PullError
from riskanalytics.frames.building import mapping_of, records_of
from riskanalytics.frames.plain import MISSING, as_parquet, plain_frame
from riskanalytics.frames.records import parts_of

Json = dict[str, Any]

LIST: Final = "/api/v1/platforms"
CHANGES: Final = "/api/v1/changes"
COVERAGE: Final = "/api/coverage"
INDEX: Final = "/llms-full.txt"
MACHINE: Final = "/api/machine/platform/"
_ANSWERS: Final[frames.Columns] = {
    "path": ("str", "Path of the endpoint."),
    "status": ("Int64", "HTTP status."),
    "body": ("str", "The answer, or why it is missing."),
}


@dataclass
class Answers:
    """What a service answered, as it came.

    Parameters
    ----------
    coverage : dict
    listed : dict, optional
        The list of platforms, whole; None where no key was there to ask with.
    records : dict
        Slug -> machine platform.
    failed : dict
        Slug -> why its machine platform could not be had.
    changes : list of dict, optional
        None where the service does not show them.
    index : str, optional
        The list for agents.
    """

    coverage: Json = field(default_factory=dict)
    listed: Json | None = None
    records: dict[str, Json] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    changes: list[Json] | None = None
    index: str | None = None

    @property
    def platforms(self) -> list[Json]:
        """The platforms as of the list; as of their machine records where no list is kept."""
        if self.listed is not None:
            return [dict(row) for row in records_of(self.listed.get("data"))]
        return [
            {"id": slug, "verification": record.get("verification_status"), **record}
            for slug, record in self.records.items()
        ]

    @property
    def snapshots(self) -> list[str]:
        """SHA-256 of the texts that documents, findings, leads and the clauses of changes name, each once, in order."""
        told: dict[str, None] = {}
        for record in [*self.records.values(), *(self.changes or [])]:
            for part in (part for parts in record.values() for part in records_of(parts)):
                place = mapping_of(part.get("provenance")) or part
                told[str(place.get("snapshot_sha256"))] = None
        return [name for name in told if len(name) == 64 and set(name) <= set("0123456789abcdef")]


def tables_of(answers: Answers) -> dict[str, pd.DataFrame]:
    """Return the tables of a pull: `answers`, and each frame that was shown.

    Parameters
    ----------
    answers : Answers
    """
    records = list(answers.records.values())
    told = {
        "answers": frames.frame_of(_ANSWERS, _rows(answers)),
        "platforms": frames.platforms_frame(answers.platforms),
        "findings": frames.findings_frame(parts_of(records, "findings")),
        "leads": frames.findings_frame(parts_of(records, "leads")),
        "surfaces": frames.surfaces_frame(records),
        "training_use": frames.training_use_frame(records),
        "documents": frames.documents_frame(records),
        "coverage": frames.coverage_frame(answers.coverage),
    }
    if answers.changes is not None:
        raw = pd.Series(list(map(_text, answers.changes)), dtype="str")
        told["changes"] = frames.changes_frame(answers.changes).assign(record=raw)
    return told


def stored(frame: pd.DataFrame) -> bytes:
    """Return a table as it is stored: Parquet, nested values as JSON text."""
    return as_parquet(plain_frame(frame))


def read_answers(content: bytes, file: str) -> Answers:
    """Return what a service answered, but for its changes, from the table `answers`.

    Parameters
    ----------
    content : bytes
    file : str
        Name for messages.
    """
    answers = Answers()
    for path, status, body in _columns(content, file, *_ANSWERS):
        if path == INDEX:
            answers.index = body
        elif path == COVERAGE:
            answers.coverage = json.loads(body)
        elif path == LIST:
            answers.listed = json.loads(body)
        elif status == 200:
            record = json.loads(body)
            answers.records[str(record["slug"])] = record
        else:
            answers.failed[str(path).removeprefix(MACHINE)] = body
    return answers


def read_changes(content: bytes, file: str) -> list[Json]:
    """Return the changes as they came, from the table `changes`; parameters as `read_answers` takes them."""
    return [json.loads(record) for (record,) in _columns(content, file, "record")]


def _columns(content: bytes, file: str, *names: str) -> list[tuple[Any, ...]]:
    """Return the rows of some columns of a Parquet file."""
    try:
        frame = pd.read_parquet(io.BytesIO(content), engine="pyarrow", columns=list(names))
    except ImportError as error:
        raise MissingExtraError(MISSING) from error
    except (ValueError, OSError, KeyError) as error:
        raise PullError(f"{file} is not what a pull holds; restore it from a copy") from error
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def _rows(answers: Answers) -> list[tuple[object, ...]]:
    """Return what was answered, a row for each answer, without the changes."""
    rows: list[tuple[object, ...]] = [(COVERAGE, 200, _text(answers.coverage))]
    if answers.index is not None:
        rows.append((INDEX, 200, answers.index))
    if answers.listed is not None:
        rows.append((LIST, 200, _text(answers.listed)))
    known = {slug: (200, _text({**record, "slug": slug})) for slug, record in answers.records.items()}
    failed = {slug: (0, why) for slug, why in answers.failed.items()}
    return rows + [(MACHINE + slug, *told) for slug, told in sorted((known | failed).items())]


def _text(record: Mapping[str, object]) -> str:
    """Return a record as JSON text."""
    return json.dumps(record, ensure_ascii=False)
