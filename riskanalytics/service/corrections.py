"""Corrections: the review of a platform run again on request (specification section 4.2), one at a time.

A correction is a row of a queue in the keys' database; one background task of a server process runs what waits.
"""

import json
import logging
import re
import secrets
from contextlib import closing
from datetime import timedelta
from typing import Annotated, Final, NamedTuple

from anyio import CancelScope, sleep, to_process, to_thread
from fastapi import APIRouter, Depends, Header, Path, Request, Response
from pydantic import AfterValidator, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema
from sqlalchemy import Connection, Executable, delete, func, insert, select, update
from starlette.responses import JSONResponse

from riskanalytics.errors import DatabaseError
from riskanalytics.models import DISCLAIMER
from riskanalytics.models.records import Review
from riskanalytics.settings.databases import Place

from .door.problems import Problem
from .review import reread_platform
from .store.read import Store
from .store.records import Json
from .store.schema import CORRECTION, REPEAT, SECRET
from .store.write import Writer
from .subscriptions import Access, now
from .wire import (
    UNCHANGED,
    Service,
    TheService,
    answer,
    answers,
    bounded_body,
    own_site_only,
)

_LOG: Final = logging.getLogger("riskanalytics.service")
_C: Final = CORRECTION.c
_COLUMNS: Final = (_C.id, _C.platform, _C.state, _C.requested_at, _C.finished_at, _C.outcome)
_WAITING: Final = select(_C.id).where(_C.state == "queued").order_by(_C.sequence).limit(1)
_TAKE: Final = (
    update(CORRECTION)
    .where(_C.state == "queued", _C.id == _WAITING.scalar_subquery())
    .values(state="running")
    .returning(*_COLUMNS)
)
_ALONE: Final = select(SECRET.c.id).with_for_update()
"""On a server one request waits for another; a file has one writer at a time anyway."""


class Queue(NamedTuple):
    """Corrections of one database.

    A correction is a dictionary of `id`, `platform`, `state` (`queued`, `running`, `done` or `failed`), `requested_at`,
    `finished_at` and `outcome`: what `rerun` returned, or the `reason` of a failed one.

    Parameters
    ----------
    access : Access
        Holds the queue.
    """

    access: Access

    def request(self, platform: str, repeat_key: str | None = None) -> Json:
        """Ask for a correction; an open one of the platform is joined.

        Parameters
        ----------
        platform : str
            Slug of a tracked platform.
        repeat_key : str, optional
            The same key gives the same correction again, finished or not.

        Raises
        ------
        Problem
            422 if the key was used for another platform.
        """
        digest = None if repeat_key is None else self.access.digest("repeat\0" + repeat_key)
        repeated = select(REPEAT.c.correction).where(REPEAT.c.digest == digest).scalar_subquery()
        with self.access.transaction() as connection:
            connection.execute(_ALONE)
            if known := _one(connection, select(*_COLUMNS).where(_C.id == repeated)):
                if known["platform"] != platform:
                    raise Problem(422, "This Idempotency-Key was used for another platform.")
                return known
            is_open = select(*_COLUMNS).where(_C.platform == platform, _C.state.in_(("queued", "running")))
            wanted = _one(connection, is_open) or _added(connection, platform)
            if digest is not None:
                connection.execute(insert(REPEAT), {"digest": digest, "correction": wanted["id"]})
            return wanted

    def get(self, identifier: str) -> Json | None:
        """Return one correction; None if it is not known."""
        with self.access.reading() as connection:
            return _one(connection, select(*_COLUMNS).where(_C.id == identifier))

    def take(self) -> Json | None:
        """Return the oldest that waits, now running; None if none waits."""
        with self.access.reading() as connection:
            if not connection.execute(_WAITING).first():
                return None
        with self.access.transaction() as connection:
            return _one(connection, _TAKE)

    def finish(self, identifier: str, state: str, outcome: Json) -> None:
        """Write the end of a correction: `done` or `failed`."""
        row = {"state": state, "finished_at": now(), "outcome": json.dumps(outcome)}
        with self.access.transaction() as connection:
            connection.execute(update(CORRECTION).where(_C.id == identifier).values(row))

    def recover(self) -> None:
        """Let wait again what was running when its process ended."""
        with self.access.transaction() as connection:
            connection.execute(update(CORRECTION).where(_C.state == "running").values(state="queued"))


def _one(connection: Connection, statement: Executable) -> Json | None:
    """Return the first correction of a statement."""
    row = connection.execute(statement).mappings().first()
    return {**row, "outcome": json.loads(row["outcome"])} if row else None


def _added(connection: Connection, platform: str) -> Json:
    """Put a correction at the end of the queue; forget those that ended long ago."""
    connection.execute(delete(CORRECTION).where(_C.finished_at < now(timedelta(days=30))))
    connection.execute(delete(REPEAT).where(REPEAT.c.correction.not_in(select(_C.id))))
    last = connection.execute(select(func.max(_C.sequence))).scalar() or 0
    row = {"id": secrets.token_hex(12), "platform": platform, "state": "queued", "requested_at": now()}
    connection.execute(insert(CORRECTION), row | {"sequence": last + 1})
    return row | {"finished_at": None, "outcome": {}}


async def run_corrections(database: Place, queue: Queue) -> None:
    """Run what waits, one after the other, until cancelled; what is running then waits for the next start.

    Parameters
    ----------
    database : Path or Server
    queue : Queue
    """
    recovered = False
    while True:
        try:
            if not recovered:
                await to_thread.run_sync(queue.recover)
                recovered = True
            while correction := await to_thread.run_sync(queue.take):
                await _run(database, queue, correction)
        except DatabaseError as error:
            _LOG.error("corrections wait: %s", error)
        await sleep(1)


async def _run(database: Place, queue: Queue, correction: Json) -> None:
    """Run one in a process of its own, and write its outcome."""
    try:
        state, outcome = "done", await to_process.run_sync(rerun, database, correction["platform"], cancellable=True)
    except Exception as error:  # noqa: BLE001 (whatever a review fails on, the queue goes on)
        _LOG.error("the correction of %s failed: %s", correction["platform"], type(error).__name__)
        state, outcome = "failed", {"reason": "the review could not be run; the platform is as it was"}
    with CancelScope(shield=True):
        await to_thread.run_sync(queue.finish, correction["id"], state, outcome)


def rerun(database: Place, slug: str) -> Json:
    """Run the review of a platform again, from its snapshots.

    Parameters
    ----------
    database : Path or Server
    slug : str
        Of a tracked platform.

    Returns
    -------
    dict
        `findings` with the counts `added`, `removed`, `kept`; `rating_before`, `rating_after`; `reread`, the number
        of snapshots that were read again.

    Raises
    ------
    DatabaseError
        If the database cannot be read or written; the platform is then as it was.
    """
    with closing(Store(database)) as store:
        before, rating_before = _seen(store, slug)
        with Writer(database) as writer:
            reread = reread_platform(writer, slug)
        after, rating_after = _seen(store, slug)
    counts = {"added": len(after - before), "removed": len(before - after), "kept": len(after & before)}
    return {"findings": counts, "rating_before": rating_before, "rating_after": rating_after, "reread": reread}


def _seen(store: Store, slug: str) -> tuple[set[str], str]:
    """Return the findings and the rating of a platform as readers see them."""
    state = store.platform(slug) or {}
    return {one["id"] for one in store.findings(state)}, state["rating"]


def _visible(key: str) -> str:
    if re.fullmatch("[!-~]{1,255}", key):
        return key
    raise ValueError("has 1 to 255 visible ASCII characters")


RepeatKey = Annotated[
    Annotated[str, AfterValidator(_visible), WithJsonSchema({"type": "string", "pattern": "^[!-~]{1,255}$"})]
    | SkipJsonSchema[None],
    Header(alias="Idempotency-Key"),
]
router = APIRouter(prefix="/api/corrections", tags=["open"])


@router.post(
    "/{slug}",
    status_code=202,
    responses=answers(Review, "Accepted; the outcome is read at Location", 202),
    dependencies=[Depends(own_site_only), Depends(bounded_body)],
)
def trigger(request: Request, service: TheService, slug: str, repeat_key: RepeatKey = None) -> Response:
    """Run the review of a platform again, in the background; one run for a platform at a time."""
    service.state(slug)
    record = _record(service, Queue(request.app.state.access).request(slug, repeat_key))
    return JSONResponse(record, 202, {"Location": record["url"], "Cache-Control": "no-store"})


@router.get("/{slug}/{id}", responses=answers(Review) | UNCHANGED)
def outcome(request: Request, service: TheService, slug: str, identifier: Annotated[str, Path(alias="id")]) -> Response:
    """Return how far a correction is, and what it found: findings added, removed and kept."""
    correction = Queue(request.app.state.access).get(identifier)
    if not correction or correction["platform"] != slug:
        raise Problem(404, "No such review of this platform is known.")
    return answer(request, _record(service, correction))


def _record(service: Service, correction: Json) -> Json:
    """Return a correction as the wire shows it."""
    url = f"{service.public_url}/api/corrections/{correction['platform']}/{correction['id']}"
    return {"object": "review", **correction, "url": url, "disclaimer": DISCLAIMER}
