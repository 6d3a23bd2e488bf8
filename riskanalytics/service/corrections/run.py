"""The background task of a server process that runs corrections, each in a process of its own."""

from __future__ import annotations

import contextlib
import logging
from typing import Final

from anyio import CancelScope, sleep, to_process, to_thread

from riskanalytics.errors import DatabaseError
from riskanalytics.service.corrections.queue import Queue
from riskanalytics.service.review import reread_platform
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place

_LOG: Final = logging.getLogger("riskanalytics.service")
_POLLED: Final = 1.0
"""Seconds."""
_NOT_RUN: Final = "the review could not be run; the platform is as it was"


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
            while (correction := await to_thread.run_sync(queue.take)) is not None:
                await _run(database, queue, correction)
        except DatabaseError as error:
            _LOG.error("corrections wait: %s", error)
        await sleep(_POLLED)


async def _run(database: Place, queue: Queue, correction: Json) -> None:
    """Run one and write its outcome."""
    try:
        state, outcome = "done", await to_process.run_sync(rerun, database, correction["platform"], cancellable=True)
    except Exception as error:  # noqa: BLE001 (whatever a review fails on, the queue goes on)
        _LOG.error("the correction of %s failed: %s", correction["platform"], type(error).__name__)
        state, outcome = "failed", {"reason": _NOT_RUN}
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
    with contextlib.closing(Store(database)) as store:
        before, rating_before = _seen(store, slug)
        with Writer(database) as writer:
            reread = reread_platform(writer, slug)
        after, rating_after = _seen(store, slug)
    counts = {"added": len(after - before), "removed": len(before - after), "kept": len(after & before)}
    return {"findings": counts, "rating_before": rating_before, "rating_after": rating_after, "reread": reread}


def _seen(store: Store, slug: str) -> tuple[set[str], str | None]:
    """Return the findings and the rating of a platform as readers see them."""
    state = store.platform(slug)
    if state is None:
        return set(), None
    return {finding["id"] for finding in store.findings(state)}, state["rating"]
