"""Storage for the language models that read documents, called readers: their verdicts, and requests not answered yet.

A verdict is what a reader says about a unit (a clause with its headings): its surface, risk, polarity and so on. Verdicts
are stored by reader and unit, so that each reader reads each unit only once.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Connection

from riskanalytics.extraction.records import Course
from riskanalytics.extraction.verdicts import Readers, Verdict, Verdicts, Vote

from .engine import run, run_each
from .records import as_json
from .write import Writer

_READERS: Final = "deciding_readers"
"""Key in the table `meta`: its value has the names of the deciding readers and the measured confidence of their verdicts."""
_ON_CHANGES: Final = " on changes"
"""Follows a reader's name on its judgements of changes, which are stored by the key of the change, not of a unit."""
_ON_STANCES: Final = " on stances"
"""Follows a reader's name on its votes on platforms' stances, which are stored by the key of the clauses that bear on training."""
_KEEP: Final = (
    "INSERT INTO verdict (reader, unit, said) VALUES (:reader, :unit, :said) "
    "ON CONFLICT (reader, unit) DO UPDATE SET said = excluded.said"
)
_SEND: Final = "INSERT INTO sent (id, reader, request) VALUES (:id, :reader, :request) ON CONFLICT DO NOTHING"


def has_readers(db: Connection) -> bool:
    """Return whether a reader (a language model) was chosen to decide which clauses of this database are findings."""
    return bool(_chosen(db).get("names"))


def _chosen(db: Connection) -> dict[str, Any]:
    """Return what `choose_readers` stored; empty without it."""
    stored = run(db, "SELECT value FROM meta WHERE key = :key", key=_READERS).scalar()
    return dict(json.loads(stored)) if stored else {}


def readers_of(db: Connection, *, units: bool = True) -> Readers | None:
    """Return the readers (language models) whose verdicts decide which clauses of this database are findings.

    The result contains the names of the readers, all their verdicts, and the measured confidence of the verdicts. It is None
    if `choose_readers` has chosen no reader.

    Parameters
    ----------
    db : Connection
    units : bool
        Whether to load the verdicts on units too, which are many. Those on changes and stances are always loaded.
    """
    record = _chosen(db)
    return readers_named(db, record["names"], record["shown"], units=units) if record.get("names") else None


def readers_named(
    db: Connection, names: Iterable[str], shown: Mapping[str, Mapping[str, float]], *, units: bool = True
) -> Readers:
    """Return readers (language models) by their names, with all that they said of this database.

    Parameters
    ----------
    db : Connection
    names : iterable of str
        Names of the readers.
    shown : mapping
        Measured confidence of their verdicts, as for `choose_readers`.
    units : bool
        Whether to load the verdicts on units too, as for `readers_of`.
    """
    names = tuple(names)
    verdicts = {name: verdicts_of(db, name) for name in names if units}
    courses, stances = {name: courses_of(db, name) for name in names}, {name: stances_of(db, name) for name in names}
    return Readers(names, verdicts, shown, courses=courses, stances=stances)


def choose_readers(writer: Writer, names: Iterable[str], shown: Mapping[str, Mapping[str, float]]) -> None:
    """Choose the readers (language models) whose verdicts decide which clauses of a database are findings.

    Parameters
    ----------
    writer : Writer
        Write access to the database, with an open transaction.
    names : iterable of str
        Names of the readers.
    shown : mapping
        Confidence of their verdicts, measured on labelled documents: surface -> how far the readers agree (a `Basis`, such
        as `majority`) -> confidence. Empty for readers that were not measured; their verdicts become leads.
    """
    writer.remember(_READERS, as_json({"names": list(names), "shown": shown}))


def verdicts_of(db: Connection, reader: str) -> dict[str, Verdicts]:
    """Return all verdicts of a reader (a language model): key of a unit (a clause with its headings) -> the verdicts on it."""
    stored = _stored(db, reader).items()
    return {unit: Verdicts(tuple(Verdict(*row) for row in rows), trusted) for unit, (rows, trusted) in stored}


def keep_verdicts(db: Connection, reader: str, verdicts: Mapping[str, Verdicts]) -> None:
    """Store verdicts of a reader (a language model), replacing earlier ones on the same units; a transaction must be open.

    Parameters
    ----------
    db : Connection
    reader : str
        Name of the reader.
    verdicts : mapping of str to Verdicts
        Key of a unit (a clause with its headings) -> the verdicts on this unit.
    """
    _keep(db, reader, {unit: [one.said, one.trusted] for unit, one in verdicts.items()})


def courses_of(db: Connection, reader: str) -> dict[str, Course]:
    """Return how a reader (a language model) judged changes (risk up, down, both or none): key of a change -> judgement."""
    return {key: Course.parsed(said) for key, said in _stored(db, f"{reader}{_ON_CHANGES}").items()}


def keep_courses(db: Connection, reader: str, courses: Mapping[str, Course]) -> None:
    """Store how a reader (a language model) judged changes (risk up, down, both or none): key of a change -> judgement.

    A transaction must be open.
    """
    _keep(db, f"{reader}{_ON_CHANGES}", courses)


def stances_of(db: Connection, reader: str) -> dict[str, Vote]:
    """Return the votes of a reader (a language model) on platforms' stances: key of the clauses that it saw -> its vote."""
    return {key: Vote(*said) for key, said in _stored(db, f"{reader}{_ON_STANCES}").items()}


def keep_stances(db: Connection, reader: str, stances: Mapping[str, Vote]) -> None:
    """Store the votes of a reader (a language model) on platforms' stances: key of the clauses that it saw -> its vote.

    A transaction must be open.
    """
    _keep(db, f"{reader}{_ON_STANCES}", stances)


def _stored(db: Connection, reader: str) -> dict[str, Any]:
    """Return all that a reader said, by the key of what it read."""
    rows = run(db, "SELECT unit, said FROM verdict WHERE reader = :reader", reader=reader)
    return {key: json.loads(said) for key, said in rows}


def _keep(db: Connection, reader: str, said: Mapping[str, object]) -> None:
    """Store what a reader said, by the key of what it read."""
    run_each(db, _KEEP, [{"reader": reader, "unit": key, "said": as_json(one)} for key, one in said.items()])


def keep_sent(db: Connection, reader: str, requests: Mapping[str, object]) -> None:
    """Store requests to a reader (a language model), whose answers come later in a file; a transaction must be open.

    Parameters
    ----------
    db : Connection
    reader : str
        Name of the reader.
    requests : mapping of str to object
        Identifier of a request -> its content, as a JSON value. The same request may be stored for several readers.
    """
    rows = [{"id": f"{reader} {id_}", "reader": reader, "request": as_json(one)} for id_, one in requests.items()]
    run_each(db, _SEND, rows)


def sent_to(db: Connection, reader: str) -> dict[str, list[object]]:
    """Return the requests that a reader (a language model) has not answered yet: identifier -> content (a JSON list)."""
    rows = run(db, "SELECT id, request FROM sent WHERE reader = :reader", reader=reader).all()
    return {id_.removeprefix(f"{reader} "): json.loads(request) for id_, request in rows}


def forget_sent(db: Connection, reader: str, ids: Iterable[str]) -> None:
    """Remove answered requests to a reader (a language model) by their identifiers; a transaction must be open."""
    run_each(db, "DELETE FROM sent WHERE id = :id", [{"id": f"{reader} {id_}"} for id_ in ids])
