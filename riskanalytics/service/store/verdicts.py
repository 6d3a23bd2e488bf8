"""Verdicts of readers: stored by reader and unit, so that each unit is read once, and requests that wait for their answer."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Connection

from riskanalytics.extraction.verdicts import Readers, Verdict, Verdicts

from .engine import run, run_each
from .records import as_json
from .write import Writer

_READERS: Final = "deciding_readers"
"""Metadata: names of the readers that decide, and their measured precision."""
_KEEP: Final = (
    "INSERT INTO verdict (reader, unit, said) VALUES (:reader, :unit, :said) "
    "ON CONFLICT (reader, unit) DO UPDATE SET said = excluded.said"
)
_SEND: Final = "INSERT INTO sent (id, reader, request) VALUES (:id, :reader, :request) ON CONFLICT DO NOTHING"


def readers_of(db: Connection) -> Readers | None:
    """Return the readers whose verdicts decide in a database, with their verdicts; None if no reader is chosen."""
    stored = run(db, "SELECT value FROM meta WHERE key = :key", key=_READERS).scalar()
    record = json.loads(stored) if stored else {}
    names = tuple(record.get("names", ()))
    if not names:
        return None
    return Readers(names, {name: verdicts_of(db, name) for name in names}, record.get("shown", {}))


def choose_readers(writer: Writer, names: Iterable[str], shown: Mapping[str, Mapping[str, float]]) -> None:
    """Set the readers whose verdicts decide what is a finding, and their measured precision; a transaction must be open.

    Parameters
    ----------
    writer : Writer
    names : iterable of str
    shown : mapping
        Confidence by surface and basis, as in `Readers.shown`; empty for readers that were not measured.
    """
    writer.remember(_READERS, as_json({"names": list(names), "shown": shown}))


def verdicts_of(db: Connection, reader: str) -> dict[str, Verdicts]:
    """Return the verdicts of a reader: key of a unit -> verdicts on it."""
    rows = run(db, "SELECT unit, said FROM verdict WHERE reader = :reader", reader=reader).all()
    return {unit: _parsed(said) for unit, said in rows}


def keep_verdicts(db: Connection, reader: str, verdicts: Mapping[str, Verdicts]) -> None:
    """Store verdicts of a reader, replacing earlier verdicts on the same units; a transaction must be open."""
    rows = [
        {"reader": reader, "unit": unit, "said": as_json([list(map(list, one.said)), one.trusted])}
        for unit, one in verdicts.items()
    ]
    run_each(db, _KEEP, rows)


def keep_sent(db: Connection, reader: str, requests: Mapping[str, object]) -> None:
    """Store the requests to a reader by identifier until their answers are read; a transaction must be open.

    Two readers may wait for answers to the same request.
    """
    rows = [{"id": f"{reader} {id_}", "reader": reader, "request": as_json(one)} for id_, one in requests.items()]
    run_each(db, _SEND, rows)


def sent_to(db: Connection, reader: str) -> dict[str, list[object]]:
    """Return the stored requests to a reader by identifier."""
    rows = run(db, "SELECT id, request FROM sent WHERE reader = :reader", reader=reader).all()
    return {id_.removeprefix(f"{reader} "): json.loads(request) for id_, request in rows}


def forget_sent(db: Connection, reader: str, ids: Iterable[str]) -> None:
    """Remove requests to a reader whose answers were read; a transaction must be open."""
    run_each(db, "DELETE FROM sent WHERE id = :id", [{"id": f"{reader} {id_}"} for id_ in ids])


def _parsed(said: str) -> Verdicts:
    """Return verdicts from their stored form."""
    rows, trusted = json.loads(said)
    return Verdicts(tuple(Verdict(*row) for row in rows), trusted)
