"""What a data set holds, as short tables that load nothing; what a service sends beyond the specification, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import quote

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import PAGE, Client, Json, Query
from riskanalytics.errors import ParameterError, ServiceError
from riskanalytics.frames import Answered

_FRAMES: Final[dict[str, tuple[frames.Columns, str]]] = {
    "platforms": (frames.PLATFORMS_COLUMNS, "Ratings of the platforms."),
    "findings": (frames.FINDINGS_COLUMNS, "Clauses that count."),
    "leads": (frames.FINDINGS_COLUMNS, "Clauses worth reading that are not sure enough to count."),
    "surfaces": (frames.SURFACES_COLUMNS, "Level of each platform on each surface."),
    "training_use": (frames.TRAINING_USE_COLUMNS, "Stance of each platform on training use."),
    "documents": (frames.DOCUMENTS_COLUMNS, "Documents of each platform, with their age and state."),
    "coverage": (frames.COVERAGE_COLUMNS, "Counts of tracked and verified platforms."),
    "problems": (frames.PROBLEMS_COLUMNS, "What could not be read so far: platform, why, and where."),
    "changes()": (frames.CHANGES_COLUMNS, "Recorded changes up to the day, newest first."),
    "history()": (frames.HISTORY_COLUMNS, "Rating of each platform at the ends of the last months."),
}
"""Frame of a data set, with () where it is called -> its columns, and what it holds."""


def contents_of(loaded: Mapping[str, object], source: str) -> pd.DataFrame:
    """Return what a data set holds, a row for its day and for each of its frames.

    Parameters
    ----------
    loaded : mapping
        Names -> what is loaded so far.
    source : str
        Where the data come from.
    """
    rows = [("day", str(loaded.get("day", "not given")), source)]
    for name, (_, told) in _FRAMES.items():
        frame = loaded.get(name)
        count = f"{len(frame):,}" if isinstance(frame, pd.DataFrame) else "not loaded yet"
        rows.append((name, "on each call" if name.endswith("()") else count, told))
    return pd.DataFrame(rows, columns=["data set", "rows", "what it holds"])


def columns_of(frame: str) -> pd.DataFrame:
    """Return the columns of a frame of data sets: `column`, `dtype`, `meaning`, in the order of the frame.

    Parameters
    ----------
    frame : str
        As data sets name it, such as `findings` or `changes`.

    Raises
    ------
    ParameterError
        If no frame has that name: the message names all frames.
    """
    known = {name.removesuffix("()"): columns for name, (columns, _) in _FRAMES.items()}
    if frame not in known:
        raise ParameterError(f"a data set has no frame {str(frame)[:40]!r}; there are {', '.join(known)}")
    rows = [(name, dtype, meaning) for name, (dtype, meaning) in known[frame].items()]
    return pd.DataFrame(rows, columns=["column", "dtype", "meaning"])


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
