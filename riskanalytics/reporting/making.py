"""One report, made in a process of its own: forked from a zygote, or started.

What runs a notebook is imported after its kernel was forked, while the kernel begins.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from riskanalytics.errors import ReportError, RiskAnalyticsError
from riskanalytics.progress import Told
from riskanalytics.reporting.job import Answer, Ask, Contents, Job, Loaded, Order, Step

_NAMED: Final = ("month", "since", "as_of", "platform", "platforms", "surface")
"""Parameters of our notebooks that the data may lack."""


def run(work: str, argument: object, place: str, messages: int) -> None:
    """Do a work in a fork that owns no thread yet.

    Parameters
    ----------
    work : str
        Name of a function of this module.
    argument : object
        Its first.
    place : str
        Folder for what is temporary.
    messages : int
        Descriptor on which it is told how far the work has come, and its end.
    """
    with os.fdopen(messages, "wb") as stream:
        _do(work, argument, place, stream, messages)


def main() -> None:
    """Do the work that stdin tells, in a process that was started for it, and answer on stdout."""
    work, argument, place = pickle.load(sys.stdin.buffer)  # noqa: S301 (the process that started this one)
    stream, sys.stdout = sys.stdout.buffer, sys.stderr
    _do(work, argument, place, stream, None)


def _do(work: str, argument: Any, place: str, stream: BinaryIO, messages: int | None) -> None:
    """Do a work, and answer with its value or its error."""

    def send(message: Step | Answer) -> None:
        pickle.dump(message, stream)
        stream.flush()

    def tell(phase: str, done: int, total: int | None = None) -> None:
        send(Step(phase, done, total))

    try:
        answer = Answer(_WORKS[work](argument, tell, place, messages))
    except Exception as error:  # noqa: BLE001 (raised where the work was asked for)
        answer = _refusal(error, argument.settings.secrets)
    send(answer)


def _refusal(error: Exception, secrets: Sequence[str]) -> Answer:
    """Return the answer to a work that failed: an error of ours as it is, any other in one line, as it fails this work only."""
    from riskanalytics.reporting.execution import one_line, without_key  # noqa: PLC0415

    trace = without_key("".join(traceback.format_exception(error)), secrets)
    if not isinstance(error, RiskAnalyticsError | OSError):
        said = one_line(without_key(str(error), secrets))
        error = ReportError(f"the report could not be made: {type(error).__name__}: {said}")
    return Answer(None, error, trace)


def _page(job: Job, tell: Told, place: str, messages: int | None) -> tuple[Path, str] | Contents:
    """Check what the data may lack, run the notebook, and make its page."""
    # forked before this process has a thread or an event loop
    from riskanalytics.reporting.managers import ReportKernel, newborn_here  # noqa: PLC0415

    newborn = None if messages is None else newborn_here(messages)
    beside = (job.notebook.stem, job.values, job.served) if job.ours else None
    with ReportKernel(job.settings, newborn, place, beside) as kernel:
        if job.ours:
            _check(job)
        from riskanalytics.reporting.execution import executed  # noqa: PLC0415
        from riskanalytics.reporting.exporter import prepare  # noqa: PLC0415
        from riskanalytics.reporting.publication import contents_of, publish  # noqa: PLC0415

        told = partial(tell, "running the notebook")
        with ThreadPoolExecutor(1) as while_it_runs:
            while_it_runs.submit(prepare)
            notebook = executed(
                job.notebook, job.values, kernel, job.settings.secrets, told, ours=job.ours, marks=job.marks
            )
    tell("writing the page and its PDF" if job.pdf else "writing the page", 0, None)
    stem = job.notebook.stem
    contents = contents_of(notebook, stem, part=job.part, pdf=job.pdf)
    return contents if job.out is None else (publish(contents, stem, job.out, replace=job.replace), contents.end)


def _ordered(order: Order, tell: Told, place: str, messages: int | None) -> tuple[Path, str] | Contents:
    """Make the report of an order in a folder of its own, which goes with it."""
    _check_there(order)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        files, notebook = Path(folder) / "files", Path(folder) / order.job.notebook.name
        written = {notebook: order.notebook, **{files / name: content for name, content in order.files.items()}}
        files.mkdir()
        for path, content in written.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        with contextlib.chdir(files):
            return _page(order.job._replace(notebook=notebook), tell, place, messages)


def _check_there(order: Order) -> None:
    """Refuse to make a report of other data than those of the batch."""
    here = f"the worker on {socket.gethostname()}"
    for name, digest in order.there.items():
        if not Path(name).is_file() or sha256(Path(name).read_bytes()).hexdigest() != digest:
            raise ReportError(f"{here} has no such {name}: name files from the folder that you are in, and they travel")
    if order.state:
        from riskanalytics.reporting.loading import state_of  # noqa: PLC0415

        if state_of(order.settings) != order.state:
            raise ReportError(f"{here} finds its database in another state than this command did")


def _check(job: Job) -> None:
    """Refuse a bad portfolio, and what the data lack, before the notebook loads anything."""
    if portfolio := job.values.get("portfolio"):
        from riskanalytics.topics.monthly.portfolio import read_portfolio  # noqa: PLC0415

        read_portfolio(str(portfolio))
    if any(job.values.get(name) for name in _NAMED):
        from riskanalytics.dataset.beside import ask_beside  # noqa: PLC0415
        from riskanalytics.reporting.asked import check_asked  # noqa: PLC0415

        ask_beside(job.served)
        check_asked(job.notebook.stem, job.values, job.settings)


def _data(ask: Ask, tell: Told, place: str, _messages: int | None) -> Loaded:
    """Load what the reports of a batch share."""
    from riskanalytics.reporting.loading import loaded  # noqa: PLC0415

    return loaded(ask, tell, Path(place))


def _index(ask: Ask, _tell: Told, _place: str, _messages: int | None) -> Path | None:
    """Write the index of a folder of pages."""
    from riskanalytics.reporting.folder import list_pages  # noqa: PLC0415

    return ask.out and list_pages(ask.out)


def _newest(ask: Ask, _tell: Told, _place: str, _messages: int | None) -> date:
    """Return the day of the newest data."""
    from riskanalytics.dataset.connecting import connect  # noqa: PLC0415
    from riskanalytics.dataset.loading import data_day  # noqa: PLC0415

    with connect(settings=ask.settings) as client:
        return data_day(client)


_WORKS: Final[dict[str, Callable[[Any, Told, str, int | None], object]]] = {
    "page": _page,
    "order": _ordered,
    "data": _data,
    "index": _index,
    "newest": _newest,
}
"""Works that a process of ours does, by name."""
