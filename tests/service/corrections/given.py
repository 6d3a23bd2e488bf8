"""What the tests of corrections compare."""

from __future__ import annotations

import contextlib
from pathlib import Path

from riskanalytics.service import Store


def content(database: Path) -> list[tuple[object, ...]]:
    """What readers see of all platforms."""
    with contextlib.closing(Store(database)) as store:
        states = [store.platform(slug) for slug, _ in store.names()]
        return [(state, store.findings(state)) for state in states if state is not None]
