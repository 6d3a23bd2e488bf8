"""What a service's answers carry beside what they are read as, and what they miss."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import PAGE, Client
from riskanalytics.errors import ServiceError
from riskanalytics.frames import Answered

_NOT_SHOWN: Final = (401, 402, 403, 404)
_MOST_PAGES: Final = 10
_SLUG: Final = re.compile(r"\w[\w.~-]{0,199}")
_MACHINE: Final = "/api/machine/platform/{slug}"
_DETAILS: Final = 12
"""Details of platforms that are asked for; their machine form is compared for all."""
_ASKED: Final = "data"
"""Word that is searched for: policies of any vendor have it."""
Json = dict[str, Any]


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
    """Compare the answers of a service with what they are read as: today's answers of each reading endpoint.

    Parameters
    ----------
    client : Client
        The keyed endpoints are asked where it has a key.
    records : sequence of dict
        Machine platforms as `load_records` gave them: all are compared, none is fetched again.

    Returns
    -------
    Contract
        Never raises for what a server answers or refuses: that is told.
    """
    answers = [Answered(_MACHINE, str(record.get("slug")), record) for record in records]
    told: list[tuple[object, ...]] = [(_MACHINE, len(records), "compared", None)]
    slugs = [slug for record in records if _SLUG.fullmatch(slug := str(record.get("slug")))]
    for endpoint, asked in _questions(slugs, records):
        keyed = endpoint.startswith("/api/v1/")
        if keyed and not client.has_key:
            told.append((endpoint, 0, "no key", None))
            continue
        found: list[Answered] = []
        state, status = "compared", None
        try:
            for where, path, query in asked:
                found += _pages(client, endpoint, where, (path, query), keyed=keyed)
        except ServiceError as error:
            state, status = ("not shown" if error.status in _NOT_SHOWN else "failed"), error.status
        answers += found
        told.append((endpoint, len(found), state, status))
    return Contract(frames.contract_frame(answers), frames.frame_of(frames.ENDPOINTS_COLUMNS, told))


_Asked = tuple[str, str, dict[str, str | int]]


def _questions(slugs: Sequence[str], records: Sequence[Json]) -> list[tuple[str, list[_Asked]]]:
    """Return what is asked of each endpoint: what tells it apart, its path and its query."""
    sample = sorted(slugs, key=lambda slug: sha256(slug.encode("utf-8", "replace")).hexdigest())[:_DETAILS]
    details: list[_Asked] = [(slug, f"/api/v1/platforms/{quote(slug, safe='')}", {}) for slug in sample]
    name = next((name for record in records if isinstance(name := record.get("name"), str) and name), _ASKED)
    return [
        ("/api/v1/platforms", [("list", "/api/v1/platforms", {"limit": PAGE})]),
        ("/api/v1/platforms/{id}", details),
        ("/api/v1/search", [("search", "/api/v1/search", {"q": name[:100]})]),
        ("/api/v1/changes", [("newest changes", "/api/v1/changes", {"limit": PAGE})]),
        ("/api/machine/search", [("search", "/api/machine/search", {"q": _ASKED})]),
        ("/api/coverage", [("coverage", "/api/coverage", {})]),
    ]


def _pages(
    client: Client, endpoint: str, where: str, asked: tuple[str, dict[str, str | int]], *, keyed: bool
) -> list[Answered]:
    """Return the answers to one question: all pages of the list of platforms, the first of others."""
    path, query = asked
    answers: list[Answered] = []
    offset = 0
    while len(answers) < _MOST_PAGES:
        page = client.answer(path, {**query, "offset": offset} if offset else query, keyed=keyed)
        answers.append(Answered(endpoint, where, page))
        rows, total = page.get("data"), page.get("total")
        offset += len(rows) if isinstance(rows, list) else 0
        more = bool(rows) and isinstance(rows, list) and isinstance(total, int) and offset < total
        if endpoint != "/api/v1/platforms" or not more:
            break
    return answers
