"""Data that were loaded before: what the reports of a batch share, each answer asked for once.

A client that holds such data answers from them, and asks its service for all else. So the process that kernels are forked
from holds them for all of its kernels, without a connection of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeVar

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.client.layouts import Problem
from riskanalytics.dataset.embedded import file_of
from riskanalytics.errors import ServiceError
from riskanalytics.settings import Settings

T = TypeVar("T")
P = ParamSpec("P")


class Known(NamedTuple):
    """Something that was loaded, with what of it could not be read."""

    value: Any
    problems: list[Problem]


@dataclass
class Held:
    """Data of one service.

    Attributes
    ----------
    source : dict
        The settings that name the service.
    answers : dict
        What functions of `sources` gave, by name and arguments.
    days : dict
        Day -> the frames of its data set of all platforms, by name.
    bodies : dict
        SHA-256 -> snapshot.
    file : tuple of path and object, or None
        The database, and which file it was (`file_of`), where the data must not be mixed with those of another.
    """

    source: dict[str, str]
    answers: dict[tuple[object, ...], Known] = field(default_factory=dict)
    days: dict[date, Known] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    file: tuple[Path, object] | None = None

    @property
    def is_current(self) -> bool:
        """Whether no other file has taken the place of the one that was read."""
        return self.file is None or file_of(self.file[0]) == self.file[1]


class HeldClient(Client):
    """A client that keeps what it was answered, and does not ask for it again.

    Parameters
    ----------
    *arguments : object
        As `Client` takes them.
    held : Held
    **named : object
    """

    def __init__(self, *arguments: Any, held: Held, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.held = held

    def snapshots(self, hashes: Sequence[str]) -> Iterator[tuple[str, bytes | ServiceError]]:
        """Give several snapshots, as `Client.snapshots` does."""
        bodies = self.held.bodies
        yield from ((sha256, bodies[sha256]) for sha256 in hashes if sha256 in bodies)
        for sha256, body in super().snapshots([sha256 for sha256 in hashes if sha256 not in bodies]):
            if isinstance(body, bytes):
                bodies[sha256] = body
            yield sha256, body

    def known(self, load: Callable[[], T]) -> Known:
        """Load something, and note what of it could not be read."""
        before = set(self.problems)
        value = load()
        return Known(value, [problem for problem in self.problems if problem not in before])

    def told(self, known: Known) -> Any:
        """Return something that is held, and note what of it could not be read; changes of a reader do not reach others."""
        for problem in known.problems:
            self.problems.add(problem.what, problem.where, problem.slug)
        return known.value.copy(deep=False) if isinstance(known.value, pd.DataFrame) else known.value


_HERE: Final[list[Held]] = []
"""What this process holds; the newest last."""


def hold(held: Held) -> None:
    """Have the clients of this process, and of its forks, answer from data."""
    _HERE.append(held)


def held_for(settings: Settings) -> Held | None:
    """Return the data that this process holds of the service which settings name."""
    return next((held for held in reversed(_HERE) if held.source == settings.environment() and held.is_current), None)


def held(load: Callable[Concatenate[Client, P], T]) -> Callable[Concatenate[Client, P], T]:
    """Have a function that loads something not ask for what its client holds."""

    @wraps(load)
    def loaded(client: Client, /, *asked: P.args, **named: P.kwargs) -> T:
        if not isinstance(client, HeldClient):
            return load(client, *asked, **named)
        key = (load.__name__, *map(repr, asked), *((name, repr(value)) for name, value in sorted(named.items())))
        if key not in client.held.answers:
            client.held.answers[key] = client.known(lambda: load(client, *asked, **named))
        value: T = client.told(client.held.answers[key])
        return value

    return loaded
