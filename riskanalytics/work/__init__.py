"""Progress of long operations: a bar on a terminal, a line in a live notebook."""

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
"""Called with a phase, the number of steps done, and the number of all, if known."""

_OFTEN: Final = 0.4
"""Seconds between updates of a notebook's line, and before the first one, so that quick operations show nothing."""


class ProgressReport(Progress):
    """Context manager that shows the progress of a long operation on stderr.

    Call it with the name of a phase, the number of finished steps, and the number of all steps if it is known. On a terminal
    each phase is a bar, and the bars disappear at the end; elsewhere each phase is one line.
    """

    _open: ClassVar[list[ProgressReport]] = []

    def __init__(self) -> None:
        columns = (SpinnerColumn(), "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        super().__init__(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._phases: dict[str, TaskID] = {}
        self._first = self.add_task("starting", total=None)

    def start(self) -> None:
        """Begin to show progress."""
        self._open.append(self)
        super().start()

    def stop(self) -> None:
        """End the display."""
        self._open.remove(self)
        super().stop()

    def __call__(self, phase: str, done: int, total: int | None = None) -> None:
        """Record the progress of a phase.

        Parameters
        ----------
        phase : str
            Name of the phase for a person: "reading the archive".
        done : int
            Number of finished steps.
        total : int, optional
            Number of all steps, if known.
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
        """Yield a function that shows a person the progress of loading data; at the end, the display is removed.

        Yields
        ------
        callable
            Takes the name of a phase, the number of finished steps, and the number of all steps, or None. In a notebook run by
            a person it shows a line; else, on a terminal, a bar (if a command already shows its progress there, it continues
            that display); else nothing, for example under papermill and nbconvert, or if stderr is a file.
        """
        if (shell := attended_shell()) is not None:
            with _line(shell.display_pub.publish) as progress:
                yield progress
        elif cls._open or not sys.stderr.isatty():
            yield cls._open[-1] if sys.stderr.isatty() else silent
        else:
            with cls() as report:
                yield report


def silent(phase: str, done: int, total: int | None = None) -> None:
    """Do nothing; passed as progress function where no progress is to be shown."""


def attended_shell() -> Any:
    """Return IPython's shell if a person, not a program, runs the current notebook cell; otherwise None.

    The front end of a person can answer input requests of the kernel (`allow_stdin` of the execute request, Jupyter messaging
    protocol); papermill, nbconvert and nbval cannot.
    """
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    asks = getattr(getattr(shell, "kernel", None), "_allow_stdin", False)
    return shell if asks else None


@contextmanager
def _line(publish: Callable[..., object]) -> Iterator[OnProgress]:
    """Show one line that changes, and remove it at the end."""
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
