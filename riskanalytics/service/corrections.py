"""Corrections: new reviews of platforms that users request (specification section 4.2), run one at a time.

Corrections wait in a queue in the key database. A background task of each server process runs them.
"""

import json
import logging
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
from .wire import UNCHANGED, Service, TheService, answer, answers, bounded_body, matched_by, own_site_only

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
"""Locks a row, so that a PostgreSQL server adds one request at a time; a SQLite file has one writer at a time anyway."""


class Queue(NamedTuple):
    """Queue of the corrections of one database: new reviews of a platform that users requested.

    A correction is a dictionary of `id`, `platform`, `state` (`queued`, `running`, `done` or `failed`), `requested_at`,
    `finished_at` and `outcome`: empty at first, later the result of `rerun`, or the `reason` of a failure.

    Parameters
    ----------
    access : Access
        Access to the key database, which contains the queue.
    """

    access: Access

    def request(self, platform: str, repeat_key: str | None = None) -> Json:
        """Add a request for a new review of a platform to the queue, unless one is waiting or running, and return its record.

        Parameters
        ----------
        platform : str
            Slug of a tracked platform.
        repeat_key : str, optional
            Idempotency key sent by the client. A second request with the same key returns the record of the first, even if the
            review has finished.

        Returns
        -------
        dict
            Record of the review: `id`, `platform`, `state`, `requested_at`, `finished_at`, `outcome`.

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
        """Return the record of a review that a user requested, by its id: state, outcome, ...; None if the id is unknown."""
        with self.access.reading() as connection:
            return _one(connection, select(*_COLUMNS).where(_C.id == identifier))

    def take(self) -> Json | None:
        """Set the longest waiting review in the queue to `running`, and return its record; None if no review waits."""
        with self.access.reading() as connection:
            if not connection.execute(_WAITING).first():
                return None
        with self.access.transaction() as connection:
            return _one(connection, _TAKE)

    def finish(self, identifier: str, state: str, outcome: Json) -> None:
        """Store in the queue how a review that a user requested has ended.

        Parameters
        ----------
        identifier : str
            Id of the review.
        state : str
            `done` or `failed`.
        outcome : dict
            Result of `rerun`, or the `reason` of the failure.
        """
        row = {"state": state, "finished_at": now(), "outcome": json.dumps(outcome)}
        with self.access.transaction() as connection:
            connection.execute(update(CORRECTION).where(_C.id == identifier).values(row))

    def recover(self) -> None:
        """Set all reviews in the queue that are `running` back to `queued`, because the server process that ran them has ended."""
        with self.access.transaction() as connection:
            connection.execute(update(CORRECTION).where(_C.state == "running").values(state="queued"))


def _one(connection: Connection, statement: Executable) -> Json | None:
    """Return the first correction that a statement yields; None otherwise."""
    row = connection.execute(statement).mappings().first()
    return {**row, "outcome": json.loads(row["outcome"])} if row else None


def _added(connection: Connection, platform: str) -> Json:
    """Append a correction to the queue; delete those finished more than 30 days ago."""
    connection.execute(delete(CORRECTION).where(_C.finished_at < now(timedelta(days=30))))
    connection.execute(delete(REPEAT).where(REPEAT.c.correction.not_in(select(_C.id))))
    last = connection.execute(select(func.max(_C.sequence))).scalar() or 0
    row = {"id": secrets.token_hex(12), "platform": platform, "state": "queued", "requested_at": now()}
    connection.execute(insert(CORRECTION), row | {"sequence": last + 1})
    return row | {"finished_at": None, "outcome": {}}


async def run_corrections(database: Place, queue: Queue) -> None:
    """Run the new reviews that users requested, one after the other, and wait for further requests until cancelled.

    A review that the end of the service interrupts is run again after the next start.

    Parameters
    ----------
    database : Path or Server
        SQLite file or PostgreSQL server with the platforms.
    queue : Queue
        Queue of the reviews requested for this database.
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
            _LOG.error("corrections are paused: %s", error)
        await sleep(1)


async def _run(database: Place, queue: Queue, correction: Json) -> None:
    """Run one correction in a separate process and record its outcome."""
    try:
        state, outcome = "done", await to_process.run_sync(rerun, database, correction["platform"], cancellable=True)
    except Exception as error:  # noqa: BLE001 (the queue continues after any failure)
        _LOG.error("the correction of %s failed: %s", correction["platform"], type(error).__name__)
        state, outcome = "failed", {"reason": "the review could not be run; the platform is unchanged"}
    with CancelScope(shield=True):
        await to_thread.run_sync(queue.finish, correction["id"], state, outcome)


def rerun(database: Place, slug: str) -> Json:
    """Repeat the review of a platform from its snapshots.

    Parameters
    ----------
    database : Path or Server
        SQLite file or PostgreSQL server with the platform.
    slug : str
        Slug of a tracked platform.

    Returns
    -------
    dict
        `findings` with the counts `added`, `removed`, `kept`; `rating_before`, `rating_after`; `reread`, the number
        of snapshots whose findings or leads differ from those stored before.

    Raises
    ------
    DatabaseError
        If the database cannot be read or written; the platform is then unchanged.
    """
    with closing(Store(database)) as store:
        before, rating_before = _seen(store, slug)
        with Writer(database) as writer:
            reread = reread_platform(writer, slug)
        after, rating_after = _seen(store, slug)
    counts = {"added": len(after - before), "removed": len(before - after), "kept": len(after & before)}
    return {"findings": counts, "rating_before": rating_before, "rating_after": rating_after, "reread": reread}


def _seen(store: Store, slug: str) -> tuple[set[str], str]:
    """Return the ids of the current findings of a platform, and its rating."""
    state = store.platform(slug) or {}
    return {one["id"] for one in store.findings(state)}, state["rating"]


_VISIBLE: Final = AfterValidator(matched_by("[!-~]{1,255}", "should have 1 to 255 visible ASCII characters"))
_Visible = Annotated[str, _VISIBLE, WithJsonSchema({"type": "string", "pattern": "^[!-~]{1,255}$"})]
RepeatKey = Annotated[_Visible | SkipJsonSchema[None], Header(alias="Idempotency-Key")]
router = APIRouter(prefix="/api/corrections", tags=["open"])


@router.post(
    "/{slug}",
    status_code=202,
    responses=answers(Review, "Accepted; Location is the address of the outcome", 202),
    dependencies=[Depends(own_site_only), Depends(bounded_body)],
)
def trigger(request: Request, service: TheService, slug: str, repeat_key: RepeatKey = None) -> Response:
    """Request a new review of a platform, which runs in the background; return its state.

    If a review is waiting or running already, return its state instead. A second request with the same `Idempotency-Key` returns
    the state of the review from the first request, even if it has finished.
    """
    service.state(slug)
    record = _record(service, Queue(request.app.state.access).request(slug, repeat_key))
    return JSONResponse(record, 202, {"Location": record["url"], "Cache-Control": "no-store"})


@router.get("/{slug}/{id}", responses=answers(Review) | UNCHANGED)
def outcome(request: Request, service: TheService, slug: str, identifier: Annotated[str, Path(alias="id")]) -> Response:
    """Return the state of a review that was requested for a platform, and its outcome: findings added, removed and kept."""
    correction = Queue(request.app.state.access).get(identifier)
    if not correction or correction["platform"] != slug:
        raise Problem(404, "This platform has no review with this id.")
    return answer(request, _record(service, correction))


def _record(service: Service, correction: Json) -> Json:
    """Return a correction as responses show it."""
    url = f"{service.public_url}/api/corrections/{correction['platform']}/{correction['id']}"
    return {"object": "review", **correction, "url": url, "disclaimer": DISCLAIMER}
