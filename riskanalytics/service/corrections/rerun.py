"""One run of a correction, as a process: `python -m riskanalytics.service.corrections.rerun SLUG`; settings name the database."""

from __future__ import annotations

import contextlib
import json
import os
import sys

from riskanalytics.databases import Place, place_of
from riskanalytics.service.review import reread_platform
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.write import Writer
from riskanalytics.settings import ENVIRONMENT


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


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # what the service answers meanwhile goes first
    sys.stdout.write(json.dumps(rerun(place_of(os.environ[ENVIRONMENT["database"]]), sys.argv[1])))
