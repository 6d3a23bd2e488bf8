"""Progress on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)


class ProgressReport:
    """Shows how far a long work has come; call it with a phase, a count and the total where it is known.

    Use as a context manager. On a terminal each phase is a bar that vanishes at the end; elsewhere each
    phase is one line when it begins.
    """

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._tasks: dict[str, TaskID] = {}
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, phase: str, done: int, total: int | None = None) -> None:
        """Take note of how far a phase has come.

        Parameters
        ----------
        phase : str
            What is being done, for a person: "reading the archive".
        done : int
            Steps finished.
        total : int, optional
            Steps in all, where they are known.
        """
        if phase not in self._tasks:
            self._tasks[phase] = self._bar.add_task(phase, total=total)
            if not self._console.is_terminal:
                self._console.print(phase, markup=False, highlight=False)
        self._bar.update(self._tasks[phase], completed=done, total=total)
