"""What a service's answers carry beside what they are read as, and what they miss."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import quote

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import PAGE, Client, Json, Query
from riskanalytics.errors import ServiceError
from riskanalytics.frames import Answered

_NOT_SHOWN: Final = (401, 402, 403, 404)
_SLUG: Final = re.compile(r"\w[\w.~-]{0,199}")
_MACHINE: Final = "/api/machine/platform/{slug}"
_LIST: Final = "/api/v1/platforms"
_DETAILS: Final = 12
"""Details of platforms that are asked for; their machine form is compared for all."""
_ASKED: Final = "data"
"""Word that is searched for: policies of any vendor have it."""


class Contract(NamedTuple):
    """How a service's answers differ from what they are read as.

    Parameters
    ----------
    differences : pandas.DataFrame
        `frames.CONTRACT_COLUMNS`.
    endpoints : pandas.DataFrame
        `frames.ENDPOINTS_COLUMNS`: which endpoints were compared, and which could not be.
    """

    differences: pd.DataFrame
    endpoints: pd.DataFrame


def load_contract(client: Client, records: Sequence[Json]) -> Contract:
    """Compare the answers of a service with what they are read as: today's answers of each reading endpoint, of lists one page.

    Parameters
    ----------
    client : Client
        The keyed endpoints are asked where it has a key.
    records : sequence of dict
        Machine platforms as `load_records` gave them: all are compared, none is fetched again.

    Returns
    -------
    Contract
        Never raises for what a server answers or refuses: `endpoints` has it.
    """
    answers = [Answered(_MACHINE, str(record.get("slug")), record) for record in records]
    rows: list[tuple[object, ...]] = [(_MACHINE, len(records), "compared", None)]
    for endpoint, asked in _questions(records).items():
        keyed = endpoint.startswith("/api/v1/")
        if keyed and not client.has_key:
            rows.append((endpoint, 0, "no key", None))
            continue
        found: list[Answered] = []
        state, status = "compared", None
        try:
            for where, path, query in asked:
                found.append(Answered(endpoint, where, client.answer(path, query, keyed=keyed)))
        except ServiceError as error:
            state, status = ("not shown" if error.status in _NOT_SHOWN else "failed"), error.status
        answers += found
        rows.append((endpoint, len(found), state, status))
    return Contract(frames.contract_frame(answers), frames.frame_of(frames.ENDPOINTS_COLUMNS, rows))


def _questions(records: Sequence[Json]) -> dict[str, list[tuple[str, str, Query]]]:
    """Return what is asked of each endpoint: a name for it, its path and its query."""
    slugs = [slug for record in records if _SLUG.fullmatch(slug := str(record.get("slug")))]
    sample = sorted(slugs, key=lambda slug: sha256(slug.encode("utf-8", "replace")).hexdigest())[:_DETAILS]
    name = next((name for record in records if isinstance(name := record.get("name"), str) and name), _ASKED)
    return {
        _LIST: [("list", _LIST, {"limit": PAGE})],
        "/api/v1/platforms/{id}": [(slug, f"{_LIST}/{quote(slug, safe='')}", {}) for slug in sample],
        "/api/v1/search": [("search", "/api/v1/search", {"q": name[:100]})],
        "/api/v1/changes": [("newest changes", "/api/v1/changes", {"limit": PAGE})],
        "/api/machine/search": [("search", "/api/machine/search", {"q": _ASKED})],
        "/api/coverage": [("coverage", "/api/coverage", {})],
    }
