"""One report made in a process of its own, forked warm; and what is imported for it beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import ReportError, RiskAnalyticsError
from riskanalytics.reporting.placing import Contents, Job
from riskanalytics.settings import Settings
from riskanalytics.work.executors import follow_parent, start_fork_server
from riskanalytics.work.progress import Told

ROOMS: Final = (
    "riskanalytics.dataset",
    "riskanalytics.analysis",
    "riskanalytics.charts",
    "riskanalytics.sections",
    "riskanalytics.reporting.layout",
    "riskanalytics.service",
    "riskanalytics.demo",
)
"""What notebooks on our data import."""
_KERNEL: Final = ("riskanalytics.reporting.kernel", "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell")


def warm(*modules: str) -> None:
    """Begin to import what kernels and notebooks need; does not wait."""
    start_fork_server(*_KERNEL, *modules)


def silent(phase: str, done: int, total: int | None) -> None:
    """Take no note of progress."""


def made(job: Job, tell: Told) -> Contents:
    """Run the notebook of a report and make its page, in a process of its own (`executors.apart`).

    Parameters
    ----------
    job : Job
    tell : callable
        Told the phase, the steps done and the steps in all.

    Raises
    ------
    ReportError
        One line, without keys. Errors of ours keep their kind.
    """
    from riskanalytics.reporting.kernel import report_kernel  # noqa: PLC0415

    try:
        with report_kernel(job.environment, job.held, job.folder) as kernel:
            follow_parent()  # after the kernel was forked: until then there may be no thread
            from riskanalytics.reporting.execution import contents_of, executed  # noqa: PLC0415 (while the kernel begins)

            notebook = executed(job, kernel, lambda done, total: tell("running the notebook", done, total))
        tell("writing the page and its PDF" if job.pdf else "writing the page", 0, None)
        return contents_of(notebook, job.notebook.stem, part=job.part, pdf=job.pdf)
    except (RiskAnalyticsError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is fails this report only)
        from riskanalytics.reporting.execution import one_line, without_key  # noqa: PLC0415

        said = one_line(without_key(str(error), job.settings.secrets))
        raise ReportError(f"the report could not be made: {type(error).__name__}: {said}") from None


def published(job: Job, out: Path, replace: bool, tell: Told) -> tuple[Path, str]:
    """Make a report as `made` does, and publish it: the page, and the newest day of its data."""
    contents = made(job, tell)
    from riskanalytics.reporting.folder import publish  # noqa: PLC0415

    return publish(contents, job.notebook.stem, out, replace=replace), contents.end


def listed(out: Path, _tell: Told) -> Path:
    """Write the list of the pages in a folder."""
    from riskanalytics.reporting.folder import list_pages  # noqa: PLC0415

    return list_pages(out)


def newest_day(settings: Settings, _tell: Told) -> date:
    """Return the day of the newest data."""
    from riskanalytics.dataset.connecting import connect  # noqa: PLC0415
    from riskanalytics.dataset.loading import data_day  # noqa: PLC0415

    with connect(settings=settings) as client:
        return data_day(client)


class Loaded(NamedTuple):
    """What was loaded for a batch.

    Parameters
    ----------
    slugs : list of str
        All tracked platforms, where they were asked for.
    digest : str
        SHA-256 of all that notebooks can read; empty where none is known.
    held : str
        File of the data, for kernels to hold; empty where there is none.
    days : dict
        What a report asks of the time (`asked_time`) -> SHA-256 of the data that it shows; without those not known.
    """

    slugs: list[str]
    digest: str
    held: str = ""
    days: Mapping[tuple[str, ...], str] = {}

    def digest_for(self, values: Mapping[str, object]) -> str:
        """Return the SHA-256 of the data of a report with these parameters; empty where it is not known."""
        return self.days.get(asked_time(values), self.digest)


def asked_time(values: Mapping[str, object]) -> tuple[str, ...]:
    """Return what a report with these parameters asks of the time: day, month, and the day after which it begins."""
    return tuple(str(values.get(name) or "") for name in ("as_of", "month", "since"))


def loaded(
    settings: Settings, notebook: str, every: bool, values: Sequence[Mapping[str, object]], place: Path, tell: Told
) -> Loaded:
    """Load what the reports of a batch share, as `loading.load_for` does."""
    from riskanalytics.reporting.loading import Ask, load_for  # noqa: PLC0415

    tell("loading data", 0, None)
    return load_for(Ask(settings, notebook, every, values), place / "held")
