"""What the process of a report is told, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from riskanalytics.settings import Settings


class Job(NamedTuple):
    """A report to make.

    Parameters
    ----------
    notebook : Path
    values : mapping
        Its parameters, checked.
    settings : Settings
        Which service the data come from.
    out : Path or None
        Folder that the page is published in; None to have its content back.
    pdf : bool
        Whether a PDF is made beside the page.
    ours : bool
        Whether the notebook is one of ours.
    part : str
        What names the file of a page that gives itself no name.
    marks : mapping
        What tells its portfolio and its source from others of that name (`told.marks_of`).
    replace : bool
        Whether its page may take the place of one of another source.
    served : str
        Socket of the process that serves its data; empty where there is none.
    """

    notebook: Path
    values: Mapping[str, object]
    settings: Settings
    out: Path | None
    pdf: bool = False
    ours: bool = False
    part: str = ""
    marks: Mapping[str, str] = {}
    replace: bool = False
    served: str = ""


class Order(NamedTuple):
    """A report to make on another computer: a job with the files that it needs.

    Parameters
    ----------
    job : Job
        Its notebook is a name.
    notebook : bytes
        The notebook's file.
    files : mapping
        Files that parameters name -> their content; they stand in the folder in which the notebook runs.
    there : mapping
        Files that parameters name and that do not travel -> SHA-256.
    state : str
        Checksum of the database that the batch began with; empty where none is known, or there is none.
    """

    job: Job
    notebook: bytes
    files: Mapping[str, bytes]
    there: Mapping[str, str]
    state: str = ""

    @property
    def settings(self) -> Settings:
        """Those of the job."""
        return self.job.settings


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
    out : Path or None
        The folder of its pages.
    """

    settings: Settings
    notebook: str = ""
    every: bool = False
    values: Sequence[Mapping[str, object]] = ()
    out: Path | None = None


class Loaded(NamedTuple):
    """What was loaded for a batch.

    Parameters
    ----------
    slugs : list of str
        All tracked platforms, where they were asked for.
    digest : str
        SHA-256 of all that notebooks can read; empty where none is known.
    file : str
        Where the data stand for kernels to take them from; empty where they do not.
    days : dict
        What a report asks of the time (`asked_time`) -> SHA-256 of the data that it shows; without those not known.
    """

    slugs: list[str]
    digest: str
    file: str = ""
    days: Mapping[tuple[str, ...], str] = {}

    def digest_for(self, values: Mapping[str, object]) -> str:
        """Return the SHA-256 of the data of a report; empty where it is not known.

        Parameters
        ----------
        values : mapping
            Its parameters.
        """
        return self.days.get(asked_time(values), self.digest)


def asked_time(values: Mapping[str, object]) -> tuple[str, ...]:
    """Return what a report of ours asks of the time: day, month, and the day after which it begins.

    Parameters
    ----------
    values : mapping
        Its parameters.
    """
    return tuple(str(values.get(name) or "") for name in ("as_of", "month", "since"))


class Contents(NamedTuple):
    """A page that is not published yet.

    Parameters
    ----------
    name : str
        What of the file's name is the report's own; empty where it gives none.
    page : str
    pdf : bytes or None
    lacks : str
        What the page says of itself that it lacks, in one line; empty where it is whole.
    again : bool
        Whether the same may give another page soon: not all could be read, or quotes did not verify.
    end : str
        Newest day of the data, YYYY-MM-DD; empty where it is not told. The page does not hold it: newer data may not change one
        of a past day.
    """

    name: str
    page: str
    pdf: bytes | None
    lacks: str
    again: bool = False
    end: str = ""


class Step(NamedTuple):
    """How far a work has come: the arguments of `progress.Told`."""

    phase: str
    done: int
    total: int | None


class Answer(NamedTuple):
    """The end of a work: its value; or the error, and where it was raised."""

    value: Any
    error: Exception | None = None
    trace: str = ""
