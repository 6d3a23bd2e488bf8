"""One zygote for all reports of a test process, which would start one for each: Python and its imports are paid once.

Reports are forks as always, in the environment and the folder that they would have.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from riskanalytics.reporting.forks import Forked, Zygote
from riskanalytics.reporting.ready import ROOMS, report_environment
from riskanalytics.settings import Settings

_JUPYTER = ("riskanalytics.reporting.execution", "riskanalytics.reporting.publication")


class KeptZygote:
    """In place of a `Zygote`: forks of the kept one; a zygote of its own where something is to be left in it."""

    def __init__(self, environment: Mapping[str, str], *begin: object) -> None:
        self.environment = dict(environment)
        self._begin = begin
        self._own: Zygote | None = None
        self._forks: list[Forked] = []

    def call(self, function: str, *arguments: object) -> Any:
        self._own = self._own or Zygote(self.environment, *self._begin)
        return self._own.call(function, *arguments)

    def fork(self, function: str, *arguments: object, files: Sequence[int] = ()) -> Forked:
        if self._own is not None:
            return self._own.fork(function, *arguments, files=files)
        place = (self.environment, str(Path.cwd()), function)
        self._forks.append(_kept().fork(f"{__name__}:begun", *place, *arguments, files=files))
        return self._forks[-1]

    def close(self) -> None:
        for forked in self._forks:
            forked.kill()
        if self._own is not None:
            self._own.close()


@cache
def _kept() -> Zygote:
    """Start the zygote; it ends with this process."""
    zygote = Zygote(report_environment(Settings()), "riskanalytics.reporting.ready:warm", (*ROOMS, *_JUPYTER))
    atexit.register(zygote.close)
    return zygote


def begun(environment: Mapping[str, str], folder: str, function: str, *arguments: object) -> None:
    """Begin a fork of the kept zygote where a fork of its own would have begun."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    module, _, name = function.partition(":")
    getattr(import_module(module), name)(*arguments)
