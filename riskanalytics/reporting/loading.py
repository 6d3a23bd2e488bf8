"""The data of a batch, loaded once."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd

from riskanalytics.dataset import Dataset, Span, load
from riskanalytics.dataset.connecting import connect, connect_held, holds_pulls
from riskanalytics.dataset.embedded import HeldClient
from riskanalytics.dataset.embedded import hold as hold_held
from riskanalytics.dataset.loading import listed_slugs
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.reporting.warm import Loaded, asked_time
from riskanalytics.settings import Settings, load_settings
from riskanalytics.settings.databases import Server

_MOST_DAYS: Final = 12
"""Days of which all data are held; what a report asks of others it loads for itself."""
_NAMING: Final = {"platform_dossier": "platform", "comparison": "platforms"}
"""Notebooks that show clauses of the platforms alone which a parameter names."""
_ALONE: Final = ("platform_dossier", "coverage")
"""Notebooks that read each more than is loaded for all: their data are the whole database, where its checksum is known."""


class Ask(NamedTuple):
    """Which data a batch needs.

    Parameters
    ----------
    settings : Settings
        Which service they come from.
    notebook : str
        Name of the notebook, if it is one of ours; empty else.
    every : bool
        Whether all platforms are asked for.
    values : list of dict
        The parameters of each report.
    """

    settings: Settings
    notebook: str = ""
    every: bool = False
    values: Sequence[Mapping[str, object]] = ()


def load_for(ask: Ask, file: Path, most_days: int = _MOST_DAYS) -> Loaded:
    """Load what the reports of a batch share.

    Parameters
    ----------
    ask : Ask
    file : Path
        That the data are left in.
    most_days : int
        Days that are loaded for all.
    """
    pulled = holds_pulls(ask.settings)
    with connect(settings=ask.settings) if pulled or not ask.notebook else connect_held(ask.settings) as client:
        slugs = listed_slugs(client, None) if ask.every else []
        digest = "" if pulled else state_of(ask.settings)
        if not isinstance(client, HeldClient):
            return Loaded(slugs, digest)
        days: dict[tuple[str, ...], str] = {}
        for asked in list(dict.fromkeys(map(asked_time, ask.values or [{}])))[:most_days]:
            with suppress(RiskAnalyticsError):  # told by the report, which asks for it again
                days |= _day(ask, client, asked, slugs)
        # whoever holds them names the service with a key of its own, and may have a copy of the file
        held = replace(client.held, source={})
        file.write_bytes(pickle.dumps(held, protocol=pickle.HIGHEST_PROTOCOL))
        return Loaded(slugs, digest, str(file), days)


def hold(file: str) -> None:
    """Hold the data that another process has left, of the service that the settings name, for all forks of this one."""
    with Path(file).open("rb") as stream:
        held = pickle.load(stream)  # noqa: S301 (a process of our own, in a folder of our own)
    hold_held(replace(held, source=load_settings().environment()))


def _day(ask: Ask, client: HeldClient, asked: tuple[str, ...], slugs: list[str]) -> dict[tuple[str, ...], str]:
    """Have what the reports of a day read be held, and give the SHA-256 of it, where it is not that of the whole database."""
    as_of, month, since = asked
    monthly = ask.notebook == "monthly_report"
    data = load(client, month=month, since=since) if monthly else load(client, as_of)
    named = slugs or _named(ask, data, asked)
    data.hold(named)
    read = [data.changes(), *_also_read(ask.notebook, data, data.span)]
    whole = ask.notebook in _ALONE and ask.settings.base_url is None
    return {} if whole else {asked: _digest_of(data, read)}


def _named(ask: Ask, data: Dataset, asked: tuple[str, ...]) -> list[str]:
    """Return the platforms whose clauses the reports of a day show: those that they name; all where one names none."""
    if ask.notebook not in _NAMING:
        return data.slugs
    found: dict[str, None] = {}
    for values in ask.values:
        if asked_time(values) == asked:
            given = values.get(_NAMING[ask.notebook])
            if not given:
                return data.slugs
            found |= dict.fromkeys(given if isinstance(given, list) else [str(given)])
    return [slug for slug in data.slugs if slug in found]


def _also_read(notebook: str, data: Dataset, span: Span | None) -> Iterator[object]:
    """Give what a notebook of ours reads beside a day and all changes; its kernels do not load it again."""
    if span is not None:
        yield from (data.changes(span.recorded_from), data.history(), data.at(span.before).platforms)
    elif notebook == "training_use":
        yield from (data.changes(months=24), data.history(24))
    elif notebook == "comparison":
        yield data.changes(months=12)
    elif notebook == "coverage":
        yield from (data.changes(change_class="capture_failure"), data.coverage_history(), *data.contract())
    elif notebook == "platform_dossier":
        yield data.history()  # of the past of each platform, which would be many requests, its ratings count


def _digest_of(data: Dataset, read: Sequence[object]) -> str:
    """Return the SHA-256 of a day: what is recorded of each platform, what else was read, and what the data lack."""
    parts = [str(data.day), data.extraction, data.records, data.unfinished, data.tracked, data.coverage, *read]
    said = [part.to_json(date_format="iso") if isinstance(part, pd.DataFrame) else part for part in parts]
    return sha256(json.dumps([*said, data.problems.to_json()], sort_keys=True).encode()).hexdigest()


def state_of(settings: Settings) -> str:
    """Return the checksum of a database, or what a server tells instead; of what a service holds none is known.

    Parameters
    ----------
    settings : Settings
        Which service it is that of.
    """
    if settings.base_url:
        return ""
    # who loads from a service asks for no state
    from riskanalytics.demo import demo_database  # noqa: PLC0415
    from riskanalytics.service import Store  # noqa: PLC0415

    place = settings.database or demo_database(settings.cache)
    with closing(Store(place if isinstance(place, Server) else place.expanduser())) as store:
        return store.version()
