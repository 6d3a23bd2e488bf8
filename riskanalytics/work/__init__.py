"""How far a long work has come, for whoever watches: a bar on a terminal, a line in a live notebook."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TimeRemainingColumn

OnProgress = Callable[[str, int, int | None], None]
"""Takes note of a phase, of the steps done and of the steps in all, where they are known."""

_OFTEN: Final = 0.4
"""Seconds between two states of a notebook's line, and before the first: what is quick says nothing."""


class ProgressReport(Progress):
    """Shows how far a long work has come; call it with a phase, a count and the total, if it is known.

    Use as a context manager. On a terminal each phase is a bar that vanishes at the end, and there is one from the
    beginning; elsewhere each phase is one line when it begins.
    """

    _open: ClassVar[list[ProgressReport]] = []

    def __init__(self) -> None:
        columns = (SpinnerColumn(), "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        super().__init__(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._phases: dict[str, TaskID] = {}
        self._first = self.add_task("starting", total=None)

    def start(self) -> None:
        """Begin to show it."""
        self._open.append(self)
        super().start()

    def stop(self) -> None:
        """End it."""
        self._open.remove(self)
        super().stop()

    def __call__(self, phase: str, done: int, total: int | None = None) -> None:
        """Take note of how far a phase has come.

        Parameters
        ----------
        phase : str
            What is being done, for a person: "reading the archive".
        done : int
            Steps finished.
        total : int, optional
            Steps in all, if they are known.
        """
        if phase not in self._phases:
            self.update(self._first, visible=False)
            self._phases[phase] = self.add_task(phase, total=total)
            if self.disable:
                self.console.print(phase, markup=False, highlight=False)
        self.update(self._phases[phase], completed=done, total=total)

    @classmethod
    @contextmanager
    def for_reader(cls) -> Iterator[OnProgress]:
        """Give what shows a person how far the loading of data has come; it leaves nothing behind.

        Yields
        ------
        callable
            Called as a `ProgressReport`. It shows a bar on a terminal (the one that a command has begun, where it has) and a
            line in a notebook that a person runs; it is silent under papermill and nbconvert, and where stderr is a file.
        """
        if publish := _live_notebook():
            with _line(publish) as progress:
                yield progress
        elif cls._open or not sys.stderr.isatty():
            yield cls._open[-1] if sys.stderr.isatty() else silent
        else:
            with cls() as report:
                yield report


def silent(phase: str, done: int, total: int | None = None) -> None:
    """Take no note of progress."""


def _live_notebook() -> Callable[..., object] | None:
    """Return what shows something below the cell of a notebook that a person runs; None where nobody does.

    A front end with a person before it lets a cell ask for input; what runs notebooks by itself does not.
    """
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    asks = getattr(getattr(shell, "kernel", None), "_allow_stdin", False)
    return shell.display_pub.publish if asks else None


@contextmanager
def _line(publish: Callable[..., object]) -> Iterator[OnProgress]:
    """Show one line that changes, and take its words away at the end."""
    name, last, shown = {"display_id": uuid.uuid4().hex}, time.monotonic(), False

    def progress(phase: str, done: int, total: int | None = None) -> None:
        nonlocal last, shown
        if (now := time.monotonic()) - last >= _OFTEN:
            text = phase if total is None else f"{phase}: {done:,} of {total:,}"
            publish({"text/plain": text}, transient=name, update=shown)
            last, shown = now, True

    try:
        yield progress
    finally:
        if shown:
            publish({}, transient=name, update=True)
